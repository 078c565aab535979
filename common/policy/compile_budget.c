/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.budget. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/job/facts.h"

#define HOUR_S 3600
#define RESOURCES_MAX 32
#define RESOURCE_MAX 512 /* bytes of a name */
/* Devices of a DeviceClass, asked for as a resource (KEP-5004). */
#define DEVICE_CLASSES "deviceclass.resource.kubernetes.io/"

struct budget {
    struct jr_policy_compiler *c;
    struct jr_policy_rules *rules;
    const struct jr_node *node;
    const struct jr_field_path *path;
};

/** Adds a ceiling, on a resource where there is a key. */
static struct jr_ceiling *add_ceiling(struct budget *b, enum jr_ceiling_kind kind,
                                      struct jr_str key)
{
    struct jr_ceiling *at = &b->rules->budget.v[b->rules->budget.n++];
    struct jr_arena *arena = &b->c->policy->arena;
    const struct jr_field_path path = JR_FIELD(b->path, jr_ceiling_name(kind));
    const char *name = jr_ceiling_name(kind), *rule;

    at->kind = kind;
    at->resource = jr_policy_copy(b->c, key);
    rule = key.n > 0 ? jr_arena_printf(arena, "budget.%s[%.*s]", name, JR_P(key))
                     : jr_arena_printf(arena, "budget.%s", name);
    at->rule.name = jr_str(rule);
    if (rule == NULL || !jr_field_path_keep(key.n > 0 ? &JR_FIELD_KEY(&path, key) : &path, NULL,
                                            arena, &at->rule.path))
        b->c->errs->failed = JR_NOMEM;
    return at;
}

static void compile_pods(struct budget *b, enum jr_ceiling_kind kind, const char *name)
{
    struct jr_ceiling *at;
    int64_t v;

    if (jr_node_i64(jr_get(b->node, name), &v) != JR_OK)
        return;
    at = add_ceiling(b, kind, JR_S(""));
    at->v = v;
    at->text = jr_policy_copy(b->c, jr_node_number(jr_get(b->node, name)));
    if (v < 0)
        JR_POLICY_FAULT(b->c, INVALID, &JR_FIELD(b->path, name), jr_errlist_int(b->c->errs, v),
                        "must not be negative");
}

static void compile_runtime(struct budget *b)
{
    const struct jr_node *node = jr_get(b->node, "runtime");
    struct jr_ceiling *at;
    int64_t ms = 0;

    if (jr_unset(node))
        return;
    at = add_ceiling(b, JR_CEILING_RUNTIME, JR_S(""));
    at->text = jr_policy_copy(b->c, jr_node_str(node));
    if (jr_parse_duration_ms(jr_node_str(node), &ms) != JR_OK || ms < 1000)
        JR_POLICY_FAULT(b->c, INVALID, &JR_FIELD(b->path, "runtime"),
                        jr_errlist_quote(b->c->errs, jr_node_str(node)),
                        "must be a duration from a second to 2562047h, as \"24h\" or \"1h30m\"");
    at->v = ms / 1000;
}

static void compile_resource(struct budget *b, enum jr_ceiling_kind kind,
                             const struct jr_node *quantity, const struct jr_field_path *path)
{
    const struct jr_node *node = quantity;
    const struct jr_str text =
        jr_node_kind(node) == JR_NUMBER ? jr_node_number(node) : jr_node_str(node);
    struct jr_ceiling *at = add_ceiling(b, kind, jr_key(quantity));
    struct jr_quantity *q = jr_policy_read_quantity(b->c, quantity);
    const bool hours = kind == JR_CEILING_RESOURCE_HOURS;

    at->text = jr_policy_copy(b->c, text);
    at->q = q;
    if (q == NULL || jr_quantity_sign(q) < 0 || (hours && !jr_quantity_multiply(q, HOUR_S)))
        JR_POLICY_FAULT(b->c, INVALID, path, jr_errlist_quote(b->c->errs, text),
                        "must be a quantity that is not negative, as \"64\" or \"256Gi\"");
}

bool jr_policy_is_resource(struct jr_policy_compiler *c, struct jr_str name)
{
    const struct jr_str prefix = jr_str_head(name, name.n - (name.n > 0));
    JR_BUF example = { 0 };

    if (!jr_resource_is_glob(name))
        return jr_pod_may_request(name);
    if (jr_str_find(prefix, '/') < 0 && !jr_str_starts(prefix, JR_S("hugepages-")))
        return false;
    jr_buf_init(&example, RESOURCE_MAX);
    (void)jr_buf_add(&example, prefix);
    (void)jr_buf_addc(&example, 'x');
    if (example.failed == JR_NOMEM)
        c->errs->failed = JR_NOMEM;
    return example.failed == JR_OK && jr_pod_may_request(jr_buf_str(&example));
}

static int by_resource(const void *a, const void *b)
{
    const struct jr_ceiling *x = a, *y = b;

    return jr_str_cmp(x->resource, y->resource);
}

static void compile_resources(struct budget *b, enum jr_ceiling_kind kind, const char *name)
{
    const struct jr_field_path path = JR_FIELD(b->path, name);
    const size_t from = b->rules->budget.n;

    jr_policy_check_count(b->c, jr_get(b->node, name), RESOURCES_MAX, &path);
    JR_EACH_GOING(q, jr_get(b->node, name), b->c->errs) {
        if (!jr_policy_is_resource(b->c,
                                   jr_key(q))) /* no Pod can request it, and messages show it */
            JR_POLICY_FAULT(b->c, INVALID, &path, jr_errlist_quote(b->c->errs, jr_key(q)),
                            "must be a resource that a container can request: cpu, memory, "
                            "ephemeral-storage, hugepages-SIZE or DOMAIN/NAME; it may end with * "
                            "behind hugepages- or DOMAIN/");
        else
            compile_resource(b, kind, q, &JR_FIELD_KEY(&path, jr_key(q)));
    }
    qsort(b->rules->budget.v + from, b->rules->budget.n - from, sizeof(*b->rules->budget.v),
          by_resource);
}

/* ---- how it counts ---- */

/** Whether the field has the first of two values rather than the second, which is the default. */
static bool compile_choice(struct budget *b, const char *name, const char *yes, const char *no)
{
    const struct jr_node *node = jr_get(b->node, name);
    const struct jr_str s = jr_node_str(node);

    if (!jr_unset(node) && !jr_str_is(s, yes) && !jr_str_is(s, no))
        JR_POLICY_FAULT(b->c, NOT_SUPPORTED, &JR_FIELD(b->path, name),
                        jr_errlist_quote(b->c->errs, s), "supported values: \"%s\", \"%s\"", no,
                        yes);
    return jr_str_is(s, yes);
}

/* ---- what is worth saying ---- */

void jr_policy_warn_of_devices(struct jr_policy_compiler *c, const struct jr_node *names,
                               const struct jr_field_path *path)
{
    bool has_device = false, covers = false;

    JR_EACH(n, names) {
        const struct jr_str name = jr_key(n).p != NULL ? jr_key(n) : jr_node_str(n);

        has_device |= jr_resource_is_device(name);
        covers |= jr_glob_matches(name, JR_S(DEVICE_CLASSES));
    }
    if (has_device && !covers)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_DEVICE_NAMES, path,
                        "a Pod may ask for the same devices as " DEVICE_CLASSES
                        "CLASS (Kubernetes 1.36), which nothing here covers: \"" DEVICE_CLASSES
                        "*\" does");
}

static void warn(const struct budget *b)
{
    static const char *const maps[] = { "requestsAtOnce", "resourceHours" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(maps); i++)
        jr_policy_warn_of_devices(b->c, jr_get(b->node, maps[i]), &JR_FIELD(b->path, maps[i]));
    if (!jr_unset(jr_get(b->node, "runtime")) &&
        jr_policy_limit_of(b->rules, JR_LIMITED_POD_DEADLINE) == NULL)
        jr_warnings_add(b->c->warnings, JR_WARNING_POLICY_ORPHANS, &JR_FIELD(b->path, "runtime"),
                        "Pods whose Job was deleted without them run on: a limit on "
                        "template.activeDeadlineSeconds holds them");
}

/* ---- the whole ---- */

void jr_policy_compile_budget(struct jr_policy_compiler *c, const struct jr_node *budget,
                              const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct budget b = { c, ret, budget, path };
    const size_t most =
        3 + jr_size(jr_get(budget, "requestsAtOnce")) + jr_size(jr_get(budget, "resourceHours"));
    const size_t faults = c->errs->n;

    if (jr_unset(budget))
        return;
    ret->budget.v = jr_policy_calloc(c, most, sizeof(*ret->budget.v));
    if (ret->budget.v == NULL)
        return;
    if (!jr_unset(jr_get(budget, "assumeSuspensions")))
        JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(path, "assumeSuspensions"), JR_NO_VALUE,
                        "has gone: a budget is about one run; changes: Refused keeps a Job from "
                        "being stopped and run again");
    compile_pods(&b, JR_CEILING_PODS_AT_ONCE, "podsAtOnce");
    compile_pods(&b, JR_CEILING_PODS_EVER, "podsEver");
    compile_runtime(&b);
    compile_resources(&b, JR_CEILING_REQUESTS_AT_ONCE, "requestsAtOnce");
    compile_resources(&b, JR_CEILING_RESOURCE_HOURS, "resourceHours");
    ret->disruptions_aside = compile_choice(&b, "disruptions", "Ignored", "Counted");
    ret->refuses_changes = compile_choice(&b, "changes", "Refused", "Allowed");
    if (ret->budget.n == 0 && !ret->refuses_changes && !c->excepting && c->errs->n == faults)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "needs podsAtOnce, podsEver, runtime, requestsAtOnce, resourceHours or "
                        "changes: Refused");
    if (!c->excepting)
        warn(&b);
}
