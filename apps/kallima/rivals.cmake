# SPDX-License-Identifier: BSD-3-Clause
#
# Whom `kallima bench --against` can run: a source in bench/rivals/ for each library that is found.
# Distributions build MPI libraries for their default MPI, which is Open MPI where they are looked for
# here; linked with another they would bring a second MPI into the process.

# kallima_rival(NAME SOURCE LIBRARY...) adds a rival that was found.
function(kallima_rival name source)
  message(STATUS "bench --against: ${name}")
  string(TOUPPER "${name}" macro)
  string(REPLACE "-" "_" macro "${macro}")
  target_sources(kallima_cli PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/bench/rivals/${source}")
  target_compile_definitions(kallima_cli PRIVATE KALLIMA_WITH_${macro})
  target_link_libraries(kallima_cli PRIVATE ${ARGN})
endfunction()

target_sources(kallima_cli PRIVATE bench/rivals/rivals.cpp bench/rivals/copy.cpp)
if(NOT KALLIMA_FFTW)
  # The others compute with FFTW.
  return()
endif()
kallima_rival(bare bare.cpp FFTW3::fftw3 FFTW3::fftw3f)

get_filename_component(fftw_folder "${FFTW3_LIBRARY}" DIRECTORY)
foreach(part threads mpi)
  find_library(FFTW3_${part}_LIBRARY fftw3_${part} HINTS "${fftw_folder}")
  find_library(FFTW3F_${part}_LIBRARY fftw3f_${part} HINTS "${fftw_folder}")
  mark_as_advanced(FFTW3_${part}_LIBRARY FFTW3F_${part}_LIBRARY)
endforeach()

if(FFTW3_threads_LIBRARY AND FFTW3F_threads_LIBRARY)
  find_package(Threads REQUIRED)
  kallima_rival(fftw-threads fftw_threads.cpp "${FFTW3_threads_LIBRARY}"
                "${FFTW3F_threads_LIBRARY}" Threads::Threads)
endif()

if(KALLIMA_MPI_FAMILY STREQUAL "openmpi")
  find_path(FFTW3_MPI_INCLUDE_DIR fftw3-mpi.h HINTS "${FFTW3_INCLUDE_DIR}")
  mark_as_advanced(FFTW3_MPI_INCLUDE_DIR)
  if(FFTW3_mpi_LIBRARY AND FFTW3F_mpi_LIBRARY AND FFTW3_MPI_INCLUDE_DIR)
    kallima_rival(fftw-mpi fftw_mpi.cpp "${FFTW3_mpi_LIBRARY}" "${FFTW3F_mpi_LIBRARY}")
  endif()
  find_package(SpFFT QUIET)
  if(SpFFT_FOUND)
    kallima_rival(spfft spfft.cpp SpFFT::spfft)
  endif()
endif()

# The others come from a prefix that the user chose, for any MPI. One that was built for another than
# the one in use would compile and link, and fail in strange ways.

# kallima_built_for_this_mpi(RESULT TARGET) looks for names of Open MPI's in an imported library.
function(kallima_built_for_this_mpi result target)
  get_target_property(file ${target} LOCATION)
  file(STRINGS "${file}" names REGEX "ompi_mpi_" LIMIT_COUNT 1)
  if(KALLIMA_MPI_FAMILY STREQUAL "openmpi")
    set(wrong_names "^$")
  else()
    set(wrong_names "ompi_mpi_")
  endif()
  if("${names}" MATCHES "${wrong_names}")
    message(STATUS "bench --against: not ${file}, which was built for another MPI")
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

find_package(Heffte QUIET COMPONENTS FFTW)
if(Heffte_FOUND)
  kallima_built_for_this_mpi(matches Heffte::Heffte)
  if(matches)
    kallima_rival(heffte heffte.cpp Heffte::Heffte)
  endif()
endif()

# 2DECOMP&FFT is Fortran, a language that nothing else here needs. Its package names MPI::MPI_Fortran
# and does not look for it.
find_package(decomp2d QUIET CONFIG)
if(decomp2d_FOUND)
  include(CheckLanguage)
  check_language(Fortran)
endif()
if(decomp2d_FOUND AND CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  if(KALLIMA_MPI)
    find_program(MPI_Fortran_COMPILER NAMES mpifort.${KALLIMA_MPI} mpif90.${KALLIMA_MPI})
  endif()
  find_package(MPI QUIET COMPONENTS Fortran)
  if(MPI_Fortran_FOUND)
    # Our part does not compile where its release, its precision or its MPI is another.
    unset(KALLIMA_2DECOMP_COMPILES CACHE)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    try_compile(
      KALLIMA_2DECOMP_COMPILES "${CMAKE_CURRENT_BINARY_DIR}/try_2decomp"
      SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/bench/rivals/decomp2d.f90"
      LINK_LIBRARIES decomp2d MPI::MPI_Fortran)
    unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
    if(KALLIMA_2DECOMP_COMPILES)
      # A target of its own: our warnings are not a Fortran compiler's.
      add_library(kallima_2decomp STATIC bench/rivals/decomp2d.f90)
      target_link_libraries(kallima_2decomp PRIVATE decomp2d MPI::MPI_Fortran)
      kallima_rival(2decomp decomp2d.cpp kallima_2decomp)
    else()
      message(STATUS "bench --against: not ${decomp2d_DIR}, which is no release 2.1 in double "
                     "precision for the MPI in use")
    endif()
  endif()
endif()

kallima_skip_mpicxx()
