#!/bin/bash
# The e2e tests: builds and starts a control plane, runs the t_*.sh in order, ends everything.
#   run.sh [--keep] [NAME...]   NAME: only the tests that have it in their names; --keep: the cluster stays
# JR_BIN: the folder with our programs (default: build/release/bin). TMPDIR: where the run's folder is made.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
JR_BIN=${JR_BIN:-$(cd "$HERE/../.." && pwd)/build/release/bin}
export JR_BIN
KEEP=""
if [ "${1:-}" = --keep ]; then
    KEEP=1
    shift
fi

"$HERE/build.sh"
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-e2e.XXXXXX")
export DIR
. "$HERE/../support/proc.sh"
PASSED=0 FAILED=0 CURRENT=""

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
    local status=$? f
    trap '' INT TERM
    set +e
    [ -z "$CURRENT" ] || { kill "$CURRENT" 2> /dev/null && wait "$CURRENT" 2> /dev/null; }
    [ "$FAILED" != 0 ] || [ "$status" = 0 ] || FAILED=1
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
    echo "$PASSED passed, $FAILED failed"
    [ "$FAILED" = 0 ]
    exit $?
}
trap teardown EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

wanted() {
    local n
    [ $# -gt 1 ] || return 0
    for n in "${@:2}"; do
        case $1 in *"$n"*) return 0 ;; esac
    done
    return 1
}

"$HERE/cluster.sh" up "$DIR"
for t in "$HERE"/t_*.sh; do
    name=$(basename "$t" .sh)
    wanted "$name" "$@" || continue
    start=$(now_ms)
    echo "== $name"
    # in the background, so that a signal reaches this script at once and not when the test ends
    bash "$t" &
    CURRENT=$!
    status=0
    wait "$CURRENT" || status=$?
    CURRENT=""
    p=0 f=0
    read -r p f 2> /dev/null < "$DIR/$name.result" || true
    [ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1 # it could not even report
    PASSED=$((PASSED + p)) FAILED=$((FAILED + f))
    echo "== $name: $(($(now_ms) - start)) ms"
done
[ $((PASSED + FAILED)) -gt 0 ] || {
    echo "run.sh: no test of that name" >&2
    exit 2
}
