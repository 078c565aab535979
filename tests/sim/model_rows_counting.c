/* SPDX-License-Identifier: Apache-2.0 */
/* Each Pod once: the lists, the counters, the finalizers. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define ONE "spec \"completions\":1,\"parallelism\":1"
#define ACTIVE(n) "status " START ",\"active\":" n
#define RUNS "p1 Pending own fin", ACTIVE("1"), "p1 Running own fin"
#define ENDS_WELL                                                                               \
    "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)), "p1 Succeeded own", \
        "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED))

/* Two Pods, the first one fails and is replaced; completes. */
#define RETRY "spec \"completions\":1,\"parallelism\":1,\"backoffLimit\":3"

#define LOST_ARE_IGNORED                                                                          \
    "spec \"completions\":1,\"parallelism\":1,\"activeDeadlineSeconds\":30,\"podFailurePolicy\":" \
    "{\"rules\":[{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":\"DisruptionTarget\","     \
    "\"status\":\"True\"}]}]}"

/* Somebody fails p1, which is counted, and then it is told that it runs. p2 is made for it. */
#define FAILED_AND_RUNS(known, told)                                                            \
    RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")), "p1 Failed own",  \
        "status " START ",\"failed\":1", "wait 20", known, "p1 Running own", told,              \
        "p2 Running own fin", "p1 Failed own", "p2 Succeeded own fin",                          \
        "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)), \
        "p2 Succeeded own",                                                                     \
        "status " START DONE ",\"succeeded\":1,\"failed\":1" CONDITIONS(COMPLETE(REACHED))

/* Somebody fails p1, and then it is told that it has succeeded. p2 is made for it. */
#define FAILED_THEN_TOLD(known, told)                                                             \
    RETRY, RUNS, "p1 Failed own fin", "wait 20", known, "p1 Succeeded own fin", told,             \
        "p2 Running own fin", "status " START ",\"active\":1" UNCOUNTED("", Q("p1")),             \
        "p1 Succeeded own", "status " START ",\"active\":1,\"failed\":1", "p2 Succeeded own fin", \
        "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),   \
        "p2 Succeeded own",                                                                       \
        "status " START DONE ",\"succeeded\":1,\"failed\":1" CONDITIONS(COMPLETE(REACHED))

/* Between the failure and the success it is told that p1 runs. */
#define KNOWN_BEFORE_IT_RUNS "all is known", "p1 Running own fin"
#define KNOWN_AS_IT_RUNS "p1 Running own fin", "all is known"

const struct row rows_of_counting[] = {
    { "a Pod succeeds", NULL, .events = { ONE, RUNS, "p1 Succeeded own fin", ENDS_WELL } },
    { "the finalizer goes before the PUT", "was lost",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "p1 Succeeded own", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "stripped by somebody: it is lost, and that is right", NULL,
      .events = { ONE, RUNS, "p1 strip", "p1 Running own", "p1 Succeeded own", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "stripped by somebody, and counted", "counts as succeeded and never was",
      .events = { ONE, RUNS, "p1 strip", "p1 Running own", "p1 Succeeded own", ENDS_WELL } },
    { "stripped by somebody, let go by one who doesn't know it, not deleted, and counted", NULL,
      .events = { ONE, RUNS, "p1 strip", "p1 Running own", "p1 asked", "p1 Succeeded own",
                  ENDS_WELL } },
    { "stripped by somebody, let go by one who doesn't know it, deleted, and counted",
      "counts as succeeded and never was",
      .events = { ONE, RUNS, "p1 strip", "p1 Running own", "p1 asked", "p1 Running own del",
                  "p1 Succeeded own del",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "let go as it runs, failed by somebody before that came, succeeded, and counted", NULL,
      .events = { ONE, RUNS, ONE ",\"suspend\":true", "all is known", "p1 Failed own fin",
                  "p1 Failed own", "p1 Succeeded own", ENDS_WELL } },
    { "failed by somebody, let go by one who knew it, succeeded, and counted",
      "counts as succeeded and never was",
      .events = { ONE, RUNS, ONE ",\"suspend\":true", "p1 Failed own fin", "all is known",
                  "p1 Failed own", "p1 Succeeded own", ENDS_WELL } },
    { "let go by decommission as it runs: it is lost, and that is right", NULL,
      .events = { ONE, RUNS, "all is known", "decommission", "p1 Running own", "all is known",
                  "p1 Succeeded own", "p2 Pending own fin", "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "let go by decommission after its end", "finished, and was lost",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "all is known", "decommission",
                  "p1 Succeeded own" } },
    { "failed by somebody, followed, and succeeded before that was known", NULL,
      .events = { FAILED_THEN_TOLD("all is known", "wait 0") } },
    { "failed by somebody, succeeded, and followed when that was known", "beyond completions",
      .events = { FAILED_THEN_TOLD("wait 0", "all is known") } },
    { "failed by somebody, followed, and running and succeeded before that was known", NULL,
      .events = { FAILED_THEN_TOLD(KNOWN_BEFORE_IT_RUNS, "wait 0") } },
    { "failed by somebody, running again, followed when that was known, and succeeded",
      "beyond completions", .events = { FAILED_THEN_TOLD(KNOWN_AS_IT_RUNS, "wait 0") } },
    { "failed by somebody, followed, and running again before that was known", NULL,
      .events = { FAILED_AND_RUNS("all is known", "wait 0") } },
    { "failed by somebody, running again, and followed when that was known", "beyond parallelism",
      .events = { FAILED_AND_RUNS("wait 0", "all is known") } },
    { "counted with the finalizer on", "with its finalizer still on",
      .events = { ONE, RUNS, "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "a counter rises by itself", "succeeded goes from 0 to 1, but 0",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "status " START ",\"succeeded\":1" } },
    { "a counter stays", "failed goes from 0 to 0, but 1",
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", ACTIVE("0") } },
    { "a counter falls", "failed goes from 1 to 0",
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", "status " START ",\"failed\":1", ACTIVE("0") } },
    { "counted twice", "was counted twice",
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", "status " START ",\"failed\":1",
                  "status " START ",\"failed\":1" UNCOUNTED("", Q("p1")),
                  "status " START ",\"failed\":2" } },
    { "in both lists", "is listed 2 times",
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED(Q("p1"), Q("p1")) } },
    { "a Pod that runs is counted", "but never succeeded",
      .events = { ONE, RUNS, "status " START UNCOUNTED(Q("p1"), "") } },
    { "a Pod that succeeded counts as failed", "but never failed",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "status " START UNCOUNTED("", Q("p1")) } },
    { "a uid out of nowhere", "is no Pod of this Job",
      .events = { ONE, RUNS, "status " START UNCOUNTED(Q("p9"), "") } },
    { "failed, replaced, done", NULL,
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", "status " START ",\"failed\":1", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE
                  ",\"failed\":1,\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "failed, and lost", "finished, and was lost",
      .events = { RETRY, RUNS, "p1 Failed own fin", "p1 Failed own", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },

    /* Deleted by somebody. */
    { "deleted: failed at once", NULL,
      .events = { RETRY, RUNS, "p1 Running own fin del",
                  "status " START ",\"terminating\":1" UNCOUNTED("", Q("p1")), "p1 gone",
                  "status " START ",\"failed\":1", "p2 Pending own fin", "p2 Succeeded own fin",
                  "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE
                  ",\"failed\":1,\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "deleted, and gone uncounted", "failed by being deleted, and was lost",
      .events = { RETRY, RUNS, "p1 Running own fin del", "p1 gone", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "deleted, replacement Failed: counted while it still runs",
      "but never failed so that it counts",
      .events = { "spec \"completions\":1,\"podReplacementPolicy\":\"Failed\"", RUNS,
                  "p1 Running own fin del", "status " START UNCOUNTED("", Q("p1")) } },
    { "deleted, replacement Failed: replaced while it still runs", "beyond parallelism",
      .events = { "spec \"completions\":1,\"podReplacementPolicy\":\"Failed\"", RUNS,
                  "p1 Running own fin del", "p2 Pending own fin" } },
    { "deleted, replacement TerminatingOrFailed: replaced while it still runs",
      "had to end by one condition",
      .events = { RETRY, RUNS, "p1 Running own fin del", "p2 Pending own fin" } },

    /* Others' doings. */
    { "stolen: not counted, its finalizer stays", NULL,
      .events = { ONE, RUNS, "p1 Running other fin", "p1 Succeeded other fin", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "relabelled: released, not counted", NULL,
      .events = { ONE, RUNS, "p1 Running own fin else", "p1 Running else", "p1 Succeeded else",
                  "p2 Pending own fin", "p2 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "relabelled: keeps its owner, loses its finalizer", "doesn't match, lost its finalizer",
      .events = { ONE, RUNS, "p1 Running own fin else", "p1 Running own else" } },
    { "released though it matches", "was released though it matches",
      .events = { ONE, RUNS, "p1 Running" } },
    { "an orphan is adopted and counted", NULL,
      .events = { ONE, "p1 Running", "p1 Running own fin", ACTIVE("1"), "p1 Succeeded own fin",
                  ENDS_WELL } },
    { "an orphan is adopted late once more, and counted once", NULL,
      .events = { RETRY, "p1 Running", "p1 Running own fin", ACTIVE("1"), "p1 Failed own fin",
                  "status " START UNCOUNTED("", Q("p1")), "p1 Failed own",
                  "status " START ",\"failed\":1", "p1 Failed own fin", "p2 Pending own fin",
                  "p2 Succeeded own fin",
                  "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own", "p1 Failed own",
                  "status " START DONE
                  ",\"failed\":1,\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) } },
    { "an orphan stays one", "matches and was not adopted",
      .events = { "spec \"completions\":1,\"parallelism\":0", "p1 Running", ACTIVE("0") } },
    { "a finalizer comes back", "got its finalizer back",
      .events = { RETRY, RUNS, "p1 Failed own fin", "status " START UNCOUNTED("", Q("p1")),
                  "p1 Failed own", "p1 Failed own fin" } },
    { "let go by one Job, adopted by the next, stripped, and adopted by a patch that comes late",
      NULL,
      .events = { ONE, "p1 Running other fin", "p1 Running", "p1 Running own fin", ACTIVE("1"),
                  "p1 strip", "p1 Running own", "p1 Running own fin", "p1 Succeeded own fin",
                  ENDS_WELL } },
    { "made without a finalizer", "without the tracking finalizer",
      .events = { ONE, "p1 Pending own" } },

    /* Too many. */
    { "one beyond parallelism", "was made beyond parallelism",
      .events = { "spec \"completions\":3,\"parallelism\":1", RUNS, "p2 Pending own fin" } },
    { "one beyond completions", "was made beyond completions",
      .events = { "spec \"completions\":2,\"parallelism\":2", RUNS, "p2 Running own fin",
                  "p1 Succeeded own fin", "p3 Pending own fin" } },
    { "one beyond need, which is excused and removed", NULL,
      .events = { ONE, RUNS, "p2 Running own fin", "p2 Running own", "p2 Running own del",
                  "p2 gone", "p1 Succeeded own fin", ENDS_WELL },
      .surplus_max = 1 },
    { "an active Pod loses its finalizer for nothing", "was active, and was lost",
      .events = { ONE, RUNS, "p1 Running own" } },
    { "an active Pod loses it by a scale-down", NULL,
      .events = { "spec \"completions\":2,\"parallelism\":2", RUNS, "p2 Running own fin",
                  "spec \"completions\":2,\"parallelism\":0", "p2 Running own", "p1 Running own",
                  "p2 gone", "p1 gone", ACTIVE("0") } },

    /* Let go of, and not counted: only what had not ended, for who took the finalizer off. */
    { "a scale-down takes one that is known to have succeeded", "finished, and was lost",
      .events = { "spec \"completions\":2,\"parallelism\":2", RUNS, "p2 Running own fin",
                  "p2 Succeeded own fin", "spec \"completions\":2,\"parallelism\":0",
                  "all is known", "p2 Succeeded own" } },
    { "a scale-down takes one whose success nobody could know", NULL,
      .events = { "spec \"completions\":2,\"parallelism\":2", RUNS, "p2 Running own fin",
                  "spec \"completions\":2,\"parallelism\":0", "p1 Running own", "p1 gone",
                  "all is known", "p2 Succeeded own fin", "p2 Succeeded own", ACTIVE("0") } },
    { "suspension takes one that is known to have failed", "finished, and was lost",
      .events = { "spec \"completions\":2,\"parallelism\":2", RUNS, "p1 Failed own fin",
                  "spec \"completions\":2,\"parallelism\":2,\"suspend\":true", "all is known",
                  "p1 Failed own" } },
    { "at its end a failing Job doesn't count a terminating Pod that a rule ignores", NULL,
      .events = { LOST_ARE_IGNORED, RUNS, "p1 Running own fin lost del", "all is known",
                  "status " START CONDITIONS(FAILING(DEADLINE)), "p1 Running own lost del",
                  "p1 gone", "status " START CONDITIONS(FAILED(DEADLINE)) } },
    { "of a Job that is being deleted what has succeeded is counted", "finished, and was lost",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "delete", "all is known",
                  "p1 Succeeded own" } },
    { "a suspension of long ago is no reason", "was active, and was lost",
      .events = { "spec \"completions\":1,\"suspend\":true",
                  "spec \"completions\":1,\"suspend\":false", RUNS, "all is known",
                  "p1 Running own" } },
    { "adopted Pods are no reason", "was active, and was lost",
      .events = { ONE, "p1 Running", "p1 Running own fin", "p1 Running own" } },
    { "two run where one is wanted, and the one that has ended is taken", "finished, and was lost",
      .events = { ONE, RUNS, "p2 Running own fin", "p2 Failed own fin", "all is known",
                  "p2 Failed own" },
      .surplus_max = 1 },
};
const size_t n_rows_of_counting = JR_ARRAY_SIZE(rows_of_counting);
