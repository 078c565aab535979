#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kill -9 of the controller right before its k-th write, and right after it, for 30 k over the life of Jobs of many kinds; then
# another one takes the Lease and finishes them: they end as they must, and an observer of the whole history finds nothing wrong.
# On the devcluster, since only there a client can be stopped dead at an exact write (/devcluster/hold): before the k-th, which
# is never carried out; after it, which is never answered. t_61 and t_63 kill on the real API server, at moments of their own.
# Ten Jobs take some 80 to 95 writes, so k goes up to 91; a life of fewer ends before its k-th write, which is counted and may be only where
# k is above 75. KILLS: another number of k, at most 90. SEED: another sample.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/kill/trial.sh"
KILLS=${KILLS:-30} WRITES=90 SURE=75 WORKERS=10
RANDOM=${SEED:-1}
WORK=$DIR/kill
NS=default
rm -rf "$WORK"

# ---- a worker: a devcluster of its own in DIR, one trial after the other

ask() { # ask METHOD PATH [CURL-ARGUMENT...]
    local method=$1 path=$2
    shift 2
    curl -sS --fail-with-body --max-time 60 --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -X "$method" "$server$path" "$@"
}

watch_all() { # watch_all NAME PATH: from the beginning, into a file. Begins before this returns: what was before would be told as it is then.
    proc_start "watch-$1" curl -sSN --no-progress-meter --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -o "$DIR/$1" -D "$DIR/$1.head" \
        "$server$2?watch=1&resourceVersion=0&timeoutSeconds=3600"
    ALIVE="devcluster watch-$1" await 60 "the watch of $1" test -s "$DIR/$1.head"
}

start_devcluster() {
    mkdir -p "$DIR/log" "$DIR/run"
    proc_start_writing "$DIR/kubeconfig" devcluster "$JR_BIN/jobreeve-devcluster" --kubernetes-version "$KUBE" --data-dir "$DIR" --log-level warn \
        --history 1000000
    server=$(sed -n 's/^ *server: //p' "$DIR/kubeconfig")
    token=$(sed -n 's/^ *token: //p' "$DIR/kubeconfig")
    WATCHED=$DIR
    touch "$DIR/jobs" "$DIR/pods"
    watch_all jobs /apis/batch/v1/jobs
    watch_all pods /api/v1/pods
}

# A leader that the machine kept from renewing its Lease has ended; then there is another one.
controller_runs() {
    proc_alive controller && return
    proc_stop controller
    proc_start controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin \
        --leader-elect-lease-duration 2s --leader-elect-renew-deadline 1500ms --leader-elect-retry-period 300ms \
        --leader-elect-resource-namespace default --health-probe-bind-address 0 --metrics-bind-address 0
}

held() {
    controller_runs
    sleep 0.2 # asking costs more than what is asked for
    ask GET /devcluster/hold | jq -e .held
}

# All have ended that aren't suspended after the kill, and there was no k-th write.
held_or_over() {
    held || { trial_over "$1" && ! held; }
}

at_their_ends() {
    local left
    controller_runs
    sleep 0.6
    left=$(ends "$1") && [ -z "$left" ]
}

# trial K before|after
trial() {
    local name=$2-$1 hold
    hold="\"afterWrites\": $1, \"answer\": false"
    [ "$2" = after ] || hold="\"afterWrites\": $(($1 - 1)), \"answer\": true"
    ask PUT /devcluster/hold --data "{\"userAgent\": \"jobreeve-controller\", $hold}" > /dev/null
    trial_begins "$name"
    ALIVE=devcluster await 120 "write $1" held_or_over "$name" || return 1
    if held; then
        proc_kill controller 2> /dev/null # bash would tell of it
    elif [ "$1" -gt $SURE ]; then
        touch "$WORK/$2-$1.over"
    else
        echo "only so few writes"
        return 1
    fi
    ask DELETE /devcluster/hold > /dev/null
    trial_patch "$name-suspended" '{"spec":{"suspend":true}}'
    ALIVE=devcluster await 120 "the ends of $name" at_their_ends "$name" || {
        ends "$name"
        return 1
    }
    seen_right "$name" "$DIR/$name"
}

# worker N: every WORKERS-th of the trials
worker() {
    local k side n=0 server token f
    trap - ERR
    trap 'for f in "$DIR"/run/*.pid; do [ ! -e "$f" ] || proc_stop "$(basename "$f" .pid)" 5; done' EXIT
    DIR=$WORK/worker-$1
    mkdir -p "$DIR"
    start_devcluster
    while read -r k side; do
        n=$((n + 1))
        [ $((n % WORKERS)) = "$1" ] || continue
        if trial "$k" "$side" > "$DIR/$side-$k.log" 2>&1; then echo ok; else echo FAIL; fi > "$WORK/$side-$k.result"
    done < "$WORK/trials"
}

mkdir -p "$WORK"
for ((i = 0; i < KILLS; i++)); do
    k=$((2 + i * (WRITES / KILLS) + RANDOM % (WRITES / KILLS)))
    printf '%s\n' "$k before" "$k after"
done > "$WORK/trials"
workers=()
for ((w = 0; w < WORKERS; w++)); do
    worker $w &
    workers+=($!)
done
wait "${workers[@]}" || true
n=0
while read -r k side; do
    if [ "$(cat "$WORK/$side-$k.result" 2> /dev/null)" = ok ]; then
        n=$((n + 1))
    else
        failed "killed right $side write $k" "$(tail -n 8 "$WORK"/worker-*/"$side-$k.log")" "nothing wrong"
    fi
done < "$WORK/trials"
check "kills with nothing wrong" "$n" $((2 * KILLS))
over=$(find "$WORK" -maxdepth 1 -name '*.over' | wc -l)
late=$(awk -v sure=$SURE '$1 > sure' "$WORK/trials" | wc -l)
check_more "kills above write $SURE" "$((late - over))" 0
echo "$over of $late lives had fewer writes than their k"
echo "k: $(cut -d ' ' -f 1 "$WORK/trials" | sort -nu | paste -sd ' ')"
