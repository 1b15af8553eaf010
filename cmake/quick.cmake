# SPDX-License-Identifier: BSD-3-Clause
#
# kallima_quick(TARGET [header...])
#   has a program compiled quickly where KALLIMA_QUICK says so: unoptimised, and with headers that
#   are larger than what includes them parsed once. The library that it uses is compiled as ever.
#   Off by default, as it hides an #include that is missing; CI leaves it off where it builds the
#   fuzzers, and with them most of the library.
option(KALLIMA_QUICK "Compile programs and tests, but not the library, for CI: quickly" OFF)

function(kallima_quick target)
  if(KALLIMA_QUICK)
    target_compile_options(${target} PRIVATE -O0)
    if(ARGN)
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()
