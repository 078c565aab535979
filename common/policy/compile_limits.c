/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.limits: each of its names is a path with a constraint. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/job/controller_name.h"

#define KEYS_MAX 32
#define PATHS_MAX 64
#define PATH_MAX_BYTES 512
#define CRON_JOB_PREFIX "cronJob." /* of paths in a CronJob's spec */

const struct jr_limit *jr_policy_limit_of(const struct jr_policy_rules *rules,
                                          enum jr_limited_field field)
{
    for (size_t i = 0; i < rules->limits.n; i++) {
        if (rules->limits.v[i]->field == field)
            return rules->limits.v[i];
    }
    return NULL;
}

/* ---- what a field itself may be ---- */

void jr_policy_check_int(struct jr_policy_compiler *c, enum jr_limited_field field, int64_t v,
                         const struct jr_field_path *path)
{
    const struct jr_limited_field_info *info = &jr_limited_fields[field];

    if (v < info->least || v > info->most)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_int(c->errs, v),
                        "must be between %lld and %lld, as the field itself",
                        (long long)info->least, (long long)info->most);
}

void jr_policy_check_text(struct jr_policy_compiler *c, enum jr_limited_field field,
                          struct jr_str s, const struct jr_field_path *path)
{
    /* No Job can have another one, and messages show all that are allowed. */
    if (field == JR_LIMITED_POD_PRIORITY_CLASS && jr_name_subdomain(s).n > 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be the name of a priority class");
    else if (field == JR_LIMITED_MANAGED_BY && !jr_controller_name_is_valid(s))
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be a domain and a path of at most %d bytes, as \"example.com/jobs\"",
                        JR_CONTROLLER_NAME_MAX);

    jr_policy_check_word(c, jr_limited_fields[field].go_type, s, false, path);
}

/* ---- the rules ---- */

/** Appends a copy of a limit. NULL: no memory. */
static struct jr_limit *append(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                               const struct jr_limit *like)
{
    struct jr_limit *l = jr_policy_calloc(c, 1, sizeof(*l));
    const struct jr_limit **v;

    if (l == NULL)
        return NULL;
    v = jr_arena_room(&c->policy->arena, ret->limits.v, ret->limits.n, &ret->limits.cap,
                      sizeof(const struct jr_limit *));
    if (v == NULL) {
        c->errs->failed = JR_NOMEM;
        return NULL;
    }
    *l = *like;
    ret->limits.v = v;
    ret->limits.v[ret->limits.n++] = l;
    return l;
}

static bool set_path(struct jr_policy_compiler *c, struct jr_limit *l, enum jr_limit_root root,
                     const char *path)
{
    const char *why = NULL;

    if (path != NULL &&
        jr_limit_path_parse(root, jr_str(path), &c->policy->arena, &l->of, &why) == JR_OK)
        return true;
    c->errs->failed = JR_NOMEM;
    return false;
}

/** Adds a limit that has no path yet. */
static struct jr_limit *add_limit(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                                  const char *name, const struct jr_field_path *path)
{
    struct jr_limit l = { .rule.name = jr_str(name), .field = JR_LIMITED_FIELDS };

    if (name == NULL || !jr_field_path_keep(path, NULL, &c->policy->arena, &l.rule.path)) {
        c->errs->failed = JR_NOMEM;
        return NULL;
    }
    return append(c, ret, &l);
}

struct jr_limit *jr_policy_add_limit(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                                     const char *name, const struct jr_field_path *path,
                                     enum jr_limit_root root, const char *of)
{
    struct jr_limit *l = add_limit(c, ret, name, path);

    return l != NULL && set_path(c, l, root, of) ? l : NULL;
}

void jr_policy_add_place(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                         const struct jr_limit *like, const char *of)
{
    struct jr_limit *l = append(c, ret, like);

    if (l != NULL)
        (void)set_path(c, l, like->of.root, of);
}

bool jr_policy_check_map(struct jr_policy_compiler *c, const struct jr_node *map, size_t max,
                         const struct jr_field_path *path)
{
    if (!jr_unset(map) && jr_node_kind(map) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "must be an object");
        return false;
    }
    jr_policy_check_count(c, map, max, path);
    return true;
}

/* ---- fields ---- */

static void compile_field(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_limit *l)
{
    switch (jr_limited_fields[l->field].kind) {
    case JR_LIMITED_INT:
        jr_policy_compile_constraint(c, node, path, JR_SAYS_REQUIRED | JR_SAYS_RANGE, l);
        break;
    case JR_LIMITED_TEXT:
        jr_policy_compile_constraint(c, node, path, JR_SAYS_REQUIRED | JR_SAYS_VALUES, l);
        break;
    case JR_LIMITED_FLAG:
        l->forbidden = true;
        if (!jr_str_is(jr_node_str(node), "Forbidden"))
            JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                            "supported values: \"Forbidden\"");
        break;
    }
}

/** A Job passes a bound by leaving the field out, where that means for ever. */
static void warn_of_absence(struct jr_policy_compiler *c, const struct jr_limit *l,
                            const struct jr_field_path *path)
{
    const bool is_for_ever = l->field == JR_LIMITED_ACTIVE_DEADLINE || l->field == JR_LIMITED_TTL ||
                             l->field == JR_LIMITED_POD_DEADLINE;

    if (is_for_ever && l->max.kind != JR_BOUND_NONE && !l->required.set && !c->excepting)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_BOUND_OPTIONAL, path,
                        "a Job that leaves the field out passes, and it is then without a bound: "
                        "required: true refuses such a Job");
}

static void compile_fields(struct jr_policy_compiler *c, const struct jr_node *limits,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    for (size_t f = 0; f < JR_LIMITED_FIELDS; f++) {
        const struct jr_limited_field_info *info = &jr_limited_fields[f];
        const struct jr_node *node =
            jr_get(info->of_template ? jr_get(limits, "template") : limits, info->leaf);
        struct jr_field_path room[2];
        const struct jr_field_path *at = jr_limited_rule_path((enum jr_limited_field)f, path, room);
        struct jr_limit *l;

        if (jr_unset(node))
            continue;
        l = jr_policy_add_limit(c, ret, jr_arena_printf(&c->policy->arena, "limits.%s", info->name),
                                at, JR_LIMIT_OF_SPEC,
                                jr_arena_printf(&c->policy->arena, "%s%s",
                                                info->of_template ? "template.spec." : "",
                                                info->leaf));
        if (l == NULL)
            return;
        l->field = (enum jr_limited_field)f;
        compile_field(c, node, at, l);
        warn_of_absence(c, l, at);
    }
}

/* ---- labels, annotations, node selectors ---- */

static const struct limited_map {
    const char *name; /* below spec.limits */
    const char *leaf; /* its last part */
    bool of_template;
    enum jr_limit_root root;
    const char *in_job;
} maps[] = {
    { "labels", "labels", false, JR_LIMIT_OF_METADATA, "labels" },
    { "annotations", "annotations", false, JR_LIMIT_OF_METADATA, "annotations" },
    { "template.labels", "labels", true, JR_LIMIT_OF_SPEC, "template.metadata.labels" },
    { "template.nodeSelector", "nodeSelector", true, JR_LIMIT_OF_SPEC,
      "template.spec.nodeSelector" },
};

static const struct jr_node *map_of(const struct limited_map *m, const struct jr_node *limits)
{
    return jr_get(m->of_template ? jr_get(limits, "template") : limits, m->leaf);
}

static void compile_key(struct jr_policy_compiler *c, const struct limited_map *m,
                        const struct jr_node *node, const struct jr_field_path *path,
                        struct jr_policy_rules *ret)
{
    struct jr_arena *arena = &c->policy->arena;
    const struct jr_str key = jr_policy_copy(c, jr_key(node));
    struct jr_limit *l;

    if (jr_name_key(key).n > 0) {
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, key),
                        "must be the key of a label or an annotation");
        return;
    }
    l = jr_policy_add_limit(c, ret, jr_arena_printf(arena, "limits.%s[%.*s]", m->name, JR_P(key)),
                            path, m->root, m->in_job);
    if (l == NULL)
        return;
    if (jr_limit_path_add_key(&l->of, key, arena) != JR_OK) {
        c->errs->failed = JR_NOMEM;
        return;
    }
    ret->reads_metadata |= m->root == JR_LIMIT_OF_METADATA;
    jr_policy_compile_entry(c, node, path, JR_SAYS_REQUIRED | JR_SAYS_VALUES, l);
}

static int by_name(const void *a, const void *b)
{
    const struct jr_limit *const *x = a, *const *y = b;

    return jr_str_cmp((*x)->rule.name, (*y)->rule.name);
}

/** Sorts the limits from the one at `from` on: an object has no order. */
static void sort(struct jr_policy_rules *ret, size_t from)
{
    if (ret->limits.n > from + 1)
        qsort(&ret->limits.v[from], ret->limits.n - from, sizeof(struct jr_limit *), by_name);
}

static void compile_map(struct jr_policy_compiler *c, const struct limited_map *m,
                        const struct jr_node *limits, const struct jr_field_path *path,
                        struct jr_policy_rules *ret)
{
    const struct jr_node *map = map_of(m, limits);
    const struct jr_field_path template = JR_FIELD(path, "template");
    const struct jr_field_path at = JR_FIELD(m->of_template ? &template : path, m->leaf);
    const size_t from = ret->limits.n;

    if (!jr_policy_check_map(c, map, KEYS_MAX, &at))
        return;
    JR_EACH_GOING(node, map, c->errs)
        compile_key(c, m, node, &JR_FIELD_KEY(&at, jr_key(node)), ret);
    sort(ret, from);
}

/* ---- the name, suspend, the podFailurePolicy ---- */

static void compile_name(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_limit *l;

    if (jr_unset(node))
        return;
    l = jr_policy_add_limit(c, ret, "limits.name", path, JR_LIMIT_OF_METADATA, "name");
    if (l == NULL)
        return;
    l->as = JR_LIMIT_AS_NAME;
    jr_policy_compile_constraint(c, node, path, JR_SAYS_VALUES | JR_SAYS_EXCLUDED, l);
}

static void compile_suspend(struct jr_policy_compiler *c, const struct jr_node *node,
                            const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_limit *l;

    if (jr_unset(node))
        return;
    l = jr_policy_add_limit(c, ret, "limits.suspend", path, JR_LIMIT_OF_SPEC, "suspend");
    if (l == NULL)
        return;
    l->as = JR_LIMIT_AS_SUSPEND;
    l->forbidden = jr_str_is(jr_node_str(node), "Forbidden");
    l->required = JR_BOOL(!l->forbidden);
    if (!l->forbidden && !jr_str_is(jr_node_str(node), "Required"))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                        "supported values: \"Forbidden\", \"Required\"");
}

static void compile_failure_policy(struct jr_policy_compiler *c, const struct jr_node *node,
                                   const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_limit *l;

    if (jr_unset(node))
        return;
    l = jr_policy_add_limit(c, ret, "limits.podFailurePolicy", path, JR_LIMIT_OF_SPEC,
                            "podFailurePolicy.rules");
    if (l != NULL)
        jr_policy_compile_constraint(c, node, path, JR_SAYS_REQUIRED, l);
}

/* ---- any field ---- */

/** Refuses what no Job could ever meet, or what means nothing. */
static void check_sense(struct jr_policy_compiler *c, const struct jr_limit *l,
                        const struct jr_field_path *path)
{
    const enum jr_limit_step_kind last = l->of.steps[l->of.n - 1].kind;
    const bool required = jr_bool_or(l->required, false);

    if (required && (last == JR_STEP_EACH || last == JR_STEP_KEYS))
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "required"), JR_NO_VALUE,
                        "must be of a field, or of an entry with its whole key");
    if (required && l->of.kind == JR_SCHEMA_BOOL && l->of.field != NULL && !l->of.field->pointer &&
        l->values.n == 1 && jr_str_is(l->values.v[0], "false"))
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "required"), JR_NO_VALUE,
                        "no Job meets it: an API server leaves the field out where it is false");
}

static void compile_path(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_arena *arena = &c->policy->arena;
    const bool of_cron_job = jr_str_starts(jr_key(node), JR_S(CRON_JOB_PREFIX));
    struct jr_limit_path of;
    struct jr_limit *l;
    const char *why;

    if (jr_key(node).n > PATH_MAX_BYTES) {
        JR_POLICY_FAULT(c, TOO_LONG, path, JR_NO_VALUE, "may not be more than %d bytes",
                        PATH_MAX_BYTES);
        return;
    }
    if (jr_limit_path_parse(of_cron_job ? JR_LIMIT_OF_CRON_JOB : JR_LIMIT_OF_SPEC,
                            jr_str_from(jr_key(node), of_cron_job ? strlen(CRON_JOB_PREFIX) : 0),
                            arena, &of, &why) != JR_OK) {
        c->errs->failed = JR_NOMEM;
        return;
    }
    if (why == NULL && jr_str_starts(jr_key(node), JR_S("selector")))
        why = "is generated by the API server: template.metadata.labels has what users say";
    if (why != NULL) {
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, jr_key(node)), "%s", why);
        return;
    }
    l = add_limit(c, ret, jr_arena_printf(arena, "limits.fields[%.*s]", JR_P(jr_key(node))), path);
    if (l == NULL)
        return;
    l->of = of;
    l->skips_generated = jr_str_starts(of.text, JR_S("template.metadata.labels[")) &&
                         of.steps[of.n - 1].kind != JR_STEP_KEY;
    if (jr_node_kind(node) == JR_STRING) {
        l->forbidden = true;
        if (!jr_str_is(jr_node_str(node), "Forbidden"))
            JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                            "supported values: \"Forbidden\", or an object of required, values, "
                            "excluded, min and max");
        return;
    }
    jr_policy_compile_entry(c, node, path, jr_policy_sayable(l), l);
    check_sense(c, l, path);
}

static void compile_paths(struct jr_policy_compiler *c, const struct jr_node *paths,
                          const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const size_t from = ret->limits.n;

    if (!jr_policy_check_map(c, paths, PATHS_MAX, path))
        return;
    JR_EACH_GOING(node, paths, c->errs)
        compile_path(c, node, &JR_FIELD_KEY(path, jr_key(node)), ret);
    sort(ret, from);
}

void jr_policy_compile_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                              const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_node *template = jr_get(limits, "template");

    compile_fields(c, limits, path, ret);
    compile_name(c, jr_get(limits, "name"), &JR_FIELD(path, "name"), ret);
    compile_suspend(c, jr_get(limits, "suspend"), &JR_FIELD(path, "suspend"), ret);
    compile_failure_policy(c, jr_get(limits, "podFailurePolicy"),
                           &JR_FIELD(path, "podFailurePolicy"), ret);
    for (size_t m = 0; m < JR_ARRAY_SIZE(maps); m++)
        compile_map(c, &maps[m], limits, path, ret);
    jr_policy_compile_pod_limits(c, template, &JR_FIELD(path, "template"), ret);
    jr_policy_compile_cron_limits(c, jr_get(limits, "cronJob"), &JR_FIELD(path, "cronJob"), ret);
    compile_paths(c, jr_get(limits, "fields"), &JR_FIELD(path, "fields"), ret);
}
