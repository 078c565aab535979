# SPDX-License-Identifier: Apache-2.0
# Reads project.env: each NAME=VALUE becomes JR_PROJECT_NAME.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/project.env lines REGEX "^[A-Z_]+=")
foreach(line ${lines})
  string(REGEX MATCH "^([A-Z_]+)=\"?([^\"]*)\"?$" line "${line}")
  set(JR_PROJECT_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/project.env)
