#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ends the node: its PID 1, and with it each process, mount, interface and rule of its namespaces; then its cgroups.
#   down.sh [--wipe]   --wipe: its folder goes too (keys, data, logs)
set -eu -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# Cgroups can go as soon as the last process in them has been reaped.
cgroups_gone() {
    local c left=0
    for c in "/sys/fs/cgroup/$JR_NODE" /sys/fs/cgroup/*/"$JR_NODE"; do
        [ -d "$c" ] || continue
        find "$c" -depth -type d -exec rmdir {} \; 2> /dev/null || true
        [ ! -d "$c" ] || left=1
    done
    return $left
}

interface_gone() {
    ! ip link show "$JR_NODE-h"
}

if [ -d "$DIR/run" ]; then
    proc_stop node 10
    rm -f "$DIR"/run/*.pid
fi
# it went with the namespace, where that one has been taken down by now
interface_gone > /dev/null 2>&1 || ip link delete "$JR_NODE-h" 2> /dev/null || true
await 120 "the network interface $JR_NODE-h to go" interface_gone
await 120 "the cgroups $JR_NODE to go" cgroups_gone
rmdir /var/lib/cni /var/lib/kubelet /var/log/containers 2> /dev/null || true # mount points, where nobody else has them
if [ "${1:-}" = --wipe ]; then
    rm -rf "${DIR:?}"/{pki,conf,cni,etcd,containerd,kubelet,podlogs,kubectl-cache,images,run,log,env,admin.conf,audit.log,audit-policy.yaml}
    rmdir "$DIR" 2> /dev/null || true # tests may keep more in there
fi
