#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: hash flooding. Keys that collide under an unkeyed hash made one Job, which upstream accepts, cost seconds to minutes of a worker.
# Seen to fail on d0e5001: 29,893 matchLabelKeys took more than 20 times the CPU time of random ones.
# quick
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$HERE/../../support/checks.sh"
: "${JR_BIN:?the folder with our programs}"
TLS=$DIR/flood-tls
mkdir -p "$TLS"
self_signed "$TLS/tls" localhost
proc_stop webhook
spawn webhook "$JR_BIN/jobreeve-webhook" --bind-address=127.0.0.1 --port=0 --threads=2 --shutdown-delay-duration=0s --tls-cert-file="$TLS/tls.crt" \
    --tls-private-key-file="$TLS/tls.key" --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0 \
    --max-request-memory=512Mi
ALIVE=webhook await 60 "the webhook" listener webhook metrics
WEBHOOK=$(listener webhook webhook)

body() { # body FORM N LIST FILE
    "$JR_BIN/bench-lists" -p "$1" -n "$2" "$3" > "$4"
}

ask() { # ask FILE: the HTTP status
    curl -sS -o /dev/null -w '%{http_code}' --max-time 120 --cacert "$TLS/tls.crt" -H 'Content-Type: application/json' --data-binary @"$1" \
        "https://$WEBHOOK/validate-batch-v1-job" 2> "$DIR/curl.err" || true
}

spend() { # spend FILE: three reviews of it; SPENT: ticks of CPU that they took, CODES: what was answered
    local before i
    before=$(proc_ticks webhook)
    CODES=""
    for i in 1 2 3; do CODES="$CODES $(ask "$1")"; done
    SPENT=$(($(proc_ticks webhook) - before))
}

body random 100 containers "$DIR/small.json"
for list in "spread matchLabelKeys" "affinity matchLabelKeys" volumes schedulingGates imagePullSecrets; do
    body random 29893 "$list" "$DIR/random.json"
    body colliding 29893 "$list" "$DIR/colliding.json"
    spend "$DIR/random.json"
    random=$SPENT
    check "$list: random members" "$CODES" " 200 200 200"
    spend "$DIR/colliding.json"
    colliding=$SPENT
    check "$list: colliding members" "$CODES" " 200 200 200"
    # 20 times and half a second: what a slow machine adds to both is not in question here
    check_more "$list: colliding members cost what random ones do" $((20 * random + 50)) "$colliding"
done
body colliding 150000 "spread matchLabelKeys" "$DIR/many.json"
ask "$DIR/many.json" > "$DIR/many.code" &
many=$!
check "a small review beside 150,000 colliding keys" "$(ask "$DIR/small.json")" 200
wait "$many"
check "150,000 colliding keys" "$(cat "$DIR/many.code")" 200
