/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies in reviews: what the answer says of them, what asking costs, and the endpoint that
 * JobPolicies themselves are validated by. */
#include "common/policy/watch/store.h"
#include "tests/support/failalloc.h"
#include "tests/unit/webhook/policy_scene.h"

#define TEMPLATE                                                           \
    "\"template\":{\"metadata\":{},\"spec\":{\"restartPolicy\":\"Never\"," \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}"
#define JOB_NAMED(META, SPEC)                                               \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{" META "," \
    "\"namespace\":\"ns\"},\"spec\":{" SPEC TEMPLATE "}}"
#define JOB(SPEC) JOB_NAMED("\"name\":\"pi\"", SPEC)
#define CRON_JOB(SPEC)                                                                         \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"pi\","         \
    "\"namespace\":\"ns\"},\"spec\":{\"schedule\":\"@daily\",\"jobTemplate\":{\"spec\":{" SPEC \
    "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","     \
    "\"image\":\"i:1\"}]}}}}}}"
static const char deny[] = HEAD "metadata: {name: narrow}\n"
                                "spec:\n"
                                "  validationActions: [Deny, Audit]\n"
                                "  limits: {parallelism: {max: 2}, backoffLimit: {max: 3}}\n";
static const char warns[] = HEAD "metadata: {name: soft}\n"
                                 "spec:\n"
                                 "  validationActions: [Warn, Audit]\n"
                                 "  limits: {parallelism: {max: 2}}\n";
static const char selects[] = HEAD "metadata: {name: gpu}\n"
                                   "spec:\n"
                                   "  match: {namespaceSelector: {matchLabels: {pool: gpu}}}\n"
                                   "  limits: {parallelism: {max: 2}}\n"
                                   "  defaults: {ttlSecondsAfterFinished: 60}\n";
static const char defaults[] = HEAD "metadata: {name: a-ttl}\n"
                                    "spec: {defaults: {ttlSecondsAfterFinished: 60}}\n"
                                    "---\n" HEAD "metadata: {name: b-ttl}\n"
                                    "spec: {defaults: {ttlSecondsAfterFinished: 90}}\n";
/* ---- Jobs and CronJobs ---- */

static void test_denied(void **state)
{
    SCENE s;
    ANSWER a = { .st = JR_OK };

    (void)state;
    scene_init(&s, deny);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,\"backoffLimit\":6,"), &a);
    want_answer("denied", &a, 422,
                "policy \"narrow\": spec.parallelism: is 3, at most 2 allowed; policy \"narrow\": "
                "spec.backoffLimit: is 6, at most 3 allowed",
                false);
    assert_int_equal(a.outcome.policy.n, 6); /* its text has gone with the arena */
    assert_int_equal(a.outcome.n_causes, 2);
    want_note(&a, "policy-violations",
              "[{\"policy\":\"narrow\",\"rule\":\"limits.parallelism\",\"field\":\"spec."
              "parallelism\",\"message\":\"is 3, at most 2 allowed\",\"validationActions\":["
              "\"Deny\",\"Audit\"],\"denied\":true},{\"policy\":\"narrow\",\"rule\":\"limits."
              "backoffLimit\",\"field\":\"spec.backoffLimit\",\"message\":\"is 6, at most 3 "
              "allowed\",\"validationActions\":[\"Deny\",\"Audit\"],\"denied\":true}]");
}

static void test_admitted(void **state)
{
    SCENE s;
    ANSWER a = { .st = JR_OK };

    (void)state;
    scene_init(&s, deny);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":2,\"backoffLimit\":3,"), &a);
    want_answer("admitted", &a, 0, NULL, false);
    want_note(&a, "policy-violations", NULL);
    assert_int_equal(a.outcome.policies.n_matches, 1);
    assert_int_equal(a.outcome.policy.n, 0);
}

static void test_warned(void **state)
{
    SCENE s;
    ANSWER a = { .st = JR_OK };

    (void)state;
    scene_init(&s, warns);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &a);
    want_answer("warned", &a, 0, NULL, false);
    assert_true(jr_str_is(jr_node_str(jr_at(jr_get(a.response, "warnings"), 0)),
                          "policy \"soft\": spec.parallelism: is 3, at most 2 allowed"));
    want_note(&a, "policy-violations",
              "[{\"policy\":\"soft\",\"rule\":\"limits.parallelism\",\"field\":\"spec.parallelism\""
              ",\"message\":\"is 3, at most 2 allowed\",\"validationActions\":[\"Warn\",\"Audit\"]"
              ",\"denied\":false}]");
}

static void test_cron_job(void **state)
{
    SCENE s;
    ANSWER a = { .st = JR_OK };

    (void)state;
    scene_init(&s, deny);
    ask_create(&s, JR_ENDPOINT_VALIDATE_CRON_JOB, CRON_JOB("\"parallelism\":3,\"backoffLimit\":1,"),
               &a);
    want_answer("a CronJob", &a, 422,
                "policy \"narrow\": spec.jobTemplate.spec.parallelism: is 3, at most 2 allowed",
                false);
}

static void test_defaults(void **state)
{
    SCENE s;
    ANSWER a = { .st = JR_OK };
    bool found = false;

    (void)state;
    scene_init(&s, defaults);
    ask_create(&s, JR_ENDPOINT_MUTATE_JOB, JOB(""), &a);
    want_answer("defaulted", &a, 0, NULL, true);
    for (const struct jr_node *op = jr_first(jr_doc_root(a.patch)); op != NULL; op = jr_next(op))
        found |= jr_str_is(jr_get_str(op, "path"), "/spec/ttlSecondsAfterFinished") &&
                 jr_node_i64_or(jr_get(op, "value"), 0) == 60;
    assert_true(found);
    want_note(&a, "policy-defaults",
              "[{\"policy\":\"a-ttl\",\"field\":\"ttlSecondsAfterFinished\"},{\"policy\":\"b-ttl\","
              "\"field\":\"ttlSecondsAfterFinished\",\"setBy\":\"a-ttl\"}]");
}

/** An annotation holds as many elements as there is room for, and says how many more there are. */
static void test_long_note(void **state)
{
    enum { POLICIES = 200 };
    JR_BUF yaml = { 0 };
    SCENE s;
    ANSWER a = { .st = JR_OK };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *note = NULL;
    struct jr_str text;
    size_t n;

    (void)state;
    jr_buf_init(&yaml, (size_t)1 << 20);
    for (int i = 0; i < POLICIES; i++)
        (void)jr_buf_addf(&yaml,
                          "---\n" HEAD "metadata: {name: p%03d}\n"
                          "spec: {validationActions: [Audit], limits: {parallelism: {max: 2}}}\n",
                          i);
    scene_init(&s, yaml.p);
    s.policies.findings_cost = (size_t)4 << 20;
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &a);
    want_answer("audited", &a, 0, NULL, false);
    text = jr_get_str(jr_get(a.response, "auditAnnotations"), "policy-violations");
    assert_in_range(text.n, 8 << 10, (10 << 10) + 40);
    note = doc_of(text);
    n = jr_size(jr_doc_root(note));
    assert_int_equal(jr_node_i64_or(jr_get(jr_at(jr_doc_root(note), n - 1), "more"), 0),
                     POLICIES - (n - 1));
}

static void test_namespace_labels(void **state)
{
    struct jr_label v[] = { { JR_S("pool"), JR_S("gpu") } };
    const struct jr_labels gpu = { v, 1 }, none = { NULL, 0 };
    SCENE s;
    ANSWER unknown = { .st = JR_OK }, mutated = { .st = JR_OK }, selected = { .st = JR_OK },
           other = { .st = JR_OK };

    (void)state;
    scene_init(&s, selects);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &unknown);
    want_answer("labels unknown", &unknown, 503, "those of \"ns\" are not known yet", false);
    ask_create(&s, JR_ENDPOINT_MUTATE_JOB, JOB(""), &mutated);
    assert_true(mutated.allowed); /* it never denies */
    want_note(&mutated, "policy-defaults", NULL);
    s.policies.namespace_labels = &gpu;
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &selected);
    want_answer("selected", &selected, 422, "at most 2 allowed", false);
    s.policies.namespace_labels = &none;
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &other);
    want_answer("not selected", &other, 0, NULL, false);
}

/** Whatever is wanting, the answer is an error, and nothing leaks. */
static void test_no_memory(void **state)
{
    static const enum jr_endpoint endpoints[] = { JR_ENDPOINT_VALIDATE_JOB,
                                                  JR_ENDPOINT_VALIDATE_CRON_JOB };
    static const char *const objects[] = { STORED("\"parallelism\":3,"),
                                           CRON_JOB("\"parallelism\":3,") };
    SCENE s;

    (void)state;
    scene_init(&s, deny);
    for (size_t i = 0; i < JR_ARRAY_SIZE(endpoints); i++) {
        JR_FREE char *body = create_review(endpoints[i], objects[i], false);

        for (long n = 1;; n++) {
            JR_ARENA arena = { 0 };
            JR_BUF out = { 0 };
            struct jr_review_outcome o;
            struct jr_error err = { .status = JR_OK };
            enum jr_status st;

            jr_failalloc_arm(n);
            st = answer_review(endpoints[i], jr_str(body), &s.settings, &arena, &out, &o, &err);
            if (jr_failalloc_over(st)) {
                assert_int_equal(o.code, 422);
                break;
            }
            assert_int_equal(err.http, 500);
        }
    }
}

/* ---- what asking costs ---- */

static size_t cost_of(const struct scene *s, bool cron_job)
{
    JR_FREE char *body =
        create_review(cron_job ? JR_ENDPOINT_VALIDATE_CRON_JOB : JR_ENDPOINT_VALIDATE_JOB,
                      cron_job ? CRON_JOB("") : STORED(""), false);
    struct jr_admission_review r;
    JR_ARENA arena = { 0 };

    assert_int_equal(jr_review_read(jr_str(body), &arena, &r, NULL), JR_OK);
    return jr_review_cost(&r, s->settings.policies);
}

static void test_cost(void **state)
{
    SCENE s;
    size_t job, cron_job;

    (void)state;
    scene_init(&s, deny);
    job = cost_of(&s, false);
    cron_job = cost_of(&s, true);
    s.settings.policies = NULL;
    assert_true(job > cost_of(&s, false) + 65536);
    assert_true(cron_job - 65536 > 3 * cost_of(&s, true) / 2);
}

/* ---- labels by default ---- */

/** "KEY: VALUE, ...": n of a policy, no two policies' the same, as long as labels get. */
static void add_labels(struct jr_buf *yaml, size_t policy, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)jr_buf_addf(yaml, "%s%0240zu.io/%060zu: v%062zu", i > 0 ? ", " : "", policy, i, i);
}

/** Policies p0, p1, ... with n labels each, of the Job and as many of its template. */
static void add_label_policies(struct jr_buf *yaml, size_t policies, size_t n)
{
    jr_buf_init(yaml, (size_t)64 << 20);
    for (size_t i = 0; i < policies; i++) {
        (void)jr_buf_addf(yaml, "---\n" HEAD "metadata: {name: p%zu}\nspec: {defaults: {labels: {",
                          i);
        add_labels(yaml, i, n);
        (void)jr_buf_adds(yaml, "}, template: {labels: {");
        add_labels(yaml, i, n);
        (void)jr_buf_adds(yaml, "}}}}\n");
    }
    assert_int_equal(yaml->failed, JR_OK);
}

/** As many as one policy may have, of a hundred: what is reserved is enough for them all. */
static void test_many_labels(void **state)
{
    enum { POLICIES = 100 };
    struct jr_policy_store *store = jr_policy_store_new();
    JR_CLEANUP(jr_policy_snapshot_unrefp) struct jr_policy_snapshot *now = NULL;
    JR_BUF yaml = { 0 };
    SCENE s;
    ANSWER a = { .st = JR_OK }, cron_job = { .st = JR_OK };

    (void)state;
    add_label_policies(&yaml, POLICIES, JR_POLICY_LABELS_MAX);
    scene_init(&s, yaml.p);
    for (size_t i = 0; i < POLICIES; i++)
        jr_policy_store_put(store, JR_POLICY_OF_API, jr_policy_loading_take(&s.loading, i));
    jr_policy_store_publish(store);
    now = jr_policy_store_get(store);
    s.set = now->set;
    s.policies.findings_cost = now->findings_cost;
    ask_create(&s, JR_ENDPOINT_MUTATE_JOB, JOB(""), &a);
    want_answer("labels of all policies", &a, 0, NULL, true);
    assert_true(a.outcome.patched);
    ask_create(&s, JR_ENDPOINT_VALIDATE_CRON_JOB, CRON_JOB(""), &cron_job);
    want_answer("labels of a CronJob's Jobs", &cron_job, 0, NULL, false);
    jr_policy_store_free(store);
}

/** One of the errors that are found in these policies. */
static void want_problem(const struct jr_buf *yaml, const char *text)
{
    struct jr_policy_loading l;
    struct jr_policy_set set;
    size_t found = 0;

    jr_policy_loading_init(&l, (struct jr_time){ 1 });
    assert_int_equal(jr_policy_load(&l, JR_S("p.yaml"), jr_buf_str(yaml)), JR_OK);
    assert_int_equal(jr_policy_loaded(&l, &set), JR_OK);
    for (size_t i = 0; i < l.n_problems; i++)
        found += jr_str_eq(l.problems[i].message, jr_str(text));
    if (found == 0)
        fail_msg("%zu problems: %.*s", l.n_problems,
                 JR_P(l.n_problems > 0 ? l.problems[0].message : JR_S("")));
    assert_true(l.errors >= found);
    jr_policy_loading_done(&l);
}

static void test_too_many_labels(void **state)
{
    JR_BUF yaml = { 0 };
    JR_BUF all = { 0 };

    (void)state;
    add_label_policies(&yaml, 1, 3200);
    want_problem(&yaml, "Too many: 3200: must have at most 32 labels");
    add_label_policies(&all, 129, JR_POLICY_LABELS_MAX);
    want_problem(&all, "Forbidden: all policies together would set 8256 labels, at most 8192 "
                       "allowed");
}

/* ---- JobPolicies ---- */

#define POLICY(NAME, SPEC)                                                     \
    "{\"apiVersion\":\"policy.jobreeve.dev/v1alpha1\",\"kind\":\"JobPolicy\"," \
    "\"metadata\":{\"name\":\"" NAME "\",\"uid\":\"u\",\"generation\":1},\"spec\":{" SPEC "}}"
#define LIMITS "\"limits\":{\"parallelism\":{\"max\":2}}"

struct policy_row {
    const char *name;
    const char *operation;
    const char *object;
    const char *old;
    int64_t code;
    const char *message;
    const char *warning;
};
static const struct policy_row policy_rows[] = {
    { "a good one", "CREATE", POLICY("p", LIMITS), NULL, 0, NULL, NULL },
    { "no rule", "CREATE", POLICY("p", ""), NULL, 422,
      "JobPolicy.policy.jobreeve.dev \"p\" is invalid: spec", NULL },
    { "a contradiction", "CREATE",
      POLICY("p", "\"limits\":{\"parallelism\":{\"min\":3,\"max\":2}}"), NULL, 422,
      "spec.limits.parallelism", NULL },
    { "all that is wrong", "CREATE",
      POLICY("p", "\"limits\":{\"parallelism\":{\"min\":3,\"max\":2}},\"failurePolicy\":\"No\""),
      NULL, 422, "spec.failurePolicy", NULL },
    { "a default without a limit", "CREATE",
      POLICY("p", "\"defaults\":{\"ttlSecondsAfterFinished\":60}"), NULL, 0, NULL,
      "ttlSecondsAfterFinished" },
    { "an update to a wrong one", "UPDATE", POLICY("p", ""), POLICY("p", LIMITS), 422, "spec",
      NULL },
    { "an update that leaves a wrong one alone", "UPDATE", POLICY("p", ""), POLICY("p", ""), 0,
      NULL, NULL },
    { "a deletion", "DELETE", NULL, POLICY("p", ""), 0, NULL, NULL },
    { "a label by default that another one selects on", "CREATE",
      POLICY("p", "\"defaults\":{\"labels\":{\"tier\":\"x\"}}"), NULL, 422,
      "policy \"by-label\" selects Jobs by this label", NULL },
    { "the same, of itself", "UPDATE",
      POLICY("by-label",
             LIMITS ",\"match\":{\"objectSelector\":{\"matchLabels\":{\"tier\":\"other\"}}}"),
      POLICY("by-label", LIMITS), 0, NULL, NULL },
    { "a selector on a label that another one sets", "CREATE",
      POLICY("p", LIMITS ",\"match\":{\"objectSelector\":{\"matchLabels\":{\"cost\":\"x\"}}}"),
      NULL, 422, "policy \"sets-label\" sets a label by default that this selects on", NULL },
    { "no object", "CREATE", NULL, NULL, 400, "not all of its objects", NULL },
};

static const char others[] = HEAD
    "metadata: {name: by-label}\n"
    "spec: {match: {objectSelector: {matchLabels: {tier: x}}}, limits: {parallelism: {max: 2}}}\n"
    "---\n" HEAD "metadata: {name: sets-label}\n"
    "spec: {defaults: {labels: {cost: low}}}\n";

static void test_policies(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, others);
    for (size_t i = 0; i < JR_ARRAY_SIZE(policy_rows); i++) {
        const struct policy_row *row = &policy_rows[i];
        const struct pieces p = { .group = "policy.jobreeve.dev",
                                  .version = "v1alpha1",
                                  .kind = "JobPolicy",
                                  .resource = "jobpolicies",
                                  .operation = row->operation,
                                  .object = row->object,
                                  .old_object = row->old };
        ANSWER a = { .st = JR_OK };
        struct jr_str warning;

        ask_pieces(&s, JR_ENDPOINT_VALIDATE_POLICY, &p, &a);
        want_answer(row->name, &a, row->code, row->message, false);
        warning = jr_node_str(jr_at(jr_get(a.response, "warnings"), 0));
        if ((warning.p != NULL) != (row->warning != NULL) ||
            (row->warning != NULL && strstr(warning.p, row->warning) == NULL))
            fail_msg("%s: warned \"%.*s\"", row->name, JR_P(warning));
    }
}

/** What is no JobPolicy is sent here by a wrong rule, and the other way round. */
static void test_strangers(void **state)
{
    const struct pieces job = { .operation = "CREATE", .object = STORED("") };
    const struct pieces policy = { .group = "policy.jobreeve.dev",
                                   .version = "v1alpha1",
                                   .kind = "JobPolicy",
                                   .resource = "jobpolicies",
                                   .operation = "CREATE",
                                   .object = POLICY("p", LIMITS) };
    SCENE s;
    ANSWER a = { .st = JR_OK }, b = { .st = JR_OK };

    (void)state;
    scene_init(&s, deny);
    ask_pieces(&s, JR_ENDPOINT_VALIDATE_POLICY, &job, &a);
    want_answer("a Job", &a, 400,
                "this webhook validates JobPolicy in policy.jobreeve.dev/v1alpha1 (resource "
                "jobpolicies), not Job in batch/v1 (resource jobs)",
                false);
    ask_pieces(&s, JR_ENDPOINT_VALIDATE_JOB, &policy, &b);
    want_answer("a JobPolicy", &b, 400,
                "this webhook validates Job in batch/v1 (resource jobs), not JobPolicy in", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_denied),           cmocka_unit_test(test_admitted),
        cmocka_unit_test(test_warned),           cmocka_unit_test(test_cron_job),
        cmocka_unit_test(test_defaults),         cmocka_unit_test(test_long_note),
        cmocka_unit_test(test_namespace_labels),

        cmocka_unit_test(test_no_memory),        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_many_labels),      cmocka_unit_test(test_too_many_labels),
        cmocka_unit_test(test_policies),         cmocka_unit_test(test_strangers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
