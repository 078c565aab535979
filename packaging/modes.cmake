# SPDX-License-Identifier: Apache-2.0
# Read by cpack when all files of a package are in their place: folders have these modes whatever the umask of the one who packs. (The umask
# also applies to CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS.)
file(GLOB folders LIST_DIRECTORIES true "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*")
foreach(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY} ${folders})
  if(IS_DIRECTORY ${folder})
    file(CHMOD_RECURSE ${folder} DIRECTORY_PERMISSIONS
         OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
