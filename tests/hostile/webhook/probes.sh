# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after lib.sh by the tests of the ports of probes and metrics: 1,000 hostile connections, opened anew whenever they are ended, and beside
# them a client that asks like a kubelet, from an address that holds no other connection (probes.py).
#
#   control                                      a webhook that nobody attacks: the same client asks it, too, which tells what the machine costs
#   crowd NAME URL CONTROL-URL KINDS ADDRESSES   every probe is answered; CONNECTIONS and SECONDS_EACH, if not 1,000 and 3
#   in_a_second                                  and, over all crowds so far, within a second
HTTP_KINDS=silent,http-dripping,http-idle,http-refreshed,http-half-closed,http-body,http-deaf,http-once
TLS_KINDS=silent,dripping-handshake,garbage,hello,half-closed-hello,silent-after-handshake,dripping-headers,half-closed-headers,half-closed,refreshed,deaf,once
PROBES=$(dirname "${BASH_SOURCE[0]}")/probes.py
: > "$DIR/$TEST.probes"

control() {
    certificate server localhost
    spawn control "$JR_BIN/jobreeve-webhook" --bind-address=127.0.0.1 --port=0 --threads=1 --tls-cert-file="$DIR/tls/server.crt" \
        --tls-private-key-file="$DIR/tls/server.key" --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0 --metrics-secure
    ALIVE=control await 60 "the control" listener control metrics
    CONTROL_HEALTH=http://$(listener control health)/livez CONTROL_METRICS=https://$(listener control metrics)/metrics
}

# all_answered FILE: and there was one at least
all_answered() {
    awk '$2 == "asked" { n++; if ($3 != "ok") failed++ } END { exit !(n > 0 && !failed) }' "$1"
}

crowd() {
    local f=$DIR/$1 address=${2#*://} prober
    mkfifo "$f.asks"
    python3 "$PROBES" --ca "$DIR/tls/server.crt" "$2" "$3" < "$f.asks" > "$f.probes" &
    prober=$!
    exec 8> "$f.asks"
    await 60 "the client of $1" grep -q ready "$f.probes" # on a machine that is busy it needs as long as a siege lasts
    echo >&8
    hostile "$f.hostile" "$(port "${address%%/*}")" "${SECONDS_EACH:-3}" --kinds="$4" --connections="${CONNECTIONS:-1000}" --addresses="$5" --again=0s 8>&-
    exec 8>&-
    wait "$prober"
    cat "$f.probes" >> "$DIR/$TEST.probes"
    result "$1: there was a siege" "$(tail -n 1 "$f.hostile")" test "$(figure "$f.hostile" opened)" -ge "${CONNECTIONS:-1000}"
    result "$1: every probe answered" "$(awk '$2 == "asked" && $3 != "ok" && n++ < 3' "$f.probes")" all_answered "$f.probes"
}

# One in twenty may take longer on a machine that is busy, and as many more as the control's took half of that.
quick_enough() {
    awk '$2 == "asked" { n++; if ($1 > 1000) late++ } $2 == "control" && $1 > 500 { late-- } END { exit !(n > 0 && late * 20 <= n) }' "$1"
}

in_a_second() {
    result "the probes within a second" "$(sort -rn "$DIR/$TEST.probes" | awk 'NR <= 5' | tr '\n' ',')" quick_enough "$DIR/$TEST.probes"
}
