/* Security profiles of Pods and containers: seccomp, AppArmor, Windows. Paths are the caller's;
 * all add to errs. */
#ifndef JR_POD_PROFILES_H
#define JR_POD_PROFILES_H

#include "common/rules/check.h"

/* Annotations for seccomp and AppArmor, from before there were fields. */
#define JR_SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define JR_SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"
#define JR_APP_ARMOR_CONTAINER "container.apparmor.security.beta.kubernetes.io/"
#define JR_PROFILE_DEFAULT "runtime/default"
#define JR_PROFILE_UNCONFINED "unconfined"
#define JR_PROFILE_LOCAL "localhost/"
#define JR_SECCOMP_DOCKER "docker/default"

/** seccompProfile; profile may be NULL. */
void jr_pod_check_seccomp(const struct jr_node *profile, const struct jr_field_path *path,
                          struct jr_errlist *errs);
void jr_pod_check_seccomp_annotation(struct jr_str value, const struct jr_field_path *path,
                                     struct jr_errlist *errs);
/** appArmorProfile; profile may be NULL. */
void jr_pod_check_app_armor(const struct jr_node *profile, const struct jr_field_path *path,
                            struct jr_errlist *errs);
void jr_pod_check_app_armor_annotation(struct jr_str value, const struct jr_field_path *path,
                                       struct jr_errlist *errs);
/** windowsOptions; options may be NULL. */
void jr_pod_check_windows_options(const struct jr_node *options, const struct jr_field_path *path,
                                  struct jr_errlist *errs);

#endif
