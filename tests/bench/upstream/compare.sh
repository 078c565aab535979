#!/bin/bash
# Kubernetes' own rules and ours on N generated cases (default 20000): result, errors, warnings, objects.
#   compare.sh [--kubernetes X.Y [--gates on|off]] [N] [SEED]
#       X.Y: from 1.31 to 1.37, its newest patch (default: 1.36.0)
#       --gates: each case has all gates that aren't locked on, or all off (default: the gates that it was made with)
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$HERE/../../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
minor=() theirs=() ours=() hits=()
program=upstream-validate
if [ "${1:-}" = --kubernetes ]; then
    [ $# -gt 1 ] || { echo "compare.sh: --kubernetes: expected a version, like 1.33" >&2; exit 2; }
    minor=("$2")
    program=validate
    theirs=(-ignore-unknown-gates)
    ours=(--kubernetes-version "$2")
    hits=(-k "$2")
    shift 2
fi
gates=
if [ "${1:-}" = --gates ]; then
    case "${#minor[@]} ${2:-}" in
    "1 on") is=true ;;
    "1 off") is=false ;;
    *) echo "compare.sh: --gates: expected on or off, after --kubernetes X.Y" >&2; exit 2 ;;
    esac
    gates=$("$JR_BIN/schema-dump" states "${minor[0]#1.}" | jq -nR --argjson is "$is" '
        [inputs / " " | select(.[2] == "unlocked") | {key: .[0], value: $is}] | from_entries')
    echo "$gates" | jq -r --arg is "$2" '"\(length) gates \($is): \(keys | join(", "))"'
    shift 2
fi
"$HERE/build.sh" "${minor[@]}" > /dev/null
UPSTREAM=$("$HERE/build.sh" --where "${minor[@]}")/$program
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-compare.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
"$JR_BIN/admission-cases" "${1:-20000}" "${2:-1}" > "$WORK/cases"
[ -z "$gates" ] || {
    jq -c --argjson gates "$gates" '.gates = $gates' "$WORK/cases" > "$WORK/with" && mv "$WORK/with" "$WORK/cases"
}
"$UPSTREAM" "${theirs[@]}" < "$WORK/cases" > "$WORK/upstream"
"$JR_BIN/admission-validate" "${ours[@]}" < "$WORK/cases" > "$WORK/ours"
"$JR_BIN/admission-compare" -r -l "${hits[@]}" "$WORK/cases" "$WORK/upstream" "$WORK/ours"
