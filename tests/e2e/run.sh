#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The e2e tests: builds and starts a control plane, runs the t_*.sh in order, ends everything.
#   run.sh [--keep] [--kubernetes X.Y] [NAME...]   NAME: only the tests that have it in their names; --keep: the cluster stays;
#                                                  X.Y: its newest patch that common/schema/releases.h names (default: 1.36.0)
# JR_BIN: the folder with our programs (default: build/release/bin). TMPDIR: where the run's folder is made.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
JR_BIN=${JR_BIN:-$(cd "$HERE/../.." && pwd)/build/release/bin}
export JR_BIN
KEEP="" KUBERNETES=()
while :; do
    case ${1:-} in
    --keep) KEEP=1 ;;
    --kubernetes)
        KUBERNETES=(kubernetes "${2:-}")
        BIN=$("$HERE/build.sh" --where "${KUBERNETES[@]}")
        export BIN
        shift
        ;;
    --*)
        echo "run.sh: $1: expected --keep or --kubernetes X.Y" >&2
        exit 2
        ;;
    *) break ;;
    esac
    shift
done

"$HERE/build.sh" "${KUBERNETES[@]}"
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-e2e.XXXXXX")
export DIR
. "$HERE/../support/proc.sh"
. "$HERE/suite.sh"

# Ours last, where they are seen first.
show_logs() {
    local f ours=()
    for f in "$DIR"/log/*.log; do
        case $f in */etcd.log | */kube-*.log) ;; *) ours+=("$f") ;; esac
    done
    log_tails 8 "$DIR"/log/etcd.log "$DIR"/log/kube-*.log
    [ ${#ours[@]} = 0 ] || log_tails 40 "${ours[@]}"
}

# Whatever happens: processes of the tests first, then the cluster; the logs stay when something failed.
teardown() {
    local f
    [ "$FAILED" = 0 ] || show_logs >&2
    if [ -n "$KEEP" ]; then
        echo "the cluster runs on: eval \"\$($HERE/cluster.sh env $DIR)\"; end it by $HERE/cluster.sh down $DIR"
    else
        for f in "$DIR"/run/*.pid; do
            case $f in
            *'*.pid' | */etcd.pid | */kube-*.pid) ;; # these are the cluster's own
            *) proc_stop "$(basename "$f" .pid)" ;;
            esac
        done
        "$HERE/cluster.sh" down "$DIR"
        if [ "$FAILED" = 0 ]; then
            rm -rf "$DIR"
        else
            rm -rf "$DIR/etcd" "$DIR/pki" "$DIR/run" "$DIR"/*.conf "$DIR/kubectl-cache"
            echo "logs are kept in $DIR/log, the audit log is $DIR/audit.log"
        fi
    fi
}
suite_teardown teardown

# delete_jobs: those that a test leaves, which the controllers of the next one would run before its own
delete_jobs() {
    local namespace namespaces
    namespaces=$(kubectl_admin get jobs --all-namespaces -o 'jsonpath={range .items[*]}{.metadata.namespace}{"\n"}{end}') || return
    for namespace in $(sort -u <<< "$namespaces"); do
        kubectl_admin delete --raw "/apis/batch/v1/namespaces/$namespace/jobs" > /dev/null || return
    done
}
kubectl_admin() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}

"$HERE/cluster.sh" up "$DIR"
. "$DIR/env"
AFTER_EACH=delete_jobs
suite "$HERE" "$@"
