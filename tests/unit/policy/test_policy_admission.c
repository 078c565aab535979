/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in the admission pipeline: their place, what they answer, and CronJobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/admission/admission.h"
#include "tests/support/doc.h"

#define SPEC(more)                                                                   \
    "{" more "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{" \
    "\"name\":\"c\",\"image\":\"x:1\"}]}}}"
#define JOB(more)                                                                  \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\"," \
    "\"namespace\":\"team\"},\"spec\":" SPEC(more) "}"
#define CRON_JOB(name, schedule, more)                                                 \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"team\"},\"spec\":{\"schedule\":\"" schedule                    \
    "\",\"jobTemplate\":{\"metadata\":{\"labels\":{\"pool\":\"a\"}},\"spec\":" SPEC(more) "}}}"

#define DENY_WIDE                                                                             \
    "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"limits\":{\"parallelism\":{\"max\":2}}," \
    "\"budget\":{\"podsEver\":5}}}"

/* ---- a write ---- */

struct scene {
    struct jr_arena arena;
    struct jr_doc *policies[2], *object, *old;
    struct jr_job_policy *compiled[2];
    struct jr_policy_set set;
    struct jr_policy_context context;
    struct jr_profile profile;
    struct jr_admission_request r;
    struct jr_admission_result ret;
};

static void compile(struct scene *s, const char *text)
{
    struct jr_warnings warnings = { .arena = &s->arena };
    struct jr_errlist errs;

    jr_errlist_init(&errs, &s->arena);
    s->policies[s->set.n] = doc_of(jr_str(text));
    assert_int_equal(jr_job_policy_compile(jr_doc_root(s->policies[s->set.n]),
                                           (struct jr_time){ 1 }, &errs, &warnings,
                                           &s->compiled[s->set.n]),
                     JR_OK);
    if (errs.n > 0)
        fail_msg("%.*s: %.*s", JR_P(errs.v[0].field), JR_P(errs.v[0].detail));
    s->set.n++;
}

/** The manifest of an object, and the one before it (NULL: it is created). */
static void scene_init(struct scene *s, const struct jr_admission_kind *kind, const char *policy,
                       const char *object, const char *old)
{
    *s = (struct scene){ .profile = jr_profile_default() };
    jr_arena_init(&s->arena, 0);
    s->set.v = s->compiled;
    compile(s, policy);
    s->context = (struct jr_policy_context){
        .set = &s->set, .namespace = JR_S("team"), .namespace_known = true, .now = { 1 }
    };
    s->object = doc_of(jr_str(object));
    s->old = old == NULL ? NULL : doc_of(jr_str(old));
    s->r = (struct jr_admission_request){
        .kind = kind,
        .operation = old == NULL ? JR_ADMISSION_CREATE : JR_ADMISSION_UPDATE,
        .source = JR_ADMISSION_MANIFEST,
        .profile = &s->profile,
        .object = jr_doc_root(s->object),
        .old = old == NULL ? NULL : jr_doc_root(s->old),
        .uid = JR_S(JR_ADMISSION_UID),
        .policies = &s->context,
    };
    jr_admission_result_init(&s->ret, &s->arena);
}

static void scene_done(struct scene *s)
{
    jr_doc_free(s->object);
    jr_doc_free(s->old);
    for (size_t i = 0; i < s->set.n; i++) {
        jr_job_policy_free(s->compiled[i]);
        jr_doc_free(s->policies[i]);
    }
    jr_arena_done(&s->arena);
}
#define SCENE JR_CLEANUP(scene_done) struct scene

static void admit(struct scene *s)
{
    struct jr_error err = { 0 };

    if (jr_admit(&s->r, &s->ret, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
}

static void want_message(const struct scene *s, int code, const char *message)
{
    assert_true(jr_admission_denied(&s->ret));
    assert_int_equal(s->ret.status.code, code);
    if (!jr_str_is(s->ret.status.message, message))
        fail_msg("%.*s", JR_P(s->ret.status.message));
}

/* ---- Jobs ---- */

static void denied(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, DENY_WIDE, JOB("\"parallelism\":3,\"completions\":9,"), NULL);
    admit(&s);
    want_message(&s, 422,
                 "policy \"narrow\": spec.parallelism: is 3, at most 2 allowed; policy "
                 "\"narrow\": spec: up to 15 Pods ever (9 completions, 6 retries), at most 5 "
                 "allowed");
    assert_int_equal(s.ret.status.details.causes.n, 2);
    assert_true(jr_str_is(s.ret.status.details.causes.v[0].field, "spec.parallelism"));
    assert_true(jr_str_is(s.ret.status.details.kind, "Job"));
    assert_true(jr_str_is(s.ret.status.details.name, "pi"));
}

/** All values that are allowed are in a message, each cut to 128 bytes; it is cut as a whole where
 * they are too many. */
static void long_message(void **state)
{
    JR_BUF policy = { 0 };
    struct jr_str message;
    SCENE s;

    (void)state;
    jr_buf_init(&policy, SIZE_MAX);
    (void)jr_buf_adds(&policy, "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"limits\":{"
                               "\"template\":{\"nodeSelector\":{");
    for (int key = 0; key < 3; key++) {
        (void)jr_buf_addf(&policy, "%s\"k%d\":{\"required\":true,\"values\":[", key > 0 ? "," : "",
                          key);
        for (int i = 0; i < 128; i++)
            (void)jr_buf_addf(&policy, "%s\"%0253d\"", i > 0 ? "," : "", i);
        (void)jr_buf_adds(&policy, "]}");
    }
    (void)jr_buf_adds(&policy, "}}}}}");
    assert_int_equal(policy.failed, JR_OK);
    scene_init(&s, &jr_admission_job, policy.p, JOB(""), NULL);
    admit(&s);
    message = s.ret.status.message;
    assert_true(jr_admission_denied(&s.ret));
    assert_true(jr_str_starts(
        message, JR_S("policy \"narrow\": spec.template.spec.nodeSelector[k0]: must be "
                      "set, allowed: \"000")));
    assert_true(jr_str_ends(message, JR_S("...")));
    assert_true(message.n > (size_t)32 << 10 && message.n <= ((size_t)32 << 10) + 3);
    assert_true(s.ret.policies.v[0].message.n > (size_t)128 * 128);
    assert_true(jr_str_ends(s.ret.policies.v[0].message, JR_S("000\"...")));
}

static void warned(void **state)
{
    static const char policy[] =
        "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"validationActions\":[\"Warn\"],"
        "\"limits\":{\"parallelism\":{\"max\":2}}}}";
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, policy, JOB("\"parallelism\":3,"), NULL);
    admit(&s);
    assert_false(jr_admission_denied(&s.ret));
    assert_int_equal(s.ret.warnings.list.n, 1);
    assert_true(jr_str_is(s.ret.warnings.list.v[0],
                          "policy \"narrow\": spec.parallelism: is 3, at most 2 allowed"));
}

/** A Job that would be refused when it is resumed is refused when it is made: its author is there.
 */
static void suspended(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, DENY_WIDE, JOB("\"parallelism\":3,\"suspend\":true,"), NULL);
    admit(&s);
    assert_true(jr_admission_denied(&s.ret));
    assert_int_equal(s.ret.status.details.causes.n, 2);
}

/** The rules come first: what they refuse no policy sees. */
static void rules_first(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, DENY_WIDE, JOB("\"parallelism\":3,\"backoffLimit\":-1,"),
               NULL);
    admit(&s);
    assert_true(jr_admission_denied(&s.ret));
    assert_int_equal(s.ret.errs.n, 1);
    assert_int_equal(s.ret.policies.n, 0);
}

/** Offline the policy is named, and the others decide. */
static void namespace_unknown(void **state)
{
    static const char policy[] =
        "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"match\":{\"namespaceSelector\":{"
        "\"matchLabels\":{\"a\":\"b\"}}},\"limits\":{\"parallelism\":{\"max\":2}}}}";
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, policy, JOB(""), NULL);
    s.context.namespace_known = false;
    admit(&s);
    assert_false(jr_admission_denied(&s.ret));
    assert_int_equal(s.ret.policies.n_undecided, 1);
}

/* ---- defaults ---- */

#define DEFAULT_TTL                                                                             \
    "{\"metadata\":{\"name\":\"ttl\"},\"spec\":{\"defaults\":{\"ttlSecondsAfterFinished\":60}," \
    "\"limits\":{\"ttlSecondsAfterFinished\":{\"required\":true,\"max\":600}}}}"

/** Of a manifest they come before the rules and the limits. */
static void defaults_first(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, DEFAULT_TTL, JOB(""), NULL);
    admit(&s);
    assert_false(jr_admission_denied(&s.ret));
    assert_int_equal(s.ret.policy_defaults.n_set, 1);
    assert_int_equal(jr_node_i64_or(jr_path(s.r.object, "spec.ttlSecondsAfterFinished"), -1), 60);
}

/** Where a manifest's Job takes its template's labels over, the policy's come to them. */
static void default_labels(void **state)
{
    static const char policy[] = "{\"metadata\":{\"name\":\"labels\"},\"spec\":{\"defaults\":{"
                                 "\"labels\":{\"cost\":\"a\"}}}}";
    static const char job[] =
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\","
        "\"namespace\":\"team\"},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},"
        "\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x:1\"}]}"
        "}}}";
    const struct jr_node *labels;
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, policy, job, NULL);
    admit(&s);
    labels = jr_path(s.r.object, "metadata.labels");
    assert_true(jr_str_is(jr_get_str(labels, "app"), "x"));
    assert_true(jr_str_is(jr_get_str(labels, "cost"), "a"));
}

/** The mutating side sets them, once. */
static void defaults_of_what_is_served(void **state)
{
    struct jr_error err = { 0 };
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_job, DEFAULT_TTL, JOB(""), NULL);
    s.r.source = JR_ADMISSION_SERVED;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(jr_admit_defaults(&s.r, 65536, &s.ret, &err), JR_OK);
        assert_int_equal(s.ret.policy_defaults.n_set, i == 0);
        assert_int_equal(jr_node_i64_or(jr_path(s.r.object, "spec.ttlSecondsAfterFinished"), -1),
                         60);
    }
}

/* ---- CronJobs ---- */

/** As the Job that it would make: with the policies' defaults, which aren't written back. */
static void cron_job(void **state)
{
    SCENE s;

    (void)state;
    scene_init(&s, &jr_admission_cron_job, DENY_WIDE,
               CRON_JOB("nightly", "@daily", "\"parallelism\":3,"), NULL);
    compile(&s, DEFAULT_TTL);
    jr_policy_set_sort(&s.set);
    admit(&s);
    want_message(&s, 422,
                 "policy \"narrow\": spec.jobTemplate.spec.parallelism: is 3, at most 2 allowed; "
                 "policy \"narrow\": spec.jobTemplate.spec: up to 9 Pods ever (3 in parallel, 6 "
                 "retries), at most 5 allowed");
    assert_true(jr_str_is(s.ret.status.details.kind, "CronJob"));
    assert_null(jr_path(s.r.object, "spec.jobTemplate.spec.ttlSecondsAfterFinished"));
}

/** The template's labels are the Job's. */
static void cron_job_labels(void **state)
{
    static const struct {
        const char *value;
        bool denied;
    } rows[] = { { "a", true }, { "b", false } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char policy[512];
        SCENE s;

        (void)snprintf(policy, sizeof(policy),
                       "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"match\":{"
                       "\"objectSelector\":{\"matchLabels\":{\"pool\":\"%s\"}}},\"limits\":{"
                       "\"parallelism\":{\"max\":2}}}}",
                       rows[i].value);
        scene_init(&s, &jr_admission_cron_job, policy,
                   CRON_JOB("nightly", "@daily", "\"parallelism\":3,"), NULL);
        admit(&s);
        assert_int_equal(jr_admission_denied(&s.ret), rows[i].denied);
    }
}

/** What is as it was is not evaluated again, whatever else of the CronJob changes. */
static void cron_job_updates(void **state)
{
    static const struct {
        const char *name;
        const char *object;
        size_t findings;
        bool denied;
    } rows[] = {
        { "another schedule", CRON_JOB("nightly", "@weekly", "\"parallelism\":3,"), 0, false },
        { "a worse schedule", CRON_JOB("nightly", "* * * * *", "\"parallelism\":3,"), 1, true },
        { "no worse",
          CRON_JOB("nightly", "@daily",
                   "\"parallelism\":3,\"completionMode\":"
                   "\"NonIndexed\",\"ttlSecondsAfterFinished\":"
                   "5,"),
          2, false },
        { "worse", CRON_JOB("nightly", "@daily", "\"parallelism\":4,"), 2, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        SCENE s;

        scene_init(&s, &jr_admission_cron_job,
                   "{\"metadata\":{\"name\":\"narrow\"},\"spec\":{\"limits\":{"
                   "\"parallelism\":{\"max\":2},\"cronJob\":{\"jobsPerDay\":{\"max\":2}}},"
                   "\"budget\":{\"podsEver\":5}}}",
                   rows[i].object, CRON_JOB("nightly", "@daily", "\"parallelism\":3,"));
        admit(&s);
        if (s.ret.policies.n != rows[i].findings || jr_admission_denied(&s.ret) != rows[i].denied)
            fail_msg("%s: %zu findings", rows[i].name, s.ret.policies.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denied),
        cmocka_unit_test(long_message),
        cmocka_unit_test(warned),
        cmocka_unit_test(suspended),
        cmocka_unit_test(rules_first),
        cmocka_unit_test(namespace_unknown),
        cmocka_unit_test(defaults_first),
        cmocka_unit_test(default_labels),
        cmocka_unit_test(defaults_of_what_is_served),
        cmocka_unit_test(cron_job),
        cmocka_unit_test(cron_job_labels),
        cmocka_unit_test(cron_job_updates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
