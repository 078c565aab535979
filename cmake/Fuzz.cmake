# SPDX-License-Identifier: Apache-2.0
# jr_fuzz(NAME LINK jr::json COVERS common/json/reader.c ... [CORPUS tests/FOLDER]), in tests/fuzz/ROOM
#   fuzz_NAME.c defines LLVMFuzzerTestOneInput. With JR_FUZZ (clang): a libFuzzer program. Without: a program that
#   replays the corpus. Either way ctest runs all of corpus/NAME, or CORPUS, as fuzz_ROOM_NAME. COVERS: the sources that the target
#   is for; `./dev fuzz --coverage` says how much of them the corpus reaches.
include_guard(GLOBAL)

if(JR_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "JR_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
  endif()
  # Everything that is fuzzed must count its branches.
  target_compile_options(jr_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
file(REMOVE ${CMAKE_BINARY_DIR}/fuzz/targets)

function(jr_fuzz NAME)
  cmake_parse_arguments(A "" "CORPUS" "LINK;COVERS" ${ARGN})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  set(target fuzz_${room}_${NAME})
  if(NOT A_CORPUS)
    set(A_CORPUS tests/fuzz/${room}/corpus/${NAME})
  endif()
  set(corpus ${PROJECT_SOURCE_DIR}/${A_CORPUS})
  add_executable(${target} fuzz_${NAME}.c)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(${target} PRIVATE ${A_LINK} jr_warnings jr_hardening jr_sanitizers)
  if(JR_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${target} COMMAND ${target} -runs=0 ${corpus})
  else()
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    add_test(NAME ${target} COMMAND ${target} ${corpus})
  endif()
  list(JOIN A_COVERS " " covers)
  file(APPEND ${CMAKE_BINARY_DIR}/fuzz/targets "${target} ${A_CORPUS} ${covers}\n")
endfunction()
