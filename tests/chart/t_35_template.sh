#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: helm template | kubectl apply uninstalled. What helm template prints is applied, hooks and all; the Pods of the hook, whose
# programs run here with their arguments and their rights, remove nothing, since helm has not installed the Deployments. Where it has
# (the annotation that it writes), the same Pods remove all: so they could have.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t35chart
RELEASE=t35
FULL=t35-jobreeve
ACCOUNT=$FULL-pre-delete

hook() { # hook CONTAINER PROGRAM: its exit code is in CODE, what it has said in DIR/log/CONTAINER.log
    local args
    mapfile -t args < <(ask "$DIR/t35.json" "predelete | containers[] | select(.name == \"$1\") | .args[]" | jq -r .)
    CODE=0
    "$JR_BIN/$2" "${args[@]}" --kubeconfig "$DIR/$ACCOUNT.conf" > "$DIR/log/t35-$1.log" 2>&1 || CODE=$?
}
hooks() { # hooks WANTED
    hook remove-webhook jobreeve-webhook
    check "remove-webhook ends with $1" "$CODE" "$1"
    hook decommission-jobs jobreeve-controller
    check "decommission-jobs ends with $1" "$CODE" "$1"
}
there() { # what the hooks would take away, a line for each kind
    k get mutatingwebhookconfiguration,validatingwebhookconfiguration $FULL --ignore-not-found -o name
    k get secret $FULL-webhook-tls -n "$CHART_NS" --ignore-not-found -o name
    k get deployment $FULL-webhook $FULL-controller -n "$CHART_NS" -o json | jq -r '.items[] | "\(.metadata.name) \(.spec.replicas)"'
    k get pod held -n $NS -o json | jq -r '.metadata.finalizers // [] | join(" ")'
}
WHOLE="mutatingwebhookconfiguration.admissionregistration.k8s.io/$FULL
validatingwebhookconfiguration.admissionregistration.k8s.io/$FULL
secret/$FULL-webhook-tls
$FULL-webhook 2
$FULL-controller 2
jobreeve.dev/job-tracking"

prepare
fresh_namespace $NS
# The kubelet that would run the Pods is this test.
render --set webhook.validating.failurePolicy=Ignore > "$DIR/t35.yaml"
objects < "$DIR/t35.yaml" > "$DIR/t35.json"
k apply -f "$DIR/t35.yaml" > "$DIR/log/t35-apply.log" 2>&1
check "kubectl apply has made the Pod of the hook" "$(k get pod $ACCOUNT -n "$CHART_NS" -o name)" "pod/$ACCOUNT"
k create secret generic $FULL-webhook-tls -n "$CHART_NS" > /dev/null
k apply -n $NS -f - > /dev/null << 'Y'
apiVersion: v1
kind: Pod
metadata:
  name: held
  labels: {batch.kubernetes.io/job-name: gone}
  finalizers: [jobreeve.dev/job-tracking]
spec:
  restartPolicy: Never
  containers: [{name: main, image: x}]
Y
account $ACCOUNT
may() { # the authorizer learns of roles by watching
    k auth can-i get "deployments.apps/$FULL-$1" -n "$CHART_NS" --as="system:serviceaccount:$CHART_NS:$ACCOUNT"
}
await 60 "the right of the hook's account" may webhook
await 60 "the right of the hook's account" may controller
check "all is there" "$(there)" "$WHOLE"

hooks 1
check "nothing was removed" "$(there)" "$WHOLE"
for c in remove-webhook decommission-jobs; do
    check_has "$c says why" "$(cat "$DIR/log/t35-$c.log")" "it lacks the annotation meta.helm.sh/release-name"
done

# As helm has it, the same Pods remove all.
k annotate deployment $FULL-webhook $FULL-controller -n "$CHART_NS" meta.helm.sh/release-name=t35 > /dev/null
hooks 0
check "of helm's release all was removed" "$(there)" "$FULL-webhook 0
$FULL-controller 0"
never_refused "$ACCOUNT"

# What is rendered as docs/operations.md says has no hooks.
render --no-hooks | objects > "$DIR/t35.plain.json"
check "--no-hooks leaves out both hooks" "$(jq -c '[.[] | select(.metadata.annotations["helm.sh/hook"])] | length' "$DIR/t35.plain.json")" 0
check "and nothing else" "$(jq -c 'map("\(.kind) \(.metadata.name)") | sort' "$DIR/t35.plain.json")" \
    "$(jq -c 'map(select(.metadata.annotations["helm.sh/hook"] | not) | "\(.kind) \(.metadata.name)") | sort' "$DIR/t35.json")"

# install.yaml of a release: the same objects, for which the API server takes it at one go.
DIGEST=sha256:$(printf a | sha256sum | cut -d ' ' -f 1)
cp -r "$CHART" "$DIR/t35chart"
sed -i '/^image:/,/^[a-z]/ s|^  repository: ""$|  repository: registry.example.com/jobreeve|' "$DIR/t35chart/values.yaml"
"$HERE/../../packaging/install_yaml.sh" "$BIN/helm" "$DIR/t35chart" "$DIGEST" > "$DIR/install.yaml"
objects < "$DIR/install.yaml" > "$DIR/install.json"
check "install.yaml names the image by digest" "$(ask "$DIR/install.json" '[.[] | .spec.template.spec // empty | containers[].image] | unique')" "[\"registry.example.com/jobreeve@$DIGEST\"]"
check "it has the Namespace first" "$(jq -r '.[0] | "\(.kind) \(.metadata.name)"' "$DIR/install.json")" "Namespace jobreeve-system"
check "it has what the chart has" "$(jq -c '.[1:] | map(.kind) | sort' "$DIR/install.json")" "$(jq -c 'map(.kind) | sort' "$DIR/t35.plain.json")"
managed() { jq '[.. | .labels? // empty | select(has("helm.sh/chart") or .["app.kubernetes.io/managed-by"] == "Helm")] | length' "$1"; }
check "nothing in it says that helm manages it" "$(managed "$DIR/install.json")" 0
check_more "as what helm installs does" "$(managed "$DIR/t35.plain.json")" 10
k delete -f "$DIR/t35.yaml" --ignore-not-found --force --grace-period=0 > /dev/null 2>&1
check "kubectl applies all of it at one go" "$(k apply --server-side -f "$DIR/install.yaml" 2>&1 | awk '/ serverside-applied$/ { n++ } END { print n + 0 }')" \
    "$(jq length "$DIR/install.json")"
check "as many objects as it has" "$(k get -f "$DIR/install.yaml" -o name | wc -l)" "$(jq length "$DIR/install.json")"
# Other tests need the Namespace.
jq '{apiVersion: "v1", kind: "List", items: .[1:]}' "$DIR/install.json" | k delete -f - --ignore-not-found --force --grace-period=0 > /dev/null 2>&1
k delete namespace $NS --wait=false > /dev/null
