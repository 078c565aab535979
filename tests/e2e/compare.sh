# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after lib.sh and jobs.sh: scenarios by the built-in controllers, and then by ours in their place, in other namespaces: what
# comes out is the same, to the letter. One after the other, since the built-in ones see to all namespaces. Where ours is meant to differ, the
# scenario says so:
#   #! WHY                     the row of docs/differences.md
#   #!- LINE, #!+ LINE         the lines of the difference, theirs and ours, all of them
#   #!since X.Y, #!until X.Y.Z only Kubernetes of that version or later, or before that one, differs
# A scenario that only some versions of Kubernetes can go through says so, too:
#   #@ since X.Y WHY           it is skipped on older ones
. "$E2E/scenario.sh"
WORK=$DIR/compare
RUN=$(printf %04x $RANDOM)
rm -rf "$WORK"

# outcome_of PHASE SCENARIO: the result, and in which order it was written
outcome_of() {
    result "$@"
    echo "order:"
    jq -nRr -f "$E2E/order.jq" "$1/$2/jobs" <(echo) "$1/$2/pods"
}

# difference FOLDER SCENARIO: the lines that differ, without those that the scenario declares
difference() {
    local s=$2
    outcome_of "$WORK/builtin" "$s" > "$WORK/builtin/$s.txt"
    outcome_of "$WORK/ours" "$s" > "$WORK/ours/$s.txt"
    diff -u "$WORK/builtin/$s.txt" "$WORK/ours/$s.txt" > "$WORK/$s.diff" || true
    sed -n '/^---/d; /^+++/d; s/^\([-+]\) */\1 /p' "$WORK/$s.diff" > "$WORK/$s.got"
    since 1.36 || without_repeats "$WORK/$s.got"
    declared "$1/$s.yaml" > "$WORK/$s.want"
    cmp -s "$WORK/$s.got" "$WORK/$s.want"
}

# without_repeats FILE: an event that the built-in controller has sent more than once, and ours once: before 1.36 it may sync from a cache that is
# behind its own writes, where the machine is slow
without_repeats() {
    awk '/^- "count": ([2-9]|[1-9][0-9]+),$/ { held = $0; next }
        held != "" { if ($0 != "+ \"count\": 1,") { print held; print }; held = ""; next }
        { print }
        END { if (held != "") print held }' "$1" > "$1.new"
    mv "$1.new" "$1"
}

# declared FILE: the lines that differ by what the scenario says, for this Kubernetes
declared() {
    local from until
    from=$(sed -n 's/^#!since //p' "$1")
    [ -z "$from" ] || since "$from" || return 0
    until=$(sed -n 's/^#!until //p' "$1")
    if [ -z "$until" ] || ! since "$until"; then sed -n 's/^#!\([-+]\) */\1 /p' "$1"; fi
}

# scenarios_of FOLDER [NAME...]: those that have one of these in their names
scenarios_of() {
    local folder=$1 f s n
    shift
    for f in "$folder"/*.yaml; do
        s=$(basename "$f" .yaml)
        for n in "${@:-}"; do
            case $s in *"$n"*) printf '%s ' "$s" && break ;; esac
        done
    done
}

# possible FOLDER SCENARIO...: sets POSSIBLE to those that this Kubernetes can go through
possible() {
    local folder=$1 s version why
    shift
    POSSIBLE=()
    for s; do
        read -r version why <<< "$(sed -n 's/^#@ since //p' "$folder/$s.yaml")"
        if [ -z "$version" ] || since "$version"; then
            POSSIBLE+=("$s")
        else
            skipped "$s" "Kubernetes is $KUBE: $why"
        fi
    done
}

# compare FOLDER SCENARIO...: by the controllers that builtin_begins and ours_begins start, which the test defines
compare() {
    local folder=$1 s broken n=0
    shift
    possible "$folder" "$@"
    set -- "${POSSIBLE[@]}"
    start_kubelet
    builtin_begins
    phase_begin "$WORK/builtin" "builtin-$RUN-" "$@"
    phase_run "$folder"
    broken=$FAILURES
    phase_end
    proc_stop builtin
    ours_begins
    phase_begin "$WORK/ours" "ours-$RUN-" "$@"
    phase_run "$folder"
    broken="$broken $FAILURES "
    phase_end
    for s; do
        case $broken in *" $s "*) continue ;; esac
        if difference "$folder" "$s"; then
            n=$((n + 1))
        else
            failed "$s: the same" "$(cat "$WORK/$s.diff")" "$(cat "$WORK/$s.want")"
        fi
    done
    passed "$n scenarios came out the same"
}
