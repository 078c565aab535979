#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One Pod, one result: one_result.sh BIN. Pods whose finalizer can't be removed end otherwise than they are recorded, on the devcluster; the
# test is the kubelet.
#   deleted, and so recorded as failed, it exits with 0: it stays failed, and another Pod succeeds; plain and Indexed
#   recorded as succeeded, its phase becomes Failed: it stays succeeded, and a Job with backoffLimit 0 completes; plain and Indexed
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene one-result

jobs=/apis/batch/v1/namespaces/default/jobs
pods=/api/v1/namespaces/default/pods

job() { # job NAME SPEC...
    api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {${*:2}, template: {spec: {nodeName: here, restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}
pods_of() { api GET "$pods?labelSelector=job-name%3D$1" | jq -r '.items | sort_by(.metadata.resourceVersion | tonumber)[].metadata.name'; }
has() { [ "$(pods_of "$1" | wc -l)" = "$2" ]; }
other() { pods_of "$1" | grep -vx -- "$2"; } # other JOB POD: another Pod of the Job
phase() { # phase POD PHASE
    api PATCH "$pods/$1/status" -H 'Content-Type: application/merge-patch+json' -d "{\"status\":{\"phase\":\"$2\"}}" > /dev/null
}
status() { # status JOB FILTER: what it says of the Job's status is true
    api GET "$jobs/$1" | jq -e ".status | $2" > /dev/null
}
block() { # the controller's patches of Pods are refused
    api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-controller", "method": "PATCH", "path": "/pods/", "action": "status", "status": 500}]}' > /dev/null
}
refused() { # refused POD: the removal of its finalizer has been refused since mark
    log_since_start controller | tail -n "+$((mark + 1))" | grep -q "sync failed.*\"$1\""
}
another_round() { # another_round JOB: a sync begins that has seen what was written before
    mark=$(log_since_start controller | wc -l)
    api PATCH "$jobs/$1" -H 'Content-Type: application/merge-patch+json' -d "{\"metadata\":{\"annotations\":{\"round\":\"$mark\"}}}" > /dev/null
    ALIVE="devcluster controller" await 60 "another sync of $1" refused "$1"
}
deleted_and_done() { # deleted_and_done JOB SPEC...
    local name=$1 pod
    job "$@" completions: 1, backoffLimit: 3
    ALIVE="devcluster controller" await 60 "the Pod" has "$name" 1
    pod=$(pods_of "$name")
    phase "$pod" Running
    ALIVE="devcluster controller" await 60 "$name being active" status "$name" '.active == 1'
    block
    api DELETE "$pods/$pod" > /dev/null
    ALIVE="devcluster controller" await 60 "$pod being recorded as failed" status "$name" '(.uncountedTerminatedPods.failed | length) == 1'
    phase "$pod" Succeeded
    ALIVE="devcluster controller" await 60 "the Pod in its place" has "$name" 2
    another_round "$name"
    status "$name" '(.succeeded // 0) == 0 and (.uncountedTerminatedPods.succeeded // []) == [] and (.completedIndexes // "") == "" and (.conditions // []) == []'
    api DELETE /devcluster/faults > /dev/null
    phase "$(other "$name" "$pod")" Succeeded
    ALIVE="devcluster controller" await 90 "the end of $name" status "$name" 'any(.conditions[]?; .type == "Complete" and .status == "True")'
    status "$name" '.succeeded == 1 and .failed == 1'
    echo "ok    $name: it stays failed"
}

done_and_failed() { # done_and_failed JOB SPEC...
    local name=$1 pod other
    job "$@" completions: 2, parallelism: 2, backoffLimit: 0
    ALIVE="devcluster controller" await 60 "the Pods" has "$name" 2
    pod=$(pods_of "$name" | head -n 1)
    other=$(other "$name" "$pod")
    phase "$pod" Running
    phase "$other" Running
    ALIVE="devcluster controller" await 60 "$name being active" status "$name" '.active == 2'
    block
    mark=$(log_since_start controller | wc -l)
    phase "$pod" Succeeded
    ALIVE="devcluster controller" await 60 "its success being recorded" status "$name" '(.completedIndexes // "" | length) + (.uncountedTerminatedPods.succeeded // [] | length) == 1'
    ALIVE="devcluster controller" await 60 "the refusal" refused "$name"
    phase "$pod" Failed
    another_round "$name"
    phase "$other" Succeeded
    api DELETE /devcluster/faults > /dev/null
    ALIVE="devcluster controller" await 90 "the end of $name" status "$name" 'any(.conditions[]?; (.type == "Complete" or .type == "Failed") and .status == "True")'
    status "$name" 'any(.conditions[]; .type == "Complete") and .succeeded == 2 and (.failed // 0) == 0'
    echo "ok    $name: it stays succeeded"
}

devcluster --node ''
proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --leader-elect=false \
    --health-probe-bind-address 0 --metrics-bind-address 0
deleted_and_done deleted-plain completionMode: NonIndexed,
deleted_and_done deleted-indexed completionMode: Indexed,
done_and_failed done-plain completionMode: NonIndexed,
done_and_failed done-indexed completionMode: Indexed,
proc_stop controller
