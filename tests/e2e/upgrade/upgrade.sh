#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Run by run.sh: the load, the replacements, and what has come of it. DIR/versions has the versions, DIR/second the second API server's port.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$E2E/jobs.sh"
NS=upgrade
read -r -a VERSIONS < "$DIR/versions"
read -r SECOND < "$DIR/second"
LOAD=$DIR/load
mkdir -p "$LOAD"

# webhook_calls NAME: by both API servers, each asked for its own
webhook_calls() {
    local port
    for port in "$API_PORT" "$SECOND"; do
        curl -sSf --max-time 30 --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key" "https://127.0.0.1:$port/metrics" || return
    done | awk -v n="name=\"$1\"" 'index($0, "apiserver_admission_webhook_admission_duration_seconds_count{") == 1 && index($0, n) { sum += $NF } END { printf "%d\n", sum }'
}

# ---- the load: a Job of each kind in turn, one after the other. A call that gets no answer is repeated; one that is refused is kept.

manifest() { # manifest NUMBER
    local kinds=("completions: 2, parallelism: 2" "completions: 3, parallelism: 1, completionMode: Indexed" "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1"
        "parallelism: 2, completions: 2, podReplacementPolicy: Failed" "completions: 1, suspend: true")
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: load-$1}
spec: {${kinds[$1 % ${#kinds[@]}]}, template: {metadata: {annotations: {kubelet.jobreeve.dev/duration: 300ms}}, spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}}
Y
}

# sent CMD...: until it was answered; fails if it was refused
sent() {
    local said
    while :; do
        said=$("$@" 2>&1) && return
        case $said in
        *AlreadyExists* | *"already exists"*) return 0 ;; # an answer was lost
        *refused\ *connect* | *"connection refused"* | *"connection reset"* | *EOF* | *"broken pipe"* | *"was refused"* | *"TLS handshake"* | *"Unable to connect"* | *"http2:"* | *"unexpected error"* | *timeout* | *"the object has been modified"* | *"server is currently unable"* | *"apiserver not ready"* | *"shutting down"*) ;;
        *) printf '%s: %s\n' "$*" "$said" >> "$LOAD/refused" && return 1 ;;
        esac
    done
}
create() { manifest "$1" | k create -n $NS -f -; }
load() {
    local n=0
    while [ ! -e "$LOAD/enough" ]; do
        sent create $n && echo $n >> "$LOAD/made"
        [ $((n % 5)) != 4 ] || sent k patch job/load-$n -n $NS --type=merge -p '{"spec":{"suspend":false}}'
        n=$((n + 1))
    done
}
made() { wc -l < "$LOAD/made"; }
more() { [ "$(made)" -ge "$1" ]; } # more NUMBER: so many were made

# ---- replacing an API server

# versions_of NAME: what our process reckons with, "1.35 1.36": the last of its lines that says so
versions_of() {
    sed -n 's/.*"msg":"the API servers. versions".*"versions":"\([^"]*\)".*/\1/p' "$DIR/log/$1.log" | tail -n 1 | tr -d , | sed -E 's/(1\.[0-9]+)\.[0-9]+/\1/g'
}
reckons() { case " $(versions_of "$1") " in *" $2 "*) ;; *) return 1 ;; esac; } # reckons NAME X.Y

# replace NAME PORT VERSION: that API server ends, and one of that version begins in its place
replace() {
    proc_stop "$1"
    sed -i "s#^BIN=.*#BIN=$(printf %q "$("$E2E/build.sh" --where kubernetes "$3")")#" "$DIR/env"
    "$E2E/cluster.sh" beside "$DIR" "$1" "$2" >> "$DIR/log/restart.log" 2>&1
}

upgrade_to() {
    local version=$1 before
    for server in "kube-apiserver $API_PORT" "second-apiserver $SECOND"; do
        before=$(made)
        # shellcheck disable=SC2086
        replace $server "$version"
        check_await "${server% *} is of $version, and Jobs are made" 300 more $((before + 10))
    done
    proc_stop kube-controller-manager
    "$E2E/cluster.sh" up "$DIR" >> "$DIR/log/restart.log" 2>&1
    for p in webhook controller; do
        ALIVE="webhook controller" check_await "the $p reckons with $version" 300 reckons $p "$version"
    done
}

# ---- the test

fresh_namespace $NS
start_webhook
start_kubelet
start_controller controller-replace --replace-builtin --leader-elect=false
WEBHOOK=$(proc_pid webhook) CONTROLLER=$(proc_pid controller)
touch "$LOAD/made" "$LOAD/refused"
load &
LOADING=$!
check_await "Jobs are made in ${VERSIONS[0]}" 120 more 10
for version in "${VERSIONS[@]:1}"; do upgrade_to "$version"; done
check_await "Jobs are made in ${VERSIONS[-1]}" 120 more $(($(made) + 20))
touch "$LOAD/enough"
wait $LOADING
TOTAL=$(made)
all_complete() {
    [ "$(k get jobs -n $NS -o json | jq '[.items[] | select(any(.status.conditions[]?; .type == "Complete" and .status == "True"))] | length')" = "$TOTAL" ]
}
check_await "all $TOTAL Jobs complete" 300 all_complete
k get jobs -n $NS -o json > "$LOAD/jobs"
check "none is refused" "$(cat "$LOAD/refused")" ""
check "none is lost" "$(jq '.items | length' "$LOAD/jobs")" "$TOTAL"
check "each has counted its Pods" "$(jq '[.items[] | select(.status.succeeded != .spec.completions or (.status.failed // 0) != 0 or (.status.active // 0) != 0)] | length' "$LOAD/jobs")" 0
check "no Pod keeps a finalizer" "$(k get pods -n $NS -o json | jq '[.items[] | select(.metadata.finalizers)] | length')" 0
check "no Pod too many" "$(k get pods -n $NS -o json | jq '.items | length')" "$(jq '[.items[].spec.completions] | add' "$LOAD/jobs")"
check "the webhook was not started again" "$(proc_pid webhook)" "$WEBHOOK"
check "the controller was not started again" "$(proc_pid controller)" "$CONTROLLER"
check "the webhook denied nothing" "$(awk '/"msg":"denied"/ { n++ } END { print n + 0 }' "$DIR/log/webhook.log")" 0
check_more "Jobs" "$TOTAL" 60
