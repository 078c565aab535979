/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a Job from moving until somebody acts, and what doesn't. */
#include "cli/wait/stuck.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/memory.h"
#include "common/json/write.h"

#define PODS_MAX 3
#define META                                                                                \
    "\"metadata\": {\"name\": \"p\", \"namespace\": \"d\", \"creationTimestamp\": "         \
    "\"2026-03-01T12:05:00Z\", \"ownerReferences\": [{\"kind\": \"Job\", \"name\": \"j\", " \
    "\"uid\": "                                                                             \
    "\"1\", \"controller\": true}]}"
#define POD(status) "{" META ", \"spec\": {\"nodeName\": \"n\"}, \"status\": {" status "}}"
#define WAITS(reason, message)                                               \
    POD("\"phase\": \"Pending\", \"containerStatuses\": [{\"name\": \"c\", " \
        "\"state\": {\"waiting\": {\"reason\": \"" reason "\", \"message\": \"" message "\"}}}]")
#define INIT_WAITS(reason)                                                       \
    POD("\"phase\": \"Pending\", \"initContainerStatuses\": [{\"name\": \"i\", " \
        "\"state\": {\"waiting\": {\"reason\": \"" reason "\"}}}], "             \
        "\"containerStatuses\": [{\"name\": \"c\", "                             \
        "\"state\": {\"waiting\": {\"reason\": \"PodInitializing\"}}}]")
#define RUNS                                                                 \
    POD("\"phase\": \"Running\", \"containerStatuses\": [{\"name\": \"c\", " \
        "\"state\": {\"running\": {}}}]")
#define UNSCHEDULABLE(message)                                                              \
    "{" META ", \"status\": {\"phase\": \"Pending\", \"conditions\": [{\"type\": "          \
    "\"PodScheduled\", \"status\": \"False\", \"reason\": \"Unschedulable\", \"message\": " \
    "\"" message "\"}]}}"
#define NOW "2026-03-01T12:10:00Z"
#define REFUSED(message) "Error creating: pods \"j-\" is forbidden: " message

static const struct {
    const char *name;
    const char *spec, *status; /* of the Job */
    const char *pods[PODS_MAX];
    const char *refusal;
    const char *want; /* a part of what is said; NULL: it moves */
} cases[] = {
    { "an image",
      "",
      ", \"active\": 1",
      { WAITS("ErrImagePull", "x: not found") },
      NULL,
      "is not there" },
    { "an image's name",
      "",
      ", \"active\": 1",
      { WAITS("InvalidImageName", "m") },
      NULL,
      "invalid name" },
    { "a configuration",
      "",
      ", \"active\": 1",
      { WAITS("CreateContainerConfigError", "secret \\\"s\\\" not found") },
      NULL,
      "needs the Secret s" },
    { "an init container",
      "",
      ", \"active\": 1",
      { INIT_WAITS("ErrImageNeverPull") },
      NULL,
      "Never forbids" },
    { "beside one that runs",
      "",
      ", \"active\": 2",
      { WAITS("ErrImagePull", "x: not found"), RUNS },
      NULL,
      NULL },
    { "a registry's limit",
      "",
      ", \"active\": 1",
      { WAITS("ErrImagePull", "429 Too Many Requests") },
      NULL,
      NULL },
    { "starting", "", ", \"active\": 1", { WAITS("ContainerCreating", "") }, NULL, NULL },
    { "a crash loop",
      "",
      ", \"active\": 1",
      { WAITS("CrashLoopBackOff", "back-off") },
      NULL,
      NULL },
    { "busy nodes",
      "",
      ", \"active\": 1",
      { UNSCHEDULABLE(
          "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
          "preemption victims found for incoming pod.") },
      NULL,
      NULL },
    { "a selector that no node has",
      "",
      ", \"active\": 1",
      { UNSCHEDULABLE(
          "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.") },
      NULL,
      "No node matches" },
    { "suspended by nobody's queue",
      ", \"suspend\": true",
      "",
      { NULL },
      NULL,
      "The Job is suspended" },
    { "over",
      "",
      ", \"conditions\": [{\"type\": \"Failed\", \"status\": \"True\"}]",
      { NULL },
      NULL,
      NULL },
    { "a quota's must specify",
      "",
      "",
      { NULL },
      REFUSED("failed quota: q: must specify limits.cpu for: c"),
      "must specify limits.cpu" },
    { "the same of old, and one runs",
      "",
      ", \"active\": 1",
      { RUNS },
      REFUSED("failed quota: q: must specify limits.cpu for: c"),
      NULL },
    { "Pod Security",
      "",
      "",
      { NULL },
      REFUSED("violates PodSecurity \"restricted:latest\": x"),
      "enforces Pod Security" },
    { "a service account",
      "",
      "",
      { NULL },
      REFUSED("error looking up service account d/s: serviceaccount \"s\" not found"),
      "the service account s does not exist" },
    { "a quota that is used up",
      "",
      "",
      { NULL },
      REFUSED("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"),
      NULL },
    { "a time-out", "", "", { NULL }, "Error creating: Timeout: request did not complete", NULL },
    { "nothing is known", "", "", { NULL }, NULL, NULL },
};

static void add_refusal(struct jr_evidence *ev, const char *message)
{
    JR_BUF text = { 0 };
    struct jr_writer w = jr_writer_on(&text);
    struct jr_error err = { .status = JR_OK };

    if (message == NULL)
        return;
    jr_buf_init(&text, 4096);
    jr_w_object(&w);
    jr_w_kobject(&w, "involvedObject");
    jr_w_kstr(&w, "kind", JR_S("Job"));
    jr_w_kstr(&w, "namespace", JR_S("d"));
    jr_w_kstr(&w, "name", JR_S("j"));
    jr_w_object_end(&w);
    jr_w_kstr(&w, "reason", JR_S("FailedCreate"));
    jr_w_kstr(&w, "message", jr_str(message));
    jr_w_kstr(&w, "lastTimestamp", JR_S("2026-03-01T12:09:00Z"));
    jr_w_object_end(&w);
    assert_ok(jr_evidence_add(ev, "Event", jr_buf_str(&text), &err), &err);
}

static bool is_stuck(size_t i, struct jr_buf *why)
{
    JR_FREE char *text = jr_xasprintf("{\"metadata\": {\"name\": \"j\", \"namespace\": \"d\", "
                                      "\"uid\": \"1\", \"creationTimestamp\": "
                                      "\"2026-03-01T12:00:00Z\"}, \"spec\": {\"parallelism\": 2, "
                                      "\"completions\": 2%s}, \"status\": "
                                      "{\"startTime\": \"2026-03-01T12:00:00Z\"%s}}",
                                      cases[i].spec, cases[i].status);
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = jr_wait_evidence_new(true);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_error err = { .status = JR_OK };
    struct jr_time now;

    assert_ok(jr_job_decode(jr_str(text), &job, &err), &err);
    jr_evidence_put_job(ev, job);
    for (size_t n = 0; n < PODS_MAX && cases[i].pods[n] != NULL; n++)
        assert_ok(jr_evidence_add(ev, "Pod", jr_str(cases[i].pods[n]), &err), &err);
    add_refusal(ev, cases[i].refusal);
    jr_evidence_seal(ev);
    assert_int_equal(jr_time_parse(JR_S(NOW), &now), JR_OK);
    return jr_wait_is_stuck(ev, job, now, why);
}

static void test_stuck(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++) {
        JR_BUF why = { 0 };

        jr_buf_init(&why, 4096);
        if (is_stuck(i, &why) != (cases[i].want != NULL))
            fail_msg("%s: %s", cases[i].name, why.n == 0 ? "it moves" : why.p);
        if (cases[i].want != NULL)
            assert_non_null(strstr(why.p, cases[i].want));
        else
            assert_int_equal(why.n, 0);
    }
}

/* ---- runs ---- */

#define END_AT(code) "{\"terminated\": {\"exitCode\": " code "}}"
static const struct {
    const char *container; /* its status, less its name */
    bool any, ended;
    int number;
    int exit, previous; /* -1: none */
    bool failed;        /* the Pod, by jr_pod_view_failed */
} runs[] = {
    { "\"restartCount\": 0", false, false, 0, -1, -1, false },
    { "\"state\": {\"waiting\": {}}, \"restartCount\": 0", false, false, 0, -1, -1, false },
    { "\"state\": {\"running\": {}}, \"restartCount\": 0", true, false, 0, -1, -1, false },
    { "\"state\": " END_AT("0") ", \"restartCount\": 0", true, true, 0, 0, -1, false },
    { "\"state\": " END_AT("3") ", \"restartCount\": 0", true, true, 0, 3, -1, true },
    { "\"state\": {\"running\": {}}, \"lastState\": " END_AT("4") ", \"restartCount\": 1", true,
      false, 1, -1, 4, true },
    { "\"state\": {\"waiting\": {}}, \"lastState\": " END_AT("4") ", \"restartCount\": 1", true,
      true, 1, 4, -1, true },
    { "\"state\": " END_AT("0") ", \"lastState\": " END_AT("4") ", \"restartCount\": 2", true, true,
      2, 0, 4, false },
};

static int code_of(const struct jr_container_exit *exit)
{
    return exit == NULL ? -1 : exit->code;
}

static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(runs); i++) {
        JR_FREE char *text = jr_xasprintf(
            "{\"status\": {\"containerStatuses\": [{\"name\": \"c\", %s}]}}", runs[i].container);
        struct jr_pod_view *pod = NULL;
        struct jr_container_run run;

        assert_int_equal(jr_pod_view_decode(jr_str(text), &pod, NULL), JR_OK);
        run = jr_container_last_run(&pod->containers.v[0]);
        if (run.any != runs[i].any || run.ended != runs[i].ended ||
            (run.any && run.number != runs[i].number) || code_of(run.exit) != runs[i].exit ||
            code_of(run.previous) != runs[i].previous ||
            (jr_pod_view_failed(pod) != NULL) != runs[i].failed)
            fail_msg("row %zu", i);
        jr_pod_view_unref(pod);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_stuck), cmocka_unit_test(test_runs) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
