# SPDX-License-Identifier: BSD-3-Clause
#
# What a compiler links by itself and a program that links our static library by another compiler does
# not have: the runtimes of C++ and of OpenMP.
#
# Sets kallima_cxx_runtime and kallima_openmp_runtime, lists of libraries by name; by path where the
# compilers do not look for them by themselves. A path into a compiler's own folder would tie what is
# installed to that version of it.

# kallima_library_names(RESULT library...)
function(kallima_library_names result)
  set(names "")
  foreach(library IN LISTS ARGN)
    get_filename_component(folder "${library}" DIRECTORY)
    get_filename_component(name "${library}" NAME_WE)
    string(REGEX REPLACE "^lib" "" name "${name}")
    if(NOT IS_ABSOLUTE "${library}" OR (folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES
                                        AND folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES))
      list(APPEND names "${name}")
    else()
      list(APPEND names "${library}")
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

set(kallima_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
if(CMAKE_C_IMPLICIT_LINK_LIBRARIES)
  list(REMOVE_ITEM kallima_cxx_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
endif()
list(REMOVE_DUPLICATES kallima_cxx_runtime)
kallima_library_names(kallima_cxx_runtime ${kallima_cxx_runtime})

set(kallima_openmp_runtime "")
if(kallima_openmp)
  kallima_library_names(kallima_openmp_runtime ${OpenMP_CXX_LIBRARIES})
endif()
