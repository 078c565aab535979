/* GET /version, again and again. */
#include "common/kube/version_watch.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/requester.h"

#define PERIOD_NS (60 * JR_SEC)
#define FIRST_CAP_NS (10 * JR_SEC) /* between two questions while there never was an answer */
#define BODY_MAX ((size_t)64 << 10)

struct jr_version_watch {
    struct jr_requester q;
    struct jr_version_watch_handler h;
    struct jr_log *log;
    struct jr_metrics *metrics;
    const struct jr_flag_list *gates;
    struct jr_kube_range range;
    char *passed_over; /* as it was last logged; NULL: nothing was */
    struct jr_mono asked;
    unsigned failures; /* in a row */
    bool untold;       /* the handler was called */
};

static const char *const labels[] = { "version", "emulated", NULL };
static const struct jr_metric_desc version_info = {
    .name = "jobreeve_kubernetes_version_info",
    .help = "1 for each version of Kubernetes that is reckoned with: of API servers that have "
            "answered within the last hour, or as --kubernetes-version says.",
    .kind = JR_GAUGE,
    .labels = labels,
};

void jr_version_metrics(struct jr_metrics *metrics, const struct jr_profiles *profiles)
{
    jr_metrics_clear(metrics, &version_info);
    for (size_t i = 0; i < profiles->n; i++) {
        const struct jr_profile *p = &profiles->v[i];
        char version[JR_KUBE_TEXT_MAX], emulated[JR_KUBE_TEXT_MAX];

        (void)jr_kube_version_text(p->version, version);
        (void)snprintf(emulated, sizeof(emulated), "1.%u", p->emulated);
        jr_metrics_set(metrics, &version_info, (const char *const[]){ version, emulated }, 1);
    }
}

static void ask(void *ctx);

static void ask_later(struct jr_version_watch *w)
{
    const int64_t took = jr_loop_mono(w->q.env.loop).ns - w->asked.ns;

    if (w->range.n == 0)
        jr_requester_retry(&w->q, w->failures - 1, FIRST_CAP_NS, 0.2, ask);
    else
        jr_requester_after(&w->q, took < PERIOD_NS ? PERIOD_NS - took : 0, ask);
}

/** Says once which gates don't count, and where. */
static void note_passed_over(struct jr_version_watch *w, const struct jr_buf *text)
{
    jr_must(text->failed);
    if (w->passed_over != NULL ? jr_str_is(jr_buf_str(text), w->passed_over) : text->n == 0)
        return;
    free(w->passed_over);
    w->passed_over = jr_xstrndup(jr_buf_str(text));
    if (text->n > 0)
        jr_warn(w->log, "gates that are passed over", JR_CSTR("flag", "--" JR_GATES_FLAG),
                JR_STR("why", jr_buf_str(text)));
}

static void note_change(struct jr_version_watch *w)
{
    JR_BUF text = { 0 };
    JR_BUF passed_over = { 0 };
    struct jr_profiles profiles;
    char version[JR_KUBE_TEXT_MAX];

    jr_buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < w->range.n; i++) {
        const struct jr_kube_server *s = &w->range.v[i].server;

        (void)jr_buf_addf(&text, "%s%s", i == 0 ? "" : ", ",
                          jr_kube_version_text(s->version, version));
        if (s->emulated != s->version.minor)
            (void)jr_buf_addf(&text, " emulating 1.%u", s->emulated);
    }
    jr_must(text.failed);
    jr_info(w->log, "the API servers' versions", JR_STR("versions", jr_buf_str(&text)));
    jr_buf_init(&passed_over, SIZE_MAX);
    jr_profiles_of_range(&w->range, w->gates, &profiles, &passed_over);
    note_passed_over(w, &passed_over);
    jr_version_metrics(w->metrics, &profiles);
    w->h.on_change(w->h.ctx, &profiles);
}

static void take(struct jr_version_watch *w, const struct jr_kube_server *server)
{
    const struct jr_mono now = jr_loop_mono(w->q.env.loop);
    const bool came = jr_kube_range_see(&w->range, server, now);
    const bool went = jr_kube_range_forget(&w->range, now);
    char version[JR_KUBE_TEXT_MAX];

    if (w->failures > 0)
        jr_info(w->log, "the API server says its version again", JR_INT("failures", w->failures));
    w->failures = 0;
    if (came && !jr_kube_server_known(server))
        jr_warn(w->log, "a version that is not known is taken for the nearest one that is",
                JR_CSTR("version", jr_kube_version_text(server->version, version)),
                JR_INT("oldestKnownMinor", JR_KUBE_OLDEST),
                JR_INT("newestKnownMinor", JR_KUBE_NEWEST));
    if (came || went)
        note_change(w);
}

/** told: that is the answer, and the next one will hardly be another. */
static void fail(struct jr_version_watch *w, bool told, const struct jr_error *why)
{
    if (w->failures++ == 0)
        jr_warn(w->log, "the API server's version is not known anew", JR_ERR(why));
    if (w->range.n > 0 || !told || w->untold)
        return;
    w->untold = true;
    if (w->h.on_untold != NULL)
        w->h.on_untold(w->h.ctx);
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_version_watch *w = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    struct jr_kube_server server;
    enum jr_status st = jr_kube_object(r, &doc, &err);

    if (st == JR_OK)
        st = jr_kube_server_read(jr_doc_root_const(doc), &server, &err);
    if (st == JR_OK)
        take(w, &server);
    else
        fail(w, r->kind == JR_RESULT_OK || r->http == 403 || r->http == 404, &err);
    ask_later(w);
}

static void ask(void *ctx)
{
    struct jr_version_watch *w = ctx;
    const struct jr_http_request http = { .method = "GET",
                                          .path = "/version",
                                          .body_max = BODY_MAX,
                                          .own_connection = true,
                                          .fresh_connection = true };

    w->asked = jr_loop_mono(w->q.env.loop);
    jr_requester_send(&w->q, &http, on_answer);
}

struct jr_version_watch *jr_version_watch_start(const struct jr_env *env,
                                                const struct jr_flag_list *gates,
                                                const struct jr_version_watch_handler *handler,
                                                struct jr_log *log, struct jr_metrics *metrics)
{
    struct jr_version_watch *w = jr_xcalloc(1, sizeof(*w));

    w->q = (struct jr_requester){ .env = *env, .ctx = w };
    w->gates = gates;
    w->h = *handler;
    w->log = log;
    w->metrics = metrics;
    jr_requester_after(&w->q, 0, ask);
    return w;
}

void jr_version_watch_free(struct jr_version_watch *w)
{
    if (w == NULL)
        return;
    jr_requester_done(&w->q);
    free(w->passed_over);
    free(w);
}
