#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# self-test from outside, on the devcluster: self_test.sh BIN
#   an installed webhook passes, and makes no Job; a configuration that is missing, one that names nobody, probes that aren't
#   there, an API server that refuses: exit code 1, and the check is named
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene self-test

self_test() { # self_test STATUS FLAG...
    local code=0
    one_shot self-test "${@:2}" || code=$?
    [ $code = "$1" ]
}
oks() { grep -c '"msg":"ok"' "$DIR/log/self-test.log"; }
blames() { # blames WORDS: of the last line
    grep 'given up' "$DIR/log/self-test.log" | grep -q -- "$1"
}

devcluster --node ''
proc_start webhook "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
    --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 \
    --shutdown-delay-duration 0s --tls-poll-interval 500ms
keeper keeper --tls-poll-interval 500ms --tls-names metrics.example.com
ALIVE="devcluster webhook keeper" await 60 "the webhook" listener webhook webhook
health=http://$(listener webhook health)/readyz
metrics=http://$(listener webhook metrics)/metrics
address=$(listener webhook webhook)

self_test 1 --timeout 1s
blames "the API server asks mutate.job.jobreeve.dev: it has admitted"
configuration Mutating jobreeve "$(hook mutate.job.jobreeve.dev "https://$address/mutate-batch-v1-job" Ignore)"
self_test 1 --timeout 15s --readyz-url "$health"
blames "the API server asks validate.job.jobreeve.dev: it has admitted"
[ "$(oks)" = 2 ]
self_test 0 --sides mutate # the other side is off
[ "$(oks)" = 2 ]
configuration Validating jobreeve "$(hook validate.job.jobreeve.dev "https://$address/validate-batch-v1-job")"
self_test 0 --readyz-url "$health" --metrics-url "$metrics"
[ "$(oks)" = 5 ]
self_test 0
[ "$(oks)" = 3 ]
api GET $jobs | jq -e '.items == []' > /dev/null
echo "ok    an installed webhook passes, one that isn't asked doesn't"

self_test 1 --timeout 1s --metrics-url "$health"
blames "it serves metrics: expected controller_runtime"
self_test 1 --timeout 1s --readyz-url "${health%readyz}none"
blames "the webhook is ready"
self_test 1 --timeout 1s --readyz-url http://127.0.0.1:1/readyz
blames "the webhook is ready"
self_test 1 --timeout 1s --namespace nowhere
blames nowhere
self_test 2 --readyz-url https://127.0.0.1/readyz
proc_start secure "$bin/jobreeve-webhook" --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
    --bind-address 127.0.0.1 --port 0 --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0 --metrics-secure
ALIVE="devcluster secure" await 60 "metrics by HTTPS" listener secure metrics
secure=https://$(listener secure metrics)/metrics
api GET $secrets/own | jq -r '.data["ca.crt"]' | base64 -d > "$DIR/own-ca.crt"
self_test 0 --metrics-url "$secure" --metrics-ca-file "$DIR/own-ca.crt"
[ "$(oks)" = 4 ]
self_test 0 --metrics-url "$secure" --metrics-ca-file "$DIR/own-ca.crt" --metrics-server-name metrics.example.com
[ "$(oks)" = 4 ]
self_test 1 --timeout 1s --metrics-url "$secure" --metrics-ca-file "$DIR/own-ca.crt" --metrics-server-name other.example.com
blames "it serves metrics"
self_signed "$DIR/other" other
self_test 1 --timeout 1s --metrics-url "$secure" --metrics-ca-file "$DIR/other.crt"
blames "it serves metrics"
self_test 2 --metrics-url "$secure" --metrics-ca-file "$DIR/other.key"
grep -qF "$DIR/other.key: certificate-authority: there is no PEM certificate in it" "$DIR/log/self-test.log"
self_test 2 --metrics-url "$secure" --metrics-ca-file "$DIR/none"
grep -qF "$DIR/none" "$DIR/log/self-test.log"
proc_stop secure
self_test 2 --namespace a.b
proc_stop webhook
self_test 1 --timeout 1s
blames "mutate.job.jobreeve.dev"
echo "ok    what is not well is named"
