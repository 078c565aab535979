# SPDX-License-Identifier: Apache-2.0
# What a kubelet writes to a Pod's status, in its shape. The input is the Pod; times are seconds after its creation.
def after($s): .metadata.creationTimestamp | fromdate + $s | todate;
def short_id: [splits("[^0-9a-f]")] | add;
def container_id($n): "containerd://" + (.metadata.uid | short_id) + (.metadata.uid | short_id)[:31] + ($n | tostring);
def image_id($image): ($image | sub(":[^:/]*$"; "")) + "@sha256:" + (.metadata.uid | short_id * 2);

def condition($type; $status; $s): {type: $type, status: $status, lastProbeTime: null, lastTransitionTime: after($s), observedGeneration: .metadata.generation};
def keep_condition($type): [.status.conditions[]? | select(.type == $type)];
# The kubelet's conditions: $sandbox and $ready are when these became true, null if they aren't.
def conditions($sandbox; $initialized; $ready; $changed; $why):
    .status.conditions = [
        condition("PodReadyToStartContainers"; if $sandbox != null then "True" else "False" end; $sandbox // 1),
        condition("Initialized"; if $initialized != null then "True" else "False" end; $initialized // 1) + (if $initialized == null then {reason: "ContainersNotInitialized", message: "containers with incomplete status: [\(.spec.initContainers[0].name)]"} else {} end),
        (("Ready", "ContainersReady") as $type | condition($type; if $ready != null then "True" else "False" end; $ready // $changed) + (if $ready != null then {} else $why end))
    ] + keep_condition("PodScheduled");
def unready: {reason: "ContainersNotReady", message: "containers with unready status: [\([.spec.containers[].name] | join(" "))]"};
def placed($s): .status.startTime = after($s) | .status.hostIP = "10.128.0.11" | .status.hostIPs = [{ip: "10.128.0.11"}] | .status.observedGeneration = .metadata.generation;
def with_ip: .status.podIP = "10.244.3.27" | .status.podIPs = [{ip: "10.244.3.27"}];

def status_of($container; $state): {name: $container.name, image: $container.image, imageID: "", lastState: {}, ready: false, restartCount: 0, started: false, state: $state};
def waits($reason; $message): {waiting: ({reason: $reason} + if $message == "" then {} else {message: $message} end)};

# No container has begun: ImagePullBackOff, CreateContainerConfigError, ContainerCreating (then without a sandbox) ...
def waiting($reason; $message):
    placed(1) | .status.phase = "Pending" | (if $reason == "ContainerCreating" then . else with_ip end)
    | .status.containerStatuses = [.spec.containers[] as $c | status_of($c; waits($reason; $message))]
    | conditions((if $reason == "ContainerCreating" then null else 4 end); 1; null; 1; unready);
def running($s):
    placed(1) | with_ip | .status.phase = "Running"
    | .status.containerStatuses = [.spec.containers[] as $c | status_of($c; {running: {startedAt: after($s)}}) + {ready: true, started: true, imageID: image_id($c.image), containerID: container_id(1)}]
    | conditions($s; 1; $s; $s; {});
def terminated($code; $reason; $from; $to): {terminated: {exitCode: $code, reason: $reason, startedAt: after($from), finishedAt: after($to), containerID: container_id(1)}};
# The Pod has ended.
def ended($code; $reason; $from; $to):
    placed(1) | with_ip | .status.phase = (if $code == 0 then "Succeeded" else "Failed" end)
    | .status.containerStatuses = [.spec.containers[] as $c | status_of($c; terminated($code; $reason; $from; $to)) + {imageID: image_id($c.image), containerID: container_id(1)}]
    | conditions(null; 1; null; $to; if $code == 0 then {reason: "PodCompleted"} else {reason: "PodFailed"} end);
# Its container has ended $n + 1 times, last with $code, and waits for its next start.
def crashed($n; $code; $reason; $from; $to; $backoff):
    running($from)
    | .status.containerStatuses[0] |= . + {ready: false, started: false, restartCount: $n}
    | .status.containerStatuses[0].lastState = terminated($code; $reason; $from; $to)
    | .status.containerStatuses[0].state = waits("CrashLoopBackOff"; "back-off \($backoff) restarting failed container=\(.spec.containers[0].name) pod=\(.metadata.name)_\(.metadata.namespace)(\(.metadata.uid))")
    | conditions(3; 1; null; $to; unready);
def its_end: (.status.containerStatuses[0].state.terminated.finishedAt | fromdate) - (.metadata.creationTimestamp | fromdate);
def disrupted($reason; $message; $s):
    .status.conditions = [condition("DisruptionTarget"; "True"; $s) + {reason: $reason, message: $message}] + .status.conditions;
