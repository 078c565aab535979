/* SPDX-License-Identifier: Apache-2.0 */
/* In which namespaces the webhook isn't asked, by its ValidatingWebhookConfiguration: an audit
 * marks what it finds there, and counts it too. Pure. */
#ifndef JR_AUDIT_WEBHOOK_SCOPE_H
#define JR_AUDIT_WEBHOOK_SCOPE_H

#include "common/json/doc.h"
#include "common/schema/meta.h"

/** An entry of the configuration: what it is asked about when one is made. */
struct jr_webhook_entry {
    bool jobs;
    bool cron_jobs;
    struct jr_selector namespaces; /* not set: all, or not known */
};
/** The entries that ask about Jobs or CronJobs. */
struct jr_webhook_scope {
    struct jr_arena arena;
    struct jr_doc *doc; /* selectors borrow from it */
    struct jr_webhook_entry *v;
    size_t n;
};
/** Takes the configuration over; NULL: not known, nothing is excluded. */
void jr_webhook_scope_init(struct jr_webhook_scope *s, struct jr_doc *configuration);
/** Safe on a zeroed one. */
void jr_webhook_scope_done(struct jr_webhook_scope *s);
/** Whether the webhook isn't asked about objects of that resource ("jobs", "cronjobs") in a
 * Namespace with these labels. */
bool jr_webhook_scope_excludes(const struct jr_webhook_scope *s, const char *resource,
                               const struct jr_labels *namespace_labels);

#endif
