/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rules and selectors of a ValidatingWebhookConfiguration. */
#include "common/audit/webhook_scope.h"

#include "common/base/memory.h"
#include "common/rules/selector.h"
#include "common/schema/decode_tree.h"

static bool has_text(const struct jr_node *list, const char *text)
{
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n)) {
        if (jr_str_is(jr_node_str(n), text))
            return true;
    }
    return false;
}

static bool has(const struct jr_node *rule, const char *key, const char *text)
{
    const struct jr_node *list = jr_get(rule, key);

    return has_text(list, text) || has_text(list, "*");
}

/** with_all: it with all of its subresources. */
static bool has_resource(const struct jr_node *rule, const char *resource, const char *with_all)
{
    return has(rule, "resources", resource) || has_text(jr_get(rule, "resources"), with_all) ||
           has_text(jr_get(rule, "resources"), "*/*");
}

/** What is asked when one is made. */
static void read_rules(const struct jr_node *webhook, struct jr_webhook_entry *ret)
{
    const struct jr_node *rules = jr_get(webhook, "rules");

    for (const struct jr_node *r = jr_first(rules); r != NULL; r = jr_next(r)) {
        if (!has(r, "apiGroups", "batch") || !has(r, "operations", "CREATE"))
            continue;
        ret->jobs |= has_resource(r, "jobs", "jobs/*");
        ret->cron_jobs |= has_resource(r, "cronjobs", "cronjobs/*");
    }
}

static void read_webhook(struct jr_webhook_scope *s, const struct jr_node *webhook)
{
    const struct jr_node *selector = jr_get(webhook, "namespaceSelector");
    struct jr_webhook_entry *entry = &s->v[s->n];
    struct jr_type_error wrong = { .why = NULL };

    read_rules(webhook, entry);
    if (!entry->jobs && !entry->cron_jobs)
        return;
    if (!jr_unset(selector))
        jr_must(jr_schema_decode_tree(&jr_schema_label_selector, selector, 0, &s->arena,
                                      &entry->namespaces, &wrong));
    entry->namespaces.set = !jr_unset(selector) && wrong.why == NULL;
    s->n++;
}

void jr_webhook_scope_init(struct jr_webhook_scope *s, struct jr_doc *configuration)
{
    const struct jr_node *webhooks;

    *s = (struct jr_webhook_scope){ .doc = configuration };
    jr_arena_init(&s->arena, 0);
    if (configuration == NULL)
        return;
    webhooks = jr_get(jr_doc_root_const(configuration), "webhooks");
    s->v = jr_xarena_calloc(&s->arena, jr_size(webhooks) + 1, sizeof(*s->v));
    for (const struct jr_node *w = jr_first(webhooks); w != NULL; w = jr_next(w))
        read_webhook(s, w);
}

void jr_webhook_scope_done(struct jr_webhook_scope *s)
{
    jr_doc_free(s->doc);
    s->doc = NULL;
    jr_arena_done(&s->arena);
}

bool jr_webhook_scope_excludes(const struct jr_webhook_scope *s, const char *resource,
                               const struct jr_labels *namespace_labels)
{
    const bool jobs = strcmp(resource, "jobs") == 0;
    bool known = false;

    for (size_t i = 0; i < s->n; i++) {
        const struct jr_webhook_entry *e = &s->v[i];

        if (!(jobs ? e->jobs : e->cron_jobs))
            continue;
        if (!e->namespaces.set || jr_selector_matches(&e->namespaces, namespace_labels))
            return false;
        known = true;
    }
    return known;
}
