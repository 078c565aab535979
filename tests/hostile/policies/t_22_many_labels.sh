#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a JobPolicy with 3,200 labels by default was taken, and each mutation was answered 500 from then on, which API servers ignore: no default
# was set any more, and nobody was told. Seen to fail on 23e780d2: the policy was taken, and every mutation got 500, also beside 100 small policies.
# quick
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

labels() { # labels PREFIX N: so many, as long as they get, for jq
    printf '[range(%d) | {key: ("%s" + ("0" * 200) + ".io/k\\(.)"), value: ("v" * 63)}] | from_entries' "$2" "$1"
}
# applied FILE: what the webhook says of a policy that is made
applied() {
    jq -nc --slurpfile p "$1" '{apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {uid: "u", operation: "CREATE", name: $p[0].metadata.name,
        kind: {group: "policy.jobreeve.dev", version: "v1alpha1", kind: "JobPolicy"}, resource: {group: "policy.jobreeve.dev", version: "v1alpha1",
        resource: "jobpolicies"}, object: $p[0]}}' > "$WORK/applied.json"
    outcome "$WORK/applied.json" /validate-policy-jobreeve-dev-v1alpha1-jobpolicy
}
# set_labels: how many labels the mutation of the review in job.json sets; else what it was answered
set_labels() {
    local code
    code=$(ask "$WORK/job.json" /mutate-batch-v1-job)
    if [ "$code" = 200 ]; then
        jq -r '.response.patch // "W10=" | @base64d | fromjson | map("\(.path) \(.value)" | [scan("\\.io(?:/|~1)k[0-9]+")] | length) | add // 0' "$WORK/job.json.answer"
    else
        printf '%s %s\n' "$code" "$(head -c 300 "$WORK/job.json.answer")"
    fi
}

cluster
control
for i in $(seq 100); do
    apply "labels-$i" "{match: {namespaces: [\"tenant\"]}, defaults: {labels: ($(labels "a$i" 32)), template: {labels: ($(labels "b$i" 32))}}}"
done
apply small '{match: {namespaces: ["few"]}, defaults: {ttlSecondsAfterFinished: 60}}'
webhook
check_await "all policies are in force" 120 in_force 102
review tenant "$(job '{}')" > "$WORK/job.json"
check "100 policies with as many labels as they may have set them" "$(set_labels)" 6400
policy large "{match: {namespaces: [\"other\"]}, defaults: {labels: ($(labels c 3200))}}" > "$WORK/large.json"
check_has "a policy with 3,200 is refused in words" "$(applied "$WORK/large.json")" "spec.defaults.labels: Too many: 3200: must have at most 32 labels"
policy few "{match: {namespaces: [\"other\"]}, defaults: {labels: ($(labels c 32))}}" > "$WORK/few.json"
check "one with 32 is taken" "$(applied "$WORK/few.json")" allowed

# made while nobody could refuse it
served jobpolicies large "$WORK/large.json"
check_await "the large one is in force" 120 in_force 103
review few "$(job '{}')" > "$WORK/job.json"
check "a Job that it doesn't match gets the default of another" \
    "$(set_labels) $(jq -r '.response.patch | @base64d | contains("ttlSecondsAfterFinished")' "$WORK/job.json.answer")" "0 true"
review other "$(job '{}')" > "$WORK/job.json"
check "one that it matches is answered" "$(set_labels)" 0
check_has "and refused, as by any policy that can't be used" "$(outcome "$WORK/job.json")" 'denied: policy "large": spec: the policy can'"'"'t be used: spec.defaults.labels'
unharmed "in the end" 256
