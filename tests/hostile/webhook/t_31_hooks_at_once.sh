#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The devcluster's end of a webhook call. Finding: a webhook that can't be called was followed by the next one by recursion, and 36,000 of them
# ended the process. Seen on 23e780d2: SIGSEGV. Its kind: tests/lint/recursion.py.
# quick
. "$(dirname "$0")/lib.sh"

mkdir -p "$DIR/hooks"
spawn hooks "$JR_BIN/jobreeve-devcluster" --data-dir "$DIR/hooks" --log-level warn
ALIVE=hooks await 60 "the devcluster" test -s "$DIR/hooks/kubeconfig"
SERVER=$(sed -n 's/^ *server: //p' "$DIR/hooks/kubeconfig") TOKEN=$(sed -n 's/^ *token: //p' "$DIR/hooks/kubeconfig")

# post PATH FILE: prints the status
post() {
    curl -sS -o /dev/null -w '%{http_code}' --max-time 120 --cacert "$DIR/hooks/ca.crt" -H "Authorization: Bearer $TOKEN" \
        -H 'Content-Type: application/json' --data-binary @"$2" "$SERVER$1" 2> "$DIR/curl.err" || true
}
configuration() { # configuration NAME: of 12,000 webhooks that can't be called
    jq -nc --arg name "$1" '{apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", metadata: {name: $name},
        webhooks: [range(12000) | {name: "a\(.).x.yz", clientConfig: {url: "http://127.0.0.1:1"}, failurePolicy: "Ignore", sideEffects: "None",
        rules: [{apiGroups: ["batch"], apiVersions: ["*"], resources: ["jobs"], operations: ["*"]}], admissionReviewVersions: ["v1"]}]}'
}
for name in x y z; do
    configuration $name > "$DIR/hooks/$name.json"
    check "a configuration of 12,000" "$(post /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations "$DIR/hooks/$name.json")" 201
done
jq -n '{apiVersion: "batch/v1", kind: "Job", metadata: {name: "j"},
    spec: {suspend: true, template: {spec: {restartPolicy: "Never", containers: [{name: "c", image: "i"}]}}}}' > "$DIR/hooks/job.json"
check "a Job beside 36,000 webhooks that can't be called" "$(post /apis/batch/v1/namespaces/default/jobs "$DIR/hooks/job.json")" 201
