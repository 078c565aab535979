#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100 policies with as many rules as they may have (64 paths, 128 values each), of fields, images, requests, Pod security and schedules, and Jobs of
# the size that an API server takes: thousands of containers, variables and tolerations, texts that match globs slowly, names with every byte. Each is
# answered. Policies beyond their bounds, which nobody could refuse, can't be used, and say why.
# quick
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
POLICIES=100

cluster
control
namespace tenant '"pod-security.kubernetes.io/enforce":"baseline"'
for i in $(seq $POLICIES); do
    apply "rules-$i" '{match: {namespaces: ["tenant"]}, limits: {
        fields: ({"template.spec.containers[*].env[*].value": {excluded: ["*a*a*a*a*a*b", "*\("x" * 200)*"]}, "template.spec.containers[*].env[B?D*].value": "Forbidden",
            "template.spec.volumes[*].hostPath": "Forbidden", "template.spec.tolerations[*].key": {excluded: [range(127) | "k\(.)*"]}}
            + ([range(60) | {key: "template.metadata.annotations[a\(.)*]", value: {excluded: ["*\(.)"]}}] | from_entries)),
        template: {images: {excluded: [range(127) | "*x\(.)*y*"]}, requests: ([range(32) | {key: "example.com/r\(.)", value: {max: 1}}] | from_entries)}},
        podSecurity: {level: "Namespace"}}'
done
apply schedules '{match: {namespaces: ["cron"]}, limits: {cronJob: {shortestInterval: {min: "5m"}, jobsPerDay: {max: 10}, jobsAtOnce: {max: 10}}}}'
webhook
check_await "all policies are in force" 120 in_force $((POLICIES + 2))
check_await "the control is told right from wrong" 60 answers_rightly

# tenant WHAT JQ WANTED: the review of a Job, changed
tenant() {
    review tenant "$(job '{"parallelism":1}')" | jq -c ".request.object |= ($2)" > "$WORK/job.json"
    local got
    got=$(outcome "$WORK/job.json")
    case $got in
    *"$3"*) passed "$1" ;;
    *) failed "$1" "${got:0:300}" "...$3..." ;;
    esac
}
C='.spec.template.spec.containers'
MANY="$C = [range(1000) | {name: \"c\\(.)\", image: \"registry.example.com/a/b:1\", imagePullPolicy: \"Always\", terminationMessagePath: \"/t\", terminationMessagePolicy: \"File\", resources: {}, env: [range(20) | {name: \"E\\(.)\", value: \"aaaaaaaaaaaaaaaaaaaaaaaa\"}]}]"
tenant "a Job that fits" . allowed
tenant "100 containers of 20 variables each" "$MANY | $C |= .[:100]" allowed
tenant "1,000 are more than all policies together look at" "$MANY" 'the object has more values than policies look at'
tenant "the last of them is found" "$MANY | ${C}[999].env[19] = {name: \"BAD\", value: \"v\"}" 'denied: policy "rules-1": spec.template.spec.containers[999].env[19].value'
tenant "values that match slowly" "${C}[0].env = [range(100) | {name: \"E\\(.)\", value: (\"a\" * 10000)}]" allowed
tenant "and one that does match" "${C}[0].env = [{name: \"E\", value: (\"a\" * 100000 + \"b\")}]" 'denied: policy "rules-1": spec.template.spec.containers[0].env[0].value'
tenant "5,000 tolerations" '.spec.template.spec.tolerations = [range(5000) | {key: "t\(.)", operator: "Exists"}]' allowed
tenant "5,000 annotations" '.spec.template.metadata.annotations = ([range(2500) | {key: "a\(.)", value: "v"}] | from_entries)' allowed
tenant "an image of 100,000 bytes" "${C}[0].image = (\"registry.example.com/\" + \"x\" * 100000)" 'allowed'
tenant "1,000 containers that are privileged" "$MANY | ${C}[].securityContext = {privileged: true}" 'violates PodSecurity "baseline:latest" (v1.37): privileged'
tenant "1,000 volumes of the host" '.spec.template.spec.volumes = [range(1000) | {name: "v\(.)", hostPath: {path: "/", type: ""}}]' 'spec.template.spec.volumes[0].hostPath'
tenant "variables with names of every kind" "${C}[0].env = [{name: \"B.D\\u0000\", value: \"\"}, {name: \"B\\ud83d\\ude00D\", value: \"v\"}]" 'denied: '
jq -c '.request.operation = "UPDATE" | .request.object.metadata.resourceVersion = "1" | .request.oldObject = .request.object' "$WORK/job.json" > "$WORK/same.json"
check "what stays as it is passes" "$(outcome "$WORK/same.json")" allowed
# A suspended Job whose tolerations, which have no key, are turned round.
turned() { # turned N: tolerations that violate
    review tenant "$(job '{"parallelism":1}')" | jq -c --argjson n "$1" '.request.object |= (.spec.suspend = true | .metadata.resourceVersion = "1"
        | .spec.template.spec.tolerations = [range($n) | {key: "k1\(.)", operator: "Exists"}])
        | .request.operation = "UPDATE" | .request.oldObject = .request.object | .request.object.spec.template.spec.tolerations |= reverse' > "$WORK/turned.json"
    outcome "$WORK/turned.json"
}
check "20 violations in another order pass" "$(turned 20)" allowed
check_has "2,500 are more than policies compare, and count as new" "$(turned 2500)" 'denied: policy "rules-1'

# ---- schedules

cron() { # cron SCHEDULE ZONE WANTED
    jq -c --arg schedule "$1" --arg zone "$2" '.request |= (.kind.kind = "CronJob" | .resource.resource = "cronjobs" | .requestKind.kind = "CronJob" | .requestResource.resource = "cronjobs" | .namespace = "cron"
        | .object = {apiVersion: "batch/v1", kind: "CronJob", metadata: {name: "c", namespace: "cron"}, spec: {schedule: $schedule, timeZone: $zone, concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1, jobTemplate: {metadata: {}, spec: (.object.spec | del(.selector, .manualSelector, .template.metadata))}}})' "$ROOT/tests/vectors/wire/reviews/002-validate-CREATE-jobs.json" > "$WORK/cron.json"
    check_has "schedule ${1:0:60} in $2" "$(outcome "$WORK/cron.json" /validate-batch-v1-cronjob)" "$3"
}
cron '* * * * *' Australia/Lord_Howe 'denied: policy "schedules": spec.schedule'
cron '0 0 28 2 *' Africa/Casablanca 'spec.schedule: the number of its Jobs at once is unbounded'
cron '0 0 30 2 *' UTC allowed
cron '@every 1ns' Pacific/Apia 'denied: policy "schedules": spec.schedule'
cron "$(seq -s, 0 59),$(for _ in $(seq 2000); do printf '0-59,'; done)0 * * * *" UTC 'denied: policy "schedules": spec.schedule'
cron '* * * * *' Mars/Base 'denied: '

# ---- policies that are too large

denied_by() { [[ $(outcome "$WORK/job.json") == "denied: policy \"$1\": spec: the policy can't be used: "* ]]; }

for row in 'values ;; {parallelism: {max: 1}, labels: {a: {values: [range(100000) | "v\(.)"]}}}' \
    'paths ;; {fields: ([range(100000) | {key: "template.metadata.annotations[a\(.)]", value: "Forbidden"}] | from_entries)}' \
    'globs ;; {template: {images: {excluded: ["*" * 100000]}}}' \
    'steps ;; {fields: {("template.spec.containers" + "[*]" * 100000): "Forbidden"}}' \
    'resources ;; {template: {requests: ([range(100000) | {key: "r\(.)", value: {max: 1}}] | from_entries)}}'; do
    name=${row%% ;; *}
    policy "large-$name" "{match: {namespaces: [\"$name\"]}, limits: ${row#* ;; }}" > "$WORK/large.json"
    served jobpolicies "large-$name" "$WORK/large.json"
    review "$name" "$(job '{"parallelism":1}')" > "$WORK/job.json"
    check_await "100,000 $name: it can't be used" 120 denied_by "large-$name"
done
unharmed "in the end" 256
