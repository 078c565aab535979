/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/time.h"
#include "devcluster/kubelet/plan.h"
#include "devcluster/kubelet/status.h"

static const struct row {
    const char *name;
    const char *annotations;
    const char *policy;
    unsigned attempt;
    struct jr_dev_pod_plan want;
} rows[] = {
    { "nothing said", "{}", "Never", 0, { JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "duration",
      "{\"kubelet.jobreeve.dev/duration\":\"300ms\"}",
      "Never",
      0,
      { 300 * JR_MSEC, 0, true, 0, JR_SEC, false, false } },
    { "forever",
      "{\"kubelet.jobreeve.dev/duration\":\"forever\"}",
      "Never",
      0,
      { -1, 0, true, 0, JR_SEC, false, false } },
    { "unreadable duration",
      "{\"kubelet.jobreeve.dev/duration\":\"soon\"}",
      "Never",
      0,
      { JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "by attempt",
      "{\"kubelet.jobreeve.dev/exit-code\":\"1,2,0\"}",
      "Never",
      1,
      { JR_SEC, 2, true, 0, JR_SEC, false, false } },
    { "the last goes on",
      "{\"kubelet.jobreeve.dev/exit-code\":\"1,2,0\"}",
      "Never",
      9,
      { JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "by index",
      "{\"kubelet.jobreeve.dev/exit-code-by-index\":\"0,7\",\"batch.kubernetes.io/"
      "job-completion-index\":\"1\"}",
      "Never",
      0,
      { JR_SEC, 7, true, 0, JR_SEC, false, false } },
    { "beyond the indexes",
      "{\"kubelet.jobreeve.dev/exit-code-by-index\":\"0,7\",\"batch.kubernetes.io/"
      "job-completion-index\":\"2\"}",
      "Never",
      0,
      { JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "OnFailure restarts a failure",
      "{\"kubelet.jobreeve.dev/exit-code\":\"1\"}",
      "OnFailure",
      0,
      { JR_SEC, 1, true, 0, JR_SEC, true, false } },
    { "OnFailure ends a success",
      "{}",
      "OnFailure",
      0,
      { JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "not ready, slow to die",
      "{\"kubelet.jobreeve.dev/ready\":\"false\",\"kubelet.jobreeve.dev/"
      "termination-delay\":\"5s\"}",
      "Never",
      0,
      { JR_SEC, 0, false, 5 * JR_SEC, JR_SEC, false, false } },
    { "disrupted",
      "{\"kubelet.jobreeve.dev/disruptions\":\"1\",\"kubelet.jobreeve.dev/exit-code\":\"42\"}",
      "OnFailure",
      0,
      { JR_SEC, 143, true, 0, JR_SEC, false, true } },
    { "disrupted before",
      "{\"kubelet.jobreeve.dev/disruptions\":\"1\",\"kubelet.jobreeve.dev/exit-code\":\"42\"}",
      "Never",
      1,
      { JR_SEC, 42, true, 0, JR_SEC, false, false } },
    { "a duration by index",
      "{\"kubelet.jobreeve.dev/duration-by-index\":\"1s,forever\",\"kubelet.jobreeve.dev/"
      "duration\":"
      "\"3s\",\"batch.kubernetes.io/job-completion-index\":\"1\"}",
      "Never",
      0,
      { -1, 0, true, 0, JR_SEC, false, false } },
    { "beyond its indexes",
      "{\"kubelet.jobreeve.dev/duration-by-index\":\"1s,forever\",\"kubelet.jobreeve.dev/"
      "duration\":"
      "\"3s\",\"batch.kubernetes.io/job-completion-index\":\"2\"}",
      "Never",
      0,
      { 3 * JR_SEC, 0, true, 0, JR_SEC, false, false } },
    { "a duration by index without an index",
      "{\"kubelet.jobreeve.dev/duration-by-index\":\"5s\"}",
      "Never",
      0,
      { JR_SEC, 0, true, 0, JR_SEC, false, false } },
};

static struct jr_doc *pod_of(const char *annotations, const char *policy)
{
    JR_BUF text = { 0 };
    struct jr_doc *doc = NULL;
    struct jr_error err;

    jr_buf_init(&text, 4096);
    assert_int_equal(jr_buf_addf(&text,
                                 "{\"metadata\":{\"uid\":\"u\",\"annotations\":%s},\"spec\":{"
                                 "\"restartPolicy\":\"%s\",\"containers\":[{\"name\":\"c\","
                                 "\"image\":\"i\"}]}}",
                                 annotations, policy),
                     JR_OK);
    assert_int_equal(jr_doc_parse(jr_buf_str(&text), &JR_READER_STRICT, &doc, &err), JR_OK);
    return doc;
}

static void test_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        JR_CLEANUP(jr_doc_freep) struct jr_doc *pod = pod_of(r->annotations, r->policy);
        struct jr_dev_pod_plan got = jr_dev_pod_plan_of(jr_doc_root(pod), r->attempt, JR_SEC);

        if (got.run_ns != r->want.run_ns || got.exit_code != r->want.exit_code ||
            got.ready != r->want.ready || got.die_ns != r->want.die_ns ||
            got.restart_ns != r->want.restart_ns || got.restart != r->want.restart ||
            got.disrupted != r->want.disrupted)
            fail_msg("%s: run %lld, exit %d, ready %d, die %lld, restart %d", r->name,
                     (long long)got.run_ns, got.exit_code, got.ready, (long long)got.die_ns,
                     got.restart);
    }
}

static void test_status_of_an_ended_pod(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *pod = pod_of("{}", "Never");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *body = NULL;
    const struct jr_dev_sim_status st = { .phase = JR_DEV_SIM_FAILED,
                                          .exit_code = 3,
                                          .disrupted = true,
                                          .started = jr_time_s(1000),
                                          .now = jr_time_s(1002) };
    struct jr_error err;
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, 65536);
    jr_dev_sim_status_write(jr_doc_root(pod), &st, &text);
    assert_int_equal(text.failed, JR_OK);
    assert_int_equal(jr_doc_parse(jr_buf_str(&text), &JR_READER_STRICT, &body, &err), JR_OK);
    const struct jr_node *status = jr_get(jr_doc_root(body), "status");
    assert_true(jr_str_is(jr_get_str(status, "phase"), "Failed"));
    assert_true(jr_str_is(jr_get_str(jr_path(jr_doc_root(body), "metadata"), "uid"), "u"));
    assert_true(
        jr_str_is(jr_get_str(jr_at(jr_get(status, "conditions"), 4), "type"), "DisruptionTarget"));
    const struct jr_node *terminated =
        jr_path(jr_at(jr_get(status, "containerStatuses"), 0), "state.terminated");
    assert_int_equal(jr_node_i64_or(jr_get(terminated, "exitCode"), -1), 3);
    assert_true(jr_str_is(jr_get_str(terminated, "finishedAt"), "1970-01-01T00:16:42Z"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_status_of_an_ended_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
