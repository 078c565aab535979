#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The controller in the place of the built-in one (--replace-builtin), under the least rights that it needs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t20

apply() {
    k apply -n $NS -f "$EXAMPLES/$1" > /dev/null
}

orphan() {
    cat << 'Y'
apiVersion: v1
kind: Pod
metadata:
  name: orphan
  labels: {app: orphaned}
  annotations: {kubelet.jobreeve.dev/duration: forever}
spec:
  restartPolicy: Never
  containers: [{name: main, image: "busybox:1.36"}]
Y
}

# adopts: a Job with the selector of a Pod that is there already
adopter() {
    cat << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: adopter}
spec:
  manualSelector: true
  selector: {matchLabels: {app: orphaned}}
  template:
    metadata: {labels: {app: orphaned}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1.36"}]
Y
}

adopted() {
    [ "$(field pod/orphan '.metadata.ownerReferences[?(@.controller==true)].name' -n $NS)" = adopter ]
}

fresh_namespace $NS
start_webhook
start_kubelet
start_controller controller-replace --replace-builtin --debug-jobs

apply pi.yaml
outcome pi Complete 60 1 "" CompletionsReached
check "pi: Pods" "$(pods_of pi)" 1
check_events pi "Completed SuccessfulCreate"
check "pi: FailureTarget or SuccessCriteriaMet first" \
    "$(field job/pi '.status.conditions[*].type' -n $NS)" "SuccessCriteriaMet Complete"

apply indexed.yaml
outcome frames Complete 60 5 "" CompletionsReached
check "frames: completed indexes" "$(field job/frames .status.completedIndexes -n $NS)" 0-4
check "frames: hostnames" "$(k get pods -n $NS -l job-name=frames -o jsonpath='{range .items[*]}{.spec.hostname}{"\n"}{end}' |
    sort | paste -sd ' ')" "frames-0 frames-1 frames-2 frames-3 frames-4"

OUT=$(k create -n $NS -f "$EXAMPLES/generate-name.yaml" -o name)
outcome "${OUT#job.batch/}" Complete 60 1 "" CompletionsReached

apply failing.yaml
outcome flaky Failed 120 "" 2 BackoffLimitExceeded
check_events flaky "BackoffLimitExceeded SuccessfulCreate"

apply suspended.yaml
check_await "nightly is suspended" 60 ended nightly Suspended
check "nightly: Pods while suspended" "$(pods_of nightly)" 0
# Somebody else writes the status: once in all of this test, when nothing of ours is under way.
at_rest() {
    http_get "$HEALTH" "/debug/jobs?key=$NS/nightly" | jq -e '.why == ["The Job is suspended, and no queue stands behind it. It goes on when spec.suspend is set to false."]'
}
check_await "nightly: the controller has no more to do" 60 at_rest
k patch -n $NS job/nightly --subresource=status --type merge -p '{"status":{"active":1}}' > /dev/null
told() {
    grep -q '"msg":"another writes the status of a job that is ours".*"name":"nightly","kind":"Job","writes":1,"manager":"kubectl-patch"' "$DIR/log/controller.log"
}
check_await "another's write is told" 60 told
k patch -n $NS job/nightly --type merge -p '{"spec":{"suspend":false}}' > /dev/null
outcome nightly Complete 60 2 "" CompletionsReached
check_events nightly "Completed Resumed SuccessfulCreate Suspended"

refused "a bad Job is refused" k apply -n $NS -f "$EXAMPLES/bad.yaml"
for f in spec.parallelism spec.completions spec.backoffLimit spec.activeDeadlineSeconds spec.completionMode \
    spec.template.spec.restartPolicy spec.selector; do
    check_has "bad: names $f" "$OUT" "$f: "
done

orphan | k create -n $NS -f - > /dev/null
adopter | k create -n $NS -f - > /dev/null
check_await "the orphan is adopted" 60 adopted
orphan_runs() { [ "$(field pod/orphan .status.phase -n $NS)" = Running ]; }
check_await "the orphan runs" 60 orphan_runs
check "the orphan is tracked" "$(field pod/orphan '.metadata.finalizers' -n $NS)" '["batch.kubernetes.io/job-tracking"]'
end_pods app=orphaned
check_await "adopter ends Complete" 120 ended adopter Complete
check "adopter: counted once" "$(field job/adopter .status.succeeded -n $NS)" 1
check "adopter: no Pod beside the orphan" "$(k get pods -n $NS -l app=orphaned --no-headers -o name)" pod/orphan

# a Job that another controller owns is not touched
FOREIGN=""
if since 1.32; then
    FOREIGN=1
    sed 's/^  name: pi$/  name: foreign/; s/^spec:$/spec:\n  managedBy: example.com\/other/' "$EXAMPLES/pi.yaml" | k create -n $NS -f - > /dev/null
else
    skipped "a Job of another controller" "Kubernetes is $KUBE: spec.managedBy is dropped"
fi
# deletion: Pods go, finalizers and all
k delete job frames -n $NS --timeout=60s > /dev/null
check_await "the Pods of a deleted Job are gone" 60 no_pods_of frames
[ -z "$FOREIGN" ] || check "foreign: no status" "$(field job/foreign .status -n $NS)" "{}"

M=$(http_get "$METRICS" /metrics)
check_more "metrics: Jobs finished" "$(metric "$M" 'job_controller_jobs_finished_total{')" 4
check_more "metrics: syncs" "$(metric "$M" 'job_controller_job_syncs_total{')" 10
foreign() {
    [ "$(metric "$(http_get "$METRICS" /metrics)" 'job_controller_jobs_by_external_controller_total{controller_name="example.com/other"}')" = 1 ]
}
[ -z "$FOREIGN" ] || check_await "metrics: foreign Jobs" 60 foreign
check "metrics: the status was another's work once" "$(metric "$M" jobreeve_job_status_foreign_writes_total)" 1
never_refused controller-replace
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
check "the Lease is released" "$(field_or_no_answer lease/jobreeve-controller .spec.holderIdentity -n jobreeve-system)" ""
webhook_unregister
