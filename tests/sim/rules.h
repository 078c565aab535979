/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of docs/reference/controller.md that a run has to have met, each told from what
 * can be observed: requests, statuses, events, metrics. The second column is a heading of that
 * page. */
#ifndef JR_TESTS_SIM_RULES_H
#define JR_TESTS_SIM_RULES_H

#define SIM_RULE_MAP(X)                                                                            \
    X(ORPHAN, "Orphaned Pods", "the orphan worker takes a finalizer off")                          \
    X(STALE_JOBS, "Check that the cache is fresh",                                                 \
      "a sync is skipped: the cached Job is older than our write")                                 \
    X(STALE_PODS, "Check that the cache is fresh",                                                 \
      "a sync is skipped: the cached Pods are older than our write")                               \
    X(EXTERNAL, "Skip Jobs that need no sync", "another controller's Job is left alone")           \
    X(SUCCESS_KEPT, "Decide whether the Job ends",                                                 \
      "SuccessCriteriaMet stood before, Complete follows")                                         \
    X(FAILURE_KEPT, "Decide whether the Job ends", "FailureTarget stood before, Failed follows")   \
    X(FAIL_JOB, "Decide whether the Job ends", "FailureTarget PodFailurePolicy")                   \
    X(BACKOFF_LIMIT, "Decide whether the Job ends", "FailureTarget BackoffLimitExceeded")          \
    X(DEADLINE, "Decide whether the Job ends", "FailureTarget DeadlineExceeded")                   \
    X(MAX_FAILED_INDEXES, "Decide whether the Job ends", "FailureTarget MaxFailedIndexesExceeded") \
    X(FAILED_INDEXES, "Decide whether the Job ends", "FailureTarget FailedIndexes")                \
    X(SUCCESS_POLICY, "Decide whether the Job ends", "SuccessCriteriaMet SuccessPolicy")           \
    X(DELETE_AT_END, "Finish the Job or manage its Pods",                                          \
      "an active Pod of a Job that ends is deleted, finalizer and all")                            \
    X(COMPLETIONS, "Finish the Job or manage its Pods", "SuccessCriteriaMet CompletionsReached")   \
    X(COMPLETE_QUEUE, "Finish the Job or manage its Pods", "a work queue completes")               \
    X(COMPLETE_ZERO, "Finish the Job or manage its Pods", "completions 0 completes")               \
    X(SUSPENDED, "Finish the Job or manage its Pods", "Suspended becomes True, startTime goes")    \
    X(RESUMED, "Finish the Job or manage its Pods",                                                \
      "Suspended becomes False, startTime comes anew")                                             \
    X(JOB_DELETED, "A Job that is being deleted",                                                  \
      "a Job being deleted has its Pods' finalizers removed")                                      \
    X(READY, "Count Pods", "ready is counted")                                                     \
    X(TERMINATING, "Count Pods", "terminating is counted")                                         \
    X(ADOPT, "Claiming", "a Pod is adopted")                                                       \
    X(RECHECK, "Claiming", "the live Job is read before an adoption")                              \
    X(RELEASE, "Claiming", "a Pod is released")                                                    \
    X(PATCH_GONE, "Claiming", "a patch of a Pod that is gone: 404")                                \
    X(REMOVE, "Surplus Pods", "a surplus Pod loses its finalizer, then goes")                      \
    X(CREATE_NEW, "Creating Pods", "Pods are created: new")                                        \
    X(CREATE_AGAIN, "Creating Pods", "Pods are created: recreate_terminating_or_failed")           \
    X(CREATE_FAILED, "Creating Pods", "Pods are created: recreate_failed")                         \
    X(NS_TERMINATING, "Creating Pods",                                                             \
      "a creation meets a namespace that goes: 403, without an event")                             \
    X(CREATE_REFUSED, "Creating Pods", "a creation fails")                                         \
    X(INDEX_FAILURES, "Creating Pods", "a replacement carries the index' failures")                \
    X(INDEX_IGNORED, "Creating Pods", "a replacement carries the index' ignored failures")         \
    X(SCALE_DOWN, "Creating Pods", "an elastic scale-down cuts completedIndexes")                  \
    X(LIST_SUCCEEDED, "Counting Pods", "a uid enters uncountedTerminatedPods.succeeded")           \
    X(LIST_FAILED, "Counting Pods", "a uid enters uncountedTerminatedPods.failed")                 \
    X(COUNT_SUCCEEDED, "Counting Pods", "succeeded rises as the uid leaves")                       \
    X(COUNT_FAILED, "Counting Pods", "failed rises as the uid leaves")                             \
    X(COUNT_INDEX, "Index lists", "completedIndexes grows")                                        \
    X(COUNT_FAILED_INDEX, "Failed indexes", "failedIndexes grows")                                 \
    X(TAKEN_OVER, "Counting Pods", "what one life listed another one counts")                      \
    X(CAP, "The order of the writes", "a sync lists 500 Pods, and leaves the rest to the next")    \
    X(HELD, "Failed indexes", "a failed Pod keeps its finalizer until its replacement is there")   \
    X(PUT_CONFLICT, "The order of the writes", "a status PUT meets a newer version: 409")          \
    X(EVENT_CREATED, "Events", "event SuccessfulCreate")                                           \
    X(EVENT_DELETED, "Events", "event SuccessfulDelete")                                           \
    X(EVENT_NOT_CREATED, "Events", "event FailedCreate")                                           \
    X(EVENT_NOT_DELETED, "Events", "event FailedDelete")                                           \
    X(EVENT_SUSPENDED, "Events", "event Suspended")                                                \
    X(EVENT_RESUMED, "Events", "event Resumed")                                                    \
    X(EVENT_COMPLETED, "Events", "event Completed")                                                \
    X(EVENT_TOO_MANY, "Events", "event TooManySucceededPods")                                      \
    X(EVENT_FAILED, "Events", "an event with Failed's reason")                                     \
    X(EVENT_WORKLOAD, "Events", "event WorkloadCreated")                                           \
    X(EVENT_AGAIN, "Events", "an event is counted, not written anew")                              \
    X(EVENT_SIMILAR, "Events", "similar events are combined")                                      \
    X(BACKOFF, "Backoff", "a failed Pod is replaced after ten seconds and more")                   \
    X(BACKOFF_KNOWN, "Backoff",                                                                    \
      "a creation is held to the backoff of failures that its maker listed")                       \
    X(RESTARTS, "Backoff", "restarts of an OnFailure Job exceed its limit")                        \
    X(POLICY_FAIL_JOB, "Pod failure policy", "podFailurePolicy: FailJob")                          \
    X(POLICY_FAIL_INDEX, "Pod failure policy", "podFailurePolicy: FailIndex")                      \
    X(POLICY_IGNORE, "Pod failure policy", "podFailurePolicy: Ignore")                             \
    X(POLICY_COUNT, "Pod failure policy", "podFailurePolicy: Count")                               \
    X(SUCCESS_RULE_0, "Success policy", "successPolicy: the first rule")                           \
    X(SUCCESS_RULE_1, "Success policy", "successPolicy: the second rule")                          \
    X(GANG_WORKLOAD, "Gang scheduling", "a Workload is made")                                      \
    X(GANG_GROUP, "Gang scheduling", "a PodGroup is made")                                         \
    X(GANG_POD, "Gang scheduling", "a Pod is made in its PodGroup")                                \
    X(GANG_EXISTS, "Gang scheduling", "a Workload or PodGroup exists already: 409")                \
    X(GANG_COUNT, "Gang scheduling", "minCount follows parallelism")                               \
    X(TTL, "TTL after finished", "an expired Job is deleted")                                      \
    X(LEASE_TAKEN, "Leader election", "the Lease changes hands")                                   \
    X(NOT_SENT, "Leader election", "a request is not sent: the right to lead has run out")         \
    X(WATCH_LIST, "Lists and watches", "WatchList")                                                \
    X(PAGED_LIST, "Lists and watches", "a list in pages")                                          \
    X(RESUME, "Lists and watches", "a watch goes on from the last version")                        \
    X(OLD_STATE, "Lists and watches", "a WatchList of a server that has fallen behind")

enum sim_rule {
#define X(name, heading, words) SIM_RULE_##name,
    SIM_RULE_MAP(X)
#undef X
        SIM_N_RULES
};

/** Faults of the controllers as processes, and how they are set up. */
#define SIM_PROCESS_FAULT_MAP(X)                                  \
    X(CRASH, "killed after a write")                              \
    X(TERM, "ended in good order")                                \
    X(STOP, "stopped, and continued later")                       \
    X(JUMP_BACK, "its clock set back")                            \
    X(JUMP_AHEAD, "its clock set ahead")                          \
    X(SWALLOW, "its connections swallow what is sent")            \
    X(END, "ended by itself: it lost the lead")                   \
    X(SECOND, "a second controller stands by")                    \
    X(PAGED, "lists in pages")                                    \
    X(GANGS, "gang scheduling is on")                             \
    X(GANGS_V1BETA1, "gang scheduling is on, of Kubernetes 1.37") \
    X(QPS, "so many requests a second")                           \
    X(POISONED, "a Job and a Pod that can hardly be read stand")  \
    X(SMALL_CACHE, "Jobs are cached without their templates")     \
    X(TEMPLATE_READ, "a template is read for a sync")             \
    X(TEMPLATE_UNREAD, "a template can't be read for a sync")     \
    X(RELEASE, "handed back: decommission")                       \
    X(RELEASED, "decommission has ended")                         \
    X(BOTH_LEAD, "two held themselves for leader at a time")

enum sim_process_fault {
#define X(name, words) SIM_PROCESS_FAULT_##name,
    SIM_PROCESS_FAULT_MAP(X)
#undef X
        SIM_N_PROCESS_FAULTS
};

#endif
