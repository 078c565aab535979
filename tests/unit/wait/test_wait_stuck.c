/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a Job from moving until somebody acts, and what doesn't. */
#include "cli/wait/stuck.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/memory.h"

#define PODS_MAX 3
#define POD(status) "{\"metadata\": {\"name\": \"p\"}, \"status\": {" status "}}"
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
#define ENDED POD("\"phase\": \"Failed\"")
#define DELETED                                                                           \
    "{\"metadata\": {\"name\": \"p\", \"deletionTimestamp\": \"2026-03-01T12:00:00Z\"}, " \
    "\"status\": {\"phase\": \"Pending\", \"containerStatuses\": [{\"name\": \"c\", "     \
    "\"state\": {\"waiting\": {\"reason\": \"ErrImagePull\"}}}]}}"
#define UNSCHEDULABLE                                                                        \
    POD("\"phase\": \"Pending\", \"conditions\": [{\"type\": \"PodScheduled\", \"status\": " \
        "\"False\", \"reason\": \"Unschedulable\"}]")
#define QUOTA \
    "Error creating: pods \"j-\" is forbidden: failed quota: q: must specify limits.cpu for: c"

static const struct {
    const char *name;
    const char *spec, *status; /* of the Job */
    const char *pods[PODS_MAX];
    const char *refusal;
    const char *want; /* NULL: it moves */
} cases[] = {
    { "an image",
      "",
      "",
      { WAITS("ImagePullBackOff", "Back-off pulling image x") },
      NULL,
      "Pod p, container c: ImagePullBackOff: Back-off pulling image x" },
    { "while it is pulled again",
      "",
      "",
      { WAITS("ErrImagePull", "not found") },
      NULL,
      "Pod p, container c: ErrImagePull: not found" },
    { "an image's name",
      "",
      "",
      { WAITS("InvalidImageName", "m") },
      NULL,
      "Pod p, container c: InvalidImageName: m" },
    { "an image that is never pulled",
      "",
      "",
      { WAITS("ErrImageNeverPull", "m") },
      NULL,
      "Pod p, container c: ErrImageNeverPull: m" },
    { "a configuration",
      "",
      "",
      { WAITS("CreateContainerConfigError", "secret s not found") },
      NULL,
      "Pod p, container c: CreateContainerConfigError: secret s not found" },
    { "an init container",
      "",
      "",
      { INIT_WAITS("ImagePullBackOff") },
      NULL,
      "Pod p, container i: ImagePullBackOff" },
    { "all of three",
      "",
      "",
      { WAITS("ErrImagePull", "m"), WAITS("ErrImagePull", "m"), WAITS("ErrImagePull", "m") },
      NULL,
      "Pod p, container c: ErrImagePull: m (and 2 more Pods)" },
    { "beside one that is over",
      "",
      "",
      { ENDED, WAITS("ErrImagePull", "m"), WAITS("ErrImagePull", "m") },
      NULL,
      "Pod p, container c: ErrImagePull: m (and 1 more Pod)" },
    { "beside one that runs", "", "", { WAITS("ErrImagePull", "m"), RUNS }, NULL, NULL },
    { "one that is deleted", "", "", { DELETED }, NULL, NULL },
    { "starting", "", "", { WAITS("ContainerCreating", "") }, NULL, NULL },
    { "a crash loop", "", "", { WAITS("CrashLoopBackOff", "back-off") }, NULL, NULL },
    { "unschedulable", "", "", { UNSCHEDULABLE }, NULL, NULL },
    { "suspended", "\"suspend\": true", "", { WAITS("ErrImagePull", "m") }, NULL, NULL },
    { "over",
      "",
      "\"conditions\": [{\"type\": \"Failed\", \"status\": \"True\"}]",
      { WAITS("ErrImagePull", "m") },
      NULL,
      NULL },
    { "no Pods yet", "", "", { NULL }, NULL, NULL },
    { "a quota's must specify", "", "", { NULL }, QUOTA, "Pods can't be created: " QUOTA },
    { "the same, and there are Pods", "", "\"active\": 1", { NULL }, QUOTA, NULL },
    { "the same of old, and one runs", "", "", { RUNS }, QUOTA, NULL },
    { "Pod Security",
      "",
      "",
      { ENDED },
      "Error creating: pods \"j\" is forbidden: violates PodSecurity \"restricted:latest\"",
      "Pods can't be created: Error creating: pods \"j\" is forbidden: violates PodSecurity "
      "\"restricted:latest\"" },
    { "a service account",
      "",
      "",
      { NULL },
      "Error creating: pods \"j\" is forbidden: error looking up service account d/s: "
      "serviceaccount \"s\" not found",
      "Pods can't be created: Error creating: pods \"j\" is forbidden: error looking up service "
      "account d/s: serviceaccount \"s\" not found" },
    { "a quota that is used up",
      "",
      "",
      { NULL },
      "Error creating: pods \"j\" is forbidden: exceeded quota: q, requested: pods=1",
      NULL },
    { "a webhook's time-out",
      "",
      "",
      { NULL },
      "Error creating: Internal error occurred: timeout",
      NULL },
};

static bool is_stuck(size_t i, struct jr_buf *why)
{
    JR_FREE char *text = jr_xasprintf("{\"metadata\": {\"name\": \"j\"}, \"spec\": {%s}, "
                                      "\"status\": {%s}}",
                                      cases[i].spec, cases[i].status);
    struct jr_pod_view *pods[PODS_MAX] = { NULL };
    struct jr_job *job = NULL;
    struct jr_error err = { .status = JR_OK };
    size_t n = 0;
    bool stuck;

    assert_ok(jr_job_decode(jr_str(text), &job, &err), &err);
    while (n < PODS_MAX && cases[i].pods[n] != NULL) {
        assert_ok(jr_pod_view_decode(jr_str(cases[i].pods[n]), &pods[n], &err), &err);
        n++;
    }
    stuck = jr_wait_is_stuck(job, (const struct jr_pod_view *const *)pods, n,
                             jr_str(cases[i].refusal), why);
    while (n > 0)
        jr_pod_view_unref(pods[--n]);
    jr_job_unref(job);
    return stuck;
}

static void test_stuck(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++) {
        JR_BUF why = { 0 };

        jr_buf_init(&why, 4096);
        if (is_stuck(i, &why) != (cases[i].want != NULL))
            fail_msg("%s: %s", cases[i].name, why.n == 0 ? "it moves" : why.p);
        assert_str(jr_buf_str(&why), cases[i].want == NULL ? "" : cases[i].want);
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
