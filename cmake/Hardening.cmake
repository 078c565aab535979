# SPDX-License-Identifier: Apache-2.0
include(CheckCCompilerFlag)

add_library(jr_hardening INTERFACE)
target_compile_options(jr_hardening INTERFACE
  -fstack-protector-strong -fstack-clash-protection)
# Indirect jumps land where they may alone: what the processor of each architecture has for that.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_options(jr_hardening INTERFACE -mbranch-protection=standard)
else()
  target_compile_options(jr_hardening INTERFACE -fcf-protection)
endif()
# clang 14 wants a second flag beside this one; newer ones and gcc take it as it is.
check_c_compiler_flag(-ftrivial-auto-var-init=zero JR_HAS_AUTO_VAR_INIT)
if(JR_HAS_AUTO_VAR_INIT)
  target_compile_options(jr_hardening INTERFACE -ftrivial-auto-var-init=zero)
endif()
# What a program doesn't use isn't in it: code that can't be reached, and tables whose pointers would be memory of each process.
target_compile_options(jr_hardening INTERFACE -ffunction-sections -fdata-sections)
target_link_options(jr_hardening INTERFACE -Wl,--gc-sections)
target_link_options(jr_hardening INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
# _FORTIFY_SOURCE needs optimisation, and the sanitizers bring checks of their own.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT JR_SANITIZE)
  target_compile_options(jr_hardening INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
