# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each kind of package. For DEB it strips by itself, and puts what it takes off into packages of their own.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_STRIP_FILES ON)
endif()
