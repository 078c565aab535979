/* SPDX-License-Identifier: Apache-2.0 */
/* Watches: from the request to the frames. */
#include <inttypes.h>

#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"

#define DEFAULT_TIMEOUT_S 1800
#define BOOKMARK_NS (60 * JR_SEC)
#define LAST_BOOKMARK_NS (2 * JR_SEC)

struct jr_dev_watch {
    struct jr_dev_selector sel;
    uint64_t seen; /* events up to this revision are out */
    struct jr_dev_objects initial;
    size_t n_initial; /* of them are out */
    bool bookmarks;
    bool end_bookmark; /* initial-events-end is still to come */
    bool ended;
    struct jr_time deadline;
    struct jr_time next_bookmark;
};

void jr_dev_watch_free(struct jr_dev_watch *w)
{
    if (w == NULL)
        return;
    jr_dev_objects_done(&w->initial);
    free(w);
}

/* ---- the request ---- */

static bool check_initial(struct jr_dev_op *op)
{
    struct jr_str match = jr_dev_param(op, "resourceVersionMatch");
    bool given = jr_dev_param(op, "sendInitialEvents").p != NULL;

    if (given && !jr_str_is(match, "NotOlderThan"))
        return jr_dev_refuse_match(
            op, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (!given && match.n > 0)
        return jr_dev_refuse_match(
            op, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    return true;
}

/* The version whose state is told. */
static uint64_t initial_version(const struct jr_dev_op *op)
{
    const struct jr_dev_store *s = op->store;

    return op->as_of > s->compacted && op->as_of < s->revision ? op->as_of : s->revision;
}

/* Where the stream begins: with the current state, or behind a version. */
static bool place_watch(struct jr_dev_op *op, struct jr_dev_watch *w)
{
    bool initial = jr_dev_param_bool(op, "sendInitialEvents");
    uint64_t version = 0;

    if (!check_initial(op) || !jr_dev_param_version(op, &version))
        return false;
    if (initial && version > op->store->revision)
        return jr_dev_refuse_too_large(op, version);
    w->end_bookmark = initial && w->bookmarks;
    w->seen = version != 0 && !initial ? version : initial_version(op);
    /* sendInitialEvents=false: no initial state, whatever the version. */
    if (initial || (version == 0 && jr_dev_param(op, "sendInitialEvents").p == NULL))
        (void)jr_dev_snapshot_take(op, &w->sel, w->seen, &w->initial);
    return true;
}

/* A minute later, or shortly before the end where that is sooner. */
static void plan_bookmark(struct jr_dev_watch *w, struct jr_time now)
{
    const struct jr_time last = { w->deadline.ns - LAST_BOOKMARK_NS };

    w->next_bookmark = (struct jr_time){ now.ns + BOOKMARK_NS };
    if (jr_time_cmp(last, now) > 0 && jr_time_cmp(last, w->next_bookmark) < 0)
        w->next_bookmark = last;
}

bool jr_dev_watch_begin(struct jr_dev_op *op)
{
    struct jr_dev_watch *w = jr_xcalloc(1, sizeof(*w));
    int64_t timeout_s = 0, limit;

    w->bookmarks = jr_dev_param_bool(op, "allowWatchBookmarks");
    if (!jr_dev_selector_parse(op, &w->sel) ||
        !jr_dev_param_i64(op, "limit", INT64_MIN, INT64_MAX, &limit) ||
        !jr_dev_param_i64(op, "timeoutSeconds", 0, INT32_MAX, &timeout_s) || !place_watch(op, w)) {
        jr_dev_watch_free(w);
        return false;
    }
    op->watch = w; /* freed with the operation */
    w->deadline =
        (struct jr_time){ op->now.ns + (timeout_s == 0 ? DEFAULT_TIMEOUT_S : timeout_s) * JR_SEC };
    plan_bookmark(w, op->now);
    (void)jr_dev_answer_json(op, 200);
    return true;
}

/* ---- frames ---- */

/* A read's bounds. */
struct reading {
    struct jr_buf *out;
    size_t start; /* of what this read has added */
    size_t max_bytes;
};

static bool is_frame_full(const struct reading *r)
{
    return r->out->n > r->start && r->out->n - r->start >= r->max_bytes;
}

static void write_frame(struct jr_dev_op *op, const char *type, const struct jr_dev_object *o,
                        uint64_t revision, struct reading *r)
{
    (void)jr_buf_addf(r->out, "{\"type\":\"%s\",\"object\":", type);
    jr_dev_write_object(op, o, revision, r->out);
    (void)jr_buf_adds(r->out, "}\n");
}

static void write_bookmark(struct jr_dev_op *op, bool end, struct reading *r)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_buf *out = r->out;
    /* Of the kind, with nothing but a version. */
    const struct jr_str text =
        end ? JR_S("{\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
            : JR_S("{\"metadata\":{}}");

    jr_must(jr_doc_parse(text, &JR_READER_STRICT, &doc, NULL));
    o = jr_dev_object_new(op->res, jr_doc_root(doc), op->watch->seen, op->now);
    (void)jr_buf_adds(out, "{\"type\":\"BOOKMARK\",\"object\":");
    jr_dev_write_object(op, o, 0, out);
    jr_must(out->failed);
    if (op->format == JR_DEV_FORMAT_OBJECT) { /* members that Go's types always have */
        out->p[--out->n] = '\0';
        (void)jr_buf_adds(out, op->res->bookmark == NULL ? "" : op->res->bookmark);
        (void)jr_buf_addc(out, '}');
    }
    (void)jr_buf_adds(out, "}\n");
}

/* ---- reading ---- */

static void read_initial(struct jr_dev_op *op, struct reading *r)
{
    struct jr_dev_watch *w = op->watch;

    while (w->n_initial < w->initial.n && !is_frame_full(r))
        write_frame(op, "ADDED", w->initial.v[w->n_initial++], 0, r);
    if (w->n_initial < w->initial.n)
        return;
    jr_dev_objects_done(&w->initial);
    w->n_initial = 0;
    if (w->end_bookmark)
        write_bookmark(op, true, r);
    w->end_bookmark = false;
}

/* What an event means to this watch. */
static void read_event(struct jr_dev_op *op, const struct jr_dev_event *e, struct reading *r)
{
    const struct jr_dev_object *any = e->object != NULL ? e->object : e->before;
    bool now, before;

    if (any->res != op->res || !jr_dev_in_scope(op, any))
        return;
    now = e->object != NULL && jr_dev_selector_matches(&op->watch->sel, e->object);
    before = e->before != NULL && jr_dev_selector_matches(&op->watch->sel, e->before);
    if (now)
        write_frame(op, before ? "MODIFIED" : "ADDED", e->object, 0, r);
    else if (before)
        write_frame(op, "DELETED", e->before, e->revision, r);
}

static void read_events(struct jr_dev_op *op, uint64_t revision, struct reading *r)
{
    const struct jr_dev_store *s = op->store;
    struct jr_dev_watch *w = op->watch;

    w->ended = w->seen < s->compacted;
    if (w->ended) {
        (void)jr_buf_addf(r->out,
                          "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
                          "\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old "
                          "resource version: %" PRIu64 " (%" PRIu64
                          ")\",\"reason\":\"Expired\",\"code\":410}}\n",
                          w->seen, s->compacted);
        return;
    }
    for (size_t i = jr_dev_event_after(s, w->seen); i < s->n_events; i++) {
        const struct jr_dev_event *e = jr_dev_event_at(s, i);

        if (e->revision > revision || is_frame_full(r))
            return;
        read_event(op, e, r);
        w->seen = e->revision;
    }
    if (w->seen < revision)
        w->seen = revision;
}

static void read_bookmark(struct jr_dev_op *op, struct reading *r)
{
    struct jr_dev_watch *w = op->watch;

    if (!w->bookmarks || jr_time_cmp(op->now, w->next_bookmark) < 0)
        return;
    plan_bookmark(w, op->now);
    write_bookmark(op, false, r);
}

bool jr_dev_watch_read(struct jr_dev_op *op, uint64_t revision, size_t max_bytes,
                       struct jr_time now, struct jr_buf *out)
{
    const struct jr_dev_store *s = op->store;
    struct jr_dev_watch *w = op->watch;
    struct reading r = { .out = out, .start = out->n, .max_bytes = max_bytes };

    if (w == NULL || w->ended)
        return true;
    op->now = now;
    if (revision == 0 || revision > s->revision)
        revision = s->revision;
    read_initial(op, &r);
    if (w->initial.n == 0 && !is_frame_full(&r))
        read_events(op, revision, &r);
    if (!w->ended && w->initial.n == 0 && !is_frame_full(&r))
        read_bookmark(op, &r);
    jr_must(out->failed);
    if (jr_time_cmp(now, w->deadline) >= 0)
        w->ended = true;
    return w->ended;
}

struct jr_time jr_dev_watch_due(const struct jr_dev_op *op)
{
    const struct jr_dev_watch *w = op->watch;

    return w->bookmarks && jr_time_cmp(w->next_bookmark, w->deadline) < 0 ? w->next_bookmark
                                                                          : w->deadline;
}
