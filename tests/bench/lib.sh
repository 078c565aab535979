# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the benchmarks: results, what /proc says of a process. From outside: DIR, and proc.sh of tests/support.

FAILED=0
result() { # result TEXT CMD...: PASS where CMD succeeds
    local text=$1
    shift
    if "$@"; then
        echo "PASS  $text"
    else
        echo "FAIL  $text"
        FAILED=1
    fi
}

# in_turn ROUND ONE OTHER: in which order: who came first comes last in the next round
in_turn() {
    if (($1 % 2)); then echo "$2 $3"; else echo "$3 $2"; fi
}

at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'; }
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }

status_kb() { # status_kb NAME FIELD: of /proc/PID/status
    sed -n "s/^$2:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$(proc_pid "$1")/status"
}

cpu_ticks() { # cpu_ticks NAME: user and system time of all threads
    local line rest
    line=$(cat "/proc/$(proc_pid "$1")/stat")
    read -r -a rest <<< "${line##*) }"
    echo $((rest[11] + rest[12]))
}
