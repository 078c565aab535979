#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The controller's port of metrics by TLS under what t_22_metrics_tls does to the webhook's: the thread that makes its handshakes runs Jobs, too.
. "$(dirname "$0")/lib.sh"

certificate server localhost
METRICS_CA=$DIR/tls/server.crt
devcluster
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/devcluster/kubeconfig" --health-probe-bind-address=127.0.0.1:0 \
    --metrics-bind-address=127.0.0.1:0 --metrics-tls-cert-file="$DIR/tls/server.crt" --metrics-tls-private-key-file="$DIR/tls/server.key"
ALIVE="devcluster controller" await 60 "the controller" listener controller metrics
HEALTH=$(listener controller health) METRICS=$(listener controller metrics)
ALIVE="devcluster controller" await 60 "its readiness" http_get "$HEALTH" /readyz

watch "$DIR/controller.watch" controller &
watcher=$!
hostile "$DIR/metrics.hostile" "$(port "$METRICS")" 6 --connections=300 --addresses=3 --again=20ms \
    --kinds=silent,dripping-handshake,garbage,hello,half-closed-hello,silent-after-handshake,dripping-headers,half-closed-headers,refreshed
kill "$watcher" 2> /dev/null || true
wait "$watcher" 2> /dev/null || true
result "there was a siege" "$(tail -n 1 "$DIR/metrics.hostile")" test "$(figure "$DIR/metrics.hostile" opened)" -ge 300
result "every probe answered" "$(awk '$3 == "failed"' "$DIR/controller.watch" | head -n 5)" none_failed "$DIR/controller.watch"
result "probes within a second" "$(awk '$3 == "ok"' "$DIR/controller.watch" | sort -n | tail -n 3)" half_in_a_second "$DIR/controller.watch"
result "descriptors" "$(most "$DIR/controller.watch" fds)" test "$(most "$DIR/controller.watch" fds)" -le 350
check_await "it is ready afterwards" 120 http_get "$HEALTH" /readyz
