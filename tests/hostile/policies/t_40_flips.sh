#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A policy changes 1,000 times, between what refuses the load and what doesn't, while reviews are sent: each is answered by one of both, with the message
# of the policy that decided, the last change stays, and no snapshot is kept.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
FLIPS=1000

cluster
control
apply flip '{match: {namespaces: ["flips"]}, limits: {parallelism: {max: 3}}}'
namespace flips
webhook
check_await "both policies are in force" 60 in_force 2
review flips "$(job '{"parallelism":2}')" > "$WORK/flips.json"
check "before" "$(outcome "$WORK/flips.json")" allowed

load() { # load N: until enough
    cp "$WORK/flips.json" "$WORK/load-$1.json"
    until [ -e "$WORK/enough" ]; do outcome "$WORK/load-$1.json"; done > "$WORK/load-$1"
}
load 1 &
A=$!
load 2 &
B=$!
SPEC=$(policy flip '{match: {namespaces: ["flips"]}, limits: {parallelism: {max: 777}}}' 888)
MB=""
for i in $(seq 2 $((FLIPS + 1))); do # by one curl a change
    printf '%s' "$SPEC" | sed "s/777/$((i % 2 + 1))/; s/888/$i/" | served jobpolicies flip
    [ "$i" != 200 ] || MB=$(rss_mb "$PID")
done
check_await "the last change is in force" 60 says "jobreeve_policy_generation{policy=\"flip\"} $((FLIPS + 1))"
touch "$WORK/enough"
wait $A $B
check "the last one decides" "$(outcome "$WORK/flips.json")" "$([ $(((FLIPS + 1) % 2 + 1)) = 2 ] && echo allowed || echo 'denied: policy "flip": spec.parallelism: is 2, at most 1 allowed')"
cat "$WORK/load-1" "$WORK/load-2" > "$WORK/loads"
check "each was answered by one of both" \
    "$(grep -vcxF -e allowed -e 'denied: policy "flip": spec.parallelism: is 2, at most 1 allowed' "$WORK/loads" || true)" 0
for v in allowed denied; do check_more "some were $v" "$(grep -c "^$v" "$WORK/load-1")" 5; done
# what 800 more changes have left: a policy is some kB, so that 800 that are kept would show
check_more "memory in MB, which is less than after 200 changes and 8" $((MB + 8)) "$(rss_mb "$PID")"
unharmed "in the end"
