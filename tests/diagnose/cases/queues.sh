# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: Jobs that a queue holds. The words are those of Kueue.

# workload JOB MESSAGE EVENTS: the Workload of the Job, which Kueue has not admitted
workload() {
    local name
    name=job-$1-$(k get job "$1" -n "$NS" -o jsonpath='{.metadata.uid}' | cut -c 1-5)
    make "{apiVersion: \"kueue.x-k8s.io/v1beta2\", kind: \"Workload\", metadata: {name: \"$name\", namespace: \"$NS\", labels: {\"kueue.x-k8s.io/job-uid\": $(k get job "$1" -n "$NS" -o json | jq .metadata.uid)}, finalizers: [\"kueue.x-k8s.io/resource-in-use\"],
        ownerReferences: [$(owner "job/$1")]}, spec: {active: true, queueName: \"team-queue\", priority: 0, podSets: [{name: \"main\", count: $(k get job "$1" -n "$NS" -o jsonpath='{.spec.parallelism}'), template: {spec: $(k get job "$1" -n "$NS" -o json | jq -c '.spec.template.spec')}}]}}"
    set_status "workload.kueue.x-k8s.io/$name" ".status.conditions = [{type: \"QuotaReserved\", status: \"False\", reason: \"Pending\", message: $(jq -n --arg m "$2" '$m'), lastTransitionTime: after(1), observedGeneration: 1}]"
    new_event "job/$1" Normal CreatedWorkload CreatedWorkload "Created Workload: $NS/$name" batch/job-kueue-controller 1
    new_event "workload.kueue.x-k8s.io/$name" Warning Pending Pending "$2" kueue-admission 1 "${3:-1}" "${4:-1}"
}

case_kueue_waits() {
    in_namespace team-a
    make '{apiVersion: "kueue.x-k8s.io/v1beta2", kind: "LocalQueue", metadata: {name: "team-queue", namespace: "team-a"}, spec: {clusterQueue: "research"}}'
    job sample-job '.metadata.labels = {"kueue.x-k8s.io/queue-name": "team-queue"} | .spec.suspend = true | .spec.completions = 3 | .spec.parallelism = 3 | c.resources.requests = {cpu: "2"}'
    workload sample-job "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default-flavor, 4 more needed" 1500 6
    dump job,pod,event,workload.kueue.x-k8s.io,localqueue.kueue.x-k8s.io
    expect '{now: job(1560), ask: "job/sample-job", verdict: "moves", who: "queue",
        first_cause: "Kueue holds the Job: its Workload waits in the queue team-queue until 4 more CPUs of the flavor default-flavor are unused. It is admitted by itself then.",
        must_mention: ["(kueue|queue)", "(quota|cpu)", "team-queue|default-flavor"], must_not_say: ["never (fit|run)", "by a person", "set .*suspend.* to false", "image", "unschedulable"],
        next_accept: ["kubectl (get|describe) (workloads?|localqueues?|lq)", "kubectl kueue|kueuectl"], next_reject: ["suspend\\W+false", "(edit|patch) job", "delete", "resume"], next_example: "kubectl describe workload \(of("Workload").metadata.name) -n team-a",
        source: "kueue at ff69552e79: pkg/scheduler/flavorassigner/flavorassigner.go, pkg/scheduler/scheduler.go (reason Pending)"}'
}

case_kueue_never() {
    in_namespace team-b
    make '{apiVersion: "kueue.x-k8s.io/v1beta2", kind: "LocalQueue", metadata: {name: "team-queue", namespace: "team-b"}, spec: {clusterQueue: "gpus"}}'
    job train-large '.metadata.labels = {"kueue.x-k8s.io/queue-name": "team-queue"} | .spec.suspend = true | .spec.completionMode = "Indexed" | .spec.completions = 4 | .spec.parallelism = 4 | c.resources = {requests: {"nvidia.com/gpu": "4", cpu: "8"}, limits: {"nvidia.com/gpu": "4"}}'
    workload train-large "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor a100, previously considered podsets requests (0) + current podset request (16) > maximum capacity (8)" 3000 5
    dump job,pod,event,workload.kueue.x-k8s.io,localqueue.kueue.x-k8s.io
    expect '{now: job(3200), ask: "job/train-large", verdict: "hand", verdict_ok: ["never"], who: "author",
        first_cause: "Kueue cannot admit the Job, however long it waits: its four Pods want 16 GPUs, and the queue has 8 in all. As it is suspended its resources can be changed, or it can be made anew with less parallelism, or an admin raises the quota.",
        must_mention: ["(kueue|queue)", "\\b16\\b", "\\b8\\b"], must_not_say: ["(is|gets) admitted (once|when|by itself)", "waits (for|until) .*(unused|free|others)", "by a person", "image"],
        next_accept: ["kubectl (patch|edit|get) job[/ ]train-large", "kubectl (get|describe) (workloads?|clusterqueues?|localqueues?)", "kubectl .*(create|apply|replace)"], next_reject: ["suspend\\W+false", "delete workload", "resume"], next_example: "kubectl patch job train-large -n team-b --type=merge -p SMALLER",
        source: "kueue at ff69552e79: pkg/scheduler/flavorassigner/flavorassigner.go (reason Pending, unless the gate UnadmittedWorkloadsObservability is on: ExceedsMaxQuota)"}'
}
