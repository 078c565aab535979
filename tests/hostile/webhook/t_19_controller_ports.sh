#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The controller's ports of probes and metrics under what t_16_probe_ports does to the webhook's: its one thread serves them. The devcluster is API
# server enough for that. Seen on d0e5001: every probe timed out.
# quick
. "$(dirname "$0")/lib.sh"
KINDS=silent,http-dripping,http-idle,http-refreshed,http-half-closed,http-body,http-deaf

certificate server localhost # the load tool wants one
devcluster
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/devcluster/kubeconfig" --health-probe-bind-address=127.0.0.1:0 \
    --metrics-bind-address=127.0.0.1:0
ALIVE="devcluster controller" await 60 "the controller" listener controller metrics
HEALTH=$(listener controller health) METRICS=$(listener controller metrics)
ALIVE="devcluster controller" await 60 "its readiness" http_get "$HEALTH" /readyz

watch "$DIR/controller.watch" controller &
watcher=$!
hostile "$DIR/health.hostile" "$(port "$HEALTH")" 6 --kinds=$KINDS --connections=300 --addresses=3 --again=20ms &
health=$!
hostile "$DIR/metrics.hostile" "$(port "$METRICS")" 6 --kinds=$KINDS --connections=300 --addresses=3 --again=20ms
wait "$health"
kill "$watcher" 2> /dev/null || true
wait "$watcher" 2> /dev/null || true
for port in health metrics; do
    result "$port: there was a siege" "$(tail -n 1 "$DIR/$port.hostile")" test "$(figure "$DIR/$port.hostile" opened)" -ge 300
done
result "every probe answered" "$(awk '$3 == "failed"' "$DIR/controller.watch" | head -n 5)" none_failed "$DIR/controller.watch"
result "probes within a second" "$(awk '$3 == "ok"' "$DIR/controller.watch" | sort -n | tail -n 3)" half_in_a_second "$DIR/controller.watch"
result "descriptors" "$(most "$DIR/controller.watch" fds)" test "$(most "$DIR/controller.watch" fds)" -le 350
check_await "it is ready afterwards" 120 http_get "$HEALTH" /readyz
