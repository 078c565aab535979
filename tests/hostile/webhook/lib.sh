# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the webhook's hostile tests, first of all: a webhook of the release build without a cluster, clients that are good, clients that
# are not, and who watches meanwhile. Loads are bounded in number and time and go to 127.0.0.1 only; hostile clients have the addresses
# 127.0.1.1 and on where a test says --addresses.
#
#   webhook --max-connections=100        starts it; WEBHOOK, HEALTH and METRICS are its addresses
#   besiege silent 8 "$(port "$WEBHOOK")" --kinds=silent --connections=400 --addresses=4
#   held silent                          the checks that hold for every siege
. "$(dirname "${BASH_SOURCE[0]}")/../../support/checks.sh"
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
REVIEWS=$ROOT/tests/vectors/wire/reviews
MUTATE_REVIEW=$ROOT/tests/bench/webhook/undefaulted.json
VALIDATE_REVIEW=$REVIEWS/002-validate-CREATE-jobs.json
: "${JR_BIN:?the folder with our programs}"

# ---- the webhook

# certificate NAME CN: a self-signed pair for 127.0.0.1, DIR/tls/NAME.crt and .key
certificate() {
    mkdir -p "$DIR/tls"
    [ -s "$DIR/tls/$1.crt" ] || self_signed "$DIR/tls/$1" "$2"
}

# client_certificate NAME CA: a client's certificate, DIR/tls/NAME.crt and .key
client_certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$DIR/tls/$1.key" -out "$DIR/tls/$1.csr" -subj "/CN=$1" 2> /dev/null
    openssl x509 -req -in "$DIR/tls/$1.csr" -CA "$DIR/tls/$2.crt" -CAkey "$DIR/tls/$2.key" -CAcreateserial -days 2 -out "$DIR/tls/$1.crt" \
        -extfile <(printf 'extendedKeyUsage=clientAuth\n') 2> /dev/null
}

# webhook FLAG...: starts one, in the place of the one before. Sets WEBHOOK, HEALTH, METRICS.
webhook() {
    proc_stop webhook
    certificate server localhost
    spawn webhook "$JR_BIN/jobreeve-webhook" --bind-address=127.0.0.1 --port=0 --threads=2 --shutdown-delay-duration=0s \
        --tls-cert-file="$DIR/tls/server.crt" --tls-private-key-file="$DIR/tls/server.key" \
        --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0 "$@"
    ALIVE=webhook await 60 "the webhook" listener webhook metrics
    WEBHOOK=$(listener webhook webhook) HEALTH=$(listener webhook health) METRICS=$(listener webhook metrics)
}

# devcluster: starts one, an API server for the controller and the keeper
devcluster() {
    mkdir -p "$DIR/devcluster"
    SPAWNED="$SPAWNED devcluster"
    proc_start_writing "$DIR/devcluster/kubeconfig" devcluster "$JR_BIN/jobreeve-devcluster" --data-dir "$DIR/devcluster" --log-level warn
}

port() { # port HOST:PORT
    printf '%s\n' "${1##*:}"
}

# ask FILE PATH [CURL-ARGUMENT]...: POSTs it; prints the HTTP status, 000 where there is no answer. The answer is in DIR/answer.
ask() {
    curl -sS -o "$DIR/answer" -w '%{http_code}' --max-time 60 --cacert "$DIR/tls/server.crt" -H 'Content-Type: application/json' \
        --data-binary @"$1" "${@:3}" "https://$WEBHOOK$2" 2> "$DIR/curl.err" || true
}

# answers_valid: a good review on a new connection gets its answer
answers_valid() {
    [ "$(ask "$VALIDATE_REVIEW" /validate-batch-v1-job)" = 200 ]
}

# ---- loads

# valid OUT RATE SECONDS FLAG...: so many reviews a second, every answer checked; its figures in the file OUT
valid() {
    "$JR_BIN/bench-webhook" valid --ca="$DIR/tls/server.crt" --port="$(port "$WEBHOOK")" --mutate="$MUTATE_REVIEW" \
        --validate="$VALIDATE_REVIEW" --rate="$2" --duration="$3s" "${@:4}" > "$1" 2>> "$DIR/log/valid.log" || true
}

# hostile OUT PORT SECONDS FLAG...: as bench-webhook hostile says
hostile() {
    "$JR_BIN/bench-webhook" hostile --ca="$DIR/tls/server.crt" --port="$2" --validate="$VALIDATE_REVIEW" --duration="$3s" --drain=0s "${@:4}" \
        > "$1" 2>> "$DIR/log/hostile.log" || true
}

# figure FILE NAME: the number behind NAME in its last line
figure() {
    tail -n 1 "$1" | sed -n "s/.*\<$2 \([0-9]*\).*/\1/p" | grep . || echo 0
}

# ---- who watches

# probe ADDRESS PATH: a line "MS PATH RESULT": ok, or what came instead, in at most 10 s. METRICS_CA: metrics go by HTTPS, with that certificate.
probe() {
    local t0 result=ok
    t0=$(now_ms)
    case $2${METRICS_CA:+ by HTTPS} in
    '/metrics by HTTPS') curl -sS --fail --max-time 10 --cacert "$METRICS_CA" -o /dev/null "https://$1$2" 2> /dev/null ;;
    *) http_get "$1" "$2" > /dev/null ;;
    esac || result=failed
    printf '%d %s %s\n' $(($(now_ms) - t0)) "$2" "$result"
}

# watch FILE NAME: probes, and descriptors and memory of the process, until killed; lines "MS PATH RESULT" and "fds N", "rss KB"
watch() {
    local pid
    pid=$(proc_pid "$2") || return 0
    while :; do
        set -- "$1" "$2" /proc/"$pid"/fd/*
        printf 'fds %d\n' $(($# - 2))
        sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/rss \1/p' "/proc/$pid/status" 2> /dev/null || true
        probe "$HEALTH" /livez
        probe "$HEALTH" /readyz
        probe "$METRICS" /metrics
        sleep 0.1
    done >> "$1"
}

# most FILE NAME: the greatest number behind NAME
most() {
    awk -v n="$2" '$1 == n && $2 > m { m = $2 } END { print m + 0 }' "$1"
}

# besiege NAME SECONDS PORT HOSTILE-FLAG...: hostile clients of PORT; valid ones beside them, on connections that were there before and on
# connections that are new for each request; and who watches. Their figures are DIR/NAME.*
besiege() {
    local name=$1 seconds=$2 port=$3 old new watcher foes
    valid "$DIR/$name.old" 50 $((seconds + 2)) --connections=4 --renew=1000000 &
    old=$!
    watch "$DIR/$name.watch" webhook &
    watcher=$!
    sleep 1 # the old ones are there
    hostile "$DIR/$name.hostile" "$port" "$seconds" "${@:4}" &
    foes=$!
    valid "$DIR/$name.new" "${NEW_RATE:-10}" "$seconds" --connections=2 --renew=1 &
    new=$!
    wait "$old" "$new" "$foes"
    kill "$watcher" 2> /dev/null || true
    wait "$watcher" 2> /dev/null || true
}

# all_right FILE: every valid request was answered rightly, and there were some
all_right() {
    [ "$(figure "$1" sent)" -gt 0 ] && [ "$(figure "$1" sent)" = "$(figure "$1" right)" ]
}

# none_failed FILE: of the probes, and there were some
none_failed() {
    awk '$3 == "ok" { ok++ } $3 == "failed" { failed++ } END { exit !(ok >= 9 && !failed) }' "$1"
}

# half_in_a_second FILE: of the probes. One may take longer where the machine is busy; a port that is starved answers none.
half_in_a_second() {
    awk '$3 == "ok" { n++; if ($1 < 1000) fast++ } END { exit !(n >= 9 && fast * 2 >= n) }' "$1"
}

# result NAME DETAIL CMD...
result() {
    if "${@:3}"; then passed "$1"; else failed "$1" "$2" "${*:3}"; fi
}

# held NAME FDS KB: no valid request lost, no probe; never more descriptors and memory than these; and all is well afterwards
held() {
    local f=$DIR/$1
    result "$1: there was a siege" "$(tail -n 1 "$f.hostile")" test "$(figure "$f.hostile" opened)" -ge "${OPENED:-100}"
    result "$1: valid requests on old connections" "$(cat "$f.old")" all_right "$f.old"
    result "$1: valid requests on new connections" "$(cat "$f.new")" all_right "$f.new"
    result "$1: every probe answered" "$(awk '$3 == "failed"' "$f.watch" | head -n 5)" none_failed "$f.watch"
    result "$1: probes within a second" "$(awk '$3 == "ok"' "$f.watch" | sort -n | tail -n 3)" half_in_a_second "$f.watch"
    result "$1: descriptors" "$(most "$f.watch" fds)" test "$(most "$f.watch" fds)" -le "$2"
    result "$1: memory, kB" "$(most "$f.watch" rss)" test "$(most "$f.watch" rss)" -le "$3"
    check_await "$1: it answers afterwards" 120 answers_valid
}
