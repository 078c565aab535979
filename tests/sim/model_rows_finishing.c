/* SPDX-License-Identifier: Apache-2.0 */
/* Why Jobs end. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define ACTIVE(n) "status " START ",\"active\":" n
#define RUNS "p1 Pending own fin", ACTIVE("1"), "p1 Running own fin"
#define POLICY(rules) "\"completions\":1,\"podFailurePolicy\":{\"rules\":[" rules "]}"
#define ON_EXIT(action, op, values)                                                                \
    "{\"action\":\"" action "\",\"onExitCodes\":{\"operator\":\"" op "\",\"values\":[" values "]}" \
    "}"
#define ON_LOSS(action)                                                                          \
    "{\"action\":\"" action "\",\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":" \
    "\"True\"}]}"
#define BY_EXIT(n, rule)                                     \
    "True", "PodFailurePolicy",                              \
        "Container c for pod ns/p1 failed with exit code " n \
        " matching FailJob rule at index " rule
#define BY_LOSS(rule)           \
    "True", "PodFailurePolicy", \
        "Pod ns/p1 has condition DisruptionTarget matching FailJob rule at index " rule
#define FAILS_BY(...)                                                                         \
    "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(__VA_ARGS__)), "p1 Failed own", \
        "status " START ",\"failed\":1" CONDITIONS(FAILED(__VA_ARGS__))

#define DELETED_AND_LISTED                                                      \
    "spec \"completions\":1,\"parallelism\":1", RUNS, "p1 Running own fin del", \
        "status " START ",\"active\":0,\"terminating\":1" UNCOUNTED("", Q("p1"))
#define COMPLETES                                                                           \
    "status " START ",\"active\":0" UNCOUNTED("", Q("p1")) CONDITIONS(SUCCEEDING(REACHED)), \
        "p1 Succeeded own del", "status " START DONE ",\"failed\":1" CONDITIONS(COMPLETE(REACHED))

const struct row rows_of_finishing[] = {
    /* backoffLimit */
    { "over the limit", NULL,
      .events = { "spec \"completions\":1,\"backoffLimit\":0", RUNS, "p1 Failed own fin",
                  FAILS_BY(LIMIT) } },
    { "not over the limit yet", "BackoffLimitExceeded is not due",
      .events = { "spec \"completions\":1,\"backoffLimit\":1", RUNS, "p1 Failed own fin",
                  FAILS_BY(LIMIT) } },
    { "the limit is taken for passed, what runs counts as failed", "but only 0 Pods had failed",
      .events = { "spec \"completions\":1,\"backoffLimit\":0", RUNS,
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(LIMIT)),
                  "p1 Failed own", "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)) } },
    { "over the limit, and on", "had to end by BackoffLimitExceeded",
      .events = { "spec \"completions\":2,\"parallelism\":0,\"backoffLimit\":0", "p1 Running",
                  "p1 Running own fin", "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", "status " START ",\"failed\":1" } },
    { "completes by one that was listed as failed before it succeeded", NULL,
      .events = { DELETED_AND_LISTED, "p1 Succeeded own fin del", COMPLETES } },
    { "completes by one that was listed as failed, and has failed", "CompletionsReached is not due",
      .events = { DELETED_AND_LISTED, "p1 Failed own fin del", COMPLETES } },
    { "what runs counts as failed", NULL,
      .events = { "spec \"completions\":3,\"parallelism\":2,\"backoffLimit\":0", RUNS,
                  "p2 Running own fin", "p1 Failed own fin", "p2 Running own fin del",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1") "," Q("p2"))
                      CONDITIONS(FAILING(LIMIT)),
                  "p1 Failed own", "p2 gone",
                  "status " START ",\"failed\":2" CONDITIONS(FAILED(LIMIT)) } },
    { "what runs is let go uncounted", "p2 failed by being deleted, and was lost",
      .events = { "spec \"completions\":3,\"parallelism\":2,\"backoffLimit\":0", RUNS,
                  "p2 Running own fin", "p1 Failed own fin", "p2 Running own fin del",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(LIMIT)),
                  "p1 Failed own", "p2 gone",
                  "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)) } },
    { "restarts reach the limit", NULL,
      .events = { "spec \"completions\":1,\"backoffLimit\":2", RUNS,
                  "p1 Running own fin restarts=2", "p1 Running own fin del restarts=2",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(LIMIT)),
                  "p1 gone", "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)) },
      .features = 1u << SIM_FEATURE_ON_FAILURE },
    { "restarts of one that had failed when it was adopted reach the limit", NULL,
      .events = { "spec \"completions\":1,\"backoffLimit\":2", "p1 Running fin restarts=2",
                  "p1 Failed fin restarts=2", "p1 Failed own fin restarts=2",
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(LIMIT)),
                  "p1 Failed own restarts=2",
                  "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)) },
      .features = 1u << SIM_FEATURE_ON_FAILURE },
    { "restarts don't reach the limit", "with 1 restarts",
      .events = { "spec \"completions\":1,\"backoffLimit\":2", RUNS,
                  "p1 Running own fin restarts=1",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(LIMIT)),
                  "p1 gone", "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)) },
      .features = 1u << SIM_FEATURE_ON_FAILURE },

    /* Pods at the end */
    { "Failed while a Pod runs", "has ended, but Pod p1 is not done",
      .events = { "spec \"completions\":1,\"activeDeadlineSeconds\":30", RUNS,
                  "status " START CONDITIONS(FAILED(DEADLINE)) } },
    { "Failed while a Pod terminates", "has ended, but Pod p1 is not done",
      .events = { "spec \"completions\":1,\"activeDeadlineSeconds\":30", RUNS,
                  "p1 Running own fin del",
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(DEADLINE)),
                  "p1 Running own del",
                  "status " START ",\"failed\":1" CONDITIONS(FAILED(DEADLINE)), "p1 gone" } },
    { "Failed while a Pod runs that had failed, by a late status", NULL,
      .events = { "spec \"completions\":1,\"backoffLimit\":0", RUNS, "p1 Failed own fin",
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(LIMIT)),
                  "p1 Running own fin", "p1 Running own",
                  "status " START ",\"failed\":1" CONDITIONS(FAILED(LIMIT)), "p1 Failed own" } },
    { "a Pod after the end", "after the Job had ended",
      .events = { "spec \"completions\":1,\"backoffLimit\":0", RUNS, "p1 Failed own fin",
                  FAILS_BY(LIMIT), "p2 Pending own fin" } },

    /* activeDeadlineSeconds */
    { "over the deadline", NULL,
      .events = { "spec \"completions\":1,\"activeDeadlineSeconds\":50", RUNS,
                  "p1 Running own fin del",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(DEADLINE)),
                  "p1 gone", "status " START ",\"failed\":1" CONDITIONS(FAILED(DEADLINE)) } },
    { "before the deadline", "DeadlineExceeded is not due",
      .events = { "spec \"completions\":1,\"activeDeadlineSeconds\":51", RUNS,
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(DEADLINE)) } },
    { "the limit had passed before the deadline", "another condition comes before it",
      .events = { "spec \"completions\":1,\"activeDeadlineSeconds\":50,\"backoffLimit\":0", RUNS,
                  "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")), "p1 Failed own",
                  "status " START ",\"failed\":1" CONDITIONS(FAILED(DEADLINE)) } },
    { "the deadline never comes", "had to end by DeadlineExceeded",
      .events = { "spec \"completions\":1,\"parallelism\":0,\"activeDeadlineSeconds\":50",
                  "status " START } },

    /* podFailurePolicy */
    { "a rule fails the Job", NULL,
      .events = { "spec " POLICY(ON_LOSS("Count") "," ON_EXIT("FailJob", "In", "42")), RUNS,
                  "p1 Failed own fin exit=42", FAILS_BY(BY_EXIT("42", "1")) } },
    { "a condition fails the Job", NULL,
      .events = { "spec " POLICY(ON_LOSS("FailJob")), RUNS, "p1 Failed own fin lost",
                  FAILS_BY(BY_LOSS("0")) } },
    { "a Pod in the list of failed ones says why later, as a success", NULL,
      .events = { "spec " POLICY(ON_LOSS("FailJob")), RUNS, "p1 Failed own fin",
                  "status " START UNCOUNTED("", Q("p1")), "p1 Succeeded own fin lost",
                  FAILS_BY(BY_LOSS("0")) } },
    { "a Pod that never failed says why", "no Pod had failed so",
      .events = { "spec " POLICY(ON_LOSS("FailJob")), RUNS, "p1 Succeeded own fin lost",
                  FAILS_BY(BY_LOSS("0")) } },
    { "another rule came first", "no Pod had failed so",
      .events = { "spec " POLICY(ON_EXIT("Count", "NotIn", "1") "," ON_EXIT("FailJob", "In", "42")),
                  RUNS, "p1 Failed own fin exit=42", FAILS_BY(BY_EXIT("42", "1")) } },
    { "the rule is called by another number", "no Pod had failed so",
      .events = { "spec " POLICY(ON_EXIT("FailJob", "In", "42")), RUNS, "p1 Failed own fin exit=42",
                  FAILS_BY(BY_EXIT("42", "1")) } },
    { "a rule fails the Job, and it goes on", "had to end by PodFailurePolicy",
      .events = { "spec \"parallelism\":0," POLICY(ON_EXIT("FailJob", "In", "42")), "p1 Running",
                  "p1 Running own fin", "p1 Failed own fin exit=42",
                  "status " START UNCOUNTED("", Q("p1")), "p1 Failed own exit=42",
                  "status " START ",\"failed\":1" } },
    { "a rule fails the Job, which completes", "p1 fails the Job by a FailJob rule",
      .events = { "spec \"parallelism\":1," POLICY(ON_EXIT("FailJob", "In", "42")), RUNS,
                  "p1 Failed own fin exit=42", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own exit=42", "status " START ",\"failed\":1", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE
                  ",\"failed\":1,\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "ignored: not counted", NULL,
      .events = { "spec " POLICY(ON_EXIT("Ignore", "In", "43")), RUNS, "p1 Failed own fin exit=43",
                  "p1 Failed own exit=43", "p2 Pending own fin", "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "ignored, and counted", "but never failed so that it counts",
      .events = { "spec " POLICY(ON_EXIT("Ignore", "In", "43")), RUNS, "p1 Failed own fin exit=43",
                  "status " START UNCOUNTED("", Q("p1")) } },

    /* success */
    { "work queue: the rest runs out", NULL,
      .events = { "spec \"parallelism\":2", RUNS, "p2 Running own fin", "p1 Succeeded own fin",
                  "status " START ",\"active\":1" UNCOUNTED(Q("p1"), ""), "p1 Succeeded own",
                  "status " START ",\"active\":1,\"succeeded\":1", "p2 Succeeded own fin",
                  "status " START ",\"succeeded\":1" UNCOUNTED(Q("p2"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":2" CONDITIONS(COMPLETE(REACHED)) } },
    { "work queue: complete while one runs", "SuccessCriteriaMet with 1 active Pods",
      .events = { "spec \"parallelism\":2", RUNS, "p2 Running own fin", "p1 Succeeded own fin",
                  "status " START ",\"active\":1" UNCOUNTED(Q("p1"), "")
                      CONDITIONS(SUCCEEDING(REACHED)) } },
    { "too few succeeded", "CompletionsReached is not due",
      .events = { "spec \"completions\":2,\"parallelism\":1", RUNS, "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)) } },
    { "no completions, suspended", NULL,
      .events = { "spec \"completions\":0,\"suspend\":true",
                  "status \"ready\":0,\"completionTime\":" TIME("50")
                      CONDITIONS(COMPLETE(REACHED)) } },
    { "no completions, and it goes on", "had to end by CompletionsReached",
      .events = { "spec \"completions\":0,\"suspend\":true",
                  "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
};
const size_t n_rows_of_finishing = JR_ARRAY_SIZE(rows_of_finishing);
