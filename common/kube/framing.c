/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the events of a watch's stream and the items of a list, by the reader's tokens. */
#include "common/kube/framing.h"

#include "common/base/memory.h"
#include "common/json/reader.h"

#define EVENT_BYTES_MAX ((size_t)16 << 20)
#define PARTIAL_KEPT ((size_t)1 << 20) /* memory that is kept for the next line */
#define HEAD_BYTES ((size_t)1 << 20)   /* of a line that is too long */

typedef enum jr_status event_fn(void *ctx, enum jr_event_type type, struct jr_str object,
                                struct jr_error *err);

void jr_watch_frames_init(struct jr_watch_frames *f)
{
    *f = (struct jr_watch_frames){ .max_event_bytes = EVENT_BYTES_MAX };
    jr_buf_init(&f->partial, f->max_event_bytes);
}

void jr_watch_frames_done(struct jr_watch_frames *f)
{
    jr_buf_done(&f->partial);
}

/** Reads a string that no one escapes: names, versions, tokens. */
static enum jr_status read_plain(struct jr_reader *g, const char *what, struct jr_str *ret,
                                 struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, err);

    if (st != JR_OK)
        return st;
    if (t.kind != JR_TOK_STRING || t.escaped)
        return jr_fail(err, JR_SYNTAX, NULL, "%s: a plain string is expected", what);
    *ret = t.raw;
    return JR_OK;
}

static enum jr_status expect(struct jr_reader *g, enum jr_tok_kind kind, const char *what,
                             struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, err);

    if (st == JR_OK && t.kind != kind)
        st = jr_fail(err, JR_SYNTAX, NULL, "%s is not what is expected here", what);
    return st;
}

/** Begins to read a text that is one object. */
static enum jr_status begin_text(struct jr_reader *g, struct jr_str text, const char *what,
                                 struct jr_error *err)
{
    jr_reader_init(g, text, 0);
    g->lenient = true;
    return expect(g, JR_TOK_OBJECT, what, err);
}

/** Reads the key of the next member, if nothing has failed and there is one. */
static bool next_key(struct jr_reader *g, struct jr_str *ret, enum jr_status *st,
                     struct jr_error *err)
{
    struct jr_tok t;

    if (*st == JR_OK)
        *st = jr_reader_next(g, &t, err);
    if (*st != JR_OK || t.kind != JR_TOK_KEY)
        return false;
    *ret = t.raw;
    return true;
}

/** One line: {"type":"ADDED","object":{...}}, members in any order; the type as it stands there. */
static enum jr_status read_line(struct jr_str line, struct jr_str *ret_type,
                                struct jr_str *ret_object, struct jr_error *err)
{
    struct jr_reader g;
    struct jr_str key;
    enum jr_status st = begin_text(&g, line, "a watch event", err);

    while (next_key(&g, &key, &st, err)) {
        struct jr_str *to = NULL;

        if (jr_str_is(key, "object"))
            to = ret_object;
        else if (jr_str_is(key, "type"))
            to = ret_type;
        st = jr_reader_skip(&g, to, err);
    }
    return st == JR_OK ? expect(&g, JR_TOK_END, "what follows the watch event", err) : st;
}

static enum jr_status parse_type(struct jr_str s, enum jr_event_type *ret, struct jr_error *err)
{
    static const char *const names[] = {
        [JR_EV_ADDED] = "\"ADDED\"",     [JR_EV_MODIFIED] = "\"MODIFIED\"",
        [JR_EV_DELETED] = "\"DELETED\"", [JR_EV_BOOKMARK] = "\"BOOKMARK\"",
        [JR_EV_ERROR] = "\"ERROR\"",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_str_is(s, names[i])) {
            *ret = (enum jr_event_type)i;
            return JR_OK;
        }
    }
    return jr_fail(err, JR_INVALID, NULL, "unknown watch event type %.*s",
                   JR_P(jr_str_head(s, 40)));
}

static void unread(const struct jr_watch_frames *f, struct jr_str line, void *ctx,
                   const struct jr_error *why)
{
    if (f->on_unread != NULL)
        f->on_unread(ctx, jr_str_head(line, HEAD_BYTES), why);
}

static enum jr_status take_line(const struct jr_watch_frames *f, struct jr_str line, event_fn *fn,
                                void *ctx, struct jr_error *err)
{
    struct jr_str type = { 0 }, object = { 0 };
    enum jr_event_type event = JR_EV_ERROR; /* gcc 14 doesn't see that it is always written */
    struct jr_error why = { 0 };
    enum jr_status st;

    if (jr_str_trim(line).n == 0)
        return JR_OK;
    st = read_line(line, &type, &object, err);
    if (st != JR_OK)
        return st;
    st = parse_type(type, &event, &why);
    if (st == JR_OK && object.p == NULL)
        st = jr_fail(&why, JR_INVALID, NULL, "a watch event without an object");
    if (st == JR_OK)
        return fn(ctx, event, object, err);
    unread(f, line, ctx, &why);
    return JR_OK;
}

/** Keeps the start or the middle of a line for later; of one that is too long its head. */
static void keep_part(struct jr_watch_frames *f, struct jr_str part)
{
    const size_t head = f->max_event_bytes < HEAD_BYTES ? f->max_event_bytes : HEAD_BYTES;

    if (part.n == 0)
        return;
    if (f->too_long || part.n > f->max_event_bytes - f->partial.n) {
        f->too_long = true;
        if (f->partial.n >= head) {
            f->partial.n = head;
            return;
        }
        part = jr_str_head(part, head - f->partial.n);
    }
    jr_must(jr_buf_add(&f->partial, part));
}

/** Takes the line that ends with `end`: in place where it came in one piece. */
static enum jr_status end_line(struct jr_watch_frames *f, struct jr_str end, event_fn *fn,
                               void *ctx, struct jr_error *err)
{
    struct jr_error why = { 0 };

    if (f->partial.n == 0 && end.n <= f->max_event_bytes)
        return take_line(f, end, fn, ctx, err);
    keep_part(f, end);
    if (!f->too_long)
        return take_line(f, jr_buf_str(&f->partial), fn, ctx, err);
    (void)jr_fail(&why, JR_LIMIT, NULL, "a watch event of more than %zu bytes", f->max_event_bytes);
    unread(f, jr_buf_str(&f->partial), ctx, &why);
    return JR_OK;
}

enum jr_status jr_watch_frames_feed(struct jr_watch_frames *f, struct jr_str chunk, event_fn *fn,
                                    void *ctx, struct jr_error *err)
{
    if (f->max_event_bytes == 0)
        f->max_event_bytes = EVENT_BYTES_MAX;
    f->partial.max = f->max_event_bytes;
    for (;;) {
        ptrdiff_t nl = jr_str_find(chunk, '\n');
        enum jr_status st;

        if (nl < 0) {
            keep_part(f, chunk);
            return JR_OK;
        }
        st = end_line(f, jr_str_head(chunk, (size_t)nl), fn, ctx, err);
        f->too_long = false;
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
static enum jr_status read_annotations(struct jr_reader *g, bool *ret_end, struct jr_error *err)
{
    struct jr_str key, value;
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, err);

    if (st != JR_OK || t.kind == JR_TOK_NULL)
        return st;
    if (t.kind != JR_TOK_OBJECT)
        return jr_fail(err, JR_SYNTAX, NULL, "metadata.annotations is no object");
    while (next_key(g, &key, &st, err)) {
        st = jr_reader_skip(g, &value, err);
        if (st == JR_OK && jr_str_is(key, "k8s.io/initial-events-end"))
            *ret_end = jr_str_is(value, "\"true\"");
    }
    return st;
}

/** Reads metadata; ret_end NULL: only up to the version. */
static enum jr_status read_object_meta(struct jr_reader *g, struct jr_str *ret, bool *ret_end,
                                       struct jr_error *err)
{
    struct jr_str key;
    enum jr_status st = expect(g, JR_TOK_OBJECT, "metadata", err);

    while (next_key(g, &key, &st, err)) {
        if (jr_str_is(key, "resourceVersion")) {
            st = read_plain(g, "resourceVersion", ret, err);
            if (ret_end == NULL)
                break;
        } else if (ret_end != NULL && jr_str_is(key, "annotations")) {
            st = read_annotations(g, ret_end, err);
        } else {
            st = jr_reader_skip(g, NULL, err);
        }
    }
    return st;
}

enum jr_status jr_object_version(struct jr_str object, struct jr_str *ret, bool *ret_initial_end,
                                 struct jr_error *err)
{
    struct jr_str rv = { 0 }, key;
    bool end = false;
    struct jr_reader g;
    enum jr_status st = begin_text(&g, object, "an object", err);

    while (rv.n == 0 && next_key(&g, &key, &st, err)) {
        if (jr_str_is(key, "metadata"))
            st = read_object_meta(&g, &rv, ret_initial_end == NULL ? NULL : &end, err);
        else
            st = jr_reader_skip(&g, NULL, err);
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
static enum jr_status read_list_meta(struct jr_reader *g, struct jr_list_page *page,
                                     struct jr_error *err)
{
    struct jr_str key;
    struct jr_tok t;
    enum jr_status st = expect(g, JR_TOK_OBJECT, "the list's metadata", err);

    while (next_key(g, &key, &st, err)) {
        if (jr_str_is(key, "resourceVersion")) {
            st = read_plain(g, "the list's version or token", &page->resource_version, err);
        } else if (jr_str_is(key, "continue")) {
            st = read_plain(g, "the list's version or token", &page->continue_token, err);
        } else if (jr_str_is(key, "remainingItemCount")) {
            st = jr_reader_next(g, &t, err);
            if (st == JR_OK && jr_tok_i64(&t, 0, INT64_MAX, &page->remaining) != JR_OK)
                page->remaining = 0; /* for progress only */
        } else {
            st = jr_reader_skip(g, NULL, err);
        }
    }
    return st;
}

static enum jr_status read_items(struct jr_reader *g, void (*fn)(void *ctx, struct jr_str item),
                                 void *ctx, struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(g, &t, err);

    if (st != JR_OK || t.kind == JR_TOK_NULL)
        return st;
    if (t.kind != JR_TOK_ARRAY)
        return jr_fail(err, JR_SYNTAX, NULL, "the list's items are no array");
    for (;;) {
        struct jr_reader ahead = *g;
        struct jr_str item;

        st = jr_reader_next(&ahead, &t, err);
        if (st == JR_OK && t.kind == JR_TOK_ARRAY_END) {
            *g = ahead;
            return JR_OK;
        }
        if (st == JR_OK)
            st = jr_reader_skip(g, &item, err);
        if (st != JR_OK)
            return st;
        fn(ctx, item);
    }
}

enum jr_status jr_list_read(struct jr_str text, void (*fn)(void *ctx, struct jr_str item),
                            void *ctx, struct jr_list_page *ret, struct jr_error *err)
{
    struct jr_list_page page = { 0 };
    bool items = false;
    struct jr_reader g;
    struct jr_str key;
    enum jr_status st = begin_text(&g, text, "a list", err);

    while (next_key(&g, &key, &st, err)) {
        if (jr_str_is(key, "metadata")) {
            st = read_list_meta(&g, &page, err);
        } else if (jr_str_is(key, "items") && !items) {
            items = true;
            st = read_items(&g, fn, ctx, err);
        } else if (jr_str_is(key, "items")) {
            st = jr_fail(err, JR_SYNTAX, NULL, "a list with items twice");
        } else {
            st = jr_reader_skip(&g, NULL, err);
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

bool jr_list_is_stuck(const struct jr_list_page *page, size_t n, struct jr_str token)
{
    return page->continue_token.n > 0 && (n == 0 || jr_str_eq(page->continue_token, token));
}
