#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As t_24_newcomers: each kind alone, from 1, 3, 16 and 64 addresses, on both ports. One that is mixed with others may hide behind them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probes.sh"
SECONDS_EACH=2

control
webhook --metrics-secure
for n in 1 3 16 64; do
    for kind in ${HTTP_KINDS//,/ }; do
        crowd "$kind-$n" "http://$HEALTH/livez" "$CONTROL_HEALTH" "$kind" $n
    done
    for kind in ${TLS_KINDS//,/ }; do
        crowd "tls-$kind-$n" "https://$METRICS/metrics" "$CONTROL_METRICS" "$kind" $n
    done
done
in_a_second
