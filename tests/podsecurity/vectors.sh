#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pod Security Standards beside what k8s.io/pod-security-admission v0.37.2 has found in 200 generated templates: tests/vectors/pod-security.json,
# which compare.sh --write makes.
#   vectors.sh CHECK   CHECK: pod-security-check
set -eu -o pipefail
VECTORS=$(cd "$(dirname "${BASH_SOURCE[0]}")/../vectors" && pwd)/pod-security.json
N=200
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-podsecurity.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

jq -c .case "$VECTORS" | "$1" > "$WORK/have"
jq -c .faults "$VECTORS" > "$WORK/want"
[ "$(wc -l < "$WORK/want")" = $N ] || { echo "FAIL  $(wc -l < "$WORK/want") vectors, expected $N"; exit 1; }
diff -U 0 "$WORK/want" "$WORK/have" || { echo "FAIL  what templates violate"; exit 1; }
echo "$N templates, $(grep -vc '^\[\]$' "$WORK/want") violate"
