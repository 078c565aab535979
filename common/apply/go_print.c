/* SPDX-License-Identifier: Apache-2.0 */
/* Values as Go prints them. */
#include "common/apply/go_print.h"

#include "common/base/memory.h"

static int by_key(const void *a, const void *b)
{
    return jr_str_cmp(jr_key(*(const struct jr_node *const *)a),
                      jr_key(*(const struct jr_node *const *)b));
}

void jr_print_go(const struct jr_node *n, struct jr_arena *arena, struct jr_buf *out)
{
    bool object = jr_node_kind(n) == JR_OBJECT;
    const struct jr_node **v;
    size_t count = 0;

    if (!object && jr_node_kind(n) != JR_ARRAY) {
        if (jr_node_kind(n) == JR_STRING)
            (void)jr_buf_add(out, jr_node_str(n));
        else if (jr_node_kind(n) == JR_NULL)
            (void)jr_buf_adds(out, "<nil>");
        else
            jr_must(jr_node_print(n, out));
        return;
    }
    v = jr_xarena_calloc(arena, jr_size(n), sizeof(*v));
    for (const struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c))
        v[count++] = c;
    if (object && count > 1)
        qsort(v, count, sizeof(*v), by_key);
    (void)jr_buf_adds(out, object ? "map[" : "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            (void)jr_buf_addc(out, ' ');
        if (object)
            (void)jr_buf_addf(out, "%.*s:", JR_P(jr_key(v[i])));
        jr_print_go(v[i], arena, out);
    }
    (void)jr_buf_addc(out, ']');
}
