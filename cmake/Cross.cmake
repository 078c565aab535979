# SPDX-License-Identifier: Apache-2.0
# The programs for another architecture than this machine's, with Debian's compiler and Debian's libraries of that architecture:
#   cmake --preset package -B build/package-arm64 -DCMAKE_TOOLCHAIN_FILE=cmake/Cross.cmake -DJR_ARCH=arm64
# JR_ARCH: in Debian's words, amd64 or arm64. What the build runs of what it has built (the manual pages' generator) runs under qemu-user.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES JR_ARCH)
set(processor_amd64 x86_64)
set(processor_arm64 aarch64)
if(NOT DEFINED processor_${JR_ARCH})
  message(FATAL_ERROR "JR_ARCH is \"${JR_ARCH}\", expected amd64 or arm64")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor_${JR_ARCH}})
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)
