# SPDX-License-Identifier: BSD-3-Clause
#
# kallima_module(NAME [PUBLIC lib...] [PRIVATE lib...])
#   makes kallima_NAME, a static library of every *.cpp in the current folder. Sources are globbed: a
#   file is registered by being there. The modules it depends on come from tools/modules.txt, which
#   the include check reads too; only libraries that are not ours are named in the call.
#   A module without sources is an interface library, so that the targets exist at every moment.
# kallima_umbrella()
#   makes kallima (kallima::kallima) of the objects of all modules: what users link.

set(kallima_modules_file "${PROJECT_SOURCE_DIR}/tools/modules.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${kallima_modules_file}")
file(STRINGS "${kallima_modules_file}" lines REGEX "^[a-z_]+:")
set(KALLIMA_MODULES "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_]+):(.*)$" ignored "${line}")
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

function(kallima_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE")
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
  set(target kallima_${name})

  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(sources)
    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                               CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(${target} PUBLIC ${include_dirs})
    target_link_libraries(${target} PUBLIC ${deps} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE}
                                                                         kallima_warnings)
    set_property(GLOBAL APPEND PROPERTY kallima_objects $<TARGET_OBJECTS:${target}>)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${include_dirs})
    target_link_libraries(${target} INTERFACE ${deps} ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
  set_property(GLOBAL APPEND PROPERTY kallima_externals ${arg_PRIVATE})
endfunction()

function(kallima_umbrella)
  get_property(objects GLOBAL PROPERTY kallima_objects)
  get_property(externals GLOBAL PROPERTY kallima_externals)
  if(NOT objects)
    return()
  endif()
  list(REMOVE_DUPLICATES externals)
  add_library(kallima ${objects})
  add_library(kallima::kallima ALIAS kallima)
  set_target_properties(
    kallima PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                       SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(kallima PUBLIC cxx_std_20)
  target_include_directories(kallima PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                            "$<INSTALL_INTERFACE:include>")
  if(kallima_openmp)
    list(REMOVE_ITEM externals ${kallima_openmp})
  endif()
  target_link_libraries(
    kallima
    # A project in C that uses what is installed has found MPI for C alone.
    PUBLIC $<BUILD_INTERFACE:MPI::MPI_CXX>
           $<INSTALL_INTERFACE:$<IF:$<TARGET_EXISTS:MPI::MPI_CXX>,MPI::MPI_CXX,MPI::MPI_C>>
    PRIVATE ${externals} $<BUILD_INTERFACE:${kallima_openmp}>)
  # Who links what is installed may use another compiler, or only one of C.
  foreach(library IN LISTS kallima_openmp_runtime)
    target_link_libraries(kallima PRIVATE $<INSTALL_INTERFACE:${library}>)
  endforeach()
  foreach(library IN LISTS kallima_cxx_runtime)
    target_link_libraries(kallima
                          PRIVATE $<INSTALL_INTERFACE:$<$<NOT:$<LINK_LANGUAGE:CXX>>:${library}>>)
  endforeach()
endfunction()
