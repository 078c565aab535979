#!/usr/bin/env bash
# Who may call, and in which words of TLS, from outside: clients.sh BIN
#   --client-ca-file, --client-names    a client without a certificate of the CA, or of another name, gets 401; a new CA file counts
#   --tls-min-version, --tls-ciphers    nothing else is spoken
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene clients

ca() { # ca NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$DIR/$1.key" -out "$DIR/$1.crt" -days 2 \
        -subj "/CN=$1" 2> /dev/null
}
client() { # client NAME CA: a client's certificate
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$DIR/$1.key" -out "$DIR/$1.csr" -subj "/CN=$1" 2> /dev/null
    openssl x509 -req -in "$DIR/$1.csr" -CA "$DIR/$2.crt" -CAkey "$DIR/$2.key" -CAcreateserial -days 2 -out "$DIR/$1.crt" \
        -extfile <(printf 'extendedKeyUsage=clientAuth\nsubjectAltName=DNS:%s.example.com\n' "$1") 2> /dev/null
}
start() { # start FLAG...
    : > "$DIR/log/webhook.log"
    proc_start webhook "$bin/jobreeve-webhook" --bind-address 127.0.0.1 --port 0 --shutdown-delay-duration 0s --health-probe-bind-address 0 \
        --metrics-bind-address 0 --tls-cert-file "$DIR/server.crt" --tls-private-key-file "$DIR/server.key" "$@"
    ALIVE=webhook await 60 "the webhook" listener webhook webhook
}
ask() { # ask [CURL-ARGUMENT]...: the HTTP status, 000 where there is no TLS
    curl -sS -o "$DIR/answer" -w '%{http_code}' --max-time 30 --cacert "$DIR/server.crt" -H 'Content-Type: application/json' \
        --data-binary @"$here/../../vectors/wire/reviews/002-validate-CREATE-jobs.json" "$@" "https://$(listener webhook webhook)/validate-batch-v1-job" \
        2> "$DIR/curl.err" || true
}
as() { # as CLIENT: ask by its certificate
    ask --cert "$DIR/$1.crt" --key "$DIR/$1.key"
}
gives() { # gives WANTED COMMAND...
    local got
    got=$("${@:2}")
    [ "$got" = "$1" ]
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$DIR/server.key" -out "$DIR/server.crt" -days 2 \
    -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2> /dev/null
ca ours
ca others
client apiserver ours
client somebody ours
client stranger others

cp "$DIR/ours.crt" "$DIR/clients.crt"
start --client-ca-file "$DIR/clients.crt" --client-names other,apiserver.example.com
gives 200 as apiserver
gives 401 as somebody
grep -q -- --client-names "$DIR/answer"
gives 401 as stranger
grep -q -- --client-ca-file "$DIR/answer"
gives 401 ask
grep -q "expected a client certificate" "$DIR/answer"
echo "ok    only clients of the CA and of the name may call"
proc_stop webhook

start --client-ca-file "$DIR/clients.crt"
gives 200 as somebody
gives 401 as stranger
cp "$DIR/others.crt" "$DIR/clients.new" && mv "$DIR/clients.new" "$DIR/clients.crt"
ALIVE=webhook await 60 "the new CA" gives 200 as stranger
gives 401 as somebody
echo rubbish > "$DIR/clients.crt"
ALIVE=webhook await 60 "the refusal of rubbish" grep -q "not reloaded" "$DIR/log/webhook.log"
gives 200 as stranger
echo "ok    another CA file counts at once, a broken one doesn't"
proc_stop webhook

start --tls-min-version VersionTLS13 --tls-ciphers AES-256-GCM
gives 200 ask
gives 000 ask --tls-max 1.2
gives 000 ask --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256
gives 200 ask --tls13-ciphers TLS_AES_256_GCM_SHA384
proc_stop webhook
start
gives 200 ask --tls-max 1.2
gives 000 ask --tls-max 1.1
echo "ok    only the TLS that was asked for is spoken"
