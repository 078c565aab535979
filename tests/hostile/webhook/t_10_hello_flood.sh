#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: hellos without end, no certificate needed, brought libmicrohttpd to its own limit of connections, where 0.9.75 keeps a lock:
# the webhook hung for good, main loop included. Connections that were shut but not closed, and those on their way to a thread, weren't
# counted. Seen on d0e5001: hung after a second at some 2,600 descriptors.
# quick
. "$(dirname "$0")/lib.sh"

webhook
besiege hellos 6 "$(port "$WEBHOOK")" --kinds=hello --connections=3500 --addresses=4 --again=0s
held hellos 1300 120000
