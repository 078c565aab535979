#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is done once, on a real API server and under the least rights: the webhook's own certificates, handing a namespace over, the
# self-test, and an uninstall: remove with a Deployment, decommission with Pods that have the finalizer.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t15
only_since 1.32 "spec.managedBy is dropped, so that no Job can be assigned"

configuration() { # configuration Mutating|Validating ENTRY...: NAME=PATH each
    local kind=$1 e
    shift
    {
        printf 'apiVersion: admissionregistration.k8s.io/v1\nkind: %sWebhookConfiguration\nmetadata: {name: jobreeve}\nwebhooks:\n' "$kind"
        for e in "$@"; do
            cat << Y
- name: ${e%%=*}
  clientConfig: {url: "https://$(listener own webhook)${e#*=}"}
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE, UPDATE], scope: Namespaced}]
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $NS}}
Y
        done
    } | k apply -f - > /dev/null
}

job() { # job NAME [ARGS...]: what kubectl says
    k create job "$1" --image=busybox:1.36 -n $NS "${@:2}" 2>&1
}
trusted() { job probe --dry-run=server; }
one_shot() { # one_shot NAME WANTED PROGRAM FLAG...: its exit code is WANTED; what it says is in OUT
    local code=0
    OUT=$("$JR_BIN/$3" "${@:4}" 2>&1) || code=$?
    if [ $code = "$2" ]; then passed "$1"; else failed "$1" "$code: $(tail -n 3 <<< "$OUT")" "$2"; fi
}
deployment() { # two Pods that nobody runs
    k create deployment hook --image=registry.invalid/hook:1 --replicas=2 -n jobreeve-system > /dev/null
    await 60 "the Pods of the deployment" pods_there
}
pods_there() { [ "$(k get pods -n jobreeve-system -l app=hook -o name | wc -l)" = 2 ]; }
running() { [ "$(k get pods -n $NS --field-selector=status.phase=Running -o name | wc -l)" = "$1" ]; }
succeeded() { [ "$(k get pods -n $NS --field-selector=status.phase=Succeeded -o name | wc -l)" = "$1" ]; }

fresh_namespace $NS
k create namespace jobreeve-system --dry-run=client -o yaml | k apply -f - > /dev/null
k delete secret own -n jobreeve-system --ignore-not-found > /dev/null
k delete deployment hook -n jobreeve-system --ignore-not-found > /dev/null
user webhook-own "$E2E/rbac/webhook-own.yaml"
user keeper "$E2E/rbac/keeper.yaml"
user self-test "$E2E/rbac/self-test.yaml"
user uninstall "$E2E/rbac/uninstall.yaml"

spawn own "$JR_BIN/jobreeve-webhook" --kubeconfig "$DIR/webhook-own.conf" --tls-secret own --tls-secret-namespace jobreeve-system \
    --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 --tls-poll-interval 500ms
spawn keeper "$JR_BIN/jobreeve-webhook" --keeper --kubeconfig "$DIR/keeper.conf" --tls-secret own --tls-secret-namespace jobreeve-system \
    --tls-names 127.0.0.1 --health-probe-bind-address 0 --metrics-bind-address 0 --tls-poll-interval 500ms
for l in webhook health metrics; do ALIVE="own keeper" await 60 "the webhook's $l listener" listener own $l; done
self_test=(self-test --kubeconfig "$DIR/self-test.conf" --namespace "$NS" --readyz-url "http://$(listener own health)/readyz"
    --metrics-url "http://$(listener own metrics)/metrics")
one_shot "self-test before an install" 1 jobreeve-webhook "${self_test[@]}" --timeout 10s
check_has "self-test before an install, in words" "$OUT" "the API server asks mutate.job.jobreeve.dev: it has admitted"

configuration Mutating mutate.job.jobreeve.dev=/mutate-batch-v1-job assign-controller.jobreeve.dev=/assign-controller-batch-v1-job
configuration Validating validate.job.jobreeve.dev=/validate-batch-v1-job
ALIVE=own check_await "the API server trusts certificates of our own" 60 trusted
one_shot "self-test of an installed webhook" 0 jobreeve-webhook "${self_test[@]}"
check "and no Job was made" "$(names jobs -n $NS)" ""

start_kubelet
start_controller controller-managedby
check "a Job that names nobody" "$(job quick)" "job.batch/quick created"
check "is assigned" "$(field job/quick .spec.managedBy -n $NS)" jobreeve.dev/controller
k apply -n $NS -f - > /dev/null << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: long}
spec:
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: forever}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: short}
spec:
  completions: 2
  parallelism: 2
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: forever}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}
Y
check_await "its Job ends" 60 ended quick Complete
check_await "others run" 60 running 3
proc_kill controller 2> /dev/null
end_pods job-name=short
check_await "two end with nobody there" 60 succeeded 3
check "uncounted" "$(field_or_no_answer job/short .status.succeeded -n $NS)" ""

proc_stop own # the Deployment's Pods are stand-ins
proc_stop keeper # it would make the Secret anew
deployment
one_shot "remove" 0 jobreeve-webhook remove --kubeconfig "$DIR/uninstall.conf" --deployment hook --tls-secret own \
    --namespace jobreeve-system
check "no configuration is left, no Secret" \
    "$(names mutatingwebhookconfiguration,validatingwebhookconfiguration jobreeve)$(names secret own -n jobreeve-system)" ""
check "nor a Pod of the deployment that runs" \
    "$(names pods -n jobreeve-system -l app=hook --field-selector='status.phase!=Failed,status.phase!=Succeeded')" ""
k scale deployment hook -n jobreeve-system --replicas=2 > /dev/null
await 60 "the Pods of the deployment" pods_there
one_shot "decommission" 0 jobreeve-controller decommission --kubeconfig "$DIR/uninstall.conf" --leader-elect-resource-namespace jobreeve-system \
    --deployment hook --deployment-namespace jobreeve-system
check "what has ended is counted" "$(field job/short .status.succeeded -n $NS) $(field job/short '.status.conditions[?(@.type=="Complete")].status' -n $NS)" "2 True"
check "what runs runs on" "$(field job/long .status.active -n $NS)" 1
check "no Pod has the finalizer" "$(k get pods -n $NS -o json | jq '[.items[] | select(any(.metadata.finalizers[]?; . == "jobreeve.dev/job-tracking"))] | length')" 0
check "a Job can be made right after" "$(job after)" "job.batch/after created"
one_shot "both again: remove" 0 jobreeve-webhook remove --kubeconfig "$DIR/uninstall.conf" --deployment hook --tls-secret own \
    --namespace jobreeve-system
one_shot "both again: decommission" 0 jobreeve-controller decommission --kubeconfig "$DIR/uninstall.conf" --leader-elect-resource-namespace jobreeve-system \
    --deployment hook --deployment-namespace jobreeve-system
k delete jobs --all -n $NS --timeout=60s > /dev/null
check "Jobs can be deleted, and their Pods go" "$(names jobs -n $NS)" ""
never_refused uninstall
never_refused webhook-own
never_refused keeper
k delete deployment hook -n jobreeve-system > /dev/null
