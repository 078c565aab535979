/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of Namespaces, as policies select by them: written by one thread, read by those that
 * answer requests. */
#ifndef JR_POLICY_WATCH_NAMESPACES_H
#define JR_POLICY_WATCH_NAMESPACES_H

#include "common/schema/meta.h"

/** A Namespace. Immutable, counted. */
struct jr_namespace {
    struct jr_str name;
    struct jr_labels labels;
    _Atomic unsigned refs;
};

struct jr_namespaces;
/** An empty table. */
struct jr_namespaces *jr_namespaces_new(void);
/** Namespaces that are held live on. NULL-safe. */
void jr_namespaces_free(struct jr_namespaces *t);

/* Of the one thread that writes. */

void jr_namespaces_put(struct jr_namespaces *t, struct jr_str name, const struct jr_labels *labels);
void jr_namespaces_remove(struct jr_namespaces *t, struct jr_str name);
/** A list begins; at its end what was not put since is removed. */
void jr_namespaces_begin(struct jr_namespaces *t);
void jr_namespaces_sweep(struct jr_namespaces *t);

/* Of any thread. */

/** The caller's reference; NULL: it isn't known. */
struct jr_namespace *jr_namespaces_get(struct jr_namespaces *t, struct jr_str name);
/** NULL-safe. */
void jr_namespace_unref(struct jr_namespace *n);
static inline void jr_namespace_unrefp(struct jr_namespace **n)
{
    jr_namespace_unref(*n);
}

#endif
