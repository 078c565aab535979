/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of Kubernetes that requests are answered by: written by the loop's thread, read by
 * those that answer. */
#ifndef JR_WEBHOOK_NET_VERSION_IN_FORCE_H
#define JR_WEBHOOK_NET_VERSION_IN_FORCE_H

#include "common/schema/profiles.h"

struct jr_versions;
/** profiles is copied. */
struct jr_versions *jr_versions_new(const struct jr_profiles *profiles);
/** NULL-safe. */
void jr_versions_free(struct jr_versions *v);
/** Requests that begin from now on go by these; of any thread, as the next one. */
void jr_versions_put(struct jr_versions *v, const struct jr_profiles *profiles);
/** Copies those that are in force. */
void jr_versions_get(struct jr_versions *v, struct jr_profiles *ret);

#endif
