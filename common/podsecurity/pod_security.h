/* SPDX-License-Identifier: Apache-2.0 */
/* Pod Security Standards on a Pod template, as Pod Security admission checks a Pod. Pure. Source:
 * k8s.io/pod-security-admission/policy of 1.37, which knows all earlier versions of its checks. */
#ifndef JR_PODSECURITY_POD_SECURITY_H
#define JR_PODSECURITY_POD_SECURITY_H

#include <limits.h>

#include "common/base/arena.h"
#include "common/json/doc.h"
#include "common/schema/meta.h"

enum jr_pod_security_level { JR_POD_PRIVILEGED, JR_POD_BASELINE, JR_POD_RESTRICTED };

/* The newest version whose checks are known: 1.37. "latest" is this one. */
#define JR_POD_SECURITY_NEWEST 37u
/* The version "latest"; a newer one than is known counts as the newest. */
#define JR_POD_SECURITY_LATEST UINT_MAX

struct jr_pod_security {
    enum jr_pod_security_level level;
    unsigned minor; /* of Kubernetes 1.minor, or JR_POD_SECURITY_LATEST */
};

/** Reads "privileged", "baseline" or "restricted". */
bool jr_pod_security_level_read(struct jr_str text, enum jr_pod_security_level *ret);
/** Reads "v1.36" or "latest". */
bool jr_pod_security_version_read(struct jr_str text, unsigned *ret);
/** Returns what a namespace's labels say is enforced on its Pods. A label that can't be read counts
 * as "restricted" or "latest", no label as "privileged" and "latest", as in PolicyToEvaluate. */
struct jr_pod_security jr_pod_security_of_namespace(const struct jr_labels *labels);
/** Appends "restricted:v1.36". */
void jr_pod_security_write(const struct jr_pod_security *s, struct jr_buf *out);

/** A check that the Pods of a template don't meet, in the words of Pod Security admission. All
 * of it is in an arena. */
struct jr_pod_security_fault {
    const char *check;      /* its id: "hostNamespaces" */
    struct jr_str reason;   /* host namespaces */
    struct jr_str detail;   /* hostNetwork=true */
    const uint64_t *places; /* hashes of what is at fault where, sorted; NULL: they are too many */
    size_t n;
};
/** Whether the other, of the same check, has all that is at fault, at the same containers, volumes
 * or the Pod. */
bool jr_pod_security_is_part_of(const struct jr_pod_security_fault *f,
                                const struct jr_pod_security_fault *other);
/** Number of the checks. */
#define JR_POD_SECURITY_FAULTS 20
/** Bytes of a detail; a longer one is cut. */
#define JR_POD_SECURITY_DETAIL_MAX 2048
/** Places of a fault that are compared. */
#define JR_POD_SECURITY_PLACES_MAX 4096
struct jr_pod_security_faults {
    struct jr_pod_security_fault v[JR_POD_SECURITY_FAULTS];
    size_t n;
};

/** Checks a template: its metadata and its PodSpec. Faults are in the order of Pod Security
 * admission. Errors: JR_NOMEM. */
enum jr_status jr_pod_security_check(const struct jr_pod_security *s,
                                     const struct jr_node *template, struct jr_arena *arena,
                                     struct jr_pod_security_faults *ret) JR_MUST_USE;

#endif
