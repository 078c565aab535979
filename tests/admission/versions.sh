#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What Kubernetes 1.36.0 answers to the rows of tests/vectors/faults, and each of 1.31 to 1.38 where it answers differently:
# tests/vectors/versions-faults.json, and whether ours agrees.
#   versions.sh BIN             ours beside the file (in ./dev test); BIN: the folder with our programs
#   versions.sh BIN --upstream  the file beside upstream's own packages (in the nightly)
#   versions.sh BIN --write     makes the file by upstream's packages
set -eu -o pipefail
export LC_ALL=C
BIN=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
FILE=tests/vectors/versions-faults.json
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-versions.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
VERSIONS=$(tests/support/releases.sh | cut -d ' ' -f 1)

# Of answers, a line each: {"RULE#N": {errors: ["Type field: detail"], warnings: [...]}}, each error once. Go visits the members of a map in any
# order: that of errors is looked at by tests/bench/upstream/compare.sh.
summary() {
    jq -n -S --slurpfile cases "$WORK/cases" '[$cases, [inputs]] | transpose | map({key: .[0].name, value: (.[1] | {
        errors: ([.errors[] | "\(.type | ltrimstr("FieldValue")) \(.field): \(.detail)"] | unique),
        warnings: .warnings, decodeError: (.decodeError // "" | . != "")})}) | from_entries'
}

# different FILE: of a summary what differs from 1.36.0
different() { jq -S --slurpfile base "$WORK/base" 'with_entries(select(.value != $base[0][.key]))' "$1"; }

# API servers panic at these, the first one up to 1.37 (a division by zero), the other by a nil pointer: there is nothing that ours could agree with.
"$BIN/admission-cases" --rows | grep -vE '"name":"(huge-pages-multiple#4|indexed-completions-required#2)"' > "$WORK/cases"

# answers VERSION: of ours, or of upstream's packages; 1.36.0: the version whose package has the plain name.
if [ "${2:-}" = "" ]; then
    answers() { "$BIN/admission-validate" --kubernetes-version "$1" < "$WORK/cases"; }
else
    answers() {
        local program
        if [ "$1" = 1.36.0 ]; then
            tests/bench/upstream/build.sh > /dev/null
            program=$(tests/bench/upstream/build.sh --where)/upstream-validate
        else
            tests/bench/upstream/build.sh "$1" > /dev/null
            program=$(tests/bench/upstream/build.sh --where "$1")/validate
        fi
        "$program" -ignore-unknown-gates < "$WORK/cases" 2> /dev/null > "$WORK/answers"
        if jq -c 'select(.panic)' "$WORK/answers" | grep . >&2; then
            echo "FAIL  upstream $1 panics at a row" >&2
            return 1
        fi
        cat "$WORK/answers"
    }
fi
answers 1.36.0 | summary > "$WORK/base"
{
    jq '{"1.36.0": .}' "$WORK/base"
    for v in $VERSIONS; do
        answers "$v" | summary > "$WORK/$v"
        different "$WORK/$v" | jq --arg v "$v" '{($v): .}'
    done
} | jq -s -S 'add' > "$WORK/have"
[ "${2:-}" != --write ] || cp "$WORK/have" "$FILE"
diff -U 2 --label "$FILE" --label "${2:-ours}" "$FILE" "$WORK/have" || { echo "FAIL  the answers of versions"; exit 1; }
jq -r 'to_entries[] | "\(.key): \(.value | length) rows" + (if .key == "1.36.0" then "" else " differ from 1.36.0" end)' "$FILE"
echo "$(wc -l < "$WORK/cases") rows by each of $(wc -w <<< "$VERSIONS") versions"
