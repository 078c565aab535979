# SPDX-License-Identifier: Apache-2.0
# The observer: checks a Job's whole history from two watch streams (jobs, pods), slurped. $job, $completions, $ambiguous, $parallelism.
# $completions null: the Job need not complete, and may make as many Pods as it likes. Prints one line per fault; nothing when
# all is well.

def rv: .object.metadata.resourceVersion | tonumber;
def n: . // 0;
def ended: IN("Succeeded", "Failed");
def expand: # "0,2-4" as a list of indexes
    if . == null or . == "" then [] else split(",") | map(split("-") | map(tonumber) | [range(.[0]; .[-1] + 1)]) | add end;

[.[] | select(.type != "BOOKMARK")] | sort_by(rv)
| map(select(if .object.kind == "Job" then .object.metadata.name == $job
             else any(.object.metadata.ownerReferences[]?; .name == $job) end))
| reduce .[] as $e ({faults: [], status: {}, counted: {}, pods: {}, finalized: {}, created: 0};
    if $e.object.kind == "Job" then
        ($e.object.status) as $now | .status as $was
        | ($now.uncountedTerminatedPods // {}) as $nu | ($was.uncountedTerminatedPods // {}) as $wu
        | ((($wu.succeeded // []) - ($nu.succeeded // [])) ) as $ds | (($wu.failed // []) - ($nu.failed // [])) as $df
        | ($now.completedIndexes | expand) as $ni | ($was.completedIndexes | expand) as $wi
        | (if ($now.succeeded | n) < ($was.succeeded | n) or ($now.failed | n) < ($was.failed | n)
           then .faults += ["a counter fell: \($was) -> \($now)"] else . end)
        | (if ($wi - $ni) != [] then .faults += ["indexes were lost: \($wi - $ni)"] else . end)
        | (if ($now.failed | n) != ($was.failed | n) + ($df | length)
           then .faults += ["failed went from \($was.failed | n) to \($now.failed | n) with \($df | length) uids accounted"] else . end)
        | (if $e.object.spec.completionMode == "Indexed" and ($now.succeeded | n) != ($ni | length)
           then .faults += ["succeeded is \($now.succeeded | n) with \($ni | length) indexes complete"] else . end)
        | reduce ($ni - $wi)[] as $i (.; if any(.pods[]; .index == $i and .phase == "Succeeded") then .
            else .faults += ["index \($i) is complete, but none of its Pods succeeded"] end)
        | reduce (($nu.succeeded // []) - ($wu.succeeded // []))[] as $uid (.; if .pods[$uid].phase == "Succeeded" then .
            else .faults += ["\($uid) is listed as succeeded, but it has not"] end)
        | reduce (($nu.failed // []) - ($wu.failed // []))[] as $uid (.;
            if .pods[$uid] | .phase == "Failed" or .deleting or .gone then .
            else .faults += ["\($uid) is listed as failed, but it has not"] end)
        | (if ($e.object.spec.completionMode != "Indexed") and ($now.succeeded | n) != ($was.succeeded | n) + ($ds | length)
           then .faults += ["succeeded went from \($was.succeeded | n) to \($now.succeeded | n) with \($ds | length) uids accounted"] else . end)
        | reduce ($ds + $df)[] as $uid (.;
            (if .pods[$uid].tracked # a restart would count it again
             then .faults += ["\($uid) was counted before its finalizer was gone"] else . end)
            | if .counted[$uid] then .faults += ["\($uid) was counted twice"] else .counted[$uid] = true end)
        | reduce (($nu.succeeded // []) + ($nu.failed // []))[] as $uid (.;
            if .counted[$uid] then .faults += ["\($uid) is listed again after it was counted"] else . end)
        | (if any($now.conditions[]?; (.type == "Complete" or .type == "Failed") and .status == "True") and
             (($now.active | n) > 0 or (($nu.succeeded // []) + ($nu.failed // []) | length) > 0)
           then .faults += ["finished with Pods active or uncounted: \($now)"] else . end)
        | .status = $now
    else
        $e.object as $pod | $pod.metadata.uid as $uid | .pods[$uid] as $before
        # The last thing that is told of a deleted Pod may be how it was before it lost the finalizer.
        | ($e.type != "DELETED" and (($pod.metadata.finalizers // []) | any(endswith("/job-tracking")))) as $tracked
        | (if $before == null and $e.type == "ADDED" then .created += 1 else . end)
        | ($pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] | if . then tonumber else null end) as $i
        | ($pod.metadata.deletionTimestamp != null) as $deleting
        | (if ($tracked | not) and ($pod.status.phase | ended) then
             (.status) as $s | ($s.uncountedTerminatedPods // {}) as $u
             | if (($u.succeeded // []) + ($u.failed // []) | index($uid)) != null then .
               elif $pod.status.phase == "Succeeded" and (($s.completedIndexes | expand) | index($i)) != null then .
               elif $before.tracked then .faults += ["\($pod.metadata.name) lost its finalizer before it was in the status"]
               # An excess Pod loses it on purpose, just before it is deleted.
               elif ($before.phase | ended) or $deleting then .
               else .faults += ["\($pod.metadata.name) ended without a finalizer"] end
           else . end)
        | .pods[$uid] = {tracked: $tracked, phase: $pod.status.phase, gone: ($e.type == "DELETED"), deleting: $deleting, index: $i}
        | ([.pods[] | select((.phase | ended | not) and (.deleting or .gone | not))] | length) as $active
        | (if $active > $parallelism + $ambiguous then .faults += ["\($active) Pods were active at once"] else . end)
    end)
| ([.pods[] | select(.phase == "Succeeded")] | length) as $succeeded
| (if any(.pods[]; .tracked) then .faults += ["a Pod kept its finalizer"] else . end)
| (if $completions == null then .
   else (if .created > $completions + $ambiguous then .faults += ["\(.created) Pods were created for \($completions) completions"] else . end)
  | (if (.status.succeeded | n) != $completions then .faults += ["succeeded is \(.status.succeeded), expected \($completions)"] else . end)
  | (if $succeeded < $completions then .faults += ["only \($succeeded) Pods succeeded"] else . end)
  | (if any(.status.conditions[]?; .type == "Complete" and .status == "True") then . else .faults += ["not Complete"] end) end)
| .faults[]
