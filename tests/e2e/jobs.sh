# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the tests that run Jobs: the webhook, the controller and the simulated kubelet, and what a Job has come to.
EXAMPLES=$(cd "$E2E/../../docs/examples" && pwd)

# start_webhook: our webhook, registered
start_webhook() {
    serving_cert jobs-webhook
    user webhook "$E2E/rbac/webhook.yaml"
    spawn webhook "$JR_BIN/jobreeve-webhook" --kubeconfig "$DIR/webhook.conf" --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 0 \
        --metrics-bind-address 0 --tls-cert-file "$DIR/pki/jobs-webhook.crt" --tls-private-key-file "$DIR/pki/jobs-webhook.key"
    ALIVE=webhook await 60 "the webhook" listener webhook webhook
    ALIVE=webhook await 60 "the webhook's version" grep -q '"msg":"the API servers. versions"' "$DIR/log/webhook.log"
    local address
    address=$(listener webhook webhook)
    webhook_register "${address##*:}" "$DIR/pki/jobs-webhook-ca.crt"
}

# timed_job NAME DURATION COMPLETIONS [PARALLELISM]: the manifest of a Job whose Pods run for so long; all at one time unless it says otherwise
timed_job() {
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  completions: $3
  parallelism: ${4:-$3}
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: $2}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1.36"}]
Y
}

start_kubelet() {
    user kubelet-sim "$E2E/rbac/kubelet-sim.yaml"
    spawn kubelet "$JR_BIN/jobreeve-devcluster" kubelet --kubeconfig "$DIR/kubelet-sim.conf" --node sim-node --default-run 500ms
    ALIVE=kubelet await 60 "the simulated node" node_ready
}

# To kube-controller-manager, too: of a node that was away it says by taints, and that Pods aren't ready which have just begun.
node_ready() {
    k wait --for=condition=Ready node/sim-node --timeout=1s && [ -z "$(field node/sim-node .spec.taints)" ]
}

# start_controller USER FLAGS...: our controller with the rights of that user and no others; sets HEALTH and METRICS
start_controller() {
    local user=$1
    shift
    user "$user" "$E2E/rbac/$user.yaml"
    start_controller_by "$DIR/$user.conf" "$@"
}

# start_controller_by KUBECONFIG FLAGS...: likewise, by that file
start_controller_by() {
    spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$1" --health-probe-bind-address 127.0.0.1:0 \
        --metrics-bind-address 127.0.0.1:0 "${@:2}"
    ALIVE=controller await 60 "the controller" listener controller metrics
    HEALTH=$(listener controller health) METRICS=$(listener controller metrics)
    ALIVE=controller await 60 "the controller being ready" http_get "$HEALTH" /readyz
}

# start_builtin [FLAG...]: kube-controller-manager's own Job and TTL controllers, and no others, without their limit on requests
start_builtin() {
    spawn builtin "$BIN/kube-controller-manager" --kubeconfig="$DIR/pki/kcm.conf" --secure-port=0 --leader-elect=false \
        --controllers=job-controller,ttl-after-finished-controller --use-service-account-credentials \
        --kube-api-qps=1000 --kube-api-burst=1000 --profiling=false "$@"
}

# ended NAME TYPE: the Job has that condition
ended() {
    [ "$(field "job/$1" ".status.conditions[?(@.type==\"$2\")].status" -n "$NS")" = True ]
}

# outcome NAME TYPE SECONDS SUCCEEDED FAILED REASON: waits for the end, then checks every count
outcome() {
    local name=$1
    check_await "$name ends $2" "$3" ended "$name" "$2"
    check "$name: succeeded" "$(field "job/$name" .status.succeeded -n "$NS")" "$4"
    check "$name: failed" "$(field "job/$name" .status.failed -n "$NS")" "$5"
    check "$name: active" "$(field_or_no_answer "job/$name" .status.active -n "$NS")" ""
    check "$name: uncounted" "$(field "job/$name" .status.uncountedTerminatedPods -n "$NS")" "{}"
    check "$name: reason" "$(field "job/$name" ".status.conditions[?(@.type==\"$2\")].reason" -n "$NS")" "$6"
    check "$name: Pods with finalizers" \
        "$(k get pods -n "$NS" -l "batch.kubernetes.io/job-name=$name" -o json | jq '[.items[] | select(.metadata.finalizers)] | length')" 0
}

# end_pods SELECTOR: what a kubelet tells when they have succeeded
end_pods() {
    local pod
    for pod in $(k get pods -n "$NS" -l "$1" -o name); do
        k patch "$pod" -n "$NS" --subresource=status --type merge -p '{"status":{"phase":"Succeeded"}}' > /dev/null
    done
}

# pods_of NAME: how many there are; nothing where kubectl can't say
pods_of() {
    local names
    names=$(k get pods -n "$NS" -l "batch.kubernetes.io/job-name=$1" --no-headers -o name) || return 1
    grep -c . <<< "$names" || true
}

no_pods_of() {
    [ "$(pods_of "$1")" = 0 ]
}

# events_of NAME: reasons of the Job's events, sorted, each once
events_of() {
    k get events -n "$NS" --field-selector "involvedObject.kind=Job,involvedObject.name=$1" \
        -o jsonpath='{range .items[*]}{.reason}{"\n"}{end}' | sort -u | paste -sd ' '
}

events_are() {
    [ "$(events_of "$1")" = "$2" ]
}

# check_events NAME REASONS: the recorder sends them on its own time
check_events() {
    if await 60 "the events of $1" events_are "$1" "$2"; then passed "$1: events"; else failed "$1: events" "$(events_of "$1")" "$2"; fi
}

# meant_refusals USER: how many of its Pods were refused where a scenario of t_60 has it so
meant_refusals() {
    audited "\"username\":\"system:serviceaccount:jobreeve-system:$1\"" '"code":403' '"requestURI":"/api/v1/namespaces/[^/]*-create-refused/pods"'
}

# never_refused USER: the API server has answered none of its other requests with 403, and has answered some
never_refused() {
    check_more "$1 has asked, by the audit log" \
        "$(audited "\"username\":\"system:serviceaccount:jobreeve-system:$1\"" '"code":20[01]')" 0
    check "$1 was never refused" "$(audited "\"username\":\"system:serviceaccount:jobreeve-system:$1\"" '"code":403')" "$(meant_refusals "$1")"
}
