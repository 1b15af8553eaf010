# SPDX-License-Identifier: BSD-3-Clause
#
# kallima_quick(TARGET [header...])
#   has a program compiled quickly where KALLIMA_QUICK says so: unoptimised, several sources at once, and
#   with headers that are larger than what includes them parsed once. Off by default, as the next build
#   after a change is longer and an #include that is missing does not show.
option(KALLIMA_QUICK "Compile programs and tests, but not the library, for CI: quickly" OFF)

function(kallima_quick target)
  if(KALLIMA_QUICK)
    target_compile_options(${target} PRIVATE -O0)
    set_property(TARGET ${target} PROPERTY UNITY_BUILD ON)
    if(ARGN)
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()
