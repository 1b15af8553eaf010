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
if(KALLIMA_FUZZ)
  # Fuzzers look for texts that reach code which no text before did.
  if(NOT KALLIMA_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KALLIMA_FUZZ needs Clang and KALLIMA_SANITIZE=ON; "
                        "give -DCMAKE_CXX_COMPILER=clang++ --preset asan, or leave it off")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
add_link_options(${KALLIMA_SANITIZE_FLAGS})
