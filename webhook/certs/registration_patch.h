/* SPDX-License-Identifier: Apache-2.0 */
/* What the keeper changes of a Mutating- or ValidatingWebhookConfiguration, as JSON Patches. Pure.
 *
 * Each patch begins with the resourceVersion of the configuration that was read, so that a write of
 * somebody else's in between is answered 409, and a 422 is always a fault that has to be told. A
 * patch of nothing is empty text. */
#ifndef JR_WEBHOOK_CERTS_REGISTRATION_PATCH_H
#define JR_WEBHOOK_CERTS_REGISTRATION_PATCH_H

#include "common/json/doc.h"

/** The annotation by which a configuration wants the failurePolicy Ignore of its webhooks for Jobs
 * and CronJobs raised to Fail, once a replica answers: its one value is Fail. */
#define JR_FAILURE_POLICY_ANNOTATION "jobreeve.dev/failure-policy"
/** As whom the keeper raises it: in managedFields, where it gives the field back at once. */
#define JR_FAILURE_POLICY_MANAGER "jobreeve-failure-policy"

/** Gives every webhook this bundle in its clientConfig. */
void jr_patch_bundle(const struct jr_node *configuration, struct jr_str bundle, struct jr_buf *out);
/** Makes the Namespace one of its owners, so that it goes when that one does; an owner of that name
 * with another uid, which is one that is gone, is replaced. */
void jr_patch_owner(const struct jr_node *configuration, struct jr_str namespace, struct jr_str uid,
                    struct jr_buf *out);
/** Whether the configuration wants a failurePolicy raised that isn't yet. */
bool jr_policy_is_low(const struct jr_node *configuration);
/** Raises Ignore to Fail; whether it should be is jr_policy_is_low's to say. */
void jr_patch_policy(const struct jr_node *configuration, struct jr_buf *out);
/** Takes the entry of JR_FAILURE_POLICY_MANAGER out of managedFields: the value stays, and who
 * applies the configuration anew (helm, kubectl apply --server-side) meets no conflict. */
void jr_patch_manager(const struct jr_node *configuration, struct jr_buf *out);
/** Adds the CAs of all webhooks' caBundles to *bundle (from malloc; NULL: empty), each once. */
void jr_configuration_trusts(const struct jr_node *configuration, char **bundle);

#endif
