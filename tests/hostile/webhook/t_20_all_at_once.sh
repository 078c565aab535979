#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# All kinds of floods at once, on the three ports, from six addresses. Seen on d0e5001: every probe timed out. Seen later, in one run of three:
# a connection of the valid client was cut off before its handshake; test_http_conns has that one (test_crowd).
. "$(dirname "$0")/lib.sh"

webhook --max-connections=300
hostile "$DIR/health.hostile" "$(port "$HEALTH")" 14 --kinds=silent,http-dripping,http-refreshed,http-half-closed,http-deaf --connections=200 \
    --addresses=6 --again=200ms &
health=$!
hostile "$DIR/hellos.hostile" "$(port "$WEBHOOK")" 14 --kinds=hello --connections=400 --addresses=6 --again=200ms &
hellos=$!
besiege all 12 "$(port "$WEBHOOK")" --kinds=silent,dripping-handshake,garbage,silent-after-handshake,dripping-headers,huge-headers,slow-body,\
stalled-body,dripping-chunks,oversized,half-closed,half-closed-headers,half-closed-hello,refreshed,reviews --connections=900 --addresses=6 --again=200ms
wait "$health" "$hellos"
held all 700 160000
