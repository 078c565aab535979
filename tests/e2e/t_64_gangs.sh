#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gang scheduling: the control plane anew with its gates on, then scenarios by the built-in controller and by ours, Workloads and PodGroups
# compared too.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/compare.sh"
GATES=GenericWorkload=true,WorkloadWithJob=true
case ${KUBE%.*} in
1.36) API=scheduling.k8s.io/v1alpha2 SET=gangs ;;
1.37)
    API=scheduling.k8s.io/v1beta1 SET=gangs-v1beta1
    GATES+=,TopologyAwareWorkloadScheduling=true
    ;;
*)
    skipped "$TEST" "Kubernetes is $KUBE: only 1.36 and 1.37 have Jobs with Workloads and PodGroups"
    exit 0
    ;;
esac
SCENARIO_LISTS="/apis/$API/workloads /apis/$API/podgroups"

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
    start_controller controller-gangs --replace-builtin --leader-elect=false # it reads the gates
}

JR_E2E_GATES=$GATES JR_E2E_APIS=$API=true control_plane
# shellcheck disable=SC2046
compare "$E2E/scenarios/$SET" $(scenarios_of "$E2E/scenarios/$SET" "$@")
never_refused controller-gangs
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
control_plane
