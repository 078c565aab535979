#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench webhook: jobreeve-webhook beside a controller-runtime webhook of upstream's checks (tests/bench/upstream),
# then under attack. Says PASS or FAIL for each target and ends accordingly.
#   run.sh [--rounds N] [--seconds S] [--only compare|attack|policies]  (--policies: that part alone)
#       N rounds (3), S seconds of load a cell (3); an attack takes ten times as long, and there are two a round
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
JR_BIN=${JR_BIN:-$ROOT/build/release/bin}
REVIEWS=$ROOT/tests/vectors/wire/reviews
MUTATE=$HERE/undefaulted.json # a recorded review without one of the server's defaults, so that there is something to patch
VALIDATE=$REVIEWS/002-validate-CREATE-jobs.json
CONNECTIONS="1 8 64"
HOSTILE=1800 # so that at any time 1,000 of them stand: one that was ended comes back a second later
STANDING=1000 # so many must have stood at once
ADDRESSES=8 # that they come from: none may have more than its share
# A crowd that has gone leaves pages of which something small is in use still: 1 kB for each connection that stood at once, and up to 1.8 kB were seen.
# A second crowd finds these: what it adds is what heaps (one a thread) may keep above what they use, M_TRIM_THRESHOLD (webhook/app/app.c), or is lost.
CROWD_KB=2 HEAP_KB=128
ROUNDS=3 SECONDS_A_CELL=3 ONLY=""
while [ $# -gt 0 ]; do
    case $1 in
    --rounds) ROUNDS=$2 ;;
    --seconds) SECONDS_A_CELL=$2 ;;
    --only) ONLY=$2 ;;
    --policies) ONLY=policies && set -- "$1" "$@" ;;
    *) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
    esac
    shift 2
done

DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-bench.XXXXXX")
export DIR
mkdir "$DIR/run" "$DIR/log" "$DIR/tls"
. "$ROOT/tests/support/proc.sh"
. "$ROOT/tests/bench/lib.sh"
. "$HERE/policies.sh"
LOADS=() # pids of loads in the background

teardown() {
    local status=$? p f
    trap '' INT TERM
    set +e
    for p in "${LOADS[@]}"; do kill "$p" 2> /dev/null && wait "$p" 2> /dev/null; done
    [ "$status" = 0 ] || [ "$FAILED" != 0 ] || log_tails 15 >&2
    for f in "$DIR"/run/*.pid; do
        [ -e "$f" ] && proc_stop "$(basename "$f" .pid)"
    done
    rm -rf "$DIR"
    exit "$status"
}
trap teardown EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- servers

PEER=""
declare -A PORTS
start() { # start NAME ours|peer [FLAG...]: its port is PORTS[NAME]
    free_port
    PORTS[$1]=$PORT
    case $2 in
    ours) start_webhook "$1" "$PORT" "$JR_BIN/jobreeve-webhook" "${@:3}" ;;
    peer)
        proc_start "$1" "$PEER" -host 127.0.0.1 -port "$PORT" -cert-dir "$DIR/tls"
        ALIVE=$1 await 120 "$1" answers "$PORT"
        ;;
    esac
}

# ---- loads

# valid NAME RATE SECONDS: prints what it counted; fails unless every answer was right
valid() {
    "$JR_BIN/bench-webhook" valid --ca="$DIR/tls/tls.crt" --port="${PORTS[$1]}" --mutate="$MUTATE" --validate="$VALIDATE" \
        --rate="$2" --duration="$3s"
}

# closed NAME mutate|validate CONNECTIONS SECONDS [FILE [RESOURCE]]: as many requests as it answers, sampled meanwhile.
# Sets REQUESTS, MICROS, P50, P99, TICKS, RSS, ANON (the greatest seen).
closed() {
    local file=$MUTATE before pid kb bad broken
    [ "$2" = mutate ] || file=${5:-$VALIDATE}
    before=$(cpu_ticks "$1")
    wrk -t 1 -c "$3" -d "${4}s" -s "$HERE/review.lua" "https://127.0.0.1:${PORTS[$1]}/$2-batch-v1-${6:-job}?timeout=10s" \
        -- "$file" > "$DIR/wrk.out" 2> "$DIR/wrk.err" &
    pid=$!
    LOADS=("$pid")
    RSS=0 ANON=0
    while kill -0 "$pid" 2> /dev/null; do
        kb=$(status_kb "$1" VmRSS) && [ "$kb" -le "$RSS" ] || RSS=$kb
        kb=$(status_kb "$1" RssAnon) && [ "$kb" -le "$ANON" ] || ANON=$kb
        sleep 0.2
    done
    wait "$pid" || { cat "$DIR/wrk.out" "$DIR/wrk.err" >&2 && return 1; }
    LOADS=()
    TICKS=$(($(cpu_ticks "$1") - before))
    read -r REQUESTS MICROS P50 P99 bad broken < "$DIR/wrk.err"
    [ "$bad $broken" = "0 0" ] || {
        echo "$1: $bad wrong answers, $broken broken connections" >&2
        return 1
    }
}

# ---- beside the peer

measure() { # measure NAME: a line of cells.tsv for each endpoint and number of connections
    local e c
    for e in mutate validate; do
        for c in $CONNECTIONS; do
            closed "$1" "$e" "$c" "$SECONDS_A_CELL"
            printf '%s\t' "$1" "$e" "$c" >> "$DIR/cells.tsv"
            awk -v n="$REQUESTS" -v us="$MICROS" -v p50="$P50" -v p99="$P99" -v t="$TICKS" -v hz="$(getconf CLK_TCK)" \
                -v rss="$RSS" -v anon="$ANON" \
                'BEGIN { printf "%.0f\t%.3f\t%.3f\t%.2f\t%d\t%d\n", n / us * 1e6, p50 / 1e3, p99 / 1e3, t / hz / n * 1e6, rss, anon }' \
                >> "$DIR/cells.tsv"
        done
    done
}

# The medians of all rounds, a table, and the ratios into DIR/ratios as NAME=VALUE.
table() {
    awk -F '\t' -v ratios="$DIR/ratios" -f "$ROOT/tests/bench/median.awk" -f "$HERE/table.awk" "$DIR/cells.tsv"
}

compare() {
    local r name cpu_mutate cpu_validate rss anon
    start ours ours
    start peer peer
    for name in ours peer; do
        say "$name: $(valid "$name" 200 3)"
        closed "$name" mutate 8 1 # warm
    done
    : > "$DIR/cells.tsv"
    for ((r = 1; r <= ROUNDS; r++)); do
        say "round $r of $ROUNDS"
        for name in $(in_turn "$r" ours peer); do measure "$name"; done
    done
    proc_stop ours
    proc_stop peer
    echo
    table
    . "$DIR/ratios"
    echo
    result "mutations per CPU second: $cpu_mutate times the peer's (at least 4)" at_least "$cpu_mutate" 4
    result "validations per CPU second: $cpu_validate times the peer's (at least 4)" at_least "$cpu_validate" 4
    result "RssAnon, greatest of all cells: $anon of the peer's (at most 0.25)" at_most "$anon" 0.25
    result "RSS, greatest of all cells: $rss of the peer's (at most 0.4)" at_most "$rss" 0.4
}

# ---- under attack

word() { # word LINES NAME: the word behind NAME, of each line
    sed -n "s/.* $2 \([0-9]*\).*/\1/p" <<< "$1"
}

# attacked TARGET: valid load on "guarded" while TARGET is attacked. Sets VALID and HOSTILE_LINES.
attacked() {
    local span=$((SECONDS_A_CELL * 10)) pid
    "$JR_BIN/bench-webhook" hostile --ca="$DIR/tls/tls.crt" --port="${PORTS[$1]}" --connections="$HOSTILE" --addresses="$ADDRESSES" \
        --duration=$((span + 6))s > "$DIR/hostile.out" 2> "$DIR/log/hostile.log" &
    pid=$!
    LOADS=("$pid")
    sleep 6 # in which they all have come
    VALID=$(valid guarded "$RATE" "$span" 2> "$DIR/log/valid.log" || true)
    wait "$pid" || true
    LOADS=()
    HOSTILE_LINES=$(cat "$DIR/hostile.out")
}

least_memory() { # of the next ten seconds, in which what was used is given back
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        status_kb guarded RssAnon
        sleep 1
    done | sort -n | head -n 1
}

heaps() {
    local t=(/proc/"$(proc_pid guarded)"/task/*)
    echo ${#t[@]}
}

all_right() { # all_right FILE: of the valid loads
    local line
    [ -s "$1" ] || return 1
    while IFS= read -r line; do
        [ -n "$line" ] && [ "$(word "$line" sent)" -gt 0 ] && [ "$(word "$line" sent)" = "$(word "$line" right)" ] || return 1
    done < "$1"
}

sum() { # sum FILE NAME
    word "$(cat "$1")" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

middle() { # middle FILE NAME: the median; of an even number the lower one
    word "$(cat "$1")" "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

least() { # least FILE NAME
    word "$(cat "$1")" "$2" | sort -n | head -n 1
}

# besieged TARGET: an attack on it, its lines into DIR/TARGET.valid and DIR/TARGET.hostile
besieged() {
    say "$HOSTILE hostile connections to $1"
    attacked "$1"
    say "$VALID"
    echo "$VALID" >> "$DIR/$1.valid"
    sed 's/^/            /' <<< "$HOSTILE_LINES"
    tail -n 1 <<< "$HOSTILE_LINES" >> "$DIR/$1.hostile"
}

# What is compared is the valid load on "guarded" while itself, and while "bystander", is attacked.
attack() {
    local r name p99 control_p99 most first after more control=$DIR/bystander.valid valid=$DIR/guarded.valid hostile=$DIR/guarded.hostile
    start guarded ours
    start bystander ours
    closed guarded validate 8 "$SECONDS_A_CELL"
    RATE=$((REQUESTS * 1000000 / MICROS / 4))
    say "a quarter of the capacity is $RATE requests/s"
    say "undisturbed: $(valid guarded "$RATE" 5)"
    sleep 2 # the connections are gone, and looked after
    BEFORE=$(status_kb guarded RssAnon)
    : > "$control" && : > "$valid" && : > "$hostile"
    for ((r = 1; r <= ROUNDS; r++)); do
        say "attacks, round $r of $ROUNDS"
        for name in $(in_turn "$r" bystander guarded); do besieged "$name"; done
    done
    most=$((BEFORE + $(least "$hostile" at_once) * CROWD_KB))
    first=$(least_memory)
    say "once more, without valid load"
    RATE=1 attacked guarded
    after=$((first + $(heaps) * HEAP_KB))
    more=$(least_memory)
    echo
    result "control: $(sum "$control" right) of $(sum "$control" sent) valid requests answered rightly" all_right "$control"
    result "attack: $(sum "$valid" right) of $(sum "$valid" sent) valid requests answered rightly, $(sum "$valid" retried) after a retry" all_right "$valid"
    control_p99=$(middle "$control" p99_us)
    p99=$(middle "$valid" p99_us)
    result "attack: p99 is $p99 us, in the control runs $control_p99 us (medians; at most twice that)" at_most "$p99" $((control_p99 * 2))
    result "hostile connections: $(sum "$hostile" opened) opened, $(sum "$hostile" late) past their deadline, $(sum "$hostile" left) left" \
        [ "$(sum "$hostile" late) $(sum "$hostile" left)" = "0 0" ]
    result "hostile connections: $(least "$hostile" at_once) at once in each run (at least $STANDING)" [ "$(least "$hostile" at_once)" -ge "$STANDING" ]
    result "RssAnon: $BEFORE kB before, $first kB after (at most $CROWD_KB kB more for each connection: $most)" [ "$first" -le $most ]
    result "RssAnon: $more kB after as many again, $(word "$(tail -n 1 <<< "$HOSTILE_LINES")" opened) (at most $HEAP_KB kB more for each heap: $after)" [ "$more" -le $after ]
    proc_stop guarded
    proc_stop bystander
}

self_signed "$DIR/tls/tls" localhost
if [ -z "$ONLY" ] || [ "$ONLY" = compare ]; then
    PEER=$("$ROOT/tests/bench/upstream/build.sh" --where)/upstream-webhook
    "$ROOT/tests/bench/upstream/build.sh"
    compare
fi
if [ -z "$ONLY" ] || [ "$ONLY" = attack ]; then attack; fi
if [ -z "$ONLY" ] || [ "$ONLY" = policies ]; then policies; fi
[ "$FAILED" = 0 ]
