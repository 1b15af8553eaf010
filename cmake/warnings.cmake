# SPDX-License-Identifier: BSD-3-Clause
#
# Warnings hang on an interface target that our own targets link privately: neither a project that
# adds us as a subdirectory nor one that links us inherits them.
add_library(kallima_warnings INTERFACE)
target_compile_options(kallima_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(KALLIMA_WERROR)
  target_compile_options(kallima_warnings INTERFACE -Werror)
endif()
