#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tenants' tricks under a budget, by the chart's webhook configurations and two replicas whose policies differ, beside our controller and beside the
# built-in one: under changes: Refused no Job makes more Pods than the budget says, with a queue in no admission; under Allowed, the control, some does.
# What docs/security.md says isn't held is tried, too.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
. "$E2E/scenario.sh"
. "$E2E/policies.sh"
WORK=$DIR/t73
rm -rf "$WORK"
mkdir -p "$WORK"
EVER=3 # Pods that the budget allows
RUNNING='must not change while the Job runs'

tenant() { k "$@" -n "$NS" --as=tenant --as-group=t73:tenants; }
change() { tenant patch job "$1" --type merge -p "$2"; }
queue() { k patch job "$1" -n "$NS" --type merge -p "$2" --as=system:serviceaccount:kueue-system:kueue-controller-manager --as-group=system:masters; }
# job NAME SPEC [WIDTH]: a Job that comes to the budget, to the letter: 2 completions (or so many) and a retry, two GPUs for ten minutes
job() {
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {team: a}}
spec: {$(spec "$2" "${3:-2}")}
Y
}
spec() {
    echo "completions: $2, parallelism: $2, backoffLimit: 1, activeDeadlineSeconds: 595, podReplacementPolicy: Failed, $1${1:+,} template: {metadata: {annotations:
  {kubelet.jobreeve.dev/duration: forever}}, spec: {restartPolicy: Never, terminationGracePeriodSeconds: 5, containers: [{name: main, image: \"registry.example/main:1\",
  resources: {limits: {example.com/gpu: 1}}}]}}"
}
make() { job "$@" | tenant create -f -; }
allowed() { check "$1" "$(said "${@:2}")" allowed; }
refused() { check_has "$1" "$(said "${@:3}")" "$2"; } # refused WHAT TEXT COMMAND...
active() { [ "$(field "job/$1" .status.active -n "$NS")" = "$2" ]; }
idle() { [ "$(k get pods -n "$NS" -l job-name="$1" --field-selector status.phase!=Succeeded,status.phase!=Failed -o name)" = "" ]; }
away() { ! k get "$1" -n "$NS" > /dev/null 2>&1; }

# made JOB: how many Pods it has made, once the watch has told of one that was made after them
made() {
    local mark
    mark=mark-$(now_ms)
    k create -n "$NS" -f - > /dev/null << Y
apiVersion: v1
kind: Pod
metadata: {name: $mark, annotations: {kubelet.jobreeve.dev/duration: 10ms}}
spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}
Y
    await 120 "the watch telling of $mark" told "$mark"
    jq -nr --arg job "$1" '[inputs.object | select(.metadata.labels["job-name"] == $job) | .metadata.uid] | unique | length' < <(whole_lines "$WORK/$NS.pods")
}
told() { whole_lines "$WORK/$NS.pods" | grep -q "\"name\":\"$1\""; }

# begin NAMESPACE: with a watch of its Pods
begin() {
    NS=$1
    fresh_namespace "$NS"
    touch "$WORK/$NS.pods"
    spawn "watch-$NS" "$E2E/watch.sh" "$WORK/$NS.pods" "$(k get --raw "/api/v1/namespaces/$NS/pods?limit=1" | jq -r .metadata.resourceVersion)" \
        "$SERVER/api/v1/namespaces/$NS/pods?watch=1&timeoutSeconds=3600" --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key"
}
end() { proc_stop "watch-$NS" && k delete namespace "$NS" --wait=false > /dev/null; }

# ---- a Job that runs

running_job() {
    allowed "$WHO: a Job that comes to the budget" make run ''
    check_await "$WHO: it runs" 120 active run 2
    refused "scaled down, to be scaled up" "$RUNNING" change run '{"spec":{"parallelism":0}}'
    refused "suspended, to be run again" "$RUNNING" change run '{"spec":{"suspend":true}}'
    refused "both in one update" "$RUNNING" change run '{"spec":{"suspend":true,"parallelism":1}}'
    refused "a longer deadline" 'a runtime of up to 16m45s (activeDeadlineSeconds 1000, 5s of grace), at most 10m allowed' change run '{"spec":{"activeDeadlineSeconds":1000}}'
    refused "none" 'the longest runtime is unbounded, at most 10m allowed' change run '{"spec":{"activeDeadlineSeconds":null}}'
    refused "more retries" 'up to 4 Pods ever (2 completions, 2 retries), at most 3 allowed' change run '{"spec":{"backoffLimit":2}}'
    job run '' | sed 's/backoffLimit: 1/backoffLimit: 9/' > "$WORK/more.yaml"
    refused "by apply" 'at most 3 allowed' tenant apply -f "$WORK/more.yaml"
    refused "by server-side apply" 'at most 3 allowed' tenant apply --server-side --force-conflicts -f "$WORK/more.yaml"
    refused "by a dry run" 'at most 3 allowed' change run '{"spec":{"backoffLimit":9}}' --dry-run=server
    tenant get job run -o json | jq 'del(.metadata.resourceVersion) | .spec.backoffLimit = 9' > "$WORK/replace.json"
    refused "by replace" 'at most 3 allowed' tenant replace -f "$WORK/replace.json"
    refused "its label taken away, alone" 'metadata.labels[team]: policy "cap": must be set' tenant label job run team-
    allowed "another label" tenant label job run note=x
    allowed "a better deadline" change run '{"spec":{"activeDeadlineSeconds":500}}'
    allowed "held by a finalizer" change run '{"metadata":{"finalizers":["tenant.example/hold"]}}'
    allowed "and deleted" tenant delete job run --wait=false
    refused "its deadline lifted then" 'the longest runtime is unbounded' change run '{"spec":{"activeDeadlineSeconds":null}}'
    refused "its Pods made more" "$RUNNING" change run '{"spec":{"parallelism":9}}'
    refused "nor does it leave the policy by its label" 'metadata.labels[team]: policy "cap": must be set' tenant label job run team-
    allowed "let go of" change run '{"metadata":{"finalizers":null}}'
    check_await "it is gone" 120 away job/run
    check "Pods that it has made" "$(made run)" 2
}

elastic_job() {
    allowed "$WHO: an elastic Job" make elastic 'completionMode: Indexed'
    check_await "$WHO: it runs" 120 active elastic 2
    refused "with more indexes" "$RUNNING" change elastic '{"spec":{"parallelism":3,"completions":3}}'
    refused "with fewer, to have them again" "$RUNNING" change elastic '{"spec":{"parallelism":1,"completions":1}}'
    check "Pods that it has made" "$(made elastic)" 2
    tenant delete job elastic --wait=false > /dev/null
}

failing_job() {
    job failing '' | sed 's/duration: forever/duration: 100ms, kubelet.jobreeve.dev\/exit-code: "1"/' | tenant create -f - > /dev/null
    check_await "$WHO: a Job that fails ends" 180 ended failing Failed
    check "within the budget" "$([ "$(made failing)" -le $EVER ] && echo yes)" yes
}

# ---- while it is suspended, and under a queue

suspended_job() {
    refused "$WHO: too wide, and suspended" 'at most 2 allowed' make wide 'suspend: true' 5
    allowed "$WHO: a suspended Job" make later 'suspend: true'
    check_await "$WHO: it is suspended" 120 suspended later
    refused "given more retries" 'at most 3 allowed' change later '{"spec":{"backoffLimit":9}}'
    refused "its deadline lifted between runs" 'the longest runtime is unbounded' change later '{"spec":{"activeDeadlineSeconds":null}}'
    refused "run by its author" 'only a queue starts the Job' change later '{"spec":{"suspend":false}}'
    if since 1.36; then
        k get job later -n "$NS" -o json | jq 'del(.metadata.resourceVersion) | .spec.template.spec.containers[0].resources.limits += {"example.net/fpga": "1"}' > "$WORK/fpga.json"
        refused "given a device that another policy is about, for the first time" 'policy "fpga": is 2, at most 1 allowed' tenant replace -f "$WORK/fpga.json"
    fi
    allowed "narrower" change later '{"spec":{"parallelism":1}}'
    if since 1.36; then
        k get job later -n "$NS" -o json | jq 'del(.metadata.resourceVersion) | .spec.template.spec.containers[0].resources = {limits: {"example.com/gpu": "0"}, requests: {"example.com/gpu": "0"}}' > "$WORK/less.json"
        allowed "with fewer devices" tenant replace -f "$WORK/less.json"
        k get job later -n "$NS" -o json | jq 'del(.metadata.resourceVersion) | .spec.template.spec.containers[0].resources = {limits: {"example.com/gpu": "4"}, requests: {"example.com/gpu": "4"}}' > "$WORK/more.json"
        refused "then with more" 'up to 4 of example.com/* at once' tenant replace -f "$WORK/more.json"
    fi
    tenant delete job later --wait=false > /dev/null
}
suspended() { [ "$(field "job/$1" '.status.conditions[?(@.type=="Suspended")].status' -n "$NS")" = True ]; }

# A changed number of Pods stops the Job, as Kueue does it; each admission has a budget of its own.
queued_job() {
    local before=0 after i
    allowed "$WHO: a Job for a queue" make queued 'suspend: true'
    for i in 1 2 3; do
        allowed "admission $i, in part" queue queued "{\"spec\":{\"suspend\":false,\"parallelism\":$((i % 2 + 1))}}"
        check_await "$WHO: it runs" 120 active queued $((i % 2 + 1))
        refused "its author makes it wider" "$RUNNING" change queued '{"spec":{"parallelism":9}}'
        refused "or suspends it" "$RUNNING" change queued '{"spec":{"suspend":true}}'
        allowed "evicted" queue queued '{"spec":{"suspend":true,"parallelism":2}}'
        check_await "$WHO: no Pod is left" 120 idle queued
        refused "its author can't run it" 'only a queue starts the Job' change queued '{"spec":{"suspend":false}}'
        after=$(made queued)
        check "Pods of admission $i" "$([ $((after - before)) -le $EVER ] && echo yes)" yes
        before=$after
    done
    check_more "Pods of all admissions" "$before" $((EVER - 1))
    tenant delete job queued --wait=false > /dev/null
}

cron_job() {
    local cron='apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, labels: {team: a}}
spec: {schedule: "0 3 * * *", jobTemplate: {metadata: {labels: {team: a}}, spec: {SPEC}}}'
    refused "$WHO: a CronJob whose Jobs are too wide" 'at most 2 allowed' tenant create -f - <<< "${cron/SPEC/$(spec '' 9)}"
    allowed "$WHO: a CronJob" tenant create -f - <<< "${cron/SPEC/$(spec '' 2)}"
    refused "changed" 'at most 3 allowed' tenant patch cronjob nightly --type merge -p '{"spec":{"jobTemplate":{"spec":{"backoffLimit":9}}}}'
    allowed "a Job of it" tenant create job of-nightly --from=cronjob/nightly
    check_await "$WHO: it runs" 120 active of-nightly 2
    refused "made wider" "$RUNNING" change of-nightly '{"spec":{"parallelism":9}}'
    tenant delete cronjob,job nightly of-nightly --wait=false --ignore-not-found > /dev/null
}

# ---- the control, and what isn't held

tricks_that_work() {
    local i
    allowed "$WHO: a Job that may be changed" make run ''
    for i in 1 2; do
        check_await "$WHO: run $i" 120 active run 2
        allowed "scaled down" change run '{"spec":{"parallelism":0}}'
        check_await "$WHO: no Pod is left" 120 idle run
        allowed "scaled up" change run '{"spec":{"parallelism":2}}'
    done
    check_await "$WHO: the last run" 120 active run 2
    allowed "suspended" change run '{"spec":{"suspend":true}}'
    check_await "$WHO: no Pod is left" 120 idle run
    allowed "and run again" change run '{"spec":{"suspend":false}}'
    check_await "$WHO: it runs" 120 active run 2
    check_more "Pods that it has made" "$(made run)" $((EVER + 1))
    allowed "held by a finalizer" change run '{"metadata":{"finalizers":["tenant.example/hold"]}}'
    allowed "and deleted" tenant delete job run --wait=false
    refused "it can't be suspended then, by which its Pods would run on" 'must not change while the Job is being deleted' change run '{"spec":{"suspend":true}}'
    allowed "let go of" change run '{"metadata":{"finalizers":null}}'
    check_await "$WHO: it is gone" 120 away job/run
    make run '' > /dev/null
    check_await "$WHO: it runs" 120 active run 2
    refused "with more retries than one run may have" 'at most 3 allowed' change run '{"spec":{"backoffLimit":9}}'
    tenant delete job run --wait=false > /dev/null
}

not_held() {
    local i pod
    for i in 1 2; do
        make again '' > /dev/null
        check_await "$WHO: made for the $i. time" 120 active again 2
        tenant delete job again > /dev/null
        check_await "$WHO: no Pod is left" 120 idle again
    done
    check_more "$WHO: Pods of a Job that is made again" "$(made again)" $EVER
    make orphans '' > /dev/null
    check_await "$WHO: it runs" 120 active orphans 2
    tenant delete job orphans --cascade=orphan > /dev/null
    check "$WHO: Pods that run on without their Job, and without its deadline" "$(k get pods -n "$NS" -l job-name=orphans --field-selector status.phase=Running -o name | wc -l)" 2
    make stripped '' > /dev/null
    for i in 1 2; do
        check_await "$WHO: it runs" 120 active stripped 2
        for pod in $(k get pods -n "$NS" -l job-name=stripped --field-selector status.phase=Running -o name); do
            k patch "$pod" -n "$NS" --type merge -p '{"metadata":{"finalizers":null,"ownerReferences":null,"labels":{"job-name":"stripped","batch.kubernetes.io/controller-uid":null,"controller-uid":null}}}' > /dev/null
        done
        check_await "$WHO: others are made in their place" 120 more_than stripped $((2 * i))
    done
    check_more "$WHO: Pods of a Job whose Pods are written to" "$(made stripped)" $EVER
    tenant delete job stripped --wait=false > /dev/null
    make rewritten 'completionMode: Indexed' > /dev/null
    for i in 1 2; do
        check_await "$WHO: index 0 runs" 120 first_index_runs
        k patch "$(first_index)" -n "$NS" --subresource=status --type merge -p '{"status":{"phase":"Succeeded"}}' > /dev/null
        check_await "$WHO: it has completed" 120 completed rewritten 0
        k patch job rewritten -n "$NS" --subresource=status --type merge -p '{"status":{"completedIndexes":""}}' > /dev/null
    done
    check_await "$WHO: it runs for the third time" 120 first_index_runs
    check_more "$WHO: Pods of a Job whose status is written to" "$(made rewritten)" $EVER
    tenant delete job rewritten --wait=false > /dev/null
}
first_index() { k get pods -n "$NS" -l job-name=rewritten,batch.kubernetes.io/job-completion-index=0 --field-selector status.phase=Running -o name; }
first_index_runs() { [ -n "$(first_index)" ]; }
completed() { [ "$(field "job/$1" .status.completedIndexes -n "$NS")" = "$2" ]; }

start_who() { if [ $WHO = ours ]; then start_controller controller-replace --replace-builtin; else start_builtin; fi; }
stop_who() { if [ $WHO = ours ]; then proc_stop controller; else proc_stop builtin; fi; }

# In one go, so that the controller first sees the Job when it is suspended and being deleted: as the built-in one, it then leaves its Pods alone.
suspended_and_deleted() {
    allowed "$WHO: a Job that may be stopped" make hidden ''
    check_await "$WHO: it runs" 120 active hidden 2
    allowed "held by a finalizer" change hidden '{"metadata":{"finalizers":["tenant.example/hold"]}}'
    stop_who
    allowed "suspended" change hidden '{"spec":{"suspend":true}}'
    allowed "and deleted" tenant delete job hidden --wait=false
    start_who
    make later '' > /dev/null
    check_await "$WHO: another Job, made after that, runs" 120 active later 2
    check "$WHO: Pods that run on, suspended and without a deadline" "$(k get pods -n "$NS" -l job-name=hidden --field-selector status.phase=Running -o name | wc -l)" 2
    allowed "let go of" change hidden '{"metadata":{"finalizers":null}}'
    check_await "$WHO: its Pods are gone with it" 120 idle hidden
    tenant delete job later --wait=false > /dev/null
}

# An opt-in label that no limit requires is dropped, and the policy with it.
opted_out() {
    make chosen '' > /dev/null
    tenant label job chosen tier=batch > /dev/null
    refused "$WHO: a change that the opted-in policy refuses" 'policy "opt-in"' change chosen '{"spec":{"parallelism":1}}'
    allowed "its label dropped, alone" tenant label job chosen tier-
    allowed "the change" change chosen '{"spec":{"parallelism":1}}'
    tenant delete job chosen --wait=false > /dev/null
}
more_than() { [ "$(k get pods -n "$NS" -l job-name="$1" -o name | wc -l)" -gt "$2" ]; }

# ---- namespaces of this moment, and replicas that differ

new_namespaces() {
    local i denied=0
    for i in {1..20}; do
        k create -f - > /dev/null <<< "{apiVersion: v1, kind: Namespace, metadata: {name: t73-new-$i, labels: {pool: gpu}}}"
        ! grep -q 'policy "pool": is 2, at most 1 allowed' <<< "$(NS=t73-new-$i said make now 'suspend: true')" || denied=$((denied + 1))
    done
    check "Jobs denied in namespaces that were just made" "$denied" 20
    for i in {1..20}; do k delete namespace "t73-new-$i" --wait=false; done > /dev/null
}

differing_replicas() {
    local i denied=0
    job differ '' 9 > "$WORK/differ.yaml"
    for i in {1..40}; do
        ! grep -q 'policy "cap":.*at most 2 allowed' <<< "$(said tenant create --dry-run=server -f "$WORK/differ.yaml")" || denied=$((denied + 1))
    done
    check "Jobs denied by what both replicas have, whichever is asked" "$denied" 40
}

# ----

policy own '{match: {namespaces: ["t73-*"]}, limits: {backoffLimit: {max: 5}}}' > "$WORK/own.yaml"
two_replicas --policy-file "$WORK/own.yaml"
chart_webhooks
k create -f - > /dev/null << 'Y'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "t73:tenants"}
rules: [{apiGroups: [batch], resources: [jobs, cronjobs], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "t73:tenants"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "t73:tenants"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "t73:tenants"}]
Y
BUDGET="limits: {labels: {team: {required: true}}}, budget: {podsAtOnce: 2, podsEver: $EVER, runtime: 10m, requestsAtOnce: {\"example.com/*\": \"2\"}, resourceHours: {\"example.com/*\": \"0.334\"}"
policy cap "{match: {namespaces: [\"t73-*\"]}, $BUDGET, changes: Refused}}" | k create -f - > /dev/null
policy loose "{match: {namespaces: [\"u73-*\"]}, $BUDGET, changes: Allowed}}" | k create -f - > /dev/null
policy fpga '{match: {namespaces: ["t73-*"], requests: [example.net/fpga]}, limits: {parallelism: {max: 1}}}' | k create -f - > /dev/null
policy opt-in '{match: {namespaces: ["u73-*"], objectSelector: {matchLabels: {tier: batch}}}, budget: {changes: Refused}}' | k create -f - > /dev/null
policy pool '{match: {namespaceSelector: {matchLabels: {pool: gpu}}}, limits: {parallelism: {max: 1}}}' | k create -f - > /dev/null
for p in cap loose fpga opt-in pool; do check_await "policy $p is in force in both replicas" 60 in_force $p 1; done
start_kubelet
for WHO in ours builtin; do
    start_who
    begin t73-$WHO
    running_job
    elastic_job
    failing_job
    suspended_job
    queued_job
    cron_job
    differing_replicas
    not_held
    end
    begin u73-$WHO
    tricks_that_work
    suspended_and_deleted
    opted_out
    end
    stop_who
done
new_namespaces
k delete mutatingwebhookconfiguration,validatingwebhookconfiguration jobreeve > /dev/null
k delete crd $CRD > /dev/null
k delete clusterrolebinding,clusterrole t73:tenants > /dev/null
