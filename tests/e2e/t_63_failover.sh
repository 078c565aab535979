#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Leader fail-over under load, 20 times: of two controllers, the leader is killed, or stopped (SIGSTOP) and continued once the
# other one leads. No Pod is counted twice, and by the audit log no write of a deposed leader came when the other
# one had the Lease. FAILOVERS: another number of times.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
RUN=$(printf %04x $RANDOM)
NS=failover-$RUN
ROUNDS=${FAILOVERS:-20}
WORK=$DIR/failover
JOBS_PER_ROUND=2 PODS_PER_JOB=30
rm -rf "$WORK"
mkdir -p "$WORK"
touch "$WORK/jobs" "$WORK/pods"

# Two accounts, so that the audit log tells them apart.
candidate() {
    sed "s/controller-replace/candidate-$1/g; s/\[jobreeve-controller\]/[$NS]/" "$E2E/rbac/controller-replace.yaml" > "$WORK/candidate-$1.yaml"
    user "candidate-$1" "$WORK/candidate-$1.yaml"
}

start_candidate() {
    spawn "candidate-$1" "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/candidate-$1.conf" --replace-builtin --namespace "$NS" \
        --leader-elect-lease-duration 2s --leader-elect-renew-deadline 1500ms --leader-elect-retry-period 300ms \
        --leader-elect-resource-name "$NS" --health-probe-bind-address 0 --metrics-bind-address 0
}

# One that has lost the Lease ends; so does a leader that the machine kept from renewing it.
both_run() {
    local c
    for c in a b; do
        proc_alive "candidate-$c" || {
            proc_stop "candidate-$c"
            start_candidate $c
        }
    done
}

# leader [NOT]: prints which of the two holds the Lease, by its own word and by the Lease's
leader() {
    local c holder
    holder=$(api GET "/apis/coordination.k8s.io/v1/namespaces/jobreeve-system/leases/$NS" | jq -r '.spec.holderIdentity // ""')
    [ -n "$holder" ] || return 1
    for c in a b; do
        [ "$c" != "${1:-}" ] && proc_alive "candidate-$c" &&
            grep -qF "\"msg\":\"leading\",\"namespace\":\"jobreeve-system\",\"name\":\"$NS\",\"kind\":\"Lease\",\"identity\":\"$holder\"" <(log_since_start "candidate-$c") && LEADER=$c && return
    done
    return 1
}

# load ROUND: Jobs of many short Pods, all at once
load() {
    local i mode
    for ((i = 0; i < JOBS_PER_ROUND; i++)); do
        mode=NonIndexed
        [ $((i % 2)) = 0 ] || mode=Indexed
        cat << Y
---
apiVersion: batch/v1
kind: Job
metadata: {name: load-$1-$i}
spec:
  completions: $PODS_PER_JOB
  parallelism: $PODS_PER_JOB
  completionMode: $mode
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: 100ms}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/main:1"}]
Y
    done | k create -n "$NS" -f - > /dev/null
}

# await_pods ROUND N: until so many of its Pods have been made: the leader is in the midst of it. Where the machine stands still for longer
# than the Lease lasts both controllers may end meanwhile.
await_pods() {
    local deadline=$(($(now_ms) + 180000))
    until [ "$(grep -c "^{\"type\":\"ADDED\".*\"name\":\"load-$1-" "$WORK/pods")" -ge "$2" ]; do
        both_run
        [ "$(now_ms)" -lt "$deadline" ] || return 1
    done
}

# depose ROUND HOW: the leader; waits until the other one leads
depose() {
    local old
    # Both may end while we wait, where the API server takes longer to answer than the Lease lasts.
    led() { both_run && leader; }
    ALIVE="" await 60 "a leader" led
    old=$LEADER
    load "$1"
    await_pods "$1" $((1 + RANDOM % (JOBS_PER_ROUND * PODS_PER_JOB - 2)))
    if [ "$2" = kill ]; then
        proc_kill "candidate-$old" 2> /dev/null || true
    else
        proc_signal "candidate-$old" STOP
    fi
    if await 60 "the other one leading" another_leads "$old"; then
        TAKEN=$((TAKEN + 1))
    fi
    [ "$2" = kill ] || proc_signal "candidate-$old" CONT
}

# Started anew should it have ended, so that there is one.
another_leads() {
    local other=a
    [ "$1" = b ] || other=b
    proc_alive "candidate-$other" || {
        proc_stop "candidate-$other"
        start_candidate $other
    }
    leader "$1"
}

all_complete() {
    both_run
    [ "$(api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq '[.items[] | select(any(.status.conditions[]?; .type == "Complete" and .status == "True"))] | length')" = \
        $((ROUNDS * JOBS_PER_ROUND)) ]
}

watch_from() { # watch_from VERSION NAME PATH
    spawn "watch-failover-$2" "$E2E/watch.sh" "$WORK/$2" "$1" "$SERVER$3/namespaces/$NS/$2?watch=1&timeoutSeconds=3600" \
        --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key"
}

# The last words of the Jobs have come, too, by their own stream.
observed() {
    grep -q '"name":"end"' <(whole_lines "$WORK/pods") &&
        api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq -r '.items[].metadata.resourceVersion' | tells_all "$WORK/jobs"
}

# A Pod that nobody owns: when the watch has told of it, it has told of all before it.
mark_the_end() {
    api POST "/api/v1/namespaces/$NS/pods" -H 'Content-Type: application/json' --data '{"metadata": {"name": "end"},
        "spec": {"schedulingGates": [{"name": "example.com/never"}], "containers": [{"name": "main", "image": "registry.example/main:1"}]}}' > /dev/null
}

# overlapping: how many Pods a deposed leader has made when another one had the Lease already, by the audit log: what it had sent may have
# been carried out late. Only such a Pod may be one too many, and a NonIndexed Job may count it.
overlapping() {
    tail -n +"$((FROM + 1))" "$DIR/audit.log" | grep -F '"username":"system:serviceaccount:jobreeve-system:candidate-' | jq -nr '
        [inputs
         | {user: .user.username, at: .stageTimestamp,
            lease: (.objectRef.resource == "leases" and (.verb | IN("create", "update", "patch")) and .responseStatus.code < 300
                and (.requestObject.spec.holderIdentity // "") != ""),
            pod: (.objectRef.resource == "pods" and .verb == "create")} | select(.lease or .pod)]
        | sort_by(.at)
        | reduce .[] as $e ({leads: "", pods: 0, late: 0};
            if $e.lease then .leads = $e.user else .pods += 1 | if .leads != $e.user then .late += 1 else . end end)
        | "\(.late) \(.pods)"'
}

# observe JOB: what is wrong with its history.
observe() {
    local completions=$PODS_PER_JOB
    [ "$LATE" = 0 ] || [ $((${1##*-} % 2)) = 1 ] || completions=null
    grep -F "\"name\":\"$1\"" "$WORK/slim" | jq -rs --arg job "$1" --argjson completions $completions --argjson parallelism $PODS_PER_JOB \
        --argjson ambiguous "$LATE" -f "$E2E/../integration/controller/history.jq"
}

# late_writes: of the audit log, each write that was received when another one had the Lease already, and a summary. That is by the order of things:
# how long after the end of its own Lease it came is only told, as an API server that stands still makes that longer.
late_writes() {
    tail -n +"$((FROM + 1))" "$DIR/audit.log" | grep -F '"username":"system:serviceaccount:jobreeve-system:candidate-' | jq -nr '
        def seconds: (.[0:19] + "Z" | fromdate) + ("0" + .[19:-1] | tonumber);
        [inputs | select(.verb | IN("create", "update", "patch", "delete")) | .user.username as $user
         | .requestObject.spec as $lease
         | if .objectRef.resource != "leases" then {$user, at: (.requestReceivedTimestamp | seconds), what: "\(.verb) \(.requestURI)"}
           elif .responseStatus.code >= 300 or ($lease.holderIdentity // "") == "" then empty
           else {$user, at: (.stageTimestamp | seconds), until: (($lease.renewTime | seconds) + $lease.leaseDurationSeconds)} end]
        | sort_by(.at)
        | reduce .[] as $e ({leads: "", until: {}, writes: 0, leases: 0, last: -10, late: []};
            if $e.until then .leads = $e.user | .until[$e.user] = $e.until | .leases += 1
            else ($e.at - (.until[$e.user] // 0)) as $over
                | .writes += 1 | .last = ([.last, $over] | max)
                | if .leads != $e.user then .late += ["\($e.user) \($e.what): \(.leads) leads, its own Lease ended \($over) s before"] else . end
            end)
        | .late[], "\(.writes) writes, \(.leases) renewals, the last write \(.last * 1000 | floor) ms after the end of its Lease"'
}

start_kubelet
candidate a
candidate b
fresh_namespace "$NS"
FROM=$(wc -l < "$DIR/audit.log")
version=$(api GET '/apis/batch/v1/jobs?limit=1' | jq -r .metadata.resourceVersion)
watch_from "$version" jobs /apis/batch/v1
watch_from "$version" pods /api/v1
TAKEN=0
for ((round = 0; round < ROUNDS; round++)); do
    depose $round "$([ $((round % 2)) = 0 ] && echo kill || echo stop)"
done
check "the other one took over" "$TAKEN" "$ROUNDS"
check_await "all Jobs come to their end" 180 all_complete
mark_the_end
check_await "the observer has seen all" 60 observed

jq -c 'del(.object.metadata.managedFields, .object.spec.template, .object.spec.containers)' <(whole_lines "$WORK/jobs") <(whole_lines "$WORK/pods") > "$WORK/slim"
read -r LATE PODS < <(overlapping)
echo "$LATE of $PODS requests to make a Pod came late"
check_more "requests to make a Pod" "$((PODS + 1))" $((ROUNDS * JOBS_PER_ROUND * PODS_PER_JOB))
faults=$(for ((i = 0; i < ROUNDS * JOBS_PER_ROUND; i++)); do observe "load-$((i / JOBS_PER_ROUND))-$((i % JOBS_PER_ROUND))"; done)
check_more "lines the observer has" "$(wc -l < "$WORK/slim")" $((ROUNDS * JOBS_PER_ROUND * PODS_PER_JOB * 3))
check "the observer finds nothing wrong in $((ROUNDS * JOBS_PER_ROUND)) Jobs" "$faults" ""
late=$(late_writes)
echo "${late##*$'\n'}"
check "no write came when another one had the Lease" "$(sed '$d' <<< "$late")" ""
check_more "writes looked at" "$(sed -n '$s/ .*//p' <<< "$late")" $((ROUNDS * JOBS_PER_ROUND * PODS_PER_JOB * 2))
