#!/usr/bin/env bash
# --tls-secret from outside, on the devcluster: own_certs.sh BIN
#   two replicas begin at once without a certificate, serve the same one, and the API server trusts it;
#   a caBundle that somebody overwrites comes back; a Secret that is deleted brings a new CA beside the old one
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene own-certs

replica() { # replica NAME
    proc_start "$1" "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
        --tls-names 127.0.0.1 --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 \
        --metrics-bind-address 127.0.0.1:0 --shutdown-delay 0s --tls-poll-interval 500ms
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
refused() { # refused WORDS: each replica says so, of the Secret's data
    grep 'not fit for use, the last good ones stay' "$DIR/log/one.log" | grep -q "$1" &&
        grep 'not fit for use, the last good ones stay' "$DIR/log/two.log" | grep -q "$1"
}
metric() { # metric REPLICA NAME
    curl -sS --max-time 30 "http://$(listener "$1" metrics)/metrics" | sed -n "s/^$2 //p"
}

devcluster --node ''

replica one
replica two
for r in one two; do ALIVE="devcluster one two" await 60 "replica $r" listener $r webhook; done
job_hooks "$(listener one webhook)" "$(listener two webhook)"
ALIVE="devcluster one two" await 60 "the bundle" trusts 1
[ "$(served one)" = "$(served two)" ]
served one | grep -q Fingerprint
create first
api GET $secrets/own | jq -e '.type == "kubernetes.io/tls"' > /dev/null
[ -n "$(metric one jobreeve_webhook_certificate_not_after_timestamp_seconds)" ]
echo "ok    two replicas serve one certificate, and are trusted"

api PATCH "$admission/mutatingwebhookconfigurations/jobreeve" -H 'Content-Type: application/json-patch+json' \
    -d '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]' > /dev/null
ALIVE="devcluster one two" await 60 "the bundle to come back" trusts 1
create second
echo "ok    a caBundle that was taken away comes back"

before=$(served one)
api GET $secrets/own | jq -r '.data["tls.key"]' | base64 -d > "$DIR/good.key"
api GET $secrets/own | jq -r '.data["ca.key"]' | base64 -d > "$DIR/other.key"
api GET $secrets/own | jq -r '.data["tls.crt"]' | base64 -d > "$DIR/good.crt"
echo rubbish > "$DIR/rubbish"
spoil tls.key "$DIR/other.key"
ALIVE="devcluster one two" await 60 "the refusal of another key" refused "tls.key: the private key is not the certificate's"
spoil tls.key "$DIR/rubbish"
ALIVE="devcluster one two" await 60 "the refusal of no key" refused "tls.key: expected a private key in PEM"
spoil tls.key "$DIR/good.key"
spoil tls.crt "$DIR/rubbish"
ALIVE="devcluster one two" await 60 "the refusal of no certificate" refused "tls.crt: expected a certificate in PEM"
[ "$(served one)" = "$before" ]
create third
[ "$(metric one 'jobreeve_webhook_certificate_reloads_total{result="error"}')" -ge 3 ]
spoil tls.crt "$DIR/good.crt"
echo "ok    what is no certificate, or no key of it, is refused by its name, and the last good one is served on"

api DELETE $secrets/own > /dev/null
i=0
until trusts 2; do
    [ $((i += 1)) -le 600 ] || exit 1
    create "while-$i"
done
[ "$(served one)" = "$before" ]
create last
echo "ok    a deleted Secret brings a second CA, and no call fails meanwhile ($i made)"

for r in one two; do
    proc_stop $r
    [ "$STOP_STATUS" = 0 ]
done
echo "ok    both end well"
