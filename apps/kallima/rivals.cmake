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

target_sources(kallima_cli PRIVATE bench/rivals/rivals.cpp bench/rivals/bare.cpp)
target_link_libraries(kallima_cli PRIVATE FFTW3::fftw3 FFTW3::fftw3f)

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
