/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules, and how a violation becomes a field error. */
#include "common/rules/rules.h"

#include <stdarg.h>

#include "common/base/utf8.h"
#include "common/json/members.h"
#include "common/json/write.h"
#include "common/schema/schema.h"
#include "common/schema/show.h"

/* Objects and lists in errors are shown up to this length. */
#define VALUE_MAX ((size_t)4096)

static const struct {
    const char *id;
    enum jr_field_error_type type;
    const char *detail;
} rules[JR_RULE_COUNT] = {
#define X(name, id, type, detail) { id, JR_FE_##type, detail },
    JR_RULE_MAP(X)
#undef X
};

/* What other versions say. */
static const struct {
    enum jr_rule rule;
    unsigned since, until;
    enum jr_field_error_type type;
    const char *detail;
} other_words[] = {
#define V(name, since, until, type, detail) { JR_RULE_##name, since, until, JR_FE_##type, detail },
    JR_RULE_WORDS_META(V) JR_RULE_WORDS_SPEC(V) JR_RULE_WORDS_POLICY(V) JR_RULE_WORDS_TEMPLATE(V)
        JR_RULE_WORDS_STATUS(V) JR_RULE_WORDS_POD(V) JR_RULE_WORDS_CONTAINERS(V)
            JR_RULE_WORDS_VOLUMES(V)
#undef V
};

/* Rules that not all versions have. */
static const struct {
    enum jr_rule rule;
    unsigned since, until;
} ranges[] = {
#define R(name, since, until) { JR_RULE_##name, since, until },
    JR_RULE_RANGES_UPDATE(R) JR_RULE_RANGES_CONTAINERS(R) JR_RULE_RANGES_VOLUMES(R)
        JR_RULE_RANGES_POD(R) JR_RULE_RANGES_STATUS(R)
#undef R
#define X(name, id, type, detail) { JR_RULE_##name, 37, JR_KUBE_NEWEST },
            JR_RULE_MAP_SCHEDULING(X)
#undef X
#define X(name, id, type, detail) { JR_RULE_##name, 38, JR_KUBE_NEWEST },
                JR_RULE_MAP_DELEGATION(X)
#undef X
};

bool jr_rule_exists(enum jr_rule rule, struct jr_kube_version version)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(ranges); i++) {
        if (ranges[i].rule == rule)
            return version.minor >= ranges[i].since && version.minor <= ranges[i].until;
    }
    return true;
}

/** The value as Go printed it where that differs from what we render: nil, and strings of a type
 * that prints itself. */
static struct jr_str go_value(enum jr_rule rule, struct jr_str value)
{
    static const enum jr_rule plain[] = { JR_RULE_RESIZE_RESOURCE_TWICE, JR_RULE_RESIZE_RESOURCE,
                                          JR_RULE_RESOURCE_NAME, JR_RULE_POD_RESOURCE_NAME };

    if (jr_str_is(value, "null"))
        return JR_S("\"null\"");
    for (size_t i = 0; i < JR_ARRAY_SIZE(plain); i++) {
        if (rule == plain[i] && value.n > 1 && value.p[0] == '"')
            return jr_str_from(jr_str_head(value, value.n - 1), 1);
    }
    return value;
}

/** Adds the rule's error, and says whose it is. words NULL: the rule's own. */
static void add(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                struct jr_str value, const struct jr_str *words)
{
    const unsigned minor = errs->version.minor;
    enum jr_field_error_type type = rules[rule].type;
    const char *own = rules[rule].detail;

    if (!jr_rule_exists(rule, errs->version))
        return;
    if (!jr_kube_has(errs->version, JR_CHANGE_VALUES_ARE_JSON))
        value = go_value(rule, value);
    for (size_t i = 0; i < JR_ARRAY_SIZE(other_words); i++) {
        if (other_words[i].rule != rule || minor < other_words[i].since ||
            minor > other_words[i].until)
            continue;
        type = other_words[i].type;
        own = other_words[i].detail;
    }
    if (words == NULL)
        jr_errlist_add(errs, type, path, value, "%s", own);
    else
        jr_errlist_add(errs, type, path, value, "%.*s", JR_P(jr_name_words(*words, minor)));
    if (errs->failed == JR_OK && errs->n > 0)
        errs->v[errs->n - 1].rule = rules[rule].id;
}

void jr_rule_violated(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      struct jr_str value)
{
    add(errs, rule, path, value, NULL);
}

void jr_violation(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path)
{
    jr_rule_violated(errs, rule, path, JR_NO_VALUE);
}

void jr_violation_text(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str s)
{
    jr_rule_violated(errs, rule, path, jr_errlist_quote(errs, s));
}

void jr_violation_int(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      int64_t v)
{
    jr_rule_violated(errs, rule, path, jr_errlist_int(errs, v));
}

void jr_violation_enum(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str s)
{
    jr_rule_violated(errs, rule, path, jr_rule_json_str(errs, s));
}

void jr_violation_json(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       const struct jr_node *node)
{
    jr_rule_violated(errs, rule, path, jr_rule_json(errs, node));
}

void jr_violation_shown(struct jr_errlist *errs, enum jr_rule rule,
                        const struct jr_field_path *path, const struct jr_schema_type *type,
                        const char *name, const struct jr_node *node)
{
    jr_rule_violated(errs, rule, path, jr_rule_shown(errs, type, name, node));
}

void jr_rule_violatedf(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                       struct jr_str value, const char *fmt, ...)
{
    JR_BUF words = jr_errlist_words(errs);
    va_list ap;

    if (errs->failed != JR_OK)
        return;
    va_start(ap, fmt);
    (void)jr_buf_vaddf(&words, fmt, ap);
    va_end(ap);
    if (words.failed != JR_OK) {
        errs->failed = words.failed;
        return;
    }
    add(errs, rule, path, value, &(const struct jr_str){ words.p, words.n });
}

void jr_rule_violated_text(struct jr_errlist *errs, enum jr_rule rule,
                           const struct jr_field_path *path, struct jr_str value,
                           struct jr_str words)
{
    add(errs, rule, path, value, &words);
}

void jr_rule_faults(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                    struct jr_str text, const struct jr_name_errors *faults)
{
    for (size_t i = 0; i < faults->n; i++)
        add(errs, rule, path, jr_errlist_quote(errs, text),
            &(const struct jr_str){ faults->v[i], strlen(faults->v[i]) });
}

void jr_validate_name(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                      struct jr_str s, jr_name_fn *syntax)
{
    const struct jr_name_errors faults = syntax(s);

    jr_rule_faults(errs, rule, path, s, &faults);
}

/** Into the list's arena, cut to what is shown. */
static struct jr_str keep_shown(struct jr_errlist *errs, struct jr_str text)
{
    if (text.n <= VALUE_MAX) {
        struct jr_str kept = { NULL, 0 };

        if (!jr_arena_str(errs->arena, text, &kept))
            errs->failed = JR_NOMEM;
        return kept;
    }
    return JR_FORMAT(errs, "%.*s...", JR_P(jr_utf8_head(text, VALUE_MAX)));
}

struct jr_str jr_rule_json(struct jr_errlist *errs, const struct jr_node *node)
{
    JR_BUF b = { 0 };

    if (node == NULL)
        return JR_S("null");
    if (errs->failed != JR_OK)
        return JR_NO_VALUE;
    jr_buf_init(&b, JR_BUF_BY_INPUT);
    if (jr_node_print(node, &b) != JR_OK) {
        errs->failed = b.failed;
        return JR_NO_VALUE;
    }
    return keep_shown(errs, jr_buf_str(&b));
}

/** What Go's encoder escapes beyond JSON's needs, 0 for the rest; *ret_n: how many bytes it is. */
static unsigned html_escape(struct jr_str at, size_t *ret_n)
{
    *ret_n = 1;
    if (at.p[0] == '<' || at.p[0] == '>' || at.p[0] == '&')
        return (unsigned)at.p[0];
    if (!jr_str_starts(at, JR_S("\xe2\x80\xa8")) && !jr_str_starts(at, JR_S("\xe2\x80\xa9")))
        return 0;
    *ret_n = 3;
    return at.p[2] == '\xa8' ? 0x2028 : 0x2029;
}

/** JSON as Go's encoder writes it, whose texts are safe in HTML. */
static void escape_html(struct jr_str json, struct jr_buf *out)
{
    for (struct jr_str rest = json; rest.n > 0;) {
        size_t n;
        unsigned rune = html_escape(rest, &n);

        if (rune != 0)
            (void)jr_buf_addf(out, "\\u%04x", rune);
        else
            (void)jr_buf_addc(out, rest.p[0]);
        rest = jr_str_from(rest, n);
    }
}

/** A map of strings by Go's "%#v", as versions before 1.34 show it. */
static void show_go_map(const struct jr_node *node, struct jr_buf *out)
{
    const size_t n = jr_size(node);
    JR_FREE const struct jr_node **sorted = jr_members_sorted(node);

    (void)jr_buf_adds(out, "map[string]string");
    if (sorted == NULL) {
        out->failed = JR_NOMEM;
        return;
    }
    if (jr_node_kind(node) != JR_OBJECT) {
        (void)jr_buf_adds(out, "(nil)");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_adds(out, i == 0 ? "{" : ", ");
        if (jr_field_quote(jr_key(sorted[i]), out) != JR_OK)
            return;
        (void)jr_buf_adds(out, ":");
        if (jr_field_quote(jr_node_str(sorted[i]), out) != JR_OK)
            return;
    }
    (void)jr_buf_adds(out, n == 0 ? "{}" : "}");
}

struct jr_str jr_rule_shown(struct jr_errlist *errs, const struct jr_schema_type *type,
                            const char *name, const struct jr_node *node)
{
    JR_BUF plain = { 0 };
    JR_BUF b = { 0 };

    if (errs->failed != JR_OK)
        return JR_NO_VALUE;
    jr_buf_init(&plain, JR_BUF_BY_INPUT);
    jr_buf_init(&b, JR_BUF_BY_INPUT);
    if (!jr_kube_has(errs->version, JR_CHANGE_VALUES_ARE_JSON) &&
        jr_schema_find(type, jr_str(name), NULL)->kind == JR_SCHEMA_STRING_MAP) {
        show_go_map(node, &b);
    } else {
        jr_schema_show(type, name, node, errs->version.minor, &plain);
        escape_html(jr_buf_str(&plain), &b);
    }
    if (plain.failed != JR_OK || b.failed != JR_OK) {
        errs->failed = JR_NOMEM;
        return JR_NO_VALUE;
    }
    return keep_shown(errs, jr_buf_str(&b));
}

struct jr_str jr_rule_json_str(struct jr_errlist *errs, struct jr_str s)
{
    JR_BUF plain = { 0 };
    JR_BUF b = { 0 };
    struct jr_str kept = JR_NO_VALUE;

    if (!jr_kube_has(errs->version, JR_CHANGE_VALUES_ARE_JSON))
        return jr_errlist_quote(errs, s);
    if (errs->failed != JR_OK)
        return JR_NO_VALUE;
    jr_buf_init(&plain, JR_BUF_BY_INPUT);
    jr_buf_init(&b, JR_BUF_BY_INPUT);
    if (jr_json_quote(jr_field_shown(s, errs->max_value_bytes), &plain) != JR_OK) {
        errs->failed = plain.failed;
        return JR_NO_VALUE;
    }
    escape_html(jr_buf_str(&plain), &b);
    if (jr_field_shown(s, errs->max_value_bytes).n < s.n)
        (void)jr_buf_adds(&b, "...");
    if (b.failed != JR_OK)
        errs->failed = b.failed;
    else if (!jr_arena_str(errs->arena, jr_buf_str(&b), &kept))
        errs->failed = JR_NOMEM;
    return kept;
}

struct jr_str jr_rule_time(struct jr_errlist *errs, struct jr_time t)
{
    char text[JR_TIME_MAX];
    struct jr_str s;

    if (!jr_time_set(t))
        return JR_S("null");
    s = jr_str(jr_time_format(t, text));
    if (jr_kube_has(errs->version, JR_CHANGE_VALUES_ARE_JSON))
        return jr_rule_json_str(errs, s);
    return JR_FORMAT(errs, "%.*s %.*s +0000 UTC", 10, s.p, 8, s.p + 11);
}
