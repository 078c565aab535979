/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/choice.h"

#include "common/base/num.h"

static const char *const words[] = {
#define X(name, word) word,
    SIM_ITEM_MAP(X)
#undef X
};

void sim_choice_done(struct sim_choice *c)
{
    for (size_t i = 0; i < SIM_N_ITEMS; i++)
        free(c->of[i].list.v);
    *c = (struct sim_choice){ 0 };
}

enum jr_status sim_numbers_add(struct sim_numbers *l, uint64_t number)
{
    if (l->n == l->cap) {
        size_t cap = l->cap == 0 ? 16 : l->cap * 2;
        uint64_t *v = reallocarray(l->v, cap, sizeof(*v));

        if (v == NULL)
            return JR_NOMEM;
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n++] = number;
    return JR_OK;
}

bool sim_numbers_has(const struct sim_numbers *l, uint64_t number)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i] == number)
            return true;
    }
    return false;
}

bool sim_chosen(const struct sim_choice *c, enum sim_item item, uint64_t number)
{
    return sim_numbers_has(&c->of[item].list, number) == c->of[item].only;
}

static enum jr_status add_range(struct sim_numbers *l, struct jr_str text)
{
    struct jr_str from;
    uint64_t a, b;

    if (!jr_str_cut(&text, '-', &from))
        return JR_OK;
    if (jr_parse_u64(from, &a) != JR_OK)
        return JR_USAGE;
    b = a;
    if (text.n > 0 && jr_parse_u64(text, &b) != JR_OK)
        return JR_USAGE;
    for (; a <= b; a++) {
        if (sim_numbers_add(l, a) != JR_OK)
            return JR_NOMEM;
    }
    return JR_OK;
}

enum jr_status sim_choice_parse(struct sim_choice *c, struct jr_str element, bool keep,
                                enum sim_item *kind, struct jr_error *err)
{
    ptrdiff_t colon = jr_str_find(element, ':');
    struct jr_str numbers = jr_str_from(element, (size_t)(colon + 1));
    enum jr_status st;

    if (colon >= 0) {
        int i = 0;

        while (i < SIM_N_ITEMS && !jr_str_is(jr_str_head(element, (size_t)colon), words[i]))
            i++;
        if (i == SIM_N_ITEMS)
            return jr_fail(err, JR_USAGE, NULL, "%.*s: unknown kind", JR_P(element));
        *kind = (enum sim_item)i;
    }
    if (*kind == SIM_N_ITEMS)
        return jr_fail(err, JR_USAGE, NULL, "expected KIND:NUMBERS");
    c->of[*kind].only = keep;
    st = add_range(&c->of[*kind].list, numbers);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "%.*s: no number", JR_P(element));
}

enum jr_status sim_choice_write(const struct sim_choice *c, struct jr_buf *out)
{
    for (size_t i = 0; i < SIM_N_ITEMS; i++) {
        const struct sim_numbers *l = &c->of[i].list;

        if (l->n == 0 && !c->of[i].only)
            continue;
        (void)jr_buf_addf(out, " %s %s:", c->of[i].only ? "--keep" : "--leave-out", words[i]);
        for (size_t k = 0; k < l->n; k++)
            (void)jr_buf_addf(out, "%s%llu", k == 0 ? "" : ",", (unsigned long long)l->v[k]);
    }
    return out->failed;
}

enum jr_status sim_choice_copy(const struct sim_choice *from, struct sim_choice *to)
{
    sim_choice_done(to);
    for (size_t i = 0; i < SIM_N_ITEMS; i++) {
        to->of[i].only = from->of[i].only;
        for (size_t k = 0; k < from->of[i].list.n; k++) {
            if (sim_numbers_add(&to->of[i].list, from->of[i].list.v[k]) != JR_OK)
                return JR_NOMEM;
        }
    }
    return JR_OK;
}
