# SPDX-License-Identifier: BSD-3-Clause
#
# Directory-wide and not on an interface target: every object of a sanitized build has to agree.
set(KALLIMA_SANITIZE_FLAGS "")
if(KALLIMA_SANITIZE STREQUAL "thread")
  set(KALLIMA_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(KALLIMA_SANITIZE)
  set(KALLIMA_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all
                             -fno-omit-frame-pointer)
endif()
add_compile_options(${KALLIMA_SANITIZE_FLAGS})
add_link_options(${KALLIMA_SANITIZE_FLAGS})
