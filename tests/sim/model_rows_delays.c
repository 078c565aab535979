/* SPDX-License-Identifier: Apache-2.0 */
/* Undisturbed: what waits long enough, and what is done promptly. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define ACTIVE(n) "status " START ",\"active\":" n
#define RUNS "p1 Pending own fin", ACTIVE("1"), "p1 Running own fin"
#define FAILS_ONCE                                                            \
    RUNS, "p1 Failed own fin exit=1", "status " START UNCOUNTED("", Q("p1")), \
        "p1 Failed own exit=1", "status " START ",\"failed\":1"
#define P2_ENDS_WELL                                                                            \
    "p2 Succeeded own fin exit=0",                                                              \
        "status " START ",\"failed\":1" UNCOUNTED(Q("p2"), "") CONDITIONS(SUCCEEDING(REACHED)), \
        "p2 Succeeded own exit=0",                                                              \
        "status " START DONE ",\"failed\":1,\"succeeded\":1" CONDITIONS(COMPLETE(REACHED))
#define ONE "spec \"completions\":1,\"parallelism\":1"
#define PER_INDEX                                                                        \
    "spec \"completionMode\":\"Indexed\",\"completions\":1,\"backoffLimit\":2147483647," \
    "\"backoffLimitPerIndex\":2"
#define INDEX_FAILS_ONCE                                                                     \
    "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1,\"failedIndexes\":\"\"", \
        "p1 Failed own fin idx=0 fc=0 exit=1", "status " START ",\"failedIndexes\":\"\""
#define INDEX_ENDS_WELL                                                                         \
    "status " START ",\"active\":1,\"failedIndexes\":\"\"" UNCOUNTED("", Q("p1")),              \
        "p1 Failed own idx=0 fc=0 exit=1",                                                      \
        "status " START ",\"active\":1,\"failed\":1,\"failedIndexes\":\"\"",                    \
        "p2 Succeeded own fin idx=0 fc=1 exit=0",                                               \
        "status " START ",\"failed\":1,\"failedIndexes\":\"\",\"completedIndexes\":\"0\","      \
        "\"succeeded\":1" CONDITIONS(SUCCEEDING(REACHED)),                                      \
        "p2 Succeeded own idx=0 fc=1 exit=0",                                                   \
        "status " START DONE ",\"failed\":1,\"failedIndexes\":\"\",\"completedIndexes\":\"0\"," \
        "\"succeeded\":1" CONDITIONS(COMPLETE(REACHED))
#define QUIET .undisturbed = true
#define GONE_ON "status " START ",\"active\":0,\"ready\":0"

const struct row rows_of_delays[] = {
    { "replaced after ten seconds", NULL,
      .events = { ONE, FAILS_ONCE, "wait 7", "p2 Running own fin", P2_ENDS_WELL }, QUIET },
    { "replaced too early", "after failure number 1, not 10 s",
      .events = { ONE, FAILS_ONCE, "wait 4", "p2 Running own fin", P2_ENDS_WELL }, QUIET },
    { "too early after one, and another failed, nobody knows when", NULL,
      .events = { "spec \"completions\":2,\"parallelism\":2", "p9 Running own fin", FAILS_ONCE,
                  "p9 Failed own fin", "p2 Running own fin", "p3 Running own fin",
                  "status " START ",\"failed\":1" UNCOUNTED("", Q("p9")), "p9 Failed own",
                  "status " START ",\"failed\":2", "p2 Succeeded own fin exit=0",
                  "p3 Succeeded own fin exit=0",
                  "status " START ",\"failed\":2" UNCOUNTED(Q("p2") "," Q("p3"), "")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own exit=0", "p3 Succeeded own exit=0",
                  "status " START DONE
                  ",\"failed\":2,\"succeeded\":2" CONDITIONS(COMPLETE(REACHED)) },
      QUIET },
    { "too early, but who knows what happened", NULL,
      .events = { ONE, FAILS_ONCE, "wait 4", "p2 Running own fin", P2_ENDS_WELL } },
    { "an index replaced after ten seconds", NULL,
      .events = { PER_INDEX, INDEX_FAILS_ONCE, "wait 9", "p2 Running own fin idx=0 fc=1",
                  INDEX_ENDS_WELL },
      QUIET },
    { "an index replaced too early", "after failure number 1, not 10 s",
      .events = { PER_INDEX, INDEX_FAILS_ONCE, "wait 5", "p2 Running own fin idx=0 fc=1",
                  INDEX_ENDS_WELL },
      QUIET },
    { "restarts at the limit, and it goes on", "restarted as often as backoffLimit allows",
      .events = { "spec \"completions\":1,\"backoffLimit\":2", RUNS,
                  "p1 Running own fin restarts=2", "wait 35", "p1 Succeeded own fin restarts=2",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) },
      .features = 1u << SIM_FEATURE_ON_FAILURE, QUIET },
    { "restarts below the limit", NULL,
      .events = { "spec \"completions\":1,\"backoffLimit\":3", RUNS,
                  "p1 Running own fin restarts=2", "wait 35", "p1 Succeeded own fin restarts=2",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) },
      .features = 1u << SIM_FEATURE_ON_FAILURE, QUIET },
    { "ended, and not counted for long", "has ended and isn't counted, for 30 s",
      .events = { ONE, RUNS, "p1 Succeeded own fin", "wait 35",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) },
      QUIET },
    { "scaled down, and all run on", "2 Pods run for 30 s, 1 are wanted",
      .events = { "spec \"completions\":9,\"parallelism\":2", RUNS, "p2 Running own fin",
                  "spec \"completions\":9,\"parallelism\":1", "wait 35", ACTIVE("2"),
                  "p2 Running own", "p2 gone", "p1 Running own", "p1 gone",
                  "spec \"completions\":9,\"parallelism\":0", GONE_ON },
      QUIET },
    { "suspended, and all run on", "1 Pods run for 30 s, 0 are wanted: it is suspended",
      .events = { ONE, RUNS, ONE ",\"suspend\":true", "wait 35", "p1 Running own", "p1 gone",
                  "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)) },
      QUIET },
    { "relabelled, and not released for long", "doesn't match and isn't released",
      .events = { ONE, RUNS, "p1 Running own fin else", "wait 35", "p1 Running else",
                  "spec \"completions\":1,\"parallelism\":0", GONE_ON },
      QUIET },
    { "an orphan for long", "matches and isn't adopted",
      .events = { ONE, "p1 Running", "wait 35", "p1 Running own fin", ACTIVE("1"),
                  "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own",
                  "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED)) },
      QUIET },
};
const size_t n_rows_of_delays = JR_ARRAY_SIZE(rows_of_delays);
