/* SPDX-License-Identifier: Apache-2.0 */
/* An informer's streams: WatchList and watch. */
#include "common/base/memory.h"
#include "common/kube/informer_parts.h"
#include "common/kube/liveness.h"

#define TIMEOUT_MIN_S 300
#define TIMEOUT_SPREAD_S 301
/* A watch after one that brought no change ends before it would count as silent, and servers
 * send a bookmark two seconds before the end. So quiet watches have bookmarks, too, whose usual
 * interval is a minute. */
#define TIMEOUT_QUIET_S 28
/* A stream that the server closes sooner is a failure, lest the two of us spin. */
#define SHORT_NS JR_SEC
/* One that lived for so long says that the server is well, whatever ended it. */
#define HEALTHY_NS (30 * JR_SEC)
#define STATUS_BYTES_MAX ((size_t)32 << 20) /* of an event's text, or of a body, unescaped */

static const struct jr_metric_desc events_total = JR_METRIC(
    COUNTER, "jobreeve_informer_events_total", "Watch events received.", "resource", "type", NULL);

static void count_event(struct jr_informer *inf, enum jr_event_type type)
{
    static const char *const names[] = {
        [JR_EV_ADDED] = "ADDED",       [JR_EV_MODIFIED] = "MODIFIED", [JR_EV_DELETED] = "DELETED",
        [JR_EV_BOOKMARK] = "BOOKMARK", [JR_EV_ERROR] = "ERROR",
    };
    const char *const values[] = { inf->opt.name, names[type] };

    jr_metrics_add(inf->metrics, &events_total, values, 1);
}

/** Decides how to go on when the stream has ended. Returns what ends it. */
static enum jr_status end_stream(struct jr_informer *inf, enum informer_next next,
                                 const struct jr_error *why)
{
    inf->decided = true;
    inf->next = next;
    inf->error = *why;
    return why->status != JR_OK ? why->status : JR_REMOTE;
}

/** Words of a Status, and its code. */
static int read_status(struct jr_str text, struct jr_arena *arena, struct jr_api_status *ret,
                       struct jr_error *err)
{
    if (jr_api_status_decode(text, arena, ret, NULL) != JR_OK) {
        (void)jr_fail(err, JR_REMOTE, NULL, "an error that is no Status");
        return 0;
    }
    (void)jr_fail_http(err, ret->code == 410 ? JR_EXPIRED : JR_REMOTE, ret->code, "%.*s",
                       JR_P(ret->message));
    return ret->code;
}

/** Whether a refusal with this code says that rv is of no use (any more). */
static enum informer_next after_code(int code, const struct jr_api_status *s)
{
    if (code == 410 || jr_str_is(s->reason, "Expired") || jr_str_is(s->reason, "Gone") ||
        jr_api_status_has_cause(s, JR_S("ResourceVersionTooLarge")))
        return NEXT_LIST;
    if (code == 401 || code == 403 || code == 408 || code == 429 || code >= 500 || code == 0)
        return NEXT_WATCH;
    return NEXT_LIST;
}

static enum jr_status on_error_event(struct jr_informer *inf, struct jr_str object)
{
    struct jr_api_status s = { 0 };
    struct jr_error why = { 0 };
    JR_ARENA arena = { 0 };
    int code;

    jr_arena_init(&arena, STATUS_BYTES_MAX);
    code = read_status(object, &arena, &s, &why);
    return end_stream(inf, inf->phase == PHASE_WATCH_LIST ? NEXT_LIST : after_code(code, &s), &why);
}

static enum jr_status set_version(struct jr_informer *inf, struct jr_str rv, struct jr_error *err)
{
    jr_buf_reset(&inf->rv);
    if (jr_need(jr_buf_add(&inf->rv, rv)) != JR_OK)
        return jr_fail(err, inf->rv.failed, NULL, "resourceVersion");
    inf->fruitless = 0;
    if (inf->h.on_progress != NULL)
        inf->h.on_progress(inf->h.ctx, jr_buf_str(&inf->rv));
    return JR_OK;
}

/** A line that is no event: the consumer is told of it, and the stream goes on. */
static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    struct jr_informer *inf = ctx;

    inf->got_event = true;
    if (inf->h.on_unread != NULL)
        inf->h.on_unread(inf->h.ctx, line, why);
}

static enum jr_status on_bookmark(struct jr_informer *inf, struct jr_str object,
                                  struct jr_error *err)
{
    struct jr_str rv;
    bool end;
    struct jr_error why = { 0 };
    enum jr_status st = jr_object_version(object, &rv, &end, &why);

    if (st != JR_OK) { /* the next one will do */
        on_unread(inf, object, &why);
        return JR_OK;
    }
    if (inf->phase == PHASE_WATCH)
        return set_version(inf, rv, err);
    if (!end) /* of the initial events: their order says nothing of versions */
        return JR_OK;
    inf->phase = PHASE_WATCH;
    return jr_informer_listed(inf, rv, err);
}

/** Whether the consumer has been told of it: a server that has fallen behind may begin a watch
 * before the version that it was asked for, and bring back what has gone. */
static bool was_told(const struct jr_informer *inf, struct jr_str rv)
{
    return jr_informer_compare(inf, rv) <= 0;
}

static enum jr_status on_change(struct jr_informer *inf, enum jr_event_type type,
                                struct jr_str object, struct jr_error *err)
{
    struct jr_str rv = { NULL, 0 };
    bool has_version;

    if (inf->phase == PHASE_WATCH_LIST && type != JR_EV_DELETED) {
        jr_informer_item(inf, object);
        return JR_OK;
    }
    inf->got_change |= inf->phase == PHASE_WATCH;
    has_version = inf->phase == PHASE_WATCH && jr_object_version(object, &rv, NULL, NULL) == JR_OK;
    if (has_version && was_told(inf, rv))
        return JR_OK;
    inf->h.on_event(inf->h.ctx, type, object);
    /* Without a version it was the consumer's to read; a resumed watch tells it once more. */
    return has_version ? set_version(inf, rv, err) : JR_OK;
}

static enum jr_status on_frame(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    struct jr_informer *inf = ctx;

    count_event(inf, type);
    inf->got_event |= type != JR_EV_ERROR;
    switch (type) {
    case JR_EV_ERROR:
        return on_error_event(inf, object);
    case JR_EV_BOOKMARK:
        return on_bookmark(inf, object, err);
    case JR_EV_ADDED:
    case JR_EV_MODIFIED:
    case JR_EV_DELETED:
        break;
    }
    return on_change(inf, type, object, err);
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct jr_informer *inf = ctx;
    struct jr_error error = { 0 };
    enum jr_status st;

    if (inf->phase == PHASE_WATCH_LIST && !inf->replacing)
        jr_informer_begin_replace(inf);
    st = jr_watch_frames_feed(&inf->frames, chunk, on_frame, inf, &error);
    /* What can't be read now can't be read later in the same stream: only a list gets past it. */
    if (st != JR_OK && !inf->decided) {
        error.status = st;
        (void)end_stream(inf, NEXT_LIST, &error);
    }
    return st;
}

static int64_t lived_ns(const struct jr_informer *inf)
{
    return jr_loop_mono(inf->env.loop).ns - inf->stream_began.ns;
}

/** The server closed the stream, as it does after timeoutSeconds. */
static void on_close(struct jr_informer *inf)
{
    struct jr_error why = { 0 };

    if (inf->phase == PHASE_WATCH_LIST) {
        inf->cut_short++;
        (void)jr_fail(&why, JR_REMOTE, NULL, "closed before the initial events' end");
        jr_informer_pause(inf, NEXT_LIST, 0, &why);
    } else if (lived_ns(inf) < SHORT_NS) {
        inf->fruitless += inf->got_event ? 0 : 1;
        (void)jr_fail(&why, JR_REMOTE, NULL, "closed right away");
        jr_informer_pause(inf, NEXT_WATCH, 0, &why);
    } else {
        jr_informer_start_watch(inf);
    }
}

static bool unsupported(int http)
{
    return http == 400 || http == 403 || http == 405 || http == 415 || http == 422;
}

static void on_refusal(struct jr_informer *inf, const struct jr_http_answer *a)
{
    struct jr_api_status s = { 0 };
    struct jr_error why = { 0 };
    enum informer_next next;
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, STATUS_BYTES_MAX);
    (void)read_status(a->body, &arena, &s, &why);
    if (why.http == 0)
        (void)jr_fail_http(&why, JR_REMOTE, a->status, "the server answered %d", a->status);
    if (inf->phase == PHASE_WATCH_LIST && unsupported(a->status)) {
        /* Right after its start a server refuses what it allows a moment later, when it has read
         * the roles: that says nothing about the next list. */
        inf->refused = a->status != 403;
        jr_info(inf->log, "no WatchList, listing in pages", JR_CSTR("resource", inf->opt.name),
                JR_ERR(&why));
        jr_informer_first_page(inf);
        return;
    }
    if (inf->phase == PHASE_WATCH_LIST && a->status == 404)
        jr_informer_vanished(inf);
    next = inf->phase == PHASE_WATCH_LIST ? NEXT_LIST : after_code(a->status, &s);
    if (a->status != 429)
        inf->fruitless++;
    jr_informer_pause(inf, next, a->retry_after_s, &why);
}

/** Tells whether the server took the watch and then said nothing, not even by a bookmark: there is
 * nothing to say, or the connection is dead. The next one finds out; nothing is lost, and nobody is
 * pressed. */
static bool went_silent(const struct jr_informer *inf, const struct jr_http_answer *a)
{
    return a->outcome == JR_HTTP_AMBIGUOUS && a->status == 200 && a->error.status == JR_TIMEOUT &&
           lived_ns(inf) >= HEALTHY_NS;
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct jr_informer *inf = ctx;
    struct jr_error why = inf->error;

    inf->stream = NULL;
    if (lived_ns(inf) >= HEALTHY_NS && a->status == 200)
        jr_informer_reset_failures(inf);
    if (inf->decided) {
        if (inf->phase == PHASE_WATCH && inf->next == NEXT_WATCH && !inf->got_event)
            inf->fruitless++;
        jr_informer_pause(inf, inf->next, a->retry_after_s, &why);
    } else if (inf->phase == PHASE_WATCH && went_silent(inf, a)) {
        jr_debug(inf->log, "watch silent, watching on by a new connection",
                 JR_CSTR("resource", inf->opt.name));
        jr_informer_start_watch(inf);
    } else if (a->outcome != JR_HTTP_DONE) {
        inf->cut_short += inf->phase == PHASE_WATCH_LIST && a->outcome == JR_HTTP_AMBIGUOUS;
        jr_informer_pause(inf, inf->phase == PHASE_WATCH_LIST ? NEXT_LIST : NEXT_WATCH, 0,
                          &a->error);
    } else if (a->status == 200) {
        on_close(inf);
    } else {
        on_refusal(inf, a);
    }
}

static void build_url(struct jr_informer *inf, enum informer_phase phase, struct jr_buf *url)
{
    const bool quiet = phase == PHASE_WATCH && !inf->got_change;
    const uint64_t timeout_s =
        quiet ? TIMEOUT_QUIET_S : TIMEOUT_MIN_S + jr_rand_below(&inf->env.rand, TIMEOUT_SPREAD_S);

    (void)jr_buf_adds(url, inf->opt.path);
    (void)jr_buf_adds(url, "?watch=1&allowWatchBookmarks=true");
    if (phase == PHASE_WATCH_LIST)
        (void)jr_buf_adds(url, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    (void)jr_buf_addf(url, "&timeoutSeconds=%u", (unsigned)timeout_s);
    if (phase == PHASE_WATCH) { /* a WatchList without a version is consistent */
        (void)jr_buf_adds(url, "&resourceVersion=");
        (void)jr_url_escape(jr_buf_str(&inf->rv), url);
    }
    jr_informer_add_selectors(inf, url);
}

void jr_informer_stream(struct jr_informer *inf, enum informer_phase phase)
{
    const struct jr_transport *t = &inf->env.transport;
    const struct jr_http_handler h = { .on_chunk = on_chunk, .on_done = on_done, .ctx = inf };
    struct jr_http_request req = { .method = "GET", .own_connection = true };
    JR_BUF url = { 0 };

    inf->phase = phase;
    inf->stream_began = jr_loop_mono(inf->env.loop);
    inf->got_event = false;
    inf->decided = false;
    inf->error = (struct jr_error){ 0 };
    jr_watch_frames_done(&inf->frames);
    jr_watch_frames_init(&inf->frames);
    inf->frames.on_unread = on_unread;
    jr_buf_init(&url, JR_BUF_BY_INPUT);
    build_url(inf, phase, &url);
    inf->got_change = false;
    jr_must(url.failed);
    req.path = url.p;
    req.accept = jr_informer_accept(inf, false);
    req.idle_timeout_ms = JR_LIVENESS_STREAM_MS;
    inf->stream = t->send(t->self, &req, &h);
}
