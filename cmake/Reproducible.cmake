# SPDX-License-Identifier: Apache-2.0
# What is shipped doesn't tell in which folder it was built: not in its strings, its debug information or its build-id.
option(JR_REPRODUCIBLE "the same bytes from any folder" OFF)

add_library(jr_reproducible INTERFACE)
if(JR_REPRODUCIBLE)
  # The last one that matches counts: the build folder is inside the other.
  target_compile_options(jr_reproducible INTERFACE
    # With the slash: the assembler maps what the compiler has mapped, and /usr/src/jobreeve is where the image's programs are built.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=/usr/src/jobreeve-${PROJECT_VERSION}/
    -ffile-prefix-map=${CMAKE_BINARY_DIR}=/usr/src/jobreeve-${PROJECT_VERSION}/build)
  target_link_options(jr_reproducible INTERFACE -Wl,--build-id=sha1)
endif()
