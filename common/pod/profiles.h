/* Annotations for seccomp and AppArmor, from before there were fields. */
#ifndef JR_POD_PROFILES_H
#define JR_POD_PROFILES_H

/* Keys; those of containers go on with the container's name. */
#define JR_SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define JR_SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"
#define JR_APP_ARMOR_CONTAINER "container.apparmor.security.beta.kubernetes.io/"
/* Values. */
#define JR_PROFILE_DEFAULT "runtime/default"
#define JR_PROFILE_DOCKER "docker/default" /* seccomp only */
#define JR_PROFILE_UNCONFINED "unconfined"
#define JR_PROFILE_LOCAL "localhost/" /* and a path */

#endif
