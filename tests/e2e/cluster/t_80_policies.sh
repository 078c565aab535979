#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# JobPolicies as the chart installs them, on a real node: enforced by all processes of two replicas, changed 50 times while Jobs are sent, through a roll-out
# too; defaults and denials by kubectl, for CronJobs as well; their status by the controller; and what an uninstall leaves.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t80
CHANGES=50

policy() { # policy NAME SPEC
    printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: %s}\nspec: %s\n' "$1" "$2"
}

# processes: the addresses of all processes of the webhook, as the API server proxies to their metrics
processes() {
    local pod port
    for pod in $(pods_of_ours webhook); do
        for port in 8080 8082; do echo "/api/v1/namespaces/$SYSTEM/pods/$pod:$port/proxy/metrics"; done
    done
}

# in_force NAME GENERATION: in all of them
in_force() {
    local at all
    for at in $PROCESSES; do
        all=$(k get --raw "$at") && grep -qxF "jobreeve_policy_generation{policy=\"$1\"} $2" <<< "$all" || return 1
    done
}

test_denied() {
    policy narrow '{limits: {parallelism: {max: 2}}}' | k create -f - > /dev/null
    check_await "a policy is in force in all processes" 60 in_force narrow 1
    job wide "parallelism: 3," > "$DIR/wide.yaml"
    refused "a Job that is too wide" k create -n $NS -f "$DIR/wide.yaml"
    check_has "a Job that is too wide: in words" "$OUT" 'The Job "wide" is invalid: spec.parallelism: policy "narrow": is 3, at most 2 allowed'
    k create cronjob wide -n $NS --image=localhost/exitwith:1 --schedule='0 0 1 1 *' --dry-run=client -o json |
        jq '.spec.jobTemplate.spec.parallelism = 3' > "$DIR/cron.json"
    refused "a CronJob whose Jobs are too wide" k create -n $NS -f "$DIR/cron.json"
    check_has "a CronJob whose Jobs are too wide: in words" "$OUT" 'spec.jobTemplate.spec.parallelism: policy "narrow": is 3, at most 2 allowed'
    refused "a policy that can't be used" k create -f <(policy wrong '{limits: {parallelism: {min: 3, max: 2}}}')
    check_has "a policy that can't be used: in words" "$OUT" "max must not be less than min"
    refused "a policy with expressions" k create -f <(policy cel '{limits: {parallelism: {max: 2}}, matchConditions: [{name: a, expression: "true"}]}')
    check_has "a policy with expressions: in words" "$OUT" "this version doesn't evaluate expressions"
}

test_defaults() {
    policy ttl '{defaults: {ttlSecondsAfterFinished: 600}, limits: {ttlSecondsAfterFinished: {max: 900}}}' | k create -f - > /dev/null
    check_await "a policy with defaults is in force" 60 in_force ttl 1
    job defaulted "" seconds=0 | k create -n $NS -f - > /dev/null
    check "a default that kubectl shows" "$(field job/defaulted .spec.ttlSecondsAfterFinished -n $NS)" 600
    outcome defaulted Complete 120 1 "" CompletionsReached
}

test_changes() {
    local i began took longest=0 changed=0
    dry_runs_begin
    for ((i = 2; i <= CHANGES + 1; i++)); do
        k patch jobpolicy narrow --type=merge -p "{\"spec\":{\"limits\":{\"parallelism\":{\"max\":$((i + 1))}}}}" > /dev/null
        began=$(now_ms)
        await 60 "generation $i" in_force narrow $i || break
        took=$(($(now_ms) - began))
        [ $took -le $longest ] || longest=$took
        changed=$((changed + 1))
    done
    check "changes in force in $(wc -w <<< "$PROCESSES") processes" "$changed" $CHANGES
    echo "each was in force in all after at most $longest ms, by their metrics"
    k rollout restart deployment "$RELEASE-webhook" -n "$SYSTEM" > /dev/null
    check "a roll-out" "$(k rollout status deployment "$RELEASE-webhook" -n "$SYSTEM" --timeout=300s | tail -n 1)" \
        "deployment \"$RELEASE-webhook\" successfully rolled out"
    PROCESSES=$(processes)
    check_await "the new Pods enforce the same" 60 in_force narrow $((CHANGES + 1))
    dry_runs_end
}

status_of() { k get jobpolicy narrow -o json | jq -c ".status | $1"; }
audited_it() { [ "$(status_of '[.observedGeneration, .audit.violating]')" = "[$((CHANGES + 2)),1]" ]; }
test_status() {
    job late "suspend: true, parallelism: 5," | k create -n $NS -f - > /dev/null
    k patch jobpolicy narrow --type=merge -p '{"spec":{"limits":{"parallelism":{"max":2}}}}' > /dev/null
    check_await "the controller's audit finds a Job that is there already" 120 audited_it
    check "which" "$(status_of '.audit.worst')" '[{"kind":"Job","message":"spec.parallelism: is 5, at most 2 allowed","name":"late","namespace":"t80","rule":"limits.parallelism"}]'
    check_has "kubectl get says what is in force" "$(k get jobpolicies | tr -s ' ')" 'narrow ["Deny"] True 1 '
}

# What the chart's matchConditions let through: changes of labels alone, and of what is being deleted; never that a finalizer goes.
test_metadata() {
    policy owner '{limits: {labels: {team: {required: true}}}}' | k create -f - > /dev/null
    check_await "a policy on labels is in force" 60 in_force owner 1
    refused "a Job without an owner" k create -n $NS -f <(job owned "suspend: true,")
    job owned "suspend: true," | k label --local -f - team=a -o yaml | k create -n $NS -f - > /dev/null
    refused "its label alone can't be taken away" k label job owned -n $NS team-
    check_has "its label alone can't be taken away: in words" "$OUT" 'metadata.labels[team]: policy "owner": must be set'
    check "an annotation can be added" "$(k annotate job owned -n $NS a=b)" "job.batch/owned annotated"
    k patch job owned -n $NS --type=merge -p '{"metadata":{"finalizers":["tenant.example/hold"]}}' > /dev/null
    k delete job owned -n $NS --wait=false > /dev/null
    refused "what is being deleted can't be made worse" k patch job owned -n $NS --type=merge -p '{"spec":{"parallelism":99}}'
    refused "nor lose its label" k label job owned -n $NS team-
    k patch job owned -n $NS --type=merge -p '{"metadata":{"finalizers":null}}' > /dev/null
    check_await "nor by a finalizer" 60 gone_here job/owned
    k delete jobpolicy owner > /dev/null
}
gone_here() { ! k get "$1" -n $NS > /dev/null 2>&1; }

test_uninstall() {
    uninstall
    check_has "the definition stays, and the policies" "$(names jobpolicies)" "jobpolicy.policy.jobreeve.dev/narrow"
    check "nobody enforces them" "$(k create -n $NS -f "$DIR/wide.yaml" 2>&1)" "job.batch/wide created"
}

controllers '*'
k delete crd jobpolicies.policy.jobreeve.dev --ignore-not-found > /dev/null
installed --set policies.enforce=true --set policies.auditInterval=2s --set webhook.validating.failurePolicy=
fresh_namespace $NS
PROCESSES=$(processes)
check "helm test" "$(helm test "$RELEASE" --timeout 2m | sed -n 's/^Phase: *//p' | tail -n 1)" Succeeded
check_await "the webhook fails closed, as policies are to be enforced" 60 closed
test_denied
test_defaults
test_changes
test_metadata
test_status
nothing_forbidden
test_uninstall
k delete crd jobpolicies.policy.jobreeve.dev > /dev/null
k delete namespace $NS --timeout=120s > /dev/null
