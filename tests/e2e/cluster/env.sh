# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts of this folder: where the node is, its namespaces, and the processes in them.
#   DIR          the folder of keys, settings, data and logs (default: $TMPDIR/jobreeve-cluster)
#   BIN          the folder of the programs (default: where ../build.sh puts them)
#   JR_NODE      name of the node, its network interface and its cgroups, at most 11 letters (default: jrnode)
#   JR_NODE_NET  first half of all its addresses (default: 10.212)
# Another name and net make a second node beside the first.
CLUSTER=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${DIR:=${TMPDIR:-/tmp}/jobreeve-cluster}"
: "${JR_NODE:=jrnode}" "${JR_NODE_NET:=10.212}"
# what up.sh was told holds for all that comes after
# shellcheck source=/dev/null
[ ! -f "$DIR/env" ] || . "$DIR/env"
: "${BIN:=$("$CLUSTER/../build.sh" --where)}"
export DIR BIN JR_NODE JR_NODE_NET
# shellcheck source=../../support/proc.sh
. "$CLUSTER/../../support/proc.sh"
. "$CLUSTER/../pki.sh"

HOST_IP=$JR_NODE_NET.0.1 NODE_IP=$JR_NODE_NET.0.2 POD_NET=$JR_NODE_NET.16.0/24 SERVICE_NET=$JR_NODE_NET.32.0/20
API_SERVICE_IP=$JR_NODE_NET.32.1 DNS_IP=$JR_NODE_NET.32.10
SERVER=https://$NODE_IP:6443
STATE=/run/jobreeve # in the node only, where /run is its own
SOCKET=$STATE/containerd.sock
IMAGES=$DIR/images PKI=$DIR/pki CONF=$DIR/conf

# inside CMD...: in the node's namespaces
inside() {
    local pid
    pid=$(proc_pid node) || {
        echo "the node of $DIR is down" >&2
        return 1
    }
    nsenter -t "$pid" --net --mount --pid -- "$@"
}

# host_pid PID: out here, of the process that is PID in the node
host_pid() {
    local f node pid
    node=$(readlink "/proc/$(proc_pid node)/ns/pid") || return 1
    while IFS= read -r f; do
        pid=${f#/proc/}
        pid=${pid%/status}
        [ "$(readlink "/proc/$pid/ns/pid" 2> /dev/null)" = "$node" ] && echo "$pid" && return
    done < <(grep -lsE "^NSpid:[[:space:]]+[0-9]+[[:space:]]+$1\$" /proc/[0-9]*/status)
    return 1
}

# node_start NAME CMD...: as proc_start, in the node, unless it runs. A child of the node's PID 1: no process out here waits
# for it, so it can be stopped and continued too.
node_start() {
    local name=$1 inner pid stat
    shift
    proc_alive "$name" && return
    touch "$DIR/log/$name.log"
    wc -l < "$DIR/log/$name.log" > "$DIR/run/$name.from"
    # shellcheck disable=SC2016
    inner=$(inside bash -c 'setsid "$@" < /dev/null 1>&2 & echo $!' start "$@" 2>> "$DIR/log/$name.log")
    pid=$(host_pid "$inner") && stat=$(proc_stat "$pid") || pid=0 stat="Z 0" # gone already: recorded as dead
    printf '%s %s\n' "$pid" "${stat#* }" > "$DIR/run/$name.pid"
}

# node_ctr ARGUMENT...: containerd's client, on the images and containers of Kubernetes
node_ctr() {
    inside ctr -a "$SOCKET" -n k8s.io "$@"
}

node_kubectl() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}
