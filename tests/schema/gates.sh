#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The gates of common/schema/profile.h beside those of each version's own packages: which there are, which are on, which are locked, and
# which other ones they can't be on without. (What a locked gate needs, and a locked gate that one needs, is never refused, and left out.)
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-gates.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

# settable_needs < NAME STATE LOCK [needs OTHER...]: without what can't be off, and what a locked gate needs
settable_needs() {
    awk '{ lines[NR] = $0; if ($3 == "locked") locked[$1] } END {
        for (i = 1; i <= NR; i++) {
            n = split(lines[i], w, " "); line = w[1]; needs = ""
            for (k = 2; k <= n && k <= 3; k++) line = line " " w[k]
            for (k = 5; k <= n && w[3] != "locked"; k++) if (!(w[k] in locked)) needs = needs " " w[k]
            print line (needs == "" ? "" : " needs" needs)
        }
    }'
}

bad=0
for minor in $(tests/support/releases.sh --minors); do
    tests/bench/upstream/build.sh "1.$minor" > /dev/null
    "$(tests/bench/upstream/build.sh --where "1.$minor")/validate" -gates 2> /dev/null > "$WORK/upstream"
    "$JR_BIN/schema-dump" states "$minor" | sort | settable_needs > "$WORK/ours"
    sed -E 's/^(\S+ \S+ \S+) \S+/\1/' "$WORK/upstream" | settable_needs |
        awk 'NR == FNR { gate = $1; sub(/^[^ ]* /, ""); state[gate] = $0; next } { print $1, ($1 in state ? state[$1] : "unknown") }' - "$WORK/ours" > "$WORK/want"
    diff -U0 --label "upstream 1.$minor" --label common/schema/profile.h "$WORK/want" "$WORK/ours" || bad=1
    echo "1.$minor: $(wc -l < "$WORK/ours") gates, $(grep -vc ' unknown$' "$WORK/ours") of them known there"
done
exit "$bad"
