/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the snapshot of policies and the Namespace for one request, and gives them back. */
#include "webhook/net/request_policies.h"

void jr_request_policies_begin(struct jr_request_policies *p, const struct jr_policy_sources *from)
{
    *p = (struct jr_request_policies){ .snapshot = NULL };
    if (from->store == NULL)
        return;
    p->snapshot = jr_policy_store_get(from->store);
    p->review.set = &p->snapshot->set;
    p->review.findings_cost = p->snapshot->findings_cost;
}

bool jr_request_policies_find(struct jr_request_policies *p, const struct jr_policy_sources *from,
                              struct jr_str namespace)
{
    if (p->snapshot == NULL || !p->snapshot->selects_namespaces)
        return true;
    if (from->namespaces != NULL)
        p->namespace = jr_namespaces_get(from->namespaces, namespace);
    if (p->namespace == NULL)
        return false;
    p->review.namespace_labels = &p->namespace->labels;
    return true;
}

void jr_request_policies_done(struct jr_request_policies *p)
{
    jr_policy_snapshot_unref(p->snapshot);
    jr_namespace_unref(p->namespace);
}

const struct jr_review_policies *jr_request_policies_review(const struct jr_request_policies *p)
{
    return p->snapshot == NULL ? NULL : &p->review;
}
