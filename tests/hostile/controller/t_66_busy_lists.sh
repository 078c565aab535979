#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a list in pages begins anew at any 429 or 5xx. An API server that is busy refuses every other page: a list of three pages or
# more was never complete, so the controller never began, and made the server busier. Each page is asked for again, and only it: the
# controller begins by one list, and B's Jobs complete. Seen to fail on d0e5001: six lists begun in a minute, none complete.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
N=1200 # three pages
PAGES='/api/v1/pods[?]limit='

# begins STATUS: a controller, while every other page but the first of a list is refused with that status
begins() {
    faults "always GET sendInitialEvents=true 400" "odd GET $PAGES.*continue= $1"
    start_controller_by "$DIR/proxied.conf" --replace-builtin
    completes "$B" "by-$1"
    check_more "$1: pages were refused" "$(proxied "^$1! GET $PAGES")" 1
    check "$1: it took one list" "$(proxied "^200 GET ${PAGES}[0-9]*( |&labelSelector|$)")" 1
    check "$1: whose other pages came once each" "$(proxied "^200 GET $PAGES.*continue=")" 2
}

tenants
start_kubelet
crowd "$A" $N
for status in 429 503 500; do
    proxy busy
    proxied_conf "$DIR/pki/busy.crt"
    begins "$status"
    proc_stop controller
    check "$status: the controller ends well" "$STOP_STATUS" 0
done
