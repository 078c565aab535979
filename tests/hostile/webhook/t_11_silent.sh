#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Connections without a first word on the TLS port, more than there may be, from four addresses and then from the one that the valid clients
# have: what never says hello goes first, and the oldest of it.
# Seen on d0e5001: 4 of 60 valid requests on new connections lost.
. "$(dirname "$0")/lib.sh"

webhook --max-connections=200
besiege silent 6 "$(port "$WEBHOOK")" --kinds=silent --connections=600 --addresses=4 --again=0s
held silent 350 80000
besiege silent-same 6 "$(port "$WEBHOOK")" --kinds=silent --connections=600 --again=20ms
held silent-same 350 80000
