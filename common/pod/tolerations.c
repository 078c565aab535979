/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of tolerations, and of the annotation that had them before. */
#include <strings.h>

#include "common/pod/annotations.h"
#include "common/pod/go_json.h"
#include "common/pod/pod_parts.h"

/** A toleration, out of the PodSpec or an annotation. */
struct toleration {
    struct jr_str key;
    struct jr_str op;
    struct jr_str value;
    struct jr_str effect;
    bool seconds;
};

/** An integer of 64 bits in its canonical form. */
static void check_number(const struct toleration *t, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    const struct jr_str quoted = jr_errlist_quote(errs, t->value);
    int64_t v;
    enum jr_status canonical = jr_parse_i64(t->value, INT64_MIN, INT64_MAX, &v);
    enum jr_status st = jr_parse_go_int(t->value, &v);

    if (t->value.n == 0)
        jr_rule_violatedf(errs, JR_RULE_TOLERATION_NUMBER, path, quoted, "must be non-empty");
    else if (canonical == JR_SYNTAX || jr_str_is(t->value, "-0"))
        jr_rule_violatedf(errs, JR_RULE_TOLERATION_NUMBER, path, quoted,
                          "must be a valid decimal integer in canonical form");
    if (st != JR_OK)
        jr_rule_violatedf(errs, JR_RULE_TOLERATION_RANGE, path, quoted,
                          "strconv.ParseInt: parsing %.*s: %s", JR_P(quoted),
                          st == JR_RANGE ? "value out of range" : "invalid syntax");
}

/** An empty operator means Equal. */
static void check_equal(const struct toleration *t, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    const struct jr_name_errors f = jr_name_label_value(t->value);

    if (f.n > 0)
        jr_rule_violatedf(errs, JR_RULE_TOLERATION_VALUE, path, jr_errlist_quote(errs, t->value),
                          "%s%s%s", f.v[0], f.n > 1 ? ";" : "", f.n > 1 ? f.v[1] : "");
}

static void check_operator(struct jr_pod_check *p, const struct toleration *t,
                           const struct jr_field_path *path)
{
    const struct jr_field_path op_path = JR_FIELD(path, "operator");
    struct jr_errlist *errs = p->errs;

    if (t->op.n == 0 || jr_str_is(t->op, "Equal")) {
        check_equal(t, &op_path, errs);
    } else if (jr_str_is(t->op, "Exists")) {
        if (t->value.n > 0)
            jr_violation_text(errs, JR_RULE_TOLERATION_EXISTS, &op_path, t->value);
    } else if (!jr_str_is(t->op, "Lt") && !jr_str_is(t->op, "Gt")) {
        jr_violation_enum(errs, JR_RULE_TOLERATION_OPERATOR, &op_path, t->op);
    } else if (!p->opts->toleration_comparisons) {
        jr_violation_enum(errs, JR_RULE_TOLERATION_COMPARISON, &op_path, t->op);
    } else {
        check_number(t, &JR_FIELD(path, "value"), errs);
    }
}

static void check_toleration(struct jr_pod_check *p, const struct toleration *t,
                             const struct jr_field_path *path)
{
    static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute", NULL };
    const struct jr_field_path effect_path = JR_FIELD(path, "effect");
    const struct jr_name_errors key = jr_name_key(t->key);
    struct jr_errlist *errs = p->errs;

    if (t->key.n > 0)
        jr_rule_faults(errs, JR_RULE_TOLERATION_KEY, &JR_FIELD(path, "key"), t->key, &key);
    else if (!jr_str_is(t->op, "Exists"))
        jr_violation_enum(errs, JR_RULE_TOLERATION_ALL, &JR_FIELD(path, "operator"), t->op);
    if (t->seconds && !jr_str_is(t->effect, "NoExecute"))
        jr_violation_enum(errs, JR_RULE_TOLERATION_SECONDS, &effect_path, t->effect);
    check_operator(p, t, path);
    if (t->effect.n > 0)
        jr_validate_choice(JR_RULE_TOLERATION_EFFECT, effects, t->effect, &effect_path, errs);
}

void jr_pod_check_toleration(struct jr_pod_check *p, const struct jr_node *n,
                             const struct jr_field_path *path)
{
    const struct toleration t = {
        .key = jr_get_str(n, "key"),
        .op = jr_get_str(n, "operator"),
        .value = jr_get_str(n, "value"),
        .effect = jr_get_str(n, "effect"),
        .seconds = !jr_unset(jr_get(n, "tolerationSeconds")),
    };

    check_toleration(p, &t, path);
}

/* ---- the annotation that was there before the field: read by Go's names, in any case ---- */

static const struct {
    const char *name;
    const char *type;
    enum jr_kind kind;
    size_t at; /* in struct toleration */
} fields[] = {
    { "Key", "string", JR_STRING, offsetof(struct toleration, key) },
    { "Operator", "core.TolerationOperator", JR_STRING, offsetof(struct toleration, op) },
    { "Value", "string", JR_STRING, offsetof(struct toleration, value) },
    { "Effect", "core.TaintEffect", JR_STRING, offsetof(struct toleration, effect) },
    { "TolerationSeconds", "int64", JR_NUMBER, 0 },
};

static bool same_name(struct jr_str s, const char *name)
{
    return s.n == strlen(name) && strncasecmp(s.p, name, s.n) == 0;
}

/** An element of the list while it is decoded. */
struct decoding {
    size_t i;
    bool go_1_27; /* names fields by their path */
    struct jr_arena *arena;
};

static const char *field_name(const struct decoding *d, const struct jr_node *m, const char *name)
{
    return d->go_1_27 ? jr_arena_printf(d->arena, ".%zu.%.*s", d->i, JR_P(jr_key(m)))
                      : jr_arena_printf(d->arena, "Toleration.%s", name);
}

/** Takes a member over; the text of what is wrong with it, or NULL. */
static const char *decode_member(const struct jr_node *m, const struct decoding *d,
                                 struct toleration *t)
{
    struct jr_arena *arena = d->arena;
    int64_t seconds;

    for (size_t i = 0; i < JR_ARRAY_SIZE(fields); i++) {
        if (!same_name(jr_key(m), fields[i].name) || jr_unset(m))
            continue;
        if (jr_node_kind(m) != fields[i].kind)
            return jr_arena_printf(
                arena, "json: cannot unmarshal %s into Go struct field %s of type %s",
                jr_node_kind_name(m), field_name(d, m, fields[i].name), fields[i].type);
        if (fields[i].kind == JR_STRING)
            *(struct jr_str *)(void *)((char *)t + fields[i].at) = jr_node_str(m);
        else if (jr_parse_go_int(jr_node_number(m), &seconds) == JR_OK)
            t->seconds = true;
        else
            return jr_arena_printf(
                arena, "json: cannot unmarshal number %.*s into Go struct field %s of type %s",
                JR_P(jr_node_number(m)), field_name(d, m, fields[i].name), fields[i].type);
    }
    return NULL;
}

static const char *decode(const struct jr_node *n, const struct decoding *d, struct toleration *t)
{
    const char *fault = NULL;

    *t = (struct toleration){ .seconds = false };
    if (jr_node_kind(n) != JR_OBJECT && jr_node_kind(n) != JR_NULL)
        return d->go_1_27
                   ? jr_arena_printf(d->arena,
                                     "json: cannot unmarshal %s into .%zu of type core.Toleration",
                                     jr_node_kind_name(n), d->i)
                   : jr_arena_printf(
                         d->arena,
                         "json: cannot unmarshal %s into Go value of type core.Toleration",
                         jr_node_kind_name(n));
    for (const struct jr_node *m = jr_first(n); m != NULL && fault == NULL; m = jr_next(m))
        fault = decode_member(m, d, t);
    return fault;
}

/** The first thing that is wrong with the whole list, or NULL. */
static const char *list_fault(const struct jr_node *list, bool go_1_27, struct jr_arena *arena)
{
    struct decoding d = { .go_1_27 = go_1_27, .arena = arena };
    const char *fault = NULL;
    struct toleration t;

    if (jr_node_kind(list) != JR_ARRAY && jr_node_kind(list) != JR_NULL)
        return jr_arena_printf(arena,
                               "json: cannot unmarshal %s into Go value of type []core.Toleration",
                               jr_node_kind_name(list));
    for (const struct jr_node *n = jr_first(list); n != NULL && fault == NULL; n = jr_next(n)) {
        fault = decode(n, &d, &t);
        d.i++;
    }
    return fault;
}

static void annotation_violated(struct jr_pod_check *p, const struct jr_field_path *path,
                                struct jr_str fault)
{
    jr_rule_violatedf(p->errs, JR_RULE_TOLERATIONS_ANNOTATION,
                      &JR_FIELD_HIDDEN(path, JR_S(JR_TOLERATIONS_ANNOTATION)),
                      JR_S("\"" JR_TOLERATIONS_ANNOTATION "\""), "%.*s", JR_P(fault));
}

static void check_list(struct jr_pod_check *p, const struct jr_node *list,
                       const struct jr_field_path *annotations)
{
    const bool go_1_27 = jr_kube_has(p->errs->version, JR_CHANGE_GO_1_27);
    const char *fault = list_fault(list, go_1_27, p->errs->arena);
    const struct decoding d = { .go_1_27 = go_1_27, .arena = p->errs->arena };
    struct toleration t;

    if (fault != NULL) {
        annotation_violated(p, annotations, jr_str(fault));
        return;
    }
    JR_EACH_AT(n, list, &JR_FIELD(annotations, JR_TOLERATIONS_ANNOTATION), p->errs) {
        (void)decode(n.node, &d, &t);
        check_toleration(p, &t, &n.path);
    }
}

void jr_pod_check_old_tolerations(struct jr_pod_check *p, struct jr_str annotation,
                                  const struct jr_field_path *annotations)
{
    const struct jr_reader_opts gate = JR_READER_LENIENT;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_BUF fault = { 0 };
    enum jr_status st;

    jr_buf_init(&fault, 512);
    st = jr_go_json_fault(annotation, jr_kube_has(p->errs->version, JR_CHANGE_GO_1_27), &fault);
    if (st == JR_OK && fault.n == 0)
        st = jr_doc_parse(annotation, &gate, &doc, NULL);
    if (st == JR_NOMEM)
        p->errs->failed = st;
    else if (fault.n > 0)
        annotation_violated(p, annotations, jr_buf_str(&fault));
    else if (st == JR_OK)
        check_list(p, jr_doc_root_const(doc), annotations);
    else
        annotation_violated(p, annotations, JR_S("exceeded max depth"));
}
