# SPDX-License-Identifier: BSD-3-Clause
#
# kallima_precompile(TARGET header...)
#   parses headers that are larger than what includes them once for the whole target, where
#   KALLIMA_PRECOMPILE says so. Off by default, as it hides an #include that is missing; CI leaves it
#   off where it builds the fuzzers, and with them most of the library.
option(KALLIMA_PRECOMPILE "Parse the largest headers of others once per program" OFF)

function(kallima_precompile target)
  if(KALLIMA_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
