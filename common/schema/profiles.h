/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of all API servers that may decide about an object. */
#ifndef JR_SCHEMA_PROFILES_H
#define JR_SCHEMA_PROFILES_H

#include "common/schema/kube_server.h"
#include "common/schema/profile.h"

/** At least one. Plain data: may be copied. */
struct jr_profiles {
    struct jr_profile v[JR_KUBE_RANGE_MAX]; /* lowest version first */
    size_t n;
    struct jr_profile common; /* the lowest version, with the gates that are on in all of them */
};

/** Of one profile. */
struct jr_profiles jr_profiles_of(const struct jr_profile *p);
/** Of one version that was asked for. Errors: as jr_profile_set_gates. */
enum jr_status jr_profiles_of_version(struct jr_kube_version version,
                                      const struct jr_flag_list *gates, const char *flag,
                                      struct jr_profiles *ret, struct jr_error *err) JR_MUST_USE;
/** Of the servers that were seen, with the gates that they say are on; of a range without any,
 * those of all known versions. gates, which count more, and passed_over: as
 * jr_profile_set_known_gates.
 */
void jr_profiles_of_range(const struct jr_kube_range *range, const struct jr_flag_list *gates,
                          struct jr_profiles *ret, struct jr_buf *passed_over);

/** The flags of the programs that look at API servers. */
#define JR_VERSION_FLAG "kubernetes-version"
#define JR_VERSION_AUTO "auto"
#define JR_GATES_FLAG "feature-gates"
/** What they say. JR_VERSION_AUTO: *ret_auto, and until the servers are known the profiles of all
 * known versions. Error: JR_USAGE; err->path names the flag. */
enum jr_status jr_profiles_of_flags(const char *version, const struct jr_flag_list *gates,
                                    struct jr_profiles *ret, bool *ret_auto,
                                    struct jr_error *err) JR_MUST_USE;

#endif
