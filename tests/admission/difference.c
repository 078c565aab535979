/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/admission/difference.h"

#include <ctype.h>
#include <stdlib.h>

/** An error or a warning of an answer, and what orders it. */
struct item {
    struct jr_str type;
    struct jr_str field;
    struct jr_str detail;  /* {NULL, 0}: not told, as by API servers; it ends the message */
    struct jr_str whole;   /* the message */
    struct jr_str message; /* the same; {NULL, 0}: not compared */
    struct jr_str map;     /* path of the map that it is about; {NULL, 0}: none */
};
struct items {
    struct item *v;
    size_t n;
};

static void items_done(struct items *l)
{
    free(l->v);
}

/* ---- reading ---- */

/** "labels", "matchLabels[a/b]": the map's path, which is the field or all before its key. Errors
 * about resources name limits and requests by turns, for each key. */
static struct jr_str map_of(struct jr_str field)
{
    static const char resources[] = ".resources.";
    const char *r = field.n == 0 ? NULL : memmem(field.p, field.n, resources, strlen(resources));
    static const char *const maps[] = { "labels", "annotations", "matchLabels", "nodeSelector" };
    ptrdiff_t open = jr_str_rfind(field, '[');

    if (r != NULL)
        return jr_str_head(field, (size_t)(r - field.p) + strlen(resources));
    for (size_t i = 0; i < JR_ARRAY_SIZE(maps); i++) {
        if (jr_str_ends(field, jr_str(maps[i])))
            return field;
    }
    if (open < 0 || !jr_str_ends(field, JR_S("]")) ||
        (field.p[open + 1] >= '0' && field.p[open + 1] <= '9'))
        return (struct jr_str){ NULL, 0 };
    return jr_str_head(field, (size_t)open);
}

/** A value in Go's own syntax, v1.T{...}, []int32(nil): with addresses in it, as versions before
 * 1.34 show objects and lists. Maps of strings have none, and are compared. */
static bool has_go_value(struct jr_str message)
{
    const char *p = message.n == 0 ? NULL : memmem(message.p, message.n, ": ", 2);
    struct jr_str value = p == NULL ? JR_S("") : jr_str_from(message, (size_t)(p - message.p) + 2);
    size_t n = 0;

    if (jr_str_starts(value, JR_S("map[string]string")))
        return false;
    while (n < value.n && (isalnum((unsigned char)value.p[n]) ||
                           (value.p[n] != '\0' && strchr("[]*._", value.p[n]) != NULL)))
        n++;
    value = jr_str_from(value, n);
    return n > 0 && (jr_str_starts(value, JR_S("{")) || jr_str_starts(value, JR_S("(nil)")));
}

/** Ours shows a Pod template that may not change as a manifest has it, not as Go's internal type,
 * and no values in Go's syntax: docs/differences.md. All other values are compared. */
static struct jr_str comparable(struct jr_str field, struct jr_str message)
{
    if (jr_str_is(field, "spec.template") || jr_str_is(field, "spec.template.spec") ||
        has_go_value(message))
        return (struct jr_str){ NULL, 0 };
    return message;
}

/** Of equal warnings a client sees one. */
static bool has_detail(const struct items *l, struct jr_str detail)
{
    for (size_t i = 0; i < l->n; i++) {
        if (jr_str_eq(l->v[i].detail, detail))
            return true;
    }
    return false;
}

static bool read_items(const struct jr_node *list, bool warnings, struct items *ret)
{
    ret->v = calloc(jr_size(list) + 1, sizeof(*ret->v));
    if (ret->v == NULL)
        return false;
    for (const struct jr_node *e = jr_first(list); e != NULL; e = jr_next(e)) {
        struct item *i;

        if (warnings && has_detail(ret, jr_node_str(e)))
            continue;
        i = &ret->v[ret->n++];
        i->type = warnings ? JR_S("warning") : jr_get_str(e, "type");
        i->field = jr_get_str(e, "field");
        i->detail = warnings ? jr_node_str(e) : jr_get_str(e, "detail");
        i->whole = jr_get_str(e, "message");
        i->message = comparable(i->field, i->whole);
        i->map = warnings ? JR_S("warnings") : map_of(i->field);
    }
    return true;
}

/* ---- order ---- */

static int by_all(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = jr_str_cmp(x->field, y->field);

    if (c == 0)
        c = jr_str_cmp(x->type, y->type);
    if (c == 0)
        c = jr_str_cmp(x->whole, y->whole);
    return c != 0 ? c : jr_str_cmp(x->detail, y->detail);
}

/** Errors about one map in a row: sorted. */
static void sort_maps(struct items *l)
{
    for (size_t i = 0, end; i < l->n; i = end) {
        for (end = i + 1;
             end < l->n && l->v[i].map.p != NULL && jr_str_eq(l->v[end].map, l->v[i].map);)
            end++;
        qsort(&l->v[i], end - i, sizeof(l->v[i]), by_all);
    }
}

static bool same_detail(const struct item *a, const struct item *b)
{
    return a->detail.p == NULL ? jr_str_ends(a->whole, b->detail) : jr_str_eq(a->detail, b->detail);
}

/* Less than that is never cut. */
#define VALUE_MAX 4096

/** Ours shows long values cut: "xxx"...: words, {"a":"xxx...: words. */
static bool same_but_cut(struct jr_str ours, struct jr_str upstream)
{
    static const char cut[] = "...: ";
    const char *p = ours.n == 0 ? NULL : memmem(ours.p, ours.n, cut, strlen(cut));
    size_t n = p == NULL ? 0 : (size_t)(p - ours.p);
    struct jr_str begin = jr_str_head(ours, n);

    if (jr_str_ends(begin, JR_S("\"")))
        begin.n--;
    return n > VALUE_MAX && jr_str_starts(upstream, begin) &&
           jr_str_ends(upstream, jr_str_from(ours, n + strlen("...")));
}

static bool same_message(const struct item *a, const struct item *b)
{
    return a->message.p == NULL || b->message.p == NULL || jr_str_eq(a->message, b->message) ||
           same_but_cut(a->message, b->message) || same_but_cut(b->message, a->message);
}

static bool same_item(const struct item *a, const struct item *b)
{
    return jr_str_eq(a->field, b->field) && jr_str_eq(a->type, b->type) &&
           (b->detail.p == NULL ? same_detail(b, a) : same_detail(a, b)) && same_message(a, b);
}

static bool same_items(const struct items *a, const struct items *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (!same_item(&a->v[i], &b->v[i]))
            return false;
    }
    return true;
}

/** Takes the errors out of l that lie below a field that ours does not validate. */
static void set_apart(struct items *l, const struct jr_node *paths, const struct items *ours,
                      struct jr_buf *out)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jr_str field = l->v[i].field;
        bool apart = false;

        for (const struct jr_node *p = jr_first(paths); p != NULL && !apart; p = jr_next(p)) {
            const struct jr_str path = jr_node_str(p);

            apart = jr_str_starts(field, path) &&
                    (field.n == path.n || field.p[path.n] == '.' || field.p[path.n] == '[');
        }
        for (size_t k = 0; k < ours->n && apart; k++)
            apart = !same_item(&l->v[i], &ours->v[k]);
        if (apart)
            (void)jr_buf_addf(out, "%.*s\n", JR_P(field));
        else
            l->v[n++] = l->v[i];
    }
    l->n = n;
}

/** Names what a has and b has not. */
static size_t only(const char *who, const struct items *a, struct items *b, struct jr_buf *out)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        bool found = false;

        for (size_t k = 0; k < b->n && !found; k++) {
            found = b->v[k].type.p != NULL && same_item(&a->v[i], &b->v[k]);
            if (found)
                b->v[k].type.p = NULL; /* taken */
        }
        if (found)
            continue;
        (void)jr_buf_addf(out, "  only %s: %.*s %.*s: %.*s", who, JR_P(a->v[i].type),
                          JR_P(a->v[i].field), JR_P(a->v[i].detail));
        if (a->v[i].message.p != NULL)
            (void)jr_buf_addf(out, " (%.*s)", JR_P(a->v[i].message));
        (void)jr_buf_addc(out, '\n');
        n++;
    }
    return n;
}

static enum jr_status list_difference(const char *what, const struct jr_node *upstream,
                                      const struct jr_node *ours, struct jr_buf *out,
                                      struct jr_buf *unvalidated, size_t *n)
{
    JR_CLEANUP(items_done) struct items a = { 0 };
    JR_CLEANUP(items_done) struct items b = { 0 };
    JR_CLEANUP(items_done) struct items c = { 0 };
    bool warnings = strcmp(what, "warnings") == 0;
    const struct jr_node *mine = jr_get(ours, what);
    size_t differences;

    if (!read_items(jr_get(upstream, what), warnings, &a) || !read_items(mine, warnings, &b))
        return JR_NOMEM;
    set_apart(&a, jr_get(ours, "unvalidated"), &b, unvalidated);
    sort_maps(&a);
    sort_maps(&b);
    if (same_items(&a, &b))
        return JR_OK;
    if (!read_items(mine, warnings, &c))
        return JR_NOMEM;
    differences = only("upstream", &a, &b, out);
    for (size_t i = 0; i < a.n; i++)
        a.v[i].type = a.v[i].type.p == NULL ? JR_S("") : a.v[i].type;
    differences += only("ours", &c, &a, out);
    if (differences == 0) {
        (void)jr_buf_addf(out, "  %s are in another order\n", what);
        differences = 1;
    }
    *n += differences;
    return JR_OK;
}

/* ---- the whole ---- */

bool jr_answer_refuses(const struct jr_node *answer)
{
    return jr_size(jr_get(answer, "errors")) > 0 || jr_get(answer, "decodeError") != NULL ||
           jr_get(answer, "panic") != NULL || jr_get(answer, "cut") != NULL;
}

enum jr_status jr_answer_difference(const struct jr_node *upstream, const struct jr_node *ours,
                                    struct jr_buf *out, struct jr_buf *unvalidated, size_t *ret_n)
{
    static const char *const objects[] = { "defaulted", "prepared" };
    const struct jr_str up_400 = jr_get_str(upstream, "decodeError");
    const struct jr_str our_400 = jr_get_str(ours, "decodeError");
    size_t n = 0;
    enum jr_status st = JR_OK;

    if (jr_get(upstream, "panic") != NULL || jr_get(upstream, "cut") != NULL ||
        (up_400.p != NULL && our_400.p != NULL)) {
        if (!jr_answer_refuses(ours)) {
            (void)jr_buf_adds(out, "  upstream panics or cuts the connection, ours accepts\n");
            n++;
        }
    } else if (up_400.p != NULL || our_400.p != NULL) {
        (void)jr_buf_addf(out, "  decoded by one: upstream \"%.*s\", ours \"%.*s\"\n", JR_P(up_400),
                          JR_P(our_400));
        n++;
    } else {
        st = list_difference("errors", upstream, ours, out, unvalidated, &n);
        if (st == JR_OK)
            st = list_difference("warnings", upstream, ours, out, unvalidated, &n);
        for (size_t i = 0; i < JR_ARRAY_SIZE(objects); i++) {
            if (jr_get(upstream, objects[i]) != NULL)
                jr_object_difference(objects[i], jr_get(upstream, objects[i]),
                                     jr_get(ours, objects[i]), out, &n);
        }
    }
    *ret_n = n;
    return st == JR_OK ? out->failed : st;
}
