/* SPDX-License-Identifier: Apache-2.0 */
/* labelSelector and fieldSelector: parsing and matching. */
#include "devcluster/apiserver/selector.h"

#include "common/rules/selector.h"

/* ---- labels: a=b,c!=d,e,!f,g in (h,i),j notin (k) ---- */

struct lexer {
    struct jr_str rest;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
}

static struct jr_str next_token(struct lexer *l)
{
    size_t n = 0;

    l->rest = jr_str_trim(l->rest);
    while (n < l->rest.n && is_word(l->rest.p[n]))
        n++;
    if (n == 0 && l->rest.n > 0) {
        n = 1;
        if (l->rest.n > 1 && l->rest.p[1] == '=' && (l->rest.p[0] == '=' || l->rest.p[0] == '!'))
            n = 2;
    }
    struct jr_str token = jr_str_head(l->rest, n);
    l->rest = jr_str_from(l->rest, n);
    return token;
}

static struct jr_str peek_token(const struct lexer *l)
{
    struct lexer copy = *l;

    return next_token(&copy);
}

static bool is_identifier(struct jr_str t)
{
    return t.n > 0 && is_word(t.p[0]);
}

static bool refuse_token(struct jr_dev_op *op, struct jr_str token, const char *expected)
{
    return jr_dev_refusef(op, 400, "BadRequest",
                          "unable to parse requirement: found '%.*s', expected: %s", JR_P(token),
                          expected);
}

/* "(a,b)" behind in and notin. */
static bool parse_values(struct jr_dev_op *op, struct lexer *l, struct jr_strs *values, size_t room)
{
    struct jr_str t = next_token(l);

    if (!jr_str_is(t, "("))
        return refuse_token(op, t, "'('");
    for (;;) {
        t = next_token(l);
        if (jr_str_is(t, ")"))
            return true;
        if (jr_str_is(t, ","))
            continue;
        if (!is_identifier(t) || values->n == room)
            return refuse_token(op, t, "',', or identifier");
        values->v[values->n++] = t;
    }
}

static bool parse_requirement(struct jr_dev_op *op, struct lexer *l, struct jr_selector_req *req)
{
    struct jr_str t = next_token(l), sign;
    size_t room = l->rest.n + 1;

    *req = (struct jr_selector_req){ .op = JR_S("Exists") };
    if (jr_str_is(t, "!")) {
        t = next_token(l);
        req->op = JR_S("DoesNotExist");
    }
    if (!is_identifier(t))
        return refuse_token(op, t, "!, identifier, or 'end of string'");
    req->key = t;
    sign = peek_token(l);
    if (sign.n == 0 || jr_str_is(sign, ",") || jr_str_is(req->op, "DoesNotExist"))
        return true;
    (void)next_token(l);
    req->values.v = jr_xarena_calloc(&op->arena, room, sizeof(*req->values.v));
    if (jr_str_is(sign, "in") || jr_str_is(sign, "notin")) {
        req->op = jr_str_is(sign, "in") ? JR_S("In") : JR_S("NotIn");
        return parse_values(op, l, &req->values, room);
    }
    if (!jr_str_is(sign, "=") && !jr_str_is(sign, "==") && !jr_str_is(sign, "!="))
        return refuse_token(op, sign, "in, notin, =, ==, !=, gt, lt");
    req->op = jr_str_is(sign, "!=") ? JR_S("NotIn") : JR_S("In");
    t = peek_token(l);
    if (t.n == 0 || jr_str_is(t, ","))
        t = JR_S("");
    else
        t = next_token(l);
    if (t.n > 0 && !is_identifier(t))
        return refuse_token(op, t, "identifier");
    req->values.v[0] = t;
    req->values.n = 1;
    return true;
}

static bool parse_labels(struct jr_dev_op *op, struct jr_str text, struct jr_selector *ret)
{
    struct lexer l = { jr_str_trim(text) };

    if (l.rest.n == 0)
        return true;
    ret->set = true;
    ret->match_expressions.v =
        jr_xarena_calloc(&op->arena, l.rest.n, sizeof(*ret->match_expressions.v));
    for (;;) {
        if (!parse_requirement(op, &l, &ret->match_expressions.v[ret->match_expressions.n++]))
            return false;
        struct jr_str t = next_token(&l);
        if (t.n == 0)
            return true;
        if (!jr_str_is(t, ","))
            return refuse_token(op, t, "',' or 'end of string'");
    }
}

/* ---- fields: a=b,c!=d ---- */

static bool refuse_field(struct jr_dev_op *op, struct jr_str name)
{
    if (op->res->fields[0] != NULL) /* kinds with fields of their own have other words */
        return jr_dev_refusef(op, 400, "BadRequest", "field label not supported: %.*s", JR_P(name));
    return jr_dev_refusef(op, 400, "BadRequest",
                          "\"%.*s\" is not a known field selector: only \"metadata.name\"%s",
                          JR_P(name), op->res->namespaced ? ", \"metadata.namespace\"" : "");
}

static bool parse_term(struct jr_dev_op *op, struct jr_str term, struct jr_dev_field_term *ret)
{
    ptrdiff_t eq = jr_str_find(term, '=');
    struct jr_str name;

    if (eq <= 0)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "invalid selector: '%.*s'; can't understand '%.*s'", JR_P(term),
                              JR_P(term));
    name = jr_str_head(term, (size_t)eq);
    ret->value = jr_str_from(term, (size_t)eq + 1);
    ret->not_equal = jr_str_ends(name, JR_S("!"));
    if (ret->not_equal)
        name = jr_str_head(name, name.n - 1);
    else if (jr_str_starts(ret->value, JR_S("=")))
        ret->value = jr_str_from(ret->value, 1);
    name = jr_str_trim(name);
    if (jr_str_is(name, "metadata.name")) {
        ret->field = -1;
        return true;
    }
    if (jr_str_is(name, "metadata.namespace")) {
        ret->field = -2;
        return true;
    }
    for (int i = 0; op->res->fields[i] != NULL; i++) {
        if (jr_str_is(name, op->res->fields[i])) {
            ret->field = i;
            return true;
        }
    }
    return refuse_field(op, name);
}

static bool parse_fields(struct jr_dev_op *op, struct jr_str text, struct jr_dev_selector *ret)
{
    struct jr_str term;

    ret->fields = jr_xarena_calloc(&op->arena, text.n + 1, sizeof(*ret->fields));
    while (jr_str_cut(&text, ',', &term)) {
        term = jr_str_trim(term);
        if (term.n > 0 && !parse_term(op, term, &ret->fields[ret->n_fields++]))
            return false;
    }
    return true;
}

bool jr_dev_selector_parse(struct jr_dev_op *op, struct jr_dev_selector *ret)
{
    *ret = (struct jr_dev_selector){ .n_fields = 0 };
    return parse_labels(op, jr_dev_param(op, "labelSelector"), &ret->labels) &&
           parse_fields(op, jr_dev_param(op, "fieldSelector"), ret);
}

static struct jr_str field_of(const struct jr_dev_object *o, int field)
{
    if (field == -1)
        return o->meta.name;
    if (field == -2)
        return o->meta.namespace;
    return o->fields[field];
}

bool jr_dev_selector_matches(const struct jr_dev_selector *s, const struct jr_dev_object *o)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct jr_dev_field_term *t = &s->fields[i];

        if (jr_str_eq(field_of(o, t->field), t->value) == t->not_equal)
            return false;
    }
    return !s->labels.set || jr_selector_matches(&s->labels, &o->meta.labels);
}
