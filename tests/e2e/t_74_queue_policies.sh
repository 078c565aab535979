#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A queue beside policies: Jobs that fit a budget are admitted in part, evicted, admitted again and end, while a hostile tenant changes them, and no update
# of the queue's is refused; nor is one of Jobs that were queued when a policy was tightened. 40 Jobs; JR_LONG=1: 200.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/policies.sh"
. "$E2E/../support/kueue.sh"
NS=t74
ROUNDS=40 AT_ONCE=20
[ -z "${JR_LONG:-}" ] || ROUNDS=200
WORK=$DIR/t74
rm -rf "$WORK"
mkdir -p "$WORK"

# kueue.sh asks by api: Jobs are made by their author, and changed by the queue.
eval "$(declare -f api | sed '1s/api/plain_api/')"
# as USER METHOD PATH CURL-ARGUMENT...: the group has the rights
as() { plain_api "${@:2}" -H "Impersonate-User: $1" -H 'Impersonate-Group: system:masters'; }
api() {
    local who=system:serviceaccount:kueue-system:kueue-controller-manager
    [ "$1" != POST ] || who=author
    as $who "$@"
}

# hostile: a tenant that changes all Jobs, again and again; what is taken is counted, by what it was
hostile() {
    local tricks=('{"spec":{"suspend":false}}' '{"spec":{"suspend":true}}' '{"spec":{"parallelism":9}}' '{"spec":{"suspend":true,"parallelism":0}}'
        '{"spec":{"backoffLimit":60}}' '{"metadata":{"labels":{"a":"b"}}}')
    local job i
    until [ -e "$WORK/enough" ]; do
        for job in $(plain_api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq -r '.items[] | select(.status.completionTime | not).metadata.name' | shuf -n 5); do
            i=$((RANDOM % ${#tricks[@]}))
            as mallory PATCH "/apis/batch/v1/namespaces/$NS/jobs/$job" -H 'Content-Type: application/merge-patch+json' -d "${tricks[i]}" | jq -r --argjson i $i '"\($i) \(.kind) \(.code // "")"' >> "$WORK/hostile"
        done
        sleep 0.2
    done
}

queued() { # queued NAME: a Job that waits
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  {suspend: true, parallelism: $KUEUE_COUNT, completions: $KUEUE_COUNT, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}

fresh_namespace $NS
two_replicas
chart_webhooks
policy budget "{match: {namespaces: [$NS]}, budget: {podsAtOnce: $KUEUE_COUNT, podsEver: 9, changes: Refused}}" | k create -f - > /dev/null
check_await "the policy is in force in both replicas" 60 in_force budget 1
start_kubelet
start_controller controller-replace --replace-builtin
kueue_states 2> "$DIR/log/kueue-states.log" &
touch "$WORK/refused" "$WORK/hostile"
hostile 2> "$DIR/log/hostile.log" &
HOSTILE=$!
kueue_rounds 0 $ROUNDS $AT_ONCE
touch "$WORK/enough"
wait $HOSTILE
check "all $ROUNDS rounds come to their end, and nothing of the queue's is refused" "$(cat "$WORK/refused")" ""
check_more "what the tenant tried" "$(wc -l < "$WORK/hostile")" $((ROUNDS / 2))
# A Job that is as it is to be, or that waits and gets narrower, may be changed.
check "more retries are never given" "$(grep -c '^4 Job' "$WORK/hostile" || true)" 0
check_has "as they are asked for" "$(said k patch job evicted-0 -n $NS --type merge -p '{"spec":{"backoffLimit":60}}')" 'at most 9 allowed'
check_more "refused as they should be" "$(grep -c 'Status 422' "$WORK/hostile")" 5

# ---- tightened while Jobs are queued

for i in {1..10}; do queued "waits-$i" | k create -n $NS -f - > /dev/null; done
# Other queues stop a Job and give it back its size in one update.
queued waits-parted | k create -n $NS -f - > /dev/null
kueue_reconcile waits-parted kueue_run $KUEUE_RUNS spot $KUEUE_EVICTED 2>> "$WORK/refused" || echo "waits-parted refused" >> "$WORK/refused"
k patch jobpolicy budget --type merge -p '{"spec":{"budget":{"podsAtOnce":1}}}' > /dev/null
check_await "the policy is tighter, in both replicas" 60 in_force budget 2
check_has "a new Job is refused at once" "$(said k create -n $NS -f <(queued late))" 'at most 1 allowed'
STOPPED="{\"spec\":{\"suspend\":true,\"parallelism\":$KUEUE_COUNT}}"
check_has "an author can't do so" "$(said k patch job waits-parted -n $NS --type merge -p "$STOPPED")" 'must not change while the Job runs'
queue_patch() { k patch job "$1" -n $NS --type merge -p "$2" --as=system:serviceaccount:kueue-system:kueue-controller-manager --as-group=system:masters; }
check "a Job that was admitted in part is stopped, and gets its size back, in one update" "$(said queue_patch waits-parted "$STOPPED")" allowed
for i in {1..10} parted; do
    kueue_reconcile "waits-$i" kueue_run $KUEUE_COUNT reserved 100ms 2>> "$WORK/refused" || echo "waits-$i refused" >> "$WORK/refused"
done
check "Jobs that were queued before are run by the queue" "$(cat "$WORK/refused")" ""
all_ended() { [ "$(plain_api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq '[.items[] | select(.metadata.name | startswith("waits-")) | select(any(.status.conditions[]?; .type == "Complete" and .status == "True"))] | length')" = 11 ]; }
check_await "and end" 180 all_ended
k delete mutatingwebhookconfiguration,validatingwebhookconfiguration jobreeve > /dev/null
k delete crd $CRD > /dev/null
k delete namespace $NS --wait=false > /dev/null
