/* SPDX-License-Identifier: Apache-2.0 */
/* Indexed Jobs. */
#include "common/base/cleanup.h"
#include "tests/sim/model_rows.h"

#define INDEXED(more) ("spec \"completionMode\":\"Indexed\"," more)
#define TWO INDEXED("\"completions\":2,\"parallelism\":2")
#define PER(more) INDEXED("\"backoffLimitPerIndex\":1,\"backoffLimit\":2147483647," more)
#define PER_TWO PER("\"completions\":2,\"parallelism\":2")
#define DONE_WITH(c, n) ",\"completedIndexes\":\"" c "\",\"succeeded\":" n
#define FAILED_IS(f) ",\"failedIndexes\":\"" f "\""

#define BOTH "p1 Running own fin idx=0", "p2 Running own fin idx=1", "status " START ",\"active\":2"
#define BOTH_WELL                                                              \
    "p1 Succeeded own fin idx=0", "p2 Succeeded own fin idx=1",                \
        "status " START DONE_WITH("0,1", "2") CONDITIONS(SUCCEEDING(REACHED)), \
        "p1 Succeeded own idx=0", "p2 Succeeded own idx=1",                    \
        "status " START DONE DONE_WITH("0,1", "2") CONDITIONS(COMPLETE(REACHED))

/* Index 0 fails once, is held, and followed by p2. */
#define FAILS_ONCE                                                                  \
    "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" FAILED_IS(""), \
        "p1 Failed own fin idx=0 fc=0", "status " START FAILED_IS("")
#define ONE_INDEX PER("\"completions\":1,\"parallelism\":1")

/* The Job's only index is completed by this Pod, after so many failures. */
#define COMPLETED_BY(pod, counts, failed)                                            \
    pod " Succeeded own fin idx=0 " counts,                                          \
        "status " START ",\"failed\":" failed FAILED_IS("") DONE_WITH("0", "1")      \
            CONDITIONS(SUCCEEDING(REACHED)),                                         \
        pod " Succeeded own idx=0 " counts,                                          \
        "status " START DONE ",\"failed\":" failed FAILED_IS("") DONE_WITH("0", "1") \
            CONDITIONS(COMPLETE(REACHED))

/* p1 fails, and p2 follows. */
#define FOLLOWED                                                                        \
    INDEXED("\"backoffLimitPerIndex\":3,\"backoffLimit\":9,\"completions\":1"),         \
        "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" FAILED_IS(""), \
        "p1 Failed own fin idx=0 fc=0", "wait 20", "p2 Running own fin idx=0 fc=1"

/* p1 fails; p2, its follower, loses its finalizer, isn't deleted, and fails. p3 is the next. */
#define FOLLOWER_LET_GO \
    FOLLOWED, "p2 Running own idx=0 fc=1", "p2 Failed own idx=0 fc=1", "wait 20", "all is known"

/* p1 and p2, its follower, fail; p2 stops matching before p1 was counted. p3 is the next. */
#define LAST_STOPS_MATCHING(known, told)                                            \
    FOLLOWED, "p2 Failed own fin idx=0 fc=1", "wait 20", known,                     \
        "p2 Failed own fin idx=0 fc=1 else", told, "p3 Running own fin idx=0 fc=2", \
        "status " START ",\"active\":1" FAILED_IS("") UNCOUNTED("", Q("p1")),       \
        "p1 Failed own idx=0 fc=0", "p2 Failed idx=0 fc=1 else",                    \
        "status " START ",\"active\":1,\"failed\":1" FAILED_IS(""),                 \
        COMPLETED_BY("p3", "fc=2", "1")

/* Index 0 fails for good, its Pod's limit is reached. p3, of the same index, is adopted since. */
#define FAILS_FOR_GOOD                                                                           \
    "p1 Running own fin idx=0 fc=1", "p2 Running own fin idx=1 fc=0",                            \
        "status " START ",\"active\":2" FAILED_IS(""), "p1 Failed own fin idx=0 fc=1",           \
        "status " START ",\"active\":1" FAILED_IS("0") UNCOUNTED("", Q("p1")),                   \
        "p1 Failed own idx=0 fc=1", "status " START ",\"active\":1,\"failed\":1" FAILED_IS("0"), \
        "p3 Running idx=0 fc=0", "p3 Running own fin idx=0 fc=0"

const struct row rows_of_indexes[] = {
    { "two indexes", NULL, .events = { TWO, BOTH, BOTH_WELL } },
    { "a Pod without an index", "without an index", .events = { TWO, "p1 Running own fin" } },
    { "a Pod without what an index gives it", "has not the hostname",
      .events = { TWO, "p1 Running own fin idx=0 bare" } },
    { "succeeded is not the number of indexes", "succeeded is 1, completedIndexes \"0,1\"",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0", "p2 Succeeded own fin idx=1",
                  "status " START DONE_WITH("0,1", "1") } },
    { "not written as it is to be", "is not written as \"0,1\"",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0", "p2 Succeeded own fin idx=1",
                  "status " START DONE_WITH("0-1", "2") } },
    { "out of range", "status.completedIndexes \"2\"",
      .events = { TWO, BOTH, "status " START DONE_WITH("2", "1") } },
    { "an index goes", "index 0 has left status.completedIndexes",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0",
                  "status " START ",\"active\":1" DONE_WITH("0", "1"), "p1 Succeeded own idx=0",
                  "status " START ",\"active\":1" } },
    { "an index that nobody did", "index 1 is in status.completedIndexes, and no Pod did that",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0", "status " START DONE_WITH("0,1", "2"),
                  "p1 Succeeded own idx=0" } },
    { "an index is done twice", "for an index that needs none",
      .events = { INDEXED("\"completions\":3,\"parallelism\":3"), BOTH,
                  "p3 Pending own fin idx=1" } },
    { "one that somebody failed is followed, and succeeded before that was known", NULL,
      .events = { TWO, BOTH, "p1 Failed own fin idx=0", "wait 20", "all is known",
                  "p1 Succeeded own fin idx=0", "p3 Running own fin idx=0",
                  "status " START ",\"active\":2" UNCOUNTED("", Q("p1")), "p1 Succeeded own idx=0",
                  "status " START ",\"active\":2,\"failed\":1", "p2 Succeeded own fin idx=1",
                  "p3 Succeeded own fin idx=0",
                  "status " START ",\"failed\":1" DONE_WITH("0,1", "2")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own idx=1", "p3 Succeeded own idx=0",
                  "status " START DONE ",\"failed\":1" DONE_WITH("0,1", "2")
                      CONDITIONS(COMPLETE(REACHED)) } },
    { "one that somebody failed is followed when its success was known",
      "for an index that needs none",
      .events = { TWO, BOTH, "p1 Failed own fin idx=0", "p1 Succeeded own fin idx=0",
                  "all is known", "p3 Running own fin idx=0" } },
    { "a completed index is done again", "for an index that needs none",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0",
                  "status " START ",\"active\":1" DONE_WITH("0", "1"), "p1 Succeeded own idx=0",
                  "p3 Pending own fin idx=0" } },
    { "one that nobody knew of: there are one too many, and two of its index", NULL,
      .events = { TWO, "p3 Running own fin idx=0", BOTH, "p3 Running own idx=0",
                  "p3 Running own del idx=0", "p3 gone", BOTH_WELL },
      .surplus_max = 1 },
    { "one that nobody knew of is no excuse for two",
      "beyond parallelism (2 beyond need, 1 may be)",
      .events = { TWO, "p3 Running own fin idx=0", BOTH, "p4 Pending own fin idx=1" },
      .surplus_max = 1 },
    { "an index out of range is made", "with an index out of range",
      .events = { TWO, "p1 Running own fin idx=2" } },
    { "a succeeded Pod in the lists of a NonIndexed Job", "lists uncounted succeeded",
      .events = { TWO, BOTH, "p1 Succeeded own fin idx=0",
                  "status " START UNCOUNTED(Q("p1"), "") } },
    { "index lists where there are none", "in a NonIndexed Job",
      .events = { "spec \"completions\":2", "status " START FAILED_IS("") } },
    { "scaled down: the higher ones are cut", NULL,
      .events = { TWO, BOTH, "p2 Succeeded own fin idx=1",
                  "status " START ",\"active\":1" DONE_WITH("1", "1"), "p2 Succeeded own idx=1",
                  INDEXED("\"completions\":1,\"parallelism\":1"), "status " START ",\"active\":1",
                  "p1 Succeeded own fin idx=0",
                  "status " START DONE_WITH("0", "1") CONDITIONS(SUCCEEDING(REACHED)),
                  "p1 Succeeded own idx=0",
                  "status " START DONE DONE_WITH("0", "1") CONDITIONS(COMPLETE(REACHED)) } },

    /* successPolicy */
    { "the success policy is met", NULL,
      .events = { INDEXED("\"completions\":2,\"parallelism\":2,\"successPolicy\":{\"rules\":[{"
                          "\"succeededIndexes\":\"1\"},{\"succeededCount\":1}]}"),
                  BOTH, "p1 Succeeded own fin idx=0", "p2 Running own fin del idx=1",
                  "status " START ",\"terminating\":1" DONE_WITH("0", "1")
                      CONDITIONS(SUCCEEDING(MATCHED("1"))),
                  "p1 Succeeded own idx=0", "p2 gone",
                  "status " START DONE DONE_WITH("0", "1") CONDITIONS(COMPLETE(MATCHED("1"))) } },
    { "another rule is met", "\"Matched rules at index 1\" was expected",
      .events = { INDEXED("\"completions\":2,\"parallelism\":2,\"successPolicy\":{\"rules\":[{"
                          "\"succeededIndexes\":\"1\"},{\"succeededCount\":1}]}"),
                  BOTH, "p1 Succeeded own fin idx=0",
                  "status " START DONE_WITH("0", "1") CONDITIONS(SUCCEEDING(MATCHED("0"))) } },
    { "no rule is met", "SuccessPolicy is not due",
      .events = { INDEXED("\"completions\":2,\"parallelism\":2,\"successPolicy\":{\"rules\":[{"
                          "\"succeededIndexes\":\"0,1\",\"succeededCount\":2}]}"),
                  BOTH, "p1 Succeeded own fin idx=0",
                  "status " START DONE_WITH("0", "1") CONDITIONS(SUCCEEDING(MATCHED("0"))) } },
    { "a rule is met, and it goes on", "had to end by SuccessPolicy",
      .events = { INDEXED("\"completions\":2,\"parallelism\":1,\"successPolicy\":{\"rules\":[{"
                          "\"succeededCount\":1}]}"),
                  "p1 Running own fin idx=0", "status " START ",\"active\":1",
                  "p1 Succeeded own fin idx=0", "status " START DONE_WITH("0", "1"),
                  "p1 Succeeded own idx=0" } },

    /* backoffLimitPerIndex */
    { "failedIndexes is never left out", "status.failedIndexes is absent",
      .events = { PER_TWO, "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" } },
    { "no failure count", "without a failure count",
      .events = { PER_TWO, "p1 Running own fin idx=0" } },
    { "a failed index whose other Pod succeeds", NULL,
      .events = { PER_TWO, FAILS_FOR_GOOD, "p3 Succeeded own fin idx=0 fc=0",
                  "status " START ",\"active\":1,\"failed\":1" FAILED_IS("") DONE_WITH("0", "1"),
                  "p3 Succeeded own idx=0 fc=0", "p2 Succeeded own fin idx=1 fc=0",
                  "status " START ",\"failed\":1" FAILED_IS("") DONE_WITH("0,1", "2")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own idx=1 fc=0",
                  "status " START DONE ",\"failed\":1" FAILED_IS("") DONE_WITH("0,1", "2")
                      CONDITIONS(COMPLETE(REACHED)) } },
    { "a failed index is none any more", "index 0 has left status.failedIndexes",
      .events = { PER_TWO, FAILS_FOR_GOOD,
                  "status " START ",\"active\":1,\"failed\":1" FAILED_IS("") } },
    { "a failed index that nobody did", "index 0 is in status.completedIndexes",
      .events = { PER_TWO, FAILS_FOR_GOOD,
                  "status " START ",\"active\":1,\"failed\":1" FAILED_IS("") DONE_WITH("0", "1"),
                  "p2 Succeeded own fin idx=1 fc=0",
                  "status " START ",\"failed\":1" FAILED_IS("") DONE_WITH("0,1", "2")
                      CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own idx=1 fc=0",
                  "status " START DONE ",\"failed\":1" FAILED_IS("") DONE_WITH("0,1", "2")
                      CONDITIONS(COMPLETE(REACHED)) } },
    { "held, followed, done", NULL,
      .events = { ONE_INDEX, FAILS_ONCE, "p2 Pending own fin idx=0 fc=1",
                  "status " START ",\"active\":1" FAILED_IS("") UNCOUNTED("", Q("p1")),
                  "p1 Failed own idx=0 fc=0",
                  "status " START ",\"active\":1,\"failed\":1" FAILED_IS(""),
                  COMPLETED_BY("p2", "fc=1", "1") } },
    { "let go before another was made", "was let go before another was made",
      .events = { ONE_INDEX, FAILS_ONCE, "status " START FAILED_IS("") UNCOUNTED("", Q("p1")),
                  "p1 Failed own idx=0 fc=0", "status " START ",\"failed\":1" FAILED_IS("") } },
    { "let go by decommission before another was made, whose count begins anew", NULL,
      .events = { ONE_INDEX, FAILS_ONCE, "all is known", "decommission",
                  "status " START FAILED_IS("") UNCOUNTED("", Q("p1")), "p1 Failed own idx=0 fc=0",
                  "status " START ",\"failed\":1" FAILED_IS(""), "all is known",
                  "p2 Pending own fin idx=0 fc=0", COMPLETED_BY("p2", "fc=0", "1") } },
    { "the count begins anew", "says 0 failures and 0 ignored ones, 1 and 0 went before",
      .events = { ONE_INDEX, FAILS_ONCE, "p2 Pending own fin idx=0 fc=0" } },
    { "the follower was let go, not deleted, and failed", NULL,
      .events = { FOLLOWER_LET_GO, "p3 Running own fin idx=0 fc=2",
                  "status " START ",\"active\":1" FAILED_IS("") UNCOUNTED("", Q("p1") "," Q("p2")),
                  "p1 Failed own idx=0 fc=0",
                  "status " START ",\"active\":1,\"failed\":2" FAILED_IS(""),
                  COMPLETED_BY("p3", "fc=2", "2") } },
    { "the follower was let go, and counts twice",
      "says 3 failures and 0 ignored ones, 1 and 0 went before",
      .events = { FOLLOWER_LET_GO, "p3 Running own fin idx=0 fc=3" } },
    { "the last failure stops matching, which nobody knew when the next one was made", NULL,
      .events = { LAST_STOPS_MATCHING("all is known", "wait 0") } },
    { "the last failure stops matching, which was known",
      "says 2 failures and 0 ignored ones, 1 and 0 went before",
      .events = { LAST_STOPS_MATCHING("wait 0", "all is known") } },
    { "an eviction that nobody knew of when the next one was made", NULL,
      .events = { PER("\"completions\":1,\"podFailurePolicy\":{\"rules\":[{\"action\":\"Count\","
                      "\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]},"
                      "{\"action\":\"Ignore\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[43]"
                      "}}]}"),
                  "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=0 exit=43", "all is known",
                  "p1 Failed own fin idx=0 fc=0 exit=43 lost", "p2 Pending own fin idx=0 fc=0 ic=1",
                  "status " START ",\"active\":1" FAILED_IS("") UNCOUNTED("", Q("p1")),
                  "p1 Failed own idx=0 fc=0 exit=43 lost",
                  "status " START ",\"active\":1,\"failed\":1" FAILED_IS(""),
                  COMPLETED_BY("p2", "fc=0 ic=1", "1") } },
    { "an eviction that was known", "says 0 failures and 1 ignored ones, 1 and 0 went before",
      .events = { PER("\"completions\":1,\"podFailurePolicy\":{\"rules\":[{\"action\":\"Count\","
                      "\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]},"
                      "{\"action\":\"Ignore\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[43]"
                      "}}]}"),
                  "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=0 exit=43",
                  "p1 Failed own fin idx=0 fc=0 exit=43 lost", "all is known",
                  "p2 Pending own fin idx=0 fc=0 ic=1" } },
    { "an ignored failure counts apart", NULL,
      .events = { PER("\"completions\":1,\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\","
                      "\"onExitCodes\":{\"operator\":\"In\",\"values\":[43]}}]}"),
                  "p1 Running own fin idx=0 fc=0", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=0 exit=43", "p2 Pending own fin idx=0 fc=0 ic=1",
                  "p1 Failed own idx=0 fc=0 exit=43", "p2 Succeeded own fin idx=0 fc=0 ic=1",
                  "status " START FAILED_IS("") DONE_WITH("0", "1") CONDITIONS(SUCCEEDING(REACHED)),
                  "p2 Succeeded own idx=0 fc=0 ic=1",
                  "status " START DONE FAILED_IS("") DONE_WITH("0", "1")
                      CONDITIONS(COMPLETE(REACHED)) } },
    { "over its limit", NULL,
      .events = { ONE_INDEX, "p1 Running own fin idx=0 fc=1",
                  "status " START ",\"active\":1" FAILED_IS(""), "p1 Failed own fin idx=0 fc=1",
                  "status " START FAILED_IS("0") UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(INDEXES)),
                  "p1 Failed own idx=0 fc=1",
                  "status " START ",\"failed\":1" FAILED_IS("0") CONDITIONS(FAILED(INDEXES)) } },
    { "over its limit, and not failed", "fails index 0 for good",
      .events = { PER_TWO, "p1 Running own fin idx=0 fc=1",
                  "status " START ",\"active\":1" FAILED_IS(""), "p1 Failed own fin idx=0 fc=1",
                  "status " START FAILED_IS("") UNCOUNTED("", Q("p1")),
                  "p1 Failed own idx=0 fc=1" } },
    { "failed under its limit", "index 0 is in status.failedIndexes, and no Pod did that",
      .events = { ONE_INDEX, FAILS_ONCE,
                  "status " START FAILED_IS("0") UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(INDEXES)),
                  "p1 Failed own idx=0 fc=0",
                  "status " START ",\"failed\":1" FAILED_IS("0") CONDITIONS(FAILED(INDEXES)) } },
    { "completed and failed", "index 0 is completed and failed",
      .events = { ONE_INDEX, "p1 Succeeded own fin idx=0 fc=0",
                  "status " START FAILED_IS("0") DONE_WITH("0", "1") } },
    { "too many failed indexes", NULL,
      .events = { PER("\"completions\":2,\"parallelism\":1,\"maxFailedIndexes\":0"),
                  "p1 Running own fin idx=0 fc=1", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=1",
                  "status " START FAILED_IS("0") UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(MAX_INDEXES)),
                  "p1 Failed own idx=0 fc=1",
                  "status " START ",\"failed\":1" FAILED_IS("0")
                      CONDITIONS(FAILED(MAX_INDEXES)) } },
    { "too many comes before all", "another condition comes before it",
      .events = { PER("\"completions\":1,\"parallelism\":1,\"maxFailedIndexes\":0"),
                  "p1 Running own fin idx=0 fc=1", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=1",
                  "status " START FAILED_IS("0") UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(INDEXES)) } },
    { "not too many yet", "MaxFailedIndexesExceeded is not due",
      .events = { PER("\"completions\":2,\"parallelism\":1,\"maxFailedIndexes\":1"),
                  "p1 Running own fin idx=0 fc=1", "status " START ",\"active\":1" FAILED_IS(""),
                  "p1 Failed own fin idx=0 fc=1",
                  "status " START FAILED_IS("0") UNCOUNTED("", Q("p1"))
                      CONDITIONS(FAILING(MAX_INDEXES)) } },
};
const size_t n_rows_of_indexes = JR_ARRAY_SIZE(rows_of_indexes);
