#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Connections whose clients have ended their side, and leave ours open: in the handshake, in the headers, in a body.
# d0e5001 bore these.
. "$(dirname "$0")/lib.sh"

webhook --max-connections=200
besiege half-closed 8 "$(port "$WEBHOOK")" --kinds=half-closed,half-closed-headers,half-closed-hello --connections=600 --addresses=4 --again=100ms
held half-closed 350 80000
