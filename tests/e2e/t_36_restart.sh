#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The API server goes away and comes back while a Job runs: in good order, and killed. The controller lives on, and
# counts each Pod once.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t36

counted() { # counted NAME N: so many at least; sets COUNTED
    COUNTED=$(field "job/$1" .status.succeeded -n $NS)
    [ "${COUNTED:-0}" -ge "$2" ]
}
# under_way NAME: a Job of which some Pods are counted, and not all: NAME-1, or the next one, where we came too late for that. Sets JOB.
under_way() {
    local i
    for i in 1 2 3 4 5; do
        JOB=$1-$i
        timed_job "$JOB" 500ms 24 4 | k create -n $NS -f - > /dev/null
        await 60 "$JOB" counted "$JOB" 4 || return 1
        [ "$COUNTED" -ge 20 ] || return 0
    done
    return 1
}

fresh_namespace $NS
start_kubelet
# A restart takes longer than the usual deadline for renewing the Lease.
start_controller controller-replace --replace-builtin --leader-elect-lease-duration 120s --leader-elect-renew-deadline 100s
PID=$(proc_pid controller)

for SIG in TERM KILL; do
    NAME=restart-${SIG,,}
    if under_way "$NAME"; then passed "$NAME is under way"; else failed "$NAME is under way" "$COUNTED Pods counted" "4 to 19"; fi
    NAME=$JOB
    check_await "$NAME: the API server is gone" 60 end_apiserver $SIG
    "$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
    outcome "$NAME" Complete 180 24 "" CompletionsReached
    check "$NAME: Pods" "$(pods_of "$NAME")" 24
    check "$NAME: the controller is the same" "$(proc_pid controller)" "$PID"
done
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
