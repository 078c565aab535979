/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the settings of ready policies in. The marks are those of the chart's template
 * jobreeve.fillIn. */
#include "cli/library.h"

#include "common/base/memory.h"
#include "common/json/write.h"
#include "common/policy/load.h"

#define NAME_WIDTH 20

static struct jr_str text_of(const struct jr_embedded *e)
{
    return (struct jr_str){ (const char *)e->text, e->n };
}

static bool is_comment(struct jr_str line)
{
    return line.n > 0 && line.p[0] == '#';
}

static void list_policy(const struct jr_embedded *e, struct jr_buf *out)
{
    static const char vap[] = "kind: ValidatingAdmissionPolicy\n";
    struct jr_str text = text_of(e), line;
    JR_BUF about = { 0 };

    jr_buf_init(&about, JR_BUF_BY_INPUT);
    while (jr_str_cut(&text, '\n', &line) && is_comment(line)) {
        (void)jr_buf_add(&about, jr_str_from(line, 1));
    }
    for (size_t i = 0; i + 1 < about.n; i++) {
        if (about.p[i] == '.' && about.p[i + 1] == ' ')
            about.n = i + 1;
    }
    (void)jr_buf_addf(out, "%-*s%.*s", NAME_WIDTH, e->name, JR_P(jr_buf_str(&about)));
    if (memmem(text.p, text.n, vap, strlen(vap)) != NULL)
        (void)jr_buf_adds(out, " (a ValidatingAdmissionPolicy)");
    (void)jr_buf_addc(out, '\n');
}

void jr_library_list(struct jr_buf *out)
{
    for (const struct jr_embedded *e = jr_library_policies; e->name != NULL; e++)
        list_policy(e, out);
}

static enum jr_status find_policy(struct jr_str name, const struct jr_embedded **ret,
                                  struct jr_error *err)
{
    for (const struct jr_embedded *e = jr_library_policies; e->name != NULL; e++) {
        if (jr_str_is(name, e->name)) {
            *ret = e;
            return JR_OK;
        }
    }
    return jr_fail(err, JR_USAGE, NULL,
                   "no ready policy '%.*s': see jobreeve policy library for their names",
                   JR_P(name));
}

/* ---- settings ---- */

/** Takes the one document of a text; ctx: where to. */
static enum jr_status take_value(void *ctx, struct jr_doc *doc, struct jr_positions *positions,
                                 struct jr_error *err)
{
    struct jr_doc **ret = ctx;

    jr_positions_free(positions);
    if (*ret != NULL) {
        jr_doc_free(doc);
        return jr_fail(err, JR_SYNTAX, NULL, "expected one value, not several documents");
    }
    *ret = doc;
    return JR_OK;
}

static const char *const expected[] = {
    [JR_FALSE] = "expected true or false",     [JR_TRUE] = "expected true or false",
    [JR_NUMBER] = "expected a number",         [JR_ARRAY] = "expected a list, as [a, b]",
    [JR_OBJECT] = "expected a map, as {a: b}",
};

static bool is_bool(enum jr_kind kind)
{
    return kind == JR_TRUE || kind == JR_FALSE;
}

static enum jr_status set_value(struct jr_node *settings, const struct jr_node *was,
                                struct jr_str key, struct jr_str text, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error why = { .status = JR_OK };
    const struct jr_node *value;

    if (jr_node_kind(was) == JR_STRING) {
        jr_must(jr_set_strn(settings, key, text));
        return JR_OK;
    }
    if (jr_need(jr_yaml_read(text, NULL, take_value, &doc, &why)) != JR_OK)
        return jr_fail(err, JR_USAGE, "--set", "%.*s: %s", JR_P(key), why.msg);
    value = doc == NULL ? NULL : jr_doc_root_const(doc);
    if (jr_node_kind(value) != jr_node_kind(was) &&
        !(is_bool(jr_node_kind(value)) && is_bool(jr_node_kind(was))))
        return jr_fail(err, JR_USAGE, "--set", "%.*s: %s, not \"%.*s\"", JR_P(key),
                       expected[jr_node_kind(was)], JR_P(text));
    jr_must(jr_set_copy(settings, key, value, NULL));
    return JR_OK;
}

static enum jr_status no_setting(const struct jr_node *settings, struct jr_str key,
                                 struct jr_error *err)
{
    JR_BUF all = { 0 };

    jr_buf_init(&all, JR_BUF_BY_INPUT);
    for (const struct jr_node *s = jr_first(settings); s != NULL; s = jr_next(s))
        (void)jr_buf_addf(&all, "%s%.*s", all.n == 0 ? "" : ", ", JR_P(jr_key(s)));
    return jr_fail(err, JR_USAGE, "--set", "no setting '%.*s': expected one of %.*s", JR_P(key),
                   JR_P(jr_buf_str(&all)));
}

static enum jr_status set_settings(struct jr_node *settings, const struct jr_flag_list *set,
                                   struct jr_error *err)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < set->n && st == JR_OK; i++) {
        struct jr_str value = set->v[i], key;
        const struct jr_node *was;

        if (jr_str_find(value, '=') <= 0)
            return jr_fail(err, JR_USAGE, "--set", "expected KEY=VALUE, not \"%.*s\"", JR_P(value));
        (void)jr_str_cut(&value, '=', &key);
        was = jr_getn(settings, key);
        st = was == NULL ? no_setting(settings, key, err)
                         : set_value(settings, was, key, value, err);
    }
    return st;
}

/** Returns the bits of all actions that are some. */
static unsigned actions_of(const struct jr_node *actions)
{
    unsigned all = 0;

    for (const struct jr_node *a = jr_first(actions); a != NULL; a = jr_next(a))
        all |= jr_policy_action_of(jr_node_str(a));
    return all;
}

/** Refuses actions that are none, also for kinds that no JobPolicy is. */
static enum jr_status check_actions(const struct jr_node *actions, struct jr_error *err)
{
    const unsigned all = actions_of(actions);

    for (const struct jr_node *a = jr_first(actions); a != NULL; a = jr_next(a)) {
        if (jr_policy_action_of(jr_node_str(a)) == 0)
            return jr_fail(err, JR_USAGE, "--set",
                           "actions: expected Audit, Warn, or Deny in place of Warn, not \"%.*s\"",
                           JR_P(jr_node_str(a)));
    }
    if ((all & JR_ACTION_DENY) != 0 && (all & JR_ACTION_WARN) != 0)
        return jr_fail(err, JR_USAGE, "--set", "actions: expected Deny or Warn, not both");
    return JR_OK;
}

/** Adds what the chart makes of settings: templates/policies/library.yaml. */
static void derive_settings(struct jr_node *settings)
{
    struct jr_node *namespaces = jr_get(settings, "excludeNamespaces");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *system = NULL;
    const bool denies = (actions_of(jr_get(settings, "actions")) & JR_ACTION_DENY) != 0;

    jr_must(jr_set_str(settings, "failurePolicy", jr_str(denies ? "Fail" : "Ignore")));
    jr_must(jr_doc_new(&system));
    jr_must(jr_set_str(jr_doc_root(system), "name", JR_S("kube-system")));
    jr_must(jr_insert_copy(namespaces, 0, jr_get(jr_doc_root(system), "name"), NULL));
}

/* ---- text ---- */

static void write_settings(const struct jr_node *settings, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "#\n# Settings, each changed by --set:\n");
    for (const struct jr_node *s = jr_first(settings); s != NULL; s = jr_next(s)) {
        (void)jr_buf_addf(out, "#   %.*s=", JR_P(jr_key(s)));
        if (jr_node_kind(s) == JR_STRING)
            (void)jr_buf_add(out, jr_node_str(s));
        else
            jr_must(jr_node_print(s, out));
        (void)jr_buf_addc(out, '\n');
    }
}

/** Whether a template's `with` passes over it. */
static bool is_empty(const struct jr_node *value)
{
    const enum jr_kind kind = jr_node_kind(value);

    if (kind == JR_STRING)
        return jr_node_str(value).n == 0;
    if (kind == JR_NUMBER)
        return jr_node_i64_or(value, 1) == 0;
    return kind != JR_TRUE && jr_first(value) == NULL;
}

/** A mark of a line: ${x}, ${x?} or ${each x}. */
struct mark {
    struct jr_str before;
    struct jr_str name;
    struct jr_str after;
    bool optional;
    bool each;
};

static bool find_mark(struct jr_str line, struct mark *ret)
{
    const char *begin = memmem(line.p, line.n, "${", 2);
    struct jr_str rest;

    if (begin == NULL)
        return false;
    ret->before = jr_str_head(line, (size_t)(begin - line.p));
    rest = jr_str_from(line, ret->before.n + 2);
    (void)jr_str_cut(&rest, '}', &ret->name);
    ret->after = rest;
    ret->each = jr_str_starts(ret->name, JR_S("each "));
    if (ret->each)
        ret->name = jr_str_from(ret->name, strlen("each "));
    ret->optional = jr_str_ends(ret->name, JR_S("?"));
    if (ret->optional)
        ret->name.n--;
    return true;
}

static void write_line(const struct mark *m, struct jr_str value, struct jr_buf *out)
{
    (void)jr_buf_add(out, m->before);
    (void)jr_buf_add(out, value);
    (void)jr_buf_add(out, m->after);
    (void)jr_buf_addc(out, '\n');
}

static enum jr_status fill_each(const struct mark *m, const struct jr_node *values,
                                struct jr_buf *out, struct jr_error *err)
{
    JR_BUF text = { 0 };

    if (jr_first(values) == NULL)
        return jr_fail(err, JR_USAGE, NULL, "expected at least one, as --set %.*s=[a, b]",
                       JR_P(m->name));
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (const struct jr_node *v = jr_first(values); v != NULL; v = jr_next(v)) {
        if (jr_node_kind(v) != JR_STRING)
            return jr_fail(err, JR_USAGE, "--set", "%.*s: expected a list of texts", JR_P(m->name));
        jr_buf_reset(&text);
        jr_must(jr_json_quote(jr_node_str(v), &text));
        write_line(m, (struct jr_str){ text.p + 1, text.n - 2 }, out);
    }
    return JR_OK;
}

static enum jr_status fill_line(struct jr_str line, const struct jr_node *settings,
                                struct jr_buf *out, struct jr_error *err)
{
    struct mark m;
    const struct jr_node *value;
    JR_BUF text = { 0 };

    if (!find_mark(line, &m)) {
        (void)jr_buf_add(out, line);
        (void)jr_buf_addc(out, '\n');
        return JR_OK;
    }
    value = jr_getn(settings, m.name);
    if (m.each)
        return fill_each(&m, value, out, err);
    if (m.optional && is_empty(value))
        return JR_OK;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_node_print(value, &text));
    write_line(&m, jr_buf_str(&text), out);
    return JR_OK;
}

static enum jr_status refuse_policy(const struct jr_policy_problem *p, struct jr_error *err)
{
    return jr_fail(err, JR_USAGE, NULL, "the policy would be refused: %.*s%s%.*s", JR_P(p->field),
                   p->field.n == 0 ? "" : ": ", JR_P(p->message));
}

/** Refuses what the definition or the webhook would refuse. Other kinds are left
 * to the API server. */
static enum jr_status check_policy(struct jr_str text, struct jr_error *err)
{
    struct jr_policy_loading loading;
    enum jr_status st = JR_OK;

    /* All lines of the last field were left out. */
    if (jr_str_ends(text, JR_S(":\n")))
        return jr_fail(err, JR_USAGE, NULL, "there is nothing to enforce: settings are empty");
    jr_policy_loading_init(&loading, (struct jr_time){ 0 });
    loading.passes_over = true;
    jr_must(jr_policy_load(&loading, JR_S("policy"), text));
    for (size_t i = 0; i < loading.n_problems && st == JR_OK; i++) {
        if (!loading.problems[i].warning)
            st = refuse_policy(&loading.problems[i], err);
    }
    jr_policy_loading_done(&loading);
    return st;
}

static enum jr_status fill_policy(struct jr_str text, struct jr_node *settings, struct jr_buf *out,
                                  struct jr_error *err)
{
    struct jr_str line;
    bool head = true;
    enum jr_status st = JR_OK;

    while (st == JR_OK && jr_str_cut(&text, '\n', &line)) {
        if (head && !is_comment(line)) {
            head = false;
            write_settings(settings, out);
            derive_settings(settings);
        }
        st = fill_line(line, settings, out, err);
    }
    return st == JR_OK ? check_policy(jr_buf_str(out), err) : st;
}

enum jr_status jr_library_write(struct jr_str name, const struct jr_flag_list *set,
                                struct jr_buf *out, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *values = NULL;
    const struct jr_embedded *policy = NULL;
    struct jr_node *policies, *settings;
    enum jr_status st = find_policy(name, &policy, err);

    if (st != JR_OK)
        return st;
    jr_must(jr_yaml_read(text_of(jr_library_values), NULL, take_value, &values, err));
    policies = jr_get(jr_doc_root(values), "policies");
    settings = jr_getn(jr_get(policies, "settings"), name);
    jr_must(jr_set_copy(settings, JR_S("actions"), jr_get(policies, "actions"), NULL));
    st = set_settings(settings, set, err);
    if (st == JR_OK)
        st = check_actions(jr_get(settings, "actions"), err);
    return st == JR_OK ? fill_policy(text_of(policy), settings, out, err) : st;
}
