#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gates of Jobs that can be off up to 1.33: the control plane anew with them off, as 1.33 where it is newer and can, then scenarios by the built-in
# controller and by ours, which finds out for itself. A Job that was stored with a managedBy meanwhile is run by both.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/compare.sh"
GATES=JobManagedBy=false,JobPodReplacementPolicy=false
EMULATED=""
case ${KUBE%.*} in
1.32) GATES+=,JobSuccessPolicy=false,JobBackoffLimitPerIndex=false ;;
1.33) ;;
1.34 | 1.35 | 1.36) EMULATED=1.33 ;;
*)
    skipped "$TEST" "Kubernetes is $KUBE: only 1.32 to 1.36 can have these gates off"
    exit 0
    ;;
esac

# control_plane: as cluster.sh starts it, with what is in the environment
control_plane() {
    proc_stop kube-controller-manager
    end_apiserver TERM
    "$E2E/cluster.sh" up "$DIR" >> "$DIR/log/restart.log" 2>&1
}

# stored NAME: a Job that names another controller, made while the gate is on
stored() {
    timed_job "$1" 200ms 2 | sed 's|^spec:|spec:\n  suspend: true\n  managedBy: example.com/else|' | k create -n "$NS" -f - > /dev/null
    check "$1 is another's" "$(field "job/$1" .spec.managedBy -n "$NS")" example.com/else
}

# run_all_the_same NAME: it is
run_all_the_same() {
    k patch job "$1" -n "$NS" --type merge -p '{"spec":{"suspend":false}}' > /dev/null
    check_await "$1 is run all the same" 60 ended "$1" Complete
}

builtin_begins() {
    start_builtin --feature-gates="$GATES" ${EMULATED:+--emulated-version=$EMULATED}
    run_all_the_same by-builtin
}

ours_begins() {
    start_controller controller-gangs --replace-builtin --leader-elect=false # it may read the gates
    run_all_the_same by-ours
}

NS=stored
fresh_namespace $NS
stored by-builtin
stored by-ours
JR_E2E_GATES=$GATES JR_E2E_EMULATED=$EMULATED control_plane
# shellcheck disable=SC2046
compare "$E2E/scenarios/gates" $(scenarios_of "$E2E/scenarios/gates" "$@")
never_refused controller-gangs
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
control_plane
