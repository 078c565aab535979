#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The last release, by its own chart and image, on a real node; upgraded to this tree's, and rolled back. Meanwhile every request is answered, Jobs go on as
# they are, each Pod counted once, and JobPolicies stay in force.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t90
ROOT=$(cd "$CLUSTER/../../.." && pwd)
RELEASED=$("$CLUSTER/released.sh")
OLD=$(. "$RELEASED/project.env" && echo "$VERSION")
NEW=$(. "$ROOT/project.env" && echo "$VERSION")

# runs VERSION: each Pod of ours has the image of that version, and no other
runs() {
    [ "$(k get pods -n $SYSTEM -o json | jq -r '[.items[] | select(.metadata.deletionTimestamp | not) | .spec.containers[].image] | unique | join(" ")')" = \
        "localhost/jobreeve:$1" ] && guarded
}

# batch ROUND: Jobs that are at work when the version changes
batch() {
    job "counted-$1" "completions: 6, parallelism: 3," seconds=20
    job "indexed-$1" "completions: 4, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1," seconds=15
    job "retried-$1" "backoffLimit: 1," seconds=20 code=3
    job "queued-$1" "suspend: true,"
}
at_work() { # at_work ROUND
    [ "$(field "job/counted-$1" .status.active -n $NS)" = 3 ] && [ "$(field "job/indexed-$1" .status.active -n $NS)" = 2 ]
}

# over ROUND: they have ended as they should have, none of their Pods was lost or counted twice
over() {
    k patch job "queued-$1" -n $NS --type=merge -p '{"spec":{"suspend":false}}' > /dev/null
    outcome "counted-$1" Complete 300 6 "" CompletionsReached
    check "counted-$1: Pods" "$(pods_of "counted-$1")" 6
    outcome "indexed-$1" Complete 300 4 "" CompletionsReached
    check "indexed-$1: indexes" "$(field "job/indexed-$1" .status.completedIndexes -n $NS)" 0-3
    outcome "retried-$1" Failed 300 "" 2 BackoffLimitExceeded
    outcome "queued-$1" Complete 300 1 "" CompletionsReached
}

job wide "parallelism: 4," > "$DIR/wide.yaml"
denied() { # the policy is in force
    [[ $(k create -n $NS --dry-run=server -f "$DIR/wide.yaml" 2>&1) == *'policy "narrow": is 4, at most 3 allowed'* ]]
}

"$CLUSTER/load.sh" "$RELEASED/image.oci.tar" > /dev/null
controllers '*,-job-controller,-ttl-after-finished-controller'
k delete crd jobpolicies.policy.jobreeve.dev --ignore-not-found > /dev/null
CHART=$RELEASED/charts/jobreeve
installed --set controller.mode=replaceBuiltin --set policies.enforce=true
check_await "$OLD runs" 120 runs "$OLD"
fresh_namespace $NS
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: narrow}\nspec: {limits: {parallelism: {max: 3}}}\n' | k create -f - > /dev/null
check_await "a JobPolicy is in force" 60 denied
await 60 "the webhook fails closed" closed
dry_runs_begin

batch old | k create -n $NS -f - > /dev/null
await 120 "Jobs are at work" at_work old
CHART=$ROOT/charts/jobreeve
release upgrade --reset-then-reuse-values
check_await "$NEW runs" 120 runs "$NEW"
check_await "the JobPolicy is in force" 60 denied
over old

batch new | k create -n $NS -f - > /dev/null
await 120 "Jobs are at work again" at_work new
helm rollback "$RELEASE" 1 --wait --timeout 5m >> "$DIR/log/helm.log" 2>&1
check_await "rolled back: $OLD runs" 120 runs "$OLD"
check_await "rolled back: the JobPolicy is in force" 60 denied
over new

dry_runs_end
nothing_forbidden
uninstall
check "uninstalled: no webhook configuration" "$(configurations)" 0
k delete crd jobpolicies.policy.jobreeve.dev > /dev/null
k delete namespace $NS --timeout=120s > /dev/null
controllers '*'
