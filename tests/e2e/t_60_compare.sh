#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# All scenarios by kube-controller-manager's Job and TTL controllers and by ours: see compare.sh.
#   t_60_compare.sh [NAME...]  only scenarios that have it in their names
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/compare.sh"

builtin_begins() {
    start_builtin
}

# Without a Lease, as theirs: whoever stood still for a second asks first whether it still leads, and a sync is tried again, with its events.
ours_begins() {
    start_controller controller-whole --replace-builtin --ttl-after-finished --leader-elect=false
}

# shellcheck disable=SC2046
compare "$E2E/scenarios" $(scenarios_of "$E2E/scenarios" "$@")
never_refused controller-whole
case " $SCENARIOS " in *" create-refused "*) check_more "refusals that are meant" "$(meant_refusals controller-whole)" 0 ;; esac
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
