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

logged() { # logged NAME MSG: the time of that line, in milliseconds
    local ts
    ts=$(log_since_start "$1" | sed -n "s/.*\"ts\":\"\([^\"]*\)\".*\"msg\":\"$2\".*/\1/p" | head -n 1)
    [ -n "$ts" ] && date -d "$ts" +%s%3N
}

# start_webhook NAME PORT COMMAND...: our webhook, with the command's flags and those that all have here, and with the pair DIR/tls/tls; it answers at that port then
start_webhook() {
    proc_start "$1" "${@:3}" --bind-address=127.0.0.1 --port="$2" --kubernetes-version=1.36.0 \
        --tls-cert-file="$DIR/tls/tls.crt" --tls-private-key-file="$DIR/tls/tls.key" --shutdown-delay-duration=0s --idle-timeout=30s \
        --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0
    ALIVE=$1 await 120 "$1" answers "$2"
}

answers() { # answers PORT
    curl -s -o /dev/null --cacert "$DIR/tls/tls.crt" "https://127.0.0.1:$1/"
}
