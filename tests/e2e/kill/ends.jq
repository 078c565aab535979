# SPDX-License-Identifier: Apache-2.0
# How the Jobs of mixed.yaml must end, whenever the controller is killed. Input: the list of Jobs. Prints what is otherwise.
# Killed between the creation of a resumed Job's Pods and the write that tells of the resumption, upstream too leaves Suspended as it
# was, if the Pods are over by the next sync: a Job that is complete is not resumed any more.
def state:
    .status | {succeeded, failed, completedIndexes, failedIndexes, conditions: [.conditions[]? | select(.status == "True").type]}
    | if .conditions | index("Complete") then .conditions -= ["Suspended"] else . end;
def want: {
    plain: {succeeded: 6, failed: null, completedIndexes: null, failedIndexes: null, conditions: ["SuccessCriteriaMet", "Complete"]},
    indexed: {succeeded: 5, failed: null, completedIndexes: "0-4", failedIndexes: null, conditions: ["SuccessCriteriaMet", "Complete"]},
    perindex: {succeeded: 2, failed: 1, completedIndexes: "0,2", failedIndexes: "1", conditions: ["FailureTarget", "Failed"]},
    failing: {succeeded: null, failed: 1, completedIndexes: null, failedIndexes: null, conditions: ["FailureTarget", "Failed"]},
    success: {succeeded: 1, failed: null, completedIndexes: "0", failedIndexes: null, conditions: ["SuccessCriteriaMet", "Complete"]},
    resumed: {succeeded: 2, failed: null, completedIndexes: null, failedIndexes: null, conditions: ["SuccessCriteriaMet", "Complete"]},
    suspended: {succeeded: null, failed: null, completedIndexes: null, failedIndexes: null, conditions: ["Suspended"]},
    deadline: {succeeded: null, failed: 1, completedIndexes: null, failedIndexes: null, conditions: ["FailureTarget", "Failed"]}};
[.items[] | select(.metadata.name | startswith($trial + "-")) | {key: (.metadata.name | ltrimstr($trial + "-")), value: state}]
| from_entries as $got
| (want | to_entries[] | select($got[.key] != .value) | "\(.key) is \($got[.key])"),
  # How many ended before the kill decides these.
  ($got.queue | select(.conditions != ["SuccessCriteriaMet", "Complete"] or (.succeeded | IN(1, 2, 3) | not)) | "queue is \(.)"),
  ($got.policy | select(.conditions != ["FailureTarget", "Failed"] or (.failed | IN(1, 2) | not)) | "policy is \(.)")
