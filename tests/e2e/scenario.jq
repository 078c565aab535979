# SPDX-License-Identifier: Apache-2.0
# The words that the steps of a scenario are written in. Input: the events of two watch streams (Jobs, Pods), as raw lines,
# of which the last may not be whole yet. The state is what exists now, and all that the Jobs have ever been (was).

def state:
    reduce (inputs | fromjson? | select(.type | IN("ADDED", "MODIFIED", "DELETED"))) as $e ({};
        (if $e.object.kind == "Job" then .was += [$e.object] else . end)
        | .[$e.object.kind][$e.object.metadata.uid] = if $e.type == "DELETED" then null else $e.object end)
    | {jobs: [.Job[]? | values], pods: [.Pod[]? | values], was: (.was // [])};

# job: the Job made last, null when there is none; job("name"): that one
def job: .jobs | sort_by(.metadata.creationTimestamp, (.metadata.resourceVersion | tonumber)) | last;
def job($name): first(.jobs[] | select(.metadata.name == $name)) // null;
def is($type): any(.status.conditions[]?; .type == $type and .status == "True");
def complete: job | is("Complete");
def failed: job | is("Failed");
def suspended: job | is("Suspended");

# Pods
def index: .metadata.labels["batch.kubernetes.io/job-completion-index"] | if . then tonumber else null end;
def deleting: .metadata.deletionTimestamp != null;
def over: .status.phase | IN("Succeeded", "Failed");
def tracked: any(.metadata.finalizers[]?; . == "batch.kubernetes.io/job-tracking");
def running: [.pods[] | select(.status.phase == "Running" and (deleting | not))];
def running($i): running[] | select(index == $i);
def active: job.status.active // 0;
def idle: .pods == [] and active == 0;
# current: the Job's status is that of its Pods
def current:
    job as $job
    | [.pods[] | select(over | not) | select(any(.metadata.ownerReferences[]?; .uid == $job.metadata.uid))] as $pods
    | [$pods[] | select(deleting | not)] as $active
    | active == ($active | length) and ($job.status.ready // 0) == ($active | map(select(is("Ready"))) | length)
        and ($job.status.terminating // 0) == ($pods | length) - ($active | length)
        and ($job.status.uncountedTerminatedPods | . == null or . == {});
# counted: no Pod of a Job that is over waits any more
def counted:
    [.jobs[] | select(is("Complete") or is("Failed")) | .metadata.uid] as $over
    | all(.pods[] | select(tracked); [.metadata.ownerReferences[]?.uid] - $over != []);
# ready(n): so many run, and are ready, and the Job's status says so
def ready($n): (running | length) == $n and active == $n and ((job.status.ready // 0) == $n);
# Seconds, at least so many of which somebody must have waited; times are written in whole ones.
# took(TYPE): from the Job's start to that condition
def took($type): job | (first(.status.conditions[] | select(.type == $type)).lastTransitionTime | fromdate) - (.status.startTime | fromdate);
# stood: from the end of a Job that is gone to its deletion
def stood:
    last(.was[] | select(.metadata.deletionTimestamp)) | (.metadata.deletionTimestamp | fromdate)
        - (first(.status.conditions[] | select(.type | IN("Complete", "Failed"))).lastTransitionTime | fromdate);
# waited: from the last failure of another Pod to the creation of the last one
def waited:
    (.pods | sort_by(.metadata.creationTimestamp)) as $pods
    | ($pods[-1].metadata.creationTimestamp | fromdate)
        - ([$pods[:-1][] | select(.status.phase == "Failed").status.containerStatuses[].state.terminated.finishedAt | fromdate] | max);
def first_one: sort_by(.metadata.creationTimestamp, .metadata.name) | first;

# The bodies of what a kubelet would tell. $now is the time.
def over_status($phase; $code; $ended):
    {status: {phase: $phase, containerStatuses: [.spec.containers[] | {
        name, image, imageID: "", ready: false, started: false, restartCount: 0,
        state: {terminated: {exitCode: $code, reason: (if $code == 0 then "Completed" else "Error" end),
                             startedAt: (now | todate), finishedAt: ($ended | todate)}}}]}};
def end_with($code; $ended):
    over_status(if $code == 0 then "Succeeded" else "Failed" end; $code; $ended)
    | .status.conditions = [{type: "Ready", status: "False", lastTransitionTime: (now | todate), reason: "PodCompleted"}];
def end_with($code): end_with($code; now);
def disrupt:
    over_status("Failed"; 137; now)
    | .status.conditions = [{type: "Ready", status: "False", lastTransitionTime: (now | todate), reason: "PodFailed"},
                            {type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI",
                             lastTransitionTime: (now | todate)}];
