#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What strangers cost is paid by threads of their own: those of clients that have sent valid reviews do next to nothing for them. Before,
# all threads served all, and a valid request waited for the handshakes of a flood: 80 to 180 ms at its 99th percentile, on two cores
# without idle time.
. "$(dirname "$0")/lib.sh"

# worker_ticks: the processor time of each thread that serves requests, in clock ticks, the least first
worker_ticks() {
    local t
    for t in /proc/"$(proc_pid webhook)"/task/*; do
        grep -q MHD-worker "$t/comm" && awk '{ print $14 + $15 }' "$t/stat"
    done | sort -n
}

webhook --max-connections=300
valid "$DIR/known" 300 12 --connections=2 --renew=200 & # a new connection is known by the other one
known=$!
hostile "$DIR/foes" "$(port "$WEBHOOK")" 10 --kinds=half-closed,half-closed-headers,oversized,hello --connections=150 --addresses=4 --again=50ms
wait "$known"
mapfile -t TICKS < <(worker_ticks)
check "threads that serve requests" "${#TICKS[@]}" 4
result "there was a flood" "$(tail -n 1 "$DIR/foes")" test "$(figure "$DIR/foes" opened)" -ge 1000
result "valid requests" "$(cat "$DIR/known")" all_right "$DIR/known"
result "two threads served the valid ones" "ticks: ${TICKS[*]}" test $((TICKS[0] + TICKS[1])) -ge 3
result "and paid nothing for the flood" "ticks: ${TICKS[*]}" test $(((TICKS[0] + TICKS[1]) * 3)) -le $((TICKS[2] + TICKS[3]))
