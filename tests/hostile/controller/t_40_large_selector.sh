#!/bin/bash
# Finding: one tenant's selector stalls the thread. A Job whose selector excludes 60,000 values, and 2,000 Pods without a controller beside
# it: each Pod cost a third of a millisecond, again and again, in one piece. B's Job completes, and no turn of the loop took long by its
# CPU time.
. "$(dirname "$0")/lib.sh"
tenants
start_kubelet
controller

# bare FROM TO: Pods without controller, in one list
bare() {
    local i sep=""
    printf '{"apiVersion":"v1","kind":"List","items":['
    for ((i = $1; i <= $2; i++)); do
        printf '%s{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bare-%d","labels":{"a":"p%06d"}},"spec":{"nodeName":"nowhere",
"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.36"}]}}' "$sep" "$i" "$i"
        sep=,
    done
    printf ']}'
}

# The values are as long as the Pods' and none of theirs, and the label that is asked for behind them is on no Pod.
selecting() { # selecting NAME
    cat << J
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"$1"},"spec":{"manualSelector":true,"parallelism":1,"completions":1,"suspend":true,
"selector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":[$(seq -s, -f '"v%06.0f"' 1 60000)]},{"key":"z","operator":"Exists"}]},
"template":{"metadata":{"labels":{"a":"other","z":"here"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.36"}]}}}}
J
}

turn_ms() { # the longest turn, by its CPU time
    http_get "$METRICS" /metrics | awk '/^jobreeve_loop_longest_turn_seconds.*cpu/ { printf "%d\n", $NF * 1000 }'
}

bare 1 2000 > "$DIR/bare.json"
k create -n "$A" -f "$DIR/bare.json" > /dev/null
for n in 1 2 3; do
    selecting "large-$n" > "$DIR/large.json"
    raw "$A" jobs "$DIR/large.json" > /dev/null
done
unharmed
check_more "no turn took 300 ms of CPU" 300 "$(turn_ms)"
