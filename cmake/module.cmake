# SPDX-License-Identifier: BSD-3-Clause
#
# kallima_module(NAME [PUBLIC lib...] [PRIVATE lib...] [EXCEPT regex])
#   makes kallima_NAME, a static library of every *.cpp in the current folder, but for what EXCEPT matches. Sources are globbed: a
#   file is registered by being there. The modules it depends on come from tools/modules.txt, which
#   the include check reads too; only libraries that are not ours are named in the call.
#   A module without sources is an interface library, so that the targets exist at every moment.
#   With KALLIMA_UNITY its sources are compiled eight at a time: headers are parsed once for all of them,
#   which halves the time of a whole build and lengthens the one after a change.
# kallima_libraries()
#   makes what users link, as tools/modules.txt lists it:
#     kallima::kallima    the modules from base to the C interface
#     kallima::planning   those of them that plan and price, without MPI. Its objects are in kallima::kallima
#                         too: a program links the one or the other
#     kallima::extras     further operations on the same executor; links kallima::kallima
#   Modules that are in none of these are compiled for who links them, such as the command line.

option(KALLIMA_UNITY "Compile several sources of a module at once" ON)

set(kallima_modules_file "${PROJECT_SOURCE_DIR}/tools/modules.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${kallima_modules_file}")
file(STRINGS "${kallima_modules_file}" lines REGEX "^[a-z0-9_]+:")
set(KALLIMA_MODULES "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z0-9_]+):(.*)$" ignored "${line}")
  set(module "${CMAKE_MATCH_1}")
  string(STRIP "${CMAKE_MATCH_2}" deps)
  string(REGEX REPLACE "[ \t]+" ";" deps "${deps}")
  foreach(dep IN LISTS deps)
    if(NOT dep IN_LIST KALLIMA_MODULES)
      message(FATAL_ERROR "tools/modules.txt: ${module} needs ${dep}, which is not listed above it")
    endif()
  endforeach()
  list(APPEND KALLIMA_MODULES ${module})
  set(kallima_deps_${module} ${deps})
endforeach()

# kallima_with_needed(RESULT module...): the modules and all that they need, each once.
function(kallima_with_needed result)
  set(all "")
  foreach(module IN LISTS ARGN)
    kallima_with_needed(needed ${kallima_deps_${module}})
    list(APPEND all ${needed} ${module})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

if(NOT KALLIMA_FFTW)
  list(REMOVE_ITEM KALLIMA_MODULES fftw3_mpi)  # which leaves to FFTW what Kallima does not do
endif()

file(STRINGS "${kallima_modules_file}" lines REGEX "^library ")
set(kallima_shipped "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^library ([a-z_]+) ([a-z_]+)$" ignored "${line}")
  set(kallima_library_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  kallima_with_needed(needed ${CMAKE_MATCH_2})
  list(APPEND kallima_shipped ${needed})
endforeach()
list(REMOVE_DUPLICATES kallima_shipped)

function(kallima_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "PUBLIC;PRIVATE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kallima_module(${name}): what is '${arg_UNPARSED_ARGUMENTS}'? "
                        "Modules it depends on belong in tools/modules.txt")
  endif()
  if(NOT name IN_LIST KALLIMA_MODULES)
    message(FATAL_ERROR "kallima_module(${name}): not in tools/modules.txt")
  endif()

  set(deps ${kallima_deps_${name}})
  list(TRANSFORM deps PREPEND kallima_)
  set(include_dirs "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  if(EXISTS "${PROJECT_SOURCE_DIR}/${name}/CMakeLists.txt")
    list(APPEND include_dirs "${PROJECT_SOURCE_DIR}")
  endif()
  set(target kallima_${name})

  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  if(sources)
    set(when EXCLUDE_FROM_ALL)
    if(name IN_LIST kallima_shipped)
      set(when "")
    endif()
    add_library(${target} STATIC ${when} ${sources})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                               CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON
                                               UNITY_BUILD ${KALLIMA_UNITY})
    target_include_directories(${target} PUBLIC ${include_dirs})
    target_link_libraries(${target} PUBLIC ${deps} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE}
                                                                         kallima_warnings)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${include_dirs})
    target_link_libraries(${target} INTERFACE ${deps} ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
  set_property(GLOBAL PROPERTY kallima_externals_${name} ${arg_PRIVATE})
endfunction()

# kallima_library(TARGET EXPORTED module...): of the objects of these modules, as kallima::EXPORTED.
function(kallima_library target exported)
  set(objects "")
  set(externals "")
  foreach(module IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:kallima_${module}>)
    get_property(needed GLOBAL PROPERTY kallima_externals_${module})
    list(APPEND externals ${needed})
  endforeach()
  list(REMOVE_DUPLICATES externals)
  if(kallima_openmp)
    list(REMOVE_ITEM externals ${kallima_openmp})
  endif()
  add_library(${target} ${objects})
  add_library(kallima::${exported} ALIAS ${target})
  set_target_properties(
    ${target} PROPERTIES EXPORT_NAME ${exported} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                              "$<INSTALL_INTERFACE:include>")
  target_link_libraries(${target} PRIVATE ${externals})
  # Who links what is installed may use another compiler, or only one of C.
  foreach(library IN LISTS kallima_cxx_runtime)
    target_link_libraries(${target}
                          PRIVATE $<INSTALL_INTERFACE:$<$<NOT:$<LINK_LANGUAGE:CXX>>:${library}>>)
  endforeach()
endfunction()

function(kallima_libraries)
  kallima_with_needed(planning ${kallima_library_planning})
  kallima_library(kallima_planning planning ${planning})

  kallima_with_needed(all ${kallima_library_kallima})
  kallima_library(kallima kallima ${all})
  target_link_libraries(
    kallima
    # A project in C that uses what is installed has found MPI for C alone.
    PUBLIC $<BUILD_INTERFACE:MPI::MPI_CXX>
           $<INSTALL_INTERFACE:$<IF:$<TARGET_EXISTS:MPI::MPI_CXX>,MPI::MPI_CXX,MPI::MPI_C>>
    PRIVATE $<BUILD_INTERFACE:${kallima_openmp}>)
  foreach(library IN LISTS kallima_openmp_runtime)
    target_link_libraries(kallima PRIVATE $<INSTALL_INTERFACE:${library}>)
  endforeach()

  # Shared libraries hide what no public header has, so the extras' own has a copy of what they use.
  set(extras ${kallima_library_extras})
  if(BUILD_SHARED_LIBS)
    kallima_with_needed(extras ${extras})
  endif()
  kallima_library(kallima_extra extras ${extras})
  set_target_properties(kallima_extra PROPERTIES OUTPUT_NAME kallima_extras)
  if(BUILD_SHARED_LIBS)
    target_link_libraries(kallima_extra PUBLIC MPI::MPI_CXX
                                        PRIVATE $<BUILD_INTERFACE:${kallima_openmp}>)
  else()
    target_link_libraries(kallima_extra PUBLIC kallima)
  endif()
endfunction()
