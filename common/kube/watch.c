#include "common/kube/watch.h"

#include "common/json/gate.h"

#define EVENT_BYTES_MAX ((size_t)16 << 20)
#define PARTIAL_KEPT ((size_t)1 << 20) /* memory that is kept for the next line */

typedef enum jr_status event_fn(void *ctx, enum jr_event_type type, struct jr_str object,
                                struct jr_error *err);

void jr_watch_frames_init(struct jr_watch_frames *f)
{
    f->max_event_bytes = EVENT_BYTES_MAX;
    jr_buf_init(&f->partial, f->max_event_bytes);
}

void jr_watch_frames_done(struct jr_watch_frames *f)
{
    jr_buf_done(&f->partial);
}

/** The text of a string that no one escapes: names, versions, tokens. */
static enum jr_status plain_string(const struct jr_tok *t, const char *what, struct jr_str *ret,
                                   struct jr_error *err)
{
    if (t->kind != JR_TOK_STRING || t->escaped)
        return jr_fail(err, JR_SYNTAX, NULL, "%s: a plain string is expected", what);
    *ret = t->raw;
    return JR_OK;
}

static enum jr_status parse_type(struct jr_str s, enum jr_event_type *ret, struct jr_error *err)
{
    static const char *const names[] = {
        [JR_EV_ADDED] = "ADDED",       [JR_EV_MODIFIED] = "MODIFIED", [JR_EV_DELETED] = "DELETED",
        [JR_EV_BOOKMARK] = "BOOKMARK", [JR_EV_ERROR] = "ERROR",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_str_is(s, names[i])) {
            *ret = (enum jr_event_type)i;
            return JR_OK;
        }
    }
    return jr_fail(err, JR_SYNTAX, NULL, "unknown watch event type \"%.*s\"",
                   JR_P(jr_str_head(s, 40)));
}

static enum jr_status expect(struct jr_gate *g, enum jr_tok_kind kind, const char *what,
                             struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_gate_next(g, &t, err);

    if (st == JR_OK && t.kind != kind)
        st = jr_fail(err, JR_SYNTAX, NULL, "%s is not what is expected here", what);
    return st;
}

/** Reads a whole value, which must be an object. */
static enum jr_status object_text(struct jr_gate *g, const char *what, struct jr_str *ret,
                                  struct jr_error *err)
{
    enum jr_status st = jr_gate_skip(g, ret, err);

    if (st == JR_OK && (ret->n == 0 || ret->p[0] != '{'))
        st = jr_fail(err, JR_SYNTAX, NULL, "%s is no object", what);
    return st;
}

/** One line: {"type":"ADDED","object":{...}}, members in any order. */
static enum jr_status read_event(struct jr_str line, enum jr_event_type *ret_type,
                                 struct jr_str *ret_object, struct jr_error *err)
{
    struct jr_str type = { 0 }, object = { 0 };
    struct jr_gate g;
    struct jr_tok t;
    enum jr_status st;

    jr_gate_init(&g, line, 0);
    st = expect(&g, JR_TOK_OBJECT, "a watch event", err);
    while (st == JR_OK && (st = jr_gate_next(&g, &t, err)) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "object")) {
            st = object_text(&g, "the watch event's object", &object, err);
        } else if (jr_str_is(t.raw, "type")) {
            st = jr_gate_next(&g, &t, err);
            if (st == JR_OK)
                st = plain_string(&t, "the watch event's type", &type, err);
        } else {
            st = jr_gate_skip(&g, NULL, err);
        }
    }
    if (st == JR_OK)
        st = expect(&g, JR_TOK_END, "what follows the watch event", err);
    if (st == JR_OK && object.p == NULL)
        st = jr_fail(err, JR_SYNTAX, NULL, "a watch event without an object");
    if (st == JR_OK)
        st = parse_type(type, ret_type, err);
    if (st == JR_OK)
        *ret_object = object;
    return st;
}

static enum jr_status take_line(struct jr_str line, event_fn *fn, void *ctx, struct jr_error *err)
{
    enum jr_event_type type;
    struct jr_str object;
    enum jr_status st;

    if (jr_str_trim(line).n == 0)
        return JR_OK;
    st = read_event(line, &type, &object, err);
    return st == JR_OK ? fn(ctx, type, object, err) : st;
}

static enum jr_status too_long(const struct jr_watch_frames *f, struct jr_error *err)
{
    return jr_fail(err, JR_LIMIT, NULL, "a watch event of more than %zu bytes", f->max_event_bytes);
}

/** Keeps the start or the middle of a line for later. */
static enum jr_status keep(struct jr_watch_frames *f, struct jr_str part, struct jr_error *err)
{
    enum jr_status st;

    if (part.n == 0)
        return JR_OK;
    st = jr_buf_add(&f->partial, part);
    if (st == JR_LIMIT)
        return too_long(f, err);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "watch event");
}

/** The whole line that ends with `end`: in place where it came in one piece. */
static enum jr_status end_line(struct jr_watch_frames *f, struct jr_str end, struct jr_str *ret,
                               struct jr_error *err)
{
    enum jr_status st;

    if (f->partial.n == 0) {
        *ret = end;
        return end.n > f->max_event_bytes ? too_long(f, err) : JR_OK;
    }
    st = keep(f, end, err);
    *ret = jr_buf_str(&f->partial);
    return st;
}

enum jr_status jr_watch_frames_feed(struct jr_watch_frames *f, struct jr_str chunk, event_fn *fn,
                                    void *ctx, struct jr_error *err)
{
    if (f->max_event_bytes == 0)
        f->max_event_bytes = EVENT_BYTES_MAX;
    f->partial.max = f->max_event_bytes;
    for (;;) {
        ptrdiff_t nl = jr_str_find(chunk, '\n');
        struct jr_str line;
        enum jr_status st;

        if (nl < 0)
            return keep(f, chunk, err);
        st = end_line(f, jr_str_head(chunk, (size_t)nl), &line, err);
        if (st == JR_OK)
            st = take_line(line, fn, ctx, err);
        if (f->partial.cap > PARTIAL_KEPT)
            jr_buf_done(&f->partial);
        else
            jr_buf_reset(&f->partial);
        if (st != JR_OK)
            return st;
        chunk = jr_str_from(chunk, (size_t)nl + 1);
    }
}

/** Whether the annotations have "k8s.io/initial-events-end": "true". */
static enum jr_status read_annotations(struct jr_gate *g, bool *ret_end, struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_gate_next(g, &t, err);

    if (st != JR_OK || t.kind == JR_TOK_NULL)
        return st;
    if (t.kind != JR_TOK_OBJECT)
        return jr_fail(err, JR_SYNTAX, NULL, "metadata.annotations is no object");
    while ((st = jr_gate_next(g, &t, err)) == JR_OK && t.kind == JR_TOK_KEY) {
        bool end = jr_str_is(t.raw, "k8s.io/initial-events-end");
        struct jr_str value;

        st = jr_gate_skip(g, &value, err);
        if (st != JR_OK)
            return st;
        if (end)
            *ret_end = jr_str_is(value, "\"true\"");
    }
    return st;
}

/** Reads metadata; ret_end NULL: only up to the version. */
static enum jr_status read_object_meta(struct jr_gate *g, struct jr_str *ret, bool *ret_end,
                                       struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = expect(g, JR_TOK_OBJECT, "metadata", err);

    while (st == JR_OK && (st = jr_gate_next(g, &t, err)) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "resourceVersion")) {
            st = jr_gate_next(g, &t, err);
            if (st == JR_OK)
                st = plain_string(&t, "resourceVersion", ret, err);
            if (ret_end == NULL)
                break;
        } else if (ret_end != NULL && jr_str_is(t.raw, "annotations")) {
            st = read_annotations(g, ret_end, err);
        } else {
            st = jr_gate_skip(g, NULL, err);
        }
    }
    return st;
}

enum jr_status jr_object_version(struct jr_str object, struct jr_str *ret, bool *ret_initial_end,
                                 struct jr_error *err)
{
    struct jr_str rv = { 0 };
    bool end = false;
    struct jr_gate g;
    struct jr_tok t;
    enum jr_status st;

    jr_gate_init(&g, object, 0);
    st = expect(&g, JR_TOK_OBJECT, "an object", err);
    while (st == JR_OK && rv.n == 0 && (st = jr_gate_next(&g, &t, err)) == JR_OK &&
           t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "metadata"))
            st = read_object_meta(&g, &rv, ret_initial_end == NULL ? NULL : &end, err);
        else
            st = jr_gate_skip(&g, NULL, err);
    }
    if (st != JR_OK)
        return st;
    if (rv.n == 0)
        return jr_fail(err, JR_SYNTAX, NULL, "an object without a resourceVersion");
    *ret = rv;
    if (ret_initial_end != NULL)
        *ret_initial_end = end;
    return JR_OK;
}

/** A list's metadata. What else it may hold (a shard's range) is passed over. */
static enum jr_status read_list_meta(struct jr_gate *g, struct jr_list_page *page,
                                     struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = expect(g, JR_TOK_OBJECT, "the list's metadata", err);

    while (st == JR_OK && (st = jr_gate_next(g, &t, err)) == JR_OK && t.kind == JR_TOK_KEY) {
        struct jr_str key = t.raw;

        if (jr_str_is(key, "resourceVersion") || jr_str_is(key, "continue")) {
            st = jr_gate_next(g, &t, err);
            if (st == JR_OK)
                st =
                    plain_string(&t, "the list's version or token",
                                 key.n == 8 ? &page->continue_token : &page->resource_version, err);
        } else if (jr_str_is(key, "remainingItemCount")) {
            st = jr_gate_next(g, &t, err);
            if (st == JR_OK && jr_tok_i64(&t, 0, INT64_MAX, &page->remaining) != JR_OK)
                page->remaining = 0; /* for progress only */
        } else {
            st = jr_gate_skip(g, NULL, err);
        }
    }
    return st;
}

static enum jr_status read_items(struct jr_gate *g,
                                 enum jr_status (*fn)(void *ctx, struct jr_str item,
                                                      struct jr_error *err),
                                 void *ctx, struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_gate_next(g, &t, err);

    if (st != JR_OK || t.kind == JR_TOK_NULL)
        return st;
    if (t.kind != JR_TOK_ARRAY)
        return jr_fail(err, JR_SYNTAX, NULL, "the list's items are no array");
    for (;;) {
        struct jr_gate ahead = *g;
        struct jr_str item;

        st = jr_gate_next(&ahead, &t, err);
        if (st == JR_OK && t.kind == JR_TOK_ARRAY_END) {
            *g = ahead;
            return JR_OK;
        }
        if (st == JR_OK)
            st = object_text(g, "the list's item", &item, err);
        if (st == JR_OK)
            st = fn(ctx, item, err);
        if (st != JR_OK)
            return st;
    }
}

enum jr_status jr_list_read(struct jr_str text,
                            enum jr_status (*fn)(void *ctx, struct jr_str item,
                                                 struct jr_error *err),
                            void *ctx, struct jr_list_page *ret, struct jr_error *err)
{
    struct jr_list_page page = { 0 };
    bool items = false;
    struct jr_gate g;
    struct jr_tok t;
    enum jr_status st;

    jr_gate_init(&g, text, 0);
    st = expect(&g, JR_TOK_OBJECT, "a list", err);
    while (st == JR_OK && (st = jr_gate_next(&g, &t, err)) == JR_OK && t.kind == JR_TOK_KEY) {
        if (jr_str_is(t.raw, "metadata")) {
            st = read_list_meta(&g, &page, err);
        } else if (jr_str_is(t.raw, "items") && !items) {
            items = true;
            st = read_items(&g, fn, ctx, err);
        } else if (jr_str_is(t.raw, "items")) {
            st = jr_fail(err, JR_SYNTAX, NULL, "a list with items twice");
        } else {
            st = jr_gate_skip(&g, NULL, err);
        }
    }
    if (st == JR_OK)
        st = expect(&g, JR_TOK_END, "what follows the list", err);
    if (st == JR_OK && (!items || page.resource_version.n == 0))
        st = jr_fail(err, JR_SYNTAX, NULL, "not a list: items or resourceVersion are missing");
    if (st == JR_OK)
        *ret = page;
    return st;
}
