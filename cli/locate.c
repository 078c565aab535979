#include "cli/locate.h"

#include "common/base/num.h"

/* Larger maps are not searched for the culprit. */
#define MAP_MAX 1000
#define PATH_MAX_BYTES ((size_t)1 << 20)

/** The name at the front of path, up to a dot or a bracket. */
static struct jr_str front_name(struct jr_str path)
{
    size_t n = 0;

    while (n < path.n && path.p[n] != '.' && path.p[n] != '[')
        n++;
    return jr_str_head(path, n);
}

static const struct jr_node *step_in(const struct jr_node *at, struct jr_str inside)
{
    int64_t i;

    if (jr_node_kind(at) != JR_ARRAY)
        return jr_getn(at, inside);
    if (jr_parse_i64(inside, 0, INT32_MAX, &i) != JR_OK)
        return NULL;
    return jr_at(at, (size_t)i);
}

const struct jr_node *jr_locate(const struct jr_node *root, struct jr_str path)
{
    const struct jr_node *at = root;

    while (at != NULL && path.n > 0) {
        if (path.p[0] == '[') {
            ptrdiff_t end = jr_str_find(path, ']');
            if (end < 0)
                return NULL;
            at = step_in(at, jr_str_head(jr_str_from(path, 1), (size_t)end - 1));
            path = jr_str_from(path, (size_t)end + 1);
        } else {
            struct jr_str name = front_name(path);
            at = jr_getn(at, name);
            path = jr_str_from(path, name.n);
        }
        path = jr_str_from(path, path.n > 0 && path.p[0] == '.');
    }
    return at;
}

/** Upstream's path of a template's labels and annotations leaves metadata out. */
static struct jr_str with_metadata(struct jr_str field, struct jr_arena *arena)
{
    static const char *const maps[] = { "template.labels", "template.annotations" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(maps); i++) {
        struct jr_str end = jr_str(maps[i]);
        const size_t name = sizeof("template.") - 1;

        if (!jr_str_ends(field, end))
            continue;
        return jr_str(jr_arena_printf(arena, "%.*smetadata.%s", (int)(field.n - end.n + name),
                                      field.p, maps[i] + name));
    }
    return field;
}

/** Whether text is what the API server shows for s. */
static bool shown_as(struct jr_str s, struct jr_str text)
{
    JR_BUF quoted = { 0 };

    if (s.p == NULL)
        return false;
    jr_buf_init(&quoted, text.n);
    return jr_field_quote(s, &quoted) == JR_OK && jr_str_eq(jr_buf_str(&quoted), text);
}

struct jr_str jr_locate_cause(const struct jr_node *root, const struct jr_field_error *e,
                              struct jr_arena *arena)
{
    struct jr_str path = with_metadata(e->field, arena);
    const struct jr_node *map = jr_locate(root, path);
    bool list = jr_node_kind(map) == JR_ARRAY;
    size_t i = 0;

    if (e->value.n == 0 || e->value.p[0] != '"' || (!list && jr_node_kind(map) != JR_OBJECT) ||
        jr_size(map) > MAP_MAX)
        return path;
    for (const struct jr_node *m = jr_first(map); m != NULL; m = jr_next(m), i++) {
        if (!shown_as(jr_key(m), e->value) && !shown_as(jr_node_str(m), e->value))
            continue;
        if (list)
            return jr_str(jr_arena_printf(arena, "%.*s[%zu]", JR_P(path), i));
        return jr_str(jr_arena_printf(arena, "%.*s[%.*s]", JR_P(path), JR_P(jr_key(m))));
    }
    return path;
}

/* ---- patterns ---- */

struct search {
    struct jr_buf path;
    enum jr_status (*fn)(void *ctx, struct jr_str path);
    void *ctx;
};

static enum jr_status match(struct search *s, const struct jr_node *at, struct jr_str pattern);

static enum jr_status match_elements(struct search *s, const struct jr_node *list,
                                     struct jr_str pattern)
{
    const size_t n = s->path.n;
    enum jr_status st = JR_OK;
    size_t i = 0;

    if (jr_node_kind(list) != JR_ARRAY)
        return JR_OK;
    for (const struct jr_node *e = jr_first(list); e != NULL && st == JR_OK; e = jr_next(e), i++) {
        st = jr_buf_addf(&s->path, "[%zu]", i);
        if (st == JR_OK)
            st = match(s, e, pattern);
        s->path.n = n;
    }
    return st;
}

static enum jr_status match(struct search *s, const struct jr_node *at, struct jr_str pattern)
{
    const size_t n = s->path.n;
    struct jr_str name;
    enum jr_status st;

    if (jr_unset(at))
        return JR_OK;
    if (pattern.n == 0)
        return s->fn(s->ctx, jr_buf_str(&s->path));
    if (jr_str_starts(pattern, JR_S("[*]")))
        return match_elements(s, at, jr_str_from(pattern, 3));
    pattern = jr_str_from(pattern, pattern.p[0] == '.');
    name = front_name(pattern);
    st = jr_buf_addf(&s->path, "%s%.*s", n == 0 ? "" : ".", JR_P(name));
    if (st == JR_OK)
        st = match(s, jr_getn(at, name), jr_str_from(pattern, name.n));
    s->path.n = n;
    return st;
}

enum jr_status jr_locate_each(const struct jr_node *root, struct jr_str at, const char *pattern,
                              enum jr_status (*fn)(void *ctx, struct jr_str path), void *ctx)
{
    struct search s = { .fn = fn, .ctx = ctx };
    enum jr_status st;

    jr_buf_init(&s.path, PATH_MAX_BYTES);
    st = jr_buf_add(&s.path, at);
    if (st == JR_OK)
        st = match(&s, root, jr_str(pattern));
    jr_buf_done(&s.path);
    return st;
}
