#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A storm of Jobs in Namespaces that the watch doesn't know, 200 of them at once, where 64 are read at one time: with a slow API server, and with one that
# never answers. Jobs in Namespaces that are known are answered all the while, and what is refused is told to try again: 503, never "no policy matches".
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
STORM=200

cluster
control
apply gpu '{match: {namespaceSelector: {matchLabels: {pool: "gpu"}}}, limits: {parallelism: {max: 1}}}'
namespace known-gpu '"pool":"gpu"'
for i in $(seq $STORM); do namespace "new-$i" '"pool":"gpu"' hidden; done
webhook
check_await "both policies are in force" 60 in_force 2
review known-gpu "$(job '{"parallelism":2}')" > "$WORK/known.json"
DENIED='denied: policy "gpu": spec.parallelism: is 2, at most 1 allowed'
check "a Namespace that is known" "$(outcome "$WORK/known.json")" "$DENIED"
review new-1 "$(job '{"parallelism":2}')" > "$WORK/one.json"
check "one that isn't is read" "$(outcome "$WORK/one.json")" "$DENIED"
check "by one request" "$(seen '^GET /api/v1/namespaces/new-1$')" 1

# storm NAME: reviews in all of them at once; lines "STATUS ALLOWED CODE", in WORK/NAME; CODE: what the API server tells its client
storm() {
    local i pids=()
    mkdir -p "$WORK/$1.d"
    for i in $(seq $STORM); do
        sed "s/new-1\"/$1-$i\"/g" "$WORK/one.json" > "$WORK/$1.d/$i"
        { printf '%s ' "$(ask "$WORK/$1.d/$i")" && { jq -r '"\(.response.allowed) \(.response.status.code)"' "$WORK/$1.d/$i.answer" 2> /dev/null || echo none; }; } > "$WORK/$1.d/$i.code" &
        pids+=($!)
    done
    STORM_PIDS=${pids[*]}
}
# calm NAME: the storm is over
calm() {
    local pid
    for pid in $STORM_PIDS; do wait "$pid" || true; done
    cat "$WORK/$1.d"/*.code > "$WORK/$1"
    check "$1: all are answered" "$(wc -l < "$WORK/$1")" $STORM
    check "$1: by 200 or 503" "$(grep -vcE '^(200|503) ' "$WORK/$1" || true)" 0
    check "$1: none is allowed" "$(grep -c ' true ' "$WORK/$1" || true)" 0
    check "$1: denied by the policy, or told to try again" "$(grep -vcE '^200 false (422|503)$|^503 none$' "$WORK/$1" || true)" 0
}
# By HTTP/1.1 requests share 16 connections; the others of the 64 wait for one.
being_read() { [ "$(seen "^GET /api/v1/namespaces/$1-[0-9]*\$")" -ge 16 ]; }

for kind in slow dead; do
    for i in $(seq $STORM); do namespace "$kind-$i" '"pool":"gpu"' hidden; done
    if [ $kind = slow ]; then slow "1 ^/api/v1/namespaces/$kind-"; else slow "3600 ^/api/v1/namespaces/$kind-"; fi
    storm $kind
    ALIVE=webhook check_await "$kind: Namespaces are being read" 60 being_read $kind
    for i in 1 2 3 4 5; do check "$kind: a Namespace that is known, $i" "$(outcome "$WORK/known.json")" "$DENIED"; done
    check "$kind: the control" "$(answers_rightly && echo right)" right
    check "$kind: ready" "$(is_ready)" ok
    calm $kind
    check "$kind: no Namespace is asked for twice at a time" "$(for i in $(seq $STORM); do seen "^GET /api/v1/namespaces/$kind-$i\$" && echo; done | awk '$1 > 1' | wc -l)" 0
    unharmed "after a $kind API server"
done
check_more "slow: those that were read are decided" "$(grep -c ' 422$' "$WORK/slow" || true)" 10
check "dead: none is decided" "$(grep -c ' 422$' "$WORK/dead" || true)" 0
slow "0 ^/never"
review dead-7 "$(job '{"parallelism":2}')" > "$WORK/after.json"
check "once it answers, so does the webhook" "$(outcome "$WORK/after.json")" "$DENIED"
review nowhere "$(job '{"parallelism":2}')" > "$WORK/nowhere.json"
check_has "a Namespace that isn't there" "$(outcome "$WORK/nowhere.json")" 'those of "nowhere" are not known yet'

# the whole API server stands still, with connections that it accepts
proc_signal "apiserver-$TEST" STOP
storm stopped
check "stopped: a Namespace that is known" "$(outcome "$WORK/known.json")" "$DENIED"
calm stopped
check "stopped: the control" "$(answers_rightly && echo right)" right
check "stopped: ready" "$(is_ready)" ok
proc_signal "apiserver-$TEST" CONT
apply last '{match: {namespaces: ["elsewhere"]}, limits: {parallelism: {max: 1}}}'
check_await "the watch goes on" 180 in_force 3
unharmed "in the end"
