/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/controller/reporter_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "common/json/patch.h"
#include "common/kube/request.h"
#include "tests/support/doc.h"

#define TEXT_MAX ((size_t)1 << 26)

/* ---- policies ---- */

static void add_policy_text(const struct world_policy *p, struct jr_buf *out)
{
    (void)jr_buf_addf(out,
                      "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u-%d\",\"generation\":%lld,"
                      "\"resourceVersion\":\"%d\"},\"spec\":{%s},\"status\":",
                      p->name, p->uid, (long long)p->generation, p->version, p->spec);
    assert_int_equal(jr_node_print(jr_doc_root_const(p->status), out), JR_OK);
    (void)jr_buf_addc(out, '}');
}

static void add_event(const char *type, const struct world_policy *p, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "{\"type\":\"%s\",\"object\":", type);
    add_policy_text(p, out);
    (void)jr_buf_adds(out, "}\n");
}

static void add_end(struct jr_buf *out)
{
    (void)jr_buf_adds(out,
                      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\","
                      "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
}

void world_tell(struct world *w, const char *event, size_t policy)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    add_event(event, &w->policies[policy], &text);
    assert_int_equal(text.failed, JR_OK);
    (void)jr_scripted_push(w->api, POLICIES "?watch", jr_buf_str(&text));
}

void world_change(struct world *w, size_t policy, const char *spec)
{
    w->policies[policy].spec = spec;
    w->policies[policy].generation++;
    w->policies[policy].version++;
    world_tell(w, "MODIFIED", policy);
}

static struct world_policy *named(struct world *w, struct jr_str path)
{
    const struct jr_str rest = jr_str_from(path, sizeof(POLICIES "/") - 1);

    for (size_t i = 0; i < w->n_policies; i++) {
        struct world_policy *p = &w->policies[i];

        if (!p->gone && (jr_str_is(rest, p->name) || (jr_str_starts(rest, jr_str(p->name)) &&
                                                      jr_str_ends(rest, JR_S("/status")))))
            return p;
    }
    return NULL;
}

/** The status code. */
static int patch(struct world_policy *p, struct jr_str body)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = doc_of(body);
    const struct jr_node *root = jr_doc_root_const(doc);
    char version[16];

    (void)snprintf(version, sizeof(version), "%d", p->version);
    if (!jr_str_is(jr_get_str(jr_get(root, "metadata"), "resourceVersion"), version))
        return 409;
    assert_int_equal(jr_merge_apply(jr_doc_root(p->status), jr_get(root, "status")), JR_OK);
    p->version++;
    return 200;
}

/* ---- Jobs and CronJobs ---- */

static void add_object(const struct world *w, bool cron, size_t i, struct jr_buf *out)
{
    const bool over = w->violating_each > 0 && i % w->violating_each == 0;

    (void)jr_buf_addf(
        out,
        "%s{\"metadata\":{\"name\":\"%s-%zu\",\"namespace\":\"ns\",\"annotations\":{"
        "\"a\":\"%*s\"}},\"spec\":{%s\"parallelism\":%d,\"template\":{\"spec\":{"
        "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"
        "}}%s",
        out->p[out->n - 1] == '[' ? "" : ",", cron ? "c" : "j", i, (int)w->padding, "",
        cron ? "\"schedule\":\"0 3 * * *\",\"jobTemplate\":{\"spec\":{" : "", over ? 11 : 10,
        cron ? "}}" : "");
}

/** The number behind key in the path, its percent-encoding undone; 0: there is none. */
static size_t number_in(struct jr_str path, const char *key)
{
    const char *at = path.p == NULL ? NULL : strstr(path.p, key);
    JR_BUF text = { 0 };
    struct jr_str rest;
    int64_t n = 0;

    if (at == NULL)
        return 0;
    jr_buf_init(&text, TEXT_MAX);
    rest = jr_str_from(path, (size_t)(at - path.p) + strlen(key));
    if (jr_str_find(rest, '&') >= 0)
        rest = jr_str_head(rest, (size_t)jr_str_find(rest, '&'));
    assert_int_equal(jr_url_unescape(rest, &text), JR_OK);
    rest = jr_buf_str(&text);
    if (jr_str_find(rest, '=') >= 0) /* of a token */
        rest = jr_str_from(rest, (size_t)jr_str_find(rest, '=') + 1);
    assert_int_equal(jr_parse_i64(rest, 0, INT32_MAX, &n), JR_OK);
    return (size_t)n;
}

static void add_page(struct world *w, struct jr_str path, bool cron, struct jr_buf *out)
{
    const size_t all = cron ? w->cron_jobs : w->jobs;
    const size_t limit = number_in(path, "limit="), from = number_in(path, "continue=");
    const bool empty = !cron && w->empty_pages > 0;
    size_t to = from;

    w->empty_pages -= empty;
    assert_true(limit > 0);
    (void)jr_buf_adds(out, "{\"items\":[");
    if (w->items != NULL && !cron)
        (void)jr_buf_adds(out, w->items);
    else
        for (; to < all && to < from + limit && !empty; to++)
            add_object(w, cron, to, out);
    (void)jr_buf_adds(out, "],\"metadata\":{\"resourceVersion\":\"5\"");
    if (to < all && (w->items == NULL || cron)) /* whoever doesn't encode it loses its end */
        (void)jr_buf_addf(out, ",\"continue\":\"a b&c+/=%zu\"", to);
    (void)jr_buf_adds(out, "}}");
    assert_true(w->n_pages < WORLD_PAGES);
    w->pages[w->n_pages].at_ns = w->clock.mono.ns;
    w->pages[w->n_pages++].n = to - from;
    w->served += to - from;
}

/* ---- the API server ---- */

static int fault_of(struct world *w, const struct jr_scripted_call *call)
{
    for (size_t i = 0; i < WORLD_FAULTS; i++) {
        struct world_fault *f = &w->faults[i];

        if (f->times == 0 || !jr_str_is(call->method, f->method) ||
            !jr_str_starts(call->path, jr_str(f->path)))
            continue;
        if (f->skip > 0) {
            f->skip--;
            continue;
        }
        f->times--;
        return f->status;
    }
    return 0;
}

static int of_policy(struct world *w, const struct jr_scripted_call *call, struct jr_buf *out)
{
    struct world_policy *p = named(w, call->path);
    int status = 200;

    if (p == NULL)
        return 404;
    if (jr_str_is(call->method, "PATCH")) {
        assert_true(jr_str_ends(call->path, JR_S("/status")));
        assert_true(jr_str_is(call->content_type, "application/merge-patch+json"));
        status = patch(p, call->body);
    }
    add_policy_text(p, out);
    return status;
}

/** The status code. */
static int serve(struct world *w, const struct jr_scripted_call *call, bool *ret_stream,
                 struct jr_buf *out)
{
    *ret_stream = jr_str_starts(call->path, JR_S(POLICIES "?watch")) ||
                  jr_str_starts(call->path, JR_S("/api/v1/namespaces?watch"));
    if (jr_str_starts(call->path, JR_S(POLICIES "?"))) {
        for (size_t i = 0; i < w->n_policies; i++)
            add_event("ADDED", &w->policies[i], out);
        add_end(out);
        return 200;
    }
    if (jr_str_starts(call->path, JR_S("/api/v1/namespaces?"))) {
        (void)jr_buf_adds(out, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"ns\","
                               "\"labels\":{\"kubernetes.io/metadata.name\":\"ns\"}}}}\n");
        add_end(out);
        return 200;
    }
    if (jr_str_starts(call->path, JR_S(POLICIES "/")))
        return of_policy(w, call, out);
    if (jr_str_starts(call->path, JR_S(CONFIGURATION)) && w->configuration != NULL)
        (void)jr_buf_adds(out, w->configuration);
    else if (jr_str_starts(call->path, JR_S(JOBS)) || jr_str_starts(call->path, JR_S(CRON_JOBS)))
        add_page(w, call->path, jr_str_starts(call->path, JR_S(CRON_JOBS)), out);
    return out->n > 0 ? 200 : 404;
}

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .delay_ns = JR_MSEC };
    JR_BUF out = { 0 };
    size_t size;

    (void)n;
    if (w->lose_at != NULL && jr_str_starts(call->path, jr_str(w->lose_at)))
        w->leads = false;
    jr_buf_init(&out, TEXT_MAX);
    a.status = fault_of(w, call);
    if (a.status == 0)
        a.status = serve(w, call, &a.stream, &out);
    else if (a.status == 1) /* lost on the way */
        a.outcome = JR_HTTP_AMBIGUOUS;
    free(w->body);
    assert_int_equal(jr_buf_take(&out, &w->body, &size), JR_OK);
    a.body = (struct jr_str){ w->body, size };
    return a;
}

/* ---- the world ---- */

static bool leads(void *ctx)
{
    const struct world *w = ctx;

    return w->leads;
}

void world_add_policy(struct world *w, const char *spec)
{
    struct world_policy *p = &w->policies[w->n_policies];

    assert_true(w->n_policies < WORLD_POLICIES);
    *p = (struct world_policy){ .spec = spec, .generation = 1, .version = 10 };
    (void)snprintf(p->name, sizeof(p->name), "p%zu", w->n_policies);
    assert_int_equal(jr_doc_new(&p->status), JR_OK);
    w->n_policies++;
}

void world_init(struct world *w)
{
    *w = (struct world){ .leads = true,
                         .profile = jr_profile_default(),
                         .clock = { .wall = jr_time_s(1772366400), .mono = { 1000 * JR_SEC } } };
    world_add_policy(w, MAX_10);
    w->env.rand = jr_rand_of_seed(&w->seed, 7);
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->env.loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(w->env.loop, answer, w, &w->api), JR_OK);
    w->env.transport = jr_scripted_transport(w->api);
    w->log_fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(w->log_fd >= 0);
    assert_int_equal(jr_log_new(w->log_fd, JR_LOG_DEBUG, JR_LOG_JSON, "test",
                                jr_loop_clock(w->env.loop), &w->log),
                     JR_OK);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
}

void world_start(struct world *w)
{
    const struct jr_policy_reporter_options o = {
        .audit_interval_ms = w->audit_interval_ms,
        .webhook_configuration = w->configuration == NULL ? NULL : "hook",
        .controller_name = "jobreeve.dev/controller",
        .profile = &w->profile,
        .leads = leads,
        .ctx = w,
    };

    w->reporter = jr_policy_reporter_start(&w->env, &o, w->log, w->metrics);
}

void world_done(struct world *w)
{
    jr_policy_reporter_free(w->reporter);
    assert_int_equal(jr_scripted_open(w->api), 0);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->env.loop);
    jr_metrics_free(w->metrics);
    jr_log_free(w->log);
    (void)close(w->log_fd);
    free(w->body);
    for (size_t i = 0; i < w->n_policies; i++)
        jr_doc_free(w->policies[i].status);
}

void world_turn(struct world *w)
{
    bool idle;

    assert_int_equal(jr_loop_turn(w->env.loop, JR_SEC, &idle, NULL), JR_OK);
}

void world_run(struct world *w, int64_t seconds)
{
    const int64_t end = w->clock.mono.ns + seconds * JR_SEC;
    size_t turns = 0;
    bool idle;

    while (w->clock.mono.ns < end) {
        assert_int_equal(jr_loop_turn(w->env.loop, end - w->clock.mono.ns, &idle, NULL), JR_OK);
        assert_true(++turns < 1000000); /* time goes on */
    }
}

void world_fault(struct world *w, struct world_fault f)
{
    size_t i = 0;

    while (i < WORLD_FAULTS && w->faults[i].times > 0)
        i++;
    assert_true(i < WORLD_FAULTS);
    w->faults[i] = f;
}

/* ---- what has come of it ---- */

size_t world_asked(const struct world *w, const char *method, const char *path)
{
    size_t n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        n += jr_str_is(c->method, method) && jr_str_starts(c->path, jr_str(path));
    }
    return n;
}

size_t world_patches(const struct world *w, size_t policy)
{
    char path[sizeof(POLICIES) + 32];

    (void)snprintf(path, sizeof(path), "%s/%s/status", POLICIES, w->policies[policy].name);
    return world_asked(w, "PATCH", path);
}

int64_t world_audit(const struct world *w, size_t policy, const char *key)
{
    const struct jr_node *audit = jr_get(jr_doc_root_const(w->policies[policy].status), "audit");

    return jr_node_i64_or(jr_get(audit, key), -1);
}

struct jr_str world_accepted(const struct world *w, size_t policy)
{
    const struct jr_node *conditions =
        jr_get(jr_doc_root_const(w->policies[policy].status), "conditions");
    const struct jr_node *c = jr_at(conditions, 0);

    if (c == NULL)
        return JR_S("");
    assert_true(jr_str_is(jr_get_str(c, "type"), "Accepted"));
    return jr_get_str(c, "status");
}

size_t world_logged(const struct world *w, const char *words)
{
    const size_t size = (size_t)lseek(w->log_fd, 0, SEEK_END);
    JR_FREE char *text = jr_xcalloc(1, size + 1);
    size_t n = 0;

    assert_int_equal(pread(w->log_fd, text, size, 0), size);
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words))
        n++;
    return n;
}
