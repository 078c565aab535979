/* SPDX-License-Identifier: Apache-2.0 */
/* coordination.k8s.io/v1 Lease as a struct. */
#ifndef JR_SCHEMA_LEASE_H
#define JR_SCHEMA_LEASE_H

#include "common/schema/meta.h"

struct jr_lease {
    struct jr_meta meta;
    struct jr_str holder_identity;
    struct jr_opt_i32 lease_duration_s;
    struct jr_time acquire_time; /* MicroTime */
    struct jr_time renew_time;   /* MicroTime */
    struct jr_opt_i32 lease_transitions;
};

#endif
