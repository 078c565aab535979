/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces that the watch hasn't told of yet, read one by one. */
#ifndef JR_POLICY_WATCH_LOOKUP_H
#define JR_POLICY_WATCH_LOOKUP_H

#include "common/base/log.h"
#include "common/kube/transport.h"
#include "common/policy/watch/namespaces.h"

struct jr_namespace_lookups;
/** env is copied, table borrowed; log may be NULL. */
struct jr_namespace_lookups *
jr_namespace_lookups_new(const struct jr_env *env, struct jr_namespaces *table, struct jr_log *log);
/** Reads the Namespace, and puts it into the table if it is there and not known meanwhile. Then, or
 * when that failed, calls done(ctx), from the loop. False: too many are being read, done is not
 * called. */
bool jr_namespace_lookup(struct jr_namespace_lookups *l, struct jr_str name,
                         void (*done)(void *ctx), void *ctx) JR_MUST_USE;
/** Those that are waited for are not called. NULL-safe. */
void jr_namespace_lookups_free(struct jr_namespace_lookups *l);

/** Puts a Namespace's text, as an API server sends it, into the table. Errors: JR_SYNTAX and others
 * where it can't be read. */
enum jr_status jr_namespaces_read(struct jr_namespaces *t, struct jr_str object,
                                  struct jr_error *err) JR_MUST_USE;

#endif
