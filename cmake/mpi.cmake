# SPDX-License-Identifier: BSD-3-Clause
#
# Finds one MPI and says how to start its ranks. Several MPIs stand side by side on many machines
# and FindMPI takes whichever `mpicxx` comes first; KALLIMA_MPI names one by the suffix that
# distributions give to its programs.
#
# `simgrid` is SMPI, SimGrid's MPI of simulated ranks, for the program that `kallima simulate` starts:
# nothing else is built, as ranks are threads of one process there and time is not the clock's.
#
# Sets KALLIMA_MPI_FAMILY (openmpi, mpich, simgrid or other) and KALLIMA_MPIEXEC_FLAGS, what the tests
# put between mpiexec and the number of ranks.

set(KALLIMA_MPI "" CACHE STRING "Which MPI: openmpi, mpich, simgrid, or empty for the default one")
set_property(CACHE KALLIMA_MPI PROPERTY STRINGS "" openmpi mpich simgrid)

# FindMPI keeps all it found in the cache, so a changed choice would be half obeyed.
if(DEFINED KALLIMA_MPI_CONFIGURED AND NOT KALLIMA_MPI STREQUAL KALLIMA_MPI_CONFIGURED)
  message(FATAL_ERROR "this build tree was configured with KALLIMA_MPI='${KALLIMA_MPI_CONFIGURED}'; "
                      "use a fresh build directory for '${KALLIMA_MPI}'")
endif()

if(KALLIMA_MPI STREQUAL "simgrid")
  include(simgrid)
  set(KALLIMA_MPI_CONFIGURED "${KALLIMA_MPI}" CACHE INTERNAL "KALLIMA_MPI when MPI was found")
  return()
endif()

if(KALLIMA_MPI)
  if(NOT KALLIMA_MPI MATCHES "^(openmpi|mpich)$")
    message(FATAL_ERROR "KALLIMA_MPI is '${KALLIMA_MPI}'; it may be openmpi, mpich, simgrid or empty")
  endif()
  find_program(MPI_CXX_COMPILER NAMES mpicxx.${KALLIMA_MPI} REQUIRED)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${KALLIMA_MPI} REQUIRED)
endif()

find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
set(KALLIMA_MPI_CONFIGURED "${KALLIMA_MPI}" CACHE INTERNAL "KALLIMA_MPI when MPI was found")
# mpi.h of both families still declares the C++ bindings that MPI-3 removed, unless told not to. To be
# called again behind a find_package that looks for MPI itself: FindMPI sets the property anew.
function(kallima_skip_mpicxx)
  set_property(
    TARGET MPI::MPI_CXX
    APPEND
    PROPERTY INTERFACE_COMPILE_DEFINITIONS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endfunction()
kallima_skip_mpicxx()

if(NOT DEFINED KALLIMA_MPI_FAMILY)
  set(family other)
  if(MPIEXEC_EXECUTABLE)
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version
                    ERROR_VARIABLE version)
    if(version MATCHES "Open MPI|OpenRTE|PRTE")
      set(family openmpi)
    elseif(version MATCHES "HYDRA|MPICH")
      set(family mpich)
    endif()
  endif()
  set(KALLIMA_MPI_FAMILY ${family} CACHE INTERNAL "Family of the MPI that was found")
endif()
message(STATUS "MPI family: ${KALLIMA_MPI_FAMILY} (${MPIEXEC_EXECUTABLE})")

set(KALLIMA_MPIEXEC_FLAGS "")
if(KALLIMA_MPI_FAMILY STREQUAL "openmpi")
  # Tests run as root in containers, with more ranks than cores, several jobs at once: so no binding
  # (two jobs would be bound to the same core), and waiting ranks give their core away. The rest
  # silences what Open MPI says of networks and of process-to-process copies a container forbids.
  set(KALLIMA_MPIEXEC_FLAGS
      --allow-run-as-root
      --oversubscribe
      --bind-to
      none
      --mca
      mpi_yield_when_idle
      1
      --mca
      btl_base_warn_component_unused
      0
      --mca
      btl_vader_single_copy_mechanism
      none)
endif()
