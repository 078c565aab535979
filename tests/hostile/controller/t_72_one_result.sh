#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a Pod was counted as failed and as succeeded. Deleted while somebody's webhook refuses the removal of its finalizer, it exited with 0:
# Complete with `failed: 1` and no success, an Indexed one in both lists. Written over the other way round, a recorded success failed a Job with
# backoffLimit 0. The list in which a Pod's uid stands decides now. Seen to fail on 23e780d2: no Pod in the place of the deleted one, and
# BackoffLimitExceeded.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
tenants
NS=$A

allow() { # the removal of finalizers, again
    k delete validatingwebhookconfiguration one-result --ignore-not-found > /dev/null
    await 60 "the webhook being gone" tried
}
refuse() { # ... of A's Pods
    k apply -f - > /dev/null << Y
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: one-result}
webhooks:
- name: gate.refusers.example
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [UPDATE], scope: Namespaced}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $A}}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
Y
    await 60 "the webhook" eval '! tried'
}
tried() { k annotate pod probe -n "$A" "tried=$RANDOM" --dry-run=server --overwrite; }
finish_refusing() {
    local status=$?
    k delete validatingwebhookconfiguration one-result --ignore-not-found > /dev/null 2>&1
    return $status
}
phase() { k patch pod "$1" -n "$A" --subresource=status --type merge -p "{\"status\":{\"phase\":\"$2\"}}" > /dev/null; }
run_job() { # run_job NAME SPEC...: the test is its Pods' kubelet
    k create -n "$A" -f - > /dev/null << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {${*:2}, template: {spec: {nodeName: nowhere, terminationGracePeriodSeconds: 600, restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}}
Y
}
names_of() { k get pods -n "$A" -l "batch.kubernetes.io/job-name=$1" --sort-by=.metadata.creationTimestamp -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}'; }
has() { [ "$(pods_of "$1")" = "$2" ]; }
status() { k get job "$1" -n "$A" -o json | jq -e ".status | $2" > /dev/null; }
syncs() { http_get "$METRICS" /metrics | awk '/^job_controller_job_syncs_total\{/ { n += $NF } END { print n + 0 }'; }
more_syncs() { [ "$(syncs)" -ge "$1" ]; }
another_round() { # another_round JOB: it has been looked at since
    k annotate job "$1" -n "$A" "round=$RANDOM" --overwrite > /dev/null
    check_await "$1 is looked at again" 60 more_syncs "$(($(syncs) + 2))"
}

trap 'finish_refusing; tenants_gone; finish' EXIT
k apply -f - > /dev/null << 'Y'
{"apiVersion":"v1","kind":"Node","metadata":{"name":"nowhere"}}
Y
k run probe -n "$A" --image=busybox:1.36 --restart=Never > /dev/null
controller
for mode in NonIndexed Indexed; do
    name=deleted-${mode,,}
    run_job "$name" completionMode: $mode, completions: 1, backoffLimit: 3
    check_await "$name has its Pod" 60 has "$name" 1
    pod=$(names_of "$name")
    phase "$pod" Running
    refuse
    k delete pod "$pod" -n "$A" --wait=false > /dev/null
    check_await "$name: the deletion is recorded as a failure" 60 status "$name" '(.uncountedTerminatedPods.failed | length) == 1'
    phase "$pod" Succeeded
    check_await "$name: another Pod takes its place" 90 has "$name" 2
    allow
    phase "$(names_of "$name" | grep -vx -- "$pod")" Succeeded
    outcome "$name" Complete 120 1 1 CompletionsReached

    name=done-${mode,,}
    run_job "$name" completionMode: $mode, completions: 2, parallelism: 2, backoffLimit: 0
    check_await "$name has its Pods" 60 has "$name" 2
    pod=$(names_of "$name" | head -n 1)
    other=$(names_of "$name" | tail -n 1)
    refuse
    phase "$pod" Succeeded
    check_await "$name: the success is recorded" 60 status "$name" '(.completedIndexes // "" | length) + (.uncountedTerminatedPods.succeeded // [] | length) > 0'
    another_round "$name" # the removal has been refused
    phase "$pod" Failed
    another_round "$name"
    phase "$other" Succeeded
    allow
    outcome "$name" Complete 120 2 "" CompletionsReached
done
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
