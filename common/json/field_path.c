/* SPDX-License-Identifier: Apache-2.0 */
/* Field paths: rendered, kept. Recursion is as deep as the path, which is as deep as the object. */
#include "common/json/field_path.h"

#include <stdint.h>

static void write_from(const struct jr_field_path *p, bool go, size_t start, struct jr_buf *out)
{
    if (p == NULL)
        return;
    write_from(p->parent, go, start, out);
    if (p->hidden)
        return;
    if (p->name.p == NULL) {
        if (!go)
            (void)jr_buf_addf(out, "[%zu]", p->index);
    } else if (p->key) {
        (void)jr_buf_addf(out, "[%.*s]", JR_P(p->name));
    } else {
        if (out->n > start)
            (void)jr_buf_addc(out, '.');
        if (go && p->via != NULL)
            (void)jr_buf_addf(out, "%s.", p->via);
        (void)jr_buf_add(out, p->name);
    }
}

enum jr_status jr_field_path_write(const struct jr_field_path *path, struct jr_buf *out)
{
    write_from(path, false, out->n, out);
    return out->failed;
}

enum jr_status jr_field_path_write_go(const struct jr_field_path *path, struct jr_buf *out)
{
    write_from(path, true, out->n, out);
    return out->failed;
}

struct jr_str jr_field_path_text(const struct jr_field_path *path, struct jr_arena *arena)
{
    struct jr_str text = { NULL, 0 };
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_FIELD_PATH_BYTES);
    if (jr_field_path_write(path, &b) != JR_OK || !jr_arena_str(arena, jr_buf_str(&b), &text))
        return (struct jr_str){ NULL, 0 };
    return text;
}

static bool is_same_segment(const struct jr_field_path *a, const struct jr_field_path *b)
{
    if (a->key != b->key || a->hidden != b->hidden || a->index != b->index || a->via != b->via)
        return false;
    return (a->name.p == NULL) == (b->name.p == NULL) && jr_str_eq(a->name, b->name);
}

bool jr_field_path_keep(const struct jr_field_path *path, const struct jr_field_path *like,
                        struct jr_arena *arena, const struct jr_field_path **ret)
{
    const struct jr_field_path *parent = NULL;
    struct jr_field_path *copy;

    *ret = NULL;
    if (path == NULL)
        return true;
    if (!jr_field_path_keep(path->parent, like, arena, &parent))
        return false;
    for (; like != NULL; like = like->parent) {
        if (like->parent == parent && is_same_segment(like, path)) {
            *ret = like;
            return true;
        }
    }
    copy = jr_arena_alloc(arena, sizeof(*copy));
    if (copy == NULL)
        return false;
    *copy = *path;
    copy->parent = parent;
    *ret = copy;
    return path->name.p == NULL || jr_arena_str(arena, path->name, &copy->name);
}

struct jr_node *jr_field_find(const struct jr_node *n, const struct jr_field_path *path)
{
    if (path == NULL)
        return (struct jr_node *)(uintptr_t)n;
    n = jr_field_find(n, path->parent);
    return path->name.p == NULL ? jr_at(n, path->index) : jr_getn(n, path->name);
}

bool jr_field_path_begins(const struct jr_field_path *path, const char *name)
{
    while (path != NULL && path->parent != NULL)
        path = path->parent;
    return path != NULL && jr_str_is(path->name, name);
}
