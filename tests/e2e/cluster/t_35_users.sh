#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whose processes ours are: the image's user, since the chart sets none, and any other one that a platform assigns, as OpenShift does. Both read a
# certificate that the kubelet has put into a file.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# users COMPONENT: the uids of the processes of its Pods, each once
users() {
    local pod id pid
    for pod in $(pods_of_ours "$1"); do
        for id in $(field "pod/$pod" '.status.containerStatuses[*].containerID' -n $SYSTEM); do
            pid=$(node_ctr tasks ls | awk -v id="${id#containerd://}" '$1 == id { print $2 }')
            inside stat -c %u "/proc/$pid"
        done
    done | sort -u | xargs
}
are_of() { # are_of USER: all of ours
    [ "$(users webhook) $(users keeper) $(users controller)" = "$1 $1 $1" ]
}

installed --set tls.type=helm
check_await "the webhook guards with a certificate from a file" 60 guarded
check "no Pod names a user" "$(k get pods -n $SYSTEM -o json | jq -c '[.items[].spec | .securityContext, .containers[].securityContext | .runAsUser] | unique')" "[null]"
check_await "all are of the image's user" 60 are_of 65532
release upgrade --reuse-values --set podSecurityContext.runAsUser=1000070000,podSecurityContext.runAsGroup=0,podSecurityContext.fsGroup=1000070000
check_await "all are of the user that is assigned" 60 are_of 1000070000
check_await "the webhook guards then" 60 guarded
nothing_forbidden
uninstall
