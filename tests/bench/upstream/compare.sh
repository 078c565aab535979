#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kubernetes' own rules and ours on N generated cases (default 20000): result, errors, warnings, objects.
#   compare.sh [--kubernetes X.Y [--gates on|off]] [N] [SEED]
#       X.Y: from 1.31 to 1.38, its newest patch (default: 1.36.0)
#       --gates: each case has all gates that aren't locked on, or all off, but for those that others, which we don't know, depend on (default:
#       the gates that it was made with)
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$HERE/../../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
minor=() ours=() hits=()
program=upstream-validate
if [ "${1:-}" = --kubernetes ]; then
    [ $# -gt 1 ] || { echo "compare.sh: --kubernetes: expected a version, like 1.33" >&2; exit 2; }
    minor=("$2")
    program=validate
    ours=(--kubernetes-version "$2")
    hits=(-k "$2")
    shift 2
fi
"$HERE/build.sh" "${minor[@]}" > /dev/null
UPSTREAM=$("$HERE/build.sh" --where "${minor[@]}")/$program

# settable on|off: those of our gates that can all be so at once, by what each version says of its own (validate -gates)
settable() {
    awk -v to="$1" 'NR == FNR { is[$1] = $2; for (i = 6; i <= NF; i++) needs[$1, $i]; next } $3 == "unlocked" { set[$1] } END {
        do { # what others that stay on need can not be off, and what needs others that stay off can not be on
            left = 0
            for (pair in needs) {
                split(pair, p, SUBSEP)
                if (to == "off" && is[p[1]] == "on" && !(p[1] in set) && (p[2] in set)) { delete set[p[2]]; left = 1 }
                if (to == "on" && (p[1] in set) && is[p[2]] == "off" && !(p[2] in set)) { delete set[p[1]]; left = 1 }
            }
        } while (left)
        for (g in set) print g
    }' <("$UPSTREAM" -gates) <("$JR_BIN/schema-dump" states "${minor[0]#1.}") | sort
}
gates=
if [ "${1:-}" = --gates ]; then
    case "${#minor[@]} ${2:-}" in
    "1 on") is=true ;;
    "1 off") is=false ;;
    *) echo "compare.sh: --gates: expected on or off, after --kubernetes X.Y" >&2; exit 2 ;;
    esac
    gates=$(settable "$2" | jq -nR --argjson is "$is" '[inputs | {key: ., value: $is}] | from_entries')
    echo "$gates" | jq -r --arg is "$2" '"\(length) gates \($is): \(keys | join(", "))"'
    shift 2
fi
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-compare.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
"$JR_BIN/admission-cases" "${1:-20000}" "${2:-1}" > "$WORK/cases"
[ -z "$gates" ] || {
    jq -c --argjson gates "$gates" '.gates = $gates' "$WORK/cases" > "$WORK/with" && mv "$WORK/with" "$WORK/cases"
}
"$UPSTREAM" -ignore-unknown-gates < "$WORK/cases" > "$WORK/upstream"
"$JR_BIN/admission-validate" "${ours[@]}" < "$WORK/cases" > "$WORK/ours"
"$JR_BIN/admission-compare" -r -l "${hits[@]}" "$WORK/cases" "$WORK/upstream" "$WORK/ours"
