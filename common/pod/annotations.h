/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of Pods that have a meaning to the API server, most from before there were fields. */
#ifndef JR_POD_ANNOTATIONS_H
#define JR_POD_ANNOTATIONS_H

#include "common/json/doc.h"

#define JR_MIRROR_ANNOTATION "kubernetes.io/config.mirror"
#define JR_TOLERATIONS_ANNOTATION "scheduler.alpha.kubernetes.io/tolerations"
#define JR_DELETION_COST_ANNOTATION "controller.kubernetes.io/pod-deletion-cost"
/* Security profiles; the keys of containers go on with the container's name. */
#define JR_SECCOMP_ANNOTATION "seccomp.security.alpha.kubernetes.io/pod"
#define JR_SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"
#define JR_APP_ARMOR_CONTAINER "container.apparmor.security.beta.kubernetes.io/"
/* Their values. */
#define JR_PROFILE_DEFAULT "runtime/default"
#define JR_PROFILE_DOCKER "docker/default" /* seccomp only */
#define JR_PROFILE_UNCONFINED "unconfined"
#define JR_PROFILE_LOCAL "localhost/" /* and a path */

/** Whether the annotation is absent, or what the controller can read. */
bool jr_pod_deletion_cost_ok(const struct jr_node *annotations);

#endif
