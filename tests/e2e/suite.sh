# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by each run.sh: runs t_*.sh and adds up. Needs DIR and proc.sh; sets PASSED, FAILED, SKIPPED, and CURRENT while a test runs.
# AFTER_EACH, if set, is a command that runs after each test and has to succeed.
PASSED=0 FAILED=0 SKIPPED=0 CURRENT=""

# wanted NAME PART...: the name has one of the parts, or there are none
wanted() {
    local n
    [ $# -gt 1 ] || return 0
    for n in "${@:2}"; do
        case $1 in *"$n"*) return 0 ;; esac
    done
    return 1
}

# suite_run FILE: one test
suite_run() {
    local name start status=0 p=0 f=0 s=0
    name=$(basename "$1" .sh)
    start=$(now_ms)
    echo "== $name"
    # in the background, so that a signal reaches this script at once and not when the test ends
    bash "$1" &
    CURRENT=$!
    wait "$CURRENT" || status=$?
    CURRENT=""
    read -r p f s 2> /dev/null < "$DIR/$name.result" || true
    [ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1 # it could not even report
    ${AFTER_EACH:-true} || { echo "FAIL  $name: $AFTER_EACH" && f=$((f + 1)); }
    PASSED=$((PASSED + p)) FAILED=$((FAILED + f)) SKIPPED=$((SKIPPED + s))
    echo "== $name: $(($(now_ms) - start)) ms"
}

# suite_ran: ends the script where there was nothing to run
suite_ran() {
    [ $((PASSED + FAILED + SKIPPED)) -gt 0 ] || {
        echo "run.sh: no test of that name" >&2
        exit 2
    }
}

# suite FOLDER PART...: the folder's tests in order
suite() {
    local t
    for t in "$1"/t_*.sh; do
        wanted "$(basename "$t" .sh)" "${@:2}" || continue
        suite_run "$t"
    done
    suite_ran
}

# suite_teardown CMD: however the script ends, the test that runs is ended first, then CMD is called, which sees whether FAILED is 0, and the
# sum is the last line and the exit code. A script that has failed itself counts as a failure.
suite_teardown() {
    ON_END=$1
    trap suite_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

suite_end() {
    local status=$?
    trap '' INT TERM
    set +e
    [ -z "$CURRENT" ] || { kill "$CURRENT" 2> /dev/null && wait "$CURRENT" 2> /dev/null; }
    [ "$FAILED" != 0 ] || [ "$status" = 0 ] || FAILED=1
    "$ON_END"
    [ "$SKIPPED" = 0 ] || SKIPPED_TOO=", $SKIPPED skipped"
    echo "$PASSED passed, $FAILED failed${SKIPPED_TOO:-}"
    [ "$FAILED" = 0 ]
    exit $?
}
