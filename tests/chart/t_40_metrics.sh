#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The alerts and the dashboard ask for metrics and labels that the programs have, as they are started here, or the API server
# (after t_30_install.sh), and each alert is explained.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# families TEXT: lines "NAME LABEL..." of what a metrics text tells
families() {
    awk '/^# TYPE/ { type[$3] = $4; next }
        /^#/ { next }
        { name = $0; sub(/[{ ].*/, "", name); labels = ""
          if (index($0, "{")) { labels = $0; sub(/^[^{]*\{/, "", labels); sub(/\}[^}]*$/, "", labels)
              gsub(/="([^"\\]|\\.)*"(,|$)/, " ", labels) }
          print name, labels }' <<< "$1" | sort -u
}

prepare
render -s templates/crds/jobpolicies.yaml | k apply -f - > /dev/null
await 60 "the type of JobPolicies" k wait --for=condition=Established --timeout=1s crd/jobpolicies.policy.jobreeve.dev
policy() {
    jq -n '{apiVersion: "policy.jobreeve.dev/v1alpha1", kind: "JobPolicy", metadata: {name: "small"}, spec: {limits: {parallelism: {max: 10}},
        exceptions: [{namespaces: ["a"], limits: {parallelism: {max: 20}}, until: "2099-01-01T00:00:00Z", reason: "r"}]}}' | k apply -f - > /dev/null
}
await 60 "a JobPolicy" policy
serving_cert chart-metrics
k create secret tls chart-metrics -n "$CHART_NS" --cert "$DIR/pki/chart-metrics.crt" --key "$DIR/pki/chart-metrics.key" > /dev/null
spawn webhook "$JR_BIN/jobreeve-webhook" --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 0 \
    --metrics-bind-address 127.0.0.1:0 --kubeconfig "$DIR/admin.conf" --tls-secret chart-metrics --tls-secret-namespace "$CHART_NS" --policies
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/admin.conf" --health-probe-bind-address 127.0.0.1:0 \
    --metrics-bind-address 127.0.0.1:0 --leader-elect-resource-namespace "$CHART_NS"
for p in webhook controller; do ALIVE=$p await 60 "the $p" listener $p metrics; done
policy_known() { http_get "$(listener webhook metrics)" /metrics | grep '^jobreeve_policy_generation{policy="small"} 1$'; }
ALIVE=webhook await 60 "the webhook knowing the JobPolicy" policy_known
ALIVE=controller await 60 "the controller being ready" http_get "$(listener controller health)" /readyz
families "$(http_get "$(listener webhook metrics)" /metrics)" > "$DIR/families"
families "$(http_get "$(listener controller metrics)" /metrics)" >> "$DIR/families"
# Those of the controller that have no sample before there was something to count: a test holds this list against the program.
sed -n 's/^\(counter\|gauge\) \([a-z_]*\) \?\(.*\)$/\2 \3/p; s/^histogram \([a-z_]*\) \?\(.*\)$/\1_bucket \2,le/p' \
    "$HERE/../integration/controller/metrics.txt" | tr , ' ' >> "$DIR/families"
[ ! -f "$DIR/apiserver-metrics" ] || families "$(grep '^apiserver_admission_webhook' "$DIR/apiserver-metrics")" >> "$DIR/families"
echo "up" >> "$DIR/families" # Prometheus' own
echo "kube_deployment_status_replicas_available deployment" >> "$DIR/families" # kube-state-metrics'

# evaluate EXPRESSION: prints what it asks for and nobody has
evaluate() {
    local selector name labels l
    while IFS= read -r selector; do
        name=${selector%%\{*}
        if ! grep -q "^$name\( \|$\)" "$DIR/families"; then
            echo "no metric $name"
            continue
        fi
        labels=$(sed 's/^[^{]*{//; s/}$//; s/\(=~\|!~\|!=\|=\)"[^"]*"\(,\|$\)/ /g' <<< "$selector")
        for l in $labels; do
            case $l in cluster | namespace | service | pod) continue ;; esac # Prometheus adds these
            grep "^$name " "$DIR/families" | tr ' ' '\n' | grep -qxF "$l" || echo "$name has no label $l"
        done
    done < <(grep -oE '[a-zA-Z_:][a-zA-Z0-9_:]*\{[^}]*\}' <<< "$1")
}

render -f "$HERE/values/everything.yaml" > "$DIR/t40.yaml"
objects < "$DIR/t40.yaml" > "$DIR/t40.json"
[ -f "$DIR/apiserver-metrics" ] || echo "without t_30_install.sh: what the API server counts isn't looked at"
while IFS=$'\t' read -r what expression; do
    [ -f "$DIR/apiserver-metrics" ] || [ "${expression/apiserver_/}" = "$expression" ] || continue
    check_has "$what asks for series" "$expression" "{"
    check "$what: what it asks for is there" "$(evaluate "$expression")" ""
done < <(ask "$DIR/t40.json" '(alerts[] | [.alert, .expr]),
    (one("ConfigMap"; "dashboard").data["jobreeve.json"] | fromjson | .panels[] | .title as $t | .targets[]? | ["panel \($t)", .expr])
    | @tsv' | jq -r .)
check "what isn't there is found" "$(evaluate 'rate(jobreeve_nothing{a="b"}[5m]) / jobreeve_build_info{nolabel="x"}')" \
    "no metric jobreeve_nothing
jobreeve_build_info has no label nolabel"

docs=$HERE/../../docs/operations.md
while IFS= read -r alert; do
    check "$alert is explained in docs/operations.md" "$(grep -c "^### $alert\$" "$docs")" 1
done < <(ask "$DIR/t40.json" 'alerts[].alert' | jq -r .)
