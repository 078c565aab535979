#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The corpus is whole (check.py), and what checks it finds faults: each of these in a copy must be refused, for its own reason.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-corpus.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
COUNT=60

"$HERE/check.py" "$HERE/corpus" $COUNT
diff <(sed -n '/^| name | answer/,$p' "$HERE/README.md" | tail -n +3) <("$HERE/readme.sh") || { echo "FAIL  the table of README.md isn't readme.sh's"; exit 1; }

missed=0 planted=0
copy() {
    rm -rf "$WORK/corpus"
    cp -r "$HERE/corpus" "$HERE/words.csv" "$WORK"
}
# planted REASON FILE JQ: that edit of a copy is refused with a line that matches REASON
planted() {
    copy
    jq "$3" "$HERE/corpus/$2" > "$WORK/corpus/$2"
    refused "$1"
}
refused() {
    planted=$((planted + 1))
    if "$HERE/check.py" "$WORK/corpus" $COUNT > "$WORK/out"; then
        echo "FAIL  passes: $1"
        missed=1
    elif ! grep -qE "^FAIL  .*$1" "$WORK/out"; then
        echo "FAIL  another reason than '$1':"
        grep '^FAIL' "$WORK/out"
        missed=1
    fi
}

planted 'expected a v1 List' oom.json '.kind = "Table"'
planted 'Secret token' oom.json '.items += [{kind: "Secret", metadata: {name: "token"}}]'
planted 'has managedFields' oom.json '.items[0].metadata.managedFields = []'
planted 'firstTimestamp or eventTime' oom.json '(.items[] | select(.kind == "Event")) |= del(.eventTime, .firstTimestamp)'
planted 'is of no Job' oom.json '(.items[] | select(.kind == "Pod").metadata.ownerReferences) = []'
planted "isn't in the dump" oom.expected '.ask = "job/other -n pricing"'
planted "isn't in the dump" oom.expected '.ask = "oom"'
planted 'the dump knows of' oom.expected '.now = "2026-01-01T00:00:00Z"'
planted 'expected a time after now' backoff-waiting.expected '.when = .now'
planted 'expected RFC 3339' oom.expected '.now = "today"'
planted 'verdict: expected one of' oom.expected '.verdict = "stuck"'
planted 'others than the verdict' oom.expected '.verdict_ok = ["hand"]'
planted 'who: you' oom.expected '.who = "you"'
planted 'kubernetes: 1.99' oom.expected '.kubernetes = "1.99"'
planted 'source: expected a text' oom.expected 'del(.source)'
planted 'next_reject: expected a list' oom.expected '.next_reject = "delete"'
planted 'an empty list' oom.expected '.must_not_say = []'
planted 'must_mention: .*unterminated' oom.expected '.must_mention += ["(oom"]'
planted "must_mention: .*isn't in first_cause" oom.expected '.must_mention += ["liveness"]'
planted 'must_not_say: .* is in first_cause' oom.expected '.must_not_say += ["memory"]'
planted 'next_accept: next_example matches none' oom.expected '.next_accept = ["rm -rf"]'
planted 'next_reject: .* matches next_example' oom.expected '.next_reject += ["kubectl"]'
planted 'is in next_accept and in next_reject' oom.expected '.next_reject += [.next_accept[1]]'
copy && sed -Ei 's/^  "who": "(nobody|queue)"/  "who": "author"/' "$WORK"/corpus/*.expected
refused '0 in which nothing is wrong'
copy && sed -Ei 's/^  "source": .*/  "source": "real"/' "$WORK"/corpus/*.expected
refused '0 after public threads'
copy && sed -Ei 's/^  "who": "owner-of:.*"/  "who": "author"/' "$WORK"/corpus/*.expected
refused '0 with an owner'
copy && rm "$WORK/corpus/oom.expected"
refused 'oom: expected a .json and a .expected'
copy && rm "$WORK"/corpus/oom.*
refused '59 dumps: expected 60'
copy && echo '{' > "$WORK/corpus/oom.json"
refused "can't be read"
copy && head -n 20 "$HERE/words.csv" > "$WORK/words.csv"
refused '19 rows: expected at least 80'
copy && sed '1s/cause/why/' "$HERE/words.csv" > "$WORK/words.csv"
refused 'expected the columns'
copy && { cat "$HERE/words.csv" && echo 'kubelet,x,(,1.31-1.37,y'; } > "$WORK/words.csv"
refused 'words.csv: row'

[ $missed = 0 ] && echo "$planted planted faults are found"
exit $missed
