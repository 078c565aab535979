#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An install or an uninstall that is broken off in the middle: the second try succeeds, and Jobs can be made meanwhile.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t60

# Jobs can be made while we are neither there nor gone.
unblocked() {
    check "$1: Jobs can be made" "$(job probe "suspend: true," | k create -n $NS --dry-run=server -f - 2>&1)" "job.batch/probe created (server dry run)"
}

# broken_off WHAT CONDITION HELM-ARGUMENT...: helm killed as soon as CONDITION succeeds
broken_off() {
    local what=$1 condition=$2
    shift 2
    proc_start helm "$BIN/helm" --kubeconfig="$DIR/admin.conf" -n "$SYSTEM" "$@"
    SPAWNED="$SPAWNED helm"
    ALIVE=helm await 60 "$what" "$condition"
    proc_kill helm 2> /dev/null
}

deployment_there() {
    k get deployment $RELEASE-webhook -n $SYSTEM
}

configurations_there() {
    [ "$(configurations)" = 2 ]
}

hook_there() {
    [ -n "$(k get pods -n $SYSTEM $RELEASE-pre-delete -o jsonpath='{.status.phase}')" ]
}

# The controller has no node to run on, so helm can't be done before it is killed.
test_install() {
    removed
    broken_off "helm's first objects" deployment_there install $RELEASE "$CHART" --create-namespace \
        --set image.repository=localhost/jobreeve --set controller.nodeSelector.nowhere=here --wait --timeout 5m
    check "helm killed in an install: its state" "$(helm status $RELEASE -o json | jq -r .info.status)" pending-install
    check "helm killed in an install: it can be uninstalled" "$(uninstall && echo well)" well
    unblocked "after it"
    check "and installed" "$(release install && echo well)" well
    check_await "the webhook guards" 60 guarded
}

test_killed_helm() {
    broken_off "the pre-delete hook" hook_there uninstall $RELEASE --wait --timeout 5m
    unblocked "in the middle of it" # we are still there, or out of the way
    check "helm killed in an uninstall: the second try" "$(uninstalled_if_there && echo well)" well
    check "nothing is registered" "$(configurations)" 0
    unblocked "after it"
}

# Helm may have been done before it was killed.
uninstalled_if_there() {
    ! helm status "$RELEASE" > /dev/null 2>&1 || uninstall
}

test_killed_hook() {
    check "installed again" "$(release install && echo well)" well
    proc_start helm "$BIN/helm" --kubeconfig="$DIR/admin.conf" -n "$SYSTEM" uninstall $RELEASE --wait --timeout 1m
    SPAWNED="$SPAWNED helm"
    ALIVE=helm await 60 "the pre-delete hook" hook_there
    k delete pod $RELEASE-pre-delete -n $SYSTEM --grace-period=0 --force > /dev/null 2>&1
    proc_gone 120 helm || true
    proc_stop helm
    unblocked "after the hook was killed"
    check "the hook killed in an uninstall: the second try" "$(uninstalled_if_there && echo well)" well
    check "nothing is registered" "$(configurations)" 0
    unblocked "after it"
    check "and installed" "$(release install && echo well)" well
}

# No replica is up, so no Job can be made: the one command of docs/operations.md, and the way back.
test_broken() {
    await 60 "the keeper closing the validating side" closed
    k scale deployment $RELEASE-webhook -n $SYSTEM --replicas=0 > /dev/null
    check_await "no replica: no Job" 120 blocked
    k delete mutatingwebhookconfiguration,validatingwebhookconfiguration $RELEASE > /dev/null
    check_await "the one command: Jobs can be made" 120 free
    check "the way back" "$(release upgrade --reset-then-reuse-values --force-conflicts && echo well)" well
    check_await "the webhook guards again" 60 guarded
}

blocked() {
    local out
    ! out=$(k create job probe --image=probe -n $NS --dry-run=server 2>&1) && [[ $out == *'failed calling webhook "validate.job.jobreeve.dev"'* ]]
}

free() {
    k create job probe --image=probe -n $NS --dry-run=server
}

controllers '*'
removed
fresh_namespace $NS
test_install
test_killed_helm
test_killed_hook
test_broken
removed
k delete namespace $NS --timeout=120s > /dev/null
