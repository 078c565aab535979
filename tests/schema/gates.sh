#!/bin/bash
# The gates of common/schema/profile.h beside those of each version's own packages: which there are, which are on, which are locked.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-gates.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

bad=0
for minor in $(sed -n 's/^ *X(\([0-9]*\), [0-9]*).*/\1/p' common/schema/releases.h); do
    tests/bench/upstream/build.sh "1.$minor" > /dev/null
    "$(tests/bench/upstream/build.sh --where "1.$minor")/validate" -gates 2> /dev/null > "$WORK/upstream"
    "$JR_BIN/schema-dump" states "$minor" | sort > "$WORK/ours"
    awk 'NR == FNR { state[$1] = $2 " " $3; next } { print $1, ($1 in state ? state[$1] : "unknown") }' "$WORK/upstream" "$WORK/ours" > "$WORK/want"
    diff -U0 --label "upstream 1.$minor" --label common/schema/profile.h "$WORK/want" "$WORK/ours" || bad=1
    echo "1.$minor: $(wc -l < "$WORK/ours") gates, $(grep -vc ' unknown$' "$WORK/ours") of them known there"
done
exit "$bad"
