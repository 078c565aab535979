#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A Job begun by the built-in controller is finished by ours, and the other way round: the first one is killed in mid-flight,
# things go on while nobody looks, then the other one takes over. The two directions come to the same end, which the scenarios
# of takeover/ state in numbers, and an observer of the whole history finds nothing counted twice.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
WORK=$DIR/takeover
RUN=$(printf %04x $RANDOM)
SELECTED=$(cd "$E2E/takeover" && printf '%s\n' *.yaml | sed 's/\.yaml$//')
rm -rf "$WORK"

start_ours() {
    start_controller controller-whole --replace-builtin --ttl-after-finished --leader-elect=false
}

# between: ends FIRST and starts SECOND, when all scenarios are where that should be
between() {
    await 180 "all scenarios in mid-flight" all_at switch
    proc_kill "$FIRST" 2> /dev/null # bash would tell of it
    touch "$PHASE/switch"
    await 180 "all scenarios ready for the other one" all_at took-over
    if [ "$FIRST" = builtin ]; then start_ours; else start_builtin; fi
    touch "$PHASE/took-over"
}
BETWEEN=between

# direction NAME FIRST SECOND
direction() {
    FIRST=$2
    if [ "$FIRST" = builtin ]; then start_builtin; else start_ours; fi
    # shellcheck disable=SC2086
    phase_begin "$WORK/$1" "$1-$RUN-" $SELECTED
    phase_run "$E2E/takeover"
    phase_end
    proc_stop "$3"
}

# observe DIRECTION SCENARIO: what is wrong with the history of its Job
observe() {
    local d=$WORK/$1/$2 parallelism
    parallelism=$(jq -s 'map(.object.spec.parallelism) | max' "$d/jobs")
    jq -rs --arg job work --argjson completions null --argjson parallelism "$parallelism" --argjson ambiguous 0 \
        -f "$E2E/../integration/controller/history.jq" "$d/jobs" "$d/pods"
}

start_kubelet
direction to-ours builtin controller
direction to-builtin controller builtin
for s in $SELECTED; do
    check "$s: the same from both sides" "$(diff <(result "$WORK/to-builtin" "$s") <(result "$WORK/to-ours" "$s"))" ""
    [ "$s" != deleted ] || continue # its Pods are let go of uncounted
    for d in to-ours to-builtin; do
        check "$s $d: the observer" "$(observe $d "$s")" ""
    done
done
never_refused controller-whole
