#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Findings: default looked for each member of an object among all members, n times n (200,000 labels: 34 s of processor time on a45bcc3d, 0.1 s now);
# check ended with "out of memory" and without a report at a key of 1.5 MB.
# quick
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/many
mkdir -p "$work"

job() { # job MEMBER: of the object; METADATA
    printf '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"%s},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}%s}' \
        "$METADATA" "$1"
}
METADATA=",\"labels\":{\"a\":\"b\"$(awk 'BEGIN { for (i = 0; i < 200000; i++) printf ",\"label-%d\":\"v\"", i }')}" job '' > "$work/labels.json"
status=0
(
    ulimit -t 10
    exec "$JR_BIN/jobreeve" default -o json "$work/labels.json"
) > "$work/out" 2> "$work/err" || status=$?
check "200,000 labels are defaulted" "$status: $(grep -o '"label-199999"' "$work/out")" '0: "label-199999"'

METADATA='' job ",\"$(head -c 9000000 /dev/zero | tr '\0' k)\":1" > "$work/key.json"
METADATA='' job '' | sed 's/"spec":{/&"parallelism":-1,/' > "$work/wrong.json"
status=0
"$JR_BIN/jobreeve" check -o json "$work/key.json" "$work/wrong.json" > "$work/out" 2> "$work/err" || status=$?
check "a key of 9 MB is unknown, and what is wrong elsewhere is said" \
    "$status: $(jq -c '[.summary.errors, .summary.warnings, .summary.unreadable]' "$work/out")" "1: [1,1,0]"
