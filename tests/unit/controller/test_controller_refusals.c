/* SPDX-License-Identifier: Apache-2.0 */
/* Finalizer removals that somebody's webhook refuses: whose it is, from the API server's words.
 * (Finding: a Pod whose finalizer removal is refused stays for ever, and nobody knows why.) */
#include "controller/work/refusals.h"
#include "tests/unit/controller/controller_test.h"

static void test_names(void **state)
{
    static const struct {
        const char *message;
        const char *name; /* NULL: none */
    } rows[] = {
        { "admission webhook \"validate.kyverno.svc-fail\" denied the request: no",
          "validate.kyverno.svc-fail" },
        { "admission webhook \"a.b.c\" denied the request without explanation", "a.b.c" },
        { "Internal error occurred: failed calling webhook \"gate.example.com\": failed to call "
          "webhook: Post \"https://x.y.svc:443/\": context deadline exceeded",
          "gate.example.com" },
        { "pods \"p-1\" is forbidden: ValidatingAdmissionPolicy 'no-patch' with binding 'b' denied "
          "request: failed expression: false",
          "no-patch" },
        /* The refuser's own words don't count. */
        { "admission webhook \"true.example\" denied the request: admission webhook "
          "\"false.example\" denied",
          "true.example" },
        { "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'p1' with binding 'b' denied "
          "request: "
          "admission webhook \"x\" says so",
          "p1" },
        { "pods \"p-1\" is forbidden: User \"u\" cannot patch resource \"pods\"", NULL },
        { "Operation cannot be fulfilled on pods \"p\": the object has been modified", NULL },
        { "admission webhook \"", NULL },
        { "admission webhook \"\" denied", NULL },
        { "admission webhook \"two words\" denied", NULL },
        { "admission webhook unquoted denied", NULL },
        { "", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_str got = jr_refuser_of(jr_str(rows[i].message));

        if (rows[i].name == NULL ? got.p != NULL : !jr_str_is(got, rows[i].name))
            fail_msg("%s: got %.*s", rows[i].message, JR_P(got));
    }
    assert_null(jr_refuser_of((struct jr_str){ NULL, 0 }).p);
}

/** No name of Kubernetes has more than 253 bytes. */
static void test_long_names(void **state)
{
    char message[400], name[300];

    (void)state;
    memset(name, 'a', sizeof(name));
    for (int n = 252; n <= 255; n++) {
        (void)snprintf(message, sizeof(message), "admission webhook \"%.*s\" denied", n, name);
        assert_int_equal(jr_refuser_of(jr_str(message)).n, n <= 253 ? n : 0);
    }
}

struct world {
    struct jr_metrics *metrics;
    struct jr_refusals *f;
    struct jr_job job;
    struct jr_pod pods[3];
    struct jr_op ops[3];
    struct jr_op_result v[3];
    struct jr_stage stage;
    int events;
    char message[4096];
};

static void on_event(void *ctx, const struct jr_job *job, const char *type, const char *reason,
                     struct jr_str message)
{
    struct world *w = ctx;

    assert_ptr_equal(job, &w->job);
    assert_string_equal(type, "Warning");
    assert_string_equal(reason, "FinalizerRemovalRefused");
    (void)snprintf(w->message, sizeof(w->message), "%.*s", JR_P(message));
    w->events++;
}

static void world_init(struct world *w)
{
    const struct jr_refusals_sink sink = { on_event, w };

    *w = (struct world){ .job.meta.uid = JR_S("u1") };
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    w->f = jr_refusals_new(&sink, w->metrics);
    for (size_t i = 0; i < 3; i++) {
        w->pods[i].name = i == 0 ? JR_S("p0") : i == 1 ? JR_S("p1") : JR_S("p2");
        w->ops[i] = (struct jr_op){ .kind = JR_OP_UNFINALIZE_POD, .pod = &w->pods[i] };
        w->v[i] = (struct jr_op_result){ .outcome = JR_OP_OK, .http = 200 };
    }
    w->stage = (struct jr_stage){ .kind = JR_STAGE_UNFINALIZE, .ops = w->ops, .n_ops = 3 };
}

static void world_done(struct world *w)
{
    jr_refusals_free(w->f);
    jr_metrics_free(w->metrics);
}

static void refuse(struct world *w, size_t i, int http, const char *message)
{
    w->v[i] =
        (struct jr_op_result){ .outcome = JR_OP_REFUSED, .http = http, .message = jr_str(message) };
}

static void note(struct world *w, const struct jr_job *job, int at_s)
{
    jr_refusals_note(w->f, &w->stage, &(struct jr_results){ w->v, 3 }, job, AT_S(at_s));
}

static double counted(const struct world *w, const char *name)
{
    return jr_metrics_get(w->metrics, "jobreeve_pod_finalizer_refusals_total", &name);
}

static void test_told(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    note(&w, &w.job, 1);
    assert_int_equal(w.events, 0);
    refuse(&w, 0, 403, "pods \"p0\" is forbidden: User \"u\" cannot patch");
    refuse(&w, 1, 400, "admission webhook \"a.example\" denied the request: not so");
    refuse(&w, 2, 500, "Internal error occurred: failed calling webhook \"b.example\": refused");
    note(&w, &w.job, 2);
    assert_int_equal(w.events, 1);
    assert_string_equal(
        w.message, "a.example refuses the removal of the finalizer of Pod p1 and of 1 more, so "
                   "that the Job can't end: admission webhook \"a.example\" denied the request: "
                   "not so");
    assert_true(counted(&w, "a.example") == 1 && counted(&w, "b.example") == 1);
    note(&w, &w.job, 601); /* not each time */
    assert_int_equal(w.events, 1);
    assert_true(counted(&w, "a.example") == 2);
    note(&w, &w.job, 602);
    assert_int_equal(w.events, 2);
    note(&w, NULL, 2000); /* an orphan's Job may be gone */
    assert_int_equal(w.events, 2);
    assert_true(counted(&w, "a.example") == 4);
    jr_refusals_note(NULL, &w.stage, &(struct jr_results){ w.v, 3 }, &w.job, AT_S(3000));
    world_done(&w);
}

/** Deletions and lost answers are another matter. */
static void test_other_operations(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    refuse(&w, 0, 403, "admission webhook \"a.example\" denied the request: not so");
    w.ops[0].kind = JR_OP_DELETE_POD;
    refuse(&w, 1, 0, "admission webhook \"a.example\" denied the request: not so");
    refuse(&w, 2, 504, "admission webhook \"a.example\" denied the request: not so");
    w.v[2].outcome = JR_OP_AMBIGUOUS;
    note(&w, &w.job, 1);
    assert_int_equal(w.events, 0);
    world_done(&w);
}

/** A name that is known takes no room a second time. */
static void test_known_names(void **state)
{
    struct world w;
    char message[128];

    (void)state;
    world_init(&w);
    for (int i = 0; i < 64; i++) {
        (void)snprintf(message, sizeof(message),
                       "admission webhook \"w%d.example\" denied the request", i / 2);
        refuse(&w, 0, 403, message);
        note(&w, &w.job, i + 1);
    }
    assert_true(counted(&w, "w0.example") == 2);
    assert_true(counted(&w, "w31.example") == 2);
    assert_true(counted(&w, "other") == 0);
    world_done(&w);
}

/** Names, and Jobs, without number: series and memory stay bounded. */
static void test_many(void **state)
{
    struct world w;
    char uid[32], message[128];

    (void)state;
    world_init(&w);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(uid, sizeof(uid), "u%d", i);
        (void)snprintf(message, sizeof(message),
                       "admission webhook \"w%d.example\" denied the request", i);
        w.job.meta.uid = jr_str(uid);
        refuse(&w, 0, 403, message);
        note(&w, &w.job, i + 1);
        assert_int_equal(w.events, i + 1);
    }
    assert_true(counted(&w, "w0.example") == 1);
    assert_true(counted(&w, "w31.example") == 1);
    assert_true(counted(&w, "w32.example") == 0);
    assert_true(counted(&w, "other") == 68);
    for (int i = 36; i < 100; i++) { /* the last 64 are still known */
        (void)snprintf(uid, sizeof(uid), "u%d", i);
        w.job.meta.uid = jr_str(uid);
        note(&w, &w.job, 102);
        assert_int_equal(w.events, 100);
    }
    w.job.meta.uid = JR_S("u35");
    note(&w, &w.job, 102);
    assert_int_equal(w.events, 101);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_told),        cmocka_unit_test(test_other_operations),
        cmocka_unit_test(test_known_names), cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
