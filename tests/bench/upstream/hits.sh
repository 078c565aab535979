#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How often generated cases break each rule, in each version of Kubernetes: compare.sh with the gates that the cases are made with, then (half as
# many) with all on, and with all off. A rule that a version has must be hit there, unless unhit.txt says why it can't be; what that file says
# must be so.
#   hits.sh [N] [SEED]   N cases (default 20000); prints a table, a rule a line
set -eu -o pipefail
export LC_ALL=C
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
n=${1:-20000} seed=${2:-1}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-hits.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

minors=$("$HERE/../../support/releases.sh" --minors)
bad=0
compare() { # compare MINOR N [--gates on|off]: its last line, and the hits into WORK/MINOR
    if "$HERE/compare.sh" --kubernetes "1.$1" "${@:3}" "$2" "$seed" > "$WORK/out" 2>&1; then
        echo "1.$1 ${*:3}: $(tail -n 1 "$WORK/out")"
    else
        bad=1
        echo "1.$1 ${*:3}: FAILED"
        grep -vE '^ +[0-9]+ [a-z0-9-]+$' "$WORK/out" | tail -n 60
    fi
    sed -nE 's/^ +([0-9]+) ([a-z0-9-]+)$/\2 \1/p' "$WORK/out" >> "$WORK/1.$1"
}
for minor in $minors; do
    : > "$WORK/1.$minor"
    compare "$minor" "$n"
    for gates in on off; do compare "$minor" $((n / 2)) --gates "$gates"; done
done

# shellcheck disable=SC2046 # a file each
(cd "$WORK" && awk '
    FNR == 1 { columns++; name[columns] = FILENAME }
    { if (!($1 in seen)) { seen[$1]; rules[++count] = $1 } has[$1, columns]; n[$1, columns] += $2 }
    END {
        printf "%-60s", "rule"; for (c = 1; c <= columns; c++) printf "%8s", name[c]; print ""
        for (i = 1; i <= count; i++) {
            printf "%-60s", rules[i]
            for (c = 1; c <= columns; c++) printf "%8s", ((rules[i], c) in has) ? n[rules[i], c] : "."
            print ""
        }
    }' $(printf '1.%s ' $minors)) | tee "$WORK/table"

# What was never hit, and what unhit.txt says: "RULE 1.X".
awk 'NR == 1 { for (c = 2; c <= NF; c++) version[c] = $c; next } { for (c = 2; c <= NF; c++) if ($c == "0") print $1, version[c] }' "$WORK/table" |
    sort > "$WORK/zeros"
grep -vE '^(#|$)' "$HERE/unhit.txt" | awk -v minors="$minors" '{
    split($2, r, "-"); from = substr(r[1], 3) + 0; to = (r[2] == "" ? from : substr(r[2], 3) + 0)
    for (m = from; m <= to; m++) print $1, "1." m
}' | sort > "$WORK/expected"
comm -3 "$WORK/zeros" "$WORK/expected" > "$WORK/wrong"
[ ! -s "$WORK/wrong" ] || {
    bad=1
    sed -nE 's/^([^\t].*)/never hit, and not in unhit.txt: \1/p; s/^\t(.*)/in unhit.txt, but hit, or no rule there: \1/p' "$WORK/wrong"
}
echo "$(($(wc -l < "$WORK/table") - 1)) rules, $(cut -d ' ' -f 1 "$WORK/zeros" | sort -u | wc -l) of them at zero in a version; $n cases of seed $seed"
exit "$bad"
