#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A real Kubernetes of one node, in network, mount and process namespaces of its own: etcd, kube-apiserver, kube-controller-manager,
# kube-scheduler, containerd, kubelet, kube-proxy. What runs already is kept. Its settings: env.sh; as root, on Debian 12.
# JR_CONTROLLERS: for kube-controller-manager's --controllers (default: all of them).
set -eu -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$CLUSTER/conf.sh"
. "$CLUSTER/daemons.sh"
PACKAGES="containerd runc containernetworking-plugins nftables iptables conntrack iproute2 util-linux openssl gcc libc6-dev jq"

fail() {
    echo "up.sh: $*" >&2
    exit 2
}

failed() {
    local status=$?
    [ "$status" = 0 ] || [ "$status" = 2 ] && return
    log_tails 12 >&2
    echo "up.sh: failed; logs are in $DIR/log, $CLUSTER/down.sh ends what still runs" >&2
}

# ---- what it takes

packages() {
    local p missing=()
    for p in $PACKAGES; do
        dpkg-query -W -f='${Status}' "$p" 2> /dev/null | grep -q 'ok installed' || missing+=("$p")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get > /dev/null || fail "missing ${missing[*]}, and no apt-get to install them with"
    say "installing ${missing[*]}"
    # One at a time, as in ./dev.
    flock /run/lock/jobreeve-apt sh -e -c 'apt-get update -qq -o Acquire::Retries=5
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y -o Acquire::Retries=5 --no-install-recommends "$@"' install "${missing[@]}" \
        > "$DIR/log/apt.log" 2>&1 || {
        tail -n 5 "$DIR/log/apt.log" >&2
        fail "cannot install ${missing[*]}"
    }
}

can_work() {
    local c
    [ "$(id -u)" = 0 ] || fail "needs root: namespaces, mounts, cgroups, containers"
    [ ${#JR_NODE} -le 11 ] || fail "JR_NODE=$JR_NODE is longer than 11 letters, which network interfaces can't have with -h behind"
    packages
    unshare --net --mount --pid --fork true 2> /dev/null ||
        fail "this machine makes no network, mount and process namespaces: 'unshare --net --mount --pid --fork true' fails"
    grep -qw overlay /proc/filesystems || modprobe overlay 2> /dev/null || fail "the kernel has no overlay file system"
    for c in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl; do
        [ -x "$BIN/$c" ] || fail "no $BIN/$c: run tests/e2e/build.sh node first"
    done
    proc_alive node && return
    ! ip link show "$JR_NODE-h" > /dev/null 2>&1 || fail "there is a network interface $JR_NODE-h: another node of that name, of another folder than $DIR"
    [ -z "$(ip -4 route show "$JR_NODE_NET.0.0/16")$(ip -4 route show root "$JR_NODE_NET.0.0/16")" ] ||
        fail "$JR_NODE_NET.0.0/16 is in use on this machine: set JR_NODE_NET to another one"
}

# ---- what is made once

settings() {
    if [ -f "$DIR/env" ]; then
        grep -q JR_NODE "$DIR/env" || fail "$DIR belongs to another cluster"
        return
    fi
    printf 'BIN=%q JR_NODE=%q JR_NODE_NET=%q SERVER=%q\n' "$BIN" "$JR_NODE" "$JR_NODE_NET" "$SERVER" > "$DIR/env"
}

keys() {
    local u
    pki_ca "$PKI" ca
    pki_signer "$PKI" sa
    pki_cert "$PKI" ca apiserver /CN=kube-apiserver serverAuth \
        "IP:$NODE_IP,IP:127.0.0.1,IP:$API_SERVICE_IP,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
    pki_cert "$PKI" ca kubelet-server "/CN=$JR_NODE" serverAuth "IP:$NODE_IP,DNS:$JR_NODE"
    pki_cert "$PKI" ca apiserver-kubelet /O=system:masters/CN=apiserver-kubelet clientAuth
    pki_cert "$PKI" ca admin /O=system:masters/CN=admin clientAuth
    pki_cert "$PKI" ca kcm /CN=system:kube-controller-manager clientAuth
    pki_cert "$PKI" ca scheduler /CN=system:kube-scheduler clientAuth
    pki_cert "$PKI" ca kubelet "/O=system:nodes/CN=system:node:$JR_NODE" clientAuth
    pki_cert "$PKI" ca proxy /CN=system:kube-proxy clientAuth
    pki_kubeconfig "$PKI" ca admin "$SERVER" "$DIR/admin.conf"
    for u in kcm scheduler kubelet proxy; do pki_kubeconfig "$PKI" ca $u "$SERVER" "$PKI/$u.conf"; done
}

configuration() {
    conf_kubelet > "$CONF/kubelet.yaml"
    conf_proxy > "$CONF/proxy.yaml"
    conf_containerd > "$CONF/containerd.toml"
    conf_cni > "$DIR/cni/10-$JR_NODE.conflist"
    conf_audit > "$DIR/audit-policy.yaml"
}

# The node's own images: what holds a Pod's namespaces, and what the Jobs of the tests run.
images() {
    local c
    for c in pause exitwith; do
        [ "$IMAGES/$c.tar" -nt "$CLUSTER/$c.c" ] && continue
        gcc -std=gnu17 -O2 -Wall -Wextra -static -s -o "$IMAGES/$c" "$CLUSTER/$c.c"
        "$CLUSTER/image.sh" "localhost/$c:1" "$IMAGES/$c.tar" "$IMAGES/$c=/$c"
    done
}

# ---- the namespaces

# The kubelet's root cgroup, in each hierarchy of v1 (also the named one, systemd's), or in v2's only one.
cgroups() {
    local c
    if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
        mkdir -p "/sys/fs/cgroup/$JR_NODE"
        for c in cpuset cpu io memory pids; do echo "+$c" > /sys/fs/cgroup/cgroup.subtree_control || true; done 2> /dev/null
        return
    fi
    for c in /sys/fs/cgroup/*/; do
        case $c in */unified/) continue ;; esac
        mkdir -p "$c$JR_NODE"
        [ ! -f "$c$JR_NODE/cpuset.cpus" ] || { cat "${c}cpuset.cpus" > "$c$JR_NODE/cpuset.cpus" && cat "${c}cpuset.mems" > "$c$JR_NODE/cpuset.mems"; }
    done
}

# One process out here; its child is PID 1 in there, and takes everything along when it goes.
namespaces() {
    local outer pid stat
    setsid unshare --net --mount --propagation private --pid --fork --kill-child --mount-proc \
        "$IMAGES/pause" "$JR_NODE" > "$DIR/log/node.log" 2>&1 < /dev/null &
    outer=$!
    # its name is the program's once the mounts are made
    await 120 "the namespaces" holds "$outer"
    pid=$(child_of "$outer") && stat=$(proc_stat "$pid")
    printf '%s %s\n' "$pid" "${stat#* }" > "$DIR/run/node.pid"
}

child_of() {
    local children
    children=$(cat "/proc/$1/task/$1/children") && [ -n "$children" ] && echo "${children%% *}"
}

holds() {
    [ "$(tr '\0' ' ' < "/proc/$(child_of "$1")/cmdline")" = "$IMAGES/pause $JR_NODE " ]
}

network() {
    ip link add "$JR_NODE-h" type veth peer name "$JR_NODE-n" netns "$(proc_pid node)"
    ip addr add "$HOST_IP/30" dev "$JR_NODE-h"
    ip link set "$JR_NODE-h" up
    ip route add "$POD_NET" via "$NODE_IP"
    ip route add "$SERVICE_NET" via "$NODE_IP"
}

# The node's side. The machine's kernel settings, which the kubelet writes, are files in here. No default route: nothing leaves; so
# the Services' net needs a route, else the API server finds it unreachable before kube-proxy's rules are asked.
interior() {
    mkdir -p /var/lib/cni /var/lib/kubelet /var/log/containers
    inside bash -eu -s "$JR_NODE-n" "$NODE_IP" "$STATE" "$SERVICE_NET" << 'I'
mount --make-rshared /
for d in /run /var/lib/cni /var/lib/kubelet /var/log/containers; do mount -t tmpfs tmpfs $d; done
mkdir -p "$3/kernel" /run/lock
for f in vm/overcommit_memory kernel/panic kernel/panic_on_oops; do
    cat "/proc/sys/$f" > "$3/kernel/${f##*/}"
    mount --bind "$3/kernel/${f##*/}" "/proc/sys/$f"
done
ip link set lo up
ip addr add "$2/30" dev "$1"
ip link set "$1" up
ip route add "$4" dev "$1"
sysctl -q -w net.ipv4.ip_forward=1
I
}

# ---- all together

umask 022
mkdir -p "$DIR"
DIR=$(cd "$DIR" && pwd)
settings
mkdir -p "$DIR"/{log,run,pki,conf,cni,images,kubelet,podlogs}
chmod 700 "$PKI"
trap failed EXIT
can_work
keys
configuration
images
if ! proc_alive node; then
    rm -f "$DIR"/run/*.pid
    cgroups
    namespaces
    network
    interior
    say "namespaces; $HOST_IP here, $NODE_IP in there"
fi
start_etcd
start_containerd
start_apiserver
ALIVE="etcd kube-apiserver" await 120 "the API server" api_ready
say "API server ready at $SERVER"
start_kcm "${JR_CONTROLLERS:-*}"
start_scheduler
ALIVE=containerd await 60 "containerd" node_ctr version
"$CLUSTER/load.sh" "$IMAGES"/*.tar > /dev/null
start_kubelet
start_proxy
export ALIVE="kubelet kube-proxy kube-scheduler kube-controller-manager"
await 120 "the node being ready" node_kubectl wait --for=condition=Ready "node/$JR_NODE" --timeout=1s
await 120 "the default service account" node_kubectl get serviceaccount default
say "node $JR_NODE is ready; KUBECONFIG=$DIR/admin.conf"
