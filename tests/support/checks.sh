# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by test scripts, first of all: checks, and processes that are ended with the test. DIR is the folder of the run. On exit it
# ends what the test has started, prints the counts and leaves them in DIR/TEST.result.
set -E -eu -o pipefail
: "${DIR:?the folder of the run}"
. "$(dirname "${BASH_SOURCE[0]}")/proc.sh"
TEST=$(basename "$0" .sh)
PASSED=0 FAILED=0 SKIPPED=0 SPAWNED=""
mkdir -p "$DIR/log" "$DIR/run"

finish() {
    local status=$?
    trap - ERR
    set +e
    background_end
    for n in $SPAWNED; do proc_stop "$n"; done
    wait
    if [ "$status" != 0 ]; then
        FAILED=$((FAILED + 1))
        echo "$TEST ended early with status $status" >&2
    fi
    echo "$PASSED $FAILED $SKIPPED" > "$DIR/$TEST.result"
    echo "$TEST: $(counts)"
    [ "$FAILED" = 0 ]
    exit $?
}
counts() { # those that were skipped only where there are some
    local skipped=""
    [ "$SKIPPED" = 0 ] || skipped=", $SKIPPED skipped"
    echo "$PASSED passed, $FAILED failed$skipped"
}
trap finish EXIT
trap 'echo "$0:$LINENO: failed: $BASH_COMMAND" >&2' ERR
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- checks

passed() {
    PASSED=$((PASSED + 1))
    printf 'ok    %s\n' "$1"
}

# failed NAME GOT WANT
failed() {
    FAILED=$((FAILED + 1))
    printf 'FAIL  %s\n      got:  %s\n      want: %s\n' "$1" "$2" "$3"
}

# skipped NAME WHY: what can't be looked at here
skipped() {
    SKIPPED=$((SKIPPED + 1))
    printf 'skip  %s: %s\n' "$1" "$2"
}

# check NAME GOT WANT: equal texts
check() {
    if [ "$2" = "$3" ]; then passed "$1"; else failed "$@"; fi
}

# check_has NAME GOT PART: the text holds the part
check_has() {
    case $2 in
    *"$3"*) passed "$1" ;;
    *) failed "$1" "$2" "...$3..." ;;
    esac
}

# check_more NAME GOT THAN: a number above another
check_more() {
    if [ "$2" -gt "$3" ]; then passed "$1"; else failed "$1" "$2" "more than $3"; fi
}

# check_await NAME SECONDS CMD...: CMD succeeds within the time
check_await() {
    local name=$1 seconds=$2
    shift 2
    if await "$seconds" "$name" "$@"; then passed "$name"; else failed "$name" "not after $seconds s" "$*"; fi
}

# refused NAME CMD...: CMD fails; what it printed is in OUT
refused() {
    local name=$1
    shift
    if OUT=$("$@" 2>&1); then failed "$name" "$OUT" "a refusal"; else passed "$name"; fi
}

# ---- processes of ours

# spawn NAME CMD...: as proc_start; ended when the test ends
spawn() {
    proc_start "$@"
    SPAWNED="$SPAWNED $1"
}

# http_get HOST:PORT PATH: prints the body, fails unless the answer is 200. Plain HTTP; by bash, since curl need not be there.
http_get() {
    (
        exec 3<> "/dev/tcp/${1%:*}/${1##*:}"
        printf 'GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n' "$2" "$1" >&3
        IFS=' ' read -r -t 10 _ status _ <&3 || exit 1
        while IFS= read -r -t 10 line <&3 && [ -n "${line%$'\r'}" ]; do :; done
        timeout 10 cat <&3
        [ "$status" = 200 ]
    ) 2> /dev/null
}

# metric TEXT SERIES: the sum over the lines that begin with SERIES (a name, maybe with labels) in a metrics text
metric() {
    awk -v s="$2" 'index($0, s) == 1 { sum += $NF } END { printf "%d\n", sum }' <<< "$1"
}
