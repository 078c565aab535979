/* SPDX-License-Identifier: Apache-2.0 */
/* The newest patch of each minor version of Kubernetes that is known: "1.36" means 1.36.3. Shell
 * scripts read this file, too (tests/support/releases.sh). */
#ifndef JR_SCHEMA_RELEASES_H
#define JR_SCHEMA_RELEASES_H

#define JR_KUBE_RELEASES(X) \
    X(31, 14)               \
    X(32, 13)               \
    X(33, 13)               \
    X(34, 4)                \
    X(35, 4)                \
    X(36, 3)                \
    X(37, 2)                \
    X(38, 0)

/** What the version behind JR_KUBE_RELEASED is known by: a preview. */
#define JR_KUBE_PRERELEASE "v1.38.0-beta.0"

#endif
