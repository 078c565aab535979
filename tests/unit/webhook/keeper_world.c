/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/base64.h"
#include "tests/unit/webhook/keeper_world.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/api/admission_review.h"
#include "webhook/certs/cert_secret.h"

static const char *const names[] = { "hook", "hook.ns.svc" };

/* ---- the API ---- */

/** A request of the test's own, or of a replica. Appends the answer's body. */
int request(struct world *w, const char *method, const char *path, const char *type,
            struct jr_str body, struct jr_buf *out)
{
    const struct jr_dev_request req = {
        .method = method, .path = path, .content_type = type, .body = body, .user = "test"
    };
    const struct jr_dev_answer *a;
    struct jr_dev_op *op;
    int status;

    assert_int_equal(jr_dev_begin(w->store, &req, w->clock.wall, &op), JR_DEV_NEXT_ANSWER);
    a = jr_dev_op_answer(op);
    status = a->status;
    if (out != NULL) {
        jr_buf_reset(out);
        assert_int_equal(jr_buf_add(out, jr_buf_str(&a->body)), JR_OK);
    }
    jr_dev_op_free(op);
    return status;
}

/** What a configuration lets its callers trust; "" where it says nothing. From malloc. */
char *trusted_by(struct world *w, const char *kind)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    char path[200];
    JR_BUF body = { 0 };
    JR_BUF pem = { 0 };
    char *text;
    size_t n;

    jr_buf_init(&body, (size_t)1 << 20);
    jr_buf_init(&pem, (size_t)1 << 20);
    (void)snprintf(path, sizeof(path), "%s/jobreeve", kind);
    assert_int_equal(request(w, "GET", path, NULL, (struct jr_str){ NULL, 0 }, &body), 200);
    assert_int_equal(jr_doc_parse(jr_buf_str(&body), &JR_READER_STRICT, &doc, NULL), JR_OK);
    assert_int_equal(
        jr_base64_decode(jr_get_str(jr_path(jr_at(jr_get(jr_doc_root_const(doc), "webhooks"), 1),
                                            "clientConfig"),
                                    "caBundle"),
                         &pem),
        JR_OK);
    assert_int_equal(jr_buf_addc(&pem, '\n'), JR_OK);
    assert_int_equal(jr_buf_take(&pem, &text, &n), JR_OK);
    return text;
}

bool verifies(const char *serving, const char *bundle)
{
    static const char end[] = "-----END CERTIFICATE-----";
    char one[4096];
    const char *p = bundle, *e;

    while ((e = strstr(p, end)) != NULL) {
        e += sizeof(end) - 1;
        (void)snprintf(one, sizeof(one), "%.*s\n", (int)(e - p), p);
        if (jr_cert_signed_by(serving, one))
            return true;
        p = e;
    }
    return false;
}

/** What every replica serves is trusted by every configuration. */
bool all_is_well(struct world *w)
{
    JR_FREE char *mutating = trusted_by(w, MUTATING);
    JR_FREE char *validating = trusted_by(w, VALIDATING);

    for (size_t i = 0; i < REPLICAS; i++) {
        const char *serving = w->replicas[i].serving;

        if (serving == NULL || !verifies(serving, mutating) || !verifies(serving, validating))
            return false;
    }
    return true;
}

/** Once all is well it stays so, whatever is written. */
static void check(struct world *w)
{
    if (w->started && !all_is_well(w))
        fail_msg("a replica serves what a caller does not trust");
}

static bool chance(struct world *w, unsigned percent)
{
    return jr_rand_below(&w->env.rand, 100) < percent;
}

static void answer_endpoints(struct world *w)
{
    (void)jr_buf_adds(&w->answer, "{\"items\":[{\"ports\":[{\"port\":10250}],\"endpoints\":[");
    for (size_t i = 0; i < w->endpoints; i++)
        (void)jr_buf_adds(&w->answer,
                          i == 0 ? "{\"addresses\":[\"x\"]}" : ",{\"addresses\":[\"x\"]}");
    (void)jr_buf_adds(&w->answer, "]}]}");
    assert_int_equal(w->answer.failed, JR_OK);
}

/** Replica i is at 10.0.0.(i+1); two in one slice, as API servers may do. */
static int answer_slices(struct world *w)
{
    jr_buf_reset(&w->answer);
    if (w->no_slices) {
        (void)jr_buf_adds(&w->answer, "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":403,"
                                      "\"message\":\"forbidden\"}");
        return 403;
    }
    if (w->endpoints > 0) {
        answer_endpoints(w);
        return 200;
    }
    (void)jr_buf_adds(&w->answer, "{\"items\":[{\"ports\":[{\"name\":\"metrics\",\"port\":8080},"
                                  "{\"name\":\"webhook\",\"port\":10250}],\"endpoints\":[");
    for (size_t i = 0; i < REPLICAS; i++)
        (void)jr_buf_addf(&w->answer,
                          "%s{\"addresses\":[\"10.0.0.%zu\"],\"conditions\":{\"ready\":%s}}",
                          i == 0   ? ""
                          : i == 2 ? "]},{\"ports\":[{\"port\":10250}],\"endpoints\":["
                                   : ",",
                          i + 1, w->replicas[i].serving != NULL ? "true" : "false");
    (void)jr_buf_adds(&w->answer, "]},{\"ports\":null,\"endpoints\":null}]}");
    return 200;
}

static int answer_refusal(struct world *w)
{
    jr_buf_reset(&w->answer);
    (void)jr_buf_addf(
        &w->answer, "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":422,\"message\":\"%s\"}",
        w->refuse_patch);
    return 422;
}

/** A write that is answered as if it were kept, or refused. */
static int answer_lost(struct world *w, const char *method, struct jr_str body)
{
    const bool post = strcmp(method, "POST") == 0;

    jr_buf_reset(&w->answer);
    if (strcmp(w->secret_fate, "refused") == 0) {
        (void)jr_buf_adds(&w->answer, "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":409}");
        return 409;
    }
    assert_int_equal(jr_buf_add(&w->answer, body), JR_OK);
    return post ? 201 : 200;
}

static struct jr_scripted_answer on_request(void *ctx, size_t n,
                                            const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    char method[16], path[300], type[80];
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE };

    (void)n;
    (void)snprintf(method, sizeof(method), "%.*s", JR_P(call->method));
    (void)snprintf(path, sizeof(path), "%.*s", JR_P(call->path));
    (void)snprintf(type, sizeof(type), "%.*s", JR_P(call->content_type));
    a.delay_ns = (int64_t)jr_rand_below(&w->env.rand, 50) * JR_MSEC;
    a.date.ns = w->clock.wall.ns + w->server_ahead_ns;
    if (chance(w, w->fail_percent)) {
        a.outcome = JR_HTTP_NOT_SENT;
        return a;
    }
    if (strstr(path, "/endpointslices?") != NULL)
        a.status = answer_slices(w);
    else if (w->secret_fate != NULL && jr_str_starts(call->path, jr_str(SECRETS)) &&
             !jr_str_is(call->method, "GET"))
        a.status = answer_lost(w, method, call->body);
    else if (w->refuse_patch != NULL && jr_str_is(call->method, "PATCH"))
        a.status = answer_refusal(w);
    else
        a.status = request(w, method, path, call->content_type.p == NULL ? NULL : type, call->body,
                           &w->answer);
    a.body = jr_buf_str(&w->answer);
    if (chance(w, w->fail_percent))
        a.outcome = JR_HTTP_AMBIGUOUS;
    if (!jr_str_is(call->method, "GET"))
        check(w);
    return a;
}

/* ---- handshakes ---- */

struct jr_handshake {
    struct world *w;
    size_t replica;
    struct jr_handshake_handler h;
    struct jr_timer *timer;
};

static void on_shaken(void *ctx)
{
    struct jr_handshake *s = ctx;
    const struct jr_handshake_handler h = s->h;
    const struct jr_error err = { .status = JR_IO, .msg = "connection refused" };
    const char *serving = s->w->none_answer ? NULL : s->w->replicas[s->replica].serving;

    free(s);
    h.on_done(h.ctx, serving, serving == NULL ? &err : NULL);
}

static enum jr_status shake(void *self, const char *address, unsigned port,
                            const struct jr_handshake_handler *h, struct jr_handshake **ret,
                            struct jr_error *err)
{
    struct world *w = self;
    struct jr_handshake *s;

    if (strcmp(address, "x") == 0)
        return jr_fail(err, JR_INVALID, NULL, "no address");
    s = calloc(1, sizeof(*s));
    assert_non_null(s);
    assert_int_equal(port, 10250);
    assert_int_equal(strncmp(address, "10.0.0.", 7), 0);
    *s = (struct jr_handshake){ .w = w, .replica = (size_t)(address[7] - '1'), .h = *h };
    assert_in_range(s->replica, 0, REPLICAS - 1);
    *ret = s;
    return jr_loop_after(w->env.loop, JR_MSEC, on_shaken, s, &s->timer);
}

static void unshake(void *self, struct jr_handshake **h)
{
    struct world *w = self;

    if (*h == NULL)
        return;
    jr_timer_cancel(w->env.loop, &(*h)->timer);
    free(*h);
    *h = NULL;
}

/* ---- keepers and replicas ---- */

static void on_serving(void *ctx, const struct jr_cert *serving)
{
    struct replica *r = ctx;
    struct jr_cert_life life;

    assert_int_equal(jr_cert_check(serving, &life, NULL), JR_OK);
    assert_true(jr_cert_names_all(serving->cert_pem, names, 2));
    free(r->serving);
    r->serving = jr_str_dup(jr_str(serving->cert_pem));
    r->told++;
    check(r->w);
}

static void on_read(void *ctx, int64_t skew_ns, const struct jr_error *err)
{
    struct replica *r = ctx;

    (void)skew_ns;
    if (err != NULL)
        (void)snprintf(r->why_not_read, sizeof(r->why_not_read), "%s: %s", err->path, err->msg);
}

static void on_reconciled(void *ctx, const struct jr_cert_keeper_seen *seen,
                          const struct jr_error *err)
{
    struct replica *r = ctx;

    r->seen = *seen;
    if (err == NULL) {
        r->good_rounds++;
        return;
    }
    r->bad_rounds++;
    (void)snprintf(r->why, sizeof(r->why), "%s: %s", err->path, err->msg);
}

struct jr_handshaker shaker_of(struct world *w)
{
    return (struct jr_handshaker){ shake, unshake, w };
}

void start_keeper(struct world *w, size_t i, int64_t poll_ms, const char *const *all,
                  size_t n_names)
{
    struct replica *r = &w->replicas[i];
    const struct jr_handshaker shaker = shaker_of(w);
    const struct jr_cert_keeper_handler handler = { on_reconciled, r };
    struct jr_cert_keeper_options options = {
        .certs = { .common_name = "CA",
                   .names = all,
                   .n_names = n_names,
                   .ca_days = 3650,
                   .serving_days = 90 },
        .namespace = "ns",
        .secret = "own",
        .registration = { .configuration = "jobreeve",
                          .namespace = "ns",
                          .server_name = "hook.ns.svc" },
        .poll_ms = poll_ms,
        .propagation_ms = 60000,
    };

    r->w = w;
    r->asker = jr_replicas_new(&w->env, &shaker, "ns", "hook");
    options.registration.replicas = r->asker;
    r->keeper = jr_cert_keeper_start(&w->env, &options, &handler, NULL);
}

void stop_keeper(struct world *w, size_t i)
{
    jr_cert_keeper_free(w->replicas[i].keeper);
    w->replicas[i].keeper = NULL;
    jr_replicas_free(w->replicas[i].asker);
    w->replicas[i].asker = NULL;
}

void start_reader(struct world *w, size_t i, int64_t poll_ms)
{
    struct replica *r = &w->replicas[i];
    const struct jr_cert_reader_handler handler = { on_serving, on_read, r };

    r->w = w;
    r->reader = jr_cert_reader_start(&w->env, "ns", "own", poll_ms, &handler, NULL);
}

void start(struct world *w, size_t i, int64_t poll_ms)
{
    start_keeper(w, i, poll_ms, names, 2);
    start_reader(w, i, poll_ms);
}

/** Appends one webhook of a configuration; ca: another member of its clientConfig. */
static void add_hook(struct jr_buf *b, const char *name, const char *ca)
{
    (void)jr_buf_addf(
        b,
        "{\"name\":\"%s.example.com\",\"clientConfig\":{\"service\":{\"namespace\":"
        "\"ns\",\"name\":\"hook\"}%s},\"failurePolicy\":\"Ignore\",\"sideEffects\":\"None\","
        "\"admissionReviewVersions\":[\"v1\"]}",
        name, ca);
}

void configure(struct world *w, const char *path, const char *kind, const char *ca,
               const char *policy)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, 8192);
    (void)jr_buf_addf(&text,
                      "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":\"%s\","
                      "\"metadata\":{\"name\":\"jobreeve\"",
                      kind);
    if (policy != NULL)
        (void)jr_buf_addf(&text, ",\"annotations\":{\"jobreeve.dev/failure-policy\":\"%s\"}",
                          policy);
    (void)jr_buf_adds(&text, "},\"webhooks\":[");
    add_hook(&text, "a", ca);
    (void)jr_buf_addc(&text, ',');
    add_hook(&text, "b", "");
    (void)jr_buf_adds(&text, "]}");
    assert_int_equal(request(w, "POST", path, NULL, jr_buf_str(&text), NULL), 201);
}

unsigned sent(const struct world *w, const char *method, const char *path)
{
    unsigned n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->scripted); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->scripted, i);

        n += jr_str_is(c->method, method) && jr_str_starts(c->path, jr_str(path));
    }
    return n;
}

size_t cas(const char *bundle)
{
    size_t n = 0;

    for (const char *p = bundle; (p = strstr(p, "BEGIN CERTIFICATE")) != NULL; p++)
        n++;
    return n;
}

struct jr_doc *get(struct world *w, const char *path)
{
    struct jr_doc *doc = NULL;
    JR_BUF body = { 0 };

    jr_buf_init(&body, (size_t)1 << 20);
    assert_int_equal(request(w, "GET", path, NULL, (struct jr_str){ NULL, 0 }, &body), 200);
    assert_int_equal(jr_doc_parse(jr_buf_str(&body), &JR_READER_STRICT, &doc, NULL), JR_OK);
    return doc;
}

int keeper_world_setup(void **state)
{
    static struct world w;
    const struct jr_dev_store_options options = { .rand = jr_rand_of_seed(&w.seed, 7),
                                                  .profile = jr_profile_default() };
    const char *ns =
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}";

    w = (struct world){ .clock = { .wall = jr_time_s(1772366400) } };
    (void)jr_rand_of_seed(&w.seed, 7);
    w.env.rand = options.rand;
    jr_buf_init(&w.answer, (size_t)4 << 20);
    if (jr_loop_new_virtual(&w.clock, &w.env.loop, NULL) != JR_OK ||
        jr_scripted_api_new(w.env.loop, on_request, &w, &w.scripted) != JR_OK)
        return 1;
    w.store = jr_dev_store_new(&options, w.clock.wall);
    w.env.transport = jr_scripted_transport(w.scripted);
    (void)request(&w, "POST", "/api/v1/namespaces", NULL, jr_str(ns), NULL);
    configure(&w, MUTATING, "MutatingWebhookConfiguration", "", NULL);
    configure(&w, VALIDATING, "ValidatingWebhookConfiguration", ",\"caBundle\":\"Cg==\"", NULL);
    *state = &w;
    return 0;
}

int keeper_world_teardown(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < REPLICAS; i++) {
        stop_keeper(w, i);
        jr_cert_reader_free(w->replicas[i].reader);
        free(w->replicas[i].serving);
    }
    jr_scripted_api_free(w->scripted);
    jr_dev_store_free(w->store);
    jr_loop_free(w->env.loop);
    jr_buf_done(&w->answer);
    return 0;
}

/** Lets so much time go by. */
void pass(struct world *w, int64_t ns)
{
    const int64_t until = w->clock.mono.ns + ns;
    bool idle;

    while (w->clock.mono.ns < until)
        assert_int_equal(jr_loop_turn(w->env.loop, until - w->clock.mono.ns, &idle, NULL), JR_OK);
}

/** All replicas begin at one moment, and come to rest. */
void begin(struct world *w, int64_t poll_ms)
{
    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, poll_ms);
    pass(w, 30 * JR_SEC);
    assert_true(all_is_well(w));
    w->started = true;
}

void same_for_all(const struct world *w)
{
    for (size_t i = 1; i < REPLICAS; i++)
        assert_string_equal(w->replicas[i].serving, w->replicas[0].serving);
}
