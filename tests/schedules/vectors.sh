#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How often schedules start Jobs, beside what robfig/cron v3.0.1 has done: tests/vectors/schedules.json, which compare.sh --write makes.
#   vectors.sh FACTS   FACTS: schedule-facts
set -eu -o pipefail
VECTORS=$(cd "$(dirname "${BASH_SOURCE[0]}")/../vectors" && pwd)/schedules.json
N=200
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-schedules.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

"$1" < "$VECTORS" > "$WORK/have"
jq -r .facts "$VECTORS" > "$WORK/want"
[ "$(wc -l < "$WORK/want")" = $N ] || { echo "FAIL  $(wc -l < "$WORK/want") vectors, expected $N"; exit 1; }
diff -U 0 "$WORK/want" "$WORK/have" || { echo "FAIL  what schedules start"; exit 1; }
echo "$N schedules, $(grep -vc '^0 ' "$WORK/want") start"
