#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The controller beside a built-in one: only Jobs that name it in spec.managedBy, with a finalizer of its own.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t30
only_since 1.32 "spec.managedBy is dropped"

managed() { # managed EXAMPLE: the example, handed to our controller
    sed 's/^spec:$/spec:\n  managedBy: jobreeve.dev\/controller/' "$EXAMPLES/$1"
}

tracked() {
    [ "$(k get pods -n $NS -l job-name=long -o jsonpath='{.items[*].metadata.finalizers[*]}' | tr ' ' '\n' | sort -u)" = jobreeve.dev/job-tracking ]
}

fresh_namespace $NS
start_webhook
start_kubelet
start_controller controller-managedby

k create -n $NS -f "$EXAMPLES/pi.yaml" > /dev/null # nobody's: there is no built-in controller here
managed indexed.yaml | sed 's/name: frames$/name: long/; s/duration: 300ms/duration: forever/' | k create -n $NS -f - > /dev/null
check_await "Pods carry our finalizer" 60 tracked
FROM=""
if since 1.34; then FROM=" from t30 namespace"; fi # kubectl says so from then on
check "and go with their Job" "$(k delete job long -n $NS --timeout=60s)" "job.batch \"long\" deleted$FROM"
managed indexed.yaml | k create -n $NS -f - > /dev/null
outcome frames Complete 120 5 "" CompletionsReached
managed failing.yaml | k create -n $NS -f - > /dev/null
outcome flaky Failed 120 "" 2 BackoffLimitExceeded
managed suspended.yaml | k create -n $NS -f - > /dev/null
check_await "nightly is suspended" 60 ended nightly Suspended
k patch -n $NS job/nightly --type merge -p '{"spec":{"suspend":false}}' > /dev/null
outcome nightly Complete 60 2 "" CompletionsReached
check "a Job without managedBy is left alone" "$(field job/pi .status -n $NS)$(pods_of pi)" "{}0"
never_refused controller-managedby
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
webhook_unregister
