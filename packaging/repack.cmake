# SPDX-License-Identifier: Apache-2.0
# Read by cpack when the packages are made.
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/repack.sh ${CPACK_PACKAGE_FILES} COMMAND_ERROR_IS_FATAL ANY)
