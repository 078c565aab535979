/* SPDX-License-Identifier: Apache-2.0 */
/* An informer's life: list, watch, fail, go on. The states and what leads from one to the other:
 *
 *   start, relist --> WATCH_LIST --initial events' end--> WATCH <--+
 *                        | refused, or cut short thrice    |  |    | closed, or silent, after a
 *                        v                                 |  +----+ while: at once
 *                       LIST --last page-------------------+
 *
 * Any failure, and a list that is older than what was told before, leads to PAUSE, a growing one,
 * and from there back to a list, to the page that failed, or to a watch from the last version. */
#include "common/base/memory.h"
#include "common/base/num.h"
#include "common/kube/informer_parts.h"

#define BACKOFF_BASE_NS (800 * JR_MSEC)
#define BACKOFF_CAP_NS (30 * JR_SEC)
#define BACKOFF_RESET_NS (120 * JR_SEC)
/* Bounds the pause for a resource that has vanished, as it may be put back: three to seven seconds.
 */
#define BACKOFF_VANISHED 2
#define PAUSE_MAX_S 60
#define CUT_SHORT_MAX 3
#define FRUITLESS_MAX 5
/* A server that is behind catches up; what is older after so many lists was restored from a backup.
 */
#define WENT_BACK_MAX 3
#define RELIST_GAP_NS JR_SEC
/* Requests that are lost together become ambiguous one after the other. */
#define RELIST_WAIT_NS (200 * JR_MSEC)
#define VERSION_MAX 256
#define TOKEN_MAX ((size_t)16 << 10)

static const struct jr_metric_desc lists_total =
    JR_METRIC(COUNTER, "jobreeve_informer_lists_total", "Lists begun, in pages or as a stream.",
              "resource", NULL);
static const struct jr_metric_desc watches_total =
    JR_METRIC(COUNTER, "jobreeve_informer_watches_total", "Watches begun from a known version.",
              "resource", NULL);
static const struct jr_metric_desc failures_total =
    JR_METRIC(COUNTER, "jobreeve_informer_failures_total", "Lists and watches that failed.",
              "resource", NULL);
static const struct jr_metric_desc synced_gauge = JR_METRIC(
    GAUGE, "jobreeve_informer_synced", "Whether the first list is complete.", "resource", NULL);

static void count_one(struct jr_informer *inf, const struct jr_metric_desc *d)
{
    const char *const values[] = { inf->opt.name };

    jr_metrics_add(inf->metrics, d, values, 1);
}

void jr_informer_item(struct jr_informer *inf, struct jr_str object)
{
    inf->items++;
    inf->h.on_replace_item(inf->h.ctx, object);
}

int jr_informer_compare(const struct jr_informer *inf, struct jr_str rv)
{
    uint64_t is, told;

    if (jr_parse_u64(rv, &is) != JR_OK || jr_parse_u64(jr_buf_str(&inf->rv), &told) != JR_OK)
        return 1;
    return (is > told) - (is < told);
}

void jr_informer_begin_replace(struct jr_informer *inf)
{
    inf->replacing = true;
    inf->items = 0;
    inf->h.on_replace_begin(inf->h.ctx);
    if (inf->went_back >= WENT_BACK_MAX && inf->h.on_restored != NULL)
        inf->h.on_restored(inf->h.ctx);
}

/** A consistent list is never older than what was told of before. What one that is doesn't show may
 * still be there, so nothing is taken for gone: the consumer only learns how old its cache is. */
static enum jr_status list_again(struct jr_informer *inf, struct jr_str rv, struct jr_error *err)
{
    inf->went_back++;
    if (inf->h.on_progress != NULL)
        inf->h.on_progress(inf->h.ctx, rv);
    return jr_fail(err, JR_REMOTE, NULL,
                   "a list of version %.*s, older than %.*s, which came before", JR_P(rv),
                   JR_P(jr_buf_str(&inf->rv)));
}

static void on_relist(void *ctx);

enum jr_status jr_informer_listed(struct jr_informer *inf, struct jr_str rv, struct jr_error *err)
{
    const char *const values[] = { inf->opt.name };

    if (jr_informer_compare(inf, rv) < 0 && inf->went_back < WENT_BACK_MAX)
        return list_again(inf, rv, err);
    jr_buf_reset(&inf->rv);
    if (jr_need(jr_buf_add(&inf->rv, rv)) != JR_OK)
        return jr_fail(err, inf->rv.failed, NULL, "the list's resourceVersion");
    inf->replacing = false;
    inf->synced = true;
    inf->went_back = 0;
    inf->cut_short = 0;
    inf->fruitless = 0;
    inf->relists = 0;
    inf->list_took_ns = jr_loop_mono(inf->env.loop).ns - inf->list_began.ns;
    jr_metrics_set(inf->metrics, &synced_gauge, values, 1);
    jr_info(inf->log, "listed", JR_CSTR("resource", inf->opt.name), JR_INT("items", inf->items),
            JR_STR("resourceVersion", jr_buf_str(&inf->rv)));
    inf->h.on_replace_end(inf->h.ctx, jr_buf_str(&inf->rv));
    /* A WatchList's stream goes on as the watch: none is begun, which would see that it is due. */
    if (inf->phase == PHASE_WATCH && inf->relist && inf->relist_timer == NULL)
        jr_xloop_after(inf->env.loop, 0, on_relist, inf, &inf->relist_timer);
    return JR_OK;
}

void jr_informer_vanished(struct jr_informer *inf)
{
    if (!inf->opt.may_vanish || !inf->synced)
        return;
    if (inf->backoff_n > BACKOFF_VANISHED)
        inf->backoff_n = BACKOFF_VANISHED;
    inf->h.on_replace_begin(inf->h.ctx);
    inf->h.on_replace_end(inf->h.ctx, jr_buf_str(&inf->rv));
}

static void start_list(struct jr_informer *inf);

static void on_timer(void *ctx)
{
    struct jr_informer *inf = ctx;

    inf->timer = NULL;
    switch (inf->next) {
    case NEXT_LIST:
        start_list(inf);
        break;
    case NEXT_PAGE:
        jr_informer_next_page(inf);
        break;
    case NEXT_WATCH:
        jr_informer_start_watch(inf);
        break;
    }
}

static int64_t next_backoff(struct jr_informer *inf)
{
    struct jr_mono now = jr_loop_mono(inf->env.loop);

    if (now.ns - inf->backoff_at.ns > BACKOFF_RESET_NS)
        inf->backoff_n = 0;
    inf->backoff_at = now;
    return jr_backoff_ns(inf->backoff_n++, BACKOFF_BASE_NS, BACKOFF_CAP_NS, 1.0, &inf->env.rand);
}

void jr_informer_reset_failures(struct jr_informer *inf)
{
    inf->backoff_n = 0;
}

static const char *pause_message(enum informer_next next)
{
    switch (next) {
    case NEXT_LIST:
        return "listing anew after a pause";
    case NEXT_PAGE:
        return "asking for a page again after a pause";
    case NEXT_WATCH:
        break;
    }
    return "watching again after a pause";
}

void jr_informer_pause(struct jr_informer *inf, enum informer_next next, int min_s,
                       const struct jr_error *why)
{
    int64_t delay = next_backoff(inf);
    int64_t min_ns = (min_s > PAUSE_MAX_S ? PAUSE_MAX_S : min_s) * JR_SEC;

    if (min_ns > delay)
        delay = min_ns;
    /* Perhaps the version itself is what the server can't stand. */
    if (next == NEXT_WATCH && inf->fruitless > FRUITLESS_MAX)
        next = NEXT_LIST;
    inf->phase = PHASE_PAUSE;
    inf->next = next;
    count_one(inf, &failures_total);
    jr_warn(inf->log, pause_message(next), JR_CSTR("resource", inf->opt.name),
            JR_INT("pauseMs", delay / JR_MSEC), JR_ERR(why));
    jr_timer_cancel(inf->env.loop, &inf->timer);
    jr_xloop_after(inf->env.loop, delay, on_timer, inf, &inf->timer);
}

void jr_informer_list_begins(struct jr_informer *inf)
{
    inf->replacing = false;
    inf->list_began = jr_loop_mono(inf->env.loop);
    inf->lists++;
    inf->relist = false; /* this is it */
    jr_timer_cancel(inf->env.loop, &inf->relist_timer);
    count_one(inf, &lists_total);
}

static void start_list(struct jr_informer *inf)
{
    inf->fruitless = 0;
    if (!inf->opt.watch_list || inf->refused || inf->cut_short >= CUT_SHORT_MAX) {
        jr_informer_first_page(inf);
        return;
    }
    jr_informer_list_begins(inf);
    jr_informer_stream(inf, PHASE_WATCH_LIST);
}

/** Drops what is in flight. */
static void cancel_requests(struct jr_informer *inf)
{
    jr_timer_cancel(inf->env.loop, &inf->timer);
    jr_kube_cancel(&inf->page);
    if (inf->stream != NULL)
        inf->env.transport.cancel(inf->env.transport.self, inf->stream);
    inf->stream = NULL;
}

static void start_relist(struct jr_informer *inf)
{
    inf->relist_at = jr_loop_mono(inf->env.loop);
    cancel_requests(inf);
    start_list(inf);
}

/** A list is in progress, or the next thing that is done is to begin one. */
static bool is_listing(const struct jr_informer *inf)
{
    return inf->phase == PHASE_LIST || inf->phase == PHASE_WATCH_LIST ||
           (inf->phase == PHASE_PAUSE && inf->next != NEXT_WATCH);
}

static bool is_relist_due(const struct jr_informer *inf)
{
    return inf->relist && (inf->relist_timer == NULL ||
                           jr_timer_due(inf->relist_timer).ns <= jr_loop_mono(inf->env.loop).ns);
}

void jr_informer_start_watch(struct jr_informer *inf)
{
    if (is_relist_due(inf)) {
        start_relist(inf);
        return;
    }
    count_one(inf, &watches_total);
    jr_informer_stream(inf, PHASE_WATCH);
}

static void on_relist(void *ctx)
{
    struct jr_informer *inf = ctx;

    inf->relist_timer = NULL;
    if (!is_listing(inf))
        start_relist(inf);
}

/** How long the next relist has to wait: who asks without end must not keep a large list from ever
 * being complete, nor the server from other work. */
static int64_t relist_delay(const struct jr_informer *inf)
{
    int64_t gap = jr_backoff_ns(inf->relists, RELIST_GAP_NS, BACKOFF_CAP_NS, 0, NULL);
    int64_t since = jr_loop_mono(inf->env.loop).ns - inf->relist_at.ns;

    if (inf->relist_at.ns == 0)
        return 0;
    if (gap < 2 * inf->list_took_ns)
        gap = 2 * inf->list_took_ns;
    return since >= gap ? 0 : gap - since;
}

uint64_t jr_informer_relist(struct jr_informer *inf)
{
    int64_t delay;

    if (inf->phase == PHASE_NEW || inf->relist)
        return inf->lists + 1;
    delay = relist_delay(inf);
    inf->relists++;
    inf->relist = true;
    /* Never from here: a handler may have called. */
    jr_xloop_after(inf->env.loop, delay > RELIST_WAIT_NS ? delay : RELIST_WAIT_NS, on_relist, inf,
                   &inf->relist_timer);
    return inf->lists + 1;
}

uint64_t jr_informer_list(const struct jr_informer *inf)
{
    return inf->lists;
}

void jr_informer_start(struct jr_informer *inf)
{
    if (inf->phase == PHASE_NEW)
        start_list(inf);
}

bool jr_informer_synced(const struct jr_informer *inf)
{
    return inf->synced;
}

struct jr_informer *jr_informer_new(const struct jr_env *env,
                                    const struct jr_informer_options *options,
                                    const struct jr_informer_handler *handler, struct jr_log *log,
                                    struct jr_metrics *metrics)
{
    struct jr_informer *inf = jr_xcalloc(1, sizeof(*inf));
    struct jr_arena *a = &inf->arena;
    const char *values[1];

    inf->env = *env;
    inf->h = *handler;
    inf->log = log;
    inf->metrics = metrics;
    jr_arena_init(a, 0);
    inf->opt = *options;
    inf->opt.path = jr_xarena_strdup(a, options->path);
    inf->opt.name = jr_xarena_strdup(a, options->name);
    inf->opt.field_selector = jr_xarena_strdup(a, options->field_selector);
    inf->opt.label_selector = jr_xarena_strdup(a, options->label_selector);
    jr_buf_init(&inf->rv, VERSION_MAX);
    jr_buf_init(&inf->token, TOKEN_MAX);
    jr_buf_init(&inf->list_rv, VERSION_MAX);
    jr_watch_frames_init(&inf->frames);
    values[0] = inf->opt.name;
    jr_metrics_declare(metrics, &lists_total, values);
    jr_metrics_declare(metrics, &watches_total, values);
    jr_metrics_declare(metrics, &failures_total, values);
    jr_metrics_declare(metrics, &synced_gauge, values);
    return inf;
}

void jr_informer_free(struct jr_informer *inf)
{
    if (inf == NULL)
        return;
    cancel_requests(inf);
    jr_timer_cancel(inf->env.loop, &inf->relist_timer);
    jr_watch_frames_done(&inf->frames);
    jr_buf_done(&inf->rv);
    jr_buf_done(&inf->token);
    jr_buf_done(&inf->list_rv);
    jr_arena_done(&inf->arena);
    free(inf);
}
