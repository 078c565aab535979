#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench instructions: how many instructions the controller executes for a Job and the webhook for a review, in code of their own, as
# valgrind counts them. What else the machine does changes nothing about that, so these are bounds that a benchmark by the clock can't have.
# Says PASS or FAIL for each and ends accordingly.
#   run.sh [NAME...]   those alone: controller, webhook
# What libraries execute is only said: OpenSSL's share depends on how many records the server's answers come in.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
bin=$ROOT/build/release/bin
. "$ROOT/tests/support/scene.sh"
. "$ROOT/tests/bench/lib.sh"

# Per Job of one Pod, and per mutation and validation of a recorded review: a tenth above what was counted when the bound was set.
CONTROLLER_MAX=1155000 WEBHOOK_MAX=370000
JOBS=300 PAIRS=300
REVIEWS=$ROOT/tests/vectors/wire/reviews

# counted PROGRAM: sets COUNTED, the command that runs it under callgrind
counted() {
    COUNTED=(valgrind --tool=callgrind --callgrind-out-file="$DIR/$1.out" "$bin/$1")
}

# ended PROGRAM UNITS WHAT MOST: stops it, and holds what it has executed for each of so many units against the bound
ended() {
    local own all
    proc_stop "$1" 60
    read -r own all < <(awk -v program="$bin/$1" -f "$HERE/own.awk" "$DIR/$1.out")
    [ "$own" -gt 0 ] || { echo "$1: no instruction of its own was counted" >&2 && return 1; }
    result "$1: $((own / $2)) instructions of its own for $3 (at most $4); with all libraries $((all / $2))" [ $((own / $2)) -le "$4" ]
}

count_controller() {
    local line
    devcluster --node ''
    counted jobreeve-controller
    proc_start jobreeve-controller "${COUNTED[@]}" --kubeconfig="$DIR/kubeconfig" --kubernetes-version=1.36.0 --replace-builtin \
        --leader-elect=false --health-probe-bind-address=0 --metrics-bind-address=127.0.0.1:0
    ALIVE=jobreeve-controller await 120 "the caches" logged jobreeve-controller "caches synced"
    line=$("$bin/bench-controller" load --kubeconfig="$DIR/kubeconfig" --namespace=default --jobs="$JOBS" --pods-each=1)
    [[ $line == "load jobs $JOBS pods $JOBS "* ]] || { echo "bench-controller: $line" >&2 && return 1; }
    ended jobreeve-controller "$JOBS" "a Job of one Pod" "$CONTROLLER_MAX"
    proc_stop devcluster
}

count_webhook() {
    mkdir "$DIR/tls"
    self_signed "$DIR/tls/tls" localhost
    free_port
    counted jobreeve-webhook
    start_webhook jobreeve-webhook "$PORT" "${COUNTED[@]}"
    "$bin/bench-webhook" valid --ca="$DIR/tls/tls.crt" --port="$PORT" --mutate="$HERE/../webhook/undefaulted.json" \
        --validate="$REVIEWS/002-validate-CREATE-jobs.json" --connections=1 --rate=20 --duration=$((PAIRS / 10))s > "$DIR/valid"
    grep -q "right $((2 * PAIRS)) wrong 0 " "$DIR/valid" || { cat "$DIR/valid" >&2 && return 1; }
    ended jobreeve-webhook "$PAIRS" "a mutation and a validation" "$WEBHOOK_MAX"
}

[ $# -gt 0 ] || set -- controller webhook
for part in "$@"; do
    case $part in controller | webhook) ;; *) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;; esac
done
scene instructions
for part in "$@"; do "count_$part"; done
[ "$FAILED" = 0 ]
