# SPDX-License-Identifier: Apache-2.0
# In which order a controller has written, and whether the times that it wrote are in order. Input, as raw lines: the watch streams of one namespace's
# Jobs and Pods; resource versions put their events in one order. Output, lines of text: what does not depend on who was faster, or on how many
# Pods one sync has counted.
#   each Job's conditions and start times, by write
#   each Pod's life: made, deleted (told to go, while its Job was not), listed (in the Job's status), let go (by the finalizer), counted
#   for each condition, which of these had befallen the Pods by then: all, some or none of those that it ever befell
#   times that are before what must have been before them
def rv: .object.metadata.resourceVersion | tonumber;
def indexes: # "0,2-4" as a list
    if . == null or . == "" then [] else split(",") | map(split("-") | map(tonumber) | [range(.[0]; .[-1] + 1)]) | add end;
def index: .metadata.annotations["batch.kubernetes.io/job-completion-index"] | if . then tonumber else null end;
def tracked: any(.metadata.finalizers[]?; . == "batch.kubernetes.io/job-tracking");
def is_of($uid): any(.metadata.ownerReferences[]?; .kind == "Job" and .controller and .uid == $uid);
def uncounted: .object.status.uncountedTerminatedPods | (.failed // []) + (.succeeded // []);
def first_at(f): first(f).at // null;

# Input: events of one Job
def conditions:
    . as $e | range(length) as $i | ($e[$i].object.status.conditions // [])[] as $c
    | select($i == 0 or (any($e[$i - 1].object.status.conditions[]?; .type == $c.type and .status == $c.status) | not))
    | {word: (if $c.status == "True" then $c.type else "not \($c.type)" end), at: $e[$i].at};
def starts:
    . as $e | range(length) as $i | $e[$i].object.status.startTime as $s
    | select($s != (if $i == 0 then null else $e[$i - 1].object.status.startTime end))
    | {word: (if $s then "startTime" else "no startTime" end), at: $e[$i].at};
def deleted_at: first_at(.[] | select(.type == "DELETED" or .object.metadata.deletionTimestamp));

# Input: events of one Pod; $job: of its Job
def let_go: . as $e | first_at(range(1; length) as $i
    | select(($e[$i - 1].object | tracked) and ($e[$i] | .type == "DELETED" or (.object | tracked | not))) | $e[$i]);
def listed($job): .[0].object.metadata.uid as $uid | first_at($job[] | select(uncounted | index($uid)));
def completed($job):
    (.[0].object | index) as $index | first_at(.[] | select(.object.status.phase == "Succeeded")) as $over
    | if $over == null or $job[0].object.spec.completionMode != "Indexed" then null
      else first_at($job[] | select(.at > $over and (.object.status.completedIndexes | indexes | index($index)))) end;
def life($job):
    .[0].object.metadata.uid as $uid | listed($job) as $listed
    | ($job | deleted_at) as $over
    | [{word: "made", at: .[0].at},
       {word: "deleted", at: (deleted_at | if . and $over and . > $over then null else . end)}, # by the garbage collector
       {word: "listed", at: ([$listed, completed($job) | values] | min)},
       {word: "let go", at: let_go},
       {word: "counted", at: (if $listed then first_at($job[] | select(.at > $listed and (uncounted | index($uid) | not))) else null end)}]
    | map(select(.at)) | sort_by(.at);

# Input: the last state of a Job; $ends: when its Pods that succeeded had ended
def at($type): first(.status.conditions[]? | select(.type == $type and .status == "True").lastTransitionTime) // null;
def disorder($ends):
    any(.status.conditions[]?; .type == "Suspended") as $suspended # it may have been decided before it was resumed
    | [["creation", .metadata.creationTimestamp, "startTime", .status.startTime],
     ["startTime", .status.startTime, "completionTime", .status.completionTime],
     (("SuccessCriteriaMet", "FailureTarget", "Complete", "Failed") as $t | select($suspended | not) | ["startTime", .status.startTime, $t, at($t)]),
     ["SuccessCriteriaMet", at("SuccessCriteriaMet"), "Complete", at("Complete")],
     ["FailureTarget", at("FailureTarget"), "Failed", at("Failed")],
     ["completionTime", .status.completionTime, "Complete", at("Complete")],
     ["the last Pod's end", ($ends | max), "Complete", at("Complete")]][]
    | select(.[1] and .[3] and .[3] < .[1]) | "\(.[2]) is before \(.[0])";

[inputs | fromjson? | select(.type | IN("ADDED", "MODIFIED", "DELETED"))] | sort_by(rv) | to_entries | map(.value + {at: .key})
| (map(select(.object.kind == "Job")) | group_by(.object.metadata.uid) | sort_by(.[0].at)) as $jobs
| (map(select(.object.kind == "Pod")) | group_by(.object.metadata.uid)) as $pods
| $jobs | to_entries[] | "Job \(.key)" as $name | .value as $job | $job[0].object.metadata.uid as $uid
| [$pods[] | select(any(.[].object; is_of($uid)))] as $own | [$own[] | life($job)] as $lives
| "\($name): \([$job | conditions, starts] | group_by(.at) | map(map(.word) | sort | join(" and ")) | join(", "))",
  ([$lives[] | map(.word) | join(", ")] | unique[] | "\($name): Pods: \(.)"),
  (($job | conditions) as $c | ("made", "deleted", "listed", "let go", "counted") as $w
   # of what is counted one by one, some may be when the Job is decided
   | select(($c.word | IN("SuccessCriteriaMet", "FailureTarget") | not) or ($w | IN("let go", "counted") | not))
   | [$lives[][] | select(.word == $w).at] | select(length > 0)
   | "\($name): \($w) by \($c.word): \(if all(. <= $c.at) then "all" elif any(. <= $c.at) then "some" else "none" end)"),
  ([$own[] | last | select(.object.status.phase == "Succeeded").object.status.containerStatuses[]?.state.terminated.finishedAt | values] as $ends
   | $job | last.object | disorder($ends) | "\($name): \(.)")
