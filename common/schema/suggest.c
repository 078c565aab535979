/* SPDX-License-Identifier: Apache-2.0 */
/* The closest name at the place of the field, else a field of its name, the nearest to that place.
 */
#include "common/schema/suggest.h"

#include <stdio.h>

#include "common/schema/schema.h"

#define NAME_MAX_N 63
#define DEPTH_MAX 12

/* ---- likeness ---- */

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned jr_suggest_distance(struct jr_str a, struct jr_str b, unsigned limit)
{
    unsigned rows[3][NAME_MAX_N + 1]; /* two before, before, now */

    if (a.n > NAME_MAX_N || b.n > NAME_MAX_N)
        return limit + 1;
    for (unsigned k = 0; k <= b.n; k++)
        rows[0][k] = k;
    for (unsigned i = 1; i <= a.n; i++) {
        const unsigned *twice = rows[(i + 1) % 3], *once = rows[(i - 1) % 3];
        unsigned *now = rows[i % 3];

        now[0] = i;
        for (unsigned k = 1; k <= b.n; k++) {
            const int x = lower(a.p[i - 1]), y = lower(b.p[k - 1]);

            now[k] = least(least(once[k], now[k - 1]) + 1, once[k - 1] + (x != y));
            if (i > 1 && k > 1 && x == lower(b.p[k - 2]) && lower(a.p[i - 2]) == y)
                now[k] = least(now[k], twice[k - 2] + 1);
        }
    }
    return least(rows[a.n % 3][b.n], limit + 1);
}

/* ---- the schema ---- */

static const char *alike(const struct jr_schema_type *of, struct jr_str name, unsigned limit,
                         unsigned minor)
{
    const char *best = NULL;
    unsigned nearest = limit + 1;

    for (; of != NULL; of = of->embedded) {
        for (const struct jr_schema_field *f = of->fields; f->name != NULL; f++) {
            unsigned d = jr_suggest_distance(name, jr_str(f->name), limit);
            if (d < nearest && jr_schema_known(f, minor)) {
                nearest = d;
                best = f->name;
            }
        }
    }
    return best;
}

/* The way to a field, by name, that is the shortest found so far. */
struct search {
    struct jr_str name;
    unsigned minor;
    bool of_root; /* it begins at the object */
    const struct jr_schema_field *way[DEPTH_MAX];
    const struct jr_schema_field *best[DEPTH_MAX];
    size_t n; /* of best; 0: none */
};

/** Whether a field of this name may be looked for below f: short names mean too much ("path"), but
 * that of an object; status is the server's. */
static bool is_open(const struct search *s, const struct jr_schema_field *f, size_t depth)
{
    bool metadata = strcmp(f->name, "metadata") == 0;

    if (s->of_root && depth == 0)
        return metadata || (strcmp(f->name, "spec") == 0 && s->name.n >= 5);
    return !metadata && s->name.n >= 5;
}

/** Shorter ways are; of equal ones the first, but that every Job has containers. */
static bool is_better(const struct search *s, size_t depth)
{
    bool is_main = false;

    for (size_t i = 0; i < depth; i++)
        is_main = is_main || strcmp(s->way[i]->name, "containers") == 0;
    return s->n == 0 || depth + 1 < s->n || (depth + 1 == s->n && is_main);
}

static void search_type(struct search *s, const struct jr_schema_type *of, size_t depth)
{
    if (depth == DEPTH_MAX || (s->n > 0 && depth >= s->n))
        return;
    for (const struct jr_schema_field *f = of->fields; f->name != NULL; f++) {
        s->way[depth] = f;
        if ((depth > 0 || !s->of_root) && jr_schema_known(f, s->minor) &&
            jr_suggest_distance(s->name, jr_str(f->name), 0) == 0 && is_better(s, depth)) {
            s->n = depth + 1;
            memcpy(s->best, s->way, s->n * sizeof(*s->best));
        }
    }
    for (const struct jr_schema_field *f = of->fields; f->name != NULL; f++) {
        if (f->of == NULL || !jr_schema_known(f, s->minor) || !is_open(s, f, depth))
            continue;
        s->way[depth] = f;
        search_type(s, f->of, depth + 1);
    }
    if (of->embedded != NULL)
        search_type(s, of->embedded, depth);
}

/** The struct at path, or whose list is there; NULL if there is none. */
static const struct jr_schema_type *type_at(const struct jr_schema_type *root,
                                            const struct jr_field_path *path)
{
    const struct jr_schema_type *of = path == NULL ? root : type_at(root, path->parent);
    const struct jr_schema_field *f;

    if (path == NULL || path->name.p == NULL || of == NULL)
        return of;
    f = jr_schema_find(of, path->name, NULL);
    return f == NULL ? NULL : f->of;
}

/** NULL: no memory. */
static const char *write_way(const struct search *s, const struct jr_field_path *from,
                             struct jr_arena *arena)
{
    const struct jr_str at = jr_field_path_text(from, arena);
    const char *text =
        at.p == NULL && from != NULL ? NULL : jr_arena_printf(arena, "did you mean %.*s", JR_P(at));

    for (size_t i = 0; i < s->n && text != NULL; i++)
        text = jr_arena_printf(arena, "%s%s%s%s", text, i == 0 && at.n == 0 ? "" : ".",
                               s->best[i]->name,
                               s->best[i]->kind == JR_SCHEMA_LIST && i + 1 < s->n ? "[]" : "");
    return text == NULL ? NULL : jr_arena_printf(arena, "%s?", text);
}

/** Looks for a field of that name within the struct that it was written in, else within the one
 * around that, and so on up to the object. */
static enum jr_status elsewhere(const struct jr_schema_type *root, const struct jr_field_path *path,
                                unsigned minor, struct jr_arena *arena, const char **ret)
{
    const struct jr_field_path *from = path->parent;

    for (;;) {
        struct search s = { .name = path->name, .minor = minor, .of_root = from == NULL };
        const struct jr_schema_type *of = type_at(root, from);

        if (of != NULL)
            search_type(&s, of, 0);
        if (s.n > 0) {
            *ret = write_way(&s, from, arena);
            return *ret == NULL ? JR_NOMEM : JR_OK;
        }
        if (from == NULL)
            return JR_OK;
        from = from->name.p == NULL && from->parent != NULL ? from->parent->parent : from->parent;
    }
}

enum jr_status jr_suggest(const struct jr_schema_type *root, const struct jr_schema_type *in,
                          const struct jr_field_path *path, unsigned minor, struct jr_arena *arena,
                          const char **ret)
{
    const struct jr_str name = path == NULL ? JR_S("") : path->name;
    const char *near = NULL;
    enum jr_status st = JR_OK;

    *ret = NULL;
    if (name.n == 0)
        return JR_OK;
    /* A slip of the finger first, then the right name in the wrong place, then what is alike. */
    near = alike(in, name, name.n > 3, minor);
    if (near == NULL)
        st = elsewhere(root, path, minor, arena, ret);
    if (st != JR_OK || *ret != NULL)
        return st;
    if (near == NULL)
        near = alike(in, name, name.n / 3 > 3 ? 3 : (unsigned)name.n / 3, minor);
    if (near == NULL)
        return JR_OK;
    *ret = jr_arena_printf(arena, "did you mean \"%s\"?", near);
    return *ret == NULL ? JR_NOMEM : JR_OK;
}
