#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The keeper on a real API server, under the least rights: nothing is refused before a replica answers, and then it fails closed; who
# applies the configurations anew meets no conflict; a deleted Secret ends the trust in its CA; a deleted namespace takes the
# configurations with it. Findings: Fail in force before a replica exists; a deleted namespace blocks all Jobs; the old CA stays trusted.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t16
JOBS=t16-jobs
# An EndpointSlice may not have loopback addresses: one of this machine, which is reached by loopback all the same.
ADDRESS=$(hostname -I | tr ' ' '\n' | grep -m1 -E '^[0-9.]+$')
: "${ADDRESS:?this machine has no IPv4 address but those of loopback}"

PORT=1 # nobody's, until there is a replica
configurations() { # configurations [ANNOTATION]: both, as helm applies them; failurePolicy is Ignore
    local kind
    for kind in Mutating:mutate Validating:validate; do
        cat << Y
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind%:*}WebhookConfiguration
metadata:
  name: t16
  annotations: {${1:-}}
webhooks:
- name: ${kind#*:}.t16.jobreeve.dev
  clientConfig: {url: "https://127.0.0.1:$PORT/${kind#*:}-batch-v1-job"}
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE], scope: Namespaced}]
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 10
  failurePolicy: Ignore
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $JOBS}}
---
Y
    done | k apply --server-side --field-manager=helm -f - 2>&1
}
policies() { k get mutatingwebhookconfiguration,validatingwebhookconfiguration t16 -o json | jq -r '[.items[].webhooks[].failurePolicy] | join(" ")'; }
policies_are() { [ "$(policies)" = "$1" ]; }
bundle() { k get validatingwebhookconfiguration t16 -o json | jq -r '.webhooks[0].clientConfig.caBundle // "" | @base64d'; }
cas() { grep -c 'BEGIN CERTIFICATE' <<< "$(bundle)"; }
has_bundle() { [ "$(cas)" = 1 ]; }
job() { k create job "$1" --image=busybox:1.36 -n $JOBS "${@:2}" 2>&1; }
tried() { [ "$(job probe --dry-run=server)" = "job.batch/probe created (server dry run)" ]; }
refused_job() { grep -q 'failed calling webhook "mutate.t16.jobreeve.dev"' <<< "$(job probe --dry-run=server)"; }
owners() { k get mutatingwebhookconfiguration,validatingwebhookconfiguration t16 -o json | jq -r '[.items[].metadata.ownerReferences[]? | "\(.kind)/\(.name) \(.uid)"] | unique | join(", ")'; }
owned() { [ "$(owners)" = "Namespace/$NS $(field namespace/$NS .metadata.uid)" ]; }

k delete mutatingwebhookconfiguration,validatingwebhookconfiguration t16 --ignore-not-found > /dev/null
fresh_namespace $JOBS
fresh_namespace $NS
user webhook-own "$E2E/rbac/webhook-own.yaml"
user keeper-t16 "$E2E/rbac/keeper-t16.yaml"
await 120 "the rights of the replica" k auth can-i get secrets/own -n $NS --as=system:serviceaccount:jobreeve-system:webhook-own

# ---- nothing is refused before a replica answers

configurations '"jobreeve.dev/failure-policy": Fail' > /dev/null
spawn keeper "$JR_BIN/jobreeve-webhook" --keeper --kubeconfig "$DIR/keeper-t16.conf" --webhook-configuration t16 --tls-secret own \
    --tls-secret-namespace $NS --tls-names 127.0.0.1 --health-probe-bind-address 0 --metrics-bind-address 0 --tls-poll-interval 500ms \
    --tls-propagation-time 2s
ALIVE=keeper check_await "the keeper has its CA trusted" 60 has_bundle
ALIVE=keeper check_await "the configurations are the Namespace's" 60 owned
check_await "and no Job is refused while nobody is there" 60 tried
check "nothing fails closed yet" "$(policies)" "Ignore Ignore"

# ---- a replica answers

spawn own "$JR_BIN/jobreeve-webhook" --kubeconfig "$DIR/webhook-own.conf" --tls-secret own --tls-secret-namespace $NS \
    --port 0 --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 --tls-poll-interval 500ms
ALIVE="own keeper" await 60 "the webhook" listener own webhook
PORT=$(listener own webhook) PORT=${PORT##*:}
configurations '"jobreeve.dev/failure-policy": Fail' > /dev/null
k apply -f - > /dev/null << Y
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: hook, namespace: $NS, labels: {kubernetes.io/service-name: jobreeve-webhook}}
addressType: IPv4
ports: [{name: webhook, port: $PORT, protocol: TCP}]
endpoints: [{addresses: [$ADDRESS], conditions: {ready: true}}]
Y
ALIVE="own keeper" check_await "once one answers it fails closed" 60 policies_are "Fail Fail"
ALIVE="own keeper" check_await "and Jobs are admitted" 60 tried
check_has "it says so" "$(grep -c 'a replica answers: failurePolicy raised to Fail' "$DIR/log/keeper.log")" 2

# ---- who applies it anew

OUT=$(configurations '"jobreeve.dev/failure-policy": Fail')
check_has "applied anew, without a conflict" "$OUT" "validatingwebhookconfiguration.admissionregistration.k8s.io/t16 serverside-applied"
ALIVE="own keeper" check_await "it fails closed again" 60 policies_are "Fail Fail"
given_back() { # and nobody but helm is asked next time
    [ "$(k get validatingwebhookconfiguration t16 --show-managed-fields -o json | jq '[.metadata.managedFields[] | select(.manager == "jobreeve-failure-policy")] | length')" = 0 ]
}
ALIVE="own keeper" check_await "the field is nobody's" 60 given_back
OUT=$(configurations)
check_has "applied without the annotation, without a conflict" "$OUT" "validatingwebhookconfiguration.admissionregistration.k8s.io/t16 serverside-applied"
check "it fails open" "$(policies)" "Ignore Ignore"
k patch validatingwebhookconfiguration t16 --type json -p '[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]' > /dev/null
ALIVE="own keeper" check_await "the keeper has looked again" 60 has_bundle
check "and stays so" "$(policies)" "Ignore Ignore"
configurations '"jobreeve.dev/failure-policy": Fail' > /dev/null
ALIVE="own keeper" check_await "it fails closed once more" 60 policies_are "Fail Fail"
check "the owner is there still" "$(owned && echo owned)" owned

# ---- the Secret is deleted

before=$(bundle)
ca_key=$(k get secret own -n $NS -o json | jq -r '.data["ca.key"]')
check_more "there is a key" "${#ca_key}" 100
k delete secret own -n $NS > /dev/null
key_of() { # the public key of a CA: who has the old one's could make another certificate of it
    openssl x509 -noout -pubkey <<< "$1" | grep -v -- -----
}
true > "$DIR/log/t16-refused"
exchanged() { # one CA, of another key; and until then no Job is refused
    local now
    tried || echo "refused: $(job probe --dry-run=server)" >> "$DIR/log/t16-refused"
    [ "$(cas)" = 1 ] && now=$(bundle) && now=$(key_of "$now") && [ -n "$now" ] && [ "$now" != "$(key_of "$before")" ]
}
ALIVE="own keeper" check_await "the old CA is trusted no more" 120 exchanged
check "no Job was refused meanwhile" "$(cat "$DIR/log/t16-refused")" ""
ALIVE="own keeper" check_await "and none is" 60 tried
bundle > "$DIR/t16.crt"
check_has "what is served is the new CA's" "$(openssl s_client -connect "127.0.0.1:$PORT" -CAfile "$DIR/t16.crt" -verify_return_error < /dev/null 2>&1)" \
    "Verify return code: 0 (ok)"
secret=$(k get secret own -n $NS -o json)
check "the old key is nowhere" "$(grep -cF "$ca_key" <<< "$secret" || true)" 0
never_refused keeper-t16
never_refused webhook-own

# ---- the namespace is deleted

proc_stop keeper
proc_stop own
check_await "with no replica Jobs are refused" 60 refused_job
k delete namespace $NS --wait=false > /dev/null
gone() { [ -z "$(k get mutatingwebhookconfiguration,validatingwebhookconfiguration t16 --ignore-not-found -o name)" ]; }
check_await "the configurations go with it" 120 gone
check_await "and Jobs can be made" 60 tried
k delete namespace $JOBS --wait=false > /dev/null
k delete clusterrole,clusterrolebinding "jobreeve:keeper-t16" > /dev/null
