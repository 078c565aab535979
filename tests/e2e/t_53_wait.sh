#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve wait on a real control plane, beside the built-in Job controller: the courses that a Job may take, each with its exit code and last line.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t53
fresh_namespace $NS
start_kubelet
start_builtin

# job NAME ANNOTATIONS [SPEC [POD-SPEC]]: in YAML's flow style, each with a comma behind it
job() {
    k create -n "$NS" -f - > /dev/null << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {course: "$1"}}
spec: {${3:-} template: {metadata: {annotations: {$2}}, spec: {${4:-} restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}}
Y
}
short='kubelet.jobreeve.dev/duration: 200ms' long='kubelet.jobreeve.dev/duration: forever'

# waits COURSE ARGUMENT...: waits in the background
waits() {
    spawn "wait-$1" "$JR_BIN/jobreeve" wait --kubeconfig "$DIR/admin.conf" -n "$NS" "${@:2}"
}
tells() { # tells COURSE PATTERN
    grep -q -- "$2" "$DIR/log/wait-$1.log"
}
sees() { # sees COURSE: the wait knows the Job, and its Pod
    await 60 "$1 is waited for" tells "$1" "^job/$1: .* 1 active"
}
# over COURSE CODE LAST-LINE: a pattern
over() {
    local last pid
    read -r pid _ < "$DIR/run/wait-$1.pid"
    if ! proc_gone 180 "wait-$1"; then
        failed "$1: is over" "$(tail -n 3 "$DIR/log/wait-$1.log")" "an end"
        return
    fi
    reap "$pid"
    check "$1: exit code" "$STOP_STATUS" "$2"
    last=$(tail -n 1 "$DIR/log/wait-$1.log")
    if grep -Eqx -- "$3" <<< "$last"; then passed "$1: $last"; else failed "$1: last line" "$last" "$3"; fi
}

job complete "$short"
waits complete job/complete
over complete 0 'job/complete: Complete after [0-9ms]+'

job failed "$short, kubelet.jobreeve.dev/exit-code: \"3\"" 'backoffLimit: 0,'
waits failed job/failed
over failed 1 'job/failed: Failed after [0-9ms]+: BackoffLimitExceeded: Job has reached the specified backoff limit'
check "failed: how" "$(grep -c ', container main: exit code 3' "$DIR/log/wait-failed.log")" 1

job early "$long, kubelet.jobreeve.dev/termination-delay: 10m" 'activeDeadlineSeconds: 1,'
waits early --early job/early
over early 1 'job/early: Failed.*: DeadlineExceeded: Job was active longer than specified deadline'
check "early: it hasn't Failed yet" "$(field job/early '.status.conditions[?(@.type=="Failed")].status}{.status.terminating' -n $NS)" 1

job deleted "$long"
waits deleted job/deleted
sees deleted
k delete job/deleted -n $NS > /dev/null
over deleted 4 'job/deleted: deleted before it was over'

job ttl "$short" 'ttlSecondsAfterFinished: 0,'
waits ttl job/ttl
over ttl 0 'job/ttl: Complete after [0-9ms]+'

job again "$long"
waits again job/again
sees again
k get job/again -n $NS -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, .spec.selector, .spec.template.metadata.labels)' > "$DIR/again.json"
k replace --force -n $NS -f "$DIR/again.json" > /dev/null
over again 4 'job/again: deleted(: there is another Job of its name| before it was over)'

waits late job/late
await 60 "late is waited for" tells late "^job/late: doesn't exist yet"
job late "$short"
over late 0 'job/late: Complete after [0-9ms]+'

job suspended "$short" 'suspend: true,'
waits suspended --stuck-after 0 job/suspended
await 60 "suspended is waited for" tells suspended '; suspended'
job held "$short" 'suspend: true,'
waits held --stuck-after 2s job/held
over held 3 'job/held: stuck: The Job is suspended, and no queue stands behind it\. .*'
job queued "$short" 'suspend: true,'
k label job/queued -n $NS kueue.x-k8s.io/queue-name=q > /dev/null
waits queued --stuck-after 1s --timeout 8s job/queued
over queued 124 'job/queued: not over: suspended, 0 active, 0 succeeded, 0 failed'
k patch job/suspended -n $NS --type merge -p '{"spec":{"suspend":false}}' > /dev/null
over suspended 0 'job/suspended: Complete after [0-9ms]+'

# Pods that no kubelet takes: gates keep them from nodes, or they are on one that isn't there, and their status is told here.
has_pod() { [ "$(pods_of "$1")" = 1 ]; }
job gated "$short" '' 'schedulingGates: [{name: kueue.x-k8s.io/admission}],'
await 60 "gated's Pod" has_pod gated
waits gated --stuck-after 1s --timeout 8s job/gated
over gated 124 'job/gated: not over: 1 active, 0 succeeded, 0 failed, begun [0-9ms]+ ago'
job kept "$short" '' 'schedulingGates: [{name: example.com/held}],'
await 60 "kept's Pod" has_pod kept
waits kept --stuck-after 2s job/kept
over kept 3 'job/kept: stuck: The Pod has the scheduling gate example.com/held: .*'

job image "$short" '' 'nodeName: nobody,'
await 60 "image's Pod" has_pod image
k patch "$(k get pods -n $NS -l batch.kubernetes.io/job-name=image -o name)" -n $NS --subresource=status --type merge -p '{"status":{"containerStatuses":[
    {"name":"main","image":"i","imageID":"","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"i\": ErrImagePull: i: not found"}}}]}}' > /dev/null
waits image --stuck-after 2s job/image
over image 3 'job/image: stuck: The image i is not there: the registry does not have it\..*'

k create namespace t53-quota > /dev/null
await 60 "the service account of t53-quota" k get serviceaccount default -n t53-quota
k create quota q -n t53-quota --hard=limits.cpu=1 > /dev/null
limited() { [ "$(field quota/q .status.hard -n t53-quota)" = '{"limits.cpu":"1"}' ]; }
await 60 "the quota" limited
NS=t53-quota job quota "$short"
NS=t53-quota waits quota --stuck-after 2s job/quota
over quota 3 "job/quota: stuck: The quota q refuses all Pods .*must specify limits.cpu.*"

lists() { # lists VERB: requests of jobreeve for the Jobs of the namespace
    audited "\"requestURI\":\"/apis/batch/v1/namespaces/$NS/jobs\\?" '"userAgent":"jobreeve/' "\"verb\":\"$1\"" '"stage":"ResponseComplete"'
}
# The last of them is resumed once it is waited for, so that the list alone can't do.
for i in $(seq 200); do
    cat << Y
apiVersion: batch/v1
kind: Job
metadata: {name: many-$i, labels: {many: "yes"}}
spec: {suspend: $([ "$i" = 200 ] && echo true || echo false), template: {metadata: {annotations: {kubelet.jobreeve.dev/duration: 100ms}}, spec: {restartPolicy: Never, containers: [{name: main, image: "i"}]}}}
---
Y
done | k create -n $NS -f - > /dev/null
before_lists=$(lists list) before_watches=$(lists watch)
waits many -l many=yes
await 60 "all are waited for" tells many ' of 200 Jobs over'
k patch job/many-200 -n $NS --type merge -p '{"spec":{"suspend":false}}' > /dev/null
over many 0 '200 Complete'
check "many: lists" "$(($(lists list) - before_lists))" 1
watched() { [ "$(lists watch)" -gt "$before_watches" ]; } # the audit log tells of a watch once it ends
check_await "many: a watch" 60 watched
check "many: lines" "$(grep -c ': Complete after' "$DIR/log/wait-many.log")" 200

job interrupted "$long"
waits interrupted job/interrupted
sees interrupted
proc_signal wait-interrupted INT
over interrupted 130 'job/interrupted: .*'

# The API server goes away and comes back; then the same, and what the watch asks for is forgotten (410).
job restarted 'kubelet.jobreeve.dev/duration: 20s'
waits restarted job/restarted
sees restarted
job expired 'kubelet.jobreeve.dev/duration: 20s'
waits expired job/expired
sees expired
proc_signal wait-expired STOP
check_await "restarted: the API server is gone" 60 end_apiserver KILL
"$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
over restarted 0 'job/restarted: Complete after [0-9ms]+'
await 120 "the end of the Job expired" ended expired Complete
revision=$(curl -sSf -X POST "http://127.0.0.1:$ETCD_PORT/v3/kv/range" -d '{"key":"AA==","count_only":true}' | jq -r .header.revision)
curl -sSf -X POST "http://127.0.0.1:$ETCD_PORT/v3/kv/compaction" -d "{\"revision\":\"$revision\",\"physical\":true}" > /dev/null
check_await "expired: the API server is gone" 60 end_apiserver KILL
"$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
before_lists=$(lists list)
proc_signal wait-expired CONT
over expired 0 'job/expired: Complete after [0-9ms]+'
check_await "expired: listed anew" 60 test "$(lists list)" -gt "$before_lists"
k delete namespace t53-quota --wait=false > /dev/null
