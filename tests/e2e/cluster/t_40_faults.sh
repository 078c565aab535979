#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults under a stream of Job creations: the webhook restarted, its CA and certificate gone, helm upgrade, a replica of each program killed,
# the API server restarted, etcd stopped. No admission fails, no Job is lost, none is counted wrong.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t40
. "$CLUSTER/stream.sh"

restart_webhook() {
    k rollout restart deployment/$RELEASE-webhook -n $SYSTEM && k rollout status deployment/$RELEASE-webhook -n $SYSTEM --timeout=180s
}

secret_part() {
    field secret/$RELEASE-webhook-tls ".data.${1/./\\.}" -n $SYSTEM
}

# The CAs that the API server is told to trust, by all entries of both configurations
bundles() {
    k get mutatingwebhookconfiguration,validatingwebhookconfiguration $RELEASE -o jsonpath='{range .items[*].webhooks[*]}{.clientConfig.caBundle}{"\n"}{end}' |
        sort -u
}

another_certificate() {
    [ -n "$(secret_part ca.crt)" ] && [ "$(secret_part ca.crt)" != "$1" ] && [ "$(secret_part tls.crt)" != "$2" ]
}

# Both configurations trust the new CA, and no other: the one before goes when all replicas serve what the new one has signed.
trusted_alone() {
    local ca bundles
    ca=$(secret_part ca.crt | base64 -d)
    bundles=$(bundles)
    [ "$(wc -l <<< "$bundles")" = 1 ] && [ "$(base64 -d <<< "$bundles")" = "$ca" ]
}

rotate() {
    local ca leaf
    ca=$(secret_part ca.crt) leaf=$(secret_part tls.crt)
    k delete secret $RELEASE-webhook-tls -n $SYSTEM && await 120 "another certificate" another_certificate "$ca" "$leaf" && await 240 "the new CA being trusted alone" trusted_alone
}

upgrade() {
    release upgrade --reuse-values --set logLevel=debug --set webhook.podAnnotations.upgraded=once --set controller.podAnnotations.upgraded=once
}

# killed POD CONTAINER: kill -9 of its process; it is started again
killed() {
    local id pid count
    count=$(status_of "$1" "$2" restartCount)
    id=$(status_of "$1" "$2" containerID)
    pid=$(node_ctr tasks ls | awk -v id="${id#containerd://}" '$1 == id { print $2 }')
    inside kill -KILL "$pid" && await 120 "its restart" restarted "$1" "$2" "$count"
}

# status_of POD CONTAINER FIELD
status_of() {
    field "pod/$1" ".status.containerStatuses[?(@.name==\"$2\")].$3" -n $SYSTEM
}

restarted() { # restarted POD CONTAINER COUNT: once more than that
    [ "$(status_of "$1" "$2" restartCount)" -gt "$3" ] && [ "$(status_of "$1" "$2" ready)" = true ]
}

# kill_one_of_two CONTAINER
kill_one_of_two() {
    killed "$(pods_of_ours webhook | head -n 1)" "$1"
}

kill_both() {
    local pod
    pod=$(pods_of_ours webhook | tail -n 1)
    killed "$pod" webhook &
    killed "$pod" standby && wait $!
}

# A Pod that stays holds the Lease: LEADER. Right after a rollout nobody does, or one that goes.
leader() {
    local holder
    holder=$(field lease/$RELEASE-controller .spec.holderIdentity -n $SYSTEM)
    LEADER=$(pods_of_ours controller | grep -Fx "${holder%%_*}")
}

kill_leader() {
    await 60 "a leader" leader && killed "$LEADER" controller
}

restart_apiserver() {
    local from
    from=$(wall_ms)
    end_apiserver TERM && start_apiserver && await 120 "the API server" api_ready
    echo "$from $(wall_ms)" >> "$WORK/starts"
}

pause_etcd() {
    proc_signal etcd STOP
    sleep 10
    proc_signal etcd CONT
    await 120 "the API server" api_ready
}

stream_begins
fault "rolling restart of the webhook" restart_webhook
half_crash "kill -9 of one of the two processes in a webhook's Pod" probed kill_one_of_two webhook
half_crash "kill -9 of the other one" probed kill_one_of_two standby
crash "kill -9 of both processes of another Pod" probed kill_both
fault "the Secret with CA and certificate is deleted, and there is another one" rotate
fault "helm upgrade" upgrade
fault "kill -9 of the leading controller" kill_leader
outage "restart of the API server" restart_apiserver
outage "etcd stands still for 10 s" pause_etcd
stream_ends
