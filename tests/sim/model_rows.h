/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made histories for the model's test, one event a line:
 *
 *   spec MEMBERS      a version of the Job with these members of its spec, the first one makes it
 *   status MEMBERS    a version of the Job with these members of its status, and no others
 *   delete            the Job gets its deletionTimestamp
 *   job gone          it goes
 *   NAME WORDS        a version of a Pod; NAME is its uid, too. Words: a phase, own (controlled by
 *                     the Job), other (by somebody else), fin (the finalizer), del
 *                     (deletionTimestamp), idx=N, fc=N, ic=N (failure counts), exit=N, lost
 *                     (DisruptionTarget), restarts=N, else (labels that don't match), bare (made
 *                     without hostname and the like)
 *   wait N            seconds pass
 *   all is known      who writes from here on knows of all that was written so far
 *   decommission         and hands the Jobs back, until all is known anew
 *   NAME gone, NAME strip   it goes; somebody takes off its finalizer next
 *   NAME asked        a controller asks for its finalizer to be taken off, which it hasn't
 *
 * Each event is a second and a version of the store later than the one before. */
#ifndef JR_TESTS_SIM_MODEL_ROWS_H
#define JR_TESTS_SIM_MODEL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/sim/plan.h"

#define ROW_EVENTS_MAX 40

struct row {
    const char *name;
    const char *want; /* words of why; NULL: right */
    const char *events[ROW_EVENTS_MAX];
    uint32_t features;
    size_t surplus_max;
    bool ttl;
    bool undisturbed;
};

extern const struct row rows_of_counting[];
extern const size_t n_rows_of_counting;
extern const struct row rows_of_status[];
extern const size_t n_rows_of_status;
extern const struct row rows_of_finishing[];
extern const size_t n_rows_of_finishing;
extern const struct row rows_of_indexes[];
extern const size_t n_rows_of_indexes;
extern const struct row rows_of_delays[];
extern const size_t n_rows_of_delays;
extern const struct row rows_of_rest[];
extern const size_t n_rows_of_rest;

/* Members of a status. */
#define TIME(s) "\"2026-03-01T12:00:" s "Z\""
#define START "\"startTime\":" TIME("00")
#define DONE ",\"completionTime\":" TIME("50")
#define UNCOUNTED(s, f) ",\"uncountedTerminatedPods\":{\"succeeded\":[" s "],\"failed\":[" f "]}"
#define CONDITIONS(...) ",\"conditions\":[" __VA_ARGS__ "]"
#define CONDITION_(type, status, reason, message)                           \
    "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason \
    "\",\"message\":\"" message "\",\"lastTransitionTime\":" TIME("50") "}"
#define CONDITION(...) CONDITION_(__VA_ARGS__)
#define LIMIT "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
#define DEADLINE "True", "DeadlineExceeded", "Job was active longer than specified deadline"
#define MAX_INDEXES                     \
    "True", "MaxFailedIndexesExceeded", \
        "Job has exceeded the specified maximal number of failed indexes"
#define INDEXES "True", "FailedIndexes", "Job has failed indexes"
#define REACHED "True", "CompletionsReached", "Reached expected number of succeeded pods"
#define MATCHED(n) "True", "SuccessPolicy", "Matched rules at index " n
#define SUSPENDED "True", "JobSuspended", "Job suspended"
#define RESUMED "False", "JobResumed", "Job resumed"
#define FAILING(...) CONDITION("FailureTarget", __VA_ARGS__)
#define FAILED(...) FAILING(__VA_ARGS__) "," CONDITION("Failed", __VA_ARGS__)
#define SUCCEEDING(...) CONDITION("SuccessCriteriaMet", __VA_ARGS__)
#define COMPLETE(...) SUCCEEDING(__VA_ARGS__) "," CONDITION("Complete", __VA_ARGS__)
#define Q(name) "\"" name "\""

#endif
