/* SPDX-License-Identifier: Apache-2.0 */
/* What a Pod asks for of each resource, as the scheduler counts it. */
#ifndef JR_POD_REQUESTS_H
#define JR_POD_REQUESTS_H

#include "common/base/arena.h"
#include "common/json/members.h"
#include "common/schema/meta.h"
#include "common/schema/quantity.h"

enum jr_pod_role { JR_POD_MAIN, JR_POD_SIDECAR, JR_POD_INIT };

/** A container's request or limit of one resource. */
struct jr_pod_amount {
    struct jr_str name; /* of the resource; borrowed from the tree */
    const struct jr_node *quantity;
    enum jr_pod_role role;
    size_t order; /* of containers, then of initContainers */
};
/** Those of all containers, by resource, each in the order of containers. */
struct jr_pod_amounts {
    const struct jr_pod_amount *v;
    size_t n;
};

/** Gathers them from a PodSpec, which must stay. side: "requests" or "limits"; fill: a request that
 * is absent is the limit, as in a Pod (a template isn't defaulted so). Errors: JR_NOMEM. */
enum jr_status jr_pod_amounts_gather(const struct jr_node *spec, const char *side, bool fill,
                                     struct jr_arena *a, struct jr_pod_amounts *ret) JR_MUST_USE;
/** Those of one resource; n = 0: no container has any. */
struct jr_pod_amounts jr_pod_amounts_of(const struct jr_pod_amounts *all, struct jr_str name);
/** The most that the containers need of it at any time: the main ones and sidecars together, or an
 * init container beside the sidecars before it. False: a text that is no quantity, or more digits
 * than we hold. */
bool jr_pod_amounts_sum(const struct jr_pod_amounts *of, struct jr_quantity *ret) JR_MUST_USE;

/** Whether a container may request a resource of that name. */
bool jr_pod_may_request(struct jr_str name);

/** A Pod's effective requests. */
struct jr_pod_requests {
    const struct jr_node *spec;
    struct jr_pod_amounts containers;
    struct jr_members requests, limits, overhead; /* the Pod's own; tenants write thousands */
};

/** spec: a PodSpec, also a template's; it must stay. Errors: JR_NOMEM. */
enum jr_status jr_pod_requests_init(struct jr_pod_requests *r, const struct jr_node *spec,
                                    struct jr_arena *a) JR_MUST_USE;
/** What the Pod asks for of one resource: the Pod's own request comes before its containers'
 * (KEP-2837), overhead is added. Zero if it asks for none. False as above. */
bool jr_pod_requests_get(const struct jr_pod_requests *r, struct jr_str name,
                         struct jr_quantity *ret) JR_MUST_USE;
/** The names of all resources that it asks for, sorted. Errors: JR_NOMEM. */
enum jr_status jr_pod_requests_names(const struct jr_pod_requests *r, struct jr_arena *a,
                                     struct jr_strs *ret) JR_MUST_USE;

#endif
