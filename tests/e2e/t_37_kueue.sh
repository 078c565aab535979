#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kueue is a partner: Jobs are admitted in part, evicted and admitted again, as Kueue v0.17 does it. No foreign write of a status is counted,
# and nothing is made twice. A rival, the built-in controller left on, is found within a minute, by its name. 30 Jobs; JR_LONG=1: a hundred.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/../support/kueue.sh"
NS=t37
ROUNDS=30
[ -z "${JR_LONG:-}" ] || ROUNDS=100
WORK=$DIR/t37
rm -rf "$WORK" "$DIR/kueue-cleared"
mkdir -p "$WORK"

foreign() {
    metric "$(http_get "$METRICS" /metrics)" jobreeve_job_status_foreign_writes_total
}

watch_from() { # watch_from VERSION NAME PATH
    touch "$WORK/$2"
    spawn "watch-t37-$2" "$E2E/watch.sh" "$WORK/$2" "$1" "$SERVER$3/namespaces/$NS/$2?watch=1&timeoutSeconds=3600" \
        --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key"
}

observe() { # observe JOB: what is wrong with its history
    grep -F "\"name\":\"$1\"" "$WORK/slim" | jq -rs --arg job "$1" --argjson completions null --argjson parallelism $KUEUE_COUNT --argjson ambiguous 0 \
        -f "$E2E/../integration/controller/history.jq"
}

# The last words of the Jobs have come, and a Pod that nobody owns, which was made after all others.
observed() {
    grep -q '"name":"end"' <(whole_lines "$WORK/pods") &&
        api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq -r '.items[].metadata.resourceVersion' | tells_all "$WORK/jobs"
}

fresh_namespace $NS
start_webhook
start_kubelet
VERSION=$(api GET '/apis/batch/v1/jobs?limit=1' | jq -r .metadata.resourceVersion)
watch_from "$VERSION" jobs /apis/batch/v1
watch_from "$VERSION" pods /api/v1

kueue_states 2> "$DIR/log/kueue-states.log" &

# Once it leaves startTime to the queue, as before 1.36, and once it clears startTime itself where its version does.
touch "$WORK/refused"
GATE=$(gates_known MutableSchedulingDirectivesForSuspendedJobs=false)
start_controller controller-replace --replace-builtin ${GATE:+--feature-gates "$GATE"}
kueue_rounds 0 $((ROUNDS * 7 / 10)) 25
CLEARED=$(wc -l < "$DIR/kueue-cleared")
check_more "startTimes that the queue has cleared" "$CLEARED" $((ROUNDS / 4))
check "no foreign write after $CLEARED startTimes cleared" "$(foreign)" 0
proc_stop controller
start_controller controller-replace --replace-builtin
kueue_rounds $((ROUNDS * 7 / 10)) "$ROUNDS" 25
check "no foreign write of the other kind" "$(foreign)" 0
check "all $ROUNDS rounds come to their end" "$(cat "$WORK/refused")" ""
api POST "/api/v1/namespaces/$NS/pods" -o /dev/null -H 'Content-Type: application/json' --data '{"metadata": {"name": "end"}, "spec": {
    "schedulingGates": [{"name": "example.com/never"}], "containers": [{"name": "main", "image": "registry.example/main:1"}]}}'
check_await "the observer has seen all" 60 observed
kueue_made "$WORK/pods" | grep -v '^null ' > "$WORK/made"
check "each Job has made its Pods" "$(grep -c ' reserved ' "$WORK/made")" "$ROUNDS"
check_more "Jobs that were evicted with Pods" "$(grep -c ' spot ' "$WORK/made")" $((ROUNDS / 4))
check "no Pod is made twice, nor by a template that was taken back" "$(kueue_wrong < "$WORK/made")" ""
jq -c 'del(.object.metadata.managedFields, .object.spec.template, .object.spec.containers)' <(whole_lines "$WORK/jobs") <(whole_lines "$WORK/pods") > "$WORK/slim"
check "the observer finds nothing wrong in $ROUNDS Jobs" "$(for ((i = 0; i < ROUNDS; i++)); do observe "evicted-$i"; done)" ""

# The rival.
found() { [ "$(foreign)" -gt 0 ]; }
named() {
    log_since_start controller | grep -q '"msg":"another writes the status of a job that is ours".*"name":"contested-.*"manager":"kube-controller-manager"'
}
start_builtin
for i in 1 2 3; do timed_job "contested-$i" 2s 2 | k create -n $NS -f - > /dev/null; done
check_await "the built-in controller is found" 60 found
check_await "and named" 60 named
webhook_unregister
