#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Beside the built-in controller, each with its own Jobs and finalizer; our rights are the chart's, and no others.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t20
OURS="managedBy: jobreeve.dev/controller,"

# finalizers_of NAME: of its Pods, each once
finalizers_of() {
    k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" -o jsonpath='{.items[*].metadata.finalizers[*]}' | tr ' ' '\n' | sort -u
}

tracked() {
    [ "$(finalizers_of "$1")" = "$2" ]
}

# may VERB RESOURCE [ARGUMENT...]: whether the account of COMPONENT may
may() {
    k auth can-i "$@" --as="system:serviceaccount:$SYSTEM:$RELEASE-$COMPONENT" 2> /dev/null || true # it ends with 1 for "no"
}

may_not() {
    check "$COMPONENT may not $*" "$(may "$@")" no
}

test_side_by_side() {
    {
        job ours "$OURS completions: 2, parallelism: 2," seconds=30
        job ours-indexed "$OURS completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 0," code=0,1,0
        job ours-failing "$OURS backoffLimit: 0," code=1
        job theirs "completions: 2, parallelism: 2," seconds=30
        job nobodys "managedBy: example.com/other,"
    } | k create -n $NS -f - > /dev/null
    check_await "ours: tracked by our finalizer" 60 tracked ours jobreeve.dev/job-tracking
    check_await "theirs: tracked by the built-in finalizer" 60 tracked theirs batch.kubernetes.io/job-tracking
    outcome ours Complete 120 2 "" CompletionsReached
    outcome ours-indexed Failed 120 2 1 FailedIndexes
    outcome ours-failing Failed 120 "" 1 BackoffLimitExceeded
    outcome theirs Complete 120 2 "" CompletionsReached
    check "nobody's: left alone" "$(field job/nobodys .status -n $NS)$(pods_of nobodys)" "{}0"
}

# A namespace with the label is ours as a whole: whoever creates a Job there hands it over.
test_assign_controller() {
    fresh_namespace t20-assigned
    k label namespace t20-assigned jobreeve.dev/assign-controller=true > /dev/null
    await 60 "the API server knowing the label" assigned t20-assigned
    job handed "" seconds=1 | k create -n t20-assigned -f - > /dev/null
    job others "managedBy: example.com/other," seconds=1 | k create -n t20-assigned -f - > /dev/null
    NS=t20-assigned outcome handed Complete 120 1 "" CompletionsReached
    check "handed: to us" "$(field job/handed .spec.managedBy -n t20-assigned)" jobreeve.dev/controller
    check "others: keeps its controller" "$(field job/others .spec.managedBy -n t20-assigned)" example.com/other
    check "elsewhere: nothing is assigned" "$(field_or_no_answer job/theirs .spec.managedBy -n $NS)" ""
    k delete namespace t20-assigned --timeout=120s > /dev/null
}

# Our accounts have what they need (nothing_forbidden, in the end) and no more.
test_rights() {
    local COMPONENT
    COMPONENT=controller
    check "controller may create Pods" "$(may create pods -n $NS)" yes
    may_not create jobs -n $NS
    may_not delete jobs -n $NS
    may_not update jobs -n $NS
    may_not get secrets -n $NS
    may_not get secrets -n $SYSTEM
    may_not create pods --subresource=exec -n $NS
    may_not get mutatingwebhookconfigurations/$RELEASE
    may_not list leases -n kube-system
    COMPONENT=webhook
    may_not create pods -n $NS
    may_not list jobs -n $NS
    may_not get secrets -n $NS
    may_not get secrets/another -n $SYSTEM
    may_not delete mutatingwebhookconfigurations/$RELEASE
    may_not update mutatingwebhookconfigurations/another
    may_not create "*" -n $NS
}

controllers '*'
installed --set assignController.enabled=true
fresh_namespace $NS
test_side_by_side
test_assign_controller
test_rights
nothing_forbidden
k delete namespace $NS --timeout=120s > /dev/null
