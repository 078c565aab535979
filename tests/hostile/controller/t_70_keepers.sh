#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Findings: one clock that is ahead spoils the Secret; keepers of other names, as in a rollout of --tls-names, sign in turns for as long as
# both run. On a real API server, under the least rights: a keeper whose clock is 70 days ahead of the API server's makes nothing, says so,
# and begins once the clocks agree; of two keepers with other names one signs for both, and then nobody does. Seen to fail on d0e5001, whose
# replicas were their own keepers: the Secret was made all the same, and written 581 times in two minutes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

keeper() { # keeper NAME KUBECONFIG TLS-NAMES
    spawn "$1" "$JR_BIN/jobreeve-webhook" --keeper --kubeconfig "$2" --tls-secret own --tls-secret-namespace jobreeve-system --tls-names "$3" \
        --health-probe-bind-address 0 --metrics-bind-address 0 --tls-poll-interval 200ms
}
looked() { # looked SO-MANY-TIMES: the keeper behind the proxy
    [ "$(proxied '^(200|404) GET .*/secrets/own$')" -ge "$1" ]
}
looked_too() { # looked_too SO-MANY-TIMES: both, the one that asks the API server itself among them
    [ "$(audited 'secrets/own"' '"verb":"get"' ':keeper"')" -ge $(($1 + $(proxied '^(200|404) GET .*/secrets/own$'))) ]
}
there() { [ "$(names secret own -n jobreeve-system)" = secret/own ]; }
certificate() { k get secret own -n jobreeve-system -o json | jq -r '.data["tls.crt"] | @base64d'; }
signed_for() { # signed_for NAME...
    local name names
    names=$(certificate | openssl x509 -noout -ext subjectAltName)
    for name in "$@"; do grep -q "DNS:$name" <<< "$names" || return 1; done
}

k create namespace jobreeve-system --dry-run=client -o yaml | k apply -f - > /dev/null
k delete secret own -n jobreeve-system --ignore-not-found > /dev/null
proxy keepers
proxied_conf "$DIR/pki/keepers.crt" keeper

# ---- a clock

faults "date GET . -6048000"
keeper keeper-1 "$DIR/proxied.conf" hook.example.com,one.example.com
ALIVE=keeper-1 check_await "it says that clocks differ" 60 grep -q 'our clock is 60[0-9]* s ahead of the API server' "$DIR/log/keeper-1.log"
ALIVE=keeper-1 check_await "it looks again and again" 60 looked 10
check "and makes nothing" "$(names secret own -n jobreeve-system)" ""
faults
ALIVE=keeper-1 check_await "when the clocks agree it does" 120 there
check "which is good now" "$(certificate | openssl x509 -noout -checkend 86400 && certificate | openssl verify -partial_chain \
    -CAfile <(k get secret own -n jobreeve-system -o json | jq -r '.data["ca.crt"] | @base64d') 2>&1)" "Certificate will not expire
stdin: OK"

# ---- names

keeper keeper-2 "$DIR/keeper.conf" hook.example.com,two.example.com
ALIVE="keeper-1 keeper-2" check_await "one signs for both" 120 signed_for hook.example.com one.example.com two.example.com
VERSION=$(field secret/own .metadata.resourceVersion -n jobreeve-system)
ONE=$(proxied '^(200|404) GET .*/secrets/own$') TWO=$(($(audited 'secrets/own"' '"verb":"get"' ':keeper"') - ONE))
ALIVE="keeper-1 keeper-2" check_await "the one looks again and again" 60 looked $((ONE + 20))
ALIVE="keeper-1 keeper-2" check_await "and the other" 60 looked_too $((TWO + 20))
check "and nobody signs anew" "$(field secret/own .metadata.resourceVersion -n jobreeve-system)" "$VERSION"
never_refused keeper
for n in keeper-1 keeper-2; do
    proc_stop $n
    check "$n ends well" "$STOP_STATUS" 0
done
k delete secret own -n jobreeve-system > /dev/null
