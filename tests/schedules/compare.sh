#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How often schedules start Jobs: ours beside robfig/cron, start after start.
#   compare.sh --write          makes tests/vectors/schedules.json of 200 cases
#   compare.sh [N] [SEED]       N cases (10000) over two years, N/50 dense ones over five: 0 may differ
# Brute force takes some four seconds a case; one process for each core.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$HERE/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
YEAR=2026
tests/e2e/build.sh schedules > /dev/null
UPSTREAM=$(tests/e2e/build.sh --where)/schedules
# The database that common/job/time_zones_table.h was made from, not the machine's.
GOROOT=$("$(tests/e2e/build.sh --go upstream 1.38)" env GOROOT)
export ZONEINFO=$GOROOT/lib/time/zoneinfo.zip
python3 common/job/make_time_zones.py "$GOROOT" | cmp - common/job/time_zones_table.h ||
    { echo "compare.sh: common/job/time_zones_table.h is of another release than $GOROOT" >&2; exit 1; }
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-schedules.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

upstream() { # upstream CASES: their facts, in order
    local part pids=()
    rm -f "$WORK"/part.*
    split -n "l/$(nproc)" "$1" "$WORK/part."
    for part in "$WORK"/part.??; do
        "$UPSTREAM" < "$part" > "$part.facts" &
        pids+=($!)
    done
    for part in "${pids[@]}"; do wait "$part"; done
    cat "$WORK"/part.??.facts
}

if [ "${1:-}" = --write ]; then
    python3 "$HERE/cases.py" 200 1 $YEAR 2 > "$WORK/cases"
    upstream "$WORK/cases" > "$WORK/upstream"
    paste -d '\n' "$WORK/cases" "$WORK/upstream" | jq -cR 'fromjson + (input | {facts: .})' > tests/vectors/schedules.json
    exit
fi
N=${1:-10000} SEED=${2:-1}
FAILED=0

compare() { # compare WHAT < CASES
    local differ hang
    cat > "$WORK/cases"
    upstream "$WORK/cases" > "$WORK/upstream"
    "$JR_BIN/schedule-facts" < "$WORK/cases" > "$WORK/ours"
    # What upstream never answers is left out; more than one in a hundred would be something else.
    paste -d ' ' "$WORK/upstream" "$WORK/ours" "$WORK/cases" | awk '$1 != "hangs" && ($1 != $3 || $2 != $4)' > "$WORK/different"
    differ=$(wc -l < "$WORK/different") hang=$(grep -c hangs "$WORK/upstream" || true)
    echo "$1: $(wc -l < "$WORK/upstream") schedules, $(grep -Evc '^(0 |hangs)' "$WORK/upstream" || true) start, $differ differ, $hang hang upstream"
    [ "$differ" = 0 ] && [ "$(wc -l < "$WORK/ours")" = "$(wc -l < "$WORK/cases")" ] && [ "$(wc -l < "$WORK/upstream")" = "$(wc -l < "$WORK/cases")" ] &&
        [ "$hang" -le $((1 + $(wc -l < "$WORK/cases") / 100)) ] && return
    head -n 5 "$WORK/different"
    FAILED=1
}

compare "two years" < <(python3 "$HERE/cases.py" "$N" "$SEED" $YEAR 2)
compare "five years, dense" < <(python3 "$HERE/cases.py" --dense $((N / 50)) "$SEED" $YEAR 5)
exit $FAILED
