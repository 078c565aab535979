/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnoses of small worlds; tests/diagnose has those of whole dumps. */
#include "common/base/memory.h"
#include "common/diagnose/diagnosis.h"
#include "tests/unit/kube/kube_test.h"

#define NOW "2026-03-01T12:10:00Z"
#define JOB(spec, status)                                                                        \
    "{\"kind\": \"Job\", \"metadata\": {\"name\": \"j\", \"namespace\": \"d\", \"uid\": \"1\", " \
    "\"creationTimestamp\": \"2026-03-01T12:00:00Z\"}, \"spec\": {\"parallelism\": 1, "          \
    "\"completions\": 1, \"backoffLimit\": 6, \"template\": {\"spec\": {\"containers\": "        \
    "[{\"name\": \"c\", \"image\": \"i\"}]}}" spec "}, \"status\": {\"startTime\": "             \
    "\"2026-03-01T12:00:00Z\"" status "}}"
#define POD(name, meta, rest)                                                                \
    "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"" name                                   \
    "\", \"namespace\": \"d\", \"uid\": \"" name                                             \
    "\", \"creationTimestamp\": \"2026-03-01T12:00:00Z\", \"ownerReferences\": [{\"kind\": " \
    "\"Job\", \"name\": \"j\", \"uid\": \"1\", \"controller\": true}]" meta "}, " rest "}"
#define ON_NODE "\"spec\": {\"nodeName\": \"n\"}, "
#define CONTAINER(state) "\"containerStatuses\": [{\"name\": \"c\", " state "}]"
#define RUNS       \
    POD("j-a", "", \
        ON_NODE    \
        "\"status\": {\"phase\": \"Running\", " CONTAINER("\"state\": {\"running\": {}}") "}")
#define WAITS(reason, message)                                                              \
    POD("j-a", "",                                                                          \
        ON_NODE "\"status\": {\"phase\": \"Pending\", " CONTAINER(                          \
            "\"state\": {\"waiting\": {\"reason\": \"" reason "\", \"message\": \"" message \
            "\"}}") "}")
#define FAILED(name, code, at)                                                           \
    POD(name, "",                                                                        \
        ON_NODE "\"status\": {\"phase\": \"Failed\", " CONTAINER(                        \
            "\"state\": {\"terminated\": {\"exitCode\": " code ", \"finishedAt\": \"" at \
            "\"}}") "}")
#define UNSCHEDULABLE(message)                                                          \
    POD("j-a", "",                                                                      \
        "\"spec\": {}, \"status\": {\"phase\": \"Pending\", \"conditions\": [{\"type\"" \
        ": \"PodScheduled\", \"status\": \"False\", \"message\": \"" message "\"}]}")
#define EVENT(kind_, name_, reason_, message_, at)                                                \
    "{\"kind\": \"Event\", \"involvedObject\": {\"kind\": \"" kind_                               \
    "\", \"namespace\": \"d\", \"name\": \"" name_ "\"}, \"reason\": \"" reason_                  \
    "\", \"message\": \"" message_ "\", \"firstTimestamp\": \"" at "\", \"lastTimestamp\": \"" at \
    "\"}"
#define REFUSED(message) \
    EVENT("Job", "j", "FailedCreate", "Error creating: " message, "2026-03-01T12:09:00Z")
#define CRON(spec, status)                                                                        \
    "{\"kind\": \"CronJob\", \"metadata\": {\"name\": \"j\", \"namespace\": \"d\", \"uid\": "     \
    "\"9\", \"creationTimestamp\": \"2026-02-01T00:00:00Z\"}, \"spec\": {\"concurrencyPolicy\": " \
    "\"Allow\", " spec "}, \"status\": {" status "}}"

#define OBJECTS_MAX 5

static const struct {
    const char *name;
    const char *kind;
    const char *objects[OBJECTS_MAX];
    const char *verdict, *who, *id; /* id: of the first cause */
    const char *when;               /* NULL: none */
} cases[] = {
    { "it runs", "Job", { JOB("", ", \"active\": 1"), RUNS }, "moves", "nobody", "running", NULL },
    { "its deadline",
      "Job",
      { JOB(", \"activeDeadlineSeconds\": 1200", ", \"active\": 1"), RUNS },
      "moves",
      "nobody",
      "running",
      "2026-03-01T12:20:00Z" },
    { "an image that isn't there",
      "Job",
      { JOB("", ""), WAITS("ErrImagePull", "i: not found") },
      "hand",
      "author",
      "image-missing",
      NULL },
    { "an image whose event says why",
      "Job",
      { JOB("", ""), WAITS("ImagePullBackOff", "Back-off pulling image i"),
        EVENT("Pod", "j-a", "Failed", "Failed to pull image i: 429 Too Many Requests",
              "2026-03-01T12:01:00Z") },
      "moves",
      "nobody",
      "image-rate-limit",
      NULL },
    { "a back-off",
      "Job",
      { JOB("", ", \"failed\": 1"), FAILED("j-a", "1", "2026-03-01T12:09:55Z") },
      "moves",
      "nobody",
      "failing",
      "2026-03-01T12:10:05Z" },
    { "a back-off of the second failure",
      "Job",
      { JOB("", ", \"failed\": 2"), FAILED("j-a", "1", "2026-03-01T12:09:30Z"),
        FAILED("j-b", "1", "2026-03-01T12:09:55Z") },
      "moves",
      "nobody",
      "failing",
      "2026-03-01T12:10:15Z" },
    { "a grace of as many seconds as there are, below zero",
      "Job",
      { JOB("", ""), POD("j-a",
                         ", \"deletionTimestamp\": \"2026-03-01T12:09:00Z\", "
                         "\"deletionGracePeriodSeconds\": -9223372036854775808",
                         "\"status\": {\"phase\": \"Failed\"}") },
      "unknown",
      "nobody",
      "not-made",
      NULL },
    { "busy nodes",
      "Job",
      { JOB("", ""),
        UNSCHEDULABLE("0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are "
                      "available: 3 No preemption victims found for incoming pod.") },
      "moves",
      "nobody",
      "busy",
      NULL },
    { "nodes that are too small",
      "Job",
      { JOB("", ""), EVENT("Job", "j", "SuccessfulCreate", "x", "2026-03-01T12:00:00Z"),
        UNSCHEDULABLE("0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are "
                      "available: 3 Preemption is not helpful for scheduling.") },
      "hand",
      "author",
      "too-large",
      NULL },
    { "a quota that is used up",
      "Job",
      { JOB("", ""), REFUSED("pods is forbidden: exceeded quota: q, requested: pods=1, used: "
                             "pods=2, limited: pods=2") },
      "moves",
      "nobody",
      "quota-exceeded",
      NULL },
    { "a quota that is too small",
      "Job",
      { JOB("", ""), REFUSED("pods is forbidden: exceeded quota: q, requested: requests.cpu=8, "
                             "used: requests.cpu=0, limited: requests.cpu=4") },
      "hand",
      "author",
      "quota-never",
      NULL },
    { "a refusal of old, and the Pod is there",
      "Job",
      { JOB("", ", \"active\": 1"), RUNS, REFUSED("pods is forbidden: violates PodSecurity x: y") },
      "moves",
      "nobody",
      "running",
      NULL },
    { "another Job's Pods and events",
      "Job",
      { JOB("", ", \"active\": 1"), RUNS,
        EVENT("Job", "jj", "FailedCreate", "Error creating: x", "2026-03-01T12:09:00Z"),
        "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"j-b\", \"namespace\": \"d\", "
        "\"ownerReferences\": [{\"kind\": \"Job\", \"name\": \"j\", \"uid\": \"2\", "
        "\"controller\": true}]}, "
        "\"status\": {\"phase\": \"Pending\"}}" },
      "moves",
      "nobody",
      "running",
      NULL },
    { "more failures than the limit, and the status is behind",
      "Job",
      { JOB("", ", \"failed\": 7"), FAILED("j-a", "1", "2026-03-01T12:09:58Z") },
      "never",
      "author",
      "backoff-limit",
      NULL },
    { "a name that would be an option",
      "Job",
      { JOB("", ""),
        REFUSED("pods is forbidden: error looking up service account d/s: serviceaccount "
                "\\\"--all\\\" not found") },
      "hand",
      "author",
      "service-account-missing",
      NULL },
    { "suspended", "Job", { JOB(", \"suspend\": true", "") }, "hand", "author", "suspended", NULL },
    { "over",
      "Job",
      { JOB(", \"ttlSecondsAfterFinished\": 600",
            ", \"conditions\": [{\"type\": \"Complete\", \"status\": \"True\", "
            "\"lastTransitionTime\": \"2026-03-01T12:05:00Z\"}]") },
      "over",
      "nobody",
      "complete",
      "2026-03-01T12:15:00Z" },
    { "no events in a file", "Job", { JOB("", "") }, "unknown", "nobody", "not-made", NULL },
    { "active Pods that aren't there",
      "Job",
      { JOB("", ", \"active\": 3") },
      "unknown",
      "nobody",
      "pods-unseen",
      NULL },
    { "a Pod that ended",
      "Pod",
      { JOB("", ""), FAILED("j", "3", "2026-03-01T12:09:55Z") },
      "over",
      "author",
      "pod-failed",
      NULL },
    { "an hourly start",
      "CronJob",
      { CRON("\"schedule\": \"0 * * * *\"", "\"lastScheduleTime\": \"2026-03-01T12:00:00Z\"") },
      "moves",
      "nobody",
      "scheduled",
      "2026-03-01T13:00:00Z" },
    { "every so often",
      "CronJob",
      { CRON("\"schedule\": \"@every 15m\"", "\"lastScheduleTime\": \"2026-03-01T12:00:00Z\"") },
      "moves",
      "nobody",
      "scheduled",
      "2026-03-01T12:15:00Z" },
    { "a start in a zone",
      "CronJob",
      { CRON("\"schedule\": \"30 3 * * *\", \"timeZone\": \"Asia/Tokyo\"",
             "\"lastScheduleTime\": \"2026-02-28T18:30:00Z\"") },
      "moves",
      "nobody",
      "scheduled",
      "2026-03-01T18:30:00Z" },
    { "the 30 February",
      "CronJob",
      { CRON("\"schedule\": \"0 0 30 2 *\"", "") },
      "hand",
      "author",
      "schedule-never",
      NULL },
    { "thousands of starts, all missed",
      "CronJob",
      { CRON("\"schedule\": \"@every 30s\"", "\"lastScheduleTime\": \"2026-02-28T12:00:00Z\"") },
      "moves",
      "nobody",
      "scheduled",
      "2026-03-01T12:10:30Z" },
    { "a start that nobody made",
      "CronJob",
      { CRON("\"schedule\": \"0 * * * *\"", "\"lastScheduleTime\": \"2026-03-01T09:00:00Z\"") },
      "hand",
      "admin",
      "no-controller",
      "2026-03-01T13:00:00Z" },
};

static struct jr_diagnosis *diagnose(size_t i, bool backwards)
{
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = jr_evidence_new();
    struct jr_error err = { .status = JR_OK };
    struct jr_time now;
    size_t n = 0;

    while (n < OBJECTS_MAX && cases[i].objects[n] != NULL)
        n++;
    for (size_t k = 0; k < n; k++)
        assert_ok(
            jr_evidence_add(ev, NULL, jr_str(cases[i].objects[backwards ? n - 1 - k : k]), &err),
            &err);
    jr_evidence_is_file(ev);
    jr_evidence_seal(ev);
    assert_int_equal(jr_time_parse(JR_S(NOW), &now), JR_OK);
    return jr_diagnose(ev, cases[i].kind, JR_S("d"), JR_S("j"), now);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * JR_ARRAY_SIZE(cases); i++) {
        const size_t k = i / 2;
        JR_CLEANUP(jr_diagnosis_freep) struct jr_diagnosis *d = diagnose(k, i % 2 == 1);
        char when[JR_TIME_MAX];

        assert_non_null(d);
        if (strcmp(jr_verdict_name(d->verdict), cases[k].verdict) != 0 ||
            strcmp(d->causes[0].id, cases[k].id) != 0 || !jr_str_is(d->who, cases[k].who))
            fail_msg("%s: %s, %.*s, %s: %.*s", cases[k].name, jr_verdict_name(d->verdict),
                     JR_P(d->who), d->causes[0].id, JR_P(d->causes[0].text));
        for (size_t n = 0; n < d->n_next; n++)
            assert_null(strstr(d->next[n].command.p, "--all"));
        assert_string_equal(jr_time_set(d->when) ? jr_time_format(d->when, when) : "none",
                            cases[k].when != NULL ? cases[k].when : "none");
    }
}

/** What isn't there has no diagnosis, also where something else has its name. */
static void test_absent(void **state)
{
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = jr_evidence_new();
    struct jr_error err = { .status = JR_OK };
    const struct jr_time now = jr_time_s(1);

    (void)state;
    assert_ok(jr_evidence_add(ev, NULL, JR_S(JOB("", "")), &err), &err);
    jr_evidence_seal(ev);
    assert_null(jr_diagnose(ev, "CronJob", JR_S("d"), JR_S("j"), now));
    assert_null(jr_diagnose(ev, "Pod", JR_S("d"), JR_S("j"), now));
    assert_null(jr_diagnose(ev, "Job", JR_S("e"), JR_S("j"), now));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
                                        cmocka_unit_test(test_absent) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
