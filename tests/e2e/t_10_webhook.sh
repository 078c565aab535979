#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The webhook on a real API server: Jobs and CronJobs are defaulted and validated by it, and nobody gets past it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t10
PREFIXED_NAME='batch\.kubernetes\.io/job-name'
PREFIXED_UID='batch\.kubernetes\.io/controller-uid'

# reviews SIDE: how many reviews of KIND (job by default) the webhook has answered with 200, by its own count
reviews() {
    metric "$(http_get "$METRICS" /metrics)" \
        "controller_runtime_webhook_requests_total{code=\"200\",webhook=\"/$1-batch-v1-${KIND:-job}\"}"
}

# served NAME CMD...: CMD succeeds, and both webhooks of KIND have answered meanwhile. What it printed is in OUT.
served() {
    local name=$1 m v
    shift
    m=$(reviews mutate) v=$(reviews validate)
    if ! OUT=$("$@" 2>&1); then
        failed "$name" "$OUT" "success"
        return
    fi
    check_await "$name: the mutating side was asked" 60 asked mutate "$m"
    check_await "$name: the validating side was asked" 60 asked validate "$v"
}

# asked SIDE BEFORE: counted once the answer is out
asked() {
    [ "$(reviews "$1")" -gt "$2" ]
}

# right_labels NAME: the selector and the labels that the Job must have, exactly
right_labels() {
    local uid
    uid=$(field "job/$1" .metadata.uid -n $NS)
    check "$1: selector" "$(field "job/$1" .spec.selector -n $NS)" \
        "{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"$uid\"}}"
    check "$1: label job-name" "$(field "job/$1" .spec.template.metadata.labels.job-name -n $NS)" "$1"
    check "$1: label batch.kubernetes.io/job-name" \
        "$(field "job/$1" ".spec.template.metadata.labels.$PREFIXED_NAME" -n $NS)" "$1"
    check "$1: label controller-uid" "$(field "job/$1" .spec.template.metadata.labels.controller-uid -n $NS)" "$uid"
    check "$1: label batch.kubernetes.io/controller-uid" \
        "$(field "job/$1" ".spec.template.metadata.labels.$PREFIXED_UID" -n $NS)" "$uid"
}

create() {
    k create -n $NS -f - "$@"
}

# ---- the manifests

# as in the documentation of Kubernetes, "Running an example Job"
pi() {
    cat << 'Y'
apiVersion: batch/v1
kind: Job
metadata:
  name: pi
spec:
  template:
    spec:
      containers:
      - name: pi
        image: perl:5.34.0
        command: ["perl",  "-Mbignum=bpi", "-wle", "print bpi(2000)"]
      restartPolicy: Never
  backoffLimit: 4
Y
}

# job NAMING SPEC...: a Job with one container; NAMING like "name: x", SPEC are further lines of its spec
job() {
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {%s}\nspec:\n' "$1"
    shift
    [ $# = 0 ] || printf '  %s\n' "$@"
    cat << 'Y'
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: "busybox:1.36", command: ["true"]}
Y
}

manual() {
    cat << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: manual}
spec:
  manualSelector: true
  selector: {matchLabels: {team: night}}
  template:
    metadata: {labels: {team: night, shift: late}}
    spec:
      restartPolicy: OnFailure
      containers:
      - {name: main, image: "busybox:1.36", command: ["true"]}
Y
}

bad() {
    cat << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: bad}
spec:
  parallelism: -1
  completions: -2
  backoffLimit: -3
  activeDeadlineSeconds: -4
  ttlSecondsAfterFinished: -5
  completionMode: Sideways
  managedBy: me
  podReplacementPolicy: Never
  template:
    spec:
      restartPolicy: Always
      containers:
      - {name: Main, image: ""}
Y
}

# The built-in defaulting is called before the webhook, but this one makes the built-in validation panic: kube-apiserver
# would cut the connection. Our mutating side refuses it first.
crasher() {
    job "name: crasher" "completionMode: Indexed" "parallelism: 1" "successPolicy: {rules: [{succeededCount: 1}]}"
}

# cron NAME JOBLINES SPEC...: a CronJob with one container; JOBLINES go into the template's JobSpec
cron() {
    printf 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: %s}\nspec:\n' "$1"
    printf '  %s\n' "${@:3}"
    printf '  jobTemplate:\n    spec:\n'
    [ -z "$2" ] || sed 's/^/      /' <<< "$2"
    cat << 'Y'
      template:
        spec:
          restartPolicy: Never
          containers:
          - {name: main, image: "busybox:1.36", command: ["true"]}
Y
}

# ---- the tests

start_webhook() {
    user webhook "$E2E/rbac/webhook.yaml"
    spawn webhook "$JR_BIN/jobreeve-webhook" --kubeconfig "$DIR/webhook.conf" --bind-address 127.0.0.1 --port 0 \
        --tls-cert-file "$DIR/pki/webhook.crt" --tls-private-key-file "$DIR/pki/webhook.key" \
        --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0
    for l in webhook health metrics; do
        ALIVE=webhook await 120 "the webhook's $l listener" listener webhook $l
    done
    ALIVE=webhook check_await "the webhook knows the API server's version" 120 grep -q '"msg":"the API servers. versions"' "$DIR/log/webhook.log"
    PORT=$(listener webhook webhook)
    PORT=${PORT##*:}
    METRICS=$(listener webhook metrics)
    HEALTH=$(listener webhook health)
    ALIVE=webhook check_await "the webhook is ready" 120 http_get "$HEALTH" /readyz
}

test_pi() {
    pi > "$DIR/pi.yaml"
    served "pi" k create -n $NS -f "$DIR/pi.yaml"
    check "pi: created" "$OUT" "job.batch/pi created"
    right_labels pi
    check "pi: labels" "$(k get job pi -n $NS -o go-template='{{len .spec.template.metadata.labels}}')" 4
    local row path want
    for row in .parallelism=1 .completions=1 .backoffLimit=4 .completionMode=NonIndexed .suspend=false \
        .podReplacementPolicy=TerminatingOrFailed .manualSelector=false .template.spec.restartPolicy=Never \
        .template.spec.dnsPolicy=ClusterFirst .template.spec.schedulerName=default-scheduler \
        .template.spec.terminationGracePeriodSeconds=30 '.template.spec.containers[0].imagePullPolicy=IfNotPresent' \
        '.template.spec.containers[0].image=perl:5.34.0' \
        '.template.spec.containers[0].command=["perl","-Mbignum=bpi","-wle","print bpi(2000)"]'; do
        path=${row%%=*} want=${row#*=}
        check "pi: spec$path" "$(field job/pi ".spec$path" -n $NS)" "$want"
    done
    check "pi: generation" "$(field job/pi .metadata.generation -n $NS)" 1
    # The API server's own record: which webhook was asked, and that it left all to the server
    check_await "pi: the audit log names the webhook, which changed nothing" 120 audited_some '"verb":"create"' '"name":"pi"' \
        'webhook\.admission\.k8s\.io/round_0_index_0":"\{[^}]*mutate\.jobs\.jobreeve\.dev\\",\\"mutated\\":false'
}

audited_some() {
    [ "$(audited "$@")" -gt 0 ]
}

# The first time the API server stores the metadata.labels that it has shown: until then they were a default of the template's.
test_idempotent() {
    local before
    k get job pi -n $NS -o json > "$DIR/pi.json"
    served "pi written back" k replace -n $NS -f "$DIR/pi.json"
    before=$(field job/pi .metadata.resourceVersion -n $NS)
    k get job pi -n $NS -o json > "$DIR/pi.json"
    served "pi written back again" k replace -n $NS -f "$DIR/pi.json"
    check "pi written back again: nothing changed" "$(field job/pi .metadata.resourceVersion -n $NS)" "$before"
}

test_generate_name() {
    job "generateName: gen-" > "$DIR/gen.yaml"
    served "generateName" k create -n $NS -f "$DIR/gen.yaml" -o name
    check_has "generateName: a name" "$OUT" job.batch/gen-
    case $OUT in job.batch/gen-*) right_labels "${OUT#job.batch/}" ;; esac
}

test_indexed() {
    job "name: indexed" "completionMode: Indexed" "completions: 3" "parallelism: 2" "backoffLimitPerIndex: 1" > "$DIR/i.yaml"
    served "indexed" k create -n $NS -f "$DIR/i.yaml"
    right_labels indexed
    check "indexed: spec" "$(field job/indexed '.spec.completionMode}{" "}{.spec.completions}{" "}{.spec.parallelism}{" "}{.spec.backoffLimit' -n $NS)" \
        "Indexed 3 2 2147483647"
}

test_dry_run() {
    job "name: dry" > "$DIR/dry.yaml"
    served "dry run" k create -n $NS -f "$DIR/dry.yaml" --dry-run=server -o 'jsonpath={.spec.backoffLimit}'
    check "dry run: completed" "$OUT" 6
    refused "dry run: nothing is stored" k get job dry -n $NS
    check_has "dry run: nothing is stored, in words" "$OUT" 'jobs.batch "dry" not found'
}

test_manual() {
    manual > "$DIR/manual.yaml"
    served "manualSelector" k create -n $NS -f "$DIR/manual.yaml"
    check "manualSelector: selector" "$(field job/manual .spec.selector -n $NS)" '{"matchLabels":{"team":"night"}}'
    check "manualSelector: labels" "$(field job/manual .spec.template.metadata.labels -n $NS)" \
        '{"shift":"late","team":"night"}'
    check "manualSelector: manualSelector" "$(field job/manual .spec.manualSelector -n $NS)" true
}

test_bad() {
    refused "a bad Job" create < <(bad)
    local bad=$OUT part
    check_has "a bad Job: whose" "$bad" 'The Job "bad" is invalid'
    while IFS= read -r part; do
        check_has "a bad Job: ${part%%:*}" "$bad" "$part"
    done << 'T'
spec.parallelism: Invalid value: -1: must be greater than or equal to 0
spec.completions: Invalid value: -2: must be greater than or equal to 0
spec.backoffLimit: Invalid value: -3: must be greater than or equal to 0
spec.activeDeadlineSeconds: Invalid value: -4: must be greater than or equal to 0
spec.ttlSecondsAfterFinished: Invalid value: -5: must be greater than or equal to 0
spec.completionMode: Unsupported value: "Sideways": supported values: "NonIndexed", "Indexed"
spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")
spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"
spec.template.spec.containers[0].name: Invalid value: "Main": a lowercase RFC 1123 label must consist of
spec.template.spec.containers[0].image: Required value
spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
T
    refused "a bad Job: nothing is stored" k get job bad -n $NS
}

# refusals: how many requests about KIND our mutating side has refused, as the API server counts them. kubectl shows the
# field errors of a 422 without saying who found them.
refusals() {
    metric "$(k get --raw /metrics | grep -F "name=\"mutate.${KIND:-job}s.jobreeve.dev\"")" \
        'apiserver_admission_webhook_rejection_count{error_type="no_error"'
}

# crashes NAME PATH CMD...: CMD would make the API server panic, and is refused by our mutating side
crashes() {
    local before
    before=$(refusals)
    refused "$1" "${@:3}"
    check_more "$1: refused by us" "$(refusals)" "$before"
    check_has "$1: the field" "$OUT" "$2.completions: Required value"
}

test_crasher() {
    crashes "the Job that crashes API servers" spec create < <(crasher)
    job "name: turncoat" "completionMode: Indexed" "parallelism: 1" "completions: 1" "suspend: true" \
        "successPolicy: {rules: [{succeededCount: 1}]}" > "$DIR/turncoat.yaml"
    served "an Indexed Job with a successPolicy" k create -n $NS -f "$DIR/turncoat.yaml"
    crashes "an update that crashes API servers" spec k patch job turncoat -n $NS --type=merge -p '{"spec":{"completions":null}}'
}

test_cron() {
    local KIND=cronjob row path want
    cron nightly "" 'schedule: "0 3 * * *"' "timeZone: Europe/Berlin" > "$DIR/nightly.yaml"
    served "nightly" k create -n $NS -f "$DIR/nightly.yaml"
    check "nightly: created" "$OUT" "cronjob.batch/nightly created"
    for row in .concurrencyPolicy=Allow .suspend=false .successfulJobsHistoryLimit=3 .failedJobsHistoryLimit=1 \
        .timeZone=Europe/Berlin .jobTemplate.spec.completionMode= .jobTemplate.spec.selector= \
        .jobTemplate.spec.template.spec.dnsPolicy=ClusterFirst; do
        path=${row%%=*} want=${row#*=}
        check "nightly: spec$path" "$(field cronjob/nightly ".spec$path" -n $NS)" "$want"
    done
    served "nightly, changed" k patch cronjob nightly -n $NS --type=merge -p '{"spec":{"schedule":"@every 1h","suspend":true}}'
    check "nightly, changed: generation" "$(field cronjob/nightly .metadata.generation -n $NS)" 2
    served "nightly, labelled" k label cronjob nightly -n $NS owner=night
    k get cronjob nightly -n $NS -o json > "$DIR/nightly.json"
    served "nightly, written back" k replace -n $NS -f "$DIR/nightly.json"
    cron dotted.name "" 'schedule: "@daily"' > "$DIR/dotted.yaml"
    served "a name that is no DNS label" k create -n $NS -f "$DIR/dotted.yaml"
    check_has "a name that is no DNS label: warned of" "$OUT" "metadata.name: this is used in Pod names and hostnames"
    served "dry run of a CronJob" k create -n $NS --dry-run=server -f - < <(cron dry-cron "" 'schedule: "@daily"')
}

test_cron_bad() {
    refused "a bad CronJob" create < <(cron bad "parallelism: -1" 'schedule: "0 25 * * *"' "timeZone: Mars/Olympus" \
        "concurrencyPolicy: Sometimes" "startingDeadlineSeconds: -1" "failedJobsHistoryLimit: -1")
    local bad=$OUT part
    check_has "a bad CronJob: whose" "$bad" 'The CronJob "bad" is invalid'
    while IFS= read -r part; do
        check_has "a bad CronJob: ${part%%:*}" "$bad" "$part"
    done << 'T'
spec.schedule: Invalid value: "0 25 * * *": end of range (25) above maximum (23): 25
spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0
spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus
spec.concurrencyPolicy: Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"
spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0
spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0
T
    refused "a CronJob with a zone in its schedule" k patch cronjob nightly -n $NS --type=merge \
        -p '{"spec":{"schedule":"TZ=UTC 0 3 * * *"}}'
    check_has "a CronJob with a zone in its schedule, in words" "$OUT" 'cannot use TZ or CRON_TZ in schedule'
}

test_cron_crasher() {
    local KIND=cronjob path=spec.jobTemplate.spec
    crashes "a CronJob that crashes API servers" $path create < <(cron crasher 'completionMode: Indexed
successPolicy: {rules: [{succeededCount: 1}]}' 'schedule: "@daily"')
    crashes "an update of a CronJob that crashes API servers" $path k patch cronjob nightly -n $NS --type=merge \
        -p '{"spec":{"jobTemplate":{"spec":{"completionMode":"Indexed","successPolicy":{"rules":[{"succeededCount":1}]}}}}}'
}

test_updates() {
    refused "an immutable field: completions" k patch job pi -n $NS --type=merge -p '{"spec":{"completions":5}}'
    check_has "an immutable field: completions, in words" "$OUT" 'spec.completions: Invalid value: 5: field is immutable'
    refused "an immutable field: template" k patch job pi -n $NS --type=json \
        -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"perl:6"}]'
    check_has "an immutable field: template, in words" "$OUT" 'spec.template: Invalid value'
    check_has "an immutable field: template, the reason" "$OUT" 'field is immutable'
    refused "an immutable field: selector" k patch job pi -n $NS --type=merge \
        -p '{"spec":{"selector":{"matchLabels":{"a":"b"}}}}'
    check_has "an immutable field: selector, in words" "$OUT" 'field is immutable'
    served "an update of a mutable field" k patch job pi -n $NS --type=merge -p '{"spec":{"parallelism":2,"suspend":true}}'
    check "an update of a mutable field: stored" "$(field job/pi '.spec.parallelism}{" "}{.spec.suspend' -n $NS)" "2 true"
    check "an update of a mutable field: generation" "$(field job/pi .metadata.generation -n $NS)" 2
    served "an update of labels only" k label job pi -n $NS owner=night
    right_labels pi
}

# Both configurations say failurePolicy Fail: with the webhook gone no Job can be made. So it was in the path all along.
test_stopped() {
    proc_stop webhook
    check "the webhook ends by itself on TERM" "$STOP_STATUS" 0
    job "name: late" > "$DIR/late.yaml"
    refused "without the webhook no Job" k create -n $NS -f "$DIR/late.yaml"
    check_has "without the webhook no Job, in words" "$OUT" 'failed calling webhook "mutate.jobs.jobreeve.dev"'
    webhook_unregister
    check "unregistered: Jobs can be made again" "$(k create -n $NS -f "$DIR/late.yaml" 2>&1)" "job.batch/late created"
}

# Which gates are on, as the webhook has read it and as the API server says.
gates_of() { sed -n "s/^$1{.*name=\"\([A-Za-z]*\)\".*} \([01]\)\$/\1 \2/p" | sort; }
read_gates() { # those that it has read
    http_get "$METRICS" /metrics > "$DIR/t10.metrics" && grep '^jobreeve_kubernetes_feature_enabled' "$DIR/t10.metrics" | grep 'source="server"' > "$DIR/t10.read"
}
test_gates() {
    local gates
    check_await "the webhook has read the API server's feature gates" 120 read_gates
    check "all that it goes by" "$(grep '^jobreeve_kubernetes_feature_enabled' "$DIR/t10.metrics" | grep -vc 'source="server"')" 0
    gates_of jobreeve_kubernetes_feature_enabled < "$DIR/t10.read" > "$DIR/t10.gates"
    gates=$(wc -l < "$DIR/t10.gates")
    check "they are $gates, at least ten" "$((gates >= 10))" 1
    k get --raw /metrics | gates_of kubernetes_feature_enabled > "$DIR/t10.server"
    check "each as the API server has it" "$(comm -23 "$DIR/t10.gates" "$DIR/t10.server")" ""
}

[ -x "$JR_BIN/jobreeve-webhook" ] || {
    echo "no $JR_BIN/jobreeve-webhook: build it first" >&2
    exit 1
}
serving_cert webhook
fresh_namespace $NS
start_webhook
test_gates
webhook_register "$PORT" "$DIR/pki/webhook-ca.crt"
passed "registered: the API server calls both webhooks"
test_pi
test_idempotent
test_generate_name
test_indexed
test_dry_run
test_manual
test_bad
test_crasher
test_cron
test_cron_bad
test_cron_crasher
test_updates
test_stopped
