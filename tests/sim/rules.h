/* The rules of the specification (controller.md) that a run has to have met, each told from what
 * can be observed: requests, statuses, events, metrics. */
#ifndef JR_TESTS_SIM_RULES_H
#define JR_TESTS_SIM_RULES_H

#define SIM_RULE_MAP(X)                                                                          \
    X(ORPHAN, "2", "the orphan worker takes a finalizer off")                                    \
    X(STALE_JOBS, "3.1", "a sync is skipped: the cached Job is older than our write")            \
    X(STALE_PODS, "3.1", "a sync is skipped: the cached Pods are older than our write")          \
    X(EXTERNAL, "3.3", "another controller's Job is left alone")                                 \
    X(SUCCESS_KEPT, "3.12a", "SuccessCriteriaMet stood before, Complete follows")                \
    X(FAILURE_KEPT, "3.12b", "FailureTarget stood before, Failed follows")                       \
    X(FAIL_JOB, "3.12c", "FailureTarget PodFailurePolicy")                                       \
    X(BACKOFF_LIMIT, "3.12d", "FailureTarget BackoffLimitExceeded")                              \
    X(DEADLINE, "3.12e", "FailureTarget DeadlineExceeded")                                       \
    X(MAX_FAILED_INDEXES, "3.12f", "FailureTarget MaxFailedIndexesExceeded")                     \
    X(FAILED_INDEXES, "3.12f", "FailureTarget FailedIndexes")                                    \
    X(SUCCESS_POLICY, "3.12g", "SuccessCriteriaMet SuccessPolicy")                               \
    X(DELETE_AT_END, "3.13", "an active Pod of a Job that ends is deleted, finalizer and all")   \
    X(COMPLETIONS, "3.13", "SuccessCriteriaMet CompletionsReached")                              \
    X(COMPLETE_QUEUE, "3.13", "a work queue completes")                                          \
    X(COMPLETE_ZERO, "3.13", "completions 0 completes")                                          \
    X(SUSPENDED, "3.13", "Suspended becomes True, startTime goes")                               \
    X(RESUMED, "3.13", "Suspended becomes False, startTime comes anew")                          \
    X(JOB_DELETED, "3", "a Job being deleted has its Pods' finalizers removed")                  \
    X(READY, "3.14", "ready is counted")                                                         \
    X(TERMINATING, "3.14", "terminating is counted")                                             \
    X(ADOPT, "4", "a Pod is adopted")                                                            \
    X(RECHECK, "4", "the live Job is read before an adoption")                                   \
    X(RELEASE, "4", "a Pod is released")                                                         \
    X(PATCH_GONE, "4", "a patch of a Pod that is gone: 404")                                     \
    X(REMOVE, "5", "a surplus Pod loses its finalizer, then goes")                               \
    X(CREATE_NEW, "5", "Pods are created: new")                                                  \
    X(CREATE_AGAIN, "5", "Pods are created: recreate_terminating_or_failed")                     \
    X(CREATE_FAILED, "5", "Pods are created: recreate_failed")                                   \
    X(NS_TERMINATING, "5", "a creation meets a namespace that goes: 403, without an event")      \
    X(CREATE_REFUSED, "5", "a creation fails")                                                   \
    X(INDEX_FAILURES, "5", "a replacement carries the index' failures")                          \
    X(INDEX_IGNORED, "5", "a replacement carries the index' ignored failures")                   \
    X(SCALE_DOWN, "5", "an elastic scale-down cuts completedIndexes")                            \
    X(LIST_SUCCEEDED, "6", "a uid enters uncountedTerminatedPods.succeeded")                     \
    X(LIST_FAILED, "6", "a uid enters uncountedTerminatedPods.failed")                           \
    X(COUNT_SUCCEEDED, "6", "succeeded rises as the uid leaves")                                 \
    X(COUNT_FAILED, "6", "failed rises as the uid leaves")                                       \
    X(COUNT_INDEX, "6", "completedIndexes grows")                                                \
    X(COUNT_FAILED_INDEX, "6", "failedIndexes grows")                                            \
    X(TAKEN_OVER, "6", "what one life listed another one counts")                                \
    X(CAP, "6", "a sync lists 500 Pods, and leaves the rest to the next")                        \
    X(HELD, "6", "a failed Pod keeps its finalizer until its replacement is there")              \
    X(PUT_CONFLICT, "6", "a status PUT meets a newer version: 409")                              \
    X(EVENT_CREATED, "7", "event SuccessfulCreate")                                              \
    X(EVENT_DELETED, "7", "event SuccessfulDelete")                                              \
    X(EVENT_NOT_CREATED, "7", "event FailedCreate")                                              \
    X(EVENT_NOT_DELETED, "7", "event FailedDelete")                                              \
    X(EVENT_SUSPENDED, "7", "event Suspended")                                                   \
    X(EVENT_RESUMED, "7", "event Resumed")                                                       \
    X(EVENT_COMPLETED, "7", "event Completed")                                                   \
    X(EVENT_TOO_MANY, "7", "event TooManySucceededPods")                                         \
    X(EVENT_FAILED, "7", "an event with Failed's reason")                                        \
    X(EVENT_WORKLOAD, "7", "event WorkloadCreated")                                              \
    X(EVENT_AGAIN, "7", "an event is counted, not written anew")                                 \
    X(EVENT_SIMILAR, "7", "similar events are combined")                                         \
    X(BACKOFF, "8", "a failed Pod is replaced after ten seconds and more")                       \
    X(BACKOFF_KNOWN, "8", "a creation is held to the backoff of failures that its maker listed") \
    X(RESTARTS, "8", "restarts of an OnFailure Job exceed its limit")                            \
    X(POLICY_FAIL_JOB, "9", "podFailurePolicy: FailJob")                                         \
    X(POLICY_FAIL_INDEX, "9", "podFailurePolicy: FailIndex")                                     \
    X(POLICY_IGNORE, "9", "podFailurePolicy: Ignore")                                            \
    X(POLICY_COUNT, "9", "podFailurePolicy: Count")                                              \
    X(SUCCESS_RULE_0, "9", "successPolicy: the first rule")                                      \
    X(SUCCESS_RULE_1, "9", "successPolicy: the second rule")                                     \
    X(GANG_WORKLOAD, "10", "a Workload is made")                                                 \
    X(GANG_GROUP, "10", "a PodGroup is made")                                                    \
    X(GANG_POD, "10", "a Pod is made in its PodGroup")                                           \
    X(GANG_EXISTS, "10", "a Workload or PodGroup exists already: 409")                           \
    X(TTL, "11", "an expired Job is deleted")                                                    \
    X(LEASE_TAKEN, "12", "the Lease changes hands")                                              \
    X(NOT_SENT, "12", "a request is not sent: the right to lead has run out")                    \
    X(WATCH_LIST, "12", "WatchList")                                                             \
    X(PAGED_LIST, "12", "a list in pages")                                                       \
    X(RESUME, "12", "a watch goes on from the last version")                                     \
    X(OLD_STATE, "12", "a WatchList of a server that has fallen behind")

enum sim_rule {
#define X(name, section, words) SIM_RULE_##name,
    SIM_RULE_MAP(X)
#undef X
        SIM_N_RULES
};

/** What befalls the controllers as processes. */
#define SIM_TROUBLE_MAP(X)                                       \
    X(CRASH, "killed after a write")                             \
    X(TERM, "ended in good order")                               \
    X(STOP, "stopped, and continued later")                      \
    X(JUMP_BACK, "its clock set back")                           \
    X(JUMP_AHEAD, "its clock set ahead")                         \
    X(END, "ended by itself: it lost the lead")                  \
    X(SECOND, "a second controller stands by")                   \
    X(PAGED, "lists in pages")                                   \
    X(GANGS, "gang scheduling is on")                            \
    X(QPS, "so many requests a second")                          \
    X(POISONED, "a Job and a Pod that can hardly be read stand") \
    X(RELEASE, "handed back: --release")                         \
    X(RELEASED, "--release has ended")                           \
    X(BOTH_LEAD, "two held themselves for leader at a time")

enum sim_trouble {
#define X(name, words) SIM_TROUBLE_##name,
    SIM_TROUBLE_MAP(X)
#undef X
        SIM_N_TROUBLES
};

#endif
