#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a few clients with large Jobs had all of the memory for requests, and small reviews of others were answered 503. Here all is scaled down,
# 16 MiB and Jobs that take 5. Seen to fail on 23e780d2: 20 of 60 small reviews got 503.
# quick
. "$(dirname "$0")/lib.sh"

jq -c '.request.object.spec.template.spec.containers[0].env = [range(2500) | {name: "E\(100000 + .)", value: "v"}]' "$MUTATE_REVIEW" > "$DIR/large.json"
webhook --threads=32 --max-request-memory=16Mi

# beside OUT SECONDS: clients with large Jobs on 32 connections, more than can be answered at once; their figures in the file OUT
beside() {
    "$JR_BIN/bench-webhook" valid --ca="$DIR/tls/server.crt" --port="$(port "$WEBHOOK")" --mutate="$DIR/large.json" --validate="$DIR/large.json" \
        --rate=2000 --duration="$2s" --connections=32 --renew=1000000 > "$1" 2>> "$DIR/log/valid.log" || true
}
refusals() { log_since_start webhook | grep -c '"why":"too many requests in flight' || true; }
contended() { [ "$(refusals)" -gt 0 ]; }

beside "$DIR/large" 8 &
clients=$!
check_await "large ones want more than there is" 30 contended
: > "$DIR/small.codes"
for _ in $(seq 60); do printf '%s\n' "$(ask "$MUTATE_REVIEW" /mutate-batch-v1-job)" >> "$DIR/small.codes"; done
wait "$clients"
check "60 small reviews are answered" "$(sort "$DIR/small.codes" | uniq -c | xargs)" "60 200"
check_more "and large ones, beside them" "$(figure "$DIR/large" right)" 10
