#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a rule of /devcluster/faults did to a request ends with the rule: the wait of a request, the lag of a watch. faults.sh BIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene devcluster-faults

maps=/api/v1/namespaces/default/configmaps

faults() { api PUT /devcluster/faults -d "{\"rules\": [$1]}" > /dev/null; }
rule() { printf '{"userAgent": "%s", "action": "delay", "delayMilliseconds": %s}' "$1" "$2"; } # rule CLIENT MILLISECONDS
# ask CLIENT QUERY: in the background; what comes is in CLIENT.out, its head in CLIENT.head
ask() { proc_start "$1" curl -sSN -A "$1" --max-time 300 --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -D "$DIR/$1.head" -o "$DIR/$1.out" "$server$maps?$2"; }
begun() { grep -q '200 OK' "$DIR/$1.head"; }
told() { grep -q "\"name\":\"$2\"" "$DIR/$1.out"; } # told CLIENT NAME
map() { api POST $maps -H 'Content-Type: application/json' -d "{\"metadata\": {\"name\": \"$1\"}}" > /dev/null; }
soon() { ALIVE=devcluster await 15 "$@"; }

devcluster
faults "$(rule lagging 20000), $(rule waiting 600000)"
touch "$DIR"/{lagging,prompt,waiting}.{head,out}
ask lagging watch=1
ask waiting limit=1
ask prompt watch=1
ALIVE=devcluster await 60 "the watch that lags" begun lagging

# While the rules are there: others see what it doesn't.
map one
soon "the watch without a rule" told prompt one
if told lagging one || begun waiting; then echo "the rules had no effect" >&2; exit 1; fi

api DELETE /devcluster/faults > /dev/null
soon "the watch, for what was before" told lagging one
map two
soon "the watch, for what is new" told lagging two
soon "the request that waited" told waiting one

# Rules that are replaced are gone, too.
faults "$(rule again 600000)"
touch "$DIR"/again.{head,out}
ask again limit=1
taken() { api GET /devcluster/faults | jq -e '.rules[0].taken == 1' > /dev/null; }
soon "the rule takes it" taken
faults "$(rule other 600000)"
soon "the request that waited for a rule before" told again one
echo "a rule's effects end with it"
