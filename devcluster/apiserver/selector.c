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

static enum jr_status found(struct jr_dev_op *op, struct jr_str token, const char *expected)
{
    return jr_dev_refusef(op, 400, "BadRequest",
                          "unable to parse requirement: found '%.*s', expected: %s", JR_P(token),
                          expected);
}

/* "(a,b)" behind in and notin. */
static enum jr_status parse_values(struct jr_dev_op *op, struct lexer *l, struct jr_strs *values,
                                   size_t room)
{
    struct jr_str t = next_token(l);

    if (!jr_str_is(t, "("))
        return found(op, t, "'('");
    for (;;) {
        t = next_token(l);
        if (jr_str_is(t, ")"))
            return JR_OK;
        if (jr_str_is(t, ","))
            continue;
        if (!is_identifier(t) || values->n == room)
            return found(op, t, "',', or identifier");
        values->v[values->n++] = t;
    }
}

static enum jr_status parse_requirement(struct jr_dev_op *op, struct lexer *l,
                                        struct jr_selector_req *req)
{
    struct jr_str t = next_token(l), sign;
    size_t room = l->rest.n + 1;

    *req = (struct jr_selector_req){ .op = JR_S("Exists") };
    if (jr_str_is(t, "!")) {
        t = next_token(l);
        req->op = JR_S("DoesNotExist");
    }
    if (!is_identifier(t))
        return found(op, t, "!, identifier, or 'end of string'");
    req->key = t;
    sign = peek_token(l);
    if (sign.n == 0 || jr_str_is(sign, ",") || jr_str_is(req->op, "DoesNotExist"))
        return JR_OK;
    (void)next_token(l);
    req->values.v = jr_arena_calloc(&op->arena, room, sizeof(*req->values.v));
    if (req->values.v == NULL)
        return JR_NOMEM;
    if (jr_str_is(sign, "in") || jr_str_is(sign, "notin")) {
        req->op = jr_str_is(sign, "in") ? JR_S("In") : JR_S("NotIn");
        return parse_values(op, l, &req->values, room);
    }
    if (!jr_str_is(sign, "=") && !jr_str_is(sign, "==") && !jr_str_is(sign, "!="))
        return found(op, sign, "in, notin, =, ==, !=, gt, lt");
    req->op = jr_str_is(sign, "!=") ? JR_S("NotIn") : JR_S("In");
    t = peek_token(l);
    if (t.n == 0 || jr_str_is(t, ","))
        t = JR_S("");
    else
        t = next_token(l);
    if (t.n > 0 && !is_identifier(t))
        return found(op, t, "identifier");
    req->values.v[0] = t;
    req->values.n = 1;
    return JR_OK;
}

static enum jr_status parse_labels(struct jr_dev_op *op, struct jr_str text,
                                   struct jr_selector *ret)
{
    struct lexer l = { jr_str_trim(text) };
    enum jr_status st = JR_OK;

    if (l.rest.n == 0)
        return JR_OK;
    ret->set = true;
    ret->match_expressions.v =
        jr_arena_calloc(&op->arena, l.rest.n, sizeof(*ret->match_expressions.v));
    if (ret->match_expressions.v == NULL)
        return JR_NOMEM;
    for (;;) {
        st = parse_requirement(op, &l, &ret->match_expressions.v[ret->match_expressions.n++]);
        if (st != JR_OK)
            return st;
        struct jr_str t = next_token(&l);
        if (t.n == 0)
            return JR_OK;
        if (!jr_str_is(t, ","))
            return found(op, t, "',' or 'end of string'");
    }
}

/* ---- fields: a=b,c!=d ---- */

static enum jr_status refuse_field(struct jr_dev_op *op, struct jr_str name)
{
    const struct jr_dev_selectable *f = op->res->fields;
    JR_BUF list = { 0 };

    if (f[0].name != NULL) /* kinds with fields of their own have other words */
        return jr_dev_refusef(op, 400, "BadRequest", "field label not supported: %.*s", JR_P(name));
    jr_buf_init(&list, 4096);
    (void)jr_buf_adds(&list, "\"metadata.name\"");
    if (op->res->namespaced)
        (void)jr_buf_adds(&list, ", \"metadata.namespace\"");
    if (list.failed != JR_OK)
        return JR_NOMEM;
    return jr_dev_refusef(op, 400, "BadRequest", "\"%.*s\" is not a known field selector: only %s",
                          JR_P(name), list.p);
}

static enum jr_status parse_term(struct jr_dev_op *op, struct jr_str term,
                                 struct jr_dev_field_term *ret)
{
    const struct jr_dev_selectable *f = op->res->fields;
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
        return JR_OK;
    }
    if (jr_str_is(name, "metadata.namespace")) {
        ret->field = -2;
        return JR_OK;
    }
    for (int i = 0; f[i].name != NULL; i++) {
        if (jr_str_is(name, f[i].name)) {
            ret->field = i;
            return JR_OK;
        }
    }
    return refuse_field(op, name);
}

static enum jr_status parse_fields(struct jr_dev_op *op, struct jr_str text,
                                   struct jr_dev_selector *ret)
{
    struct jr_str term;
    enum jr_status st = JR_OK;

    ret->fields = jr_arena_calloc(&op->arena, text.n + 1, sizeof(*ret->fields));
    if (ret->fields == NULL)
        return JR_NOMEM;
    while (st == JR_OK && jr_str_cut(&text, ',', &term)) {
        term = jr_str_trim(term);
        if (term.n > 0)
            st = parse_term(op, term, &ret->fields[ret->n_fields++]);
    }
    return st;
}

enum jr_status jr_dev_selector_parse(struct jr_dev_op *op, struct jr_dev_selector *ret)
{
    enum jr_status st;

    *ret = (struct jr_dev_selector){ .n_fields = 0 };
    st = parse_labels(op, jr_dev_param(op, "labelSelector"), &ret->labels);
    if (st == JR_OK)
        st = parse_fields(op, jr_dev_param(op, "fieldSelector"), ret);
    return st;
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
