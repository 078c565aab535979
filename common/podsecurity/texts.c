/* SPDX-License-Identifier: Apache-2.0 */
/* Names that checks gather, and the words in which they are told. */
#include <stdlib.h>

#include "common/base/hash.h"
#include "common/podsecurity/check.h"

void jr_checked_add(struct jr_pod_check_state *c, struct jr_checked_texts *to, struct jr_str text)
{
    struct jr_str *v = jr_arena_room(c->arena, to->v, to->n, &to->cap, sizeof(*v));

    if (v == NULL) {
        c->failed = JR_NOMEM;
        return;
    }
    to->v = v;
    to->v[to->n++] = text;
}

void jr_checked_place(struct jr_pod_check_state *c, struct jr_str at, struct jr_str what)
{
    uint64_t *v = jr_arena_room(c->arena, c->places.v, c->places.n, &c->places.cap, sizeof(*v));

    if (v == NULL) {
        c->failed = JR_NOMEM;
        return;
    }
    c->places.v = v;
    v[c->places.n++] = jr_hash_more(jr_hash(at), what);
}

/** Notes the place with the values from that one on. */
static void add_places(struct jr_pod_check_state *c, struct jr_str at, size_t from)
{
    if (from == c->values.n)
        jr_checked_place(c, at, JR_S(""));
    for (size_t i = from; i < c->values.n; i++)
        jr_checked_place(c, at, c->values.v[i]);
}

bool jr_checked_pod(struct jr_pod_check_state *c, bool bad)
{
    if (bad)
        add_places(c, JR_S(""), 0);
    return bad;
}

void jr_checked_sort(struct jr_checked_texts *t)
{
    size_t n = 0;

    if (t->n > 1)
        qsort(t->v, t->n, sizeof(*t->v), jr_str_order);
    for (size_t i = 0; i < t->n; i++) {
        if (n == 0 || !jr_str_eq(t->v[n - 1], t->v[i]))
            t->v[n++] = t->v[i];
    }
    t->n = n;
}

void jr_checked_quote(struct jr_pod_check_state *c, const struct jr_checked_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        (void)jr_buf_addf(&c->detail, "%s\"%.*s\"", i > 0 ? ", " : "", JR_P(t->v[i]));
}

const char *jr_checked_plural(const char *one, const char *many, size_t n)
{
    return n == 1 ? one : many;
}

void jr_checked_containers(struct jr_pod_check_state *c)
{
    (void)jr_buf_addf(&c->detail, "%s ", jr_checked_plural("container", "containers", c->names.n));
    jr_checked_quote(c, &c->names);
}

void jr_checked_setters(struct jr_pod_check_state *c, bool pod)
{
    if (pod)
        (void)jr_buf_adds(&c->detail, c->names.n > 0 ? "pod and " : "pod");
    if (c->names.n > 0)
        jr_checked_containers(c);
}

void jr_checked_gather(struct jr_pod_check_state *c, jr_checked_fn *is_bad)
{
    for (size_t i = 0; i < c->n; i++) {
        const size_t from = c->values.n;

        if (!is_bad(c, &c->containers[i]))
            continue;
        jr_checked_add(c, &c->names, c->containers[i].name);
        add_places(c, c->containers[i].name, from);
    }
}
