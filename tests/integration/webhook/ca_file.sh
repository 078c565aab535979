#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --keeper --tls-ca-file from outside, on the devcluster: ca_file.sh BIN
#   both configurations trust what the file says, again when somebody has overwritten them, and anew when the file changes;
#   a file that is none is refused, at the start by the flag's name, later with the last good one kept
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene ca-file

both() { # both KIND: a configuration with an entry for each kind of object
    local url
    url=https://$(listener webhook webhook)
    configuration "$1" hooks "$(hook job.jobreeve.dev "$url/mutate-batch-v1-job")" \
        "$(hook cronjob.jobreeve.dev "$url/mutate-batch-v1-cronjob" Fail cronjobs)"
}
trusts() { # trusts FILE: every webhook of both
    local kind i
    for kind in Mutating Validating; do
        for i in 0 1; do cmp -s "$1" <(bundle $kind hooks $i) || return 1; done
    done
}
put() { # put FILE: as it is written by who does it well
    cp "$1" "$DIR/ca.new"
    mv "$DIR/ca.new" "$DIR/tls-ca.crt"
}
start() { # start FLAG...: the keeper
    proc_start keeper "$bin/jobreeve-webhook" --keeper --kubeconfig "$DIR/kubeconfig" --webhook-configuration hooks \
        --health-probe-bind-address 0 --metrics-bind-address 0 --tls-poll-interval 500ms "$@"
}
refused() { # refused WORDS FLAG...: exit code 2, and the flag is named
    local pid
    start "${@:2}"
    proc_gone 60 keeper
    read -r pid _ < "$DIR/run/keeper.pid"
    reap "$pid"
    rm "$DIR/run/keeper.pid"
    [ "$STOP_STATUS" = 2 ]
    grep -q -- "--tls-ca-file.*$1" <(log_since_start keeper)
}

devcluster --node ''
self_signed "$DIR/one" one
self_signed "$DIR/two" two
cat "$DIR/one.crt" "$DIR/two.crt" > "$DIR/both.crt"

refused "No such file" --tls-ca-file "$DIR/none.crt"
refused "private key" --tls-ca-file "$DIR/one.key"
echo rubbish > "$DIR/rubbish"
refused "CA certificates" --tls-ca-file "$DIR/rubbish"
echo "ok    a file that is none is refused at the start"

put "$DIR/one.crt"
start --tls-ca-file "$DIR/tls-ca.crt"
proc_start webhook "$bin/jobreeve-webhook" --tls-cert-file "$DIR/one.crt" --tls-private-key-file "$DIR/one.key" --bind-address 127.0.0.1 \
    --port 0 --health-probe-bind-address 0 --metrics-bind-address 0 --shutdown-delay-duration 0s
ALIVE="devcluster webhook keeper" await 60 "the webhook" listener webhook webhook
both Mutating
both Validating
ALIVE="devcluster webhook keeper" await 60 "the bundle" trusts "$DIR/one.crt"
create first
echo "ok    both configurations trust the file, and a Job is made"

api PATCH "$admission/mutatingwebhookconfigurations/hooks" -H 'Content-Type: application/json-patch+json' \
    -d "[{\"op\":\"add\",\"path\":\"/webhooks/1/clientConfig/caBundle\",\"value\":\"$(base64 -w0 "$DIR/two.crt")\"}]" > /dev/null
api PATCH "$admission/validatingwebhookconfigurations/hooks" -H 'Content-Type: application/json-patch+json' \
    -d '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]' > /dev/null
ALIVE="devcluster webhook keeper" await 60 "the bundle to come back" trusts "$DIR/one.crt"
echo "ok    what somebody overwrites comes back"

put "$DIR/both.crt"
ALIVE="devcluster webhook keeper" await 60 "the new file" trusts "$DIR/both.crt"
put "$DIR/rubbish"
ALIVE="devcluster webhook keeper" await 60 "the refusal" grep -q 'not reloaded.*"what":"CA".*tls-ca.crt' "$DIR/log/keeper.log"
api PATCH "$admission/mutatingwebhookconfigurations/hooks" -H 'Content-Type: application/json-patch+json' \
    -d '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]' > /dev/null
ALIVE="devcluster webhook keeper" await 60 "the last good one" trusts "$DIR/both.crt"
echo "ok    a new file counts, a broken one doesn't"

api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-webhook", "times": 3, "action": "status", "status": 503},
    {"userAgent": "jobreeve-webhook", "times": 1, "action": "drop"}]}' > /dev/null
put "$DIR/two.crt"
ALIVE="devcluster webhook keeper" await 60 "the new file, through faults" trusts "$DIR/two.crt"
proc_stop keeper
[ "$STOP_STATUS" = 0 ]
echo "ok    an API server in trouble is asked again"
