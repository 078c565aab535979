#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# remove from outside, on the devcluster: remove.sh BIN
#   both configurations and the Secret go, in that order, and Jobs can be made right after; again, it is fine
#   an API server that refuses, breaks off, loses its answers or stands still for a moment is asked again
#   what doesn't go is named, and the exit code is 1
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene remove

install() { # what is to be removed: nobody serves it, so that no Job can be made
    job_hooks 127.0.0.1:1 127.0.0.1:1
    api POST $secrets -H 'Content-Type: application/json' -d '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"own"}}' > /dev/null
}
remove() { # remove FLAG...: its exit code; what it says is in DIR/log/remove.log
    local code=0
    one_shot remove --tls-secret own --namespace default "$@" || code=$?
    echo $code
}
all_gone() {
    gone $admission/mutatingwebhookconfigurations/jobreeve && gone $admission/validatingwebhookconfigurations/jobreeve &&
        gone $secrets/own
}
faults() { # faults RULE...: for the webhook alone
    api PUT /devcluster/faults -d "{\"rules\": [$(printf '{"userAgent": "jobreeve-webhook", %s},' "$@" | sed 's/,$//')]}" > /dev/null
}
order() { # what was deleted, in order
    sed -n 's/.*"msg":"deleted".*"kind":"\([^"]*\)".*/\1/p' "$DIR/log/remove.log" | paste -sd ' '
}

devcluster --node ''

install
if create refused 2> "$DIR/err"; then exit 1; fi
[ "$(remove)" = 0 ]
all_gone
[ "$(order)" = "MutatingWebhookConfiguration ValidatingWebhookConfiguration Secret" ]
create first
echo "ok    all is removed, the configurations first, and Jobs can be made"

[ "$(remove)" = 0 ]
[ -z "$(order)" ]
install
api DELETE $admission/validatingwebhookconfigurations/jobreeve > /dev/null
[ "$(remove --deployment jobreeve-webhook)" = 0 ]
all_gone
[ "$(order)" = "MutatingWebhookConfiguration Secret" ]
grep -q 'no such deployment' "$DIR/log/remove.log"
install
api DELETE $secrets/own > /dev/null
[ "$(remove --tls-secret '')" = 0 ]
all_gone
echo "ok    what isn't there is fine"

install
faults '"path": "mutating", "times": 2, "action": "status", "status": 503' '"path": "validating", "times": 1, "action": "drop"' \
    '"path": "secrets", "times": 1, "action": "lost"'
[ "$(remove)" = 0 ]
all_gone
install
faults '"path": "mutating", "times": 1, "action": "lost"' '"path": "validating", "times": 1, "action": "status", "status": 429' \
    '"path": "secrets", "times": 1, "action": "status", "status": 403'
[ "$(remove)" = 0 ]
all_gone
api DELETE /devcluster/faults > /dev/null
install
proc_signal devcluster STOP
proc_start remover "$bin/jobreeve-webhook" remove --kubeconfig "$DIR/kubeconfig" --tls-secret own --namespace default
ALIVE=remover await 60 "a request that nobody answers" grep -q 'not deleted yet' "$DIR/log/remover.log"
proc_signal devcluster CONT
await 60 "the end" proc_gone 0 remover
read -r pid _ < "$DIR/run/remover.pid"
reap "$pid"
[ "$STOP_STATUS" = 0 ]
rm "$DIR/run/remover.pid"
all_gone
create second
echo "ok    an API server in trouble is asked again"

install
api PATCH $admission/mutatingwebhookconfigurations/jobreeve -H 'Content-Type: application/merge-patch+json' \
    -d '{"metadata":{"finalizers":["example.com/keep"]}}' > /dev/null
[ "$(remove --timeout 2s)" = 1 ]
grep 'not done in time, given up' "$DIR/log/remove.log" | grep -q 'mutatingwebhookconfigurations/jobreeve: .*finalizer'
api GET $secrets/own > /dev/null # in its order
api PATCH $admission/mutatingwebhookconfigurations/jobreeve -H 'Content-Type: application/merge-patch+json' \
    -d '{"metadata":{"finalizers":null}}' > /dev/null
[ "$(remove)" = 0 ]
all_gone
faults '"action": "status", "status": 403'
[ "$(remove --timeout 1s)" = 1 ]
grep 'given up' "$DIR/log/remove.log" | grep -q mutatingwebhookconfigurations/jobreeve
proc_stop devcluster
[ "$(remove --timeout 1s)" = 1 ]
grep -q 'given up' "$DIR/log/remove.log"
[ "$(remove --kubeconfig "$DIR/none")" = 2 ]
echo "ok    what doesn't go is named"
