/* SPDX-License-Identifier: Apache-2.0 */
/* What client-go's REST client adds to a transport: each request counted and timed under its
 * metrics' names, and, where that is asked for, no more than so many of them a second. */
#ifndef JR_KUBE_REST_H
#define JR_KUBE_REST_H

#include "common/base/metrics.h"
#include "common/kube/transport.h"

struct jr_rest_options {
    struct jr_str host; /* the metrics' label: host:port of the server; copied */
    double qps;         /* requests a second, fractions too; 0 or less: no limit */
    int64_t burst;      /* so many at once; 0: as many as a second's, at least one */
};

struct jr_rest;
/** below must outlive it; metrics may be NULL. Requests with own_connection, the Lease's and
 * watches, are never held back: who leads must not wait behind its own work. */
struct jr_rest *jr_rest_new(struct jr_loop *loop, const struct jr_transport *below,
                            const struct jr_rest_options *options, struct jr_metrics *metrics);
/** Cancels what is under way. */
void jr_rest_free(struct jr_rest *r);
struct jr_transport jr_rest_transport(struct jr_rest *r);

/** HOST:PORT of a server's URL, for the label: what stands between the scheme and the path. */
struct jr_str jr_rest_host(struct jr_str server);

#endif
