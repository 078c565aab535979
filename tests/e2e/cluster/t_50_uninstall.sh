#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# helm uninstall in both modes: nothing is left that stands in the way, no Pod is lost to accounting.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t50

# in_the_way: what could block Jobs, or give a key away
in_the_way() {
    names mutatingwebhookconfigurations,validatingwebhookconfigurations | grep -i -e jobreeve -e '^no answer' || true
    names secrets -n $SYSTEM
}

# left: all else of the release, a line each
left() {
    names clusterroles,clusterrolebindings | grep -i -e jobreeve -e '^no answer' || true
    names deployments,services,serviceaccounts,roles,rolebindings,poddisruptionbudgets,pods -n $SYSTEM |
        grep -v '^serviceaccount/default$' || true
}

nothing_left() {
    [ -z "$(left)" ]
}

# all_there MODE: what is looked for after the uninstall is found before it
all_there() {
    check "$1: before, both configurations, the Secret and helm's record are found" "$(in_the_way | sed 's|[./].*||' | sort | paste -sd ' ')" \
        "mutatingwebhookconfiguration secret secret validatingwebhookconfiguration"
    check_more "$1: before, rights, Deployments, Pods and what belongs to them are found" "$(left | wc -l)" 15
}

finalizers_of() {
    k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" -o jsonpath='{.items[*].metadata.finalizers[*]}' | tr ' ' '\n' | sort | uniq -c | xargs
}

# Jobs can be made and deleted by whoever likes, at once.
free() {
    check "$1: a Job can be made right after" "$(job after "suspend: true," | k create -n $NS -f - 2>&1)" "job.batch/after created"
    check "$1: and deleted" "$(k delete job after -n $NS --timeout=60s)" "job.batch \"after\" deleted from $NS namespace"
}

# phases NAME: of its Pods, counted
phases() {
    k get pods -n $NS -l "batch.kubernetes.io/job-name=$1" -o jsonpath='{range .items[*]}{.status.phase}{"\n"}{end}' | sort | uniq -c | xargs
}

has_phases() {
    [ "$(phases "$1")" = "$2" ]
}

test_managed_by() {
    installed
    fresh_namespace $NS
    {
        job ended "managedBy: jobreeve.dev/controller, completions: 2, parallelism: 2,"
        job half "managedBy: jobreeve.dev/controller, completions: 4, parallelism: 2, completionMode: Indexed," seconds=1,1,600
    } | k create -n $NS -f - > /dev/null
    outcome ended Complete 120 2 "" CompletionsReached
    check_await "half: two have ended, two run" 120 has_phases half "2 Running 2 Succeeded"
    all_there managedBy
    check "helm uninstall (managedBy)" "$(uninstall && echo well)" well
    check "managedBy: no webhook configuration and no Secret is left" "$(in_the_way)" ""
    free managedBy
    check_await "managedBy: nothing of ours is left, no Pod either" 60 nothing_left
    check "half: the last accounting" "$(field job/half '.status.succeeded}{" "}{.status.completedIndexes}{" "}{.status.uncountedTerminatedPods' -n $NS)" "2 0,1 {}"
    check "half: no finalizer is left" "$(finalizers_of half)" ""
    check "half: its Pods run on" "$(phases half)" "2 Running 2 Succeeded"
    k delete namespace $NS --timeout=120s > /dev/null
    passed "managedBy: the namespace and all in it can be deleted"
}

test_replace() {
    controllers '*,-job-controller'
    installed --set controller.mode=replaceBuiltin
    fresh_namespace $NS
    job half "completions: 4, parallelism: 2, completionMode: Indexed," seconds=1,1,90 | k create -n $NS -f - > /dev/null
    check_await "half: two have ended, two run" 120 has_phases half "2 Running 2 Succeeded"
    all_there replaceBuiltin
    check "helm uninstall (replaceBuiltin)" "$(uninstall && echo well)" well
    check "replaceBuiltin: no webhook configuration and no Secret is left" "$(in_the_way)" ""
    free replaceBuiltin
    check_await "replaceBuiltin: nothing of ours is left, no Pod either" 60 nothing_left
    check_has "half: the finalizers stay" "$(finalizers_of half)" batch.kubernetes.io/job-tracking
    controllers '*'
    outcome half Complete 240 4 "" CompletionsReached
    check "half: completed indexes" "$(field job/half .status.completedIndexes -n $NS)" 0-3
    check "half: no Pod was made anew" "$(pods_of half)" 4
    k delete namespace $NS --timeout=120s > /dev/null
}

controllers '*'
test_managed_by
test_replace
