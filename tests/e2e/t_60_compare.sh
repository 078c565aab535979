#!/bin/bash
# The same scenarios by kube-controller-manager's Job and TTL controllers, and then by ours in their place, in other
# namespaces: what comes out is the same, to the letter. One after the other, since the built-in ones see to all namespaces.
# Where ours is meant to differ, the scenario says so:
#   #! WHY                     the row of docs/differences.md
#   #!- LINE, #!+ LINE         the lines of the difference, theirs and ours, all of them
#   t_60_compare.sh [NAME...]  only scenarios that have it in their names
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
WORK=$DIR/compare
RUN=$(printf %04x $RANDOM)
rm -rf "$WORK"

# difference SCENARIO: the lines that differ, without those that the scenario declares
difference() {
    result "$WORK/builtin" "$1" > "$WORK/builtin/$1.txt"
    result "$WORK/ours" "$1" > "$WORK/ours/$1.txt"
    diff -u "$WORK/builtin/$1.txt" "$WORK/ours/$1.txt" > "$WORK/$1.diff" || true
    sed -n '/^---/d; /^+++/d; s/^\([-+]\) */\1 /p' "$WORK/$1.diff" > "$WORK/$1.got"
    sed -n 's/^#!\([-+]\) */\1 /p' "$E2E/scenarios/$1.yaml" > "$WORK/$1.want"
    cmp -s "$WORK/$1.got" "$WORK/$1.want"
}

SELECTED=""
for f in "$E2E"/scenarios/*.yaml; do
    s=$(basename "$f" .yaml)
    for n in "${@:-}"; do
        case $s in *"$n"*) SELECTED="$SELECTED $s" && break ;; esac
    done
done

start_kubelet
# shellcheck disable=SC2086
{
    start_builtin
    phase_begin "$WORK/builtin" "builtin-$RUN-" $SELECTED
    phase_run "$E2E/scenarios"
    BROKEN=$FAILURES
    phase_end
    proc_stop builtin

    start_controller controller-whole --replace-builtin --ttl-after-finished
    phase_begin "$WORK/ours" "ours-$RUN-" $SELECTED
    phase_run "$E2E/scenarios"
    BROKEN="$BROKEN $FAILURES "
    phase_end
}
n=0
for s in $SELECTED; do
    case $BROKEN in *" $s "*) continue ;; esac
    if difference "$s"; then
        n=$((n + 1))
    else
        failed "$s: the same" "$(cat "$WORK/$s.diff")" "$(cat "$WORK/$s.want")"
    fi
done
passed "$n scenarios came out the same"
never_refused controller-whole
proc_stop controller
check "the controller ends well" "$STOP_STATUS" 0
