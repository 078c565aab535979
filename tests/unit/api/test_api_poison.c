/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as an API server may serve them, with what a strict reader refuses in parts that nobody
 * decodes: they are read, and written as they were. And what is decoded, at its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/api/job.h"
#include "common/api/lease.h"
#include "common/api/pod.h"
#include "common/api/workload.h"
#include "tests/unit/api/api_test.h"

#define DEEP                                   \
    "\"x\":"                                   \
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" \
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" \
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" \
    "[[[[[[[[[[[["                             \
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" \
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" \
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" \
    "]]]]]]]]]]]]"

/** Members that nobody decodes. */
static const char *const poison[] = {
    "\"x\":{\"a\\u0000b\":\"1\"}",
    "\"x\\u0000\":[1,{\"\\u0000\":{}}]",
    "\"x\":{\"f:a\xff\":{\"\xc0\x80\":\"\xed\xa0\x80\"}}",
    "\"x\":\"\\u0000a\x80\"",
    DEEP,
};

#define JOB_TEXT                                                                                \
    "{%s,\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"n\",%s,"         \
    "\"managedFields\":[{\"fieldsV1\":{%s}}],\"resourceVersion\":\"7\"},\"spec\":{%s,"          \
    "\"parallelism\":3,\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"},%s},\"spec\":{"     \
    "\"volumes\":[{%s}],\"containers\":[{\"name\":\"c\",%s}],%s}}},\"status\":{%s,\"conditions" \
    "\":[{\"type\":\"Complete\",\"status\":\"True\",%s}],\"uncountedTerminatedPods\":{%s},"     \
    "\"active\":1}}"

static size_t times(struct jr_str text, const char *part)
{
    size_t n = 0;

    for (const char *at; (at = memmem(text.p, text.n, part, strlen(part))) != NULL; n++)
        text = jr_str_from(text, (size_t)(at - text.p) + 1);
    return n;
}

static void jobs(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        const char *x = poison[i];
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        struct jr_error err = { 0 };
        char text[8192];
        JR_BUF out = { 0 };

        jr_buf_init(&out, 65536);
        (void)snprintf(text, sizeof(text), JOB_TEXT, x, x, x, x, x, x, x, x, x, x, x);
        /* but for U+0000 in keys a strict reader takes none */
        WANT_INT(x, jr_json_check(jr_str(text), &JR_READER_LENIENT, NULL) == JR_OK, i < 2);
        if (jr_job_decode(jr_str(text), &job, &err) != JR_OK)
            fail_msg("%s: %s: %s", x, err.path, err.msg);
        WANT_VIEW(x, job->meta.name, JR_S("n"));
        WANT_VIEW(x, job->meta.resource_version, JR_S("7"));
        WANT_INT(x, job->spec.parallelism.v, 3);
        WANT_VIEW(x, job->spec.template.containers.v[0], JR_S("c"));
        WANT_INT(x, job->status.active, 1);
        WANT_INT(x, times(job->spec.template.raw, x), 4);
        WANT_INT(x, times(job->raw, x), 10); /* all but that of managedFields */
        job->status.active = 2;
        WANT_INT(x, jr_job_write_with_status(job, &job->status, JR_S("8"), &out), JR_OK);
        WANT_INT(x, times(jr_buf_str(&out), x), 10);
        WANT_INT(x, times(jr_buf_str(&out), "\"active\":2"), 1);
        WANT_INT(x, times(jr_buf_str(&out), "\"resourceVersion\":\"8\""), 1);
    }
}

static void pods(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        const char *x = poison[i];
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
        struct jr_error err = { 0 };
        char text[8192];

        (void)snprintf(
            text, sizeof(text),
            "{%s,\"metadata\":{%s,\"name\":\"p\",\"annotations\":{%s,\"batch.kubernetes."
            "io/job-completion-index\":\"4\"},\"finalizers\":[\"f\"]},\"spec\":{%s,"
            "\"nodeName\":\"n\"},\"status\":{%s,\"containerStatuses\":[{%s,\"state\":{%s,"
            "\"terminated\":{%s,\"exitCode\":3}}}],\"phase\":\"Failed\"}}",
            x, x, x, x, x, x, x, x);
        if (jr_pod_decode(jr_str(text), &pod, &err) != JR_OK)
            fail_msg("%s: %s: %s", x, err.path, err.msg);
        WANT_VIEW(x, pod->name, JR_S("p"));
        WANT_VIEW(x, jr_pod_str(pod, pod->completion_index), JR_S("4"));
        WANT_INT(x, pod->phase, JR_POD_FAILED);
        WANT_INT(x, pod->containers.v[0].terminated.exit_code, 3);
        assert_true(jr_pod_has_finalizer(pod, JR_S("f")));
    }
}

static void others(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(poison); i++) {
        const char *x = poison[i];
        JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;
        struct jr_api_status s;
        struct jr_lease lease;
        JR_ARENA arena = { 0 };
        char text[8192];

        jr_arena_init(&arena, 0);
        (void)snprintf(text, sizeof(text),
                       "{%s,\"metadata\":{%s,\"name\":\"n\"},\"spec\":{%s,\"holderIdentity\":\"h\","
                       "\"controllerRef\":{%s,\"name\":\"j\"}},\"status\":\"Failure\",\"code\":403,"
                       "\"details\":{%s,\"causes\":[{%s,\"reason\":\"NamespaceTerminating\"}]}}",
                       x, x, x, x, x, x);
        WANT_INT(x, jr_lease_decode(jr_str(text), &arena, &lease, NULL), JR_OK);
        WANT_VIEW(x, lease.holder_identity, JR_S("h"));
        WANT_INT(x, jr_gang_object_decode(jr_str(text), &o, NULL), JR_OK);
        WANT_VIEW(x, o->controller_ref.name, JR_S("j"));
        WANT_INT(x, jr_api_status_decode(jr_str(text), &arena, &s, NULL), JR_OK);
        assert_true(jr_api_status_has_cause(&s, JR_S("NamespaceTerminating")));
    }
}

/** A Pod that is to end after 2262, or before 1677, is one that ends. */
static void far_times(void **state)
{
    static const struct {
        const char *time;
        int64_t ns;
    } rows[] = {
        { "2311-07-07T18:44:10Z", JR_TIME_LAST_NS },
        { "9999-12-31T23:59:59Z", JR_TIME_LAST_NS },
        { "33658-09-27T01:46:40Z", JR_TIME_LAST_NS },
        { "1066-10-14T09:00:00Z", JR_TIME_FIRST_NS },
        { "1970-01-01T00:00:00Z", 1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const char *t = rows[i].time;
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        char text[2048];

        (void)snprintf(
            text, sizeof(text),
            "{\"metadata\":{\"name\":\"p\",\"creationTimestamp\":\"%s\","
            "\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":"
            "9223372036854775807},\"status\":{\"phase\":\"Running\",\"startTime\":\"%s\","
            "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
            "\"lastTransitionTime\":\"%s\"}],\"containerStatuses\":[{\"state\":{"
            "\"terminated\":{\"finishedAt\":\"%s\"}}}]}}",
            t, t, t, t, t);
        WANT_INT(t, jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
        WANT_INT(t, pod->deletion_timestamp.ns, rows[i].ns);
        WANT_INT(t, pod->containers.v[0].terminated.finished_at.ns, rows[i].ns);
        assert_true(jr_pod_terminating(pod));
        WANT_INT(t, jr_job_decode(jr_str(text), &job, NULL), JR_OK);
        WANT_INT(t, job->status.start_time.ns, rows[i].ns);
    }
}

/** An answer may say a lot: what is kept of it has bounds, and says what it is about. */
static void long_answers(void **state)
{
    struct jr_api_status s;
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    jr_buf_init(&text, (size_t)16 << 20);
    (void)jr_buf_adds(&text, "{\"status\":\"Failure\",\"message\":\"");
    for (int i = 0; i < 100000; i++)
        (void)jr_buf_addf(&text, "line %d of it \u20ac\\n", i);
    (void)jr_buf_adds(&text, "\",\"reason\":\"Invalid\",\"details\":{\"causes\":[");
    for (int i = 0; i < 10000; i++)
        (void)jr_buf_addf(&text, "%s{\"reason\":\"R%d\",\"message\":\"\\u20ac\"}",
                          i == 0 ? "" : ",", i);
    (void)jr_buf_adds(&text, "],\"retryAfterSeconds\":3},\"code\":422}");
    assert_int_equal(text.failed, JR_OK);
    assert_int_equal(jr_api_status_decode(jr_buf_str(&text), &arena, &s, NULL), JR_OK);
    assert_int_equal(s.code, 422);
    assert_int_equal(s.details.retry_after_s, 3);
    assert_true(jr_str_is(s.reason, "Invalid"));
    assert_true(s.message.n > 16000 && s.message.n <= 16384);
    assert_true(jr_str_starts(s.message, JR_S("line 0 of it \u20ac\nline 1 of it")));
    assert_int_equal(s.details.causes.n, 100);
    assert_true(jr_api_status_has_cause(&s, JR_S("R99")));
    for (size_t cut = 0; cut < 4;
         cut++) { /* where the bound falls into a character, it is not halved */
        jr_buf_reset(&text);
        (void)jr_buf_adds(&text, "{\"message\":\"");
        for (size_t i = 0; i < cut; i++)
            (void)jr_buf_addc(&text, 'x');
        for (int i = 0; i < 5000; i++)
            (void)jr_buf_adds(&text, "\xf0\x9f\x98\x80");
        (void)jr_buf_adds(&text, "\"}");
        assert_int_equal(jr_api_status_decode(jr_buf_str(&text), &arena, &s, NULL), JR_OK);
        assert_int_equal(s.message.n % 4, cut);
        assert_true(s.message.n > 16380 && s.message.n <= 16384);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),      cmocka_unit_test(pods),         cmocka_unit_test(others),
        cmocka_unit_test(far_times), cmocka_unit_test(long_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
