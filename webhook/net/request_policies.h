/* SPDX-License-Identifier: Apache-2.0 */
/* The policies that a request is evaluated by: held for as long as it lasts, whatever takes their
 * place meanwhile. */
#ifndef JR_WEBHOOK_NET_REQUEST_POLICIES_H
#define JR_WEBHOOK_NET_REQUEST_POLICIES_H

#include "common/policy/watch/namespaces.h"
#include "common/policy/watch/store.h"
#include "webhook/review/review.h"

/** Where policies come from; all borrowed, NULL: there are none. */
struct jr_policy_sources {
    struct jr_policy_store *store;
    struct jr_namespaces *namespaces;
    struct jr_namespace_lookups *lookups;
};

/** Zeroed there are none. */
struct jr_request_policies {
    struct jr_policy_snapshot *snapshot;
    struct jr_namespace *namespace; /* NULL: not known */
    struct jr_review_policies review;
};

/** Takes what is in force now. */
void jr_request_policies_begin(struct jr_request_policies *p, const struct jr_policy_sources *from);
/** For a request about that Namespace. False: a policy needs its labels, and they aren't known. */
bool jr_request_policies_find(struct jr_request_policies *p, const struct jr_policy_sources *from,
                              struct jr_str namespace) JR_MUST_USE;
void jr_request_policies_done(struct jr_request_policies *p);

/** For jr_review_cost and the settings; NULL: there are none. */
const struct jr_review_policies *jr_request_policies_review(const struct jr_request_policies *p);

#endif
