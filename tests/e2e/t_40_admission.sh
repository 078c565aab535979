#!/bin/bash
# Generated Jobs, updates and status updates, judged by the API server (by dry run, no webhook registered) and by us:
# verdict, errors, warnings and the object that would be stored are the same. Twice: with the rules as a library, and
# with the desk's commands, `jobreeve check` and `default`.
# JR_CASES, JR_SEED: how many, and which. The first ones break each rule once.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t40
CASES=${JR_CASES:-1200}
SEED=${JR_SEED:-40}
FAULTS=tests/vectors/faults
WORK=$DIR/admission
CASE_UID=8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de # as the generator has it

admission() {
    local tool=$1
    shift
    "$JR_BIN/admission-$tool" "$@"
}

ask_server() {
    admission cases --server "$NS" "$CASES" "$SEED" > "$WORK/cases"
    admission server --server "$SERVER" --ca "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key" \
        --namespace "$NS" < "$WORK/cases" > "$WORK/server"
}

# check_op OP ARGS...: the report of check on all new objects of that operation. It ends with 1 where it finds errors.
check_op() {
    local op=$1 status=0
    shift
    "$JR_BIN/jobreeve" check -v -o json "$@" "$WORK/$op" > "$WORK/$op.json" || status=$?
    [ "$status" -le 1 ]
}

ask_desk() {
    local f
    admission desk split "$WORK" < "$WORK/cases"
    check_op create
    check_op update --old "$WORK/update.old.json"
    check_op updateStatus --old "$WORK/updateStatus.old.json" --subresource status
    mkdir "$WORK/default"
    # default refuses what is no Job at all; of a status update the server stores the old spec
    for f in "$WORK"/create/*.json "$WORK"/update/*.json; do
        "$JR_BIN/jobreeve" default -o json --uid "$CASE_UID" "$f" > "$WORK/default/${f##*/}" 2> /dev/null || true
    done
    admission desk join "$WORK" < "$WORK/cases" > "$WORK/desk"
}

# agree NAME ANSWERS ARGS...: the two judges agree; what they don't agree on, and the counts, are printed. LAST is the
# last line, which has the totals.
agree() {
    local name=$1 answers=$2 status=0
    shift 2
    admission compare -s -r "$@" "$WORK/cases" "$WORK/server" "$answers" > "$answers.out" || status=$?
    LAST=$(tail -n 1 "$answers.out")
    # disagreements at length, the rules' counts in columns
    grep -vE '^ +[0-9]+ [a-z0-9-]+$' "$answers.out" | cut -c 1-1000
    check "$name: all agree" "$status" 0
}

# Rules that no request can break are listed in the tables, with the reason.
only_unasked() {
    local rule unasked
    unasked=$(
        jq -r '.[][0]' $FAULTS/unasked-*.json $FAULTS/prepared-*.json $FAULTS/cron-prepared-*.json
        jq -r '.[] | select(any(.[]; type == "string" and startswith("/gates/")))[0]' $FAULTS/create-*.json
    )
    grep -E '^ +0 [a-z0-9-]+$' "$1" | while read -r _ rule; do
        case $rule in status-*) continue ;; esac
        grep -qxF -- "$rule" <<< "$unasked" || echo "$rule"
    done
}

print_hits() {
    echo "hits of each rule:"
    grep -E '^ +[0-9]+ [a-z0-9-]+$' "$1" | paste -d ' ' - - - - | sed 's/^/  /'
}

enough() {
    local creates updates refused
    read -r creates updates refused <<< "$(sed -E 's/^([0-9]+) creates, ([0-9]+) updates.*\(([0-9]+) %\).*/\1 \2 \3/' <<< "$LAST")"
    check_more "creates and updates" $((creates + updates)) 599
    check_more "percent refused" "$refused" 59
}

# Finalizers hold what was deleted.
release_jobs() {
    local j
    for j in $(k get jobs -n "$NS" -o jsonpath='{range .items[?(@.metadata.finalizers)]}{.metadata.name}{"\n"}{end}'); do
        k patch job "$j" -n "$NS" --type=merge -p '{"metadata":{"finalizers":null}}' > /dev/null
    done
}

cd "$E2E/../.."
for t in cases server judge desk compare; do
    [ -x "$JR_BIN/admission-$t" ] || {
        echo "no $JR_BIN/admission-$t: build it first" >&2
        exit 1
    }
done
rm -rf "$WORK"
mkdir "$WORK"
release_jobs # of a run that was ended early
fresh_namespace $NS
ask_server
admission judge < "$WORK/cases" > "$WORK/judge"
agree "the rules" "$WORK/judge" -l
ask_desk
agree "check and default" "$WORK/desk" -d
enough
print_hits "$WORK/desk.out"
check "rules that were never hit, and could have been" "$(only_unasked "$WORK/desk.out" | xargs)" ""
release_jobs
k delete namespace "$NS" --wait=false > /dev/null
