/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Pointers: their tokens, and the steps through a tree. */
#include "common/json/pointer.h"

#include "common/base/num.h"
#include "common/json/patch.h"

enum jr_status jr_pointer_add(struct jr_buf *out, struct jr_str token)
{
    size_t run = 0;

    for (size_t i = 0; i < token.n; i++) {
        if (token.p[i] != '~' && token.p[i] != '/')
            continue;
        jr_buf_add(out, (struct jr_str){ token.p + run, i - run });
        jr_buf_add(out, token.p[i] == '~' ? JR_S("~0") : JR_S("~1"));
        run = i + 1;
    }
    return jr_buf_add(out, jr_str_from(token, run));
}

bool jr_pointer_valid(struct jr_str pointer)
{
    if (pointer.n == 0)
        return true;
    if (pointer.p[0] != '/')
        return false;
    for (size_t i = 0; i < pointer.n; i++) {
        if (pointer.p[i] == '~' &&
            (i + 1 == pointer.n || (pointer.p[i + 1] != '0' && pointer.p[i + 1] != '1')))
            return false;
    }
    return true;
}

bool jr_pointer_cut(struct jr_str *rest, struct jr_str *ret_token)
{
    ptrdiff_t at;

    if (rest->n == 0)
        return false;
    *rest = jr_str_from(*rest, 1);
    at = jr_str_find(*rest, '/');
    *ret_token = at < 0 ? *rest : jr_str_head(*rest, (size_t)at);
    *rest = jr_str_from(*rest, ret_token->n);
    return true;
}

bool jr_pointer_index(struct jr_str token, size_t *ret)
{
    uint64_t v;

    if (jr_parse_u64(token, &v) != JR_OK || v > SIZE_MAX - 1)
        return false;
    *ret = (size_t)v;
    return true;
}

size_t jr_pointer_unescape(struct jr_str token, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < token.n; i++) {
        if (token.p[i] == '~' && i + 1 < token.n)
            out[n++] = token.p[++i] == '0' ? '~' : '/';
        else
            out[n++] = token.p[i];
    }
    return n;
}

static bool names(struct jr_str token, struct jr_str key)
{
    size_t at = 0;

    for (size_t i = 0; i < token.n; i++, at++) {
        char c = token.p[i];

        if (c == '~' && i + 1 < token.n)
            c = token.p[++i] == '0' ? '~' : '/';
        if (at == key.n || key.p[at] != c)
            return false;
    }
    return at == key.n;
}

cJSON *jr_pointer_step(const cJSON *t, struct jr_str token)
{
    size_t i;

    if (is_array(t))
        return jr_pointer_index(token, &i) ? jr_tree_element(t, i) : NULL;
    if (!is_object(t))
        return NULL;
    if (jr_str_find(token, '~') < 0)
        return jr_tree_member(t, token);
    for (cJSON *c = t->child; c != NULL; c = c->next) {
        if (names(token, tree_key(c)))
            return c;
    }
    return NULL;
}

struct jr_node *jr_pointer_get(struct jr_node *root, struct jr_str pointer)
{
    cJSON *t = tree_mut(root);
    struct jr_str token;

    if (!jr_pointer_valid(pointer))
        return NULL;
    while (t != NULL && jr_pointer_cut(&pointer, &token))
        t = jr_pointer_step(t, token);
    return node_of(t);
}
