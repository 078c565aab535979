# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the tests of JobPolicies: the definition, two replicas of the webhook with the rights that the chart gives, and what is in force in
# them. WORK: a folder of the test's. PORT: theirs, by free_port.
CRD=jobpolicies.policy.jobreeve.dev

# helm_template ARGUMENT...: objects of the chart
helm_template() {
    HELM_CACHE_HOME=$WORK HELM_CONFIG_HOME=$WORK HELM_DATA_HOME=$WORK "$BIN/helm" template e2e "$E2E/../../charts/jobreeve" \
        --namespace jobreeve-system --set image.repository=x "$@"
}
install_crd() {
    helm_template -s templates/crds/jobpolicies.yaml | k create -f - > /dev/null
    await 60 "JobPolicies being served" k get jobpolicies
}
policy() { # policy NAME SPEC
    printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: %s}\nspec: %s\n' "$1" "$2"
}
begin_replica() { # begin_replica NAME FLAG...
    spawn "$1" "$JR_BIN/jobreeve-webhook" --kubeconfig "$DIR/webhook-policies.conf" --policies --bind-address 127.0.0.1 --port "$PORT" --reuse-port \
        --tls-cert-file "$DIR/pki/jobs-webhook.crt" --tls-private-key-file "$DIR/pki/jobs-webhook.key" \
        --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 --shutdown-delay-duration 0s "${@:2}"
}
replica() { # replica NAME FLAG...
    begin_replica "$@"
    ALIVE=$1 await 60 "$1 being ready" ready "$1"
}
ready() { http_get "$(listener "$1" health)" /readyz; }
says() { # says REPLICA SERIES VALUE
    local all
    all=$(http_get "$(listener "$1" metrics)" /metrics) && grep -qxF "$2 $3" <<< "$all"
}
both() { says one "$@" && says two "$@"; }
in_force() { both "jobreeve_policy_generation{policy=\"$1\"}" "$2"; }
# said CMD...: what kubectl says of a refusal; "allowed"
said() { if "$@" > "$WORK/said" 2>&1; then echo allowed; else cat "$WORK/said"; fi; }

# chart_webhooks: registers the replicas by the chart's own configurations, matchConditions and all, as they are where policies deny
chart_webhooks() {
    helm_template --set policies.enforce=true,webhook.validating.failurePolicy=Fail -s templates/webhook/mutating.yaml -s templates/webhook/validating.yaml |
        k create --dry-run=client -o json -f - | jq --arg port "$PORT" --arg ca "$(pki_data "$DIR/pki/jobs-webhook-ca.crt")" '
            .webhooks[].clientConfig |= {url: "https://127.0.0.1:\($port)\(.service.path)", caBundle: $ca} | .metadata.name = "jobreeve"' |
        k create -f - > /dev/null
    CHART_CALLS=$(webhook_calls validate.job.jobreeve.dev)
    await 60 "the API server calling the webhooks" chart_called
}
chart_called() {
    probe_job || true
    [ "$(webhook_calls validate.job.jobreeve.dev)" -gt "$CHART_CALLS" ]
}

# two_replicas FLAG...: the definition, and both replicas, the second one with these flags
two_replicas() {
    k delete crd $CRD --ignore-not-found > /dev/null
    install_crd
    user webhook-policies "$E2E/rbac/webhook-policies.yaml"
    serving_cert jobs-webhook
    free_port
    replica one
    replica two "$@"
}
