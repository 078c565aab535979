#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installed by helm on a real API server without nodes: what the API server does then, what an upgrade keeps and a removal
# leaves, and the programs, started here with the arguments of the chart's containers and the rights of its accounts alone.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t30chart
FULL=jr-jobreeve

upgrade() { # upgrade ARGS...: the release jr
    helm upgrade --install jr "$CHART" --namespace "$CHART_NS" -f "$IMAGE" "$@" > "$DIR/helm.out" 2>&1 || {
        cat "$DIR/helm.out" >&2
        return 1
    }
}

try_job() { # try_job [NAMESPACE]: a Job that is only tried; what kubectl says is in SAID
    SAID=$(k create job probe --image=probe --dry-run=server -n "${1:-default}" 2>&1)
}

job_refused() {
    ! try_job && grep -q 'failed calling webhook "validate.job.jobreeve.dev"' <<< "$SAID"
}

bundles() { # bundles NAME: the caBundles of both configurations, each once
    k get mutatingwebhookconfiguration,validatingwebhookconfiguration "$1" -o json |
        jq -r '[.items[].webhooks[].clientConfig.caBundle] | unique | map(. // "none") | join(" ")'
}

# ---- while no Pod runs

prepare
fresh_namespace $NS
upgrade
check_await "Jobs are admitted while no replica is up" 60 try_job
upgrade --set webhook.validating.failurePolicy=Fail
check_await "they are with Fail, too: it waits for a replica" 60 try_job
closed=(--set "keeper.enabled=false,tls.type=helm,webhook.validating.failurePolicy=Fail")
upgrade "${closed[@]}"
check_await "without a keeper they are refused from the first moment on" 60 job_refused
let_pass() { # the metrics are kept for t_40_metrics.sh
    ! try_job && k get --raw /metrics > "$DIR/apiserver-metrics" &&
        grep -q '^apiserver_admission_webhook_fail_open_count{name="mutate.job.jobreeve.dev"' "$DIR/apiserver-metrics"
}
check_more "the API server counts what it refuses" \
    "$(grep -c '^apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="validate.job.jobreeve.dev"' <<< "$(k get --raw /metrics)")" 0
check_await "the API server counts what it lets pass" 60 let_pass
for n in kube-system "$CHART_NS"; do
    try_job "$n" || true
    check "$n is exempt" "$SAID" "job.batch/probe created (server dry run)"
done
k create job stuck --image=x -n kube-system > /dev/null # where it is allowed
k delete job stuck -n kube-system > /dev/null
notes=$(helm get notes jr --namespace "$CHART_NS")
check_has "NOTES name the exempt namespaces" "$notes" "these: jobreeve-system, kube-system"
check_has "NOTES say who decides where an object selector does" "$(helm install notes "$CHART" --dry-run=client --namespace "$CHART_NS" -f "$IMAGE" \
    -f "$HERE/values/object-selector.yaml" --set policies.enforce=true)" "NOTE: webhook.objectSelector selects by labels"
check "and not elsewhere" "$(grep -c objectSelector <<< "$notes")" 0
command=$(grep -o 'kubectl delete mutatingwebhookconfiguration.*' <<< "$notes")
check "NOTES have the one command" "$command" "kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration $FULL"
# shellcheck disable=SC2086
k ${command#kubectl } > /dev/null
check_await "after it Jobs are admitted" 60 try_job
upgrade "${closed[@]}"
check_await "an upgrade brings the webhook back" 60 job_refused

# ---- what an upgrade keeps

upgrade

for c in mutating validating; do
    k get ${c}webhookconfiguration $FULL -o json |
        jq '[.webhooks | keys[] | {op: "add", path: "/webhooks/\(.)/clientConfig/caBundle", value: "Zm9yIHRoZSB0ZXN0"}]' > "$DIR/patch.json"
    # the API server wants PEM: any certificate will do
    sed -i "s|Zm9yIHRoZSB0ZXN0|$(pki_data "$DIR/pki/ca.crt")|" "$DIR/patch.json"
    k patch ${c}webhookconfiguration $FULL --type json --patch-file "$DIR/patch.json" > /dev/null
done
upgrade --set webhook.validating.timeoutSeconds=4,webhook.mutating.timeoutSeconds=2
check "an upgrade that changes the webhooks leaves caBundle alone" "$(bundles $FULL)" "$(pki_data "$DIR/pki/ca.crt")"
check "and changes them" "$(field validatingwebhookconfiguration/$FULL '.webhooks[0].timeoutSeconds')" 4

# ---- certificates by helm

hm() { # hm ARGS...: a second release, without what is once in a cluster, whose certificates are made by helm
    helm upgrade --install hm "$CHART" --namespace "$CHART_NS" -f "$IMAGE" --set tls.type=helm,controller.enabled=false,crds.install=false \
        --set webhook.validating.failurePolicy=Ignore "$@" > "$DIR/helm.out" 2>&1 || {
        cat "$DIR/helm.out" >&2
        return 1
    }
}
secret() { # secret KEY: of its Secret
    k get secret hm-jobreeve-webhook-helm -n "$CHART_NS" -o json | jq -r --arg k "$1" '.data[$k] | @base64d'
}
hm
ca=$(secret ca.crt) leaf=$(secret tls.crt)
check "caBundle is the CA" "$(bundles hm-jobreeve | base64 -d)" "$ca"
printf '%s\n' "$ca" > "$DIR/hm-ca.crt"
check_has "the certificate is the CA's, for the Service" "$(openssl verify -CAfile "$DIR/hm-ca.crt" \
    -verify_hostname hm-jobreeve-webhook.jobreeve-system.svc <(printf '%s\n' "$leaf") 2>&1)" OK
hm --set logLevel=debug
check "an upgrade keeps the CA and the certificate" "$(secret ca.crt)$(secret tls.crt)" "$ca$leaf"
hm --set tls.extraNames='{jobs.example.com}'
check "other names: the same CA" "$(secret ca.crt)" "$ca"
check_has "other names: another certificate" "$(openssl verify -CAfile "$DIR/hm-ca.crt" -verify_hostname jobs.example.com \
    <(secret tls.crt) 2>&1)" OK
leaf=$(secret tls.crt)
k annotate secret hm-jobreeve-webhook-helm -n "$CHART_NS" --overwrite jobreeve.dev/renew-after=1 > /dev/null
hm --set tls.extraNames='{jobs.example.com}' --force-conflicts # with kubectl annotate
check "past two thirds: the same CA" "$(secret ca.crt)" "$ca"
if [ "$(secret tls.crt)" != "$leaf" ]; then passed "past two thirds: another certificate"; else failed "past two thirds" "the same" "another"; fi
check "and the next upgrade keeps it" "$(leaf=$(secret tls.crt); hm --set tls.extraNames='{jobs.example.com}'; [ "$(secret tls.crt)" = "$leaf" ] && echo same)" same
helm uninstall hm --namespace "$CHART_NS" --no-hooks > /dev/null

# ---- the programs, with the chart's arguments and rights

# arguments OBJECTSFILE CONTAINER: sets ARGS to its arguments, but for the addresses to listen on
arguments() {
    mapfile -t ARGS < <(ask "$1" "podspecs[] | containers[] | select(.name == \"$2\") | .args[]
        | select(test(\"^--(port|health-probe-bind-address|metrics-bind-address)=\") | not)" | jq -r .)
}

as_chart() { # as_chart NAME PROGRAM ACCOUNT: started with ARGS
    account "$3"
    spawn "$1" "$JR_BIN/$2" --kubeconfig "$DIR/$3.conf" "${ARGS[@]}"
}

upgrade --set policies.enforce=true # fails closed, but nobody can reach it here: the keeper finds no replica
render --set policies.enforce=true > "$DIR/t30.yaml"
objects < "$DIR/t30.yaml" > "$DIR/t30.json"
arguments "$DIR/t30.json" webhook
ARGS+=(--bind-address=127.0.0.1 --port=0 --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0)
as_chart webhook jobreeve-webhook $FULL-webhook
arguments "$DIR/t30.json" keeper
ARGS+=(--health-probe-bind-address=0 --metrics-bind-address=0)
as_chart keeper jobreeve-webhook $FULL-keeper
ALIVE="webhook keeper" await 60 "the webhook" listener webhook health
# A CA is trusted already, the one of before, so that a new one stands for a minute before it signs.
check_await "the webhook is ready" 180 http_get "$(listener webhook health)" /readyz
ca_kept() {
    [ "$(bundles $FULL | base64 -d | openssl x509 -noout -fingerprint)" = \
        "$(k get secret $FULL-webhook-tls -n "$CHART_NS" -o json | jq -r '.data["ca.crt"] | @base64d' | openssl x509 -noout -fingerprint)" ]
}
check_await "the keeper has put its CA into all caBundles" 60 ca_kept
owners() { # each once, of both configurations
    k get mutatingwebhookconfiguration,validatingwebhookconfiguration $FULL -o json |
        jq -r '[.items[] | .metadata.ownerReferences // [{kind: "none"}] | .[] | "\(.kind) \(.uid)"] | unique | join(", ")'
}
owned() { [ "$(owners)" = "Namespace $(field "namespace/$CHART_NS" .metadata.uid)" ]; }
check_await "and made them the Namespace's" 60 owned
upgrade --set policies.enforce=true --set logFormat=text
check "an upgrade leaves both there" "$(ca_kept && owned && echo kept)" kept
check "no replica answers, and nothing fails closed" \
    "$(k get validatingwebhookconfiguration $FULL -o json | jq -r '[.webhooks[].failurePolicy] | unique | join(" ")')" Ignore

start_kubelet
arguments "$DIR/t30.json" controller
ARGS+=(--health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0)
as_chart controller jobreeve-controller $FULL-controller
ALIVE=controller await 60 "the controller" listener controller health
check_await "the controller is ready" 60 http_get "$(listener controller health)" /readyz
sed 's/^spec:$/spec:\n  managedBy: jobreeve.dev\/controller/' "$EXAMPLES/indexed.yaml" | k create -n $NS -f - > /dev/null
outcome frames Complete 120 5 "" CompletionsReached
for a in webhook keeper controller; do never_refused "$FULL-$a"; done
# Finding: the process that reads what tenants send could write whom the API server asks, and trusts. That is the keeper's alone.
may() { # may ACCOUNT VERB RESOURCE: yes or no
    k auth can-i "$2" "$3" -n "$CHART_NS" --as="system:serviceaccount:$CHART_NS:$FULL-$1" 2> /dev/null || true # it ends with 1 for "no"
}
for c in mutating validating; do
    check "the keeper may patch the $c configuration" "$(may keeper patch "${c}webhookconfigurations/$FULL")" yes
    for v in create update patch delete; do
        check "the webhook may not $v the $c configuration" "$(may webhook $v "${c}webhookconfigurations/$FULL")" no
    done
done
for v in get list watch; do check "the webhook may $v JobPolicies" "$(may webhook $v jobpolicies)" yes; done
for a in webhook keeper controller; do
    for v in create update patch delete deletecollection; do
        check "the $a may not $v JobPolicies" "$(may $a $v jobpolicies)" no
    done
done
for a in webhook keeper controller; do
    check "the $a may not get their definition" "$(may $a get "customresourcedefinitions/jobpolicies.policy.jobreeve.dev")" no
done
check "the webhook may read its Secret" "$(may webhook get "secrets/$FULL-webhook-tls")" yes
check "and not write it" "$(may webhook update "secrets/$FULL-webhook-tls")" no

# ---- a Job in mid-flight, and helm uninstall: the arguments of the pre-delete Pod with its rights, in its order

sed 's/^spec:$/spec:\n  managedBy: jobreeve.dev\/controller/; s/duration: 300ms/duration: forever/; s/name: frames/name: flight/' \
    "$EXAMPLES/indexed.yaml" | k create -n $NS -f - > /dev/null
flying() {
    [ "$(k get pods -n $NS -l job-name=flight -o json | jq '[.items[] | select(.metadata.finalizers == ["jobreeve.dev/job-tracking"])] | length')" -gt 0 ]
}
check_await "a Job in mid-flight has Pods with our finalizer" 60 flying
jq '.[] | select(.metadata.annotations["helm.sh/hook"] == "pre-delete" and .kind != "Pod")' "$DIR/t30.json" | k apply -f - > /dev/null 2>&1
proc_stop keeper # what scaling to 0 does where there are nodes
proc_stop webhook
proc_stop controller
for c in remove-webhook:jobreeve-webhook decommission-jobs:jobreeve-controller; do
    arguments "$DIR/t30.json" "${c%:*}"
    account $FULL-pre-delete
    status=0
    "$JR_BIN/${c#*:}" "${ARGS[@]}" --kubeconfig "$DIR/$FULL-pre-delete.conf" > "$DIR/log/${c%:*}.log" 2>&1 || status=$?
    check "${c%:*} ends well" "$status" 0
done
never_refused "$FULL-pre-delete"
check "no webhook configuration is left" \
    "$(names mutatingwebhookconfiguration,validatingwebhookconfiguration $FULL)" ""
check "no Secret is left" "$(names secret $FULL-webhook-tls -n "$CHART_NS")" ""
check "no Pod has our finalizer" "$(k get pods -n $NS -l job-name=flight -o json | jq -c '[.items[].metadata.finalizers | select(.)]')" "[]"
check "all Deployments are at 0" "$(k get deployment -n "$CHART_NS" -o jsonpath='{.items[*].spec.replicas}')" "0 0 0"
check_more "what is looked for in the end is found before" "$(for kind in $(jq -r '.[].kind' "$DIR/t30.json" | sort -u); do
    k get "$kind" -A -l app.kubernetes.io/instance=jr -o name
done | wc -l)" 15
k apply -f - > /dev/null << 'Y'
apiVersion: policy.jobreeve.dev/v1alpha1
kind: JobPolicy
metadata: {name: stays}
spec: {limits: {parallelism: {max: 10}}}
Y
helm uninstall jr --namespace "$CHART_NS" --no-hooks > /dev/null
check "helm uninstall leaves the definition of JobPolicies, and so these" "$(names jobpolicy stays)" jobpolicy.policy.jobreeve.dev/stays
upgrade
check "the release comes back to them" "$(names jobpolicy stays)" jobpolicy.policy.jobreeve.dev/stays
upgrade --set crds.keep=false
helm uninstall jr --namespace "$CHART_NS" --no-hooks > /dev/null
k wait --for=delete crd/jobpolicies.policy.jobreeve.dev --timeout=60s > /dev/null 2>&1 || true
jq '.[] | select(.metadata.annotations["helm.sh/hook"] == "pre-delete" and .kind != "Pod")' "$DIR/t30.json" | k delete -f - > /dev/null
for kind in $(jq -r '.[].kind' "$DIR/t30.json" | sort -u); do
    left=$(k get "$kind" -A -l app.kubernetes.io/instance=jr -o name)
    check "no $kind is left" "$left" ""
done
k delete namespace $NS --wait=false > /dev/null
