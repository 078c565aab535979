# SPDX-License-Identifier: Apache-2.0
add_library(jr_sanitizers INTERFACE)
if(JR_SANITIZE)
  target_compile_options(jr_sanitizers INTERFACE
    -fsanitize=${JR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(jr_sanitizers INTERFACE -fsanitize=${JR_SANITIZE})
endif()
