#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One JobPolicy of each kind of rule on a real API server, by two replicas of the webhook: a Job and a CronJob that violate it are refused in its words,
# which the command says of the same file, with its line; others are taken; a CronJob from before keeps what it had, may get better, and not worse.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/policies.sh"
NS=t76
WORK=$DIR/t76
mkdir -p "$WORK"

# A Job that meets all rules, changed by jq; c: its container.
job() { # job CHANGE
    jq -n --arg ns $NS '{apiVersion: "batch/v1", kind: "Job", metadata: {name: "good", namespace: $ns, labels: {team: "a"}}, spec: {
        suspend: true, podFailurePolicy: {rules: [{action: "FailJob", onExitCodes: {operator: "In", values: [42]}}]},
        template: {spec: {restartPolicy: "Never", nodeSelector: {pool: "batch"}, tolerations: [{key: "gpu", operator: "Exists"}], containers: [
            {name: "main", image: "registry.example/main:1", resources: {requests: {cpu: "1"}, limits: {memory: "1Gi"}}}]}}}}
        | def c: .spec.template.spec.containers[0]; '"$1"
}
cronjob() { # cronjob CHANGE [OWN-CHANGE]: that would make the Job
    job "$1" | jq '{apiVersion, kind: "CronJob", metadata: {name: .metadata.name, namespace: .metadata.namespace}, spec: {schedule: "0 3 * * *", concurrencyPolicy: "Forbid",
        jobTemplate: {metadata: {labels: .metadata.labels}, spec}}} | '"${2:-.}"
}

fresh_namespace $NS
k label --overwrite namespace $NS pod-security.kubernetes.io/warn=privileged pod-security.kubernetes.io/enforce=baseline pod-security.kubernetes.io/enforce-version=v1.31 > /dev/null
two_replicas
chart_webhooks

# ---- rows: NAME ;; KINDS ;; the policy's spec ;; what violates it, by jq ;; the field, below the Job ;; what is said
cat > "$WORK/rows" << 'T'
field ;; Job CronJob ;; {limits: {fields: {template.spec.shareProcessNamespace: Forbidden}}} ;; .spec.template.spec.shareProcessNamespace = true ;; spec.template.spec.shareProcessNamespace ;; must not be true
elements ;; Job CronJob ;; {limits: {fields: {"template.spec.containers[*].env[DEBUG].value": {values: ["false"]}}}} ;; c.env = [{name: "A", value: "b"}, {name: "DEBUG", value: "true"}] ;; spec.template.spec.containers[0].env[1].value ;; is "true", allowed: "false"
entries ;; Job CronJob ;; {limits: {fields: {"template.metadata.annotations[example.com/lifetime]": {max: 8h}}}} ;; .spec.template.metadata.annotations = {"example.com/lifetime": "9h"} ;; spec.template.metadata.annotations[example.com/lifetime] ;; is "9h", at most 8h allowed
images ;; Job CronJob ;; {limits: {template: {images: {values: ["registry.example/*"]}}}} ;; c.image = "nginx" ;; spec.template.spec.containers[0].image ;; is "nginx" (docker.io/library/nginx:latest), allowed: "registry.example/*"
requests ;; Job CronJob ;; {limits: {template: {requests: {cpu: {required: true, max: 2}}}}} ;; c.resources.requests.cpu = "2500m" ;; spec.template.spec.containers[0].resources.requests[cpu] ;; is 2500m, at most 2 allowed
resource-limits ;; Job CronJob ;; {limits: {template: {limits: {memory: {max: 1Gi}}}}} ;; c.resources.limits.memory = "2Gi" ;; spec.template.spec.containers[0].resources.limits[memory] ;; is 2Gi, at most 1Gi allowed
tolerations ;; Job CronJob ;; {limits: {template: {tolerations: {gpu: {required: true}}}}} ;; del(.spec.template.spec.tolerations) ;; spec.template.spec.tolerations ;; must have a toleration of the taint "gpu"
node-selector ;; Job CronJob ;; {limits: {template: {nodeSelector: {pool: {required: true}}}}} ;; del(.spec.template.spec.nodeSelector) ;; spec.template.spec.nodeSelector[pool] ;; must be set
labels ;; Job CronJob ;; {limits: {labels: {team: {required: true}}}} ;; del(.metadata.labels) ;; metadata.labels[team] ;; must be set
failure-policy ;; Job CronJob ;; {limits: {podFailurePolicy: {required: true}}} ;; del(.spec.podFailurePolicy) ;; spec.podFailurePolicy.rules ;; must be set
name ;; Job ;; {limits: {name: {excluded: ["bad-*"]}}} ;; .metadata.name = "bad-1" ;; metadata.name ;; is "bad-1", not allowed: "bad-*"
suspend ;; Job ;; {limits: {suspend: Required}} ;; .spec.suspend = false ;; spec.suspend ;; must be true when the Job is made
of-requests ;; Job CronJob ;; {match: {requests: ["example.com/*"]}, limits: {activeDeadlineSeconds: {required: true}}} ;; c.resources.limits["example.com/gpu"] = "1" ;; spec.activeDeadlineSeconds ;; must be set
of-kinds ;; CronJob ;; {match: {kinds: [CronJob]}, limits: {parallelism: {max: 1}}} ;; .spec.parallelism = 2 ;; spec.parallelism ;; is 2, at most 1 allowed
pod-security ;; Job CronJob ;; {podSecurity: {level: Namespace}} ;; .spec.template.spec.hostNetwork = true ;; spec.template ;; violates PodSecurity "baseline:v1.31": host namespaces (hostNetwork=true)
budget ;; Job CronJob ;; {budget: {podsEver: 20}} ;; .spec.completions = 21 ;; spec ;; up to 27 Pods ever (21 completions, 6 retries), at most 20 allowed
T
cat > "$WORK/cron-rows" << 'T'
concurrency ;; {limits: {cronJob: {concurrencyPolicy: {values: [Forbid, Replace]}}}} ;; .spec.concurrencyPolicy = "Allow" ;; spec.concurrencyPolicy ;; is "Allow", allowed: "Forbid", "Replace"
deadline ;; {limits: {cronJob: {startingDeadlineSeconds: {min: 10}}}} ;; .spec.startingDeadlineSeconds = 5 ;; spec.startingDeadlineSeconds ;; is 5, at least 10 allowed
interval ;; {limits: {cronJob: {shortestInterval: {min: 5m}}}} ;; .spec.schedule = "0,4 3 1 1 *" ;; spec.schedule ;; starts of Jobs as little as 4m apart
per-day ;; {limits: {cronJob: {jobsPerDay: {max: 2}}}} ;; .spec.schedule = "0 1,2,3 * * *" ;; spec.schedule ;; up to 3 Jobs
T

# ---- a CronJob from before violates all

cronjob "$(awk -F ' ;; ' '$2 ~ /CronJob/ { print $4 }' "$WORK/rows" | paste -sd '|') | .metadata.name = \"old\"" \
    "$(awk -F ' ;; ' '{ print $3 }' "$WORK/cron-rows" | paste -sd '|')" > "$WORK/old.json"
k create -f "$WORK/old.json" > /dev/null

while IFS= read -r row; do
    name=${row%% ;; *} row=${row#* ;; }
    case $row in Job*|CronJob*) row=${row#* ;; } ;; esac
    policy "$name" "${row%% ;; *}"
    echo ---
done < <(cat "$WORK/rows" "$WORK/cron-rows") > "$WORK/policies.yaml"
k create -f "$WORK/policies.yaml" > /dev/null
for name in $(awk '{ print $1 }' "$WORK/rows" "$WORK/cron-rows"); do check_await "$name: in force in both replicas" 60 in_force "$name" 1; done

# refused NAME KIND FILE FIELD TEXT: by that policy alone, in these words, and by the command in the same, with a line; it knows no queue
refused() {
    local beside=""
    [ "$1" != suspend ] || beside=" (a queue's webhook may set it)"
    check "$1: $2" "$(said k create -f "$3")" "The $2 \"$(jq -r .metadata.name "$3")\" is invalid: $4: policy \"$1\": $5"
    "$JR_BIN/jobreeve" check -q --policy "$WORK/policies.yaml" --namespace-labels "$NS:pod-security.kubernetes.io/enforce=baseline,$NS:pod-security.kubernetes.io/enforce-version=v1.31" \
        --kubernetes-version "${KUBE%.*}" "$3" > "$WORK/offline" 2>&1 || true
    check "$1: $2, offline" "$(sed 's/^.*:[0-9][0-9]*:[0-9][0-9]*: //' "$WORK/offline")" "policy \"$1\": $4: $5$beside"
}
job . > "$WORK/good.json"
check "a Job that meets all" "$(said k create -f "$WORK/good.json")" allowed
cronjob . > "$WORK/good-cron.json"
check "a CronJob that does" "$(said k create -f "$WORK/good-cron.json")" allowed
rows=0
while IFS= read -r row; do
    name=${row%% ;; *} row=${row#* ;; } kinds=${row%% ;; *} row=${row#* ;; } row=${row#* ;; }
    change=${row%% ;; *} row=${row#* ;; } field=${row%% ;; *} text=${row##* ;; }
    for kind in $kinds; do
        below=""
        if [ "$kind" = Job ]; then job "$change" > "$WORK/bad.json"; else cronjob "$change" > "$WORK/bad.json" && below=spec.jobTemplate.; fi
        refused "$name" "$kind" "$WORK/bad.json" "$below$field" "$text"
        rows=$((rows + 1))
    done
done < "$WORK/rows"
while IFS= read -r row; do
    name=${row%% ;; *} row=${row#* ;; } row=${row#* ;; }
    change=${row%% ;; *} row=${row#* ;; } field=${row%% ;; *} text=${row##* ;; }
    cronjob . "$change" > "$WORK/bad.json"
    check_has "$name: CronJob" "$(said k create -f "$WORK/bad.json")" "The CronJob \"good\" is invalid: $field: policy \"$name\": $text"
    rows=$((rows + 1))
done < "$WORK/cron-rows"
check "rows" $rows 33

# ---- the one from before

change() { k patch cronjob old -n $NS --dry-run=server --type "${2:-merge}" -p "$1" 2>&1 || true; }
check_has "it may be suspended" "$(change '{"spec": {"suspend": true}}')" 'cronjob.batch/old patched'
check_has "a rule that it violated before is better met" "$(change '{"spec": {"jobTemplate": {"spec": {"completions": 20}}}}')" 'cronjob.batch/old patched'
check_has "what is no worse only warns" "$(change '{"spec": {"jobTemplate": {"spec": {"ttlSecondsAfterFinished": 60}}}}')" 'Warning: policy "images": spec.jobTemplate.spec.template.spec.containers[0].image: is "nginx"'
check_has "worse is refused" "$(change '{"spec": {"jobTemplate": {"spec": {"completions": 22}}}}')" 'spec.jobTemplate.spec: policy "budget": up to 28 Pods ever'
check_has "its schedule too" "$(change '{"spec": {"schedule": "* * * * *"}}')" 'spec.schedule: policy "interval"'
check_has "a container of the same kind beside it is new" "$(change '[{"op": "add", "path": "/spec/jobTemplate/spec/template/spec/containers/-", "value": {"name": "more", "image": "nginx"}}]' json)" \
    'spec.jobTemplate.spec.template.spec.containers[1].image: policy "images"'
check_has "the controller may write its status" "$(k patch cronjob old -n $NS --subresource=status --type merge -p '{"status": {"lastScheduleTime": "2026-12-01T00:00:00Z"}}' 2>&1 || true)" 'cronjob.batch/old patched'
k delete cronjob old -n $NS > /dev/null
check "it may be deleted" "$(said k get cronjob old -n $NS | grep -c 'not found')" 1

# ---- Warn, Audit, exceptions

k patch jobpolicy images --type merge -p '{"spec": {"validationActions": ["Warn", "Audit"]}}' > /dev/null
check_await "images only warns" 60 in_force images 2
job 'c.image = "nginx"' > "$WORK/bad.json"
check_has "a warning" "$(k create --dry-run=server -f "$WORK/bad.json" 2>&1 || true)" 'Warning: policy "images": spec.template.spec.containers[0].image: is "nginx"'
k patch jobpolicy pod-security --type merge -p "{\"spec\": {\"exceptions\": [{\"namespaces\": [\"$NS\"], \"lift\": [\"podSecurity\"], \"until\": \"2199-01-01T00:00:00Z\", \"reason\": \"r\"}]}}" > /dev/null
check_await "an exception lifts pod-security" 60 in_force pod-security 2
job '.metadata.name = "excepted" | .spec.template.spec.hostNetwork = true' > "$WORK/bad.json"
check_has "a Job that it excepts" "$(k create --dry-run=server -f "$WORK/bad.json" 2>&1 || true)" 'job.batch/excepted created'

k delete crd $CRD > /dev/null
k delete namespace $NS --wait=false > /dev/null
