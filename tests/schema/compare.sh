#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tables of common/schema beside Kubernetes' own Go types: every field of every type that a kind reaches, its Go type,
# whether it is a pointer, how a strategic merge patch treats a list, whether it is written where it is zero, and its number in protobuf. What the tables don't look into ("any") has to be a field there too, and is counted.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
ANY=28         # fields that are not looked into: raise it only for one that no rule reads
FIELDS_MIN=833 # what is compared, at least
tests/bench/upstream/build.sh > /dev/null
UPSTREAM=$(tests/bench/upstream/build.sh --where)/upstream-schema
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-schema.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

"$JR_BIN/schema-dump" | sort > "$WORK/ours"
"$UPSTREAM" | sort > "$WORK/upstream"
# Of upstream only the types that the tables reach, and "any" where the tables say so.
awk 'NR == FNR { types[$1] = 1; if ($3 == "any") any[$1, $2] = 1; next }
     $1 in types { print $1, $2, (($1, $2) in any ? "any" : $3) ($4 == "" ? "" : " " $4) ($5 == "" ? "" : " " $5) ($6 == "" ? "" : " " $6) }' "$WORK/ours" "$WORK/upstream" | sort > "$WORK/want"
bad=0
diff -U0 --label upstream --label common/schema "$WORK/want" "$WORK/ours" || bad=1
any=$(grep -cE ' any( |$)' "$WORK/ours") || true
n=$(wc -l < "$WORK/ours")
echo "$n fields of $(cut -d ' ' -f 1 "$WORK/ours" | sort -u | wc -l) types, $any not looked into"
[ "$any" -le "$ANY" ] || { echo "$any fields are not looked into, $ANY may be"; bad=1; }
[ "$n" -ge "$FIELDS_MIN" ] || { echo "only $n fields were compared, $FIELDS_MIN at least were expected"; bad=1; }
exit "$bad"
