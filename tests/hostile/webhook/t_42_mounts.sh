#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: by the rules of 1.31 and 1.32, and of all versions before the API server's is known, each mount was looked for among all volumes: n of
# both, which upstream accepts, cost n times n. Seen to fail on 23e780d2: three reviews took 4.9 s of CPU time by 1.31 and 1.32, 0.14 s by 1.33.
# quick
. "$(dirname "$0")/lib.sh"

"$JR_BIN/bench-lists" -p random -n 17000 "volumes and mounts" > "$DIR/mounts.json"
check_more "the review is one that etcd takes" 1500000 "$(wc -c < "$DIR/mounts.json")"

spend() { # spend VERSION: three reviews by its rules; SPENT: ticks of CPU that they took, CODES: what was answered
    local before i
    webhook --kubernetes-version="$1"
    before=$(proc_ticks webhook)
    CODES=""
    for i in 1 2 3; do CODES="$CODES $(ask "$DIR/mounts.json" /validate-batch-v1-job)"; done
    SPENT=$(($(proc_ticks webhook) - before))
}

spend 1.33
check "1.33 answers" "$CODES" " 200 200 200"
linear=$SPENT
for version in 1.31 1.32 1.37 auto; do
    spend "$version"
    check "$version answers" "$CODES" " 200 200 200"
    # "auto" is all versions, one after the other; half a second is what a slow machine adds
    check_more "$version takes no longer than other versions do" $((20 * linear + 50)) "$SPENT"
done
