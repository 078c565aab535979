#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: 64 connections that dripped bytes, or said nothing, starved /livez, /readyz and /metrics: a cap of 64, no eviction, and a time-out
# that measures inactivity. Seen on d0e5001: each probe timed out, for which a kubelet kills the process.
# Each kind on both ports; the webhook's own port goes on.
# quick
. "$(dirname "$0")/lib.sh"
KINDS=silent,http-dripping,http-idle,http-refreshed,http-half-closed,http-body,http-deaf

webhook
hostile "$DIR/metrics.hostile" "$(port "$METRICS")" 7 --kinds=$KINDS --connections=300 --addresses=3 --again=20ms &
also=$!
besiege probes 6 "$(port "$HEALTH")" --kinds=$KINDS --connections=300 --addresses=3 --again=20ms
wait "$also"
held probes 450 80000
result "metrics: there was a siege" "$(tail -n 1 "$DIR/metrics.hostile")" test "$(figure "$DIR/metrics.hostile" opened)" -ge 300
