#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an API server, or whoever writes to the keeper's namespace, may do to the keeper.
# Findings: endpoints that fail at once were asked by recursion, and 200,000 of them ended the process; where the Secret doesn't stay as it is
# written, the keeper made CAs and wrote them without a pause. Seen on 23e780d2: ended by SIGSEGV; 600 writes in five seconds, as many as this API server takes.
# quick
. "$(dirname "$0")/lib.sh"

mkdir -p "$DIR/keeper"
spawn keeper-api python3 "$(dirname "$0")/keeper_api.py" 0
api_port() { log_since_start keeper-api | sed -n 's/^listening on //p' | grep .; }
ALIVE=keeper-api await 60 "the API server" api_port
API=http://127.0.0.1:$(api_port)
printf '{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"%s"}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
    "users":[{"name":"u","user":{"token":"t"}}],"current-context":"c"}\n' "$API" > "$DIR/keeper/kubeconfig"

set_to() { curl -sS --fail --max-time 60 -X PUT --data-binary "$2" "$API/$1" > /dev/null; } # set_to WHAT VALUE
seen() { curl -sS --fail --max-time 60 "$API/seen?$(jq -rn --arg r "$1" '$r | @uri')"; }   # seen REGEX
seen_more() { [ "$(seen "$1")" -gt "$2" ]; }
writes() { seen '^(POST|PUT) /api/v1/namespaces/default/secrets'; }
stored() { curl -sS --fail --max-time 60 "$API/api/v1/namespaces/default/secrets/own" 2> /dev/null | jq -e '.data["tls.crt"]' > /dev/null; }
logged() { log_since_start keeper | grep -q "$1"; }
keeper() { # one in the place of the one before
    proc_stop keeper
    spawn keeper "$JR_BIN/jobreeve-webhook" --keeper --kubeconfig "$DIR/keeper/kubeconfig" --webhook-configuration=keeper --tls-secret=own \
        --tls-secret-namespace=default --tls-names=127.0.0.1 --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=0 --tls-poll-interval=1s
    ALIVE=keeper await 60 "the keeper" listener keeper health
}

# ---- endpoints

for n in 1000 200000; do
    set_to endpoints $n
    keeper
    before=$(seen '/endpointslices')
    check_await "$n endpoints: they are read again and again" 120 seen_more '/endpointslices' $((before + 2))
    check "$n endpoints: the keeper lives" "$(proc_alive keeper && echo yes)" yes
    check_await "$n endpoints: it is well" 60 http_get "$(listener keeper health)" /livez
done
check_await "200,000 endpoints: it says so" 60 logged '200000 endpoints in the EndpointSlices of the Service'
set_to endpoints 0

# ---- a Secret that doesn't stay

for fate in forgotten emptied refused; do
    set_to secret "$fate"
    before=$(writes)
    keeper
    check_await "$fate: the keeper tries" 60 seen_more '^(POST|PUT) /api/v1/namespaces/default/secrets' "$before"
    sleep 5 # whoever doesn't pause has written hundreds of times by then
    check_more "$fate: a write has its pause" 100 $(($(writes) - before))
    check_await "$fate: it says so" 60 logged 'the Secret does not stay as it is written'
    set_to secret kept
    check_await "$fate: it is well once the Secret stays" 60 stored
done
