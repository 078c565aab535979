#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The observer of the kill -9 tests (history.jq) on histories made by hand: it finds each fault, and nothing in a clean run.
# A history is lines of words, one event a line, in the order of the resource versions:
#   job [KEY=VALUE | Complete | Complete=False | Failed]...
#       KEY: name, active, succeeded, failed, indexes, and listed and listedFailed (uids, a,b)
#   pod UID PHASE [free | deleting | index=I | owner=JOB]...      free: without the finalizer
#   gone UID PHASE [...]                 the Pod is deleted
#   bookmark
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
passed=0
failed=0

# Lines into watch events. The Job's come first, as from two streams, and the resource versions pass from 9 to 10.
events() { # events MODE
    jq -Rnc --arg mode "$1" '
        def list: split(",") | map(select(. != ""));
        def job($w; $o):
            {kind: "Job", metadata: {name: ($o.name // "work")}, spec: {completionMode: $mode},
             status: ({active: $o.active, succeeded: $o.succeeded, failed: $o.failed} | map_values(select(. != null) | tonumber)
                | if $o.indexes then .completedIndexes = $o.indexes else . end
                | if $o.listed then .uncountedTerminatedPods.succeeded = ($o.listed | list) else . end
                | if $o.listedFailed then .uncountedTerminatedPods.failed = ($o.listedFailed | list) else . end
                | if $o.Complete then .conditions = [{type: "Complete", status: $o.Complete}] else . end
                | if $o.Failed then .conditions = [{type: "Failed", status: $o.Failed}] else . end)};
        def pod($w; $o):
            {kind: "Pod", metadata: ({name: "pod-\($w[1])", uid: $w[1], ownerReferences: [{kind: "Job", name: ($o.owner // "work")}]}
                | if $o.free then . else .finalizers = ["batch.kubernetes.io/job-tracking"] end
                | if $o.deleting then .deletionTimestamp = "2024-01-01T00:00:00Z" else . end
                | if $o.index then .annotations = {"batch.kubernetes.io/job-completion-index": $o.index} else . end),
             status: {phase: $w[2]}};
        [inputs | split(" ") | select(length > 0)]
        | [foreach .[] as $w ({rv: 5, seen: {}};
            .rv += 1
            | (reduce $w[] as $x ({}; ($x | split("=")) as $kv | .[$kv[0]] = ($kv[1] // "True"))) as $o
            | "\($w[0]) \(if $w[0] == "job" then $o.name else $w[1] end)" as $key
            | .event = {type: (if $w[0] == "gone" then "DELETED" elif $w[0] == "bookmark" then "BOOKMARK"
                               elif .seen[$key] then "MODIFIED" else "ADDED" end),
                        object: (if $w[0] == "job" then job($w; $o) elif $w[0] == "bookmark" then {kind: "Pod"} else pod($w; $o) end)}
            | .event.object.metadata.resourceVersion = "\(.rv)"
            | .seen[$key] = true;
            .event)]
        | sort_by(.object.kind)[]'
}

evaluate() { # evaluate COMPLETIONS PARALLELISM AMBIGUOUS
    jq -rs --arg job work --argjson completions "$1" --argjson parallelism "$2" --argjson ambiguous "$3" -f "$here/history.jq"
}

# Expects the faults on stdin, all of them, in this order.
check() { # check HISTORY MODE COMPLETIONS PARALLELISM AMBIGUOUS
    local got want
    want=$(cat)
    got=$("$1" | events "$2" | evaluate "$3" "$4" "$5" 2>&1) || got="$got (jq failed)"
    if [ "$got" = "$want" ]; then
        passed=$((passed + 1))
        echo "ok    $1 $2 $3 $4 $5"
    else
        failed=$((failed + 1))
        echo "FAIL  $1 $2 $3 $4 $5"
        diff <(echo "$want") <(echo "$got") | sed 's/^/      /' || true
    fi
}

say() { printf '%s\n' "$@"; }
running() { # running UID...: made and started
    local uid
    for uid; do say "pod $uid Pending" "pod $uid Running"; done
}
counted() { # counted UID N: the Pod ends and is the Nth that is counted
    say "pod $1 Succeeded" "job succeeded=$(($2 - 1)) listed=$1" "pod $1 Succeeded free" "job succeeded=$2"
}
indexed() { # indexed UID INDEX INDEXES N: the Pod of INDEX runs and ends, INDEXES are complete then, N of them
    say "pod $1 Pending index=$2" "pod $1 Running index=$2" "pod $1 Succeeded index=$2" "job succeeded=$4 indexes=$3" \
        "pod $1 Succeeded index=$2 free"
}
two() { # the clean course of a Job with two completions
    running a b
    counted a 1
    counted b 2
}

# Clean ones.
clean() { say job; two; say "job succeeded=2 Complete"; }
clean_both_at_once() {
    running a b
    say "pod a Succeeded" "pod b Succeeded" "job listed=a,b" "pod a Succeeded free" "job succeeded=1 listed=b" \
        "pod b Succeeded free" "job succeeded=2 Complete"
}
clean_among_others() {
    say "job name=other succeeded=7" "pod x Failed free owner=other" bookmark
    clean
    say "job name=other succeeded=1" "gone a Succeeded free" "gone b Succeeded free"
}
clean_indexed() {
    indexed a 3 3 1
    indexed b 0 0,3 2
    indexed c 1 0-1,3 3
    indexed d 2 0-3 4
    say "job succeeded=4 indexes=0-3 Complete"
}
retried() { # a Pod fails, another takes its place
    running a b
    say "pod b Failed" "job listedFailed=b" "pod b Failed free" "job failed=1"
    running c
    say "pod a Succeeded" "job failed=1 listed=a" "pod a Succeeded free" "job succeeded=1 failed=1" "pod c Succeeded" \
        "job succeeded=1 failed=1 listed=c" "pod c Succeeded free" "job succeeded=2 failed=1 Complete"
}
retried_indexed() { # a Pod fails, another one has its index
    indexed a 0 0 1
    say "pod b Running index=1" "pod b Failed index=1" "job succeeded=1 indexes=0 listedFailed=b" "pod b Failed index=1 free" \
        "job succeeded=1 failed=1 indexes=0" "pod c Running index=1" "pod c Succeeded index=1" \
        "job succeeded=2 failed=1 indexes=0-1" "pod c Succeeded index=1 free" "job succeeded=2 failed=1 indexes=0-1 Complete"
}
excess_deleted() { # an excess Pod is let go of and deleted; it ends in between
    running c
    say "pod c Running free" "pod c Running free deleting" "pod c Failed free deleting" "gone c Failed free"
    clean
}
failed_by_deletion() { # a Pod that is deleted counts as failed before it has ended
    running c
    say "pod c Running deleting" "job listedFailed=c" "gone c Running deleting" "job failed=1"
    running a b
    say "pod a Succeeded" "pod b Succeeded" "job failed=1 listed=a,b" "pod a Succeeded free" "pod b Succeeded free" \
        "job succeeded=2 failed=1 Complete"
}

failed_by_force() { # so does one that is gone at once
    failed_by_deletion | sed '/pod c Running deleting/d; /gone c/d; s/job listedFailed=c/gone c Running\n&/'
}

# The counters.
succeeded_falls() { two; say "job succeeded=1" "job succeeded=2 Complete"; }
failed_falls() { retried; say "job succeeded=2 Complete"; }
indexed_falls() {
    indexed a 0 0 1
    indexed b 1 0-1 2
    say "job succeeded=1 indexes=0-1" "job succeeded=2 indexes=0-1 Complete"
}
index_lost() {
    indexed a 0 0 1
    indexed b 1 1 1
    say "job succeeded=2 indexes=0-1 Complete"
}
index_invented() {
    indexed a 0 0 1
    say "pod b Running index=1" "job succeeded=2 indexes=0-1" "pod b Succeeded index=1" "pod b Succeeded index=1 free" \
        "job succeeded=2 indexes=0-1 Complete"
}
unaccounted() {
    running a b
    counted a 1
    say "pod b Succeeded" "job succeeded=2" "job succeeded=2 listed=b" "pod b Succeeded free" "job succeeded=2 listed=b" \
        "job succeeded=2 Complete"
}
uncounted() { # the list loses a uid that no counter gets
    running a b
    say "pod a Succeeded" "job listed=a" "pod a Succeeded free" job
    counted b 1
    say "job succeeded=1 Complete"
}
failed_unaccounted() { two; say "job succeeded=2 failed=1" "job succeeded=2 failed=1 Complete"; }

# The uids.
counted_twice() { # twice in one list
    running a
    say "pod a Succeeded" "job listed=a,a" "pod a Succeeded free" "job succeeded=2 Complete"
}
counted_as_both() {
    running a b
    say "pod a Succeeded" "job listed=a listedFailed=a" "pod a Succeeded free" "job succeeded=1 failed=1" "pod b Succeeded" \
        "job succeeded=1 failed=1 listed=b" "pod b Succeeded free" "job succeeded=2 failed=1 Complete"
}
listed_again() {
    running a
    counted a 1
    say "job succeeded=1 listed=a" "job succeeded=2 Complete"
}
moved_to_failed() {
    running a b
    say "pod a Succeeded" "job listed=a" "pod a Succeeded free" "job succeeded=1 listedFailed=a" "job succeeded=1 failed=1" \
        "pod b Succeeded" "job succeeded=1 failed=1 listed=b" "pod b Succeeded free" "job succeeded=2 failed=1 Complete"
}
listed_while_running() {
    running a b
    say "job listed=b" "pod b Succeeded" "pod b Succeeded free" "job succeeded=1" "pod a Succeeded" "job succeeded=1 listed=a" \
        "pod a Succeeded free" "job succeeded=2 Complete"
}
stranger_listed() {
    running a
    say "pod a Succeeded" "job listed=a,z" "pod a Succeeded free" "job succeeded=2 Complete"
}
stranger_failed() { # and a Pod that was not there
    two
    say "job succeeded=2 listedFailed=z" "job succeeded=2 failed=1 Complete"
}

# The finalizers.
free_too_early() {
    running a b
    counted a 1
    say "pod b Succeeded" "pod b Succeeded free" "job succeeded=1 listed=b" "job succeeded=2 Complete"
}
free_too_early_indexed() {
    indexed a 0 0 1
    say "pod b Running index=1" "pod b Succeeded index=1" "pod b Succeeded index=1 free" "job succeeded=2 indexes=0-1 Complete"
}
failed_of_complete_index() { # that the index is complete doesn't account for a failure
    indexed a 0 0 1
    indexed b 1 0-1 2
    say "pod c Running index=1" "pod c Failed index=1" "pod c Failed index=1 free" "job succeeded=2 indexes=0-1 Complete"
}
second_of_index() { # nor does a second success need more than the index
    indexed a 0 0 1
    indexed b 1 0-1 2
    say "pod c Running index=1" "pod c Succeeded index=1" "pod c Succeeded index=1 free" "job succeeded=2 indexes=0-1 Complete"
}
gone_too_early() { # the watch doesn't tell of the finalizer of a Pod that goes with it
    running a b
    counted a 1
    say "pod b Succeeded deleting" "gone b Succeeded deleting" "job succeeded=1 listed=b" "job succeeded=2 Complete"
}
lost_while_running() { # its success goes uncounted, a third Pod fills in
    running a b
    say "pod b Running free" "pod b Succeeded free"
    counted a 1
    running c
    counted c 2
    say "job succeeded=2 Complete"
}
born_without() {
    say "pod b Pending free" "pod b Running free" "pod b Succeeded free"
    clean | sed 's/ b/ c/; s/=b/=c/'
}
counted_too_early() {
    running a b
    counted a 1
    say "pod b Succeeded" "job succeeded=1 listed=b" "job succeeded=2" "pod b Succeeded free" "job succeeded=2 Complete"
}
kept() {
    running a b
    counted a 1
    say "pod b Succeeded" "job succeeded=1 listed=b" "job succeeded=2 Complete"
}

# The Pods.
third_created() { clean; say "pod c Pending" "pod c Pending free" "gone c Pending free"; }
three_at_once() { running c; say "pod c Running free"; clean; }
one_without_a_phase() { say "pod c null free"; clean; }
three_with_one_gone() { running c; say "gone c Running"; clean; }
three_with_one_deleting() { running c; say "pod c Running free deleting"; clean; }

# The end.
complete_with_uncounted() {
    running a b
    counted a 1
    say "pod b Succeeded" "job succeeded=1 listed=b" "pod b Succeeded free" "job succeeded=1 listed=b Complete" \
        "job succeeded=2 Complete"
}
complete_with_active() { two; say "job active=1 succeeded=2 Complete" "job succeeded=2 Complete"; }
failed_with_active() { two; say "job active=1 succeeded=2 Failed" "job succeeded=2 Complete"; }
not_complete() { two; }
complete_is_false() { two; say "job succeeded=2 Complete=False"; }
complete_taken_back() { clean; say "job succeeded=2"; }
too_few() {
    running a
    counted a 1
    say "job succeeded=1 Complete"
}
too_many() { two; running c; counted c 3; say "job succeeded=3 Complete"; }
nothing() { :; }

check clean NonIndexed 2 2 0 < /dev/null
check clean_both_at_once NonIndexed 2 2 0 < /dev/null
check clean_among_others NonIndexed 2 2 0 < /dev/null
check clean_indexed Indexed 4 1 0 < /dev/null
check retried NonIndexed 2 2 1 < /dev/null
check retried_indexed Indexed 2 1 1 < /dev/null
check excess_deleted NonIndexed 2 2 1 < /dev/null
check failed_by_deletion NonIndexed 2 2 1 < /dev/null
check failed_by_force NonIndexed 2 2 1 < /dev/null

check succeeded_falls NonIndexed 2 2 0 <<'F'
a counter fell: {"succeeded":2} -> {"succeeded":1}
succeeded went from 2 to 1 with 0 uids accounted
succeeded went from 1 to 2 with 0 uids accounted
F
check failed_falls NonIndexed 2 2 1 <<'F'
a counter fell: {"succeeded":2,"failed":1,"conditions":[{"type":"Complete","status":"True"}]} -> {"succeeded":2,"conditions":[{"type":"Complete","status":"True"}]}
failed went from 1 to 0 with 0 uids accounted
F
check indexed_falls Indexed 2 1 0 <<'F'
a counter fell: {"succeeded":2,"completedIndexes":"0-1"} -> {"succeeded":1,"completedIndexes":"0-1"}
succeeded is 1 with 2 indexes complete
F
check index_lost Indexed 2 1 0 <<< 'indexes were lost: [0]'
check index_invented Indexed 2 1 0 <<< 'index 1 is complete, but none of its Pods succeeded'
check unaccounted NonIndexed 2 2 0 <<'F'
succeeded went from 1 to 2 with 0 uids accounted
succeeded went from 2 to 2 with 1 uids accounted
F
check uncounted NonIndexed 2 2 0 <<'F'
succeeded went from 0 to 0 with 1 uids accounted
succeeded is 1, expected 2
F
check failed_unaccounted NonIndexed 2 2 0 <<< 'failed went from 0 to 1 with 0 uids accounted'

check counted_twice NonIndexed 2 2 0 <<'F'
a was counted twice
only 1 Pods succeeded
F
check counted_as_both NonIndexed 2 2 0 <<'F'
a is listed as failed, but it has not
a was counted twice
F
check listed_again NonIndexed 2 2 0 <<'F'
a is listed again after it was counted
a was counted twice
only 1 Pods succeeded
F
check moved_to_failed NonIndexed 2 2 0 <<'F'
a is listed as failed, but it has not
a is listed again after it was counted
a was counted twice
F
check listed_while_running NonIndexed 2 2 0 <<< 'b is listed as succeeded, but it has not'
check stranger_listed NonIndexed 2 2 0 <<'F'
z is listed as succeeded, but it has not
only 1 Pods succeeded
F
check stranger_failed NonIndexed 2 2 0 <<< 'z is listed as failed, but it has not'

check free_too_early NonIndexed 2 2 0 <<< 'pod-b lost its finalizer before it was in the status'
check free_too_early_indexed Indexed 2 1 0 <<< 'pod-b lost its finalizer before it was in the status'
check failed_of_complete_index Indexed 2 1 1 <<< 'pod-c lost its finalizer before it was in the status'
check second_of_index Indexed 2 1 1 < /dev/null
check gone_too_early NonIndexed 2 2 0 <<< 'pod-b lost its finalizer before it was in the status'
check lost_while_running NonIndexed 2 2 1 <<< 'pod-b ended without a finalizer'
check born_without NonIndexed 2 2 1 <<< 'pod-b ended without a finalizer'
check counted_too_early NonIndexed 2 2 0 <<'F'
b was counted before its finalizer was gone
pod-b lost its finalizer before it was in the status
F
check kept NonIndexed 2 2 0 <<'F'
b was counted before its finalizer was gone
a Pod kept its finalizer
F

check third_created NonIndexed 2 2 0 <<< '3 Pods were created for 2 completions'
check third_created NonIndexed 2 2 1 < /dev/null
check three_at_once NonIndexed 2 2 1 < /dev/null
check three_at_once NonIndexed 2 2 0 <<'F'
3 Pods were active at once
3 Pods were active at once
3 Pods were created for 2 completions
F
check one_without_a_phase NonIndexed 2 2 0 <<'F'
3 Pods were active at once
3 Pods were active at once
3 Pods were created for 2 completions
F
check three_with_one_gone NonIndexed 2 2 0 <<< '3 Pods were created for 2 completions'
check three_with_one_deleting NonIndexed 2 2 0 <<< '3 Pods were created for 2 completions'

check complete_with_uncounted NonIndexed 2 2 0 <<'F'
finished with Pods active or uncounted: {"succeeded":1,"uncountedTerminatedPods":{"succeeded":["b"]},"conditions":[{"type":"Complete","status":"True"}]}
F
check complete_with_active NonIndexed 2 2 0 <<'F'
finished with Pods active or uncounted: {"active":1,"succeeded":2,"conditions":[{"type":"Complete","status":"True"}]}
F
check failed_with_active NonIndexed 2 2 0 <<'F'
finished with Pods active or uncounted: {"active":1,"succeeded":2,"conditions":[{"type":"Failed","status":"True"}]}
F
check not_complete NonIndexed 2 2 0 <<< 'not Complete'
check complete_is_false NonIndexed 2 2 0 <<< 'not Complete'
check complete_taken_back NonIndexed 2 2 0 <<< 'not Complete'
check too_few NonIndexed 2 2 0 <<'F'
succeeded is 1, expected 2
only 1 Pods succeeded
F
check too_many NonIndexed 2 2 1 <<< 'succeeded is 3, expected 2'
check nothing NonIndexed 2 2 0 <<'F'
succeeded is null, expected 2
only 0 Pods succeeded
not Complete
F

echo "$passed passed, $failed failed"
[ $failed = 0 ]
