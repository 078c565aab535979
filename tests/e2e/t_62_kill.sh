#!/bin/bash
# Kill -9 of the controller right before its k-th write, and right after it, for 30 k over the life of Jobs of many kinds; then
# another one takes the Lease and finishes them: they end as they must, and an observer of the whole history finds nothing wrong.
# On the devcluster, since only there a client can be stopped dead at an exact write (/devcluster/hold): before the k-th, which
# is never carried out; after it, which is never answered. t_61 and t_63 kill on the real API server, at moments of their own.
# Ten Jobs take some 80 to 95 writes, so k goes up to 91; a life of fewer ends before its k-th write, which is counted and may be only where
# k is above 75. KILLS: another number of k, at most 90. SEED: another sample.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KILLS=${KILLS:-30} WRITES=90 SURE=75 WORKERS=10
RANDOM=${SEED:-1}
WORK=$DIR/kill
HISTORY=$E2E/../integration/controller/history.jq
JOBS=/apis/batch/v1/namespaces/default/jobs
rm -rf "$WORK"

# ---- a worker: a devcluster of its own in DIR, one trial after the other

dc() { # dc METHOD PATH [CURL-ARGUMENT...]
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
    proc_start devcluster "$JR_BIN/jobreeve-devcluster" --data-dir "$DIR" --log-level warn --history 1000000
    ALIVE=devcluster await 60 "the devcluster" test -s "$DIR/kubeconfig"
    server=$(sed -n 's/^ *server: //p' "$DIR/kubeconfig")
    token=$(sed -n 's/^ *token: //p' "$DIR/kubeconfig")
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
    dc GET /devcluster/hold | jq -e .held
}

# All have ended that aren't suspended after the kill, and there was no k-th write.
held_or_over() {
    local left
    held || { left=$(ends "$1") && [ -z "$(grep -v '^suspended is ' <<< "$left")" ] && ! held; }
}

ends() {
    dc GET "$JOBS" | jq -r --arg trial "$1" -f "$E2E/kill/ends.jq"
}

at_their_ends() {
    local left
    controller_runs
    sleep 0.6
    left=$(ends "$1") && [ -z "$left" ]
}

# A Pod that nobody owns: when the watch has told of it, it has told of all before it.
mark() {
    dc POST /api/v1/namespaces/default/pods -H 'Content-Type: application/json' --data "{\"metadata\": {\"name\": \"$1-end\"},
        \"spec\": {\"containers\": [{\"name\": \"main\", \"image\": \"registry.example/main:1\"}]}}" > /dev/null
}

# The last words of its Jobs have come, too, by their own stream.
observed() {
    grep -q "\"name\":\"$1-end\"" <(whole_lines "$DIR/pods") &&
        dc GET "$JOBS" | jq -r --arg t "$1-" '.items[].metadata | select(.name | startswith($t)) | .resourceVersion' | tells_all "$DIR/jobs"
}

observe() { # observe TRIAL: what is wrong with the histories of its Jobs
    local kind completions parallelism
    grep -hF "\"$1-" <(whole_lines "$DIR/jobs") <(whole_lines "$DIR/pods") > "$DIR/$1"
    while read -r kind completions parallelism; do
        grep -F "\"name\":\"$1-$kind\"" "$DIR/$1" | jq -rs --arg job "$1-$kind" --argjson completions "$completions" \
            --argjson parallelism "$parallelism" --argjson ambiguous 0 -f "$HISTORY" | sed "s/^/$kind: /"
    done << 'K'
plain 6 3
indexed 5 3
perindex null 3
failing null 1
policy null 2
success null 1
queue null 3
resumed 2 2
suspended null 2
deadline null 1
K
}

apply_patch() {
    dc PATCH "$JOBS/$1" -H 'Content-Type: application/merge-patch+json' --data "$2" > /dev/null
}

# trial K before|after
trial() {
    local name=$2-$1 hold
    hold="\"afterWrites\": $1, \"answer\": false"
    [ "$2" = after ] || hold="\"afterWrites\": $(($1 - 1)), \"answer\": true"
    dc PUT /devcluster/hold --data "{\"userAgent\": \"jobreeve-controller\", $hold}" > /dev/null
    jq -Rrs --arg t "$name" 'gsub("TRIAL"; $t) | split("\n---\n")[] | @base64' "$E2E/kill/mixed.yaml" | while read -r job; do
        base64 -d <<< "$job" | dc POST "$JOBS" -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
    done
    apply_patch "$name-resumed" '{"spec":{"suspend":false}}'
    ALIVE=devcluster await 120 "write $1" held_or_over "$name" || return 1
    if held; then
        proc_kill controller 2> /dev/null # bash would tell of it
    elif [ "$1" -gt $SURE ]; then
        touch "$WORK/$2-$1.over"
    else
        echo "only so few writes"
        return 1
    fi
    dc DELETE /devcluster/hold > /dev/null
    apply_patch "$name-suspended" '{"spec":{"suspend":true}}'
    ALIVE=devcluster await 120 "the ends of $name" at_their_ends "$name" || {
        ends "$name"
        return 1
    }
    mark "$name"
    await 60 "the observer" observed "$name" || return 1
    faults=$(observe "$name")
    [ -z "$faults" ] || {
        echo "$faults"
        return 1
    }
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
