#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a stream of YAML may cost any time and memory, as its limits were those of each document. Each of these is refused or ends soon
# now. On d0e5001 merge keys were expanded without end, aliases as keys took 8 GiB, and the others didn't end in a minute.
# quick
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/streams
mkdir -p "$work"

# ends NAME WANT COMMAND...: it ends in a minute and in 2 GiB, with the status and words wanted (a deadline, not a measurement: it takes
# a few seconds at most)
ends() {
    local name=$1 want=$2 status=0
    shift 2
    (
        ulimit -v 2097152
        exec timeout 60 "$JR_BIN/jobreeve" "$@"
    ) > "$work/out" 2> "$work/err" || status=$?
    check_has "$name" "$status: $(head -c 4000 "$work/err" | tail -n 3)" "$want"
}

# 205 bytes that stand for 100,000 values, again and again: 7 MiB of them
{
    echo '---'
    echo '{a: &a [x,x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b],'
    echo 'd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], e: [*d,*d,*d,*d,*d,*d,*d,*d]}'
} > "$work/one"
ends "one document of aliases is read" "0: 0 objects" check "$work/one"
for ((i = 0; i < 15; i++)); do # 2^15 of them
    cat "$work/one" "$work/one" > "$work/two"
    mv "$work/two" "$work/one"
done
ends "a stream of aliases" "aliases add more than 1000000 values" check "$work/one"

# merge keys
awk 'BEGIN { for (i = 0; i < 3000; i++) { print "---\na: &a {x: [" ; for (k = 0; k < 500; k++) printf "1,"; print "1]}\nb: [{<<: *a},{<<: *a}]" } }' > "$work/merges"
ends "a stream of merge keys" "aliases add more than 1000000 values" check "$work/merges"

# the parser compares each tag directive with all others
awk 'BEGIN { for (i = 0; i < 500000; i++) print "%TAG !a" i "! x"; print "---\na" }' > "$work/tags"
ends "tag directives" "more than 100 tag directives" check "$work/tags"

# what is found is looked up by its path
item='- {apiVersion: batch/v1, kind: Job, spec: {a: 1, a: 2}}'
awk -v item="$item" 'BEGIN { print "apiVersion: v1\nkind: List\nitems:"; for (i = 0; i < 30000; i++) print item }' > "$work/list"
ends "a long List with duplicate keys" "1: 30000 objects in 1 file" check "$work/list"
# all of it on one line: its beginning isn't read again for each finding (20,000 took six minutes)
awk 'BEGIN { printf "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" ; for (i = 0; i < 20000; i++)
    printf "%s{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"parallelism\": -1}}", i ? "," : ""
    print "]}" }' > "$work/line"
ends "a long List on one line" "1: 20000 objects in 1 file" check "$work/line"
# where "\/" is somewhere, the source of each quoted scalar is looked at: the text isn't read again for each
awk 'BEGIN { print "k: \047\\/\047"; for (i = 0; i < 200000; i++) print "\"k" i "\": \"a\"" }' > "$work/quoted"
ends "many quoted scalars" "0: 0 objects" check "$work/quoted"
awk -v item="$item" 'BEGIN { for (i = 0; i < 200000; i++) print "k" i ": 1"; print "apiVersion: v1\nkind: List\nitems:"
    for (i = 0; i < 30000; i++) print item }' > "$work/list"
ends "a long List behind many other fields" "1: 30000 objects in 1 file" check "$work/list"
awk 'BEGIN { print "apiVersion: batch/v1\nkind: Job\nspec:"; for (i = 0; i < 400000; i++) print "  a" i ": 1" }' > "$work/unknown"
ends "unknown fields: a hundred, as an API server says" "100 warnings" check "$work/unknown"

# a key that is an alias
{
    printf -- '- &k '
    head -c 1000000 /dev/zero | tr '\0' x
    echo
    awk 'BEGIN { for (i = 0; i < 300000; i++) print "- {*k : 1}" }'
} > "$work/keys"
ends "aliases as keys" "aliases expand to more than" check "$work/keys"
