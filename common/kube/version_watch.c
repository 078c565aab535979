/* SPDX-License-Identifier: Apache-2.0 */
/* GET /version, again and again; and now and then GET /metrics, which says which gates are on. */
#include "common/kube/version_watch.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/feature_read.h"
#include "common/kube/requester.h"
#include "common/schema/releases.h"

#define PERIOD_NS (60 * JR_SEC)
#define FIRST_CAP_NS (10 * JR_SEC) /* between two questions while there never was an answer */
#define BODY_MAX ((size_t)64 << 10)
#define GATES_NS (600 * JR_SEC) /* between two readings of the gates */
/* Any of the servers may answer: after a change the gates are asked for each minute, so often. */
#define GATES_TRIES 10

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
    struct jr_feature_read read;
    struct jr_mono gates_asked;
    unsigned gates_tries; /* since there were other servers, or other gates */
    bool gates_refused;   /* by the last answer */
    bool told;            /* the handler knows of a server */
    char *gates_text;     /* as they were last logged; NULL: nothing was */
    char *contradictions; /* the same */
};

static const struct jr_metric_desc version_info =
    JR_METRIC(GAUGE, "jobreeve_kubernetes_version_info",
              "1 for each version of Kubernetes that is reckoned with: of API servers that have "
              "answered within the last hour, or as --kubernetes-version says.",
              "version", "emulated", NULL);

static const struct jr_metric_desc feature_enabled = JR_METRIC(
    GAUGE, "jobreeve_kubernetes_feature_enabled",
    "1 if a feature gate of the API server that rules depend on is reckoned to be on, 0 if "
    "off; source: server (it says so), flag, or default (of its version). Gates that are "
    "locked are left out.",
    "version", "emulated", "name", "source", NULL);
static const char *const sources[] = {
    [JR_GATE_BY_DEFAULT] = "default",
    [JR_GATE_BY_SERVER] = "server",
    [JR_GATE_BY_FLAG] = "flag",
};

/** Servers of one version share their series: a gate is on that is on in all of them. */
static bool is_on(const struct jr_profiles *profiles, const struct jr_profile *p, size_t gate)
{
    bool on = p->gates[gate];

    for (size_t i = 0; i < profiles->n; i++) {
        const struct jr_profile *o = &profiles->v[i];

        if (jr_kube_version_cmp(o->version, p->version) == 0 && o->emulated == p->emulated)
            on = on && o->gates[gate];
    }
    return on;
}

static void set_gate_metrics(struct jr_metrics *metrics, const struct jr_profiles *profiles,
                             const struct jr_profile *p, const char *version, const char *emulated)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        const enum jr_gate_id gate = (enum jr_gate_id)i;

        if (jr_profile_can_set(p, gate))
            jr_metrics_set(metrics, &feature_enabled,
                           (const char *const[]){ version, emulated, jr_gate_name(gate),
                                                  sources[p->sources[i]] },
                           is_on(profiles, p, i));
    }
}

void jr_version_metrics(struct jr_metrics *metrics, const struct jr_profiles *profiles)
{
    jr_metrics_clear(metrics, &version_info);
    jr_metrics_clear(metrics, &feature_enabled);
    for (size_t i = 0; i < profiles->n; i++) {
        const struct jr_profile *p = &profiles->v[i];
        char version[JR_KUBE_TEXT_MAX], emulated[JR_KUBE_TEXT_MAX];

        (void)jr_kube_version_text(p->version, version);
        (void)snprintf(emulated, sizeof(emulated), "1.%u", p->emulated);
        jr_metrics_set(metrics, &version_info, (const char *const[]){ version, emulated }, 1);
        set_gate_metrics(metrics, profiles, p, version, emulated);
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

/** Whether a text is another one than was last logged; then it is kept. */
static bool is_news(char **last, const struct jr_buf *text)
{
    jr_must(text->failed);
    if (*last != NULL ? jr_str_is(jr_buf_str(text), *last) : text->n == 0)
        return false;
    free(*last);
    *last = jr_xstrndup(jr_buf_str(text));
    return true;
}

/** Says once which gates don't count, and where. */
static void note_passed_over(struct jr_version_watch *w, const struct jr_buf *text)
{
    if (is_news(&w->passed_over, text) && text->n > 0)
        jr_warn(w->log, "gates that are passed over", JR_CSTR("flag", "--" JR_GATES_FLAG),
                JR_STR("why", jr_buf_str(text)));
}

/** Says once where the flag, which counts, isn't what the server says. */
static void note_contradictions(struct jr_version_watch *w, const struct jr_profiles *profiles)
{
    JR_BUF text = { 0 };
    char version[JR_KUBE_TEXT_MAX];

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < profiles->n; i++) {
        const struct jr_profile *p = &profiles->v[i];

        for (size_t g = 0; g < JR_GATE_COUNT; g++) {
            const enum jr_gate_seen seen = w->range.v[i].gates.states[g];

            if (p->sources[g] == JR_GATE_BY_FLAG && seen != JR_GATE_UNSEEN &&
                (seen == JR_GATE_SEEN_ON) != p->gates[g])
                (void)jr_buf_addf(&text, "%s%s has %s=%s", text.n == 0 ? "" : "; ",
                                  jr_kube_version_text(p->version, version),
                                  jr_gate_name((enum jr_gate_id)g), p->gates[g] ? "false" : "true");
        }
    }
    if (is_news(&w->contradictions, &text) && text.n > 0)
        jr_warn(w->log, "the flag counts, but the API server says otherwise",
                JR_CSTR("flag", "--" JR_GATES_FLAG), JR_STR("server", jr_buf_str(&text)));
}

static void note_servers(struct jr_version_watch *w)
{
    JR_BUF text = { 0 };
    char version[JR_KUBE_TEXT_MAX];

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < w->range.n; i++) {
        const struct jr_kube_server *s = &w->range.v[i].server;

        if (i > 0 && jr_kube_server_cmp(&w->range.v[i - 1].server, s) == 0)
            continue;
        (void)jr_buf_addf(&text, "%s%s", i == 0 ? "" : ", ",
                          jr_kube_version_text(s->version, version));
        if (s->emulated != s->version.minor)
            (void)jr_buf_addf(&text, " emulating 1.%u", s->emulated);
    }
    jr_must(text.failed);
    jr_info(w->log, "the API servers' versions", JR_STR("versions", jr_buf_str(&text)));
}

/** Appends which gates a server has otherwise than its version by default. */
static void add_gates(const struct jr_kube_seen *seen, struct jr_buf *text)
{
    struct jr_profile p = jr_profile_emulating(seen->server.version, seen->server.emulated);
    char version[JR_KUBE_TEXT_MAX];
    size_t n = 0;

    (void)jr_buf_addf(text, "%s%s:", text->n == 0 ? "" : "; ",
                      jr_kube_version_text(p.version, version));
    jr_profile_set_seen(&p, &seen->gates);
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        const enum jr_gate_id gate = (enum jr_gate_id)i;

        if (p.gates[i] != jr_profile_default_of(&p, gate) && ++n > 0)
            (void)jr_buf_addf(text, " %s=%s", jr_gate_name(gate), p.gates[i] ? "true" : "false");
    }
    if (n == 0)
        (void)jr_buf_adds(text, " its defaults");
}

/** Logs what was detected, once. */
static void note_gates(struct jr_version_watch *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < w->range.n; i++) {
        if (w->range.v[i].has_gates)
            add_gates(&w->range.v[i], &text);
    }
    if (is_news(&w->gates_text, &text))
        jr_info(w->log, "the API servers' feature gates, beside the defaults of their versions",
                JR_STR("gates", jr_buf_str(&text)));
}

/** Tells whoever wants to know what the servers are like. */
static void notify(struct jr_version_watch *w)
{
    JR_BUF passed_over = { 0 };
    struct jr_profiles profiles;

    w->told = true;
    jr_buf_init(&passed_over, JR_BUF_BY_INPUT);
    jr_profiles_of_range(&w->range, w->gates, &profiles, &passed_over);
    note_passed_over(w, &passed_over);
    note_contradictions(w, &profiles);
    note_gates(w);
    jr_version_metrics(w->metrics, &profiles);
    w->h.on_change(w->h.ctx, &profiles);
}

/* ---- gates ---- */

static void refuse_gates(struct jr_version_watch *w, const char *why)
{
    if (!w->gates_refused)
        jr_info(w->log,
                "which feature gates the API server has on is not known: the defaults of its "
                "version are assumed, but for the flag",
                JR_CSTR("flag", "--" JR_GATES_FLAG), JR_CSTR("path", "/metrics"),
                JR_CSTR("why", why));
    w->gates_refused = true;
}

static void on_gates(void *ctx, const struct jr_http_answer *answer)
{
    struct jr_version_watch *w = ctx;
    const struct jr_feature_metrics *m = &w->read.metrics;
    const struct jr_mono now = jr_loop_mono(w->q.env.loop);
    bool news = false;
    char why[64];

    if (answer->outcome == JR_HTTP_DONE && answer->status == 200 && m->n > 0 &&
        m->version.minor > 0) {
        w->gates_refused = false;
        news = jr_kube_range_see_gates(&w->range, m->version, &m->gates, now);
    } else if (answer->outcome != JR_HTTP_DONE) {
        refuse_gates(w, answer->error.msg);
    } else if (answer->status != 200) {
        (void)snprintf(why, sizeof(why), "HTTP status %d", answer->status);
        refuse_gates(w, why);
    } else {
        refuse_gates(w, "there is no kubernetes_feature_enabled, or no kubernetes_build_info");
    }
    if (news)
        w->gates_tries = 0;
    if (news || !w->told)
        notify(w);
    ask_later(w);
}

static bool gates_are_due(const struct jr_version_watch *w)
{
    if (w->gates_tries == 0 || jr_loop_mono(w->q.env.loop).ns - w->gates_asked.ns >= GATES_NS)
        return true;
    return !w->gates_refused && w->gates_tries < GATES_TRIES;
}

static void ask_gates(struct jr_version_watch *w)
{
    w->gates_tries++;
    w->gates_asked = jr_loop_mono(w->q.env.loop);
    jr_feature_read_start(&w->read, &w->q.env, on_gates, w);
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
    if (came && jr_kube_server_known(server) && server->version.minor > JR_KUBE_RELEASED)
        jr_warn(w->log, "a version that is known by a prerelease only",
                JR_CSTR("version", jr_kube_version_text(server->version, version)),
                JR_CSTR("prerelease", JR_KUBE_PRERELEASE));
    if (came)
        w->gates_tries = 0;
    if (came || went)
        note_servers(w);
    /* The first time not before the gates were asked for: nobody acts by defaults for a moment. */
    if ((came || went) && w->told)
        notify(w);
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
    if (st == JR_OK && gates_are_due(w))
        ask_gates(w);
    else
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
    jr_feature_read_cancel(&w->read, &w->q.env);
    free(w->passed_over);
    free(w->gates_text);
    free(w->contradictions);
    free(w);
}
