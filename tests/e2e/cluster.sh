#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A control plane on loopback for the e2e tests: etcd, kube-apiserver and kube-controller-manager without its Job and TTL
# controllers; no node, no scheduler.
#   cluster.sh up DIR     starts what does not run; keys, kubeconfig (DIR/admin.conf), logs and ports (DIR/env) go to DIR
#   cluster.sh down DIR   ends all processes recorded in DIR/run, DIR stays
#   cluster.sh env DIR    prints the shell lines that point kubectl at it
#   cluster.sh beside DIR NAME PORT  starts one more API server, of that process name, on the same etcd
# BIN: the folder with the programs (default: where build.sh puts them).
# JR_E2E_CONTROLLERS: for kube-controller-manager's --controllers. JR_E2E_GATES: --feature-gates of both. JR_E2E_APIS: --runtime-config.
# JR_E2E_EMULATED: --emulated-version of both.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$HERE/../support/proc.sh"
. "$HERE/pki.sh"

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

settings() {
    if [ ! -f "$DIR/env" ]; then
        local etcd peer api
        free_port && etcd=$PORT
        free_port && peer=$PORT
        free_port && api=$PORT
        {
            printf 'BIN=%q\n' "${BIN:-$("$HERE/build.sh" --where)}"
            printf 'ETCD_PORT=%s\nPEER_PORT=%s\nAPI_PORT=%s\n' "$etcd" "$peer" "$api"
            printf 'SERVER=https://127.0.0.1:%s\n' "$api"
        } > "$DIR/env.new"
        mv "$DIR/env.new" "$DIR/env"
    fi
    . "$DIR/env"
}

keys() {
    mkdir -p "$PKI"
    pki_ca "$PKI" ca
    pki_cert "$PKI" ca apiserver /CN=kube-apiserver serverAuth \
        "IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
    pki_cert "$PKI" ca admin /O=system:masters/CN=admin clientAuth
    pki_cert "$PKI" ca kcm /CN=system:kube-controller-manager clientAuth
    pki_signer "$PKI" sa
    pki_kubeconfig "$PKI" ca admin "$SERVER" "$DIR/admin.conf"
    pki_kubeconfig "$PKI" ca kcm "$SERVER" "$PKI/kcm.conf"
}

# What the API server does for itself is left out: the tests read this log for what others asked of it.
audit_policy() {
    cat > "$DIR/audit-policy.yaml" <<'Y'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:apiserver"]
- level: None
  nonResourceURLs: ["/readyz*", "/livez*", "/healthz*", "/metrics", "/openapi/*", "/api", "/apis", "/api/*", "/apis/*", "/version"]
- level: Request # until when did who hold it
  resources: [{group: coordination.k8s.io, resources: [leases]}]
  namespaces: [jobreeve-system]
- level: Metadata
Y
}

start_etcd() {
    proc_alive etcd && return
    local client=http://127.0.0.1:$ETCD_PORT peer=http://127.0.0.1:$PEER_PORT
    # no fsync: these data need not survive the machine
    proc_start etcd "$BIN/etcd" --name=e2e --data-dir="$DIR/etcd" --unsafe-no-fsync --log-level=warn \
        --listen-client-urls="$client" --advertise-client-urls="$client" --listen-peer-urls="$peer" \
        --initial-advertise-peer-urls="$peer" --initial-cluster="e2e=$peer"
}

# start_apiserver NAME PORT AUDIT-LOG
start_apiserver() {
    proc_alive "$1" && return
    audit_policy
    # OwnerReferencesPermissionEnforcement is not among the defaults, yet many clusters have it: without it a
    # missing right on jobs/finalizers would not show
    proc_start "$1" "$BIN/kube-apiserver" --etcd-servers="http://127.0.0.1:$ETCD_PORT" \
        --bind-address=127.0.0.1 --secure-port="$2" --advertise-address=127.0.0.1 --endpoint-reconciler-type=none \
        --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" --client-ca-file="$PKI/ca.crt" \
        --service-account-issuer=https://kubernetes.default.svc --service-account-signing-key-file="$PKI/sa.key" \
        --service-account-key-file="$PKI/sa.pub" --service-cluster-ip-range=10.0.0.0/24 \
        --authorization-mode=RBAC --enable-admission-plugins=OwnerReferencesPermissionEnforcement \
        --allow-privileged --profiling=false --feature-gates="${JR_E2E_GATES:-}" --runtime-config="${JR_E2E_APIS:-}" \
        ${JR_E2E_EMULATED:+--emulated-version="$JR_E2E_EMULATED"} \
        --audit-policy-file="$DIR/audit-policy.yaml" --audit-log-path="$3" --audit-log-maxsize=1000
}

start_kcm() {
    proc_alive kube-controller-manager && return
    proc_start kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$PKI/kcm.conf" --secure-port=0 \
        --leader-elect=false --controllers="${JR_E2E_CONTROLLERS:-*,-job-controller,-ttl-after-finished-controller}" --use-service-account-credentials \
        --service-account-private-key-file="$PKI/sa.key" --root-ca-file="$PKI/ca.crt" --profiling=false --feature-gates="${JR_E2E_GATES:-}" \
        ${JR_E2E_EMULATED:+--emulated-version="$JR_E2E_EMULATED"}
}

kubectl() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}

failed() {
    local status=$?
    [ "$status" = 0 ] && return
    echo "cluster.sh: failed" >&2
    log_tails 25 >&2
    echo "cluster.sh: logs are in $DIR/log; '$0 down $DIR' ends what still runs" >&2
}

up() {
    mkdir -p "$DIR/log" "$DIR/run"
    chmod 700 "$DIR" # keys in it
    trap failed EXIT
    for c in openssl base64 setsid; do
        command -v $c > /dev/null || {
            echo "cluster.sh: needs $c" >&2
            exit 1
        }
    done
    settings
    for c in etcd kube-apiserver kube-controller-manager kubectl; do
        [ -x "$BIN/$c" ] || {
            echo "cluster.sh: no $BIN/$c: run build.sh first" >&2
            exit 1
        }
    done
    PKI=$DIR/pki
    keys
    say "keys and kubeconfigs in $DIR"
    start_etcd
    start_apiserver kube-apiserver "$API_PORT" "$DIR/audit.log"
    say "etcd on 127.0.0.1:$ETCD_PORT, kube-apiserver on 127.0.0.1:$API_PORT"
    ALIVE="etcd kube-apiserver" await 120 "the API server" kubectl get --raw /readyz
    say "API server ready: $(kubectl version -o json | sed -n 's/.*"gitVersion": "\(.*\)".*/\1/p' | tail -n 1)"
    start_kcm
    ALIVE="kube-apiserver kube-controller-manager" await 120 "the controllers" kubectl get serviceaccount default
    say "controllers run (without those of Jobs and their TTL); KUBECONFIG=$DIR/admin.conf"
}

# One with other gates, say, while the first one runs. The caller ends it.
beside() {
    local ready="https://127.0.0.1:$2/readyz"
    settings
    PKI=$DIR/pki
    start_apiserver "$1" "$2" "$DIR/audit-$1.log"
    ALIVE="etcd $1" await 120 "the other API server" curl -sSf --max-time 10 --cacert "$PKI/ca.crt" --cert "$PKI/admin.crt" --key "$PKI/admin.key" "$ready"
}

down() {
    local n
    for n in kube-controller-manager kube-apiserver etcd; do
        [ -f "$DIR/run/$n.pid" ] || continue
        proc_stop "$n"
        say "$n ended"
    done
}

[ $# = 2 ] || [ "$#:${1:-}" = 4:beside ] || usage
mkdir -p "$2"
DIR=$(cd "$2" && pwd)
case $1 in
up) up ;;
down) down ;;
beside) beside "$3" "$4" ;;
env)
    . "$DIR/env"
    # shellcheck disable=SC2016
    printf 'export DIR=%q KUBECONFIG=%q BIN=%q PATH=%q:$PATH\n' "$DIR" "$DIR/admin.conf" "$BIN" "$BIN"
    ;;
*) usage ;;
esac
