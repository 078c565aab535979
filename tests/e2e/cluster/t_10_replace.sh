#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In the place of the built-in Job and TTL controllers: a Job of every kind with real containers.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t10

# log_of NAME INDEX: what the Pod of that index has printed
log_of() {
    k logs -n $NS -l "batch.kubernetes.io/job-name=$1,batch.kubernetes.io/job-completion-index=$2" --tail=-1
}

# is OBJECT PATH WANT
is() {
    [ "$(field "$1" "$2" -n $NS)" = "$3" ]
}

# gone OBJECT...
gone() {
    [ -z "$(names "$@" -n $NS)" ]
}

# pods_left NAME N: so many of its Pods, and none of them is being deleted
pods_left() {
    [ "$(k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" -o json |
        jq -c '[(.items | length), ([.items[] | select(.metadata.deletionTimestamp)] | length)]')" = "[$2,0]" ]
}

# the phase, restarts and exit status of the only Pod
container_of() {
    k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" \
        -o jsonpath="{.items[*].status.phase} {.items[*].status.containerStatuses[0].$2}"
}

on_failure() { # on_failure NAME SPEC ARGUMENT...: as job, its containers are started again, with a folder that stays
    job "$@" | sed 's/restartPolicy: Never/restartPolicy: OnFailure/; s#args: \[\([^]]*\)\]#args: [\1], volumeMounts: [{name: kept, mountPath: /kept}]#;
        s/}]}}}$/}], volumes: [{name: kept, emptyDir: {}}]}}}/'
}

kinds() {
    job plain "completions: 3, parallelism: 2," seconds=1
    job exitcode "backoffLimit: 3, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}," code=42
    job ignored "backoffLimit: 0, completions: 1, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}," seconds=600
    job retried "backoffLimit: 1," code=3
    on_failure restarted "" once=/kept/ran
    on_failure given-up "backoffLimit: 1," code=1
    job indexed "completions: 3, parallelism: 3, completionMode: Indexed," seconds=1
    job suspended "suspend: true, completions: 2, parallelism: 2," seconds=30
    job late "activeDeadlineSeconds: 3," seconds=600
    job shortlived "ttlSecondsAfterFinished: 2,"
    job enough "completions: 3, parallelism: 3, completionMode: Indexed, successPolicy: {rules: [{succeededIndexes: \"0\"}]}," seconds=1,600
    job perindex "completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 1," code=0,1,0
    job replaced "podReplacementPolicy: Failed, backoffLimit: 6," seconds=600 term=25
    job deleted "parallelism: 2, completions: 2," seconds=600
}

orphan() {
    printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: orphan, labels: {app: orphaned}}\nspec: %s\n' \
        '{restartPolicy: Never, containers: [{name: main, image: "localhost/exitwith:1", args: ["seconds=8"]}]}'
    job adopter "manualSelector: true, selector: {matchLabels: {app: orphaned}}," seconds=1 |
        sed 's/template: {/template: {metadata: {labels: {app: orphaned}}, /'
}

test_plain() {
    outcome plain Complete 120 3 "" CompletionsReached
    check "plain: Pods" "$(pods_of plain)" 3
    check_events plain "Completed SuccessfulCreate"
    check "plain: as kubectl shows it" "$(k get job plain -n $NS --no-headers | awk '{ print $2, $3 }')" "Complete 3/3"
}

test_failures() {
    outcome exitcode Failed 120 "" 1 PodFailurePolicy
    check "exitcode: in one go" "$(pods_of exitcode)" 1
    check_has "exitcode: names the container and its status" \
        "$(field job/exitcode '.status.conditions[?(@.type=="Failed")].message' -n $NS)" "failed with exit code 42 matching FailJob rule at index 0"
    outcome retried Failed 180 "" 2 BackoffLimitExceeded
    check "retried: exit statuses" \
        "$(k get pods -n $NS -l job-name=retried -o jsonpath='{.items[*].status.containerStatuses[0].state.terminated.exitCode}')" "3 3"
}

test_restarts() {
    outcome restarted Complete 120 1 "" CompletionsReached
    check "restarted: one Pod, its container twice" "$(container_of restarted restartCount)" "Succeeded 1"
    outcome given-up Failed 180 "" 1 BackoffLimitExceeded
}

test_indexed() {
    local i log
    outcome indexed Complete 120 3 "" CompletionsReached
    check "indexed: completed indexes" "$(field job/indexed .status.completedIndexes -n $NS)" 0-2
    for i in 0 1 2; do
        log=$(log_of indexed $i)
        check "indexed: index $i's host name, from inside" "$(sed -n 's/^hostname=//p' <<< "$log")" "indexed-$i"
        check "indexed: index $i's environment" "$(sed -n 's/^JOB_COMPLETION_INDEX=//p' <<< "$log")" "$i"
    done
}

# suspended, let go, stopped while it runs, let go again
test_suspended() {
    check_await "suspended: said" 60 ended suspended Suspended
    check "suspended: no Pods" "$(pods_of suspended)" 0
    k patch job suspended -n $NS --type=merge -p '{"spec":{"suspend":false}}' > /dev/null
    check_await "suspended: runs" 60 is job/suspended .status.ready 2
    k patch job suspended -n $NS --type=merge -p '{"spec":{"suspend":true}}' > /dev/null
    check_await "suspended: its Pods are gone again" 60 pods_left suspended 0
    check_await "suspended: said again" 60 ended suspended Suspended
    check "suspended: has no start time" "$(field_or_no_answer job/suspended .status.startTime -n $NS)" ""
    k patch job suspended -n $NS --type=merge -p '{"spec":{"suspend":false}}' > /dev/null
    outcome suspended Complete 120 2 "" CompletionsReached
    check_events suspended "Completed Resumed SuccessfulCreate SuccessfulDelete Suspended"
}

test_ends() {
    outcome late Failed 120 "" 1 DeadlineExceeded
    check_await "shortlived: gone by its TTL" 60 gone job/shortlived
    check_await "shortlived: its Pod too" 60 pods_left shortlived 0
    outcome enough Complete 120 1 "" SuccessPolicy
    check "enough: completed indexes" "$(field job/enough .status.completedIndexes -n $NS)" 0
    outcome perindex Failed 180 2 2 FailedIndexes
    check "perindex: failed indexes" "$(field job/perindex .status.failedIndexes -n $NS)" 1
    check "perindex: completed indexes" "$(field job/perindex .status.completedIndexes -n $NS)" 0,2
    check "perindex: which Pods failed" \
        "$(k get pods -n $NS -l job-name=perindex --field-selector status.phase=Failed -o jsonpath='{.items[*].metadata.labels.batch\.kubernetes\.io/job-completion-index}')" "1 1"
}

# A Pod that is slow to die holds its place until it has.
test_replaced() {
    local pod
    check_await "replaced: runs" 60 is job/replaced .status.ready 1
    pod=$(k get pods -n $NS -l job-name=replaced -o name)
    k delete "$pod" -n $NS --wait=false > /dev/null
    check_await "replaced: the status has it as terminating" 30 is job/replaced .status.terminating 1
    check "replaced: no other Pod meanwhile" "$(k get pods -n $NS -l job-name=replaced -o name)" "$pod"
    check_await "replaced: another one then" 60 is job/replaced .status.ready 1
    check "replaced: failed" "$(field job/replaced .status.failed -n $NS)" 1
    check_await "replaced: the first is gone" 60 gone "$pod"
}

# What the cluster itself takes away is not held against the Job.
test_ignored() {
    local pod
    check_await "ignored: runs" 60 is job/ignored .status.ready 1
    pod=$(k get pods -n $NS -l job-name=ignored -o jsonpath='{.items[0].metadata.name}')
    k create -n $NS --raw "/api/v1/namespaces/$NS/pods/$pod/eviction" -f - > /dev/null << Y
{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "$pod", "namespace": "$NS"}}
Y
    check_await "ignored: another Pod" 60 another_than "$pod"
    check "ignored: nothing failed" "$(field_or_no_answer job/ignored .status.failed -n $NS)" ""
}

another_than() {
    local now
    now=$(k get pods -n $NS -l job-name=ignored --field-selector status.phase=Running -o jsonpath='{.items[*].metadata.name}')
    [ -n "$now" ] && [ "$now" != "$1" ]
}

test_adopted() {
    check_await "the orphan is adopted" 60 is pod/orphan '.metadata.ownerReferences[?(@.controller==true)].name' adopter
    check_await "adopter ends Complete" 120 ended adopter Complete
    check "adopter: counted once" "$(field job/adopter .status.succeeded -n $NS)" 1
    check "adopter: no Pod beside the orphan" "$(k get pods -n $NS -l app=orphaned -o name)" pod/orphan
}

test_deleted() {
    check_await "deleted: runs" 60 is job/deleted .status.ready 2
    k delete job deleted -n $NS --cascade=foreground --timeout=60s > /dev/null
    check_await "deleted: its Pods too" 60 pods_left deleted 0
}

controllers '*,-job-controller,-ttl-after-finished-controller'
installed --set controller.mode=replaceBuiltin --set controller.ttlAfterFinished=true
fresh_namespace $NS
orphan | sed '/^---/,$d' | k create -n $NS -f - > /dev/null
kinds | k create -n $NS -f - > /dev/null
orphan | sed '1,/^---/d' | k create -n $NS -f - > /dev/null
test_replaced
test_adopted
test_plain
test_failures
test_restarts
test_indexed
test_suspended
test_ends
test_ignored
test_deleted
nothing_forbidden
k delete namespace $NS --timeout=120s > /dev/null
passed "the namespace and all in it can be deleted"
