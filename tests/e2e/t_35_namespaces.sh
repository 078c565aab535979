#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The controller of some namespaces, with rights in these alone: --namespace, out of a file of settings.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"

for NS in t35-a t35-b t35-other; do
    fresh_namespace $NS
done
start_webhook
start_kubelet
printf 'replace-builtin: true\nnamespace: [t35-a, t35-b]\n' > "$DIR/settings.yaml"
start_controller controller-namespaces --config "$DIR/settings.yaml"

k create -n t35-other -f "$EXAMPLES/pi.yaml" > /dev/null
for NS in t35-a t35-b; do
    k create -n $NS -f "$EXAMPLES/pi.yaml" > /dev/null
done
for NS in t35-a t35-b; do
    outcome pi Complete 60 1 "" CompletionsReached
done
# the one that runs on is seen to in its own namespace, and deleted there
sed 's/duration: 300ms/duration: forever/' "$EXAMPLES/indexed.yaml" | k create -n t35-b -f - > /dev/null
running() {
    [ "$(field job/frames .status.ready -n t35-b)" = "$(field job/frames .spec.parallelism -n t35-b)" ]
}
NS=t35-b
check_await "frames runs" 60 running
k delete job frames -n $NS --timeout=60s > /dev/null
check_await "the Pods of a deleted Job are gone" 60 no_pods_of frames
NS=t35-other
check "a Job of another namespace is left alone" "$(field job/pi .status -n $NS)$(pods_of pi)" "{}0"
M=$(http_get "$METRICS" /metrics)
check "metrics: lists by namespace" "$(metric "$M" 'jobreeve_informer_synced{resource="t35-b/pods"}')" 1
never_refused controller-namespaces
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
webhook_unregister
