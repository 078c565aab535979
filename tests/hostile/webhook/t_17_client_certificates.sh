#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# With --client-ca-file nobody without a good certificate takes a place from who has one, good reviews and a crowd or not. Finding: a connection
# that was checked once stayed known when its CA was taken away. Seen on d0e5001: 200 and 200, and 2 of 40 valid requests on new connections were lost.
# quick
. "$(dirname "$0")/lib.sh"

certificate server localhost
certificate ours ours
certificate others others
client_certificate apiserver ours
cp "$DIR/tls/ours.crt" "$DIR/tls/clients.crt"
webhook --max-connections=60 --client-ca-file="$DIR/tls/clients.crt"

KEYS=(--cert="$DIR/tls/apiserver.crt" --key="$DIR/tls/apiserver.key")
valid "$DIR/certs.old" 50 7 --connections=4 --renew=1000000 "${KEYS[@]}" &
old=$!
sleep 1
hostile "$DIR/certs.hostile" "$(port "$WEBHOOK")" 5 --kinds=reviews,refreshed,silent-after-handshake,hello --connections=400 --addresses=4 --again=20ms &
foes=$!
valid "$DIR/certs.new" 10 4 --connections=2 --renew=1 "${KEYS[@]}"
wait "$old" "$foes"
result "there was a siege" "$(tail -n 1 "$DIR/certs.hostile")" test "$(figure "$DIR/certs.hostile" opened)" -ge 400
result "valid requests on old connections" "$(cat "$DIR/certs.old")" all_right "$DIR/certs.old"
result "valid requests on new connections" "$(cat "$DIR/certs.new")" all_right "$DIR/certs.new"
check "none of an API server's connections was evicted" "$(figure "$DIR/certs.old" lost)" 0

# One connection, before and after its CA is taken away.
request() {
    printf 'POST /validate-batch-v1-job HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n' "$(wc -c < "$VALIDATE_REVIEW")"
    cat "$VALIDATE_REVIEW"
}
statuses() { # those on the connection so far
    grep -ao 'HTTP/1.1 [0-9]*' "$DIR/conn.out" | cut -d ' ' -f 2 | tr '\n' ' '
}
answered() { # answered N
    [ "$(statuses | wc -w)" -ge "$1" ]
}
mkfifo "$DIR/conn.in"
openssl s_client -quiet -connect "$WEBHOOK" -CAfile "$DIR/tls/server.crt" -cert "$DIR/tls/apiserver.crt" -key "$DIR/tls/apiserver.key" \
    < "$DIR/conn.in" > "$DIR/conn.out" 2> "$DIR/log/s_client.log" &
exec 7> "$DIR/conn.in"
request >&7
await 120 "the first answer" answered 1
check "the CA is trusted" "$(statuses)" "200 "
cp "$DIR/tls/others.crt" "$DIR/tls/clients.new" && mv "$DIR/tls/clients.new" "$DIR/tls/clients.crt"
await 60 "the new CA" grep -q '"msg":"reloaded".*client CA' "$DIR/log/webhook.log"
request >&7
await 120 "the second answer" answered 2
check "and when it no longer is, its connections aren't" "$(statuses)" "200 401 "
exec 7>&-
