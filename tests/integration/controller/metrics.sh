#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# After a run that meets everything that is counted, /metrics has the families of metrics.txt, under these names, of these
# types and with these labels, and no others: metrics.sh BIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene metrics

jobs=/apis/batch/v1/namespaces/default/jobs

create() { # create NAME EXIT-CODES SPEC-LINE...: exit codes by index where there is an index, else by attempt
    local name=$1 codes=$2 kind=exit-code
    shift 2
    [[ $* != *Indexed* ]] || kind=exit-code-by-index
    {
        printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec:\n' "$name"
        printf '  %s\n' "$@"
        printf '  template:\n    metadata: {annotations: {kubelet.jobreeve.dev/duration: 50ms, kubelet.jobreeve.dev/%s: "%s"}}\n' $kind "$codes"
        printf '    spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}\n'
    } | api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
}
over() { # over NAME CONDITION
    api GET "$jobs/$1" | jq -e --arg c "$2" 'any(.status.conditions[]?; .type == $c and .status == "True")' > /dev/null
}
faults() { api PUT /devcluster/faults -H 'Content-Type: application/json' -d "$1" > /dev/null; }
metrics() { curl -sS --fail --max-time 30 --cacert "$DIR/tls.crt" "https://$(listener controller metrics)/metrics"; }
counted() { metrics > "$DIR/all" && grep -qE "^$1(\{.*)? [0-9.e+]*[1-9]" "$DIR/all"; }
wait_for() { # wait_for WHAT CMD...
    ALIVE="devcluster controller" await 120 "$@"
}

devcluster
api POST /api/v1/namespaces -H 'Content-Type: application/json' -d '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lease"}}' > /dev/null

self_signed "$DIR/tls" metrics
proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --ttl-after-finished \
    --metrics-tls-cert-file "$DIR/tls.crt" --metrics-tls-private-key-file "$DIR/tls.key" --policies --audit-interval 1s --leader-elect-resource-namespace lease --kube-api-qps 1000 --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0
wait_for "the metrics" metrics > /dev/null

api POST /apis/policy.jobreeve.dev/v1alpha1/jobpolicies -H 'Content-Type: application/json' -d '{"apiVersion":"policy.jobreeve.dev/v1alpha1",
    "kind":"JobPolicy","metadata":{"name":"narrow"},"spec":{"limits":{"parallelism":{"max":0}}}}' > /dev/null
create external 0 'managedBy: example.com/other'
create plain 0 'ttlSecondsAfterFinished: 0'
create indexed 0,1 'completionMode: Indexed' 'completions: 2' 'parallelism: 2' 'backoffLimitPerIndex: 0'
create policy 7 'backoffLimit: 3' 'podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [7]}}]}'
wait_for "the plain Job to go" gone "$jobs/plain"
wait_for "the indexed Job to fail" over indexed Failed
wait_for "the policy to fail its Job" over policy Failed
# A watch of Jobs that lags behind our own writes, and a request that is sent away.
faults '{"rules":[{"userAgent":"jobreeve-controller","method":"GET","path":"/batch/v1/jobs?watch","action":"delay","delayMilliseconds":4000},
    {"userAgent":"jobreeve-controller","method":"POST","path":"/default/pods","times":1,"action":"status","status":429}]}'
api POST /devcluster/drop-watches > /dev/null
create lagging 0 'completions: 3' 'parallelism: 1'
wait_for "a sync that is put off" counted job_controller_stale_sync_skips_total
wait_for "a repeated request" counted rest_client_request_retries_total
api DELETE /devcluster/faults > /dev/null
api POST /devcluster/drop-watches > /dev/null
wait_for "the lagging Job to complete" over lagging Complete

# A webhook that can't be reached, and fails closed: no finalizer goes.
webhooks=/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations
api POST $webhooks -H 'Content-Type: application/json' -d '{"apiVersion":"admissionregistration.k8s.io/v1",
    "kind":"ValidatingWebhookConfiguration","metadata":{"name":"guard"},"webhooks":[{"name":"guard.example.com","sideEffects":"None",
    "admissionReviewVersions":["v1"],"failurePolicy":"Fail","clientConfig":{"url":"https://127.0.0.1:1/"},
    "rules":[{"operations":["UPDATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]}]}]}' > /dev/null
create refused 0
wait_for "a finalizer that is refused" counted jobreeve_pod_finalizer_refusals_total
api DELETE $webhooks/guard > /dev/null
wait_for "the refused Job to complete" over refused Complete

wait_for "an audit that finds something" counted jobreeve_policy_audit_violating

# One line a family: its type, its name, and the labels of its first series, without the bounds of buckets.
families() {
    metrics | sed -nE -e '/^#/{s/^# TYPE ([^ ]+) ([^ ]+)$/type \1 \2/p;d}' -e 's/="([^"\\]|\\.)*"//g' \
        -e 's/^([^{ ]+) .*$/series \1/p' -e 's/^([^{ ]+)[{]([^}]*)[}] .*$/series \1 \2/p' | awk '
        $1 == "type" { name = $2; type = $3 }
        $1 == "series" && !(name in seen) {
            seen[name] = 1
            labels = $3
            sub(/,?le$/, "", labels)
            print type, name (labels == "" ? "" : " " labels)
        }'
}
families | sort > "$DIR/rendered"
grep -v '^#' "$here/metrics.txt" | sort > "$DIR/wanted"
diff "$DIR/wanted" "$DIR/rendered"
echo "ok    $(wc -l < "$DIR/wanted") families, as listed"
metrics > "$DIR/all"
host=${server#https://}
while read -r line; do
    # Whole labels and, where a value is given, the whole value: "} 1" isn't "} 12".
    awk -v want="$line" 'index($0, want) == 1 && substr($0, length(want) + 1) ~ (want ~ /[}] / ? "^$" : "^[,} ]") { found = 1 } END { exit !found }' "$DIR/all" ||
        { echo "no series is: $line" >&2; exit 1; }
done <<L
workqueue_depth{name="job"}
workqueue_depth{name="job_orphan_pod"}
workqueue_depth{name="ttl_jobs_to_delete"}
leader_election_master_status{name="jobreeve-controller"} 1
rest_client_requests_total{code="201",method="POST",host="$host"}
rest_client_request_retries_total{code="429",verb="POST",host="$host"} 1
job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"} 1
job_controller_jobs_by_external_controller_total{controller_name="example.com/other"} 1
job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 1
jobreeve_pod_finalizer_refusals_total{webhook="guard.example.com"}
jobreeve_policy_audit_violating{policy="narrow"}
L
echo "ok    queues, leader, requests and policy by their labels"
