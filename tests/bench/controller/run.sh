#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench controller: jobreeve-controller --replace-builtin beside kube-controller-manager's Job controller on one
# real kube-apiserver, then with 100,000 Pods in its cache, then with Jobs of 1.1 MB. Says PASS or FAIL for each target and ends accordingly.
#   run.sh [--rounds N] [--sizes "JOBSxPODS..."] [--out FOLDER] [--only compare|cache|jobs]
#       N alternating rounds (5) of each size ("100x10 1000x1 1x5000"); table.txt, table.md and plot.svg go to
#       FOLDER (build/bench/controller)
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
JR_BIN=${JR_BIN:-$ROOT/build/release/bin}
ROUNDS=5 SIZES="100x10 1000x1 1x5000" OUT=$ROOT/build/bench/controller ONLY=""
while [ $# -gt 0 ]; do
    case $1 in
    --rounds) ROUNDS=$2 ;;
    --sizes) SIZES=$2 ;;
    --out) OUT=$2 ;;
    --only) ONLY=$2 ;;
    *) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
    esac
    shift 2
done

DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-bench.XXXXXX")
export DIR
mkdir -p "$DIR/run" "$DIR/log" "$DIR/pki" "$OUT"
. "$ROOT/tests/support/proc.sh"
. "$ROOT/tests/bench/lib.sh"
. "$ROOT/tests/e2e/pki.sh"
. "$HERE/compare.sh"
. "$HERE/cache.sh"
. "$HERE/large.sh"

teardown() {
    local status=$? f
    trap '' INT TERM
    set +e
    [ "$status" = 0 ] || [ "$FAILED" != 0 ] || log_tails 15 >&2
    for f in "$DIR"/run/*.pid; do
        case $f in
        *'*.pid' | */etcd.pid | */kube-apiserver.pid) ;; # cluster.sh ends these, in its order
        *) proc_stop "$(basename "$f" .pid)" ;;
        esac
    done
    [ ! -f "$DIR/env" ] || "$ROOT/tests/e2e/cluster.sh" down "$DIR" > /dev/null
    rm -rf "$DIR"
    exit "$status"
}
trap teardown EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

word() { # word LINE NAME: the word behind NAME
    sed -n "s/.*$2 \([^ ]*\).*/\1/p" <<< "$1"
}

# metrics_of NAME: what our controller of that name serves
metrics_of() {
    local at
    at=$(listener "$1" metrics) && curl -s "http://$at/metrics"
}

# series TEXT SERIES: the value of a whole series name in a metrics text, 0 if it isn't there
series() {
    awk -v s="$2 " 'index($0, s) == 1 { v = $NF } END { print v + 0 }' <<< "$1"
}

case $ONLY in
"") compare && cache && large_jobs ;;
jobs) large_jobs ;;
*) "$ONLY" ;;
esac
[ "$FAILED" = 0 ]
