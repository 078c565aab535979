#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# JobPolicies on a real API server, by two replicas of the webhook with the rights that the chart gives: defaults that kubectl shows, a policy that changes 50
# times while Jobs are sent, a replica that is killed 50 times, an API server that is away, a queue that suspends and resumes, a CustomResourceDefinition that is
# deleted, its policies with it, and put back; and the controller's audit of 5,000 Jobs of which 30 violate a policy.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/policies.sh"
NS=t71
JOBS=5000 PLANTED=30 CHANGES=50 KILLS=50
WORK=$DIR/t71
mkdir -p "$WORK"

job() { # job NAME SPEC: its manifest
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1, namespace: $NS}
spec: {$2, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}
create() { job "$@" | k create -f -; }
refused_as() { grep -qF "$1" <<< "$(said "${@:2}")"; }

fresh_namespace $NS
two_replicas
webhook_register "$PORT" "$DIR/pki/jobs-webhook-ca.crt"

# ---- denied, defaulted

policy narrow '{limits: {parallelism: {max: 2}}}' | k create -f - > /dev/null
check_await "a policy is in force in both replicas" 60 in_force narrow 1
check_has "what it says is enforced" "$(said create bad 'parallelism: 3')" \
    'The Job "bad" is invalid: spec.parallelism: policy "narrow": is 3, at most 2 allowed'
check "what it allows isn't refused" "$(said create good 'parallelism: 2, suspend: true')" allowed
policy ttl '{defaults: {ttlSecondsAfterFinished: 600}, limits: {ttlSecondsAfterFinished: {required: true, max: 900}}}' | k create -f - > /dev/null
check_await "another policy is in force" 60 in_force ttl 1
create defaulted 'parallelism: 1, suspend: true' > /dev/null
check "its default is there, by kubectl" "$(field job/defaulted .spec.ttlSecondsAfterFinished -n $NS)" 600
policy watchful '{validationActions: [Audit], limits: {backoffLimit: {max: 1}}}' | k create -f - > /dev/null
check_await "a policy that only audits is in force" 60 in_force watchful 1
check "it refuses nothing" "$(said create watched 'parallelism: 1, suspend: true')" allowed
noted() { # noted KEY TEXT: the API server's audit log has that annotation with that in it
    grep -F '"name":"watched"' "$DIR/audit.log" | jq -e --arg k "$1" --arg t "$2" 'select((.annotations[$k] // "") | contains($t))'
}
check_await "what it found is in the audit log" 60 noted validate.jobs.jobreeve.dev/policy-violations \
    '[{"policy":"watchful","rule":"limits.backoffLimit","field":"spec.backoffLimit","message":"is 6, at most 1 allowed","validationActions":["Audit"],"denied":false}]'
check_await "and what was set by default" 60 noted mutate.jobs.jobreeve.dev/policy-defaults '[{"policy":"ttl","field":"ttlSecondsAfterFinished"}]'
k delete jobpolicy watchful > /dev/null
check_has "each replica says by which generation it denies" "$(http_get "$(listener one metrics)" /metrics)" 'jobreeve_policy_generation{policy="narrow"} 1'

# ---- changed under load

load() { # dry runs, one after the other, each of which has to be answered; a line for each that was refused
    local n=0
    job load 'parallelism: 1' > "$WORK/load.yaml"
    until [ -e "$WORK/enough" ]; do
        api POST "/apis/batch/v1/namespaces/$NS/jobs?dryRun=All" -H 'Content-Type: application/yaml' --data-binary @"$WORK/load.yaml" --fail-with-body \
            > "$WORK/load.answer" 2>&1 || tr '\n' ' ' < "$WORK/load.answer" | sed 's/$/\n/' >> "$WORK/load.refused"
        n=$((n + 1))
    done
    echo $n > "$WORK/load.sent"
}
touch "$WORK/load.refused"
load &
LOAD=$!
longest=0 changed=0
for ((i = 2; i <= CHANGES + 1; i++)); do
    api PATCH "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies/narrow" -H 'Content-Type: application/merge-patch+json' \
        -d "{\"spec\":{\"limits\":{\"parallelism\":{\"max\":$((i + 1))}}}}" > /dev/null
    began=$(now_ms)
    await 60 "generation $i" in_force narrow $i || break
    took=$(($(now_ms) - began))
    [ $took -le $longest ] || longest=$took
    changed=$((changed + 1))
done
check "changes in force in both replicas" "$changed" $CHANGES
echo "each was in force in both after at most $longest ms, by their metrics"

check "Jobs that were refused while it changed" "$(cat "$WORK/load.refused")" ""

# ---- a replica is killed, and comes back, under the same load: each time it may take with it the one request that it is answering, as any crash does

for ((i = 0; i < KILLS; i++)); do
    proc_kill two 2> /dev/null
    replica two
done
check_await "it enforces the same when it is ready" 60 in_force narrow $((CHANGES + 1))
touch "$WORK/enough"
wait $LOAD
BROKEN='failed calling webhook.*(connection reset by peer|EOF)"'
check "Jobs that were refused meanwhile, but for those whose connection broke" "$(sed -E "/$BROKEN/d" "$WORK/load.refused")" ""
check "one at most each time" "$([ "$(wc -l < "$WORK/load.refused")" -le $KILLS ] && echo yes)" yes
check_more "Jobs that were sent meanwhile" "$(cat "$WORK/load.sent")" 20

# ---- a queue suspends first, and resumes

policy narrow '{limits: {parallelism: {max: 2}}}' | k replace -f - > /dev/null 2>&1 || k patch jobpolicy narrow --type merge -p '{"spec":{"limits":{"parallelism":{"max":2}}}}' > /dev/null
check_await "the policy is narrow again" 60 in_force narrow $((CHANGES + 2))
away() { ! k get "$1" -n $NS > /dev/null 2>&1; }
change() { k patch job "$1" -n $NS --type merge -p "$2"; }
# As Kueue's account, which is the default of --queues; the group has the rights.
queue() { k patch job "$1" -n $NS --type merge -p "$2" --as=system:serviceaccount:kueue-system:kueue-controller-manager --as-group=system:masters; }
check_has "a Job that is too wide isn't made, suspended or not" "$(said create queued 'parallelism: 5, suspend: true')" 'is 5, at most 2 allowed'
check "one that fits is" "$(said create queued 'parallelism: 2, suspend: true')" allowed
k patch job queued -n $NS --subresource=status --type merge -p '{"status":{"conditions":[{"type":"Suspended","status":"True"}]}}' > /dev/null
check "it may be changed" "$(said change queued '{"spec":{"template":{"spec":{"nodeSelector":{"pool":"a"}}}}}')" allowed
check_has "its author can't widen it while it waits" "$(said change queued '{"spec":{"parallelism":3}}')" 'is 3, at most 2 allowed'
check "a queue can, and is warned" "$(said queue queued '{"spec":{"parallelism":3}}')" allowed
check "and narrows it again" "$(said queue queued '{"spec":{"parallelism":2}}')" allowed
k patch jobpolicy narrow --type merge -p '{"spec":{"limits":{"parallelism":{"max":1}}}}' > /dev/null
check_await "the policy is narrower" 60 in_force narrow $((CHANGES + 3))
check_has "its author can't resume it as it is" "$(said change queued '{"spec":{"suspend":false}}')" 'is 2, at most 1 allowed'
check_has "a queue can't resume it wider than it was" "$(said queue queued '{"spec":{"suspend":false,"parallelism":3}}')" 'is 3, at most 1 allowed'
check "but as it was: no quota is held for nothing" "$(said queue queued '{"spec":{"suspend":false}}')" allowed
check "what runs already may be labelled" "$(said change queued '{"metadata":{"labels":{"a":"b"}}}')" allowed
check "and made better, though not good" "$(said change queued '{"spec":{"activeDeadlineSeconds":60}}')" allowed
check_has "not worse" "$(said change queued '{"spec":{"parallelism":3}}')" 'is 3, at most 1 allowed'
check "and suspended, to make room" "$(said change queued '{"spec":{"suspend":true}}')" allowed
check "resumed as it is allowed now" "$(said change queued '{"spec":{"suspend":false,"parallelism":1}}')" allowed
check "held by a finalizer while it goes" "$(said change queued '{"metadata":{"finalizers":["tenant.example/hold"]}}')$(said k delete job queued -n $NS --wait=false)" allowedallowed
check_has "it can't be made worse, since its Pods may go on" "$(said change queued '{"spec":{"parallelism":3}}')" 'is 3, at most 1 allowed'
check "its finalizer can be taken off" "$(said change queued '{"metadata":{"finalizers":null}}')" allowed
check_await "and it is gone" 60 away job/queued
k patch jobpolicy narrow --type merge -p '{"spec":{"limits":{"parallelism":{"max":2}}}}' > /dev/null
check_await "the policy is as it was" 60 in_force narrow $((CHANGES + 4))

# ---- the API server is away

jq '.request.object.spec.parallelism = 3 | .request.object.spec.ttlSecondsAfterFinished = 60' "$E2E/../vectors/wire/reviews/002-validate-CREATE-jobs.json" > "$WORK/review.json"
ask() {
    curl -sS --max-time 30 --cacert "$DIR/pki/jobs-webhook-ca.crt" -H 'Content-Type: application/json' --data-binary @"$WORK/review.json" \
        "https://127.0.0.1:$PORT/validate-batch-v1-job" | jq -r '.response.status.message // "allowed"'
}
# Right after its start an API server refuses what it allows once it has read the roles.
webhook_refusals() { audited '"username":"system:serviceaccount:jobreeve-system:webhook-policies"' '"code":403'; }
check "the webhook was refused nothing" "$(webhook_refusals)" 0
check_await "the API server is gone" 60 end_apiserver TERM
check "what was known is enforced" "$(ask)" 'policy "narrow": spec.parallelism: is 3, at most 2 allowed'
check "the replicas stay ready" "$(ready one && ready two)" "ok
ok"
"$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
k patch jobpolicy narrow --type merge -p '{"spec":{"limits":{"parallelism":{"max":3}}}}' > /dev/null
check_await "a change after it has come back is in force" 120 in_force narrow $((CHANGES + 5))
k patch jobpolicy narrow --type merge -p '{"spec":{"limits":{"parallelism":{"max":2}}}}' > /dev/null
check_await "and another one" 60 in_force narrow $((CHANGES + 6))
REFUSALS=$(webhook_refusals)

# ---- the definition is deleted: its policies are deleted with it

check "both replicas show how many policies there are" "$(both jobreeve_policies 2 && echo yes)" yes
k get jobpolicies -o json | jq '.items[] | {apiVersion, kind, metadata: {name: .metadata.name}, spec}' > "$WORK/kept.json"
check_has "what they refuse" "$(said create bad 'parallelism: 3')" 'is 3, at most 2 allowed'
k delete crd $CRD > /dev/null
check_await "no policy is in force in either" 60 both jobreeve_policies 0
check "what they refused is allowed" "$(said create bad 'parallelism: 3')" allowed
gone() { # each replica has asked again, and was told that there is no such type
    local r
    for r in one two; do
        grep -qE '"listing anew after a pause","resource":"jobpolicies".*(answered 404|could not find)' "$DIR/log/$r.log" || return 1
    done
}
check_await "lists are answered 404" 60 gone
check "the replicas stay ready" "$(ready one && ready two)" "ok
ok"
begin_replica late
lacks() { [ "$(curl -sS --max-time 30 "http://$(listener late health)/readyz")" = "the JobPolicies and Namespaces are not known yet" ]; }
ALIVE=late check_await "one that starts now knows no policies, which isn't that there are none" 60 lacks
install_crd
k create -f "$WORK/kept.json" > /dev/null
check_await "the definition and its policies are put back" 120 both jobreeve_policies 2
check_await "they are in force" 60 in_force narrow 1
k delete job bad -n $NS > /dev/null
check_has "and refuse again" "$(said create bad 'parallelism: 3')" 'is 3, at most 2 allowed'
ALIVE=late check_await "the one that started meanwhile is ready" 120 ready late
proc_stop late

# ---- the audit

k delete jobpolicies --all > /dev/null
check_await "no policy is in force" 60 refused_as allowed create none 'parallelism: 9, suspend: true'
webhook_unregister
k delete jobs --all -n $NS --wait=true > /dev/null
for ((i = 0; i < JOBS; i++)); do
    wide=$((1 + (i % (JOBS / PLANTED) == 0 && i / (JOBS / PLANTED) < PLANTED) * 8))
    printf 'next\nurl = "%s/apis/batch/v1/namespaces/%s/jobs"\ncacert = "%s"\ncert = "%s"\nkey = "%s"\nheader = "Content-Type: application/json"\noutput = /dev/null\nfail\ndata = "%s"\n' \
        "$SERVER" $NS "$DIR/pki/ca.crt" "$DIR/pki/admin.crt" "$DIR/pki/admin.key" \
        "{\\\"metadata\\\":{\\\"name\\\":\\\"job-$i\\\"},\\\"spec\\\":{\\\"suspend\\\":true,\\\"parallelism\\\":$wide,\\\"template\\\":{\\\"spec\\\":{\\\"restartPolicy\\\":\\\"Never\\\",\\\"containers\\\":[{\\\"name\\\":\\\"main\\\",\\\"image\\\":\\\"registry.example/main:1\\\"}]}}}}"
done | sed 1d > "$WORK/jobs.curl"
curl -sS --parallel --parallel-max 16 -K "$WORK/jobs.curl"
# Only these Jobs: the tests before have left others in their namespaces.
policy narrow "{match: {namespaces: [$NS]}, limits: {parallelism: {max: 2}}}" | k create -f - > /dev/null
user controller-policies "$E2E/rbac/controller-policies.yaml"
spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$DIR/controller-policies.conf" --controller-name example.com/nobody --leader-elect=false \
    --policies --audit-interval 2s --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0
accepted() { [ "$(field jobpolicy/narrow '.status.conditions[?(@.type=="Accepted")].status')" = True ]; }
ALIVE=controller check_await "the policy is accepted" 60 accepted
audited_all() { [ "$(field jobpolicy/narrow .status.audit.checked)" = $JOBS ]; }
ALIVE=controller check_await "the audit has seen all" 180 audited_all
check "violating" "$(field jobpolicy/narrow .status.audit.violating)" $PLANTED
check "skipped" "$(field jobpolicy/narrow .status.audit.skipped)" 0
check "the worst are ten of the planted" "$(k get jobpolicy narrow -o json | jq -c '.status.audit.worst | [length, (map(.message) | unique)]')" \
    '[10,["spec.parallelism: is 9, at most 2 allowed"]]'
check "a status is no change of the policy" "$(field jobpolicy/narrow .metadata.generation)" 1
check_has "kubectl get says so" "$(k get jobpolicies | tr -s ' ')" "narrow [\"Deny\"] True $PLANTED "
AUDITED=$("$JR_BIN/jobreeve" audit --kubeconfig "$DIR/admin.conf" -o json) && CODE=0 || CODE=$?
check "jobreeve audit finds the same" "$(jq -c '[.policies[] | .name, .checked, .violating, .skipped]' <<< "$AUDITED") $CODE" \
    "[\"narrow\",$JOBS,$PLANTED,0] 1"
check "the controller was refused nothing" "$(audited '"username":"system:serviceaccount:jobreeve-system:controller-policies"' '"code":403')" 0
check "nor the webhook, since the API server was there again" "$(webhook_refusals)" "$REFUSALS"
check_more "requests of the controller that were looked at" "$(audited '"username":"system:serviceaccount:jobreeve-system:controller-policies"' '"code":200')" 50
k delete crd $CRD > /dev/null
k delete namespace $NS --wait=false > /dev/null
