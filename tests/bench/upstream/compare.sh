#!/bin/bash
# Kubernetes' own rules and ours on N generated cases (default 20000): result, errors, warnings, objects.
#   compare.sh [N] [SEED]
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$HERE/../../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
"$HERE/build.sh" > /dev/null
UPSTREAM=$("$HERE/build.sh" --where)/upstream-validate
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-compare.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
"$JR_BIN/admission-cases" "${1:-20000}" "${2:-1}" > "$WORK/cases"
"$UPSTREAM" < "$WORK/cases" > "$WORK/upstream"
"$JR_BIN/admission-validate" < "$WORK/cases" > "$WORK/ours"
"$JR_BIN/admission-compare" -r -l "$WORK/cases" "$WORK/upstream" "$WORK/ours"
