#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/operations.md: each of its commands, run as it is written there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
ROOT=$(cd "$CLUSTER/../../.." && pwd)
DOC=$ROOT/docs/operations.md
WORK=$DIR/operations
IMAGE=jobreeve:$(sed -n 's/^appVersion: "\(.*\)"/\1/p' "$CHART/Chart.yaml")
rm -rf "$WORK"
mkdir -p "$WORK/bin" "$WORK/blocks"

# What the document's reader has: helm and kubectl in the PATH, a kubeconfig. WITHIN: the namespace where it says that one is meant.
printf '#!/bin/sh\nexec "%s/helm" --kubeconfig="%s/admin.conf" "$@"\n' "$BIN" "$DIR" > "$WORK/bin/helm"
# shellcheck disable=SC2016
printf '#!/bin/sh\nexec "%s/kubectl" --kubeconfig="%s/admin.conf" --cache-dir="%s/kubectl-cache" ${WITHIN:+--namespace "$WITHIN"} "$@"\n' \
    "$BIN" "$DIR" "$DIR" > "$WORK/bin/kubectl"
chmod +x "$WORK/bin/"*

as_reader() {
    (cd "$ROOT" && PATH=$WORK/bin:$PATH exec bash -e -u -o pipefail "$@")
}

# The indented blocks that begin with a command, each in a file blocks/N; and in headings/N what it stands under.
awk -v to="$WORK/blocks" '
    /^```/ { fenced = !fenced }
    /^#/ && !fenced { sub(/^#+ /, ""); heading = $0 }
    !fenced && /^    / { if (!inside) { n++; inside = 1; print heading > (to "/" n ".heading") } print substr($0, 5) > (to "/" n); next }
    { inside = 0 }' "$DOC"
for b in "$WORK"/blocks/*.heading; do
    grep -qE '^(helm|kubectl) ' "${b%.heading}" || rm "$b" "${b%.heading}"
done

# block HEADING TEXT: the file of the first command under that heading that has the text and was not run
block() {
    local n
    for n in $(cd "$WORK/blocks" && find . -name '*[0-9]' | tr -d ./ | sort -n); do
        if [ "$(cat "$WORK/blocks/$n.heading")" = "$1" ] && grep -qF -e "$2" "$WORK/blocks/$n" && [ ! -e "$WORK/blocks/$n.done" ]; then
            echo "$WORK/blocks/$n"
            return
        fi
    done
    return 1
}

# as_written HEADING TEXT: runs it; what it printed is in OUT
as_written() {
    local f
    f=$(block "$1" "$2") || {
        failed "$1: $2" "nothing of that kind" "a command in docs/operations.md"
        return
    }
    touch "$f.done"
    if OUT=$(as_reader "$f" 2>&1); then passed "$1: $(head -n 1 "$f")"; else failed "$1: $(cat "$f")" "$(tail -n 5 <<< "$OUT")" "success"; fi
    printf '%s\n' "$OUT" >> "$DIR/log/operations.log"
}

# in_words COMMAND: one that stands in the midst of a sentence
in_words() {
    # shellcheck disable=SC2016
    grep -qF -e "\`$1\`" <<< "$(tr '\n' ' ' < "$DOC")" || failed "$1" "nothing of that kind" "a command in docs/operations.md"
    if OUT=$(as_reader -c "$1" 2>&1); then passed "in words: $1"; else failed "in words: $1" "$(tail -n 5 <<< "$OUT")" "success"; fi
}

# of_validating JSONPATH: of its first entry
of_validating() {
    field validatingwebhookconfiguration/$RELEASE ".webhooks[0]$1"
}

test_install() {
    as_written Install "helm install"
    check_await "the webhook guards" 60 guarded
}

# While it goes its Pod's log can be read.
test_uninstall() {
    local logs reader
    logs=$(block Uninstall "kubectl logs")
    (until as_reader "$logs" > "$WORK/pre-delete.log" 2>&1 && grep -q '"msg"' "$WORK/pre-delete.log"; do sleep 0.1; done; touch "$logs.done") &
    reader=$!
    as_written Uninstall "helm uninstall"
    kill $reader 2> /dev/null || true
    wait $reader || true
    check "uninstalled: no webhook configuration" "$(configurations)" 0
    in_words "kubectl get pods --namespace jobreeve-system"
}

test_careful_install() {
    local before
    rm -f "$(grep -lF -e "helm install" "$WORK"/blocks/*[0-9] | head -n 1).done" # once more
    as_written Install "helm install"
    check "installed open" "$(of_validating .failurePolicy)" Ignore
    as_written Install "failurePolicy=Fail"
    check_await "then closed" 60 closed
    before=$(of_validating .namespaceSelector)
    as_written Install "jobreeve\\.dev/guard=true"
    check_has "only namespaces that ask for it" "$(of_validating .namespaceSelector)" '"jobreeve.dev/guard":"true"'
    in_words "helm rollback jobreeve --namespace jobreeve-system --wait"
    check "and back" "$(of_validating .namespaceSelector)" "$before"
}

controller_is_up() {
    k rollout status deployment/$RELEASE-controller -n $SYSTEM --timeout=10s
}

test_whose_jobs() {
    NS=team-b
    controllers '*,-job-controller'
    as_written "Whose Jobs the controller runs" "controller.mode=replaceBuiltin"
    check_await "the controller of all Jobs" 120 controller_is_up
    job any "" | k create -n $NS -f - > /dev/null
    outcome any Complete 120 1 "" CompletionsReached
    in_words "helm rollback jobreeve --namespace jobreeve-system --wait"
    controllers '*'
    as_written "Whose Jobs the controller runs" "assignController.enabled=true"
    check_await "a Job of that namespace is assigned" 60 assigned team-a
    job handed "suspend: true," | k create -n team-a -f - > /dev/null
    as_written Upgrade "kubectl get jobs"
    check_has "Jobs of ours that have not ended" "$OUT" team-a/handed
    as_written "Whose Jobs the controller runs" "controller.namespaces="
    check_await "the controller of two namespaces" 120 controller_is_up
    job named "managedBy: jobreeve.dev/controller," | k create -n $NS -f - > /dev/null
    outcome named Complete 120 1 "" CompletionsReached
}

on_host() {
    [ -n "$(k get pods -n $SYSTEM -l app.kubernetes.io/component=webhook -o json |
        jq -r '.items[] | select(.spec.hostNetwork and any(.status.conditions[]?; .type == "Ready" and .status == "True")) | .metadata.name')" ]
}

# There is one node, so one of the two replicas is left where it was.
test_reach() {
    as_written "Where the API server can't reach Pods" "webhook.hostNetwork=true"
    check_await "a replica on the host's network" 120 on_host
    check_await "the webhook guards from there" 60 guarded
    in_words "helm rollback jobreeve --namespace jobreeve-system --wait"
}

test_watched() {
    k apply -f "$ROOT/tests/chart/crds.yaml" > /dev/null
    await 60 "the types of others" k wait --for=condition=Established --timeout=1s -f "$ROOT/tests/chart/crds.yaml"
    await 60 "the API server serving them" k get servicemonitors,prometheusrules -A
    as_written Monitoring "serviceMonitor"
    check "what watches it" "$(k get servicemonitors,prometheusrules -n $SYSTEM -o name | cut -d / -f 1 | sort -u | xargs)" \
        "prometheusrule.monitoring.coreos.com servicemonitor.monitoring.coreos.com"
}

test_rotate() {
    as_written Rotate "kubectl delete secret"
    check_await "there is another one" 60 k get secret $RELEASE-webhook-tls -n $SYSTEM
    as_written Rotate "kubectl logs"
    check_await "the webhook guards meanwhile" 60 guarded # that all is well at the end is t_40's to show
}

test_broken() {
    as_written "When the webhook is broken" "kubectl delete"
    check "nobody is in the way" "$(configurations)" 0
    as_written "When the webhook is broken" "helm upgrade"
    check_await "the webhook guards again" 60 guarded
}

# Where the alerts say kubectl, our namespace is meant.
test_alerts() {
    local WITHIN=$SYSTEM
    export WITHIN
    in_words "kubectl get pods -l app.kubernetes.io/component=webhook"
    in_words "kubectl logs deployment/jobreeve-keeper"
    in_words "kubectl get pods -l app.kubernetes.io/component=controller"
    in_words "kubectl get lease jobreeve-controller -o yaml"
    in_words "kubectl scale deployment jobreeve-controller --replicas=0"
    in_words "kubectl delete secret jobreeve-webhook-tls"
}

test_uninstall_without_a_pod() {
    k create secret generic jobreeve-webhook-certmanager -n $SYSTEM > /dev/null # as cert-manager leaves them
    k create secret generic jobreeve-webhook-ca -n $SYSTEM > /dev/null
    in_words "kubectl delete secret jobreeve-webhook-certmanager jobreeve-webhook-ca --namespace jobreeve-system"
    as_written Uninstall "--no-hooks"
    check "without a Pod: no webhook configuration, no Secret" "$(configurations) $(names secrets -n $SYSTEM)" "0 "
}

test_without_helm() {
    as_written "Without helm install" "helm template"
    check_await "without helm: the webhook guards" 60 guarded
    check "without helm: no hook's Pod" "$(count_names 'pre-delete|-test$' pods -n $SYSTEM)" 0
    k delete clusterrole,clusterrolebinding -l app.kubernetes.io/instance=$RELEASE > /dev/null
}

controllers '*'
removed
fresh_namespace team-a
fresh_namespace team-b
node_ctr images tag --force "localhost/$IMAGE" "registry.example.com/$IMAGE" > /dev/null # the name that the document has
test_install
test_uninstall
test_careful_install
test_whose_jobs
test_reach
test_watched
as_written Logs "kubectl logs"
as_written Upgrade "--reset-then-reuse-values --wait"
test_rotate
test_broken
test_alerts
test_uninstall_without_a_pod
removed
test_without_helm
check "commands that were not tried" "$(for f in "$WORK"/blocks/*[0-9]; do [ -e "$f.done" ] || cat "$f"; done)" ""
removed
k delete namespace team-a team-b --timeout=120s > /dev/null
