#!/bin/bash
# The API server goes away and comes back while a Job runs: in good order, and killed. The controller lives on, and
# counts each Pod once.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t36

job() { # job NAME
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  completions: 24
  parallelism: 4
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: 500ms}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1.36"}]
Y
}
under_way() { # under_way NAME: some are counted, and not all
    local n
    n=$(field "job/$1" .status.succeeded -n $NS)
    [ "${n:-0}" -ge 4 ] && [ "$n" -lt 20 ]
}

fresh_namespace $NS
start_kubelet
# A restart takes longer than the usual deadline for renewing the Lease.
start_controller controller-replace --replace-builtin --leader-elect-lease-duration 120s --leader-elect-renew-deadline 100s
PID=$(proc_pid controller)

for SIG in TERM KILL; do
    NAME=restart-${SIG,,}
    job "$NAME" | k create -n $NS -f - > /dev/null
    check_await "$NAME is under way" 60 under_way "$NAME"
    check_await "$NAME: the API server is gone" 60 end_apiserver $SIG
    "$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
    outcome "$NAME" Complete 180 24 "" CompletionsReached
    check "$NAME: Pods" "$(pods_of "$NAME")" 24
    check "$NAME: the controller is the same" "$(proc_pid controller)" "$PID"
done
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
