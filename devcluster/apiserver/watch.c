#include <inttypes.h>
#include <stdio.h>

#include "common/json/write.h"
#include "devcluster/apiserver/page.h"
#include "devcluster/apiserver/snapshot.h"
#include "devcluster/apiserver/table.h"

#define DEFAULT_TIMEOUT_S 1800
#define BOOKMARK_NS (60 * JR_SEC)
#define LAST_BOOKMARK_NS (2 * JR_SEC)

struct jr_dev_watch {
    struct jr_dev_selector sel;
    uint64_t seen; /* events up to this revision are out */
    struct jr_dev_snapshot initial;
    size_t n_initial; /* of them are out */
    bool bookmarks;
    bool end_bookmark; /* initial-events-end is still to come */
    bool headed;       /* the first Table had the columns */
    bool ended;
    struct jr_time deadline;
    struct jr_time next_bookmark;
};

void jr_dev_watch_free(struct jr_dev_watch *w)
{
    if (w == NULL)
        return;
    jr_dev_snapshot_done(&w->initial);
    free(w);
}

/* ---- the request ---- */

static enum jr_status refuse_option(struct jr_dev_op *op, const char *field, const char *message)
{
    return jr_dev_refuse_option(op, "ListOptions", field, "FieldValueForbidden", message);
}

static enum jr_status parse_timeout(struct jr_dev_op *op, struct jr_dev_watch *w)
{
    struct jr_str text = jr_dev_param(op, "timeoutSeconds");
    int64_t s = DEFAULT_TIMEOUT_S;

    if (text.n > 0 && jr_parse_i64(text, 0, INT32_MAX, &s) != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "strconv.ParseInt: parsing \"%.*s\": invalid syntax", JR_P(text));
    if (s == 0)
        s = DEFAULT_TIMEOUT_S;
    w->deadline = (struct jr_time){ op->now.ns + s * JR_SEC };
    return JR_OK;
}

static enum jr_status check_initial(struct jr_dev_op *op)
{
    struct jr_str match = jr_dev_param(op, "resourceVersionMatch");
    bool given = jr_dev_param(op, "sendInitialEvents").p != NULL;

    if (given && !jr_str_is(match, "NotOlderThan"))
        return refuse_option(op, "resourceVersionMatch",
                             "Forbidden: sendInitialEvents requires setting resourceVersionMatch "
                             "to NotOlderThan");
    if (!given && match.n > 0)
        return refuse_option(op, "resourceVersionMatch",
                             "Forbidden: resourceVersionMatch is forbidden for watch unless "
                             "sendInitialEvents is provided");
    return JR_OK;
}

static enum jr_status parse_version(struct jr_dev_op *op, uint64_t *ret)
{
    struct jr_str text = jr_dev_param(op, "resourceVersion");

    *ret = 0;
    if (text.n > 0 && jr_parse_u64(text, ret) != JR_OK)
        return jr_dev_refusef(op, 500, NULL,
                              "resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: "
                              "parsing \"%.*s\": invalid syntax",
                              JR_P(text), JR_P(text));
    return JR_OK;
}

/* The version whose state is told. */
static uint64_t initial_version(const struct jr_dev_op *op)
{
    const struct jr_dev_store *s = op->store;

    return op->as_of > s->compacted && op->as_of < s->revision ? op->as_of : s->revision;
}

/* Where the stream begins: with the current state, or behind a version. */
static enum jr_status place(struct jr_dev_op *op, struct jr_dev_watch *w)
{
    bool initial = jr_dev_param_bool(op, "sendInitialEvents");
    uint64_t version = 0;
    enum jr_status st = check_initial(op);

    if (st == JR_OK)
        st = parse_version(op, &version);
    if (st != JR_OK)
        return st;
    if (initial && version > op->store->revision)
        return jr_dev_refuse_too_large(op, version);
    w->end_bookmark = initial && w->bookmarks;
    if (version != 0 && !initial) {
        w->seen = version;
        return JR_OK;
    }
    w->seen = initial_version(op);
    /* sendInitialEvents=false: no initial state, whatever the version. */
    if (jr_dev_param(op, "sendInitialEvents").p != NULL && !initial)
        return JR_OK;
    return jr_dev_snapshot_take(op, &w->sel, w->seen, &w->initial);
}

enum jr_status jr_dev_watch_begin(struct jr_dev_op *op)
{
    struct jr_dev_watch *w = calloc(1, sizeof(*w));
    enum jr_status st;

    if (w == NULL)
        return JR_NOMEM;
    op->watch = w; /* freed with the operation */
    w->bookmarks = jr_dev_param_bool(op, "allowWatchBookmarks");
    st = jr_dev_selector_parse(op, &w->sel);
    if (st == JR_OK)
        st = parse_timeout(op, w);
    if (st == JR_OK)
        st = place(op, w);
    if (st != JR_OK) {
        jr_dev_watch_free(w);
        op->watch = NULL;
        return st;
    }
    w->next_bookmark = (struct jr_time){ op->now.ns + BOOKMARK_NS };
    op->answer.status = 200;
    op->answer.content_type = "application/json";
    return JR_OK;
}

/* ---- frames ---- */

static enum jr_status write_object(struct jr_dev_op *op, const struct jr_dev_object *o,
                                   uint64_t revision, struct jr_time now, struct jr_buf *out)
{
    char version[24];
    enum jr_status st;

    switch (op->format) {
    case JR_DEV_FORMAT_OBJECT:
        return jr_dev_object_write(o, JR_DEV_FORM_OBJECT, revision, out);
    case JR_DEV_FORMAT_PARTIAL:
        return jr_dev_object_write(o, JR_DEV_FORM_PARTIAL, revision, out);
    case JR_DEV_FORMAT_TABLE:
        break;
    }
    (void)snprintf(version, sizeof(version), "%" PRIu64, revision == 0 ? o->revision : revision);
    st = jr_dev_table_begin(op->res, jr_str(version), !op->watch->headed, out);
    op->watch->headed = true;
    if (st == JR_OK)
        st = jr_dev_table_row(o, revision, jr_dev_param(op, "includeObject"), now, out);
    return st == JR_OK ? jr_buf_adds(out, "]}") : st;
}

static enum jr_status write_frame(struct jr_dev_op *op, enum jr_dev_event_type type,
                                  const struct jr_dev_object *o, uint64_t revision,
                                  struct jr_time now, struct jr_buf *out)
{
    static const char *const types[] = {
        [JR_DEV_ADDED] = "ADDED", [JR_DEV_MODIFIED] = "MODIFIED", [JR_DEV_DELETED] = "DELETED"
    };

    (void)jr_buf_addf(out, "{\"type\":\"%s\",\"object\":", types[type]);
    if (out->failed == JR_OK)
        out->failed = write_object(op, o, revision, now, out);
    return jr_buf_adds(out, "}\n");
}

/* A bookmark's object: of the kind, with nothing but a version. */
static enum jr_status bookmark_object(struct jr_dev_op *op, bool end, struct jr_dev_object **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_str text =
        end ? JR_S("{\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
            : JR_S("{\"metadata\":{}}");
    enum jr_status st = jr_doc_parse(text, &JR_GATE_STRICT, &doc, NULL);

    if (st != JR_OK)
        return st;
    return jr_dev_object_new(op->res, jr_doc_root(doc), op->watch->seen, op->now, ret, NULL);
}

static enum jr_status write_bookmark(struct jr_dev_op *op, bool end, struct jr_time now,
                                     struct jr_buf *out)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = NULL;
    enum jr_status st = bookmark_object(op, end, &o);

    if (st != JR_OK)
        return st;
    (void)jr_buf_adds(out, "{\"type\":\"BOOKMARK\",\"object\":");
    st = write_object(op, o, 0, now, out);
    if (st != JR_OK)
        return st;
    if (op->format == JR_DEV_FORMAT_OBJECT) { /* members that Go's types always have */
        out->p[--out->n] = '\0';
        (void)jr_buf_addf(out, "%s}", op->res->bookmark);
    }
    return jr_buf_adds(out, "}\n");
}

static enum jr_status write_expired(struct jr_dev_op *op, struct jr_buf *out)
{
    (void)jr_buf_addf(out,
                      "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
                      "\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old "
                      "resource version: %" PRIu64 " (%" PRIu64
                      ")\",\"reason\":\"Expired\",\"code\":410}}\n",
                      op->watch->seen, op->store->compacted);
    return out->failed;
}

/* ---- reading ---- */

/* A read's bounds. */
struct reading {
    struct jr_buf *out;
    size_t start; /* of what this read has added */
    size_t max_bytes;
    struct jr_time now;
};

static bool full(const struct reading *r)
{
    return r->out->n > r->start && r->out->n - r->start >= r->max_bytes;
}

static enum jr_status read_initial(struct jr_dev_op *op, struct reading *r)
{
    struct jr_dev_watch *w = op->watch;
    enum jr_status st = JR_OK;

    while (w->n_initial < w->initial.n && !full(r) && st == JR_OK)
        st = write_frame(op, JR_DEV_ADDED, w->initial.v[w->n_initial++], 0, r->now, r->out);
    if (st != JR_OK || w->n_initial < w->initial.n)
        return st;
    jr_dev_snapshot_done(&w->initial);
    w->n_initial = 0;
    if (!w->end_bookmark)
        return JR_OK;
    w->end_bookmark = false;
    return write_bookmark(op, true, r->now, r->out);
}

/* What an event means to this watch. */
static enum jr_status read_event(struct jr_dev_op *op, const struct jr_dev_event *e,
                                 struct reading *r)
{
    const struct jr_dev_object *any = e->object != NULL ? e->object : e->before;
    bool now, before;

    if (any->res != op->res || !jr_dev_in_scope(op, any))
        return JR_OK;
    now = e->object != NULL && jr_dev_selector_matches(&op->watch->sel, e->object);
    before = e->before != NULL && jr_dev_selector_matches(&op->watch->sel, e->before);
    if (now)
        return write_frame(op, before ? JR_DEV_MODIFIED : JR_DEV_ADDED, e->object, 0, r->now,
                           r->out);
    if (before)
        return write_frame(op, JR_DEV_DELETED, e->before, e->revision, r->now, r->out);
    return JR_OK;
}

static enum jr_status read_events(struct jr_dev_op *op, uint64_t revision, struct reading *r)
{
    const struct jr_dev_store *s = op->store;
    struct jr_dev_watch *w = op->watch;
    enum jr_status st = JR_OK;

    if (w->seen < s->compacted) {
        w->ended = true;
        return write_expired(op, r->out);
    }
    for (size_t i = jr_dev_event_after(s, w->seen); i < s->n_events && st == JR_OK; i++) {
        const struct jr_dev_event *e = jr_dev_event_at(s, i);

        if (e->revision > revision || full(r))
            return JR_OK;
        st = read_event(op, e, r);
        w->seen = e->revision;
    }
    if (st == JR_OK && w->seen < revision)
        w->seen = revision;
    return st;
}

static enum jr_status read_bookmark(struct jr_dev_op *op, struct reading *r)
{
    struct jr_dev_watch *w = op->watch;
    struct jr_time last = { w->deadline.ns - LAST_BOOKMARK_NS };

    if (!w->bookmarks || jr_time_cmp(r->now, w->next_bookmark) < 0)
        return JR_OK;
    w->next_bookmark = (struct jr_time){ r->now.ns + BOOKMARK_NS };
    /* One more shortly before the end, where there is one. */
    if (jr_time_cmp(last, r->now) > 0 && jr_time_cmp(last, w->next_bookmark) < 0)
        w->next_bookmark = last;
    return write_bookmark(op, false, r->now, r->out);
}

enum jr_status jr_dev_watch_read(struct jr_dev_store *s, struct jr_dev_op *op, uint64_t revision,
                                 size_t max_bytes, struct jr_time now, struct jr_buf *out,
                                 bool *ret_end)
{
    struct jr_dev_watch *w = op->watch;
    struct reading r = { .out = out, .start = out->n, .max_bytes = max_bytes, .now = now };
    enum jr_status st;

    *ret_end = true;
    if (w == NULL || w->ended)
        return JR_OK;
    if (revision == 0 || revision > s->revision)
        revision = s->revision;
    st = read_initial(op, &r);
    if (st == JR_OK && w->initial.n == 0 && !full(&r))
        st = read_events(op, revision, &r);
    if (st == JR_OK && !w->ended && w->initial.n == 0 && !full(&r))
        st = read_bookmark(op, &r);
    if (jr_time_cmp(now, w->deadline) >= 0)
        w->ended = true;
    *ret_end = w->ended;
    return st == JR_OK ? JR_OK : JR_NOMEM;
}
