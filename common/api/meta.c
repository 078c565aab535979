/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into metadata. */
#include "common/api/meta.h"

struct jr_str jr_labels_get(const struct jr_labels *l, struct jr_str key)
{
    for (size_t i = l->n; i > 0; i--) { /* of equal keys the last counts, as in Go */
        if (jr_str_eq(l->v[i - 1].key, key))
            return l->v[i - 1].value;
    }
    return (struct jr_str){ NULL, 0 };
}

bool jr_strs_has(const struct jr_strs *s, struct jr_str v)
{
    for (size_t i = 0; i < s->n; i++) {
        if (jr_str_eq(s->v[i], v))
            return true;
    }
    return false;
}

size_t jr_selector_length(const struct jr_selector *s)
{
    size_t n = s->match_labels.n + s->match_expressions.n;

    for (size_t i = 0; i < s->match_expressions.n; i++)
        n += s->match_expressions.v[i].values.n;
    return n;
}

struct jr_time jr_deletion_asked(struct jr_time deletion, int64_t grace_s)
{
    int64_t ns;

    if (__builtin_mul_overflow(grace_s, JR_SEC, &ns) ||
        __builtin_sub_overflow(deletion.ns, ns, &ns))
        return deletion;
    return (struct jr_time){ ns };
}

const struct jr_owner_ref *jr_meta_controller(const struct jr_meta *m)
{
    for (size_t i = 0; i < m->owner_refs.n; i++) {
        if (jr_bool_or(m->owner_refs.v[i].controller, false))
            return &m->owner_refs.v[i];
    }
    return NULL;
}
