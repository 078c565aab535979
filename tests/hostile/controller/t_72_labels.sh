#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quick
# Finding: the mutating webhook takes the uid labels off a Job. An API server copies template labels that a patch has added into metadata.labels,
# and generates its own afterwards: where the webhook adds the two labels of the name, the two of the uid are never in metadata.labels. Seen to
# fail on 23e780d2: two labels.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=labels

unregistered() {
    local status=$?
    set +e
    webhook_unregister
    k delete namespace $NS --wait=false > /dev/null
    return $status
}

trap 'unregistered; finish' EXIT
fresh_namespace $NS
start_webhook
k create job x --image=busybox -n $NS > /dev/null
check "all four generated labels" "$(k get job x -n $NS -o json | jq -c '.metadata.uid as $uid | .metadata.labels | map_values(if . == $uid then "the uid" else . end)')" \
    '{"batch.kubernetes.io/controller-uid":"the uid","batch.kubernetes.io/job-name":"x","controller-uid":"the uid","job-name":"x"}'
check "by such a label it is found" "$(k get jobs -n $NS -l "controller-uid=$(field job/x .metadata.uid -n $NS)" -o name)" job.batch/x
check_more "the webhook was asked" "$(webhook_calls mutate.jobs.jobreeve.dev)" 0
