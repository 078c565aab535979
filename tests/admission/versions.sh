#!/bin/bash
# What each of Kubernetes 1.31 to 1.38 answers to the rows of tests/vectors/faults, where that differs from 1.36.0: tests/vectors/versions-faults.json, and
# whether ours agrees.
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

# API servers up to 1.37 panic at it (a division by zero): there is nothing that ours could agree with.
"$BIN/admission-cases" --rows | grep -vF '"name":"huge-pages-multiple#4"' > "$WORK/cases"
if [ "${2:-}" = "" ]; then
    "$BIN/admission-validate" < "$WORK/cases" | summary > "$WORK/base"
else
    tests/bench/upstream/build.sh > /dev/null
    "$(tests/bench/upstream/build.sh --where)/upstream-validate" -ignore-unknown-gates < "$WORK/cases" 2> /dev/null | summary > "$WORK/base"
fi
for v in $VERSIONS; do
    if [ "${2:-}" = "" ]; then
        "$BIN/admission-validate" --kubernetes-version "$v" < "$WORK/cases" | summary > "$WORK/$v"
    else
        tests/bench/upstream/build.sh "$v" > /dev/null
        "$(tests/bench/upstream/build.sh --where "$v")/validate" -ignore-unknown-gates < "$WORK/cases" 2> /dev/null | summary > "$WORK/$v"
    fi
    different "$WORK/$v" | jq -c --arg v "$v" '{($v): .}'
done | jq -s -S 'add' > "$WORK/have"
[ "${2:-}" != --write ] || cp "$WORK/have" "$FILE"
diff -U 2 --label "$FILE" --label "${2:-ours}" "$FILE" "$WORK/have" || { echo "FAIL  the answers of versions"; exit 1; }
jq -r 'to_entries[] | "\(.key): \(.value | length) rows differ from 1.36.0"' "$FILE"
echo "$(wc -l < "$WORK/cases") rows by each of $(wc -w <<< "$VERSIONS") versions"
