#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzing, from the root of the repository; ./dev fuzz builds first and calls this.
#   run.sh                    names the targets
#   run.sh TARGET [SECONDS]   runs one (60 s); what it finds stays in build/fuzz/found
#   run.sh --minimise TARGET  takes into the committed corpus what was found and reaches more
#   run.sh --coverage         replays every corpus; for each target, the share of the lines of its sources that were
#                             reached, and what it must be; fails below
set -eu -o pipefail

MUST=90 # per cent

# lookup TARGET: sets corpus and covers
lookup() {
    local name
    while read -r name corpus covers; do
        [ "$name" != "$1" ] || return 0
    done < "build/$2/fuzz/targets"
    echo "run.sh: no target $1" >&2
    exit 2
}

run() {
    lookup "$1" fuzz
    mkdir -p "build/fuzz/found/$1"
    "build/fuzz/fuzz/$1" -max_total_time="${2:-60}" -timeout=10 -artifact_prefix="build/fuzz/$1-" \
        "build/fuzz/found/$1" "$corpus"
}

minimise() {
    lookup "$1" fuzz
    local small hashed='.*/[0-9a-f]{40}'
    small=$(mktemp -d)
    # Seeds with names say what they are for: they stay, also where others reach as much.
    find "$corpus" -type f -regextype egrep ! -regex "$hashed" -exec cp {} "$small" \;
    "build/fuzz/fuzz/$1" -set_cover_merge=1 -use_counters=0 -max_len=4000 "$small" "$corpus" "build/fuzz/found/$1" \
        > "build/fuzz/$1-merge.log" 2>&1 || { tail -n 5 "build/fuzz/$1-merge.log" >&2; exit 1; }
    find "$corpus" -type f -regextype egrep -regex "$hashed" -delete
    find "$small" -type f -regextype egrep -regex "$hashed" -exec mv {} "$corpus" \;
    rm -rf "$small"
    echo "$1: $(find "$corpus" -type f | wc -l) inputs, $(du -sb "$corpus" | cut -f 1) bytes"
}

coverage() {
    local target share bad=0 dir=build/coverage/fuzz
    while read -r target corpus covers; do
        LLVM_PROFILE_FILE=$dir/$target.profraw "$dir/$target" "$corpus" > /dev/null
        llvm-profdata-14 merge -sparse -o "$dir/$target.profdata" "$dir/$target.profraw"
        # shellcheck disable=SC2086
        share=$(llvm-cov-14 export -summary-only -instr-profile="$dir/$target.profdata" "$dir/$target" $covers |
            jq '.data[0].totals.lines.percent * 10 | floor / 10')
        printf '%-24s %5s %% of the lines of %s\n' "$target" "$share" "$covers"
        jq -en "$share >= $MUST" > /dev/null || bad=1
    done < "$dir/targets"
    [ "$bad" = 0 ] || echo "run.sh: less than $MUST %" >&2
    return "$bad"
}

case ${1:-} in
'') cut -d ' ' -f 1 build/fuzz/fuzz/targets ;;
--minimise) minimise "${2:?a target}" ;;
--coverage) coverage ;;
*) run "$@" ;;
esac
