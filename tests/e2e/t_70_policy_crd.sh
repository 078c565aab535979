#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The chart's CustomResourceDefinition of JobPolicies on a real API server, with no webhook: what its schema and its CEL rules take and
# refuse, of the documents that common/policy is tested with.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
CHART=$E2E/../../charts/jobreeve
VECTORS=$E2E/../vectors
WORK=$DIR/t70
CRD=jobpolicies.policy.jobreeve.dev
mkdir -p "$WORK"

HELM_CACHE_HOME=$WORK HELM_CONFIG_HOME=$WORK HELM_DATA_HOME=$WORK "$BIN/helm" template t70 "$CHART" --namespace jobreeve-system \
    --set image.repository=x -s templates/crds/jobpolicies.yaml > "$WORK/crd.yaml"
k delete crd $CRD --ignore-not-found > /dev/null
check "the API server takes the schema, and what its rules may cost" "$(k create -f "$WORK/crd.yaml" 2>&1)" \
    "customresourcedefinition.apiextensions.k8s.io/$CRD created"
established() { # and nothing said against the schema
    [ "$(k get crd $CRD -o json | jq -c '[.status.conditions[] | select(.type != "NamesAccepted") | "\(.type) \(.status)"]')" = '["Established True"]' ]
}
check_await "the type is there, its schema structural" 60 established
served() { k get jobpolicies > /dev/null 2>&1; }
await 60 "JobPolicies being served" served

# table FILE: a table of vectors as JSON; kubectl reads YAML, of a type that it knows, with all integers as they are
table() {
    { printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: table}\nrows:\n' && cat "$1"; } |
        k create --dry-run=client --validate=false -o json -f - | jq .rows
}

# attempt FILE: creates each of its documents, for show; the names of those that are accepted are in FILE.accepted, what is said in FILE.said
attempt() {
    k create --dry-run=server -f "$1" > "$1.out" 2> "$1.said" || true
    sed -n 's|^jobpolicy.policy.jobreeve.dev/\(.*\) created (server dry run)$|\1|p' "$1.out" | sort -V > "$1.accepted"
}

document='{apiVersion: "policy.jobreeve.dev/v1alpha1", kind: "JobPolicy"}'

# ---- those that are right

table "$VECTORS/policies.yaml" > "$WORK/policies.json"
table "$VECTORS/policies-wrong.yaml" > "$WORK/policies-wrong.json"
jq -c "([.[] | select(.unusable | not) | .policies[].spec], (\$wrong[0] | map(select(.faults | not) | .spec))) | unique | .[]" \
    --slurpfile wrong "$WORK/policies-wrong.json" "$WORK/policies.json" |
    jq -c "$document + {metadata: {name: \"right-\(input_line_number)\"}, spec: .}" > "$WORK/right"
check_more "documents that are right" "$(wc -l < "$WORK/right")" 370
attempt "$WORK/right"
check "all of them are accepted" "$(cat "$WORK/right.said")$(wc -l < "$WORK/right.accepted")" "$(wc -l < "$WORK/right")"

# ---- those that are wrong

jq -c "to_entries[] | select(.value.faults and (.value.metadata | not))
    | $document + {metadata: {name: \"wrong-\(.key)\"}, spec: .value.spec}" "$WORK/policies-wrong.json" > "$WORK/wrong"
check_more "documents that are wrong" "$(wc -l < "$WORK/wrong")" 99
attempt "$WORK/wrong"
jq -r 'to_entries[] | select(.value.schema == "accepts") | "wrong-\(.key)"' "$WORK/policies-wrong.json" > "$WORK/wrong.webhook"
check_more "those that are left to the webhook" "$(wc -l < "$WORK/wrong.webhook")" 30
check "all others are refused by the schema" "$(cat "$WORK/wrong.accepted")" "$(cat "$WORK/wrong.webhook")"
refused_by() { # refused_by WORDS SPEC: in the words of the schema or of a rule; SPEC for jq to evaluate
    jq -nc "$document + {metadata: {name: \"one\"}, spec: $2}" > "$WORK/one"
    attempt "$WORK/one"
    check_has "refused: $1" "$(cat "$WORK/one.accepted" "$WORK/one.said")" "$1"
}
rows=0
while IFS= read -r row; do
    refused_by "${row%% ;; *}" "${row#* ;; }"
    rows=$((rows + 1))
done << 'T'
must not contain both Deny and Warn ;; {"validationActions": ["Deny", "Warn", "Audit"], "limits": {"parallelism": {"max": 1}}}
spec.limits in body should have at least 1 properties ;; {"limits": {}, "budget": {"podsEver": 1}}
spec.limits.template in body should have at least 1 properties ;; {"limits": {"template": {}}}
spec.match.namespaces: Too many: 257 ;; {"match": {"namespaces": [range(257) | "a"]}, "budget": {"podsEver": 1}}
spec.budget.requestsAtOnce.cpu: Invalid value: -1 ;; {"budget": {"requestsAtOnce": {"cpu": -1}}}
spec.budget.requestsAtOnce: Too many: 33 ;; {"budget": {"requestsAtOnce": ([range(33) | {key: "r\(.)", value: 1}] | from_entries)}}
with the policy's own limit on template.activeDeadlineSeconds min would be more than max ;; {"limits": {"template": {"activeDeadlineSeconds": {"max": 5}}}, "exceptions": [{"namespaces": ["u"], "limits": {"template": {"activeDeadlineSeconds": {"min": 6}}}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
the policy has no limit on manualSelector ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "limits": {"manualSelector": "Forbidden"}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
the policy has no ceiling on runtime ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "budget": {"runtime": "1h"}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
the policy has no ceiling on such resourceHours ;; {"budget": {"resourceHours": {"cpu": 1}}, "exceptions": [{"namespaces": ["u"], "budget": {"resourceHours": {"memory": 1}}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
an exception needs namespaces ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": [], "budget": {"podsEver": 2}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
an exception needs limits, a budget or lift ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
spec.exceptions[0].reason in body should be at least 1 chars long ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "budget": {"podsEver": 2}, "until": "2027-01-01T00:00:00Z", "reason": ""}]}
podReplacementPolicy has no default here ;; {"defaults": {"backoffLimit": 3, "overrideServerDefaults": ["podReplacementPolicy"]}}
the policy's own limits.podReplacementPolicy don't allow it ;; {"defaults": {"podReplacementPolicy": "Failed"}, "limits": {"podReplacementPolicy": {"values": ["TerminatingOrFailed"]}}}
the policy's own limits.template.terminationGracePeriodSeconds don't allow it ;; {"defaults": {"template": {"terminationGracePeriodSeconds": 3}}, "limits": {"template": {"terminationGracePeriodSeconds": {"min": 4}}}}
the policy selects Jobs by such a label ;; {"match": {"objectSelector": {"matchLabels": {"pool": "a"}}}, "defaults": {"template": {"labels": {"pool": "a"}}}}
are the Job controller's ;; {"defaults": {"labels": {"controller-uid": "x"}}}
In and NotIn need values, Exists and DoesNotExist have none ;; {"match": {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}, "budget": {"podsEver": 1}}
strict decoding error: unknown field "spec.limits.paralellism" ;; {"limits": {"paralellism": {"max": 1}, "parallelism": {"max": 1}}}
strict decoding error: unknown field "spec.exceptions[0].namespaceSelector" ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "namespaceSelector": {}, "budget": {"podsEver": 2}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
strict decoding error: unknown field "spec.exceptions[0].users" ;; {"budget": {"podsEver": 1}, "exceptions": [{"namespaces": ["u"], "users": ["u"], "budget": {"podsEver": 2}, "until": "2027-01-01T00:00:00Z", "reason": "r"}]}
needs podsAtOnce, podsEver, runtime, requestsAtOnce, resourceHours or changes: Refused ;; {"budget": {"changes": "Allowed"}}
spec.budget.disruptions: Unsupported value: "Aside" ;; {"budget": {"podsEver": 1, "disruptions": "Aside"}}
needs required or values ;; {"limits": {"labels": {"team": {}}}}
T
check "rows" "$rows" 25

# ---- one that is stored

policy() { k get jobpolicy t70 -o json | jq -cS "$1"; }
jq -n "$document + {metadata: {name: \"t70\"}, spec: {limits: {parallelism: {max: 1}}}}" | k create -f - > /dev/null
check "what it does where it says nothing" "$(policy '.spec | [.validationActions, .failurePolicy]')" '[["Deny"],"Fail"]'
k patch jobpolicy t70 --type merge -p '{"spec": {"limits": {"parallelism": {"max": 2}}}}' > /dev/null
check "a change has a generation" "$(policy .metadata.generation)" 2
worst='{kind: "Job", namespace: "a", name: "b", rule: "limits.parallelism", message: "is 3, at most 2 allowed"}'
status() { # status WORST: what the controller may write, with that list
    jq -nc "{status: {observedGeneration: 2, conditions: [{type: \"Accepted\", status: \"True\", reason: \"Compiled\", message: \"\",
        lastTransitionTime: \"2026-12-01T00:00:00Z\"}], audit: {time: \"2026-12-01T00:00:00Z\", checked: 5, violating: 3, skipped: 1, worst: $1}}}"
}
k patch jobpolicy t70 --type merge -p "$(status "[$worst]" | jq -c '.spec.limits.parallelism.max = 3')" --subresource=status > /dev/null
check "a write of its status keeps spec and generation" "$(policy '[.metadata.generation, .spec.limits.parallelism.max, .status.audit.worst]')" \
    "[2,2,[$(jq -ncS "$worst")]]"
check_has "ten are listed at most" "$(k patch jobpolicy t70 --type merge -p "$(status "[range(11) | $worst]")" --subresource=status 2>&1 || true)" "Too many: 11"
k patch jobpolicy t70 --type merge -p '{"status": {"observedGeneration": 1}}' > /dev/null
check "who writes the policy writes no status" "$(policy .status.observedGeneration)" 2
check "what kubectl get shows" "$(k get jobpolicy t70 | awk 'NR == 1 { print } NR == 2 { $NF = ""; print }' | tr -s ' ')" 'NAME ACTIONS ACCEPTED VIOLATING AGE
t70 ["Deny"] True 3 '

# ---- what it says of itself

check_has "kubectl explain describes the budget" "$(k explain jobpolicies.spec.budget | tr -s '\n ' '  ')" "DESCRIPTION: Ceilings on what one Job may come to."
check "each field has a description" "$(k get crd $CRD -o json | jq -r '.spec.versions[0].schema.openAPIV3Schema
    | paths(type == "object" and has("properties")) as $p | getpath($p).properties | to_entries[]
    | select((.value | type) == "object" and (.value.description | not) and .key != "metadata") | ($p + [.key]) | map(tostring) | join(".")')" ""
# By name: a type with a field that its table in C lacks, or the other way round, would be pruned or refused.
check "each field of the table in C is in the schema, and no other" \
    "$(k get crd $CRD -o json | jq -r '.spec.versions[0].schema.openAPIV3Schema.properties.spec | [.. | objects | .properties // empty | keys[]] | unique[]')" \
    "$({ sed -n '/^TYPE/,/;$/p' "$E2E/../../common/schema/job_policy.c" | sed -n '/gone: refused/d; s/^ *[A-Z0-9_]*("\([A-Za-z]*\)".*/\1/p'
        printf '%s\n' key matchExpressions matchLabels operator values; } | LC_ALL=C sort -u)" # of a label selector

k delete crd $CRD > /dev/null
