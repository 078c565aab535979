#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Resumed Jobs beside API servers that refuse a new start time at resume, 1.32.0-9, 1.33.0-5 and 1.34.0-1: resume.sh BIN. While such a Job runs its
# status follows its Pods, and it ends; once it was suspended by our controller, once by one that kept the start time. The test is the kubelet.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene resume

jobs=/apis/batch/v1/namespaces/default/jobs
pods=/api/v1/namespaces/default/pods
merge='Content-Type: application/merge-patch+json'

controller() {
    proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --leader-elect=false \
        --health-probe-bind-address 0 --metrics-bind-address 0
}
status() { # status JOB FILTER: what it says of the Job's status is true
    api GET "$jobs/$1" | jq -e ".status | $2" > /dev/null
}
waits() { # waits WHAT COMMAND...
    ALIVE="devcluster controller" await 60 "$@"
}
pending() { api GET "$pods?labelSelector=job-name%3D$1" | jq -er 'first(.items[] | select(.status.phase == "Pending" and (.metadata.deletionTimestamp | not)) | .metadata.name)'; }
phase() { api PATCH "$pods/$1/status" -H "$merge" -d "{\"status\":{\"phase\":\"$2\"}}" > /dev/null; }
remove() { api DELETE "$pods/$1?gracePeriodSeconds=0" > /dev/null; } # as the kubelet, when it is over
suspend() { api PATCH "$jobs/$1" -H "$merge" -d "{\"spec\":{\"suspend\":$2}}" > /dev/null; }
job() { # job NAME: three rounds, the first of which begins
    api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {completions: 3, parallelism: 1, template: {spec: {nodeName: here, restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
    waits "the Pod of $1" pending "$1"
    waits "$1 being active" status "$1" '.active == 1 and .startTime'
}
rounds() { # rounds NAME: each is seen in the status, then the end
    local n pod
    for n in 1 2 3; do
        waits "Pod $n of $1" pending "$1"
        waits "$1 being active, $n" status "$1" '.active == 1 and .startTime'
        pod=$(pending "$1")
        phase "$pod" Running
        phase "$pod" Succeeded
        waits "success $n of $1" status "$1" ".succeeded == $n"
    done
    waits "the end of $1" status "$1" 'any(.conditions[]?; .type == "Complete" and .status == "True")'
}

for version in 1.32.9 1.33.5 1.34.1; do
    rm -f "$DIR/kubeconfig"
    devcluster --node '' --kubernetes-version $version
    controller
    job ours
    pod=$(pending ours)
    suspend ours true
    waits "the suspension" status ours 'any(.conditions[]?; .type == "Suspended" and .status == "True")'
    remove "$pod"
    suspend ours false
    rounds ours
    echo "ok    $version: suspended and resumed"

    job others
    proc_stop controller
    suspend others true
    pod=$(pending others)
    api PATCH "$pods/$pod" -H "$merge" -d '{"metadata":{"finalizers":null}}' > /dev/null
    remove "$pod"
    api PATCH "$jobs/others/status" -H "$merge" -d '{"status":{"active":0,"conditions":[{"type":"Suspended","status":"True","reason":"JobSuspended",
        "message":"Job suspended","lastProbeTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}' > /dev/null
    status others .startTime
    suspend others false
    controller
    rounds others
    echo "ok    $version: suspended by a controller that keeps the start time, and resumed"
    proc_stop controller
    proc_stop devcluster
done
