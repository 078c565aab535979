/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Kubernetes that are asked at once: which of them say something, and in which words
 * that is told. Pure. */
#ifndef JR_CLI_VERSION_LIST_H
#define JR_CLI_VERSION_LIST_H

#include "common/base/buf.h"
#include "common/schema/profile.h"

#define JR_VERSIONS_MAX 16

/** The oldest first, each once. Some of them are said by an unsigned with a bit for each. */
struct jr_versions {
    struct jr_kube_version v[JR_VERSIONS_MAX];
    size_t n;
};
/** The same with what they have on. */
struct jr_cli_profiles {
    struct jr_profile v[JR_VERSIONS_MAX];
    size_t n;
};

struct jr_cli_profiles jr_cli_profiles_of_one(struct jr_profile profile);
/** The newest version that is known, with its default gates. */
struct jr_profile jr_profile_newest(void);
struct jr_versions jr_versions_of(const struct jr_cli_profiles *profiles);
/** The bits of all. */
unsigned jr_versions_all(const struct jr_versions *versions);

/** Appends "1.36", or "1.36.0" if that is not its newest patch. Failures stick to the buffer. */
void jr_version_write(struct jr_kube_version v, struct jr_buf *out);
/** Appends some of the versions: "1.32, 1.34 to 1.37". */
void jr_versions_write(const struct jr_versions *versions, unsigned which, struct jr_buf *out);

#endif
