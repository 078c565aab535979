#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The chart's library of policies on a real API server, with no webhook. Its ValidatingAdmissionPolicies: that the API server's check of types has
# nothing to say, and by a table what they deny and what they admit, as Jobs and as CronJobs; updates, namespaces, actions. Its JobPolicies: that the
# CustomResourceDefinition takes them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
CHART=$E2E/../../charts/jobreeve
PAGES=$E2E/../../docs/policies
WORK=$DIR/t72
NS=t72
CRD=jobpolicies.policy.jobreeve.dev
ALL=$(cd "$CHART/files/policies" && echo *.yaml | sed 's/\.yaml//g; s/ /,/g')
VAPS=(retry-safe)
mkdir -p "$WORK"

chart() { # chart FILE ARGS...: one template
    HELM_CACHE_HOME=$WORK HELM_CONFIG_HOME=$WORK HELM_DATA_HOME=$WORK "$BIN/helm" template t72 "$CHART" --namespace jobreeve-system \
        --set "image.repository=x,policies.enforce=true,policies.settings.image-registries.registries={registry.example.com}" \
        -s "templates/$1" "${@:2}"
}
library() { # library NAMES ARGS...
    chart policies/library.yaml --set "policies.enabled={$1}" "${@:2}"
}
try() { # try FILE: what the API server says of a new object that is not kept; "allowed" without a warning
    if k create --dry-run=server -f "$1" > "$WORK/said" 2>&1 && ! grep -q '^Warning:' "$WORK/said"; then echo allowed; else cat "$WORK/said"; fi
}
job() { # job EXPRESSION: a Job that no policy minds, changed by jq
    jq -n --arg ns $NS '{apiVersion: "batch/v1", kind: "Job", metadata: {name: "j", namespace: $ns, labels: {owner: "a"}}, spec: {
        template: {spec: {restartPolicy: "Never", containers: [
            {name: "c", image: "registry.example.com/c:1", resources: {requests: {cpu: "1", memory: "1Gi"}}}]}}}}
        | def c: .spec.template.spec.containers[0]; def ignoring($match): .spec.podFailurePolicy.rules = [{action: "Ignore"} + $match];
        '"$1"
}
# Before 1.34 no status of onPodConditions is filled in where a CronJob has them.
FILLED=.
if ! since 1.34; then FILLED='(.spec.podFailurePolicy.rules[]?.onPodConditions[]?.status) //= "True"'; fi
cronjob() { # cronjob: the Job on stdin as a CronJob's
    jq "$FILLED"' | {apiVersion, kind: "CronJob", metadata, spec: {schedule: "@daily", jobTemplate: {metadata: {labels: .metadata.labels}, spec}}}'
}

# ---- JobPolicies

k delete crd $CRD --ignore-not-found > /dev/null
chart crds/jobpolicies.yaml | k create -f - > /dev/null
await 60 "JobPolicies being served" k get jobpolicies
for actions in 'Warn,Audit' 'Deny,Audit'; do
    library "$ALL" --set "policies.actions={$actions}" > "$WORK/all.yaml"
    k create --dry-run=client --validate=false -o json -f "$WORK/all.yaml" | jq 'select(.kind == "JobPolicy")' > "$WORK/jobpolicies.json"
    check "$actions: the definition takes all JobPolicies" "$(k create --dry-run=server -f "$WORK/jobpolicies.json" 2>&1)" \
        "$(jq -r '"jobpolicy.policy.jobreeve.dev/\(.metadata.name) created (server dry run)"' "$WORK/jobpolicies.json")"
done
check "they are as many as there are" "$(jq -s length "$WORK/jobpolicies.json")" $(($(wc -w <<< "${ALL//,/ }") - ${#VAPS[@]}))

# ---- ValidatingAdmissionPolicies: types

fresh_namespace $NS
k create namespace jobreeve-system --dry-run=client -o yaml | k apply -f - > /dev/null
checked() { # checked NAME: its types, of this generation
    [ "$(k get validatingadmissionpolicy "$1" -o json | jq '.status.typeChecking != null and .status.observedGeneration == .metadata.generation')" = true ]
}
for name in "${VAPS[@]}"; do
    library "$name" > "$WORK/$name.yaml"
    check "$name: a policy and its binding" "$(k create -f "$WORK/$name.yaml" 2>&1)" \
        "validatingadmissionpolicy.admissionregistration.k8s.io/$name created
validatingadmissionpolicybinding.admissionregistration.k8s.io/$name created"
    check_await "$name: its types are checked" 60 checked "$name"
    check "$name: without a warning" "$(field_or_no_answer "validatingadmissionpolicy/$name" .status.typeChecking.expressionWarnings)" ""
done

# ---- by default: warnings

job 'del(.metadata.labels, c.resources) | c.image = "quay.example/x" | .spec.template.spec.restartPolicy = "OnFailure"' > "$WORK/bad"
warned() { try "$WORK/bad" > "$WORK/warned" && [ "$(grep -c '^Warning: Validation failed for ValidatingAdmissionPolicy' "$WORK/warned")" = ${#VAPS[@]} ]; }
check_await "each warns of what violates it" 60 warned
check_has "and nothing is denied" "$(cat "$WORK/warned")" "job.batch/j created (server dry run)"
for n in kube-system jobreeve-system; do
    jq ".metadata.namespace = \"$n\"" "$WORK/bad" > "$WORK/exempt"
    check "$n is exempt" "$(try "$WORK/exempt")" allowed
done

# ---- with Deny: one after the other, since an API server tells of one denial only
#   rows: POLICY ;; how the Job is changed, by jq ;; what is said [;; since X.Y what older ones lack]

denies() { grep -qF "'$1' with binding" <<< "$(try "$WORK/bad")"; }
allows() { [ "$(try "$WORK/bad")" = allowed ]; }
only() { # only [NAME]: that policy alone is in force; one that was deleted is, for a moment
    k delete validatingadmissionpolicy,validatingadmissionpolicybinding "${VAPS[@]}" --ignore-not-found > /dev/null
    check_await "no policy is in force" 60 allows
    [ $# -gt 0 ] || return 0
    library "$1" --set 'policies.actions={Deny}' | k create -f - > /dev/null
    check_await "$1: it is in force" 60 denies "$1"
}
ACTIVE="" rows=0
while IFS= read -r row; do
    policy=${row%% ;; *} row=${row#* ;; }
    change=${row%% ;; *} row=${row#* ;; } rows=$((rows + 2))
    said=${row%% ;; since *} lacks=""
    case $row in *' ;; since '*) read -r version lacks <<< "${row##* ;; since }" ;; esac
    if [ -n "$lacks" ] && ! since "$version"; then
        skipped "$policy: $change" "Kubernetes is $KUBE: $lacks"
        continue
    fi
    if [ "$policy" != "$ACTIVE" ]; then
        ACTIVE=$policy
        only "$policy"
    fi
    for kind in job cronjob; do
        job "$change" > "$WORK/job"
        [ "$kind" = job ] || { cronjob < "$WORK/job" > "$WORK/cronjob" && mv "$WORK/cronjob" "$WORK/job"; }
        if [ "$said" = allowed ]; then
            check "$policy: $kind: $change" "$(try "$WORK/job")" allowed
        else
            check_has "$policy: $kind: $change" "$(try "$WORK/job")" "'$policy' with binding '$policy' denied request: $said"
        fi
    done
done << 'T'
retry-safe ;; . ;; allowed
retry-safe ;; .spec.template.spec.restartPolicy = "OnFailure" ;; restartPolicy OnFailure repeats the work in the same Pod, but with podReplacementPolicy TerminatingOrFailed a second Pod runs beside one that is being evicted. Set podReplacementPolicy to Failed
retry-safe ;; .spec.template.spec.restartPolicy = "OnFailure" | .spec.podReplacementPolicy = "TerminatingOrFailed" ;; restartPolicy OnFailure repeats
retry-safe ;; .spec.template.spec.restartPolicy = "OnFailure" | .spec.podReplacementPolicy = "Failed" ;; allowed
retry-safe ;; ignoring({onExitCodes: {operator: "In", values: [42]}}) ;; podFailurePolicy ignores failures, which backoffLimit then doesn't count: retries never end. Set activeDeadlineSeconds
retry-safe ;; ignoring({onExitCodes: {operator: "In", values: [42]}}) | .spec.activeDeadlineSeconds = 60 ;; allowed
retry-safe ;; ignoring({onPodConditions: [{type: "DisruptionTarget"}]}) ;; allowed
retry-safe ;; ignoring({onPodConditions: [{type: "DisruptionTarget", status: "True"}]}) ;; allowed
retry-safe ;; ignoring({onPodConditions: [{type: "DisruptionTarget", status: "False"}]}) ;; podFailurePolicy ignores failures, which
retry-safe ;; ignoring({onPodConditions: [{type: "DisruptionTarget"}, {type: "example.com/OutOfLuck"}]}) ;; podFailurePolicy ignores failures, which
retry-safe ;; .spec.podFailurePolicy.rules = [{action: "FailJob", onExitCodes: {operator: "NotIn", values: [0]}}] ;; allowed
retry-safe ;; ignoring({onExitCodes: {operator: "In", values: [42]}}) | .spec.activeDeadlineSeconds = 60 | c.restartPolicy = "OnFailure" ;; podFailurePolicy ignores exit codes of a container that restarts in its Pod (restartPolicy, restartPolicyRules): the Job never sees them. Leave out one of both ;; since 1.35 a container has no restartPolicy of its own
retry-safe ;; ignoring({onExitCodes: {operator: "In", values: [42]}}) | .spec.activeDeadlineSeconds = 60 | c.restartPolicy = "Never" | c.restartPolicyRules = [{action: "Restart", exitCodes: {operator: "In", values: [42]}}] ;; podFailurePolicy ignores exit codes of a container ;; since 1.35 a container has no restartPolicy of its own
retry-safe ;; ignoring({onExitCodes: {operator: "In", values: [42], containerName: "c"}}) | .spec.activeDeadlineSeconds = 60 | .spec.template.spec.containers += [c * {name: "d", restartPolicy: "OnFailure"}] ;; allowed ;; since 1.35 a container has no restartPolicy of its own
retry-safe ;; ignoring({onPodConditions: [{type: "DisruptionTarget"}]}) | c.restartPolicy = "OnFailure" ;; allowed ;; since 1.35 a container has no restartPolicy of its own
T
check_more "rows" $rows 28
said() { # what page NAME says is refused; the same as the API server says
    sed -n '/^## Example/,$p' "$PAGES/$1.md" | sed -n 's/^.* denied request: //p'
}
for name in "${VAPS[@]}"; do
    check_more "$name: its page shows a message that is one of the table" "$(grep -cF -- " ;; $(said "$name")" "${BASH_SOURCE[0]}")" 0
done

# ---- updates: what was there before a policy stays in use

only
jq '.metadata.name = "old" | .spec += {completions: 1, parallelism: 1, suspend: true}' "$WORK/bad" | k create -f - > /dev/null
cronjob < "$WORK/bad" | jq '.metadata.name = "old"' | k create -f - > /dev/null
change() { k patch "$1" old -n $NS --dry-run=server --type merge -p "$2" 2>&1 || true; }
for name in "${VAPS[@]}"; do
    only "$name"
    check "$name: a Job from before may be resumed" "$(change job '{"spec": {"suspend": false}}')" "job.batch/old patched"
    check "$name: and annotated" "$(change job '{"metadata": {"annotations": {"a": "b"}}}')" "job.batch/old patched"
    check "$name: a CronJob from before may be suspended" "$(change cronjob '{"spec": {"suspend": true}}')" "cronjob.batch/old patched"
    new='{"spec": {"jobTemplate": {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}}}'
    check_has "$name: the jobTemplate of a CronJob may not, and violate it" "$(change cronjob "$new")" "'$name' with binding '$name' denied request"
done
job 'ignoring({onExitCodes: {operator: "In", values: [42]}}) | .spec.activeDeadlineSeconds = 60 | .metadata.name = "ends"' | k create -f - > /dev/null
check_has "retry-safe: a Job that ignores failures keeps its deadline" \
    "$(k patch job ends -n $NS --dry-run=server --type merge -p '{"spec": {"activeDeadlineSeconds": null}}' 2>&1 || true)" "retries never end"

k delete validatingadmissionpolicy,validatingadmissionpolicybinding "${VAPS[@]}" --ignore-not-found > /dev/null
k delete crd $CRD > /dev/null
k delete namespace $NS --wait=false > /dev/null
