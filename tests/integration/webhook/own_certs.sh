#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --tls-secret from outside, on the devcluster: own_certs.sh BIN
#   two keepers and two replicas begin at once without a certificate; the replicas serve the same one, and the API server trusts it;
#   a caBundle that somebody overwrites comes back; a Secret that is deleted brings a new CA beside the old one, and no old key back
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene own-certs

replica() { # replica NAME [FLAG]...
    proc_start "$1" "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
        --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 \
        --metrics-bind-address 127.0.0.1:0 --shutdown-delay-duration 0s --tls-poll-interval 500ms "${@:2}"
}
trusts() { # trusts N: both configurations hold so many CAs
    [ "$(bundle Mutating | grep -c BEGIN)" = "$1" ] && [ "$(bundle Validating)" = "$(bundle Mutating)" ]
}
served() { # served REPLICA: the fingerprint of what it serves, by the bundle's CAs
    bundle Mutating > "$DIR/bundle.crt"
    openssl s_client -connect "$(listener "$1" webhook)" -CAfile "$DIR/bundle.crt" -verify_return_error -verify_ip 127.0.0.1 \
        < /dev/null 2> /dev/null | openssl x509 -noout -fingerprint
}
spoil() { # spoil KEY FILE: what somebody makes of the Secret
    api PATCH $secrets/own -H 'Content-Type: application/merge-patch+json' -d "{\"data\":{\"$1\":\"$(base64 -w0 "$2")\"}}" > /dev/null
}
refused() { # refused WORDS: each replica and each keeper says so, of the Secret's data
    local r
    for r in one two; do grep 'not fit for use, the last good one stays' "$DIR/log/$r.log" | grep -q "$1" || return 1; done
    for r in first second; do grep 'not fit for use, nothing is written over them' "$DIR/log/$r.log" | grep -q "$1" || return 1; done
}
secure() { # secure REPLICA: scrapes it by HTTPS, by the bundle's CAs; the same exit code as curl's
    curl -sS --fail --max-time 30 --cacert "$DIR/bundle.crt" "https://$(listener "$1" metrics)/metrics" > "$DIR/scrape" 2> "$DIR/curl.err"
}
metric() { # metric REPLICA NAME
    curl -sS --max-time 30 "http://$(listener "$1" metrics)/metrics" | sed -n "s/^$2 //p"
}

devcluster --node ''

replica one
replica two --metrics-secure
ALIVE="devcluster two" await 60 "the metrics of two" listener two metrics
self_signed "$DIR/bundle" nobody
code=0
secure two || code=$?
[ $code = 35 ]
proc_alive two
echo "ok    without a certificate metrics by TLS are none, and the process goes on"
for k in first second; do keeper $k --tls-poll-interval 500ms; done
for r in one two; do ALIVE="devcluster one two first second" await 60 "replica $r" listener $r webhook; done
job_hooks "$(listener one webhook)" "$(listener two webhook)"
ALIVE="devcluster one two first second" await 60 "the bundle" trusts 1
[ "$(served one)" = "$(served two)" ]
served one | grep -q Fingerprint
create first
api GET $secrets/own | jq -e '.type == "kubernetes.io/tls"' > /dev/null
for r in one first; do
    [ -n "$(metric $r jobreeve_webhook_certificate_not_after_timestamp_seconds)" ]
    metric $r jobreeve_webhook_clock_skew_seconds | grep -q '^-\?[0-9.e-]*$'
    metric $r "rest_client_requests_total{code=\"200\",method=\"GET\",host=\"${server#https://}\"}" | grep -q '^[1-9]'
done
[ -n "$(metric first jobreeve_webhook_ca_not_after_timestamp_seconds)" ]
[ "$(metric first jobreeve_webhook_old_ca_trusted)" = 0 ]
secure two
grep -q '^jobreeve_webhook_certificate_not_after_timestamp_seconds ' "$DIR/scrape"
echo "ok    two replicas serve one certificate, and are trusted; metrics by TLS have it, too"

api PATCH "$admission/mutatingwebhookconfigurations/jobreeve" -H 'Content-Type: application/json-patch+json' \
    -d '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]' > /dev/null
ALIVE="devcluster one two first second" await 60 "the bundle to come back" trusts 1
create second
echo "ok    a caBundle that was taken away comes back"

before=$(served one)
api GET $secrets/own | jq -r '.data["tls.key"]' | base64 -d > "$DIR/good.key"
api GET $secrets/own | jq -r '.data["ca.key"]' | base64 -d > "$DIR/other.key"
api GET $secrets/own | jq -r '.data["tls.crt"]' | base64 -d > "$DIR/good.crt"
echo rubbish > "$DIR/rubbish"
spoil tls.key "$DIR/other.key"
ALIVE="devcluster one two first second" await 60 "the refusal of another key" refused "tls.key: the private key is not the certificate's"
spoil tls.key "$DIR/rubbish"
ALIVE="devcluster one two first second" await 60 "the refusal of no key" refused "tls.key: expected a private key in PEM"
spoil tls.key "$DIR/good.key"
spoil tls.crt "$DIR/rubbish"
ALIVE="devcluster one two first second" await 60 "the refusal of no certificate" refused "tls.crt: expected a certificate in PEM"
[ "$(served one)" = "$before" ]
create third
[ "$(metric one 'jobreeve_webhook_certificate_reloads_total{result="error"}')" -ge 3 ]
spoil tls.crt "$DIR/good.crt"
for r in one two first second; do [ "$(sed -n '/"level":"error"/p' "$DIR/log/$r.log" | wc -l)" = 0 ]; done
echo "ok    what is no certificate, or no key of it, is refused by its name, and the last good one is served on"

api DELETE $secrets/own > /dev/null
i=0
until trusts 2; do
    [ $((i += 1)) -le 600 ] || exit 1
    create "while-$i"
done
[ "$(served one)" = "$before" ]
secure two
create last
api GET $secrets/own | jq -e '.data["ca.key"] == null and .data["tls.key"] == "" and .data["next-ca.key"] != null' > /dev/null
echo "ok    a deleted Secret brings a second CA, and no call fails meanwhile ($i made)"

for r in one two first second; do
    proc_stop $r
    [ "$STOP_STATUS" = 0 ]
done
echo "ok    all end well"
