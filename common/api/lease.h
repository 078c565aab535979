/* coordination.k8s.io/v1 Lease. */
#ifndef JR_API_LEASE_H
#define JR_API_LEASE_H

#include "common/api/meta.h"

struct jr_lease {
    struct jr_meta meta;
    struct jr_str holder_identity;
    struct jr_opt_i32 lease_duration_s;
    struct jr_time acquire_time; /* MicroTime */
    struct jr_time renew_time;   /* MicroTime */
    struct jr_opt_i32 lease_transitions;
};
/** Strings are copied into the arena. */
enum jr_status jr_lease_decode(struct jr_str text, struct jr_arena *arena, struct jr_lease *ret,
                               struct jr_error *err) JR_MUST_USE;
/** Appends the object with name, namespace, resourceVersion (if any) and spec; unknown members are
 * not ours to keep: a Lease is wholly the elector's. */
enum jr_status jr_lease_write(const struct jr_lease *l, struct jr_buf *out) JR_MUST_USE;

#endif
