# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by up.sh and by the tests that stop daemons and start them again.

start_etcd() {
    local client=http://127.0.0.1:2379 peer=http://127.0.0.1:2380
    # no fsync: these data need not survive the machine
    node_start etcd "$BIN/etcd" --name=node --data-dir="$DIR/etcd" --unsafe-no-fsync --log-level=warn \
        --listen-client-urls="$client" --advertise-client-urls="$client" --listen-peer-urls="$peer" \
        --initial-advertise-peer-urls="$peer" --initial-cluster="node=$peer"
}

# apiserver NAME PORT ARGUMENT...
apiserver() {
    local name=$1 port=$2
    shift 2
    node_start "$name" "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
        --advertise-address="$NODE_IP" --bind-address=0.0.0.0 --secure-port="$port" \
        --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" --client-ca-file="$PKI/ca.crt" \
        --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-client-certificate="$PKI/apiserver-kubelet.crt" \
        --kubelet-client-key="$PKI/apiserver-kubelet.key" --kubelet-preferred-address-types=InternalIP \
        --service-account-issuer=https://kubernetes.default.svc --service-account-signing-key-file="$PKI/sa.key" \
        --service-account-key-file="$PKI/sa.pub" --service-cluster-ip-range="$SERVICE_NET" \
        --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement \
        --allow-privileged --profiling=false "$@"
}

start_apiserver() {
    apiserver kube-apiserver 6443 --endpoint-reconciler-type=master-count --audit-policy-file="$DIR/audit-policy.yaml" \
        --audit-log-path="$DIR/audit.log" --audit-log-maxsize=1000
}

# A second one that nobody but an observer asks: it goes on while the first is restarted. Without a cache it tells of each change since
# the version asked for, as etcd has kept them.
start_observed() {
    apiserver observed 6444 --endpoint-reconciler-type=none --watch-cache=false
}

# start_kcm CONTROLLERS: for --controllers, like '*,-job-controller'
start_kcm() {
    node_start kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$PKI/kcm.conf" --leader-elect=false \
        --authentication-kubeconfig="$PKI/kcm.conf" --authorization-kubeconfig="$PKI/kcm.conf" --controllers="$1" \
        --service-account-private-key-file="$PKI/sa.key" --root-ca-file="$PKI/ca.crt" --use-service-account-credentials \
        --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" --profiling=false
}

start_scheduler() {
    node_start kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$PKI/scheduler.conf" --leader-elect=false \
        --authentication-kubeconfig="$PKI/scheduler.conf" --authorization-kubeconfig="$PKI/scheduler.conf"
}

# Debian's containerd has to find its own shim first.
start_containerd() {
    PATH=/usr/sbin:/usr/bin:/sbin:/bin node_start containerd /usr/bin/containerd --config "$CONF/containerd.toml"
}

start_kubelet() {
    node_start kubelet "$BIN/kubelet" --config="$CONF/kubelet.yaml" --kubeconfig="$PKI/kubelet.conf" --root-dir="$DIR/kubelet" \
        --cert-dir="$DIR/kubelet/pki" --hostname-override="$JR_NODE" --node-ip="$NODE_IP"
}

start_proxy() {
    node_start kube-proxy "$BIN/kube-proxy" --config="$CONF/proxy.yaml"
}

api_ready() {
    node_kubectl get --raw /readyz
}
