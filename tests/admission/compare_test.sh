#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# admission-compare sees what it is for: compare_test.sh BIN. One case each: upstream's answer, ours, and whether they differ.
set -eu -o pipefail
bin=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

# differs WANT NAME UPSTREAM OURS: WANT 0 they agree, 1 they differ; the two are specs of the prepared object
differs() {
    local status=0
    echo '{"id":1,"op":"create","name":"one","job":{"metadata":{"labels":{"a":"b"}},"spec":{}}}' > "$dir/cases"
    echo "{\"id\":1,\"errors\":[],\"prepared\":{\"spec\":$3}}" > "$dir/upstream"
    echo "{\"id\":1,\"errors\":[],\"prepared\":{\"spec\":$4}}" > "$dir/ours"
    "$bin/admission-compare" "$dir/cases" "$dir/upstream" "$dir/ours" > "$dir/out" 2>&1 || status=$?
    if [ "$status" = "$1" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL  $2: ended with $status, not $1"
        cat "$dir/out"
    fi
}

differs 0 "the same" '{"parallelism":1}' '{"parallelism":1}'
differs 1 "another value" '{"parallelism":1}' '{"parallelism":2}'
for zero in '"backoffLimit":0' '"ttlSecondsAfterFinished":0' '"parallelism":0' '"completions":0' '"activeDeadlineSeconds":0' '"suspend":false' \
    '"manualSelector":false' '"selector":{}' '"podFailurePolicy":{}' '"successPolicy":{"rules":[]}'; do
    differs 1 "upstream's $zero, ours nothing" "{\"parallelism\":1,$zero}" '{"parallelism":1}'
done
for zero in '"backoffLimit":0' '"suspend":false' '"ttlSecondsAfterFinished":0'; do
    differs 1 "ours $zero, upstream's nothing" '{"parallelism":1}' "{\"parallelism\":1,$zero}"
done
differs 0 "Go's empty metadata, and null" '{"template":{"metadata":{},"spec":{"containers":null}}}' '{"template":{"spec":{}}}'
differs 0 "what was given empty, and Go leaves out" '{"template":{"spec":{}}}' '{"template":{"spec":{"hostname":"","nodeSelector":{}}}}'

# What is not compared is named, and a connection that was cut agrees with nothing but a refusal.
# excluded WANT NAME LINE UPSTREAM OURS [ARGS...]: the two answers; ends with WANT, and prints that line
excluded() {
    local status=0
    echo '{"id":7,"op":"update","name":"one","job":{"metadata":{"labels":{"a":"b"}},"spec":{}}}' > "$dir/cases"
    echo "{\"id\":7,$4}" > "$dir/upstream"
    echo "{\"id\":7,$5}" > "$dir/ours"
    # a second case, since nothing compared is no agreement
    echo '{"id":8,"op":"create","name":"two","job":{"spec":{}}}' >> "$dir/cases"
    for f in upstream ours; do echo '{"id":8,"errors":[],"prepared":{"spec":{}}}' >> "$dir/$f"; done
    "$bin/admission-compare" -s "${@:6}" "$dir/cases" "$dir/upstream" "$dir/ours" > "$dir/out" 2>&1 || status=$?
    if [ "$status" = "$1" ] && grep -qxF -- "$3" "$dir/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL  $2: ended with $status, not $1, or without \"$3\""
        cat "$dir/out"
    fi
}

refusal='"errors":[{"rule":"a-rule","type":"FieldValueInvalid","field":"spec","message":"spec: Invalid value: no"}]'
excluded 0 "skipped" "skipped: case 7, update one: could not be stored" '"skipped":"could not be stored"' "$refusal"
excluded 0 "cut, ours refuses" "cut: case 7, update one: a-rule" '"cut":"Empty reply"' "$refusal"
excluded 1 "cut, ours accepts" "cut: case 7, update one" '"cut":"Empty reply"' '"errors":[],"prepared":{"spec":{}}'
excluded 0 "left to a schema" "left to a schema: case 7, update one: no int" '"decodeError":"no int","errors":[]' '"errors":[]' -l
excluded 0 "not validated" "not validated: spec" "$refusal" '"errors":[],"unvalidated":["spec"]'

# Nothing compared is no agreement.
: > "$dir/none"
status=0
"$bin/admission-compare" "$dir/none" "$dir/none" "$dir/none" > /dev/null 2>&1 || status=$?
if [ $status = 2 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL  no case: ended with $status"; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
