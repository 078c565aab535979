#include "controller/policy/exclusion.h"

#include "common/base/memory.h"
#include "common/rules/selector.h"
#include "common/schema/decode_tree.h"

static bool has_text(const struct jr_node *list, const char *text)
{
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n)) {
        if (jr_str_is(jr_node_str(n), text) || jr_str_is(jr_node_str(n), "*"))
            return true;
    }
    return false;
}

/** Whether a webhook is called for this resource of batch when one is made. */
static bool is_called(const struct jr_node *webhook, const char *resource)
{
    const struct jr_node *rules = jr_get(webhook, "rules");

    for (const struct jr_node *r = jr_first(rules); r != NULL; r = jr_next(r)) {
        if (has_text(jr_get(r, "apiGroups"), "batch") &&
            has_text(jr_get(r, "resources"), resource) &&
            has_text(jr_get(r, "operations"), "CREATE"))
            return true;
    }
    return false;
}

static void read_selector(struct jr_webhook_scope *s, const char *resource, struct jr_selector *ret)
{
    const struct jr_node *webhooks = jr_get(jr_doc_root_const(s->doc), "webhooks");

    for (const struct jr_node *w = jr_first(webhooks); w != NULL; w = jr_next(w)) {
        const struct jr_node *selector = jr_get(w, "namespaceSelector");
        struct jr_type_error wrong = { .why = NULL };

        if (!is_called(w, resource))
            continue;
        if (!jr_unset(selector))
            jr_must(jr_schema_decode_tree(&jr_schema_label_selector, selector, 0, &s->arena, ret,
                                          &wrong));
        ret->set = !jr_unset(selector) && wrong.why == NULL;
        return;
    }
}

void jr_webhook_scope_init(struct jr_webhook_scope *s, struct jr_doc *configuration)
{
    *s = (struct jr_webhook_scope){ .doc = configuration };
    jr_arena_init(&s->arena, 0);
    if (configuration == NULL)
        return;
    read_selector(s, "jobs", &s->jobs);
    read_selector(s, "cronjobs", &s->cron_jobs);
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
    const struct jr_selector *selector = strcmp(resource, "jobs") == 0 ? &s->jobs : &s->cron_jobs;

    return selector->set && !jr_selector_matches(selector, namespace_labels);
}
