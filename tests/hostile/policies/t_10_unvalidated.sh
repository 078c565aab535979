#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a policy that nobody has validated (the webhook was away, or fails open) whose message is longer than its bound. The webhook answered 500,
# "out of memory", for each Job that it matched, and the controller's audit ended the process, again and again. Seen to fail on 48f3e8d: 128 values of
# 253 characters that are shown escaped, which the schema takes; names of resources of 100 kB, which it takes too.
# Each policy below does what the documents say, alone, and all of them together are audited.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# One a line: what comes of the Job ("allowed", or a part of the message), and the spec, for jq to evaluate.
specs() {
    cat << 'T'
can't be used: spec.limits: ;; {limits: "all"}
can't be used: spec.match: ;; {match: 5, limits: {parallelism: {max: 1}}}
can't be used: spec: ;; null
can't be used: spec: ;; []
can't be used: spec.limits.parallelism.max: ;; {limits: {parallelism: {max: "2"}}}
can't be used: spec.limits.parallelism.max: ;; {limits: {parallelism: {max: 2.5}}}
can't be used: spec.match.namespaces[0]: ;; {match: {namespaces: [{}]}, limits: {parallelism: {max: 1}}}
can't be used: spec.match.namespaceSelector ;; {match: {namespaceSelector: {matchExpressions: [{key: 1}]}}, limits: {parallelism: {max: 1}}}
can't be used: spec.defaults.labels ;; {defaults: {labels: {a: 1}}}
can't be used: spec.exceptions ;; {limits: {parallelism: {max: 1}}, exceptions: {a: 1}}
can't be used: spec.limits.parallelism.max: ;; {limits: {parallelism: {max: 9223372036854774784}}}
allowed ;; {limits: {activeDeadlineSeconds: {min: 0, max: 9223372036854774784}}}
can't be used: spec.budget.podsEver: ;; {budget: {podsEver: -9223372036854774784}}
allowed ;; {budget: {podsEver: 9223372036854774784, podsAtOnce: 9223372036854774784}}
at most 2562047h allowed: activeDeadlineSeconds is not set ;; {budget: {runtime: "2562047h"}}
can't be used: spec.budget.runtime: ;; {budget: {runtime: "9223372036854774784h"}}
can't be used: spec.budget.runtime: ;; {budget: {runtime: "-1h"}}
can't be used: spec.budget.runtime: ;; {budget: {runtime: "1ns"}}
the longest runtime is unbounded, at most ... ;; {budget: {runtime: ("1h" * 300000)}}
can't be used: spec.budget.requestsAtOnce.cpu: ;; {budget: {requestsAtOnce: {cpu: "1e99999999999"}}}
can't be used: spec.budget.requestsAtOnce[cpu]: ;; {budget: {requestsAtOnce: {cpu: "-1"}}}
can't be used: spec.budget.requestsAtOnce[cpu]: ;; {budget: {requestsAtOnce: {cpu: ("9" * 1000000)}}}
allowed ;; {budget: {requestsAtOnce: {cpu: "9223372036854775807"}}}
at most 1E allowed: activeDeadlineSeconds is not set ;; {budget: {resourceHours: {cpu: "1E"}}}
can't be used: spec.budget.assumeSuspensions: ;; {budget: {podsEver: 1, assumeSuspensions: 1000}}
at most 1n allowed ;; {budget: {requestsAtOnce: {cpu: "1n"}}}
at most 0 allowed ;; {budget: {requestsAtOnce: ([range(31) | {key: "example.com/r\(.)", value: 0}] + [{key: "cpu", value: 0}] | from_entries)}}
can't be used: spec.budget.requestsAtOnce ;; {budget: {requestsAtOnce: {("r" * 100000): "0"}}}
can't be used: spec.budget.resourceHours ;; {budget: {resourceHours: {("r" * 100000): "1e99999999999"}}}
can't be used: spec.budget.requestsAtOnce ;; {budget: {requestsAtOnce: {"a\u0000b": "0"}}}
can't be used: spec.limits.template.priorityClassName.values ;; {limits: {template: {priorityClassName: {values: [range(128) | "\(.)" + "\u0001" * 250]}}}}
can't be used: spec.limits.template.priorityClassName.values ;; {limits: {template: {priorityClassName: {values: ["<" * 1000000]}}}}
spec.template.spec.priorityClassName: is "low", allowed: "v0x ;; {limits: {template: {priorityClassName: {values: [range(128) | "v\(.)x" + "x" * 248]}}}}
can't be used: spec.limits.managedBy.values ;; {limits: {managedBy: {values: ["\u0000"]}}}
can't be used: spec.defaults.labels ;; {defaults: {labels: {("k" * 1000000): "a"}}}
can't be used: spec.match.namespaces[0]: ;; {match: {namespaces: ["a" * 1000000]}, limits: {parallelism: {max: 1}}}
can't be used: spec.match.namespaces[0]: ;; {match: {namespaces: ["control\u0000"]}, limits: {parallelism: {max: 1}}}
at most 1 allowed ;; {match: {namespaces: [range(128) | "*" * 63]}, limits: {parallelism: {max: 1}}}
allowed ;; {match: {namespaces: [range(128) | "*c" * 31]}, limits: {parallelism: {max: 1}}}
allowed ;; {match: {namespaceSelector: {matchExpressions: [range(64) | {key: "k\(.)", operator: "In", values: [range(64) | "v\(.)"]}]}}, limits: {parallelism: {max: 1}}}
at most 1 allowed ;; {match: {objectSelector: {matchExpressions: [range(64) | {key: "k\(.)", operator: "NotIn", values: [range(64) | "v\(.)"]}]}}, limits: {parallelism: {max: 1}}}
can't be used: spec.match.objectSelector: ;; {match: {objectSelector: {matchExpressions: [{key: "k", operator: "NotIn", values: [range(400000) | ""]}]}}, limits: {parallelism: {max: 1}}}
can't be used: spec.match.namespaceSelector ;; {match: {namespaceSelector: {matchLabels: {("k" * 1000000): "v"}}}, limits: {parallelism: {max: 1}}}
can't be used: spec.exceptions: ;; {limits: {parallelism: {max: 1}}, exceptions: [range(1000) | {namespaces: ["u\(.)"], limits: {parallelism: {max: (. + 2)}}, until: "2200-01-01T00:00:00Z", reason: ("r" * 1000)}]}
at most 1 allowed ;; {limits: {parallelism: {max: 1}}, exceptions: [range(128) | {namespaces: ["u\(.)"], limits: {parallelism: {max: (. + 2)}}, until: "2200-01-01T00:00:00Z", reason: ("r" * 1000)}]}
can't be used: spec.exceptions[0].users: ;; {limits: {parallelism: {max: 1}}, exceptions: [{users: ["u"], limits: {parallelism: {max: 2}}, until: "2200-01-01T00:00:00Z", reason: "r"}]}
can't be used: spec.exceptions[0].lift ;; {limits: {parallelism: {max: 1}}, exceptions: [{namespaces: ["u"], lift: [range(1000) | "limits.x\(.)"], until: "2200-01-01T00:00:00Z", reason: "r"}]}
can't be used: spec.limits.labels ;; {limits: {labels: ([range(1000) | {key: "k\(.)", value: {required: true}}] | from_entries)}}
can't be used: spec.limits.annotations[a]: ;; {limits: {annotations: {a: 5}}}
can't be used: spec.message: ;; {message: ("m" * 1000000), limits: {parallelism: {max: 1}}}
can't be used: spec.exceptions[0].until: ;; {limits: {parallelism: {max: 1}}, exceptions: [{namespaces: ["u"], limits: {parallelism: {max: 2}}, until: "999999999-01-01T00:00:00Z", reason: "r"}]}
at most 1 allowed ;; {limits: {parallelism: {max: 1}, unknown: {a: [1, {}]}}, more: ("x" * 1000000), "a\u0000b": {}}
can't be used: spec.validations: ;; {validations: [{expression: ("(" * 100000)}]}
can't be used: spec: ;; {match: {}}
T
}

# comes WANTED GOT: as the line says
comes() {
    case $1 in
    allowed*) [ "$2" = allowed ] ;;
    *) case $2 in "denied: policy \""*"$1"*) true ;; *) false ;; esac ;;
    esac
}

cluster
control
webhook
check_await "the control's policy is in force" 60 in_force 1
check_await "the control is told right from wrong" 60 answers_rightly
spawn busy bash -c 'while :; do :; done'
toils() { ! at_rest busy; }
check_await "what is busy is not at rest" 60 toils
proc_stop busy
review control "$(job '{"parallelism":2}' | jq -c '.spec.template.spec |= (.priorityClassName = "low" | .containers[0].resources = {requests: {cpu: "1"}})')" \
    > "$WORK/probe.json"
check "the probe alone" "$(outcome "$WORK/probe.json")" allowed

LONG=$(printf 'n%.0s' $(seq 63))
rows=0
while IFS= read -r row; do
    wanted=${row%% ;; *}
    rows=$((rows + 1))
    name=attack-$rows
    [ $rows != 1 ] || name=$LONG.$LONG.$LONG.${LONG:0:61}
    apply "$name" "${row#* ;; }"
    ALIVE=webhook await 60 "row $rows being in force" in_force 2 || failed "row $rows is in force" no yes
    got=$(outcome "$WORK/probe.json")
    if comes "$wanted" "$got"; then passed "row $rows: $wanted"; else failed "row $rows: ${row:0:200}" "${got:0:300}" "$wanted"; fi
    gone jobpolicies "$name"
    ALIVE=webhook await 60 "row $rows being gone" in_force 1 || failed "row $rows is gone" no yes
done < <(specs)
check "rows" "$rows" "$(specs | wc -l)"
unharmed "after each of them"

# ---- all of them at once, as the webhook and the audit see them

job '{"parallelism":2}' | jq -c 'del(.metadata.uid, .metadata.managedFields, .spec.selector, .spec.template.metadata.labels) | .metadata.namespace = "control"
    | .spec.template.spec.priorityClassName = "low"' > "$WORK/job.json"
served jobs pi "$WORK/job.json"
rows=0
while IFS= read -r row; do
    rows=$((rows + 1))
    apply "attack-$rows" "${row#* ;; }"
done < <(specs)
check_await "all are in force" 60 in_force $((rows + 1))
got=$(outcome "$WORK/probe.json")
check_has "all at once: denied" "${got:0:200}" 'denied: policy "attack-'
check_more "all at once: bytes of the answer, which are less than" 1000000 "$(wc -c < "$WORK/probe.json.answer")"
controller
policies() { send GET /apis/policy.jobreeve.dev/v1alpha1/jobpolicies; }
statuses() { # of all: accepted or not, and audited
    [ "$(policies | jq '[.items[] | select(.status.conditions[0].type == "Accepted" and .status.audit.time)] | length')" = $((rows + 1)) ]
}
ALIVE=controller check_await "each has a status, and was audited" 120 statuses
check "the controller is the same" "$(proc_pid controller)" "$CONTROLLER_PID"
check "what is accepted" "$(policies | jq -c '[.items[] | select(.status.conditions[0].status == "True") | .status.audit.checked] | length')" \
    "$(($(specs | grep -vc "^can't be used") + 1))"
check_await "the controller comes to rest" 120 at_rest controller
check_more "the controller's memory in MB, which is less than" $((REQUEST_MB + 1)) "$(rss_mb "$CONTROLLER_PID")"
for i in $(seq $rows); do gone jobpolicies "attack-$i"; done
check_await "all are gone" 60 in_force 1
unharmed "after all at once"
