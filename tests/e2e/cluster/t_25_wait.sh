#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve wait --follow beside the built-in controllers and real containers: each line that they write comes once, in order, also from Pods that are deleted at the end, from containers
# that are started again, and while the API server is killed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t25

# follows COURSE FLAG...: waits in the background for the Job of that name
follows() {
    spawn "follow-$1" "$JR_BIN/jobreeve" wait --kubeconfig "$DIR/admin.conf" -n $NS --follow "${@:2}" "job/$1"
}
# over COURSE CODE
over() {
    local pid
    read -r pid _ < "$DIR/run/follow-$1.pid"
    proc_gone 300 "follow-$1" || { failed "$1: is over" "$(tail -n 3 "$DIR/log/follow-$1.log")" "an end" && return; }
    reap "$pid"
    check "$1: exit code" "$STOP_STATUS" "$2"
    check "$1: nothing is missing" "$(grep -cE 'had gone|rotated|could not be read|not read to its end' "$DIR/log/follow-$1.log" || true)" 0
}
# in_order COURSE WORD RUNS N: each Pod's lines of that word count from 1 to N, so many times; prints how many Pods
in_order() {
    awk -v word="$2" -v runs="$3" -v n="$4" '
        $2 == word && $3 != seen[$1] % n + 1 { print "Pod " $1 ": " word " " $3 " after " seen[$1]; bad = 1; exit }
        $2 == word { seen[$1]++ }
        END { if (bad) exit; for (p in seen) { pods++; if (seen[p] != runs * n) { print p ": " seen[p] " lines"; exit } } print pods + 0 }' "$DIR/log/follow-$1.log"
}
starts() { # starts NAME SPEC ARGUMENT...
    job "$@" | k create -n $NS -f - > /dev/null
}

controllers '*'
fresh_namespace $NS
starts twenty "completions: 20, parallelism: 20, ttlSecondsAfterFinished: 0," lines=300 seconds=1
follows twenty
over twenty 0
check "twenty: Pods whose lines are whole" "$(in_order twenty line 1 300)" 20

# When the deadline has passed its Pods are told to end, and deleted: what they write then comes, too.
starts late "completions: 5, parallelism: 5, activeDeadlineSeconds: 8," lines=100 seconds=600 term=1
follows late
over late 1
check "late: Pods whose lines are whole" "$(in_order late line 1 100)" 5
check "late: Pods whose last lines are whole" "$(in_order late last 1 100)" 5

# A container that fails, and is started again in its Pod.
job again "" lines=50 once=/kept/ran | sed 's/restartPolicy: Never/restartPolicy: OnFailure/; s#args: \[\([^]]*\)\]#args: [\1], volumeMounts: [{name: kept, mountPath: /kept}]#;
    s/}]}}}$/}], volumes: [{name: kept, emptyDir: {}}]}}}/' | k create -n $NS -f - > /dev/null
follows again
over again 0
check "again: both runs are whole" "$(in_order again line 2 50)" 1

# The API server is killed while Pods write.
starts killed "completions: 5, parallelism: 5," lines=1000 seconds=5
follows killed
await 120 "lines of killed" grep -q '^\[killed-.*\] line 100$' "$DIR/log/follow-killed.log"
check_await "killed: the API server is gone" 60 end_apiserver KILL
start_apiserver && await 120 "the API server" api_ready
over killed 0
check "killed: Pods whose lines are whole" "$(in_order killed line 1 1000)" 5
k delete namespace $NS --timeout=120s > /dev/null
