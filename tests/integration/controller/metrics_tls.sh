#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The controller's /metrics by HTTPS (--metrics-tls-cert-file, --metrics-tls-private-key-file), from outside: metrics_tls.sh BIN
#   by the right CA alone, not by plain HTTP, by TLS 1.2 and up; files that change count for the next connection, broken ones don't;
#   files that can't be read end the start with 2
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene metrics-tls

serve() { # serve NAME: that pair is in the files from now on
    cp "$DIR/$1.key" "$DIR/new" && mv "$DIR/new" "$DIR/served.key"
    cp "$DIR/$1.crt" "$DIR/new" && mv "$DIR/new" "$DIR/served.crt"
}
scrape() { # scrape CA [CURL-ARGUMENT]...
    curl -sS --fail -o "$DIR/scrape" --max-time 30 --cacert "$DIR/$1.crt" "${@:2}" "https://$(listener controller metrics)/metrics" 2> "$DIR/curl.err"
}
fails() { # fails CODE COMMAND...: with curl's exit code
    local code=0
    "${@:2}" || code=$?
    [ $code = "$1" ] || { echo "expected $1, got $code: ${*:2}" >&2; return 1; }
}
plain() { curl -sS -o "$DIR/scrape" --max-time 30 "http://$(listener controller "$1")/$2" 2> "$DIR/curl.err"; }
value() { awk -v series="$1" '$1 == series { printf "%.0f\n", $2 }' "$DIR/scrape"; } # of the last scrape
reloads() { value "jobreeve_controller_certificate_reloads_total{result=\"$1\"}"; }
end_of() { date -d "$(openssl x509 -noout -enddate -in "$DIR/$1.crt" | cut -d = -f 2)" +%s; }
says() { grep -qF -- "$1" "$DIR/log/controller.log"; }
flags=(--kubeconfig "$DIR/kubeconfig" --leader-elect=false --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0
    --metrics-tls-cert-file "$DIR/served.crt" --metrics-tls-private-key-file "$DIR/served.key")

self_signed "$DIR/first" first IP:127.0.0.1 2
self_signed "$DIR/second" second IP:127.0.0.1 3
# No API server is there: the metrics are served without.
cat > "$DIR/kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: none
contexts: [{name: none, context: {cluster: none, user: none}}]
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
Y

# refused WORDS: the start is, with 2
refused() {
    local code=0
    timeout 60 "$bin/jobreeve-controller" "${flags[@]}" > "$DIR/answer" 2>&1 || code=$?
    [ $code = 2 ] && grep -qF -- "$1" "$DIR/answer" || { echo "expected \"$1\" and 2, got $code:" >&2; cat "$DIR/answer" >&2; return 1; }
}
refused "--metrics-tls-cert-file: $DIR/served.crt: opening the file: No such file or directory"
cp "$DIR/first.crt" "$DIR/served.crt"
refused "--metrics-tls-private-key-file: $DIR/served.key: opening the file: No such file or directory"
cp "$DIR/second.key" "$DIR/served.key"
refused "--metrics-tls-private-key-file: $DIR/served.key: is not the private key of the certificate"
echo "ok    files that are no pair end the start"

serve first
proc_start controller "$bin/jobreeve-controller" "${flags[@]}"
ALIVE=controller await 60 "the metrics" listener controller metrics
scrape first
grep -q '^jobreeve_build_info{' "$DIR/scrape"
[ "$(value jobreeve_controller_certificate_not_after_timestamp_seconds)" = "$(end_of first)" ]
[ "$(reloads success) $(reloads error)" = "0 0" ]
fails 60 scrape second
if plain metrics metrics; then echo "plain HTTP is answered" >&2; exit 1; fi
scrape first --tls-max 1.2
fails 35 scrape first --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0
plain health livez
echo "ok    metrics by TLS 1.2 and up alone, probes by plain HTTP"

serve second
ALIVE=controller await 60 "the second certificate" scrape second
fails 60 scrape first
says '"msg":"reloaded"'
[ "$(value jobreeve_controller_certificate_not_after_timestamp_seconds)" = "$(end_of second)" ]
[ "$(reloads success)" = 1 ]
echo rubbish > "$DIR/served.crt"
ALIVE=controller await 60 "the refusal of rubbish" says '"msg":"not reloaded, the old one stays"'
scrape second
[ "$(reloads error)" -ge 1 ]
serve first
proc_signal controller HUP
ALIVE=controller await 60 "the first certificate" scrape first
echo "ok    the next connection sees files that have changed, and never broken ones"

proc_stop controller
[ "$STOP_STATUS" = 0 ]
