/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/controller/whole_world.h"

#include <sys/mman.h>
#include <sys/stat.h>

/* ---- the API ---- */

const char *pod_text(char *out, size_t cap, const char *name, const char *phase, bool finalizer,
                     unsigned version)
{
    (void)snprintf(
        out, cap,
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":"
        "\"%u\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"},"
        "\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\","
        "\"uid\":\"u1\",\"controller\":true}]%s},\"status\":{\"phase\":\"%s\"}}",
        name, name, version,
        finalizer ? ",\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]" : "", phase);
    return out;
}

static bool has(struct jr_str s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static struct jr_scripted_answer list(struct world *w, const struct jr_scripted_call *call,
                                      const char *items)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };

    if (has(call->path, "watch=")) {
        a.stream = true;
        return a;
    }
    if (w->lists_fail > 0) {
        w->lists_fail--;
        a.status = 500;
        return a;
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"resourceVersion\":\"%u\"},\"items\":[%s]}", w->version++,
                   items);
    a.body = jr_str(w->text);
    return a;
}

static struct jr_scripted_answer on_lease(struct world *w, const struct jr_scripted_call *call)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };
    const char *holder;

    if (w->lease_fails)
        return (struct jr_scripted_answer){ .outcome = JR_HTTP_NOT_SENT };
    if (!jr_str_is(call->method, "GET")) { /* what is written is from now on what is there */
        holder = memmem(call->body.p, call->body.n, "\"holderIdentity\":\"", 18);
        assert_non_null(holder);
        (void)snprintf(w->taken, sizeof(w->taken), "%.*s", (int)strcspn(holder + 18, "\""),
                       holder + 18);
        w->holder = w->taken;
    }
    if (w->holder == NULL) {
        a.status = 404;
        return a;
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"name\":\"jobreeve\",\"resourceVersion\":\"%u\"},\"spec\":{"
                   "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":15,\"leaseTransitions\":1}}",
                   w->version++, w->holder);
    a.body = jr_str(w->text);
    return a;
}

static struct jr_scripted_answer on_create(struct world *w)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 201 };

    a.never = w->create == CREATE_HANGS;
    if (w->create == CREATE_LOST) { /* once */
        w->create = CREATE_OK;
        a.outcome = JR_HTTP_AMBIGUOUS;
        if (w->happens)
            (void)pod_text(w->pods, sizeof(w->pods), "p1", "Running", true, w->version++);
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"name\":\"new\",\"uid\":\"new\",\"resourceVersion\":\"%u\"}}",
                   w->version);
    a.body = jr_str(w->text);
    return a;
}

/** Lists of "ns" have the Job and its Pods, those of "other" only what other_pods says. */
static struct jr_scripted_answer in_namespace(struct world *w, const struct jr_scripted_call *call)
{
    if (jr_str_starts(call->path, JR_S(JOBS_IN("ns") "?")))
        return list(w, call, w->jobs);
    if (jr_str_starts(call->path, JR_S(PODS_IN("ns") "?")))
        return list(w, call, w->pods);
    if (jr_str_starts(call->path, JR_S(JOBS_IN("other") "?")))
        return list(w, call, "");
    if (jr_str_starts(call->path, JR_S(PODS_IN("other") "?")))
        return list(w, call, w->other_pods);
    return (struct jr_scripted_answer){ .outcome = JR_HTTP_DONE, .status = 403 };
}

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };

    (void)n;
    if (w->n_namespaces > 0 && jr_str_is(call->method, "GET")) /* a Role in these two alone */
        return in_namespace(w, call);
    if (jr_str_starts(call->path, JR_S(JOBS "?")))
        return list(w, call, w->jobs);
    if (jr_str_starts(call->path, JR_S(PODS "?")))
        return list(w, call, w->pods);
    if (w->gangs && jr_str_starts(call->path, JR_S("/apis/scheduling.k8s.io/v1alpha2"))) {
        if (has(call->path, "?"))
            return list(w, call, "");
        a.body = JR_S("{\"resources\":[{\"name\":\"workloads\"},{\"name\":\"podgroups\"}]}");
        return a;
    }
    if (has(call->path, "/leases"))
        return on_lease(w, call);
    if (jr_str_is(call->method, "POST") && jr_str_ends(call->path, JR_S("/pods")))
        return on_create(w);
    if (jr_str_is(call->method, "PUT")) {
        a.body = call->body;
        a.delay_ns = w->put_delay_ns;
        a.status = w->puts_conflict ? 409 : 200;
    }
    if (jr_str_is(call->method, "GET") && has(call->path, "/jobs/")) {
        a.body = jr_str(w->live_job);
        a.never = w->gets_hang;
        a.status = w->get_status == 0 ? 200 : w->get_status;
    }
    if (jr_str_is(call->method, "POST"))
        a.status = 201;
    if (w->deletes_fail && jr_str_is(call->method, "DELETE"))
        a.status = 500;
    a.never |= w->patches_hang && jr_str_is(call->method, "PATCH");
    if (w->refusal != NULL && jr_str_is(call->method, "PATCH")) {
        (void)snprintf(
            w->text, sizeof(w->text),
            "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":403,\"message\":\"%s\"}",
            w->refusal);
        a.body = jr_str(w->text);
        a.status = 403;
    }
    if (w->patches_fail > 0 && jr_str_is(call->method, "PATCH") && has(call->path, "/pods/")) {
        w->patches_fail--;
        a.status = 500;
    }
    if (jr_str_is(call->method, "PATCH"))
        a.delay_ns = w->patch_delay_ns;
    return a;
}

/* ---- the world ---- */

void world_on_end(void *ctx, int code)
{
    struct world *w = ctx;

    w->ended++;
    w->code = code;
}

static const struct jr_str namespaces[] = { { "ns", 2 }, { "other", 5 } };

void world_init_by(struct world *w, const struct world_options *by)
{
    const struct jr_controller_handler h = { world_on_end, w };
    struct jr_controller_options o = { .reconcile = jr_reconcile_options_default(),
                                       .namespaces = namespaces,
                                       .n_namespaces = by->n_namespaces,
                                       .leader_elect = by->elect,
                                       .election = { .namespace = "sys",
                                                     .name = "jobreeve",
                                                     .identity = "me",
                                                     .lease_duration_ms = 15000,
                                                     .renew_deadline_ms = 10000,
                                                     .retry_period_ms = 2000,
                                                     .release_on_stop = true },
                                       .paged_lists = true,
                                       .concurrent_syncs = by->concurrent_syncs,
                                       .job_cache_bytes = by->job_cache_bytes,
                                       .ttl_after_finished = by->ttl,
                                       .await_gates = by->await_gates,
                                       .decommission = by->decommission };
    struct jr_error err = { 0 };
    struct jr_clock clock;
    struct jr_env env;

    o.reconcile.account_only = by->decommission;
    *w = (struct world){ .jobs = JOB, .version = 100, .n_namespaces = by->n_namespaces };
    w->clock.wall = jr_time_s(1772366400);
    w->clock.mono = AT_S(1000);
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(w->loop, answer, w, &w->api), JR_OK);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    env = (struct jr_env){ w->loop, jr_rand_of_seed(&w->seed, 1), jr_scripted_transport(w->api) };
    clock = jr_clock_of_virtual(&w->clock);
    w->log_fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(w->log_fd >= 0);
    assert_int_equal(jr_log_new(w->log_fd, JR_LOG_INFO, JR_LOG_JSON, NULL, &clock, &w->log), JR_OK);
    if (jr_controller_new(&env, &o, &h, w->log, w->metrics, &w->c, &err) != JR_OK)
        fail_msg("controller: %s", err.msg);
}

void world_init(struct world *w, bool elect)
{
    world_init_by(w, &(struct world_options){ .elect = elect });
}

void world_start(struct world *w)
{
    jr_controller_start(w->c);
}

void pass(struct world *w, double s)
{
    int64_t until = w->clock.mono.ns + (int64_t)(s * (double)JR_SEC);
    bool idle;

    while (w->clock.mono.ns < until)
        assert_int_equal(jr_loop_turn(w->loop, until - w->clock.mono.ns, &idle, NULL), JR_OK);
}

void world_done(struct world *w)
{
    const int ended = w->ended;
    size_t n;

    jr_controller_free(w->c);
    n = jr_scripted_count(w->api);
    pass(w, 1000); /* what it had left in the loop would be called now, and is freed memory */
    assert_int_equal(jr_scripted_count(w->api), n);
    assert_int_equal(w->ended, ended);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->loop);
    jr_metrics_free(w->metrics);
    jr_log_free(w->log);
    jr_closep(&w->log_fd);
}

size_t logged(const struct world *w, const char *text)
{
    struct jr_str rest;
    struct stat st;
    const char *at;
    size_t n = 0;
    void *p;

    assert_int_equal(fstat(w->log_fd, &st), 0);
    if (st.st_size == 0)
        return 0;
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, w->log_fd, 0);
    assert_true(p != MAP_FAILED);
    rest = (struct jr_str){ p, (size_t)st.st_size };
    for (; (at = memmem(rest.p, rest.n, text, strlen(text))) != NULL; n++)
        rest = jr_str_from(rest, (size_t)(at - rest.p) + 1);
    (void)munmap(p, (size_t)st.st_size);
    return n;
}

size_t calls(const struct world *w, const char *method, const char *path)
{
    size_t n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        n += jr_str_is(c->method, method) && jr_str_starts(c->path, jr_str(path));
    }
    return n;
}

size_t creates(const struct world *w)
{
    return calls(w, "POST", "/api/v1/namespaces/ns/pods");
}

size_t puts_seen(const struct world *w)
{
    return calls(w, "PUT", "/apis/batch/v1/namespaces/ns/jobs/j/status");
}

static void push(struct world *w, const char *path, const char *frame)
{
    size_t heard = jr_scripted_push(w->api, path, jr_str(frame));

    assert_true(heard == 1 || w->streams_break);
}

void push_pod(struct world *w, const char *type, const char *name, const char *phase,
              bool finalizer)
{
    char pod[2048], frame[4096];

    (void)snprintf(frame, sizeof(frame), "{\"type\":\"%s\",\"object\":%s}\n", type,
                   pod_text(pod, sizeof(pod), name, phase, finalizer, w->version++));
    push(w, PODS, frame);
}

void push_job(struct world *w, const char *type, const char *status)
{
    const char *version = strstr(JOB, "\"resourceVersion\":\"5\"");
    char frame[8192];

    assert_non_null(version);
    (void)snprintf(frame, sizeof(frame),
                   "{\"type\":\"%s\",\"object\":%.*s\"resourceVersion\":\"%u\"%.*s"
                   ",\"status\":%s}}\n",
                   type, (int)(version - JOB), JOB, w->version++, (int)strlen(version + 21) - 1,
                   version + 21, status);
    push(w, JOBS, frame);
}

void push_status(struct world *w, const char *status)
{
    push_job(w, "MODIFIED", status);
}

const char *last_status(const struct world *w, char *out, size_t cap)
{
    struct jr_str body = JR_S("");
    const char *status;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        if (jr_str_is(c->method, "PUT") && jr_str_ends(c->path, JR_S("/status")))
            body = c->body;
    }
    status = memmem(body.p, body.n, "\"status\":", 9);
    assert_non_null(status);
    (void)snprintf(out, cap, "%.*s", (int)(body.p + body.n - status) - 10, status + 9);
    return out;
}
