#!/bin/bash
# The port of metrics by TLS (--metrics-secure) under what t_10 to t_13 do to the webhook's: its handshakes are made by the one thread that answers
# probes, too. With libmicrohttpd's own way of waiting for a client that thread goes round in circles.
# quick
. "$(dirname "$0")/lib.sh"

probe() { # in the place of the library's: metrics by HTTPS
    local t0 result=ok
    t0=$(now_ms)
    case $2 in
    /metrics) curl -sS --fail --max-time 10 --cacert "$DIR/tls/server.crt" -o /dev/null "https://$1$2" 2> /dev/null ;;
    *) http_get "$1" "$2" > /dev/null ;;
    esac || result=failed
    printf '%d %s %s\n' $(($(now_ms) - t0)) "$2" "$result"
}

webhook --metrics-secure
besiege metrics-tls 6 "$(port "$METRICS")" --connections=300 --addresses=3 --again=20ms \
    --kinds=silent,dripping-handshake,garbage,hello,half-closed-hello,silent-after-handshake,dripping-headers,half-closed-headers,refreshed
held metrics-tls 450 80000
result "metrics-tls: its metrics" "$(grep -c '/metrics ok' "$DIR/metrics-tls.watch")" grep -q '/metrics ok' "$DIR/metrics-tls.watch"
