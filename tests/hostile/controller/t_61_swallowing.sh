#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: connections that swallow what is sent stall everybody's Jobs for over two minutes.
# All connections that are open at a moment acknowledge bytes and answer nothing any more, new ones work. A Job that is made right after it
# has its Pods within 45 s, with and without leader election; so does the next one, and the process is the same. The bound is of time, so
# a Job on an undisturbed connection, right after, says how slow the machine is. Seen to fail on 23e780d2: no Pod after 120 s.
. "$(dirname "${BASH_SOURCE[0]}")/../../e2e/lib.sh"
. "$E2E/jobs.sh"

proxy_port() {
    sed -n 's/^listening on //p' "$DIR/log/$PROXY.log" | grep .
}
has_stalled() {
    grep -q '^stalled [1-9]' "$DIR/log/$PROXY.log"
}
first_pod() { # first_pod NAME: it has one
    k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" -o name | grep -q .
}
seconds_to_pod() { # seconds_to_pod NAME: makes the Job, and prints how long its first Pod took
    local began=$EPOCHREALTIME
    timed_job "$1" 200ms 2 | k create -n $NS -f - > /dev/null
    await 150 "a Pod of $1" first_pod "$1"
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%d", b - a }'
}

# swallow NAME FLAG...: one controller behind a proxy, from its start to its end
swallow() {
    NS=swallowing-$1 PROXY=proxy-$1
    fresh_namespace "$NS"
    spawn "$PROXY" "$JR_BIN/stall-proxy" "${ADDRESS%:*}" "${ADDRESS##*:}"
    ALIVE=$PROXY await 120 "the proxy" proxy_port
    sed "s|server: \"[^\"]*\"|server: \"https://127.0.0.1:$(proxy_port)\"|" "$DIR/controller-replace.conf" > "$DIR/swallowed.conf"
    start_controller_by "$DIR/swallowed.conf" --replace-builtin "${@:2}"
    local pid took usual
    pid=$(proc_pid controller)
    timed_job before 200ms 2 | k create -n "$NS" -f - > /dev/null
    outcome before Complete 60 2 "" CompletionsReached
    proc_signal "$PROXY" USR2
    await 120 "the stall" has_stalled
    took=$(seconds_to_pod after)
    outcome after Complete 150 2 "" CompletionsReached
    usual=$(seconds_to_pod later)
    outcome later Complete 60 2 "" CompletionsReached
    check "$1: a Pod within 45 s ($took s, undisturbed $usual s)" "$((took <= 45 + usual))" 1
    check "$1: the controller is the same" "$(proc_pid controller)" "$pid"
    proc_stop controller
    check "$1: the controller ends well" "$STOP_STATUS" 0
    proc_stop "$PROXY"
}

start_kubelet
ADDRESS=${SERVER#https://}
user controller-replace "$E2E/rbac/controller-replace.yaml"
swallow leader --leader-elect
swallow alone --leader-elect=false
