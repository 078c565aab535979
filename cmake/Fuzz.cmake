# jr_fuzz(NAME SOURCES fuzz_a.c LINK jr::json CORPUS dir)
#   SOURCES define LLVMFuzzerTestOneInput. With JR_FUZZ (clang): a libFuzzer program. Without: a program that replays
#   the corpus. Either way ctest runs all of the corpus, as NAME.
include_guard(GLOBAL)

if(JR_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "JR_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
  endif()
  # Everything that is fuzzed must count its branches.
  target_compile_options(jr_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(jr_fuzz NAME)
  cmake_parse_arguments(A "" "CORPUS" "SOURCES;LINK" ${ARGN})
  cmake_path(ABSOLUTE_PATH A_CORPUS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_executable(${NAME} ${A_SOURCES})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(${NAME} PRIVATE ${A_LINK} jr_warnings jr_hardening jr_sanitizers)
  if(JR_FUZZ)
    target_link_options(${NAME} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${NAME} COMMAND ${NAME} -runs=0 ${A_CORPUS})
  else()
    target_sources(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c)
    target_compile_definitions(${NAME} PRIVATE _GNU_SOURCE)
    add_test(NAME ${NAME} COMMAND ${NAME} ${A_CORPUS})
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT 300)
endfunction()
