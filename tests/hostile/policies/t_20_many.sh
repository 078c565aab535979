#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100 policies match what tenants send: Jobs and CronJobs whose numbers, labels, requests and suspensions are at the ends of their ranges. Each is
# answered, by 200 and within the API server's own limits, and no sum overflows into what is allowed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
POLICIES=100
MAX32=2147483647 MAX64=9223372036854775807

cluster
control
for i in $(seq $POLICIES); do
    apply "many-$i" '{match: {excludeNamespaces: ["control"], namespaces: [range(64) | "*t\(.)*", "*"], objectSelector: {matchExpressions: [{key: "never", operator: "DoesNotExist"}]}},
        limits: {parallelism: {max: 10}, completions: {max: 100}, activeDeadlineSeconds: {max: 100000}, backoffLimit: {max: 100}, ttlSecondsAfterFinished: {max: 1000}},
        budget: {podsAtOnce: 10, podsEver: 1000, requestsAtOnce: {cpu: "100", memory: "100Gi", "example.com/gpu": "1"}, resourceHours: {cpu: "1000"}}}'
done
webhook
check_await "all policies are in force" 120 in_force $((POLICIES + 1))
check_await "the control is told right from wrong" 60 answers_rightly

# with KEY VALUE...: a Job that fits, with other members of its spec and its container
FITS='{"parallelism":1,"completions":1,"backoffLimit":0,"activeDeadlineSeconds":60}'
tenant() { # tenant JQ: the review of the Job that fits, changed
    review tenant "$(job "$FITS" | jq -c "$1" | sed "s/\"@32\"/$MAX32/g; s/\"@64\"/$MAX64/g")" | sed "s/9223372036854776000/$MAX64/g" > "$WORK/job.json"
}
tenant .
check "a Job that fits all 100 policies" "$(outcome "$WORK/job.json")" allowed
C=".spec.template.spec.containers[0].resources"
while IFS= read -r row; do
    tenant "${row#* ;; }"
    got=$(outcome "$WORK/job.json")
    case $got in
    "denied: policy \"many-1\": "*"${row%% ;; *}"*) passed "denied: ${row#* ;; }" ;;
    *) failed "denied: ${row#* ;; }" "${got:0:300}" "denied: ...${row%% ;; *}..." ;;
    esac
done << T
is $MAX32, at most 10 allowed ;; .spec.parallelism = "@32"
is $MAX32, at most 100 allowed ;; .spec.completions = "@32"
up to 4294967294 Pods ever ;; .spec.completions = "@32" | .spec.backoffLimit = "@32" | .spec.parallelism = 1
is $MAX64, at most 100000 allowed ;; .spec.activeDeadlineSeconds = "@64"
hours of cpu ;; .spec.activeDeadlineSeconds = "@64" | $C.requests.cpu = "1"
of cpu at once ;; $C.requests.cpu = "$MAX64"
of cpu at once ;; $C.requests.cpu = "9E"
of memory at once ;; $C.requests.memory = "8191Pi"
of cpu at once ;; $C.limits.cpu = "101"
of cpu at once ;; $C.requests.cpu = "50001m" | .spec.parallelism = 2 | .spec.completions = 2
of example.com/gpu at once ;; $C = {requests: {"example.com/gpu": "$MAX64"}, limits: {"example.com/gpu": "$MAX64"}}
of example.com/gpu at once ;; $C = {requests: {"example.com/gpu": "1"}, limits: {"example.com/gpu": "1"}} | .spec.parallelism = 2 | .spec.completions = 2
of cpu at once ;; .spec.template.spec.initContainers = [range(100) | {name: "i\(.)", image: "i", imagePullPolicy: "Always", terminationMessagePath: "/t", terminationMessagePolicy: "File", restartPolicy: "Always", resources: {requests: {cpu: "90E"}}}]
activeDeadlineSeconds is not set ;; del(.spec.activeDeadlineSeconds) | $C.requests.cpu = "1"
T
tenant '.spec.suspend = true | .spec.parallelism = "@32" | .spec.completions = "@32"'
check_has "a suspended one is held to the same" "$(outcome "$WORK/job.json")" 'denied: policy "many-1": spec.parallelism: is 2147483647, at most 10 allowed'
jq -c '.request.operation = "UPDATE" | .request.object.metadata.resourceVersion = "1" | .request.oldObject = .request.object | .request.object.spec.suspend = false' "$WORK/job.json" > "$WORK/resumed.json"
check_has "and can't be resumed" "$(outcome "$WORK/resumed.json")" 'denied: policy "many-1": spec.parallelism: is 2147483647, at most 10 allowed'
jq -c '.request.operation = "UPDATE" | .request.object.metadata.resourceVersion = "1" | .request.oldObject = (.request.object | .spec.suspend = false | .spec.parallelism = 5) | .request.object.spec.suspend = false
    | .request.object.metadata.labels.never = "x"' "$WORK/job.json" > "$WORK/labelled.json"
check_has "nor by a label that no policy selects" "$(outcome "$WORK/labelled.json")" 'denied: policy "many-1": '
tenant '.metadata.labels = ([range(1000) | {key: "k\(.)", value: "v"}] | from_entries) | .spec.parallelism = 11'
check_has "1,000 labels" "$(outcome "$WORK/job.json")" 'is 11, at most 10 allowed'
tenant '.metadata.generateName = "p" | .spec.parallelism = 11'
check_has "generateName" "$(outcome "$WORK/job.json")" 'is 11, at most 10 allowed'
tenant '.metadata.ownerReferences = [{apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: "u", controller: true}] | .spec.parallelism = 11'
check_has "ownerReferences are no proof of origin" "$(outcome "$WORK/job.json")" 'is 11, at most 10 allowed'
tenant '.spec.managedBy = "example.com/own" | .spec.parallelism = 11'
check_has "nor is managedBy" "$(outcome "$WORK/job.json")" 'is 11, at most 10 allowed'
check_has "whose facts nobody knows" "$(outcome "$WORK/job.json")" 'managedBy is example.com/own'

# ---- what is said of them

SECRET=sesame-7f3a
tenant '.spec.parallelism = 11 | .spec.template.spec.containers[0].env = [{name: "PASSWORD", value: "'$SECRET'"}] | .spec.template.metadata.annotations.a = "'$SECRET'"'
check_has "a Job with a password is denied" "$(outcome "$WORK/job.json")" 'is 11, at most 10 allowed'
check "which the review has" "$(grep -c "$SECRET" "$WORK/job.json")" 1
check "and the answer hasn't" "$(grep -c "$SECRET" "$WORK/job.json.answer" || true)" 0
check_has "the log has the denial" "$(grep '"msg":"denied"' "$DIR/log/webhook.log" | tail -n 1)" '"policy":"many-1"'

# ---- CronJobs: 2^31-1 of everything in the Job that they would make

jq -c --argjson spec "$(job '{"parallelism":2147483647,"completions":2147483647,"backoffLimit":2147483647}' | jq -c '.spec | del(.selector, .manualSelector, .template.metadata)')" \
    '.request |= (.kind.kind = "CronJob" | .resource.resource = "cronjobs" | .requestKind.kind = "CronJob" | .requestResource.resource = "cronjobs" | .namespace = "tenant"
    | .object = {apiVersion: "batch/v1", kind: "CronJob", metadata: {name: "c", namespace: "tenant"}, spec: {schedule: "* * * * *", concurrencyPolicy: "Allow",
        suspend: true, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, jobTemplate: {metadata: {}, spec: $spec}}})' \
    "$ROOT/tests/vectors/wire/reviews/002-validate-CREATE-jobs.json" > "$WORK/cron.json"
check_has "a suspended CronJob is held to what its Jobs would be" "$(outcome "$WORK/cron.json" /validate-batch-v1-cronjob)" \
    'spec.jobTemplate.spec.parallelism: is 2147483647, at most 10 allowed'
jq -c '.request.object.spec.jobTemplate.spec.suspend = true' "$WORK/cron.json" > "$WORK/cron-suspended.json"
check_has "so is one whose Jobs begin suspended" "$(outcome "$WORK/cron-suspended.json" /validate-batch-v1-cronjob)" \
    'spec.jobTemplate.spec.parallelism: is 2147483647, at most 10 allowed'
jq -c '.request.operation = "UPDATE" | .request.object.metadata.resourceVersion = "1" | .request.oldObject = (.request.object | .spec.jobTemplate.spec.parallelism = 5) | .request.object.spec.schedule = "@yearly"' \
    "$WORK/cron.json" > "$WORK/cron-update.json"
check_has "an update that makes it worse" "$(outcome "$WORK/cron-update.json" /validate-batch-v1-cronjob)" 'is 2147483647, at most 10 allowed'

# ---- many at once

tenant '.spec.parallelism = "@32" | .spec.completions = "@32" | '"$C"'.requests.cpu = "9E"'
seq 400 | xargs -P 16 -I{} curl -sS -o /dev/null -w '%{http_code}\n' --max-time 120 --cacert "$DIR/tls-$TEST.crt" -H 'Content-Type: application/json' \
    --data-binary @"$WORK/job.json" "https://$WEBHOOK/validate-batch-v1-job" > "$WORK/codes" 2> "$WORK/curl.err" || true
# 503: more at once than the memory for all requests allows; the API server's failurePolicy decides then
check "400 reviews at once are answered" "$(grep -vcxE '200|503' "$WORK/codes" || true)$(wc -l < "$WORK/codes")" 0400
check_more "and some of them fully" "$(grep -cx 200 "$WORK/codes")" 0
check "the log hasn't the password" "$(grep -c "$SECRET" "$DIR/log/webhook.log" || true)" 0
unharmed "in the end"
