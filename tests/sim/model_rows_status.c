/* SPDX-License-Identifier: Apache-2.0 */
/* Single writes of a status: conditions, times, numbers. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define ONE "spec \"completions\":1,\"parallelism\":1"
#define ACTIVE(n) "status " START ",\"active\":" n
#define RUNS "p1 Pending own fin", ACTIVE("1"), "p1 Running own fin"
#define LISTED "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED))
#define SUCCEEDED RUNS, "p1 Succeeded own fin", LISTED, "p1 Succeeded own"
#define PAUSED "spec \"completions\":1,\"parallelism\":0"
#define ASLEEP PAUSED ",\"suspend\":true"

const struct row rows_of_status[] = {
    { "more ready than active", "ready 2 is more than active 1",
      .events = { ONE, "p1 Pending own fin", "status " START ",\"active\":1,\"ready\":2" } },
    { "a negative number", "negative", .events = { ONE, "status " START ",\"active\":-1" } },
    { "no startTime", "no startTime", .events = { ONE, "status \"active\":1" } },
    { "startTime changes", "startTime has changed",
      .events = { PAUSED, "status " START, "status \"startTime\":" TIME("05") } },
    { "startTime goes", "startTime has gone", .events = { PAUSED, "status " START, "status " } },
    { "another's status is written", "another's Job was written",
      .events = { ONE, "status " START }, .features = 1u << SIM_FEATURE_EXTERNAL },
    { "another's Pod is made", "for another's Job", .events = { ONE, "p1 Pending own fin" },
      .features = 1u << SIM_FEATURE_EXTERNAL },
    { "another's is left alone", NULL, .events = { ONE, "p1 Running" },
      .features = 1u << SIM_FEATURE_EXTERNAL },

    /* Suspension. */
    { "suspended", NULL,
      .events = { PAUSED, "status " START, ASLEEP,
                  "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "suspended, startTime stays", "startTime stays",
      .events = { PAUSED, "status " START, ASLEEP,
                  "status " START CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "suspended and resumed", NULL,
      .events = { ASLEEP, "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)),
                  PAUSED,
                  "status \"startTime\":" TIME("20")
                      CONDITIONS(CONDITION("Suspended", RESUMED)) } },
    { "resumed without a start", "no startTime",
      .events = { ASLEEP, "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)),
                  PAUSED, "status \"ready\":0" CONDITIONS(CONDITION("Suspended", RESUMED)) } },
    { "suspended, the condition doesn't come", "without the condition", .events = { ASLEEP } },
    { "resumed, the condition stays", "with the condition",
      .events = { ASLEEP, "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)),
                  PAUSED } },
    { "not suspended is no condition", "begins as False",
      .events = { PAUSED, "status " START CONDITIONS(CONDITION("Suspended", RESUMED)) } },
    { "suspended against the spec", "spec doesn't say so",
      .events = { PAUSED, "status " START,
                  "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "a start while suspended", "begins while suspended",
      .events = { ASLEEP, "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)),
                  "status " START CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "a Pod is made while suspended", "while the Job was suspended",
      .events = { "spec \"completions\":1,\"suspend\":true", "p1 Pending own fin" } },

    /* Conditions. */
    { "Complete without SuccessCriteriaMet", "Complete without SuccessCriteriaMet",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "status " START UNCOUNTED(Q("p1"), ""),
                  "p1 Succeeded own",
                  "status " START DONE
                  ",\"succeeded\":1" CONDITIONS(CONDITION("Complete", REACHED)) } },
    { "Complete before SuccessCriteriaMet", "Complete without SuccessCriteriaMet before it",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "status " START UNCOUNTED(Q("p1"), ""),
                  "p1 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(
                      CONDITION("Complete", REACHED) "," SUCCEEDING(REACHED)) } },
    { "they say different things", "say different things",
      .events = { "spec \"completions\":1,\"backoffLimit\":0,\"activeDeadlineSeconds\":5", RUNS,
                  "p1 Failed own fin",
                  "status " START UNCOUNTED("", Q("p1")) CONDITIONS(FAILING(LIMIT)),
                  "p1 Failed own",
                  "status " START
                  ",\"failed\":1" CONDITIONS(FAILING(LIMIT) "," CONDITION("Failed", DEADLINE)) } },
    { "both of them", "FailureTarget and SuccessCriteriaMet",
      .events = { ONE, RUNS, "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "")
                      CONDITIONS(SUCCEEDING(REACHED) "," FAILING(LIMIT)) } },
    { "a condition goes", "has left its place",
      .events = { ONE, SUCCEEDED, "status " START DONE ",\"succeeded\":1" } },
    { "a condition changes", "condition SuccessCriteriaMet has changed",
      .events = { ONE, SUCCEEDED,
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(
                      CONDITION("SuccessCriteriaMet", "False", "CompletionsReached",
                                "Reached expected number of succeeded pods")) } },
    { "other words", "with reason \"CompletionsReached\", message \"done\"",
      .events = { ONE, RUNS, "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "")
                      CONDITIONS(SUCCEEDING("True", "CompletionsReached", "done")) } },
    { "completionTime without Complete", "completionTime",
      .events = { ONE, SUCCEEDED,
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(SUCCEEDING(REACHED)) } },
    { "Complete without completionTime", "completionTime",
      .events = { ONE, SUCCEEDED,
                  "status " START ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "completionTime before startTime", "before startTime",
      .events = { ONE, "p1 Pending own fin", "status \"startTime\":" TIME("55") ",\"active\":1",
                  "p1 Succeeded own fin",
                  "status \"startTime\":" TIME("55") UNCOUNTED(Q("p1"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own",
                  "status \"startTime\":" TIME("55") DONE
                  ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "finished with uncounted Pods", "finished with uncounted Pods",
      .events = { ONE, RUNS, "p1 Succeeded own fin",
                  "status " START DONE UNCOUNTED(Q("p1"), "") CONDITIONS(COMPLETE(REACHED)) } },
    { "finished with terminating Pods", "terminating 1",
      .events = { ONE, SUCCEEDED,
                  "status " START DONE
                  ",\"succeeded\":1,\"terminating\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "written after the end", "status of a finished Job",
      .events = { ONE, SUCCEEDED,
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)),
                  "status " START DONE
                  ",\"succeeded\":1,\"ready\":0" CONDITIONS(COMPLETE(REACHED)) } },
};
const size_t n_rows_of_status = JR_ARRAY_SIZE(rows_of_status);
