# SPDX-License-Identifier: BSD-3-Clause
#
# FFTW3, or any library with its interface, in double and in single precision: FFTW3::fftw3 and
# FFTW3::fftw3f. Distributions that build FFTW with autotools ship no CMake package, hence this file.
# Hints: FFTW3_ROOT, CMAKE_PREFIX_PATH, and pkg-config where there is one.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_FFTW3 QUIET fftw3)
endif()

find_path(FFTW3_INCLUDE_DIR fftw3.h HINTS ${PC_FFTW3_INCLUDEDIR})
find_library(FFTW3_LIBRARY fftw3 HINTS ${PC_FFTW3_LIBDIR})
find_library(FFTW3F_LIBRARY fftw3f HINTS ${PC_FFTW3_LIBDIR})
mark_as_advanced(FFTW3_INCLUDE_DIR FFTW3_LIBRARY FFTW3F_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  FFTW3
  REQUIRED_VARS FFTW3_LIBRARY FFTW3F_LIBRARY FFTW3_INCLUDE_DIR
  VERSION_VAR PC_FFTW3_VERSION)

if(FFTW3_FOUND AND NOT TARGET FFTW3::fftw3)
  add_library(FFTW3::fftw3 UNKNOWN IMPORTED)
  set_target_properties(FFTW3::fftw3 PROPERTIES IMPORTED_LOCATION "${FFTW3_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
  add_library(FFTW3::fftw3f UNKNOWN IMPORTED)
  set_target_properties(FFTW3::fftw3f PROPERTIES IMPORTED_LOCATION "${FFTW3F_LIBRARY}"
                                                 INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
endif()
