#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pod Security Standards: ours beside k8s.io/pod-security-admission of the newest Kubernetes, which knows all versions of its checks.
#   compare.sh --write      makes tests/vectors/pod-security.json of 200 cases
#   compare.sh [N] [SEED]   N cases (20000) by each of v1.31 to v1.37, N by any version, and its own fixtures: 0 may differ, in what is allowed or in the words
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$HERE/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
tests/e2e/build.sh podsecurity > /dev/null
UPSTREAM=$(tests/e2e/build.sh --where)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-podsecurity.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
if [ "${1:-}" = --write ]; then
    python3 "$HERE/cases.py" 200 1 > "$WORK/cases"
    "$UPSTREAM/podsecurity" < "$WORK/cases" > "$WORK/upstream"
    paste -d '\n' "$WORK/cases" "$WORK/upstream" | jq -c '{case: ., faults: input}' > tests/vectors/pod-security.json
    exit
fi
N=${1:-20000} SEED=${2:-1}
FAILED=0

compare() { # compare WHAT < CASES
    local n differ
    cat > "$WORK/cases"
    "$UPSTREAM/podsecurity" < "$WORK/cases" > "$WORK/upstream"
    "$JR_BIN/pod-security-check" < "$WORK/cases" > "$WORK/ours"
    n=$(wc -l < "$WORK/upstream")
    differ=$(paste -d '\n' "$WORK/upstream" "$WORK/ours" | awk 'NR % 2 { line = $0; next } line != $0 { n++ } END { print n + 0 }')
    echo "$1: $n templates, $(grep -vc '^\[\]$' "$WORK/upstream" || true) violate, $differ differ"
    [ "$differ" = 0 ] && [ "$n" -gt 0 ] && [ "$(wc -l < "$WORK/ours")" = "$n" ] && return
    diff "$WORK/upstream" "$WORK/ours" | head -n 6 || true
    FAILED=1
}

for minor in $(seq 31 37); do
    compare "v1.$minor" < <(python3 "$HERE/cases.py" "$N" "$SEED" "v1.$minor")
done
compare "any version" < <(python3 "$HERE/cases.py" "$N" "$SEED")
compare "its fixtures" < <(python3 "$HERE/cases.py" --fixtures "$UPSTREAM/podsecurity-testdata")
exit $FAILED
