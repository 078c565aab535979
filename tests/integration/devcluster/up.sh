#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve-devcluster up, from outside: up.sh BIN [ROUNDS]
#   all parts work together; started and ended so many times in a row (10) nothing is left; each way of failing is one line, exit code 1, and nothing left
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
rounds=${2:-10}
. "$here/../../support/scene.sh"
scene up
mkdir "$DIR/dc"

up() { # up FLAG...: starts it, until it is ready
    proc_start_writing "$DIR/dc/kubeconfig" up "$bin/jobreeve-devcluster" up --data-dir "$DIR/dc" "$@"
    server=$(sed -n 's/^ *server: //p' "$DIR/dc/kubeconfig")
    # shellcheck disable=SC2034 # api reads it
    token=$(sed -n 's/^ *token: //p' "$DIR/dc/kubeconfig")
    cp "$DIR/dc/ca.crt" "$DIR/ca.crt"
}
# Those whose arguments name the folder.
# shellcheck disable=SC2062 # the pattern comes by -f; these are files
programs() { grep -lzF -f - /proc/[0-9]*/cmdline 2> /dev/null <<< "$DIR/dc" | wc -l || true; }
none_left() { [ "$(programs)" = 0 ]; }
ended() { # ended CODE
    proc_gone 30 up || { echo "it goes on" >&2 && return 1; }
    read -r pid _ < "$DIR/run/up.pid"
    reap "$pid"
    [ "$STOP_STATUS" = "$1" ] || { echo "exit code $STOP_STATUS, not $1" >&2 && cat "$DIR/log/up.log" >&2 && return 1; }
    await 10 "no process left" none_left
    [ ! -e "$DIR/dc/kubeconfig" ] || { echo "the kubeconfig is left" >&2 && return 1; }
    ! listens || { echo "something listens at $server" >&2 && return 1; }
}
listens() { (exec 3<> "/dev/tcp/127.0.0.1/${server##*:}") 2> /dev/null; }
job() { # job NAME SPEC
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {%s, template: {metadata: {annotations: {kubelet.jobreeve.dev/duration: 100ms}}, spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}\n' "$1" "$2" |
        api POST /apis/batch/v1/namespaces/default/jobs -H 'Content-Type: application/yaml' --data-binary @-
}

# All of it: a policy, a fault, a Job to its end and away, a log.
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: narrow}\nspec: {limits: {parallelism: {max: 2}}}\n' > "$DIR/policy.yaml"
printf 'rules: [{userAgent: jobreeve/, path: /jobs, times: 1, action: status, status: 503}]\n' > "$DIR/faults.yaml"
up --policy "$DIR/policy.yaml" --faults "$DIR/faults.yaml" --kubernetes-version 1.37
[ "$(programs)" = 3 ]
grep -q 'Kubernetes 1.37 in memory' "$DIR/log/up.log"
grep -q "export KUBECONFIG=$DIR/dc/kubeconfig" "$DIR/log/up.log"
job wide 'parallelism: 3' > "$DIR/wide" 2> "$DIR/err" && { echo "the policy isn't in force" >&2 && exit 1; }
grep -q 'narrow' "$DIR/wide"
grep -q 'validate.job.jobreeve.dev' "$DIR/wide" # as the chart names it
grep -qx "policies     $DIR/policy.yaml" "$DIR/log/up.log"
sed 's/narrow/never/; s/max: 2/min: 3, max: 2/' "$DIR/policy.yaml" |
    api POST /apis/policy.jobreeve.dev/v1alpha1/jobpolicies -H 'Content-Type: application/yaml' --data-binary @- > "$DIR/never" 2> "$DIR/err" &&
    { echo "a policy that can't be used is taken" >&2 && exit 1; }
grep -q 'must not be less than min' "$DIR/never"
job short 'parallelism: 1' > /dev/null
"$bin/jobreeve" wait --kubeconfig "$DIR/dc/kubeconfig" --timeout 60s --follow job/short > "$DIR/waited" 2>&1
grep -qx 'job/short: Complete after .*' "$DIR/waited"
grep -q '^\[short-[a-z0-9]*\] simulated: ' "$DIR/waited"
[ "$(grep -c simulated "$DIR/waited")" = 1 ]
job brief 'ttlSecondsAfterFinished: 1' > /dev/null
await 60 "the TTL" gone /apis/batch/v1/namespaces/default/jobs/brief
api GET /devcluster/faults | jq -e '.rules[0].taken == 1' > /dev/null
api POST /apis/batch/v1/namespaces/default/cronjobs -D "$DIR/head" -o /dev/null -H 'Content-Type: application/yaml' --data-binary @- << 'Y'
apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}}
Y
grep -qi '^warning: 299 - "the devcluster has no CronJob controller' "$DIR/head"
for log in devcluster webhook controller; do jq -e .msg "$DIR/dc/log/$log.log" > /dev/null; done
# A DELETE whose options come as protobuf: the Secret has another uid than its preconditions.
printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"kept"},"data":{"a":"YQ=="}}' |
    api POST /api/v1/namespaces/default/secrets -H 'Content-Type: application/json' --data-binary @- > /dev/null
printf 'k8s\0\n\023\n\002v1\022\015DeleteOptions\022\005\022\003\n\001x' |
    api DELETE /api/v1/namespaces/default/secrets/kept -H 'Content-Type: application/vnd.kubernetes.protobuf' --data-binary @- > "$DIR/kept" 2> "$DIR/err" || true
jq -e '.code == 409' "$DIR/kept" > /dev/null
api GET /api/v1/namespaces/default/secrets/kept > /dev/null
proc_signal up TERM
ended 0
echo "ok    all parts, and a TERM"
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: queued}\nspec: {budget: {changes: Refused}}\n' > "$DIR/queued.yaml"
up --policy "$DIR/queued.yaml" --queues some-queue,a-queue
grep -qx '             what violates one that denies is refused; hello, below, may' "$DIR/log/up.log"
resume() { # resume HEADER: by that user
    api PATCH /apis/batch/v1/namespaces/default/jobs/late -H 'Content-Type: application/merge-patch+json' -H "$1" -d '{"spec": {"suspend": false}}' \
        > "$DIR/resumed" 2> "$DIR/err"
}
job late 'suspend: true' > /dev/null
resume 'Impersonate-User: anna' && { echo "she is no queue" >&2 && exit 1; }
grep -q 'only a queue starts the Job' "$DIR/resumed"
resume 'Impersonate-Group: a-queue' && { echo "there are no groups" >&2 && exit 1; }
jq -e '.code == 400 and (.message | startswith("the devcluster'"'"'s users have names alone"))' "$DIR/resumed" > /dev/null
resume 'Impersonate-User: a-queue'
proc_signal up HUP
ended 0
printf '{"rules": [{"action": "drop"}]}' > "$DIR/all.json" # no request of ours meets it
up --faults "$DIR/all.json"
proc_signal up TERM
ended 0
echo "ok    a HUP, faults for all"

for _ in $(seq "$rounds"); do
    up
    proc_signal up INT
    ended 0
done
echo "ok    $rounds times in a row"

# fails CODE LINE FLAG...: one line, and nothing left
fails() {
    local code=0 want=$1 line=$2
    shift 2
    timeout 60 "$bin/jobreeve-devcluster" up --data-dir "$DIR/dc" "$@" > "$DIR/out" 2> "$DIR/err" || code=$?
    if [ "$code" != "$want" ] || [ "$(wc -l < "$DIR/err")" != 1 ] || ! grep -q -- "^jobreeve-devcluster up: $line" "$DIR/err"; then
        echo "exit code $code, want $want: $line" >&2 && cat "$DIR/err" >&2 && return 1
    fi
}
up
port=${server##*:}
fails 1 "$DIR/dc: is in use"
code=0
timeout 60 "$bin/jobreeve-devcluster" --data-dir "$DIR/dc" > "$DIR/out" 2>&1 || code=$?
[ "$code" = 1 ]
grep -q 'is in use by another jobreeve-devcluster' "$DIR/out"
fails 1 "--bind-address: listening on 127.0.0.1 port $port: " --data-dir "$DIR/other" --bind-address "127.0.0.1:$port"
kill -KILL "$(pgrep -f -- "^jobreeve-controller .*$DIR/dc/")"
ended 1
grep -q '^jobreeve-devcluster up: jobreeve-controller: was ended by signal 9; see .*/controller.log$' "$DIR/log/up.log"
up
proc_signal up KILL # nobody is left to end the others, but the kernel
rm -f "$DIR/dc/kubeconfig"
await 30 "no process left" none_left
rm -f "$DIR/run/up.pid"
fails 2 'no-such-file: ' --policy no-such-file
fails 2 "$DIR/faults.yaml:1:1: " --policy "$DIR/faults.yaml"
printf 'rules: x\n' > "$DIR/bad.yaml"
fails 2 "$DIR/bad.yaml: rules: expected a list" --faults "$DIR/bad.yaml"
fails 2 '/dev/null: there is no JobPolicy in it' --policy /dev/null
printf 'rules: [{action: never}]\n' > "$DIR/bad.yaml"
fails 2 "$DIR/bad.yaml: rules\\[0\\].action: " --faults "$DIR/bad.yaml"
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: p}\nspec: {limits: {parallelism: {max: many}}}\n' > "$DIR/bad.yaml"
fails 2 "$DIR/bad.yaml:4:" --policy "$DIR/bad.yaml"
sed -i 's/{max: many}/{max: 2}, completons: {max: 2}/' "$DIR/bad.yaml"
fails 2 "$DIR/bad.yaml:4:.* unknown field .*spec.limits.completons" --policy "$DIR/bad.yaml"
fails 2 '--kubernetes-version: ' --kubernetes-version 1.20
await 10 "no process left" none_left
mkdir "$DIR/alone"
cp "$bin/jobreeve-devcluster" "$DIR/alone/"
code=0
"$DIR/alone/jobreeve-devcluster" up --data-dir "$DIR/dc" > "$DIR/out" 2> "$DIR/err" || code=$?
[ "$code" = 1 ]
grep -q '^jobreeve-devcluster up: jobreeve-webhook: expected it beside this program' "$DIR/err"
none_left
echo "ok    each failure is one line"
