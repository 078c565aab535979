/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when the world is at rest. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define ONE "spec \"completions\":1,\"parallelism\":1"
#define ACTIVE(n) "status " START ",\"active\":" n
#define RUNS "p1 Pending own fin", ACTIVE("1"), "p1 Running own fin"
#define COMPLETES                                                               \
    RUNS, "p1 Succeeded own fin",                                               \
        "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)), \
        "p1 Succeeded own", "status " START DONE ",\"succeeded\":1" CONDITIONS(COMPLETE(REACHED))

/* Index 0 fails and is followed by p2, which the suspension takes away as p1 is listed. */
#define PER_INDEX                                                                   \
    "spec "                                                                         \
    "\"completionMode\":\"Indexed\",\"backoffLimitPerIndex\":3,\"backoffLimit\":9," \
    "\"completions\":1,"                                                            \
    "\"parallelism\":1"
#define LISTS ",\"failedIndexes\":\"\"" UNCOUNTED("", Q("p1"))
#define SUSPENDED_AS_LISTED                                                                \
    PER_INDEX, "p1 Running own fin idx=0 fc=0",                                            \
        "status " START ",\"active\":1,\"failedIndexes\":\"\"",                            \
        "p1 Failed own fin idx=0 fc=0 exit=1", "wait 20", "p2 Running own fin idx=0 fc=1", \
        PER_INDEX ",\"suspend\":true", "p2 Running own idx=0 fc=1", "p2 gone",             \
        "status \"ready\":0" LISTS CONDITIONS(CONDITION("Suspended", SUSPENDED))

const struct row rows_of_rest[] = {
    { "nothing happens", "had to end by one condition or another", .events = { ONE } },
    { "it stops half way", "had to end by what it has begun",
      .events = { ONE, RUNS, "p1 Succeeded own fin",
                  "status " START UNCOUNTED(Q("p1"), "") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own" } },
    { "paused", NULL, .events = { "spec \"completions\":1,\"parallelism\":0", "status " START } },
    { "paused with a Pod that runs", "p1 stands, with nothing left to run",
      .events = { "spec \"completions\":1,\"parallelism\":0", "p1 Running", "p1 Running own fin",
                  ACTIVE("1") } },
    { "paused, a Pod uncounted", "p1 has finished and was not counted",
      .events = { "spec \"completions\":2,\"parallelism\":0", "p1 Running", "p1 Running own fin",
                  "p1 Succeeded own fin", "status " START } },
    { "paused, an old number", "active 1, terminating 0, and no Pod",
      .events = { "spec \"completions\":2,\"parallelism\":0", ACTIVE("1") } },
    { "not released", "doesn't match and was not released",
      .events = { "spec \"completions\":2,\"parallelism\":0", "p1 Running", "p1 Running own fin",
                  "p1 Running own fin else", "status " START } },

    { "complete", NULL, .events = { ONE, COMPLETES } },
    { "complete, expired and there", "has expired",
      .events = { ONE ",\"ttlSecondsAfterFinished\":1", COMPLETES }, .ttl = true },
    { "complete, expired and gone", NULL,
      .events = { ONE ",\"ttlSecondsAfterFinished\":1", COMPLETES, "delete", "p1 gone",
                  "job gone" },
      .ttl = true },
    { "complete, and a Pod with its finalizer", "keeps its finalizer",
      .events = { ONE, COMPLETES, "p2 Succeeded", "p2 Succeeded own fin" } },
    { "complete, and one beyond need that stands", NULL,
      .events = { ONE, COMPLETES, "p2 Running own fin", "p2 Running own" }, .surplus_max = 1 },

    /* Deleted. */
    { "deleted, all gone", NULL,
      .events = { ONE, RUNS, "delete", "p1 Running own fin del", "p1 gone", "job gone" } },
    { "deleted, never goes", "being deleted, and never goes",
      .events = { ONE ",\"parallelism\":0", "delete", "status " START } },
    { "deleted, its Pod stays", "the Job is gone, Pod p1 stands",
      .events = { ONE, RUNS, "delete", "job gone" } },
    { "deleted, its Pod is an orphan", NULL,
      .events = { ONE, RUNS, "delete", "p1 Running fin", "job gone", "p1 Running",
                  "p1 Succeeded" } },
    { "deleted, its orphan keeps the finalizer", "p1 keeps its finalizer",
      .events = { ONE, RUNS, "delete", "p1 Running fin", "job gone", "p1 Succeeded fin" } },
    { "deleted, a stolen Pod keeps the finalizer", NULL,
      .events = { ONE, RUNS, "p1 Running other fin", "delete", "job gone" } },

    /* Suspended. */
    { "suspended with its Pods gone", NULL,
      .events = { ONE, RUNS, ONE ",\"suspend\":true", "p1 Running own", "p1 Running own del",
                  "status \"terminating\":1" CONDITIONS(CONDITION("Suspended", SUSPENDED)),
                  "p1 gone", "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "suspended with a Pod that runs", "p1 stands, with nothing left to run",
      .events = { ONE, RUNS, ONE ",\"suspend\":true", "p1 Running own",
                  "status \"active\":1" CONDITIONS(CONDITION("Suspended", SUSPENDED)) } },
    { "suspended, what is listed is held again", NULL, .events = { SUSPENDED_AS_LISTED } },
    { "suspended, what is listed has lost its finalizer", "uncounted Pods are left",
      .events = { SUSPENDED_AS_LISTED, "p1 Failed own idx=0 fc=0 exit=1" } },
    { "suspended, what is listed is not what is held", "uncounted Pods are left",
      .events = { SUSPENDED_AS_LISTED, "p3 Failed fin idx=0 fc=2 exit=1",
                  "p3 Failed own fin idx=0 fc=2 exit=1" } },
    { "resumed, and nothing happens", "had to end by one condition or another",
      .events = { ONE ",\"suspend\":true",
                  "status \"ready\":0" CONDITIONS(CONDITION("Suspended", SUSPENDED)), ONE,
                  "status " START CONDITIONS(CONDITION("Suspended", RESUMED)) } },
};
const size_t n_rows_of_rest = JR_ARRAY_SIZE(rows_of_rest);
