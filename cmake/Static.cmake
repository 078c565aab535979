# SPDX-License-Identifier: Apache-2.0
# jobreeve alone, of static archives, to run where no library is (JR_STATIC; ./dev cli): cmake --build FOLDER --target jobreeve
# glibc, OpenSSL, libyaml, libcurl and what that one uses are Debian's archives. Debian has none of cJSON: it is compiled of Debian's sources (JR_CJSON).
# libcurl.a is made for more than HTTPS, and of some of that Debian has no archive either: those names lead to jr_static_absent (common/curl/static.c).
set(JR_CJSON "" CACHE PATH "with JR_STATIC: the folder of Debian's sources of cJSON")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

if(NOT EXISTS ${JR_CJSON}/cJSON.c)
  message(FATAL_ERROR "JR_STATIC wants JR_CJSON, a folder with cJSON.c, not \"${JR_CJSON}\"")
endif()
# As <cjson/cJSON.h>, as where it is installed.
configure_file(${JR_CJSON}/cJSON.h ${CMAKE_BINARY_DIR}/include/cjson/cJSON.h COPYONLY)
add_library(cjson STATIC ${JR_CJSON}/cJSON.c)
target_include_directories(cjson SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/include)
target_link_libraries(cjson PRIVATE jr_hardening jr_reproducible)
target_compile_options(cjson PRIVATE -ffile-prefix-map=${JR_CJSON}/=/usr/src/cjson/)
add_library(PkgConfig::CJSON ALIAS cjson)

# What libcurl asks for and won't get: tests see that it isn't called.
find_library(curl_archive curl REQUIRED)
execute_process(COMMAND ${CMAKE_NM} ${curl_archive} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " U (gss|GSS_C|ldap|ber|RTMP|libssh2|psl|idn2)_[A-Za-z0-9_]+" absent "${symbols}")
list(TRANSFORM absent REPLACE "^ U " "")
list(REMOVE_DUPLICATES absent)
list(REMOVE_ITEM absent idn2_check_version ldap_get_option libssh2_init libssh2_version)
list(TRANSFORM absent REPLACE "(.+)" "LINKER:--defsym=\\1=jr_static_absent")

# Behind all of ours: what libcurl and libcrypto go on to.
add_library(jr_static INTERFACE)
foreach(name nghttp3 nghttp2 ssl crypto brotlidec brotlicommon zstd z)
  find_library(static_${name} ${name} REQUIRED)
  target_link_libraries(jr_static INTERFACE ${static_${name}})
endforeach()
# The map says what was linked: image/tree.py reads it. The warnings that are kept from being shown are glibc's, of what would load its plug-ins at
# run time: common/curl/static.c sees to it that nothing does.
target_link_options(jr_static INTERFACE ${absent} -static-pie LINKER:--no-warnings LINKER:-s LINKER:-Map=${CMAKE_BINARY_DIR}/jobreeve.map)
if(CMAKE_CROSSCOMPILING)
  # The cross compiler's own libc is not the one that gets Debian's security updates.
  target_link_options(jr_static INTERFACE -B/usr/lib/${triplet})
endif()
