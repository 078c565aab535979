#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What users see: refusals and warnings by kubectl, dry run, server-side apply, Jobs from CronJobs by hand and by the clock.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t30

# refusals NAME: how many requests that webhook has refused, as the API server counts them
refusals() {
    metric "$(k get --raw /metrics | grep -F "name=\"$1\"")" 'apiserver_admission_webhook_rejection_count{error_type="no_error"'
}

test_refusals() {
    local before part
    refused "a bad Job" k create -n $NS -f "$EXAMPLES/bad.yaml"
    for part in spec.parallelism spec.completions spec.backoffLimit spec.activeDeadlineSeconds spec.completionMode \
        spec.template.spec.restartPolicy spec.selector; do
        check_has "a bad Job: names $part" "$OUT" "$part: "
    done
    check "a bad Job: nothing is stored" "$(names job bad -n $NS)" ""
    # the one that only we refuse: without us the API server's handler would panic
    before=$(refusals mutate.job.jobreeve.dev)
    job crasher "parallelism: 1, completionMode: Indexed, successPolicy: {rules: [{succeededCount: 1}]}," > "$DIR/crasher.yaml"
    refused "a Job that crashes API servers" k create -n $NS -f "$DIR/crasher.yaml"
    check_has "a Job that crashes API servers: whose" "$OUT" 'The Job "crasher" is invalid'
    check_has "a Job that crashes API servers: why" "$OUT" "spec.completions: Required value"
    check_more "a Job that crashes API servers: it was us" "$(refusals mutate.job.jobreeve.dev)" "$before"
    job fixed "completions: 2, suspend: true," | k create -n $NS -f - > /dev/null
    refused "an immutable field" k patch job fixed -n $NS --type=merge -p '{"spec":{"completions":5}}'
    check_has "an immutable field: in words" "$OUT" "spec.completions: Invalid value: 5: field is immutable"
}

test_warnings() {
    OUT=$(job dotted.name "suspend: true," | k create -n $NS -f - 2>&1)
    check_has "a warning, as kubectl shows it" "$OUT" "Warning: metadata.name: this is used in Pod names and hostnames"
    check_has "a warning: created all the same" "$OUT" "job.batch/dotted.name created"
}

test_dry_run() {
    OUT=$(job dry "" | k create -n $NS --dry-run=server -o jsonpath='{.spec.backoffLimit} {.spec.template.metadata.labels.job-name}' -f -)
    check "dry run: completed" "$OUT" "6 dry"
    check "dry run: nothing is stored" "$(names job dry -n $NS)" ""
    job dry "parallelism: -1," > "$DIR/dry.yaml"
    refused "dry run: refused as in earnest" k create -n $NS --dry-run=server -f "$DIR/dry.yaml"
}

# Applied by the server twice: the second changes nothing; who else owns a field is told.
test_server_side_apply() {
    local before
    job applied "suspend: true, parallelism: 1," > "$DIR/applied.yaml"
    check "server-side apply" "$(k apply --server-side -n $NS -f "$DIR/applied.yaml")" "job.batch/applied serverside-applied"
    check_await "server-side apply: its status is written" 60 ended applied Suspended
    before=$(field job/applied .metadata.resourceVersion -n $NS)
    k apply --server-side -n $NS -f "$DIR/applied.yaml" > /dev/null
    check "server-side apply: again, nothing changed" "$(field job/applied .metadata.resourceVersion -n $NS)" "$before"
    job applied "suspend: true, parallelism: 2," > "$DIR/applied.yaml"
    refused "server-side apply by another" k apply --server-side --field-manager=another -n $NS -f "$DIR/applied.yaml"
    check_has "server-side apply by another: the conflict" "$OUT" ".spec.parallelism"
    k apply --server-side -n $NS -f "$DIR/applied.yaml" > /dev/null
    check "server-side apply: a change" "$(field job/applied .spec.parallelism -n $NS)" 2
}

test_cronjobs() {
    local job
    k create cronjob clock -n $NS --image=localhost/exitwith:1 --schedule='* * * * *' -- /exitwith seconds=1 > /dev/null
    check "a CronJob: completed" "$(field cronjob/clock .spec.concurrencyPolicy -n $NS)" Allow
    OUT=$(k create job by-hand -n $NS --from=cronjob/clock 2>&1)
    check_has "a Job from a CronJob" "$OUT" "job.batch/by-hand created"
    outcome by-hand Complete 120 1 "" CompletionsReached
    check_await "a CronJob: a Job by the clock" 150 scheduled
    job=$(k get jobs -n $NS -o name | grep '^job.batch/clock-' | head -n 1)
    outcome "${job#job.batch/}" Complete 120 1 "" CompletionsReached
    refused "a bad CronJob" k create cronjob bad -n $NS --image=localhost/exitwith:1 --schedule='0 25 * * *'
    check_has "a bad CronJob: in words" "$OUT" 'spec.schedule: Invalid value: "0 25 * * *"'
    k delete cronjob clock -n $NS > /dev/null # no Job by the clock while others count calls
}

scheduled() {
    k get jobs -n $NS -o name | grep -q '^job.batch/clock-'
}

# kube-system is not ours to guard: what must run for the cluster to live asks nobody.
test_exempt() {
    local before
    before=$(webhook_calls validate.job.jobreeve.dev)
    k create job probe --image=probe -n kube-system --dry-run=server > /dev/null
    k create job probe --image=probe -n $SYSTEM --dry-run=server > /dev/null
    check "kube-system and our own namespace: not asked about" "$(webhook_calls validate.job.jobreeve.dev)" "$before"
}

controllers '*'
installed
fresh_namespace $NS
check "helm test" "$(helm test "$RELEASE" --timeout 2m | sed -n 's/^Phase: *//p' | tail -n 1)" Succeeded
test_refusals
test_warnings
test_dry_run
test_server_side_apply
test_cronjobs
test_exempt
release upgrade --set metrics.secure=true
check "helm test, of metrics by HTTPS too" "$(helm test "$RELEASE" --timeout 2m | sed -n 's/^Phase: *//p' | tail -n 1)" Succeeded
nothing_forbidden
k delete namespace $NS --timeout=120s > /dev/null
