#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Connections that never come to an end of what they say: handshakes, headers, bodies and chunks, a byte a second.
# Seen on d0e5001: 1 of 80 valid requests on new connections lost.
. "$(dirname "$0")/lib.sh"

webhook --max-connections=200
besiege dripping 8 "$(port "$WEBHOOK")" --kinds=dripping-handshake,dripping-headers,slow-body,stalled-body,dripping-chunks --connections=600 \
    --addresses=4 --again=100ms
held dripping 350 120000
