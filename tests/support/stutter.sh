#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command while its processes are halted at random, each for up to a second (SIGSTOP, SIGCONT): stutter.sh [LANES] CMD...
# Whatever one of them waits for comes late, so an order that only nearly always holds is soon seen broken. Ends as CMD does.
# As root, what goes into the background is halted as well. Where a test halts a process itself, ours may set it going too early.
set -u -o pipefail
lanes=4
case ${1:-} in '' | *[!0-9]*) ;; *) lanes=$1 && shift ;; esac
[ $# -gt 0 ] || { echo "usage: stutter.sh [LANES] CMD..." >&2; exit 2; }

# below PID: the processes that it began, and theirs. Not those that a test has halted itself: they must not go on.
below() {
    ps -e -o pid=,ppid=,state= | awk -v root="$1" '
        { parent[$1] = $2; state[$1] = $3 }
        END {
            for (p in parent) {
                for (q = p; q in parent && q != root; q = parent[q]);
                if (q == root && p != root && state[p] !~ /[TtZ]/) print p
            }
        }'
}

lane() {
    local tree pid=
    trap '[ -z "$pid" ] || kill -s CONT "$pid" 2> /dev/null' EXIT
    trap 'exit' TERM
    while kill -s 0 "$1" 2> /dev/null; do
        mapfile -t tree < <(below "$1")
        if [ ${#tree[@]} -gt 0 ]; then
            pid=${tree[RANDOM % ${#tree[@]}]}
            kill -s STOP "$pid" 2> /dev/null && sleep "0.$((RANDOM % 900 + 100))"
            kill -s CONT "$pid" 2> /dev/null
            pid=
        fi
        sleep "0.0$((RANDOM % 90 + 10))"
    done
}

# Whoever loses its parent is the namespace's then, and still below.
[ "$(id -u)" != 0 ] || set -- unshare --pid --fork --mount-proc --kill-child "$@"
"$@" &
root=$!
pids=()
for ((i = 0; i < lanes; i++)); do
    lane $root > /dev/null 2>&1 &
    pids+=($!)
done
code=0
wait $root || code=$?
kill "${pids[@]}" 2> /dev/null
wait
exit $code
