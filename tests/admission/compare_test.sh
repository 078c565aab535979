#!/usr/bin/env bash
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

# Nothing compared is no agreement.
: > "$dir/none"
status=0
"$bin/admission-compare" "$dir/none" "$dir/none" "$dir/none" > /dev/null 2>&1 || status=$?
if [ $status = 2 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL  no case: ended with $status"; fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
