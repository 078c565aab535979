/* SPDX-License-Identifier: Apache-2.0 */
#include "common/api/job.h"

#include <dirent.h>

#include "common/api/admission_review.h"
#include "tests/support/failalloc.h"
#include "tests/unit/api/api_test.h"

#define JOB JR_CLEANUP(jr_job_unrefp) struct jr_job

static struct jr_job *must_decode(const char *name, const char *text)
{
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };

    if (jr_job_decode(jr_str(text), &job, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
    return job;
}

static void every_field(void **state)
{
    static const char text[] =
        "{\"kind\":\"Job\",\"metadata\":{\"name\":\"n\",\"generateName\":\"g\",\"namespace\":"
        "\"ns\","
        "\"uid\":\"u\",\"resourceVersion\":\"7\",\"generation\":3,\"creationTimestamp\":"
        "\"2026-03-01T12:00:00Z\",\"deletionTimestamp\":\"2026-03-01T12:00:01Z\","
        "\"deletionGracePeriodSeconds\":0,\"labels\":{\"a\":\"b\",\"c\":null},\"annotations\":{"
        "\"d\":\"e\"},\"ownerReferences\":[{\"name\":\"x\"},{\"apiVersion\":\"v\",\"kind\":\"k\","
        "\"name\":\"o\",\"uid\":\"ou\",\"controller\":true,\"blockOwnerDeletion\":false}],"
        "\"finalizers\":[\"f\",null]},\"spec\":{\"parallelism\":0,\"completions\":2,"
        "\"activeDeadlineSeconds\":5000000000,\"podFailurePolicy\":{\"rules\":[{\"action\":"
        "\"Count\""
        ",\"onExitCodes\":{\"containerName\":\"c\",\"operator\":\"In\",\"values\":[1,2]}},{"
        "\"onPodConditions\":[{\"type\":\"T\",\"status\":\"True\"}]}]},\"successPolicy\":{"
        "\"rules\":"
        "[{\"succeededIndexes\":\"\",\"succeededCount\":0},{}]},\"backoffLimit\":1,"
        "\"backoffLimitPerIndex\":4,\"maxFailedIndexes\":5,\"selector\":{\"matchLabels\":{\"a\":"
        "\"b\"},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"v\"]}]},"
        "\"manualSelector\":true,\"template\":{\"metadata\":{\"labels\":{\"l\":\"m\"},"
        "\"annotations\":{\"n\":\"o\"},\"finalizers\":[\"tf\"]},\"spec\":{\"restartPolicy\":"
        "\"Never\",\"containers\":[{\"name\":\"c1\"},{\"image\":\"x\"},null],\"initContainers\":[{"
        "\"name\":\"i1\"}],\"schedulingGroup\":{}}},\"ttlSecondsAfterFinished\":6,"
        "\"completionMode\":\"Indexed\",\"suspend\":false,\"podReplacementPolicy\":\"Failed\","
        "\"managedBy\":\"\"},\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":"
        "\"False\""
        ",\"lastProbeTime\":null,\"lastTransitionTime\":\"2026-03-01T12:00:02Z\",\"reason\":\"r\","
        "\"message\":\"m\"},{\"type\":\"Complete\",\"status\":\"True\"}],\"startTime\":"
        "\"2026-03-01T12:00:03Z\",\"completionTime\":\"2026-03-01T12:00:04Z\",\"active\":1,"
        "\"succeeded\":2,\"failed\":3,\"terminating\":0,\"completedIndexes\":\"0-1\","
        "\"failedIndexes\":\"\",\"uncountedTerminatedPods\":{\"succeeded\":[\"s\"],\"failed\":["
        "\"f\"]},\"ready\":0}}";
    JOB *job = must_decode("every field", text);
    const struct jr_job_spec *s = &job->spec;
    const struct jr_job_status *st = &job->status;

    (void)state;
    WANT_VIEW("meta", job->meta.name, JR_S("n"));
    WANT_VIEW("meta", job->meta.generate_name, JR_S("g"));
    WANT_INT("meta", job->meta.generation, 3);
    assert_true(jr_time_set(job->meta.deletion_timestamp));
    assert_true(job->meta.deletion_grace_period_s.set);
    WANT_VIEW("null label", jr_labels_get(&job->meta.labels, JR_S("c")), JR_S(""));
    assert_non_null(jr_labels_get(&job->meta.labels, JR_S("c")).p);
    assert_null(jr_labels_get(&job->meta.labels, JR_S("x")).p);
    WANT_VIEW("owner", jr_meta_controller(&job->meta)->name, JR_S("o"));
    assert_true(jr_strs_has(&job->meta.finalizers, JR_S("")));
    assert_false(jr_strs_has(&job->meta.finalizers, JR_S("x")));
    assert_true(s->parallelism.set && s->parallelism.v == 0);
    WANT_INT("deadline", s->active_deadline_s.v, 5000000000);
    assert_true(s->pod_failure_policy.set);
    WANT_INT("rules", s->pod_failure_policy.rules.n, 2);
    WANT_VIEW("rule", s->pod_failure_policy.rules.v[0].on_exit_codes.container_name, JR_S("c"));
    WANT_INT("rule", s->pod_failure_policy.rules.v[0].on_exit_codes.values.v[1], 2);
    assert_false(s->pod_failure_policy.rules.v[1].on_exit_codes.set);
    WANT_VIEW("rule", s->pod_failure_policy.rules.v[1].on_pod_conditions.v[0].type, JR_S("T"));
    assert_non_null(s->success_policy.rules.v[0].succeeded_indexes.p);
    assert_null(s->success_policy.rules.v[1].succeeded_indexes.p);
    assert_true(s->success_policy.rules.v[0].succeeded_count.set);
    assert_true(s->selector.set);
    WANT_VIEW("selector", s->selector.match_expressions.v[0].values.v[0], JR_S("v"));
    WANT_VIEW("template", s->template.restart_policy, JR_S("Never"));
    WANT_INT("template", s->template.containers.n, 3);
    WANT_VIEW("template", s->template.containers.v[1], JR_S(""));
    WANT_VIEW("template", s->template.init_containers.v[0], JR_S("i1"));
    WANT_VIEW("template", s->template.labels.v[0].value, JR_S("m"));
    WANT_VIEW("template", s->template.finalizers.v[0], JR_S("tf"));
    assert_true(s->template.scheduling_group);
    assert_true(jr_str_starts(s->template.raw, JR_S("{\"metadata\":{\"labels\":{\"l\"")));
    assert_non_null(s->managed_by.p);
    assert_true(s->suspend.set && !s->suspend.v);
    WANT_INT("conditions", st->conditions.n, 2);
    WANT_VIEW("condition", jr_job_condition_get(&st->conditions, "Complete")->status,
              JR_S("False"));
    assert_true(jr_job_condition_true(&st->conditions, "Complete"));
    assert_true(jr_job_finished(st));
    assert_true(st->ready.set && st->terminating.set);
    assert_non_null(st->failed_indexes.p);
    WANT_VIEW("uncounted", st->uncounted.failed.v[0], JR_S("f"));
}

static void absent_and_null(void **state)
{
    JOB *none = must_decode("none", "{}");
    JOB *nulls = must_decode(
        "nulls",
        "{\"metadata\":null,\"spec\":{\"selector\":null,\"template\":null,\"suspend\":null,"
        "\"podFailurePolicy\":null,\"managedBy\":null,\"parallelism\":null},\"status\":{"
        "\"conditions\":null,\"uncountedTerminatedPods\":null,\"startTime\":null}}");
    const struct jr_job *const jobs[] = { none, nulls };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct jr_job *j = jobs[i];

        assert_false(j->spec.selector.set);
        assert_null(j->spec.template.raw.p);
        assert_false(j->spec.suspend.set);
        assert_false(j->spec.pod_failure_policy.set);
        assert_null(j->spec.managed_by.p);
        assert_false(j->spec.parallelism.set);
        assert_false(j->status.uncounted.set);
        assert_false(jr_time_set(j->status.start_time));
        assert_false(jr_job_finished(&j->status));
        assert_null(jr_job_condition_get(&j->status.conditions, "Complete"));
        assert_null(jr_meta_controller(&j->meta));
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        enum jr_status st;
        const char *path;
    } rows[] = {
        { "", JR_SYNTAX, "" },
        { "[]", JR_TYPE, "" },
        { "{} {}", JR_SYNTAX, "" },
        { "{\"spec\":7}", JR_TYPE, "spec" },
        { "{\"spec\":{\"parallelism\":\"1\"}}", JR_TYPE, "spec.parallelism" },
        { "{\"spec\":{\"parallelism\":1.5}}", JR_TYPE, "spec.parallelism" },
        { "{\"spec\":{\"parallelism\":2147483648}}", JR_RANGE, "spec.parallelism" },
        { "{\"spec\":{\"activeDeadlineSeconds\":9223372036854775808}}", JR_RANGE,
          "spec.activeDeadlineSeconds" },
        { "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"a/b\":1}}}}}", JR_TYPE,
          "spec.template.metadata.labels[a/b]" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{},{\"name\":1}]}}}}", JR_TYPE,
          "spec.template.spec.containers[1].name" },
        { "{\"spec\":{\"selector\":[]}}", JR_TYPE, "spec.selector" },
        { "{\"status\":{\"uncountedTerminatedPods\":[]}}", JR_TYPE,
          "status.uncountedTerminatedPods" },
        { "{\"status\":{\"startTime\":\"yesterday\"}}", JR_INVALID, "status.startTime" },
        { "{\"metadata\":{\"finalizers\":\"x\"}}", JR_TYPE, "metadata.finalizers" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_job *job = NULL;
        struct jr_error err = { 0 };
        enum jr_status st = jr_job_decode(jr_str(rows[i].text), &job, &err);

        want_error(rows[i].text, st, &err, rows[i].st, rows[i].path);
        assert_null(job);
    }
}

static void managed_fields_go(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        { "{\"a\":1}", "{\"a\":1}" },
        { "{\"metadata\":{\"managedFields\":[1]}}", "{\"metadata\":{}}" },
        { "{\"metadata\":{ \"managedFields\" : [1] , \"b\":2 },\"c\":3}",
          "{\"metadata\":{\"b\":2 },\"c\":3}" },
        { "{\"metadata\":{\"a\":[ 1 ],\"managedFields\":null}}", "{\"metadata\":{\"a\":[ 1 ]}}" },
        { "{\"metadata\":{\"a\":1,\"managedFields\":{},\"b\":2}}",
          "{\"metadata\":{\"a\":1,\"b\":2}}" },
        { "{\"spec\":{\"managedFields\":1},\"x\":{\"metadata\":{\"managedFields\":1}}}",
          "{\"spec\":{\"managedFields\":1},\"x\":{\"metadata\":{\"managedFields\":1}}}" },
        { "{\"metadata\":null}", "{\"metadata\":null}" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JOB *job = must_decode(rows[i].text, rows[i].text);
        DOC *doc = must_parse(rows[i].text, job->raw);
        JR_BUF have = { 0 };

        must_print(jr_doc_root(doc), &have);
        want_json(rows[i].text, jr_buf_str(&have), jr_str(rows[i].want));
    }
}

/* ---- writing ---- */

static void want_written(const char *name, const char *object, const struct jr_job_status *st,
                         struct jr_str version, const char *want)
{
    JOB *job = must_decode(name, object);
    JR_BUF out = { 0 };

    jr_buf_init(&out, (size_t)1 << 20);
    assert_int_equal(jr_job_write_with_status(job, st, version, &out), JR_OK);
    want_json(name, jr_buf_str(&out), jr_str(want));
}

static void status_written(void **state)
{
    struct jr_job_condition condition = { .type = JR_S("Complete"),
                                          .status = JR_S("True"),
                                          .last_probe_time = jr_time_s(1772366400),
                                          .last_transition_time = jr_time_s(1772366400),
                                          .reason = JR_S("R"),
                                          .message = JR_S("say \"m\"") };
    struct jr_str uid = JR_S("u1");
    struct jr_job_status st = { 0 };
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, (size_t)1 << 16);
    assert_int_equal(jr_job_status_write(&st, &out), JR_OK);
    WANT_STR("empty", out.p, "{}");
    st = (struct jr_job_status){ .conditions = { &condition, 1 },
                                 .start_time = jr_time_s(1772366400),
                                 .completion_time = jr_time_s(1772366401),
                                 .active = 1,
                                 .succeeded = 2,
                                 .failed = 3,
                                 .ready = JR_I32(0),
                                 .terminating = JR_I32(0),
                                 .completed_indexes = JR_S("0-2"),
                                 .failed_indexes = JR_S(""),
                                 .uncounted = { .set = true, .failed = { &uid, 1 } } };
    jr_buf_reset(&out);
    assert_int_equal(jr_job_status_write(&st, &out), JR_OK);
    WANT_STR(
        "full", out.p,
        "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\",\"lastProbeTime\":"
        "\"2026-03-01T12:00:00Z\",\"lastTransitionTime\":\"2026-03-01T12:00:00Z\",\"reason\":"
        "\"R\",\"message\":\"say \\\"m\\\"\"}],\"startTime\":\"2026-03-01T12:00:00Z\","
        "\"completionTime\":\"2026-03-01T12:00:01Z\",\"active\":1,\"succeeded\":2,\"failed\":3,"
        "\"terminating\":0,\"completedIndexes\":\"0-2\",\"failedIndexes\":\"\","
        "\"uncountedTerminatedPods\":{\"failed\":[\"u1\"]},\"ready\":0}");
}

static void unknown_members_survive(void **state)
{
    static const char object[] =
        "{\"metadata\":{\"name\":\"n\",\"xNew\":{\"a\":1.0},\"resourceVersion\":\"1\","
        "\"managedFields\":[]},\"spec\":{\"xNew\":12345678901234567890},\"xTop\":\"\\u0000\","
        "\"status\":{\"xGone\":null,\"active\":3,\"x\\u004eew\":[1e400],\"conditions\":[{\"type\":"
        "\"A\",\"status\":\"True\",\"xSince\":9},{\"type\":\"B\",\"status\":\"True\",\"xSince\":8}]"
        ","
        "\"uncountedTerminatedPods\":{\"succeeded\":[\"a\"],\"xLost\":[\"b\"]}}}";
    struct jr_job_condition conditions[] = { { .type = JR_S("B"), .status = JR_S("False") },
                                             { .type = JR_S("C"), .status = JR_S("True") } };
    const struct jr_job_status st = { .conditions = { conditions, 2 },
                                      .ready = JR_I32(0),
                                      .uncounted = { .set = true } };
    const struct jr_job_status nothing = { .ready = { .set = false } };
    struct jr_job_condition again[] = { { .type = JR_S("B"), .status = JR_S("True") },
                                        { .type = JR_S("A"), .status = JR_S("True") },
                                        { .type = JR_S("A"), .status = JR_S("False") } };
    const struct jr_job_status twice = { .conditions = { again, 3 } };

    (void)state;
    want_written("all of it", object, &st, JR_S("2"),
                 "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"n\","
                 "\"xNew\":{\"a\":1.0},\"resourceVersion\":\"2\"},\"spec\":{\"xNew\":"
                 "12345678901234567890},\"xTop\":\"\\u0000\",\"status\":{\"conditions\":[{\"type\":"
                 "\"B\",\"status\":\"False\",\"xSince\":8},{\"type\":\"C\",\"status\":\"True\"}],"
                 "\"uncountedTerminatedPods\":{\"xLost\":[\"b\"]},\"ready\":0,\"xGone\":null,"
                 "\"xNew\":[1e400]}}");
    want_written(
        "conditions in another order, one type twice",
        "{\"apiVersion\":\"v\",\"kind\":\"k\",\"status\":{\"conditions\":[{\"type\":\"A\",\"x\":1},"
        "{\"type\":\"B\",\"x\":2},{\"type\":\"A\",\"x\":3}]}}",
        &twice, JR_S("2"),
        "{\"apiVersion\":\"v\",\"kind\":\"k\",\"metadata\":{\"resourceVersion\":\"2\"},"
        "\"status\":{\"conditions\":[{\"type\":\"B\",\"status\":\"True\",\"x\":2},{\"type\":\"A\","
        "\"status\":\"True\",\"x\":3},{\"type\":\"A\",\"status\":\"False\",\"x\":1}]}}");
    want_written(
        "needless escapes",
        "{\"apiVersion\":\"v\",\"kind\":\"k\",\"metadata\":{\"a\\u003c\":\"\\u003c\\u003e\\u0026\","
        "\"managedFields\":\"\\u003c\",\"b\":\"\\\\u003c\\u003c\\\"\\u003C\"},\"spec\":{\"x\":"
        "\"\\u2028\\u2029\\u202a\\u003d\\n\\\\\"},\"status\":{\"xNew\":\"\\u003e\"}}",
        &nothing, (struct jr_str){ NULL, 0 },
        "{\"apiVersion\":\"v\",\"kind\":\"k\",\"metadata\":{\"a<\":\"<>&\",\"b\":"
        "\"\\\\u003c<\\\"\\u003C\"},\"spec\":{\"x\":"
        "\"\xe2\x80\xa8\xe2\x80\xa9\\u202a\\u003d\\n\\\\\"},"
        "\"status\":{\"xNew\":\">\"}}");
    want_written("no status before", "{\"apiVersion\":\"v\",\"kind\":\"k\",\"spec\":{}}", &nothing,
                 JR_S("5"),
                 "{\"apiVersion\":\"v\",\"kind\":\"k\",\"metadata\":{\"resourceVersion\":\"5\"},"
                 "\"spec\":{},\"status\":{}}");
    want_written("version as it was", "{\"metadata\":{\"resourceVersion\":\"1\"},\"status\":null}",
                 &nothing, (struct jr_str){ NULL, 0 },
                 "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"resourceVersion\":"
                 "\"1\"},\"status\":{}}");
}

/** A real object, written back with the status that it has, is what it was. */
static void round_trip(const char *name, struct jr_str text)
{
    DOC *want = must_parse(name, text);
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };
    JR_BUF out = { 0 }, expect = { 0 };

    if (jr_job_decode(text, &job, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
    jr_remove(jr_get(jr_doc_root(want), "metadata"), JR_S("managedFields"), NULL);
    must_print(jr_doc_root(want), &expect);
    jr_buf_init(&out, (size_t)1 << 20);
    assert_int_equal(jr_job_write_with_status(job, &job->status, job->meta.resource_version, &out),
                     JR_OK);
    want_json(name, jr_buf_str(&out), jr_buf_str(&expect));
    jr_job_unref(job);
}

static void real_jobs(void **state)
{
    DIR *d = opendir(WIRE "reviews");
    const struct dirent *e;
    size_t n = 0;

    (void)state;
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) { /* NOLINT(concurrency-mt-unsafe): one thread */
        char path[512];
        JR_ARENA arena = { 0 };
        JR_BUF body = { 0 };
        struct jr_admission_review r;

        (void)snprintf(path, sizeof(path), WIRE "reviews/%s", e->d_name);
        if (e->d_name[0] == '.' || strstr(e->d_name, "cronjobs") != NULL)
            continue;
        jr_arena_init(&arena, 0);
        must_read(path, &body);
        assert_int_equal(jr_admission_review_decode(jr_buf_str(&body), &arena, &r, NULL), JR_OK);
        if (r.request.object.text.n > 0)
            round_trip(path, r.request.object.text);
        if (r.request.old_object.text.n > 0)
            round_trip(path, r.request.old_object.text);
        n++;
    }
    (void)closedir(d);
    assert_true(n > 20);
}

static void counted(void **state)
{
    struct jr_job *job = must_decode("counted", "{\"metadata\":{\"name\":\"n\"}}");
    struct jr_job *again = jr_job_ref(job);

    (void)state;
    assert_ptr_equal(job, again);
    jr_job_unref(job);
    WANT_VIEW("alive", again->meta.name, JR_S("n"));
    jr_job_unref(again);
    jr_job_unref(NULL);
    assert_null(jr_job_ref(NULL));
}

/** What a cache keeps of a Job whose template isn't needed: what decisions go by. Nothing can be
 * written by it. */
static void slim(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"labels\":{\"a\":\"b\"},\"annotations\":{"
        "\"a\":\"b\"},\"finalizers\":[\"f\"],\"ownerReferences\":[{\"name\":\"o\"}]},\"spec\":{"
        "\"template\":{\"metadata\":{\"labels\":{\"l\":\"m\"}},\"spec\":{\"restartPolicy\":"
        "\"OnFailure\",\"containers\":[{\"name\":\"c\"}],\"schedulingGroup\":{}}},"
        "\"selector\":{\"matchLabels\":{\"k\":\"v\"}},\"completions\":2,\"managedBy\":\"x/y\","
        "\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\"}]},"
        "\"successPolicy\":{\"rules\":[{\"succeededIndexes\":\"1\"}]}},"
        "\"status\":{\"active\":1,\"conditions\":[{\"type\":\"Suspended\"}]}}";

    (void)state;
    for (int unused = 0; unused < 2; unused++) {
        JOB *job = NULL;
        JOB *less = NULL;
        JR_BUF out = { .max = 4096 };

        assert_int_equal(jr_job_decode(jr_str(text), &job, NULL), JR_OK);
        assert_int_equal(jr_job_slim(job, unused, &less), JR_OK);
        jr_job_unref(jr_steal(&job)); /* it shares nothing with the whole one */
        assert_true(less->template_dropped);
        assert_int_equal(less->policies_dropped, unused);
        WANT_INT("raw", less->raw.n, 0);
        WANT_VIEW("name", less->meta.name, JR_S("n"));
        WANT_VIEW("uid", less->meta.uid, JR_S("u"));
        WANT_INT("labels", less->meta.labels.n + less->meta.annotations.n, 0);
        WANT_INT("owners", less->meta.owner_refs.n + less->meta.finalizers.n, 0);
        WANT_INT("template", less->spec.template.labels.n + less->spec.template.containers.n, 0);
        WANT_VIEW("restartPolicy", less->spec.template.restart_policy, JR_S("OnFailure"));
        assert_true(less->spec.template.scheduling_group);
        WANT_INT("completions", less->spec.completions.v, 2);
        WANT_VIEW("managedBy", less->spec.managed_by, JR_S("x/y"));
        WANT_VIEW("selector", less->spec.selector.match_labels.v[0].value, JR_S("v"));
        WANT_INT("failure policy", less->spec.pod_failure_policy.rules.n, unused ? 0 : 1);
        WANT_INT("success policy", less->spec.success_policy.rules.n, unused ? 0 : 1);
        WANT_INT("active", less->status.active, 1);
        WANT_VIEW("condition", less->status.conditions.v[0].type, JR_S("Suspended"));
        assert_true(jr_str_starts(less->status.raw, JR_S("{\"active\":1,")));
        WANT_INT("write", jr_job_write_with_status(less, &less->status, JR_S("9"), &out),
                 JR_INVALID);
    }
}

static void slim_without_memory(void **state)
{
    JOB *job = NULL;

    (void)state;
    assert_int_equal(
        jr_job_decode(JR_S("{\"metadata\":{\"name\":\"n\"},\"spec\":{\"template\":{}}}"), &job,
                      NULL),
        JR_OK);
    for (long n = 1;; n++) {
        JOB *less = NULL;

        jr_failalloc_arm(n);
        if (jr_failalloc_over(jr_job_slim(job, true, &less)))
            break;
    }
}

static void without_memory(void **state)
{
    JR_BUF text = { 0 };

    (void)state;
    must_read(WIRE "reviews/027-mutate-UPDATE-jobs-status.json", &text);
    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        JOB *job = NULL;
        JR_BUF out = { 0 };
        struct jr_error err = { 0 };
        struct jr_admission_review r;
        enum jr_status st;

        jr_arena_init(&arena, 0);
        jr_buf_init(&out, (size_t)1 << 20);
        jr_failalloc_arm(n);
        st = jr_admission_review_decode(jr_buf_str(&text), &arena, &r, &err);
        if (st == JR_OK)
            st = jr_job_decode(r.request.object.text, &job, &err);
        if (st == JR_OK)
            st = jr_job_write_with_status(job, &job->status, JR_S("9"), &out);
        if (jr_failalloc_over(st))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(absent_and_null),
        cmocka_unit_test(refused),
        cmocka_unit_test(managed_fields_go),
        cmocka_unit_test(status_written),
        cmocka_unit_test(unknown_members_survive),
        cmocka_unit_test(real_jobs),
        cmocka_unit_test(counted),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(slim),
        cmocka_unit_test(slim_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
