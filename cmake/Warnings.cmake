# SPDX-License-Identifier: Apache-2.0
# Warnings are errors, for our own code only.
add_library(jr_warnings INTERFACE)
target_compile_options(jr_warnings INTERFACE
  -Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wwrite-strings
  -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wformat=2 -Wswitch-enum -Wnull-dereference)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(jr_warnings INTERFACE -Wlogical-op -Wduplicated-cond -Wduplicated-branches)
endif()
