# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by shell tests: waiting, processes that are watched and ended by recorded identity only, ports and certificates for them.
# DIR is the folder of the run. DIR/run/NAME.pid holds "PID STARTTIME": the kernel's start time tells our process from
# a later one that got the same pid, so nothing else is ever signalled.

# now_ms: since the machine began. Not the wall clock, which may be set while somebody waits.
now_ms() {
    local up
    read -r up _ < /proc/uptime
    printf '%s\n' $((10#${up/./} * 10))
}

# wall_ms: by the clock on the wall, as logs have it
wall_ms() {
    local t=${EPOCHREALTIME//[.,]/}
    printf '%s\n' $((t / 1000))
}

# say WORDS...: one line with the time since the script began
T0_MS=$(now_ms)
say() {
    printf '%7d ms  %s\n' $(($(now_ms) - T0_MS)) "$*"
}

# proc_stat PID: prints "STATE STARTTIME", fails when there is no such process
proc_stat() {
    local line rest
    line=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
    read -r -a rest <<< "${line##*) }" # the name in brackets may hold blanks
    printf '%s %s\n' "${rest[0]}" "${rest[19]}"
}

# proc_pid NAME: prints the pid, fails when the process has ended (a zombie has ended)
proc_pid() {
    local pid started now
    read -r pid started 2> /dev/null < "$DIR/run/$1.pid" || return 1
    now=$(proc_stat "$pid") || return 1
    [ "${now#* }" = "$started" ] && [ "${now%% *}" != Z ] && printf '%s\n' "$pid"
}

proc_alive() {
    proc_pid "$1" > /dev/null
}

# proc_start NAME CMD...: in a session of its own, its output appended to DIR/log/NAME.log
proc_start() {
    local name=$1 pid stat
    shift
    if proc_alive "$name"; then
        echo "$name runs already" >&2
        return 1
    fi
    touch "$DIR/log/$name.log"
    wc -l < "$DIR/log/$name.log" > "$DIR/run/$name.from"
    setsid "$@" >> "$DIR/log/$name.log" 2>&1 < /dev/null &
    pid=$!
    stat=$(proc_stat "$pid") || stat="Z 0" # gone already: recorded as dead
    printf '%s %s\n' "$pid" "${stat#* }" > "$DIR/run/$name.pid"
}

# proc_start_writing FILE NAME CMD...: as proc_start, until the program has written FILE. That of one before is removed, which the wait would take for
# this one's.
proc_start_writing() {
    rm -f "$1"
    proc_start "${@:2}"
    ALIVE=$2 await 60 "$2 writing $1" test -s "$1"
}

# log_since_start NAME: what it has logged since proc_start
log_since_start() {
    tail -n +"$(($(cat "$DIR/run/$1.from") + 1))" "$DIR/log/$1.log"
}

# listener NAME LISTENER: the address that the program NAME has logged for it; fails until then
listener() {
    local a
    a=$(log_since_start "$1" | sed -n "s/.*\"msg\":\"serving\".*\"listener\":\"$2\".*\"address\":\"\([^\"]*\)\".*/\1/p")
    [ -n "$a" ] && printf '%s\n' "$a"
}

# proc_signal NAME SIGNAL: nothing happens when it has ended
proc_signal() {
    local pid
    pid=$(proc_pid "$1") || return 0
    kill -s "$2" "$pid" 2> /dev/null || true
}

# proc_gone SECONDS NAME: polls until the process has ended
proc_gone() {
    local deadline=$(($(now_ms) + $1 * 1000))
    while proc_alive "$2"; do
        [ "$(now_ms)" -lt "$deadline" ] || return 1
        sleep 0.05
    done
}

# proc_stop NAME [SECONDS]: TERM, and KILL after the deadline (20 s). Sets STOP_STATUS to the exit status where the
# process is a child of this shell, else to "unknown".
# shellcheck disable=SC2034
proc_stop() {
    local name=$1 pid
    STOP_STATUS=unknown
    [ -f "$DIR/run/$name.pid" ] || return 0
    read -r pid _ < "$DIR/run/$name.pid"
    proc_signal "$name" TERM
    if ! proc_gone "${2:-20}" "$name"; then
        echo "$name did not end in ${2:-20} s: killed" >&2
        proc_signal "$name" KILL
        proc_gone 10 "$name" || echo "$name (pid $pid) cannot be killed" >&2
    fi
    reap "$pid"
    rm -f "$DIR/run/$name.pid"
}

# proc_kill NAME: KILL at once, as a crash would
proc_kill() {
    local pid
    [ -f "$DIR/run/$1.pid" ] || return 0
    read -r pid _ < "$DIR/run/$1.pid"
    proc_signal "$1" KILL
    proc_gone 10 "$1" || return 1
    reap "$pid"
    rm -f "$DIR/run/$1.pid"
}

# reap PID: sets STOP_STATUS
# shellcheck disable=SC2034
reap() {
    local status=0
    { wait "$1" || status=$?; } 2> /dev/null # its "Terminated" notice is of no interest
    [ "$status" = 127 ] || STOP_STATUS=$status
}

# background_end: tells what runs in the background of this shell to end: parts of the script, and what proc_start has started
background_end() {
    # shellcheck disable=SC2046
    kill $(jobs -rp) 2> /dev/null || true
}

# proc_ticks NAME: the CPU time that it has taken, in hundredths of a second
proc_ticks() {
    awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$(proc_pid "$1")/stat"
}

# proc_peak_kb NAME: the most memory that it has had resident
proc_peak_kb() {
    sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(proc_pid "$1")/status"
}

# free_port: sets PORT to one that nobody listens on, another one at each call. The range lies below the kernel's own pick for outgoing
# connections, so a free port stays free. JR_LANE (0 to 4): runs beside each other draw from ranges of their own.
free_port() {
    local port
    while :; do
        port=$((20000 + ${JR_LANE:-0} * 2500 + (RANDOM << 15 | RANDOM) % 2500))
        case " ${PICKED:-} " in *" $port "*) continue ;; esac
        (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
    done
    PICKED="${PICKED:-} $port"
    PORT=$port
}

# await SECONDS WHAT CMD...: polls until CMD succeeds. ALIVE="NAME..." names processes without which there is no point
# in going on.
await() {
    local seconds=$1 what=$2 deadline n
    shift 2
    deadline=$(($(now_ms) + seconds * 1000))
    until "$@" > /dev/null 2>&1; do
        for n in ${ALIVE:-}; do
            proc_alive "$n" || {
                echo "waiting for $what: $n has ended" >&2
                return 1
            }
        done
        [ "$(now_ms)" -lt "$deadline" ] || {
            echo "gave up waiting for $what after $seconds s" >&2
            return 1
        }
        sleep 0.1
    done
}

# whole_lines FILE: of one that is written to, without a last line that isn't whole yet
whole_lines() {
    head -n "$(wc -l < "$1")" "$1"
}

# log_tails [LINES] [LOG...]: the ends of the logs, of all of them unless named
log_tails() {
    local lines=${1:-25} f
    [ $# -gt 0 ] && shift
    [ $# -gt 0 ] || set -- "$DIR"/log/*.log
    for f in "$@"; do
        [ -s "$f" ] || continue
        printf -- '---- %s (last %s lines)\n' "$f" "$lines"
        tail -n "$lines" "$f" | cut -c 1-400
    done
}

# self_signed FILE NAME [SAN [DAYS]]: a key and a certificate of that name, for 127.0.0.1 unless SAN says more, FILE.key and FILE.crt
self_signed() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.crt" -days "${4:-2}" -subj "/CN=$2" \
        -addext "subjectAltName=${3:-IP:127.0.0.1}" 2> /dev/null
}
