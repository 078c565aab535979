#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may call, and in which words of TLS, from outside: clients.sh BIN
#   --client-ca-file, --client-names    a client without a certificate of the CA, or of another name, gets 401; a new CA file counts
#   --tls-min-version, --tls-cipher-suites    nothing else is spoken
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene clients

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

self_signed "$DIR/server" localhost
self_signed "$DIR/ours" ours
self_signed "$DIR/others" others
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

start --tls-min-version VersionTLS13
gives 200 ask
gives 000 ask --tls-max 1.2
proc_stop webhook

# Of TLS 1.2 the suites that are named, no pair of their parts; of TLS 1.3 all.
named=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_AES_256_GCM_SHA384
old() { ask --tls-max 1.2 --ciphers "$1"; }
scrape() { # scrape CIPHER: the metrics, by TLS 1.2
    curl -sS -o "$DIR/answer" -w '%{http_code}' --max-time 30 --cacert "$DIR/server.crt" --tls-max 1.2 --ciphers "$1" \
        "https://$(listener webhook metrics)/metrics" 2> "$DIR/curl.err" || true
}
start --tls-cipher-suites $named --client-ca-file "$DIR/ours.crt" --metrics-bind-address 127.0.0.1:0 --metrics-secure
gives 200 scrape ECDHE-ECDSA-AES128-GCM-SHA256
gives 000 scrape ECDHE-ECDSA-AES256-GCM-SHA384
echo "ok    suites count for metrics by TLS, client certificates don't"
proc_stop webhook
start --tls-cipher-suites $named
gives 200 old ECDHE-ECDSA-AES128-GCM-SHA256
gives 000 old ECDHE-ECDSA-AES256-GCM-SHA384
gives 000 old ECDHE-ECDSA-CHACHA20-POLY1305
gives 000 old ECDHE-ECDSA-AES128-SHA
for suite in TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256; do gives 200 ask --tls13-ciphers $suite; done
# The certificate changes to one of RSA: its suites count then, and only its.
cp "$DIR/server.crt" "$DIR/ec.crt" && cp "$DIR/server.key" "$DIR/ec.key"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$DIR/rsa.key" -out "$DIR/rsa.crt" -days 2 -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 2> /dev/null
cp "$DIR/rsa.key" "$DIR/server.key" && cp "$DIR/rsa.crt" "$DIR/server.crt"
proc_signal webhook HUP
ALIVE=webhook await 60 "the certificate of RSA" gives 200 old ECDHE-RSA-AES256-GCM-SHA384
gives 000 old ECDHE-RSA-AES128-GCM-SHA256
gives 000 old ECDHE-ECDSA-AES128-GCM-SHA256
gives 200 ask --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256
proc_stop webhook
# Suites of TLS 1.3 alone leave none for TLS 1.2, as with kube-apiserver.
start --tls-cipher-suites TLS_AES_128_GCM_SHA256
gives 200 ask
gives 000 ask --tls-max 1.2
proc_stop webhook
cp "$DIR/ec.crt" "$DIR/server.crt" && cp "$DIR/ec.key" "$DIR/server.key"
start
gives 200 ask --tls-max 1.2
gives 000 ask --tls-max 1.1
echo "ok    only the TLS that was asked for is spoken"
