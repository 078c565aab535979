# SPDX-License-Identifier: Apache-2.0
# jr_library(NAME SOURCES a.c b.c [LINK jr::base PkgConfig::X])
#   static library jr_NAME, alias jr::NAME; includes are written from the root of the repository.
function(jr_library NAME)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_library(jr_${NAME} STATIC ${A_SOURCES})
  add_library(jr::${NAME} ALIAS jr_${NAME})
  target_include_directories(jr_${NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(jr_${NAME} PUBLIC _GNU_SOURCE JR_VERSION="${PROJECT_VERSION}")
  target_link_libraries(jr_${NAME} PUBLIC ${A_LINK} jr_sanitizers PRIVATE jr_warnings jr_hardening jr_reproducible)
endfunction()

# jr_program(NAME SOURCES main.c LINK jr::webhook): an installed program, and a package of that name.
function(jr_program NAME)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${A_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${A_LINK} jr_warnings jr_hardening jr_sanitizers jr_reproducible)
  install(TARGETS ${NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${NAME})
endfunction()

# jr_tool(NAME ...): as a program, not installed: for tests and for people offline.
function(jr_tool NAME)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${A_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${A_LINK} jr_warnings jr_hardening jr_sanitizers jr_reproducible)
endfunction()

# jr_test(NAME SOURCES ... LINK ...): a cmocka program, run by ctest from the root of the repository.
function(jr_test NAME)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${A_SOURCES})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${NAME} PRIVATE ${A_LINK} PkgConfig::CMOCKA jr_warnings jr_hardening jr_sanitizers)
  add_test(NAME ${NAME} COMMAND ${NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
