# SPDX-License-Identifier: BSD-3-Clause
#
# SMPI as MPI::MPI_CXX. Its compiler wrapper, smpicxx, adds an include folder, -fPIC, -shared and a
# header of macros that take the place of sleep, exit, malloc and the like; the library calls none of
# these, so its sources are compiled without them, by the compiler and the flags of every other build.
#
# kallima_simulated_program(NAME source...)
#   a program for smpirun: a shared object with a main, which is loaded once for each rank, so that
#   each has its own globals. Those of libraries that it links dynamically are shared.
find_program(SMPIRUN_EXECUTABLE NAMES smpirun REQUIRED)
find_path(SMPI_INCLUDE_DIR NAMES smpi.h PATH_SUFFIXES smpi REQUIRED)
find_library(SIMGRID_LIBRARY NAMES simgrid REQUIRED)
mark_as_advanced(SMPIRUN_EXECUTABLE SMPI_INCLUDE_DIR SIMGRID_LIBRARY)

add_library(MPI::MPI_CXX INTERFACE IMPORTED)
set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${SMPI_INCLUDE_DIR}"
                                              INTERFACE_LINK_LIBRARIES "${SIMGRID_LIBRARY}")
set(KALLIMA_MPI_FAMILY simgrid)
set(KALLIMA_MPIEXEC_FLAGS "")
message(STATUS "MPI family: simgrid (${SMPIRUN_EXECUTABLE})")

function(kallima_simulated_program name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "")
endfunction()
