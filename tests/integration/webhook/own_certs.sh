#!/usr/bin/env bash
# --tls-secret from outside, on the devcluster: own_certs.sh BIN
#   two replicas begin at once without a certificate, serve the same one, and the API server trusts it;
#   a caBundle that somebody overwrites comes back; a Secret that is deleted brings a new CA beside the old one
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene own-certs

secrets=/api/v1/namespaces/default/secrets
admission=/apis/admissionregistration.k8s.io/v1

replica() { # replica NAME
    proc_start "$1" "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
        --tls-names 127.0.0.1 --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 \
        --metrics-bind-address 127.0.0.1:0 --shutdown-delay 0s
}
configuration() { # configuration Mutating|Validating mutate|validate ADDRESS
    api POST "$admission/${1,,}webhookconfigurations" -H 'Content-Type: application/yaml' --data-binary @- > /dev/null <<Y
apiVersion: admissionregistration.k8s.io/v1
kind: ${1}WebhookConfiguration
metadata: {name: jobreeve}
webhooks:
- name: $2.jobs.jobreeve.dev
  clientConfig: {url: "https://$3/$2-batch-v1-job"}
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE]}]
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
Y
}
bundle() { # bundle Mutating|Validating: what callers trust
    api GET "$admission/${1,,}webhookconfigurations/jobreeve" | jq -r '.webhooks[0].clientConfig.caBundle // empty' | base64 -d
}
trusts() { # trusts N: both configurations hold so many CAs
    [ "$(bundle Mutating | grep -c BEGIN)" = "$1" ] && [ "$(bundle Validating)" = "$(bundle Mutating)" ]
}
create() { # create NAME: with both webhooks in the way, which must not fail
    api POST /apis/batch/v1/namespaces/default/jobs -H 'Content-Type: application/yaml' --data-binary @- > "$DIR/answer" <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}
Y
}
served() { # served REPLICA: the fingerprint of what it serves, by the bundle's CAs
    bundle Mutating > "$DIR/bundle.crt"
    openssl s_client -connect "$(listener "$1" webhook)" -CAfile "$DIR/bundle.crt" -verify_return_error -verify_ip 127.0.0.1 \
        < /dev/null 2> /dev/null | openssl x509 -noout -fingerprint
}
metric() { # metric REPLICA NAME
    curl -sS --max-time 30 "http://$(listener "$1" metrics)/metrics" | sed -n "s/^$2 //p"
}

devcluster --node ''

replica one
replica two
for r in one two; do ALIVE="devcluster one two" await 60 "replica $r" listener $r webhook; done
configuration Mutating mutate "$(listener one webhook)"
configuration Validating validate "$(listener two webhook)"
ALIVE="devcluster one two" await 60 "the bundle" trusts 1
[ "$(served one)" = "$(served two)" ] && served one | grep -q Fingerprint
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
