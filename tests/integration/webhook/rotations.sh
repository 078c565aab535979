#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Time compressed: 50 changes of CA and certificate under load, in both modes at once, and not one handshake or request fails.
# rotations.sh BIN
#   own certificates: two keepers, two replicas; whoever deletes the Secret wants a new CA. Callers trust what the configuration says at the
#   moment of the call, as API servers do: a program that looks, connects and asks (trusting.c), and the devcluster itself, which fails closed
#   files: a pair on disk is swapped for another; connections for one request each, and connections that stay
# A call that took longer than a CA stands before it signs has looked at what may be out of date. Only then may it fail, only by not trusting the
# certificate, and only where the configuration says something else by then.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene rotations

# ROTATIONS: another number of them; JR_LONG: 50 whatever it says.
rotations=${ROTATIONS:-50}
[ -z "${JR_LONG:-}" ] || rotations=50
propagation_ms=500
reviews=$here/../../vectors/wire/reviews
listeners=(--bind-address 127.0.0.1 --port 0 --health-probe-bind-address 0 --metrics-bind-address 0 --shutdown-delay-duration 0s --log-level info)

# ---- who calls

ask() { # ask REPLICA CA-FILE
    curl -sS --fail --max-time 30 --cacert "$2" -H 'Content-Type: application/json' -o "$DIR/answer.$1" \
        --data-binary @"$reviews/002-validate-CREATE-jobs.json" "https://${address[$1]}/validate-batch-v1-job" &&
        grep -q '"allowed":true' "$DIR/answer.$1"
}
look_and_ask() { # look_and_ask REPLICA
    bundle Mutating > "$DIR/bundle.$1" && ask "$1" "$DIR/bundle.$1"
}
try_job() { # both webhooks are asked, by what the API server trusts
    create pi "?dryRun=All"
}
bundles() { # both, as they are written: jq for each call would be a good part of what the machine does
    local kind
    for kind in mutating validating; do api GET "$admission/${kind}webhookconfigurations/jobreeve" | grep -o '"caBundle": *"[^"]*"' || return; done
}
load_job() { # again and again, until DIR/stop is there; then "GOOD FAILED LATE" in DIR/job.count
    local good=0 failed=0 late=0 began before took
    while [ ! -e "$DIR/stop" ]; do
        sleep 0.05 # it need not be all that the machine does
        began=$(now_ms)
        before=$(bundles) || before=
        if try_job 2> "$DIR/job.err"; then
            good=$((good + 1))
            continue
        fi
        took=$(($(now_ms) - began))
        if [ $took -ge $propagation_ms ] && grep -q 'not trusted by the certificate-authority' "$DIR/answer" && [ "$(bundles)" != "$before" ]; then
            late=$((late + 1))
        else
            failed=$((failed + 1))
            { echo "job failed after $took ms:"; cat "$DIR/job.err" "$DIR/answer"; } >> "$DIR/log/failures.log"
        fi
    done
    echo "$good $failed $late" > "$DIR/job.count"
}

# ---- what is changed

served() { # served NAME: the certificate. Whom openssl trusts by itself is no matter, and takes long to read.
    openssl s_client -no-CAfile -no-CApath -no-CAstore -connect "${address[$1]}" < /dev/null 2> /dev/null | sed -n '/^-----BEGIN CERT/,/^-----END CERT/p'
}
both_serve_another() { # both_serve_another CERTIFICATE
    local one
    one=$(served one) && [ -n "$one" ] && [ "$one" != "$1" ] && [ "$one" = "$(served two)" ]
}
serves_another() { # serves_another NAME CERTIFICATE
    local now
    now=$(served "$1") && [ -n "$now" ] && [ "$now" != "$2" ]
}
put_pair() { # put_pair NAME: as two files are replaced, one after the other
    cp "$DIR/$1.key" "$DIR/new.key"
    cp "$DIR/$1.crt" "$DIR/new.crt"
    mv "$DIR/new.key" "$DIR/tls/tls.key"
    mv "$DIR/new.crt" "$DIR/tls/tls.crt"
}
swap_files() {
    local i before names=(left right)
    for ((i = 1; i <= rotations; i++)); do
        before=$(served files) && put_pair "${names[i % 2]}" || return 1
        ALIVE=files await 60 "swap $i" serves_another files "$before" || return 1
    done
    touch "$DIR/swapped"
}
valid() { # valid NAME FLAG...: until DIR/stop is there
    while [ ! -e "$DIR/stop" ]; do
        "$bin/bench-webhook" valid --ca "$DIR/trusted.crt" --port "${address[files]##*:}" --duration 2s --mutate "$here/../../bench/webhook/undefaulted.json" \
            --validate "$reviews/002-validate-CREATE-jobs.json" "${@:2}" >> "$DIR/$1.valid" 2>> "$DIR/log/failures.log" || echo failed >> "$DIR/$1.valid"
    done
}

# ---- the scene

declare -A address
devcluster --node ''
for r in one two; do
    proc_start $r "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
        --tls-poll-interval 200ms "${listeners[@]}"
done
for k in first second; do keeper $k --tls-poll-interval 200ms --tls-propagation-time ${propagation_ms}ms; done
mkdir "$DIR/tls"
self_signed "$DIR/left" left IP:127.0.0.1,DNS:localhost
self_signed "$DIR/right" right IP:127.0.0.1,DNS:localhost
cat "$DIR/left.crt" "$DIR/right.crt" > "$DIR/trusted.crt"
put_pair left
proc_start files "$bin/jobreeve-webhook" --tls-cert-file "$DIR/tls/tls.crt" --tls-private-key-file "$DIR/tls/tls.key" "${listeners[@]}"
for r in one two files; do
    ALIVE="devcluster one two first second files" await 60 "$r" listener $r webhook
    address[$r]=$(listener $r webhook)
done
job_hooks "${address[one]}" "${address[two]}"
ALIVE="devcluster one two first second" await 60 "a first call" look_and_ask one
ALIVE="devcluster one two first second" await 60 "a first job" try_job

callers=()
# API servers learn late of what is written: whoever serves before that is seen at once.
api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-webhook", "method": "PATCH", "path": "webhookconfigurations", "action": "delay",
    "delayMilliseconds": 150}]}' > /dev/null

for r in one two; do
    "$bin/trusting" "$DIR/kubeconfig" "https://${address[$r]}" "$reviews/002-validate-CREATE-jobs.json" "$DIR/stop" $propagation_ms \
        > "$DIR/$r.count" 2>> "$DIR/log/failures.log" &
    callers+=($!)
done
load_job &
callers+=($!)
valid short --rate 20 --connections 4 --renew 1 &
callers+=($!)
valid long --rate 10 --connections 2 --renew 1000000 &
callers+=($!)
swap_files &
swapper=$!
began=$(now_ms)
for ((i = 1; i <= rotations; i++)); do
    before=$(served one)
    api DELETE $secrets/own > /dev/null
    ALIVE="devcluster one two first second files" await 60 "rotation $i" both_serve_another "$before"
done
wait $swapper || true # bash forgets the status of a child when a later one has its pid; the file tells
[ -e "$DIR/swapped" ]
took=$(($(now_ms) - began))
touch "$DIR/stop"
wait "${callers[@]}" || true # the counts tell

# ---- what came of it

bad=0
for name in one two job; do
    read -r good failed late < "$DIR/$name.count"
    echo "      $name: $good good, $failed failed, $late by what was out of date"
    [ "$failed" = 0 ] || bad=1
    [ "$good" -ge $rotations ] || { echo "too few calls: $good" >&2; bad=1; }
done
for name in short long; do
    awk -v name=$name '{ for (i = 1; i <= NF; i++) sum[$i] += $(i + 1); bad += $1 != "valid" }
        END { printf "      %s connections: %d right, %d wrong, %d unanswered, %d retried, %d lost\n", name, sum["right"], sum["wrong"],
            sum["unanswered"], sum["retried"], sum["lost"]; exit bad + sum["wrong"] + sum["unanswered"] + sum["retried"] + sum["lost"] + !sum["right"] > 0 }' \
        "$DIR/$name.valid" || bad=1
done
[ $bad = 0 ]
echo "ok    $rotations changes of the CA and $rotations swaps of files in $((took / 1000)) s, and nothing failed"
