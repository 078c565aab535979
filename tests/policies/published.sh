#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a suite of each policy of published/: a Job that it refuses, one or two that it lets pass. How many of the published rules can be said
# is counted, and pinned. published/own_cases.py runs the rules' own cases.
#   published.sh JOBREEVE
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-published.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

rules=$(python3 "$HERE/published/suites.py" "$WORK")
# 1: not each rule of each policy is violated, which isn't asked for here.
"$1" policy test "$WORK" > "$WORK/out" 2>&1 || [ $? = 1 ] || { cat "$WORK/out" >&2; exit 1; }
cases=$(sed -n 's/^\([0-9]* cases in [0-9]* suites: [0-9]* passed, 0 failed\);.*/\1/p' "$WORK/out")
echo "$rules"
echo "$cases"
[ "$rules" = "281 rules, 146 policies: 35 in part, 9 level, 91 no, 146 yes" ] && [ "$cases" = "330 cases in 146 suites: 330 passed, 0 failed" ] ||
    { echo "FAIL  other counts than before"; exit 1; }
