/* Replicas that keep their own certificates, against the devcluster's API server: they agree,
 * renew, and no caller is ever without the CA of what any of them serves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "certs/check.h"
#include "common/api/review.h"
#include "devcluster/store/store.h"
#include "tests/support/scripted_api.h"
#include "webhook/cert_keeper.h"
#include "webhook/cert_secret.h"

#define REPLICAS 3
#define DAY (INT64_C(86400) * JR_SEC)
#define HOUR_MS INT64_C(3600000)
#define SECRETS "/api/v1/namespaces/ns/secrets"
#define SECRET SECRETS "/own"
#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
#define MUTATING ADMISSION "mutatingwebhookconfigurations"
#define VALIDATING ADMISSION "validatingwebhookconfigurations"

static const char *const names[] = { "hook", "hook.ns.svc" };

struct world;
struct replica {
    struct world *w;
    struct jr_cert_keeper *keeper;
    char *serving;
    unsigned told;
    unsigned good_rounds, bad_rounds;
    char why[sizeof(struct jr_error)];
};

struct world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_env env;
    struct jr_scripted_api *scripted;
    struct jr_api_store *store;
    struct jr_buf answer;
    struct replica replicas[REPLICAS];
    unsigned fail_percent; /* of requests that come to nothing, or whose answer is lost */
    bool started;          /* there was a moment when all was well: it has to last */
};

/* ---- the API ---- */

/** A request of the test's own, or of a replica. Appends the answer's body. */
static int request(struct world *w, const char *method, const char *path, const char *type,
                   struct jr_str body, struct jr_buf *out)
{
    const struct jr_api_request req = {
        .method = method, .path = path, .content_type = type, .body = body, .user = "test"
    };
    const struct jr_api_answer *a;
    struct jr_api_op *op;
    enum jr_api_next next;
    int status;

    assert_int_equal(jr_api_begin(w->store, &req, w->clock.wall, &op, &next), JR_OK);
    assert_int_equal(next, JR_API_ANSWER);
    a = jr_api_op_answer(op);
    status = a->status;
    if (out != NULL) {
        jr_buf_reset(out);
        assert_int_equal(jr_buf_add(out, jr_buf_str(&a->body)), JR_OK);
    }
    jr_api_op_free(op);
    return status;
}

/** What a configuration lets its callers trust; "" where it says nothing. From malloc. */
static char *trusted_by(struct world *w, const char *kind)
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
    assert_int_equal(jr_doc_parse(jr_buf_str(&body), &JR_GATE_STRICT, &doc, NULL), JR_OK);
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

static bool verifies(const char *serving, const char *bundle)
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
static bool all_is_well(struct world *w)
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
    if (chance(w, w->fail_percent)) {
        a.outcome = JR_HTTP_NOT_SENT;
        return a;
    }
    a.status = request(w, method, path, call->content_type.p == NULL ? NULL : type, call->body,
                       &w->answer);
    a.body = jr_buf_str(&w->answer);
    if (chance(w, w->fail_percent))
        a.outcome = JR_HTTP_AMBIGUOUS;
    if (!jr_str_is(call->method, "GET"))
        check(w);
    return a;
}

/* ---- replicas ---- */

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

static void on_round(void *ctx, const struct jr_error *err)
{
    struct replica *r = ctx;

    if (err == NULL) {
        r->good_rounds++;
        return;
    }
    r->bad_rounds++;
    (void)snprintf(r->why, sizeof(r->why), "%s: %s", err->path, err->msg);
}

static void start(struct world *w, size_t i, int64_t poll_ms)
{
    struct replica *r = &w->replicas[i];
    const struct jr_cert_keeper_handler handler = { on_serving, on_round, r };
    const struct jr_cert_keeper_options options = {
        .certs = { .common_name = "CA",
                   .names = names,
                   .n_names = 2,
                   .ca_days = 3650,
                   .serving_days = 90 },
        .namespace = "ns",
        .secret = "own",
        .configuration = "jobreeve",
        .poll_ms = poll_ms,
        .settle_ms = 60000,
    };

    r->w = w;
    assert_int_equal(jr_cert_keeper_new(&w->env, &options, &handler, NULL, &r->keeper), JR_OK);
    assert_int_equal(jr_cert_keeper_start(r->keeper), JR_OK);
}

/** Appends one webhook of a configuration; ca: another member of its clientConfig. */
static void add_hook(struct jr_buf *b, const char *name, const char *ca)
{
    (void)jr_buf_addf(b,
                      "{\"name\":\"%s.example.com\",\"clientConfig\":{\"service\":{\"namespace\":"
                      "\"ns\",\"name\":\"hook\"}%s},\"sideEffects\":\"None\","
                      "\"admissionReviewVersions\":[\"v1\"]}",
                      name, ca);
}

static void configure(struct world *w, const char *path, const char *kind, const char *ca)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, 8192);
    (void)jr_buf_addf(&text,
                      "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":\"%s\","
                      "\"metadata\":{\"name\":\"jobreeve\"},\"webhooks\":[",
                      kind);
    add_hook(&text, "a", ca);
    (void)jr_buf_addc(&text, ',');
    add_hook(&text, "b", "");
    (void)jr_buf_adds(&text, "]}");
    assert_int_equal(request(w, "POST", path, NULL, jr_buf_str(&text), NULL), 201);
}

static int setup(void **state)
{
    static struct world w;
    const struct jr_store_options options = { .rand = jr_rand_of_seed(&w.seed, 7),
                                              .profile = jr_profile_default() };
    const char *ns =
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}";

    w = (struct world){ .clock = { .wall = jr_time_s(1772366400) } };
    (void)jr_rand_of_seed(&w.seed, 7);
    w.env.rand = options.rand;
    jr_buf_init(&w.answer, (size_t)4 << 20);
    if (jr_loop_new_virtual(&w.clock, &w.env.loop, NULL) != JR_OK ||
        jr_scripted_api_new(w.env.loop, on_request, &w, &w.scripted) != JR_OK ||
        jr_api_store_new(&options, w.clock.wall, &w.store) != JR_OK)
        return 1;
    w.env.transport = jr_scripted_transport(w.scripted);
    (void)request(&w, "POST", "/api/v1/namespaces", NULL, jr_str(ns), NULL);
    configure(&w, MUTATING, "MutatingWebhookConfiguration", "");
    configure(&w, VALIDATING, "ValidatingWebhookConfiguration", ",\"caBundle\":\"Cg==\"");
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < REPLICAS; i++) {
        jr_cert_keeper_free(w->replicas[i].keeper);
        free(w->replicas[i].serving);
    }
    jr_scripted_api_free(w->scripted);
    jr_api_store_free(w->store);
    jr_loop_free(w->env.loop);
    jr_buf_done(&w->answer);
    return 0;
}

/** Lets so much time go by. */
static void pass(struct world *w, int64_t ns)
{
    const int64_t until = w->clock.mono.ns + ns;
    bool idle;

    while (w->clock.mono.ns < until)
        assert_int_equal(jr_loop_turn(w->env.loop, until - w->clock.mono.ns, &idle, NULL), JR_OK);
}

/** All replicas begin at one moment, and come to rest. */
static void begin(struct world *w, int64_t poll_ms)
{
    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, poll_ms);
    pass(w, 30 * JR_SEC);
    assert_true(all_is_well(w));
    w->started = true;
}

static void same_for_all(const struct world *w)
{
    for (size_t i = 1; i < REPLICAS; i++)
        assert_string_equal(w->replicas[i].serving, w->replicas[0].serving);
}

/* ---- tests ---- */

static void test_all_at_once(void **state)
{
    struct world *w = *state;

    begin(w, 10000);
    same_for_all(w);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 1);
}

static void test_overwritten_bundle(void **state)
{
    static const char patch[] =
        "[{\"op\":\"remove\",\"path\":\"/webhooks/0/clientConfig/caBundle\"},"
        "{\"op\":\"remove\",\"path\":\"/webhooks/1/clientConfig/caBundle\"}]";
    struct world *w = *state;

    begin(w, 10000);
    w->started = false;
    assert_int_equal(request(w, "PATCH", MUTATING "/jobreeve", "application/json-patch+json",
                             jr_str(patch), NULL),
                     200);
    assert_false(all_is_well(w));
    pass(w, 15 * JR_SEC);
    assert_true(all_is_well(w));
}

static void unconfigure(struct world *w)
{
    const struct jr_str none = { NULL, 0 };

    w->started = false;
    assert_int_equal(request(w, "DELETE", MUTATING "/jobreeve", NULL, none, NULL), 200);
    assert_int_equal(request(w, "DELETE", VALIDATING "/jobreeve", NULL, none, NULL), 200);
}

/* Helm makes Pods first: configurations that come a moment later are soon seen to. One that stays
 * away is asked for ever more rarely. */
static void test_late_configurations(void **state)
{
    struct world *w = *state;
    unsigned rounds;

    unconfigure(w);
    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, 10000);
    pass(w, 2 * JR_SEC);
    configure(w, MUTATING, "MutatingWebhookConfiguration", "");
    configure(w, VALIDATING, "ValidatingWebhookConfiguration", "");
    pass(w, 3 * JR_SEC);
    assert_true(all_is_well(w));
    unconfigure(w);
    pass(w, 60 * JR_SEC);
    rounds = w->replicas[0].good_rounds;
    pass(w, 60 * JR_SEC);
    assert_in_range(w->replicas[0].good_rounds - rounds, 5, 7);
}

static void test_renewal(void **state)
{
    struct world *w = *state;
    struct jr_cert_life life;
    struct jr_cert cert = { NULL, NULL };

    begin(w, 12 * HOUR_MS);
    pass(w, 59 * DAY);
    assert_int_equal(w->replicas[0].told, 1);
    pass(w, 2 * DAY);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
    same_for_all(w);
    cert.cert_pem = w->replicas[0].serving;
    assert_int_equal(jr_cert_check(&cert, &life, NULL), JR_OK);
    assert_true(life.until.ns - w->clock.wall.ns > 80 * DAY);
}

/* Years, with another CA on the way; and every replica is made anew now and then. */
static void test_years(void **state)
{
    struct world *w = *state;
    JR_FREE char *first = NULL, *last = NULL;

    begin(w, HOUR_MS * 24 * 7);
    first = trusted_by(w, MUTATING);
    for (int year = 0; year < 8; year++) {
        pass(w, 365 * DAY);
        jr_cert_keeper_free(w->replicas[year % REPLICAS].keeper);
        start(w, (size_t)year % REPLICAS, HOUR_MS * 24 * 7);
    }
    pass(w, DAY);
    last = trusted_by(w, MUTATING);
    assert_string_not_equal(first, last);
    assert_int_equal(strlen(first) / 100, strlen(last) / 100); /* one CA, the old one is gone */
    assert_true(all_is_well(w));
    same_for_all(w);
}

/* Who deletes the Secret wants other certificates: they come, and no call fails. */
static void test_deleted_secret(void **state)
{
    struct world *w = *state;
    JR_FREE char *before = NULL, *after = NULL;

    begin(w, 10000);
    before = trusted_by(w, MUTATING);
    assert_int_equal(request(w, "DELETE", SECRET, NULL, (struct jr_str){ NULL, 0 }, NULL), 200);
    pass(w, 15 * JR_SEC);
    after = trusted_by(w, MUTATING);
    assert_true(strlen(after) > strlen(before) + 100); /* both */
    pass(w, 40 * JR_SEC); /* API servers are given time to learn of it */
    assert_int_equal(w->replicas[0].told, 1);
    pass(w, 60 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
    same_for_all(w);
    assert_false(verifies(w->replicas[0].serving, before));
}

static void test_corrupt_secret(void **state)
{
    static const char patch[] = "{\"data\":{\"tls.key\":\"cnViYmlzaA==\"}}";
    struct world *w = *state;

    begin(w, 10000);
    assert_int_equal(
        request(w, "PATCH", SECRET, "application/merge-patch+json", jr_str(patch), NULL), 200);
    pass(w, 15 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++) {
        assert_int_equal(w->replicas[i].told, 1);
        assert_string_equal(w->replicas[i].why,
                            "tls.key: expected a private key in PEM, without a password");
    }
    /* nobody has written over it */
    assert_int_equal(request(w, "DELETE", SECRET, NULL, (struct jr_str){ NULL, 0 }, NULL), 200);
    pass(w, 100 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
}

static void test_faults(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, 10000);
    w->fail_percent = 30;
    pass(w, 300 * JR_SEC);
    w->fail_percent = 0;
    pass(w, 60 * JR_SEC);
    assert_true(all_is_well(w));
    w->started = true;
    w->fail_percent = 30;
    for (int i = 0; i < 20; i++) {
        if (i % 5 == 0)
            (void)request(w, "DELETE", SECRET, NULL, (struct jr_str){ NULL, 0 }, NULL);
        pass(w, 60 * JR_SEC);
    }
    w->fail_percent = 0;
    pass(w, 200 * JR_SEC);
    assert_true(all_is_well(w));
    same_for_all(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overwritten_bundle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_late_configurations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_renewal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_years, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deleted_secret, setup, teardown),
        cmocka_unit_test_setup_teardown(test_corrupt_secret, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
