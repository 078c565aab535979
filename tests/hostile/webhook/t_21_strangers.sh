#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What strangers cost is paid by threads of their own: those of clients that have sent valid reviews do next to nothing for them. Before,
# all threads served all, and a valid request waited for the handshakes of a flood: 80 to 180 ms at its 99th percentile, on two cores
# without idle time. They also let the others go first: where both want the processor, they get a tenth of what the others get.
. "$(dirname "$0")/lib.sh"

# workers "$NICENESS"|"$TICKS": of each thread that serves requests, always in the same order; its processor time in clock ticks
NICENESS=19 TICKS='14 15' # fields of proc_pid_stat(5)
workers() {
    local t
    for t in /proc/"$(proc_pid webhook)"/task/*; do
        grep -q MHD-worker "$t/comm" && awk -v fields="$1" '{ n = split(fields, f, " "); for (i = 1; i <= n; i++) sum += $f[i]; print sum }' "$t/stat"
    done
}
reviews() { valid "$DIR/known" 300 12 --connections=2 --renew=200; } # a new connection is known by the other one

# How much a flood can do depends on what else the machine does, and so does what a review takes: the same reviews without a flood are the measure.
webhook --max-connections=300
reviews
result "valid requests alone" "$(cat "$DIR/known")" all_right "$DIR/known"
mapfile -t ALONE < <(workers "$TICKS")
check "half of the threads let the others go first" "$(workers "$NICENESS" | sort -n | xargs)" "0 0 10 10"
reviews &
known=$!
hostile "$DIR/foes" "$(port "$WEBHOOK")" 10 --kinds=half-closed,half-closed-headers,oversized,hello --connections=150 --addresses=4 --again=50ms
wait "$known"
mapfile -t FLOODED < <(workers "$TICKS")
check "threads that serve requests" "${#FLOODED[@]}" 4
result "there was a flood" "$(tail -n 1 "$DIR/foes")" test "$(figure "$DIR/foes" opened)" -ge 1000
result "valid requests" "$(cat "$DIR/known")" all_right "$DIR/known"
# lines "TICKS-IN-THE-FLOOD TICKS-ALONE", those first that let nobody go first
paste -d ' ' <(workers "$NICENESS") <(printf '%s\n' "${FLOODED[@]}") <(printf '%s\n' "${ALONE[@]}") | sort -n | awk '{ print $2 - $3, $3 }' > "$DIR/ticks"
result "two threads served the valid ones" "$(cat "$DIR/ticks")" awk 'NR <= 2 { n += $1 } END { exit (n < 3) }' "$DIR/ticks"
result "and paid nothing for the flood" "$(cat "$DIR/ticks")" awk 'NR <= 2 { more += $1 - $2 } NR > 2 { flood += $1 } END { exit (more * 3 > flood) }' "$DIR/ticks"
