/* SPDX-License-Identifier: Apache-2.0 */
#include "check_test.h"

#include "cli/facts.h"

#define POD "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}"
#define JOB(name, spec) \
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " name "}\nspec: {" spec "}\n"
#define CRON_JOB                                                                       \
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly, namespace: ops}\n" \
    "spec: {schedule: '0 3 * * *', jobTemplate: {spec: {completions: 3, " POD "}}}\n"
#define GPU(more)                                                                            \
    "template: {spec: {" more                                                                \
    "restartPolicy: Never, containers: [{name: c, image: i, resources: {limits: {cpu: 500m," \
    " nvidia.com/gpu: 1}}}]}}"

/** The facts of the text, from "f"; *ret_errors: findings that are errors, and what can't be read.
 */
static struct jr_buf facts_of(const char *text, enum jr_facts_format format, size_t *ret_errors)
{
    REPORT r = { .failed = JR_OK };
    struct jr_buf out;
    struct jr_facts_output f = { .format = format, .out = &out };

    jr_buf_init(&out, (size_t)1 << 20);
    check_text(&r, text,
               (struct jr_check_options){
                   .stored = true, .jobs_only = true, .taken = jr_facts_take, .taken_ctx = &f });
    jr_facts_end(&f);
    assert_int_equal(out.failed, JR_OK);
    *ret_errors = r.errors + r.unreadable.n;
    return out;
}

static const struct {
    const char *name;
    const char *text;
    size_t errors;
    const char *want; /* a part of the output, as text */
} cases[] = {
    { "the whole block", JOB("j", "activeDeadlineSeconds: 60, backoffLimit: 1, " POD), 0,
      "f:1: Job default/j\n"
      "  podsEver         2 (1 completion, 1 retry)\n"
      "  podsAtOnce       1 (1 in parallel)\n"
      "  podsHeld         2 (1 completion, 1 retry)\n"
      "  requestsAtOnce   none (the Pods request nothing)\n"
      "  runtime          1m30s (activeDeadlineSeconds 60, 30s of grace)\n"
      "  resourceHours    none (the Pods request nothing)\n"
      "  kind             NonIndexed\n"
      "  retriesPerIndex  not set\n"
      "  failedIndexes    not set\n" },
    { "an API server's defaults", JOB("j", POD), 0, "podsEver         7 (1 completion, 6 ret" },
    { "why there is no bound", JOB("j", POD), 0,
      "runtime          unbounded: activeDeadlineSeconds is not set" },
    { "each resource", JOB("j", "completions: 2, parallelism: 2, backoffLimit: 0, " GPU("")), 0,
      "  requestsAtOnce   cpu 1 (2 Pods of 500m)\n"
      "                   nvidia.com/gpu 2 (2 Pods of 1)\n" },
    { "a resource without a bound", JOB("j", GPU("")), 0,
      "  resourceHours    cpu unbounded: activeDeadlineSeconds is not set\n" },
    { "devices of claims", JOB("j", GPU("resourceClaims: [{name: a, resourceClaimName: b}], ")), 0,
      "nvidia.com/gpu unbounded: template.spec.resourceClaims is set\n" },
    { "of each index",
      JOB("j", "completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, "
               "maxFailedIndexes: 1, " POD),
      0, "kind             Indexed\n  retriesPerIndex  1\n  failedIndexes    1\n" },
    { "another controller", JOB("j", "managedBy: a.example/b, " POD), 0,
      "podsEver         unbounded: managedBy is a.example/b\n" },
    { "a CronJob as its Job", CRON_JOB, 0,
      "f:1: CronJob ops/nightly\n  podsEver         9 (3 completions, 6 retries)" },
    { "a name to be",
      "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\nspec: {" POD "}", 0,
      "f:1: Job default/a-\n" },
    { "one behind the other", JOB("j", POD) "---\n" JOB("k", POD), 0,
      "failedIndexes    not set\n\nf:6: Job default/k\n" },
    { "a Job as it is stored",
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, uid: u, resourceVersion: '7', "
      "labels: {controller-uid: u}}\nspec: {completions: 3, backoffLimit: 0, "
      "selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: "
      "{labels: {controller-uid: u, batch.kubernetes.io/controller-uid: u, job-name: j, "
      "batch.kubernetes.io/job-name: j}}, spec: {restartPolicy: Never, "
      "containers: [{name: c, image: i}]}}}\nstatus: {active: 1}\n",
      0, "podsEver         3 (3 completions, 0 retries)" },
    { "policies are passed over",
      "apiVersion: policy.jobreeve.dev/v1\nkind: JobPolicy\n---\n" JOB("k", POD), 0,
      "f:4: Job default/k\n" },
    { "what is not valid has none", JOB("bad", "parallelism: -1, " POD) "---\n" JOB("k", POD), 1,
      "f:6: Job default/k\n" },
    { "nor has what can't be decoded", JOB("bad", "parallelism: x, " POD) "---\n" JOB("k", POD), 1,
      "f:6: Job default/k\n" },
    { "nor has what can't be read", JOB("k", POD) "---\na: [\n", 1, "f:1: Job default/k\n" },
};

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++) {
        size_t errors;
        JR_CLEANUP(jr_buf_done)
        struct jr_buf out = facts_of(cases[i].text, JR_FACTS_TEXT, &errors);

        if (errors != cases[i].errors || strstr(out.p, cases[i].want) == NULL ||
            strstr(out.p, "/bad") != NULL)
            fail_msg("%s: %zu errors, not %zu:\n%s\nwithout\n%s", cases[i].name, errors,
                     cases[i].errors, out.p, cases[i].want);
    }
}

static void want_json(const char *text, const char *want)
{
    size_t errors;
    JR_CLEANUP(jr_buf_done) struct jr_buf out = facts_of(text, JR_FACTS_JSON, &errors);

    if (strcmp(out.p, want) != 0)
        fail_msg("%s\nnot\n%s", out.p, want);
}

static void test_json(void **state)
{
    (void)state;
    want_json("", "[]\n");
    want_json(
        JOB("j",
            "completions: 2, parallelism: 2, backoffLimit: 0, " GPU(
                "")) "---\n"
                     "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: batch/v1, kind: Job, "
                     "metadata: {name: k}, spec: {activeDeadlineSeconds: 3570, backoffLimit: 0, "
                     "podReplacementPolicy: Failed, " GPU("") "}}\n",
        "[{\"file\":\"f\",\"document\":1,\"line\":1,\"column\":1,\"apiVersion\":\"batch/v1\","
        "\"kind\":\"Job\",\"namespace\":\"default\",\"name\":\"j\",\"facts\":{\"podsEver\":2,"
        "\"podsAtOnce\":2,\"podsHeld\":2,\"requestsAtOnce\":{\"cpu\":\"1\",\"nvidia.com/gpu\":"
        "\"2\"},\"runtime\":null,\"resourceHours\":{\"cpu\":null,\"nvidia.com/gpu\":null},"
        "\"kind\":\"NonIndexed\",\"retriesPerIndex\":null,\"failedIndexes\":null},\"words\":{"
        "\"podsEver\":\"2 completions, 0 retries\",\"podsAtOnce\":\"2 in parallel\",\"podsHeld\":"
        "\"2 completions, 0 retries\",\"requestsAtOnce\":{\"cpu\":\"2 Pods of 500m\","
        "\"nvidia.com/gpu\":\"2 Pods of 1\"},\"runtime\":\"activeDeadlineSeconds is not set\","
        "\"resourceHours\":{\"cpu\":\"activeDeadlineSeconds is not set\",\"nvidia.com/gpu\":"
        "\"activeDeadlineSeconds is not set\"}},\"unbounded\":[\"activeDeadlineSeconds is not "
        "set\"]},\n"
        " {\"file\":\"f\",\"document\":2,\"path\":\"items[0]\",\"line\":9,\"column\":3,"
        "\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"namespace\":\"default\",\"name\":\"k\","
        "\"facts\":{\"podsEver\":1,\"podsAtOnce\":1,\"podsHeld\":1,\"requestsAtOnce\":{\"cpu\":"
        "\"500m\",\"nvidia.com/gpu\":\"1\"},\"runtime\":3600,\"resourceHours\":{\"cpu\":0.5,"
        "\"nvidia.com/gpu\":1},\"kind\":\"NonIndexed\",\"retriesPerIndex\":null,"
        "\"failedIndexes\":null},\"words\":{\"podsEver\":\"1 completion, 0 retries\","
        "\"podsAtOnce\":\"1 in parallel\",\"podsHeld\":\"1 in parallel\",\"requestsAtOnce\":{"
        "\"cpu\":\"1 Pod of 500m\",\"nvidia.com/gpu\":\"1 Pod of 1\"},\"runtime\":"
        "\"activeDeadlineSeconds 3570, 30s of grace\",\"resourceHours\":{\"cpu\":"
        "\"1 Pod for 1h of 500m\",\"nvidia.com/gpu\":\"1 Pod for 1h of 1\"}},"
        "\"unbounded\":[]}]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
