# SPDX-License-Identifier: BSD-3-Clause
#
# What `cmake --install` puts where. The package can be moved as a whole: every path in it is relative
# to where it lies.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(kallima_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kallima")

# One file of targets for each component: who asks for planning alone needs no MPI.
set(kallima_components kallima planning extras)
if(TARGET kallima_fortran)
  list(APPEND kallima_components fortran)
  # Read by the compiler that wrote it alone.
  install(FILES "$<TARGET_PROPERTY:kallima_fortran,Fortran_MODULE_DIRECTORY>/kallima.mod"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kallima/fortran")
endif()
foreach(component IN LISTS kallima_components)
  set(target kallima_${component})
  if(component STREQUAL "kallima")
    set(target kallima)
  elseif(component STREQUAL "extras")
    set(target kallima_extra)
  endif()
  install(TARGETS ${target} EXPORT kallima_${component}
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(EXPORT kallima_${component} FILE ${component}Targets.cmake NAMESPACE kallima::
          DESTINATION "${kallima_package_dir}")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kallima" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
if(TARGET kallima_cli)
  install(TARGETS kallima_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# In place of FFTW-MPI: two libraries, and its interface where FFTW's own header is not installed.
if(TARGET kallima_fftw3_mpi_library)
  install(TARGETS kallima_fftw3_mpi_library kallima_fftw3f_mpi_library
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/bindings/fftw3_mpi/include/fftw3-mpi.h"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kallima/fftw3_mpi")
endif()

# For programs of heFFTe: heffte.h and a package of that name, in folders of their own, so that nothing finds them by
# chance.
set(heffte_include "${CMAKE_INSTALL_INCLUDEDIR}/kallima/heffte")
install(FILES "${PROJECT_SOURCE_DIR}/bindings/heffte/heffte.h" DESTINATION "${heffte_include}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/HeffteConfig.cmake.in" "${PROJECT_BINARY_DIR}/HeffteConfig.cmake"
  INSTALL_DESTINATION "${kallima_package_dir}/heffte" PATH_VARS heffte_include)
# The version of heFFTe whose interface this is.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/HeffteConfigVersion.cmake" VERSION 2.4.1
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/HeffteConfig.cmake" "${PROJECT_BINARY_DIR}/HeffteConfigVersion.cmake"
        DESTINATION "${kallima_package_dir}/heffte")

# Where find_machine looks.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/machines" DESTINATION "${CMAKE_INSTALL_DATADIR}/kallima"
        FILES_MATCHING PATTERN "*.toml")

get_target_property(kallima_kind kallima TYPE)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/kallimaConfig.cmake.in" "${PROJECT_BINARY_DIR}/kallimaConfig.cmake"
  INSTALL_DESTINATION "${kallima_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kallimaConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kallimaConfig.cmake"
              "${PROJECT_BINARY_DIR}/kallimaConfigVersion.cmake"
        DESTINATION "${kallima_package_dir}")
if(KALLIMA_FFTW)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindFFTW3.cmake" DESTINATION "${kallima_package_dir}")
endif()

# For those who build without CMake: `mpicxx ... $(pkg-config --cflags --libs kallima)`. What the library
# needs is private to a shared one, and only asked for with --static; where there is but a static one,
# everybody needs it.
file(RELATIVE_PATH kallima_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(kallima_pc_needs fmt)
set(kallima_pc_libraries ${kallima_openmp_runtime} ${kallima_cxx_runtime})
if(KALLIMA_FFTW AND PC_FFTW3_FOUND)
  list(PREPEND kallima_pc_needs fftw3 fftw3f)
elseif(KALLIMA_FFTW)
  kallima_library_names(engines "${FFTW3_LIBRARY}" "${FFTW3F_LIBRARY}")
  list(PREPEND kallima_pc_libraries ${engines})
endif()
list(REMOVE_DUPLICATES kallima_pc_libraries)
set(kallima_pc_libs "")
foreach(library IN LISTS kallima_pc_libraries)
  if(IS_ABSOLUTE "${library}")
    string(APPEND kallima_pc_libs " ${library}")
  else()
    string(APPEND kallima_pc_libs " -l${library}")
  endif()
endforeach()
list(JOIN kallima_pc_needs " " kallima_pc_needs)
if(kallima_kind STREQUAL "STATIC_LIBRARY")
  set(kallima_pc_requires " ${kallima_pc_needs}")
  set(kallima_pc_requires_private "")
  set(kallima_pc_libs_private "")
else()
  set(kallima_pc_requires "")
  set(kallima_pc_requires_private " ${kallima_pc_needs}")
  set(kallima_pc_libs_private "${kallima_pc_libs}")
  set(kallima_pc_libs "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima.pc.in" "${PROJECT_BINARY_DIR}/kallima.pc" @ONLY)
if(TARGET kallima_fftw3_mpi_library)
  foreach(precision IN ITEMS "" f)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima_fftw3_mpi.pc.in"
                   "${PROJECT_BINARY_DIR}/kallima_fftw3${precision}_mpi.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/kallima_fftw3${precision}_mpi.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endforeach()
endif()
if(TARGET kallima_fortran)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima_fortran.pc.in" "${PROJECT_BINARY_DIR}/kallima_fortran.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/kallima_fortran.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
install(FILES "${PROJECT_BINARY_DIR}/kallima.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
