#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a policy whose name has U+0000 became one more record with each event that told of it, and none of them could be removed. What can't be read
# as an object changes nothing: policies stay in force, Namespaces are read where they are needed, and the audit counts the Jobs that it could not read.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cluster
control
apply gpu '{match: {namespaceSelector: {matchLabels: {pool: "gpu"}}}, limits: {parallelism: {max: 1}}}'
webhook
check_await "two policies are in force" 60 in_force 2
check_await "the control is told right from wrong" 60 answers_rightly

# ---- JobPolicies

line() { printf '%s\n' "$2" | send PUT "/line/$1" --data-binary @- > /dev/null; }
evil='{"metadata":{"name":"control","uid":"evil","generation":9},"spec":{"limits":{"parallelism":{"max":100}}}'
# What is no text: read as Go reads it, or not at all.
odd='{"metadata":{"name":"odd","uid":"odd","generation":9},"spec":{"match":{"namespaces":["elsewhere"]},"limits":{"parallelism":{"max":100}}}'
texts=(
    "{\"metadata\":{},\"spec\":{}}" '{"spec":{}}' 'null' '42' '"x"' '[]' '{"metadata":{"name":7}}'
    "$odd,\"a\":\"\\ud800\"}" "$odd,\"a\":\"$(printf '\xff\xfe')\"}" "$evil,\"a\":1e}" "$evil"
    '{"metadata":{"name":"control\u0000"},"spec":{"limits":{"parallelism":{"max":100}}}}'
    '{"metadata":{"name":"../control"},"spec":{"limits":{"parallelism":{"max":0}}}}'
    "$(printf '[%.0s' $(seq 100000))"
)
for text in "${texts[@]}"; do
    line jobpolicies "{\"type\":\"MODIFIED\",\"object\":$text}"
    check "after ${text:0:60}: still right" "$(answers_rightly && echo yes)" yes
done
for type in ERROR CHANGED BOOKMARK ""; do line jobpolicies "{\"type\":\"$type\",\"object\":{}}"; done
line jobpolicies 'not JSON'
apply last '{match: {namespaces: ["elsewhere"]}, limits: {parallelism: {max: 1}}}'
check_await "the watch goes on: one more policy" 120 says 'jobreeve_policy_generation{policy="last"} 1'
for i in $(seq 200); do # its status is written again and again
    policy 'x' '{limits: {parallelism: {max: 0}}}' "$i" | sed 's/"name":"x"/"name":"x\\u0000y"/' | served jobpolicies nul
done
apply last '{match: {namespaces: ["elsewhere"]}, limits: {parallelism: {max: 2}}}' 2
check_await "those were told" 60 says 'jobreeve_policy_generation{policy="last"} 2'
check "a name that none can have is no policy" "$(exposed "$METRICS" 'jobreeve_policy_generation{policy="x')" 0
gone jobpolicies nul
unharmed "after policies that can't be read"

# ---- Namespaces

labels=$(seq 1000 | sed 's/.*/"k&":"v&",/' | tr -d '\n')
review many "$(job '{"parallelism":2}')" > "$WORK/many.json"
namespace many "$labels\"pool\":\"gpu\""
check_await "a Namespace of 1,000 labels" 60 outcome_is "$WORK/many.json" 'denied: policy "gpu": spec.parallelism: is 2, at most 1 allowed'
namespace many "$labels\"pool\":\"cpu\""
check_await "its labels change" 60 outcome_is "$WORK/many.json" allowed
n=0
for odd in '{"pool":5}' '{"pool":{"a":"gpu"}}' '{"pool":["gpu"]}' '{"pool":null}' '5' '"gpu"' '["gpu"]' 'null' '{"pool\u0000":"gpu"}' '{"pool":"gpu\u0000"}'; do
    n=$((n + 1))
    printf '{"metadata":{"name":"odd-%d","labels":%s}}' $n "$odd" | served namespaces "odd-$n"
    review "odd-$n" "$(job '{"parallelism":2}')" > "$WORK/odd.json"
    check_await "labels $odd: not the selected ones" 60 outcome_is "$WORK/odd.json" allowed
done
printf '{"metadata":{"name":"odd-x","labels":{"pool":"cpu","pool":"gpu"}}}' | served namespaces odd-x
review odd-x "$(job '{"parallelism":2}')" > "$WORK/odd.json"
check_await "a label that is there twice: the last one" 60 outcome_is "$WORK/odd.json" 'denied: policy "gpu": spec.parallelism: is 2, at most 1 allowed'
unharmed "after Namespaces of any form"

# ---- the audit

for i in 1 2 3; do job '{"parallelism":3}' | jq -c ".metadata.name = \"wide-$i\" | .metadata.namespace = \"control\"" | served jobs "wide-$i"; done
broken=('{"metadata":{"name":"b1","namespace":"control"},"spec":5}' '{"metadata":{"name":"b2","namespace":"control"},"spec":{"parallelism":"3","template":{}}}'
    '{"metadata":7}' 'null' '{}' '{"metadata":{"name":"b5","namespace":"control"},"spec":{"template":{"spec":{"containers":{"a":1}}}}}'
    '{"metadata":{"name":"b6","namespace":"control","labels":{"a":1}},"spec":{"template":{}}}'
    '{"metadata":{"name":"b7","namespace":"control"},"spec":{"parallelism":2147483648,"template":{}}}')
for i in "${!broken[@]}"; do printf '%s' "${broken[i]}" | served jobs "broken-$i"; done
cron='{"metadata":{"name":"c","namespace":"control"},"spec":{"schedule":"x","jobTemplate":'
i=0
for template in 5 null '{}' '[]' '{"metadata":5}' '{"metadata":{"labels":5}}' '{"metadata":{"labels":{"a":5}},"spec":{"template":{}}}' '{"spec":5}' \
    '{"spec":{"template":{"spec":{"containers":[5]}}}}' '{"spec":{"parallelism":3,"template":{"spec":{"containers":[]}}}}'; do
    i=$((i + 1))
    printf '%s%s}}' "$cron" "$template" | sed "s/\"name\":\"c\"/\"name\":\"c-$i\"/" | served cronjobs "cron-$i"
done
controller
tally() { send GET /apis/policy.jobreeve.dev/v1alpha1/jobpolicies/control | jq -c ".status.audit | $1"; }
counted() { # three Jobs, and one CronJob that is one
    [ "$(tally '[.violating, (.worst | map(.name) | sort)]')" = '[4,["c-10","wide-1","wide-2","wide-3"]]' ]
}
ALIVE=controller check_await "what can be read is audited" 120 counted
check_more "what can't be read is counted as skipped" "$(tally .skipped)" 5
check "the controller is the same" "$(proc_pid controller)" "$CONTROLLER_PID"
SEEN=$(seen '^GET /apis/batch/v1/cronjobs')
again() { [ "$(seen '^GET /apis/batch/v1/cronjobs')" -gt $((SEEN + 2)) ]; }
ALIVE=controller check_await "the audit goes on" 120 again
check_await "the controller comes to rest" 60 at_rest controller
check_more "its memory in MB, which is less than" $((REQUEST_MB + 1)) "$(rss_mb "$CONTROLLER_PID")"
unharmed "in the end"
