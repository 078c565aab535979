# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The examples of a Job's policies, each with the outcome that Kubernetes' documentation describes. Sourced by run.sh and by
# tests/integration/controller/examples.sh, which have api, await and jobs, and a controller with --replace-builtin --ttl-after-finished.
policy_examples="success-policy failure-policy backoff-per-index ttl replacement-policy"

# is NAME FILTER: the Job's status is such
is() {
    api GET "$jobs/$1" | jq -e "def over(\$type; \$reason): any(.conditions[]?; .type == \$type and .status == \"True\" and .reason == \$reason); .status | $2"
}
# came NAME WORDS FILTER
came() {
    await 120 "$1: $2" is "$1" "$3"
    printf '  %-18s %s\n' "$1" "$2"
}
pods_of() { api GET "/api/v1/namespaces/default/pods?labelSelector=batch.kubernetes.io/job-name%3D$1"; }

submit_policy_examples() {
    local f
    for f in $policy_examples; do
        api POST "$jobs" -H 'Content-Type: application/yaml' --data-binary @"docs/examples/$f.yaml" | jq -e .metadata.uid > /dev/null || return 1
    done
}

# Deletes the Pod of replacement-policy while it runs. Where a second one is seen, the first one has ended: it may not be terminating any more.
replace_pod() {
    local first snapshot version
    runs() { pods_of replacement-policy | jq -e '.items[0].status.phase == "Running"'; }
    replaced() { snapshot=$(pods_of replacement-policy) && jq -e --arg first "$first" 'any(.items[]; .metadata.name != $first)' <<< "$snapshot"; }
    await 60 "the Pod of replacement-policy" runs
    first=$(pods_of replacement-policy | jq -r '.items[0].metadata.name')
    version=$(api GET "$jobs/replacement-policy" | jq -r .metadata.resourceVersion)
    api DELETE "/api/v1/namespaces/default/pods/$first" > /dev/null
    await 60 "the replacement" replaced
    # A watch from then on tells what was in between, however short it was.
    api GET "$jobs?watch=1&timeoutSeconds=1&resourceVersion=$version" |
        jq -ne '[inputs.object | select(.metadata.name == "replacement-policy").status | .terminating == 1 and (.active // 0) == 0] | any' > /dev/null ||
        { echo "replacement-policy: no status tells of the Pod that is terminating" >&2 && return 1; }
    printf '  %-18s %s\n' replacement-policy "its Pod is terminating, and has no replacement yet"
    jq -e --arg first "$first" 'all(.items[]; .metadata.name != $first or .status.phase == "Failed")' <<< "$snapshot" > /dev/null ||
        { echo "replacement-policy: a replacement beside a Pod that is terminating" >&2 && return 1; }
}

show_policy_examples() {
    expired() { api GET "$jobs" | jq -e 'all(.items[]; .metadata.name != "ttl")'; }
    replace_pod
    came success-policy "Complete by index 0, the others are ended" 'over("Complete"; "SuccessPolicy") and .completedIndexes == "0" and .succeeded == 1'
    came failure-policy "Failed by exit code 42, the disruption isn't counted" 'over("Failed"; "PodFailurePolicy") and .failed == 1'
    came backoff-per-index "Failed by index 1 after its retry, the others have completed" \
        'over("Failed"; "FailedIndexes") and .completedIndexes == "0,2" and .failedIndexes == "1" and .succeeded == 2 and .failed == 2'
    await 120 "ttl to go" expired
    printf '  %-18s %s\n' ttl "gone, two seconds after it finished"
    came replacement-policy "Complete by the replacement" 'over("Complete"; "CompletionsReached") and .succeeded == 1 and .failed == 1'
}
