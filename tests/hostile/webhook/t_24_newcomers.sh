#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: under 250 connections from 16 addresses whose headers drip, the port of probes closed every probe at once: a newcomer has shown least, and
# was taken for the worst. Seen on 23e780d2: no probe answered beside 300 dripping connections, nor beside 1,000 of http-body or http-deaf.
# quick
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probes.sh"

control
webhook --metrics-secure
CONNECTIONS=300 crowd dripping "http://$HEALTH/livez" "$CONTROL_HEALTH" http-dripping 16
crowd body "http://$HEALTH/readyz" "$CONTROL_HEALTH" http-body 64
crowd deaf "http://$HEALTH/readyz" "$CONTROL_HEALTH" http-deaf 3
crowd all "http://$HEALTH/readyz" "$CONTROL_HEALTH" $HTTP_KINDS 16
crowd all-tls "https://$METRICS/metrics" "$CONTROL_METRICS" $TLS_KINDS 64
in_a_second
