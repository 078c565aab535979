# SPDX-License-Identifier: Apache-2.0
# jr_embed(OUTPUT.c TABLE FILE...): writes a C file with the texts of files, as the struct jr_embedded of cli/library.h: by names without folder and
# extension. It is written anew when one of the files changes.
function(jr_embed OUTPUT TABLE)
  set(texts "")
  set(rows "")
  set(n 0)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WLE)
    file(READ ${file} hex HEX)
    string(LENGTH "${hex}" bytes)
    math(EXPR bytes "${bytes} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND texts "static const unsigned char text_${n}[] = { ${hex} };\n")
    string(APPEND rows "    { \"${name}\", text_${n}, ${bytes} },\n")
    math(EXPR n "${n} + 1")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
       "/* Written by cmake/Embed.cmake. */\n#include \"cli/library.h\"\n\n${texts}\nconst struct jr_embedded ${TABLE}[] = {\n${rows}    { 0, 0, 0 },\n};\n")
endfunction()
