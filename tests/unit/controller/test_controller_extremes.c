/* SPDX-License-Identifier: Apache-2.0 */
/* Each number and each time that an API server may send of a Job and its Pods, at both ends of what
 * there is: no sum, product or conversion of them overflows (UBSan looks on), and no count that is
 * written is negative. */
#include "tests/unit/controller/whole_world.h"

#define STAMP "\"2026-03-01T11:00:00Z\""

static const char job_text[] =
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\",\"resourceVersion\":\"5\","
    "\"generation\":1,\"creationTimestamp\":" STAMP "},\"spec\":{\"parallelism\":2,"
    "\"completions\":3,\"backoffLimit\":6,\"completionMode\":\"NonIndexed\","
    "\"activeDeadlineSeconds\":3600,\"ttlSecondsAfterFinished\":60,\"podFailurePolicy\":{\"rules\":"
    "[{\"action\":\"Count\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[42]}}]},\"selector\":{"
    "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}},\"template\":{\"metadata\":{"
    "\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}},\"spec\":{\"restartPolicy\":"
    "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}},\"status\":{"
    "\"startTime\":" STAMP
    ",\"active\":1,\"ready\":0,\"terminating\":0,\"succeeded\":1,\"failed\":1,"
    "\"uncountedTerminatedPods\":{\"failed\":[\"p1\"]},\"conditions\":[{\"type\":\"Suspended\","
    "\"status\":\"False\",\"lastTransitionTime\":" STAMP "}]}}";
static const char pod_format[] =
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"7\","
    "\"creationTimestamp\":" STAMP ",%s\"deletionGracePeriodSeconds\":30,\"annotations\":{"
    "\"batch.kubernetes.io/job-completion-index\":\"0\","
    "\"batch.kubernetes.io/job-index-failure-count\":\"1\"},\"labels\":{"
    "\"batch.kubernetes.io/controller-uid\":\"u1\"},\"ownerReferences\":[{\"apiVersion\":\"batch/"
    "v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"u1\",\"controller\":true}],\"finalizers\":["
    "\"batch.kubernetes.io/job-tracking\"]},\"status\":{\"phase\":\"%s\",\"containerStatuses\":[{"
    "\"name\":\"c\",\"restartCount\":1,\"state\":{\"terminated\":{\"exitCode\":1,"
    "\"finishedAt\":" STAMP
    "}}}],\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"lastTransitionTime\":" STAMP
    "}]}}";

static const char *const members[] = {
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "parallelism",
    "completions",
    "backoffLimit",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
    "activeDeadlineSeconds",
    "startTime",
    "ttlSecondsAfterFinished",
    "values",
    "active",
    "ready",
    "terminating",
    "succeeded",
    "failed",
    "lastTransitionTime",
    "deletionGracePeriodSeconds",
    "restartCount",
    "exitCode",
    "finishedAt",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-index-failure-count",
};
static const char *const numbers[] = { "-9223372036854775808", "-2147483648",        "-1", "0",
                                       "2147483647",           "9223372036854775807" };
static const char *const times[] = { "\"0001-01-01T00:00:00Z\"", "\"0500-01-01T00:00:00Z\"",
                                     "\"1677-09-21T00:12:44Z\"", "\"1970-01-01T00:00:00Z\"",
                                     "\"2262-04-11T23:47:16Z\"", "\"9999-12-31T23:59:59Z\"" };

/** Puts a value in the place of each one that a member of that name has; a number stays text where
 * there was text. True: there was such a member. */
static bool put(char *text, size_t cap, const char *member, const char *value)
{
    char key[64], with[64];
    char *p = text;
    bool found = false;

    (void)snprintf(key, sizeof(key), "\"%s\":", member);
    while ((p = strstr(p, key)) != NULL) {
        const char *quote;
        size_t old, n;

        p += strlen(key);
        p += *p == '[';
        old = *p == '"' ? strcspn(p + 1, "\"") + 2 : strcspn(p, ",}]");
        quote = *p == '"' && value[0] != '"' ? "\"" : "";
        n = (size_t)snprintf(with, sizeof(with), "%s%s%s", quote, value, quote);
        assert_true(n < sizeof(with) && strlen(text) - old + n < cap);
        memmove(p + n, p + old, strlen(p + old) + 1);
        memcpy(p, with, n);
        found = true;
    }
    return found;
}

static bool is_time(const char *member)
{
    const size_t n = strlen(member);

    return (n > 4 && strcmp(member + n - 4, "Time") == 0) || strcmp(member, "finishedAt") == 0 ||
           strstr(member, "Timestamp") != NULL;
}

/** One more variant of the Job: what the texts above have not at once. */
static void vary(char *job, size_t cap, unsigned variant)
{
    if (variant == 1) {
        (void)put(job, cap, "completionMode", "\"Indexed\"");
        (void)put(job, cap, "backoffLimit", "9,\"backoffLimitPerIndex\":1,\"maxFailedIndexes\":2");
    }
    if (variant == 2)
        (void)put(job, cap, "restartPolicy", "\"OnFailure\"");
    if (variant == 3)
        (void)put(job, cap, "completionMode", "\"NonIndexed\",\"suspend\":true");
}

/** Lets the controller see to it for an hour, and asks it for what it says to people. Returns how
 * often it has written the status. */
static size_t live(const char *job, const char *pods)
{
    const struct world_options o = { .ttl = true };
    char status[4096];
    JR_BUF text = { 0 };
    struct world w;
    size_t puts;

    world_init_by(&w, &o);
    w.jobs = job;
    w.live_job = job;
    (void)snprintf(w.pods, sizeof(w.pods), "%s", pods);
    world_start(&w);
    pass(&w, 5);
    jr_buf_init(&text, 65536);
    jr_controller_explain(w.c, JR_S("ns/j"), &text);
    jr_controller_dump_status(w.c);
    w.version = 200;
    push_status(&w, "{\"active\":2147483647,\"failed\":2147483647,\"succeeded\":2147483647}");
    pass(&w, 3600);
    puts = puts_seen(&w);
    if (puts > 0 && strstr(job, ":-") == NULL)
        assert_null(strstr(last_status(&w, status, sizeof(status)), ":-"));
    assert_int_equal(w.ended, 0);
    world_done(&w);
    return puts;
}

/** The texts of a Job and its Pods with that member's value; true: there was such a member. */
static bool texts(unsigned variant, const char *member, const char *value, char job[4096],
                  char pods[8192])
{
    char one[2048], two[2048];
    bool found;

    (void)snprintf(job, 4096, "%s", job_text);
    vary(job, 4096, variant);
    (void)snprintf(one, sizeof(one), pod_format, "p1", "p1", "", "Failed");
    (void)snprintf(two, sizeof(two), pod_format, "p2", "p2", "\"deletionTimestamp\":" STAMP ",",
                   "Running");
    (void)snprintf(pods, 8192, "%s,%s", one, two);
    found = put(job, 4096, member, value);
    return put(pods, 8192, member, value) || found;
}

static void test_each_member(void **state)
{
    char job[4096], pods[8192];

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        const char *const *values = is_time(members[i]) ? times : numbers;
        bool found = false;

        for (unsigned k = 0; k < 4 * JR_ARRAY_SIZE(numbers); k++) {
            found = texts(k % 4, members[i], values[k / 4], job, pods) || found;
            (void)live(job, pods);
        }
        check(members[i], found);
    }
}

/** The controller has work with what the extremes are put into. */
static void test_ordinary(void **state)
{
    char job[4096], pods[8192];

    (void)state;
    for (unsigned variant = 0; variant < 4; variant++) {
        (void)texts(variant, "generation", "1", job, pods);
        assert_true(live(job, pods) >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_member),
                                        cmocka_unit_test(test_ordinary) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
