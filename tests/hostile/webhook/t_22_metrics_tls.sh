#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The port of metrics by TLS (--metrics-secure) under what t_10 to t_13 do to the webhook's: its handshakes are made by the one thread that answers
# probes, too. With libmicrohttpd's own way of waiting for a client that thread goes round in circles.
# quick
. "$(dirname "$0")/lib.sh"

webhook --metrics-secure
METRICS_CA=$DIR/tls/server.crt
besiege metrics-tls 6 "$(port "$METRICS")" --connections=300 --addresses=3 --again=20ms \
    --kinds=silent,dripping-handshake,garbage,hello,half-closed-hello,silent-after-handshake,dripping-headers,half-closed-headers,refreshed
held metrics-tls 450 80000
result "metrics-tls: its metrics" "$(grep -c '/metrics ok' "$DIR/metrics-tls.watch")" grep -q '/metrics ok' "$DIR/metrics-tls.watch"
