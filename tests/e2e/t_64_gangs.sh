#!/bin/bash
# Gang scheduling: the control plane anew with its gates on, then scenarios by the built-in controller and by ours, Workloads and PodGroups
# compared too.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/compare.sh"
only_of 1.36 "its objects are those of scheduling.k8s.io/v1alpha2, which 1.36 alone has"
GATES=GenericWorkload=true,WorkloadWithJob=true
SCENARIO_LISTS="/apis/scheduling.k8s.io/v1alpha2/workloads /apis/scheduling.k8s.io/v1alpha2/podgroups"

# control_plane: as cluster.sh starts it, with what is in the environment
control_plane() {
    proc_stop kube-controller-manager
    end_apiserver TERM
    "$E2E/cluster.sh" up "$DIR" >> "$DIR/log/restart.log" 2>&1
}

builtin_begins() {
    start_builtin --feature-gates="$GATES"
}

ours_begins() {
    start_controller controller-gangs --replace-builtin --leader-elect=false --feature-gates="$GATES"
}

JR_E2E_GATES=$GATES JR_E2E_APIS=scheduling.k8s.io/v1alpha2=true control_plane
# shellcheck disable=SC2046
compare "$E2E/scenarios/gangs" $(scenarios_of "$E2E/scenarios/gangs" "$@")
never_refused controller-gangs
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
control_plane
