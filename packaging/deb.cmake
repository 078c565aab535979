# SPDX-License-Identifier: Apache-2.0
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${DEBIAN_REVISION})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)

# deb_package(PROGRAM SUMMARY DESCRIPTION)
function(deb_package PROGRAM SUMMARY DESCRIPTION)
  string(TOUPPER ${PROGRAM} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${PROGRAM} PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${SUMMARY}\n${DESCRIPTION}" PARENT_SCOPE)
  if(PROGRAM IN_LIST SERVICES)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/deb/${PROGRAM})
    set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA "${made}/postinst;${made}/prerm;${made}/postrm;${made}/conffiles" PARENT_SCOPE)
    set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "adduser" PARENT_SCOPE)
    set(CPACK_DEBIAN_${name}_PACKAGE_RECOMMENDS "ca-certificates" PARENT_SCOPE)
  endif()
endfunction()

deb_package(jobreeve "check, default and convert Kubernetes Job manifests"
"The rules of a Kubernetes API server for Jobs and CronJobs, offline and
in a pipeline: check, default and convert, with completions for bash, zsh
and fish.")
deb_package(jobreeve-webhook "admission webhook for Kubernetes Jobs"
"Defaults Jobs and CronJobs when they are made and validates them when they
are changed, over HTTPS, for API servers. As a service for clusters whose
control plane is not made of Pods. It isn't started before it is configured.")
deb_package(jobreeve-controller "controller for Kubernetes Jobs"
"Drives Jobs to their end, in place of the built-in controller or for those
that name it. As a service for clusters whose control plane is not made of
Pods. It isn't started before it is configured.")
deb_package(jobreeve-devcluster "Kubernetes API server in memory, for trials and tests"
"A Kubernetes API server in memory with a simulated kubelet, for trying out
and testing jobreeve. A test double, never a cluster.")
