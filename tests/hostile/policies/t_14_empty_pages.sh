#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: an API server that answers each page of a list with a token and no object was asked for the next one at once, thousands of times a
# second, by each informer; by the audit too (test_policy_audit_pass). Seen to fail on 23e780d2.
# quick
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
PAGES='^GET .*[?&]limit=.*[&]continue='

cluster
control
webhook
# bears WHAT: it pauses between pages
pages() { [ "$(seen "$2")" -gt "${1:-0}" ]; }
bears() {
    local before
    before=$(seen "$PAGES")
    ALIVE=controller check_await "$1: pages are asked for" 60 pages $((before + 2)) "$PAGES"
    before=$(seen "$PAGES")
    sleep 5 # the time in which it is counted
    check_more "$1: pages within five seconds, of which there are less than" 20 $(($(seen "$PAGES") - before))
    check_await "$1: it comes to rest" 60 at_rest controller
}

empty '/jobpolicies[?]'
controller
bears "the informer"
empty
listed() { exposed "$(listener controller metrics)" 'jobreeve_informer_synced{resource="jobpolicies"}' | grep -qx 1; }
check_await "the informer: the list is complete" 120 listed
check "the controller is the same" "$(proc_pid controller)" "$CONTROLLER_PID"
unharmed "in the end"
