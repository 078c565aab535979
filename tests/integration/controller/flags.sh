#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What flags switch on, seen from outside, on the devcluster: flags.sh BIN
#   --ttl-after-finished   a Job that has ended goes away, and its Pods with it
#   --debug-jobs           /debug/jobs says why a Job waits; without the flag there is no such page
#   SIGUSR1                the same in the log
#   --replace-builtin      a Job that names this controller is left alone, and the log says so; without it, it is run
#   another's writes       to the status of a Job that is ours are told
#   --config               a file of settings; the command line wins, and a wrong one is refused by file, line and name
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene flags

jobs=/apis/batch/v1/namespaces/default/jobs

create() { # create NAME SPEC-MEMBER...
    api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  $2
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: 50ms}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/main:1"}]
Y
}
start_controller() { # start_controller FLAG...
    : > "$DIR/log/controller.log"
    proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --leader-elect=false \
        --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 0 "$@"
    ALIVE=controller await 60 "the health probes" listener controller health
    probes=http://$(listener controller health)
}
no_pods() { api GET /api/v1/namespaces/default/pods | jq -e '.items | length == 0' > /dev/null; }
why() { curl -sS --max-time 30 "$probes/debug/jobs?key=$1" | jq -r '.why[]'; }
suspended="The Job is suspended, and no queue stands behind it. It goes on when spec.suspend is set to false."
says() { # says KEY TEXT
    local text
    text=$(why "$1") && [ "$text" = "$2" ]
}
# status URL WANTED
status() { [ "$(curl -sS -o "$DIR/answer" -w '%{http_code}' --max-time 30 "$1")" = "$2" ]; }

# refused WORDS FLAG...: the start is refused in these words
refused() {
    local words=$1 code=0
    shift
    "$bin/jobreeve-controller" --config "$DIR/settings.yaml" "$@" > "$DIR/answer" 2>&1 || code=$?
    [ $code = 2 ] && grep -qF -- "$words" "$DIR/answer" || { echo "expected \"$words\" and 2, got $code:" >&2; cat "$DIR/answer" >&2; return 1; }
}
printf 'log-level: info\nmax-inflight: 0\n' > "$DIR/settings.yaml"
refused "$DIR/settings.yaml:2: max-inflight: expected a whole number, from 1 to 10000, not \"0\""
refused "$DIR/settings.yaml:2: max-inflight: expected" --max-inflight=3
printf '{"leader-elect-renew-deadline":\n "20s"}' > "$DIR/settings.yaml"
refused "$DIR/settings.yaml:2: leader-elect-renew-deadline: expected less than --leader-elect-lease-duration"
refused "jobreeve-controller: --leader-elect-renew-deadline: expected less" --leader-elect-renew-deadline=30s
printf 'leaderElect: false\n' > "$DIR/settings.yaml"
refused "$DIR/settings.yaml:1: leaderElect: no such setting, leader-elect is meant?"
rm "$DIR/settings.yaml"
refused "$DIR/settings.yaml: opening the file: No such file or directory"
echo "ok    a wrong setting of the file is refused by file, line and name"

devcluster

start_controller --ttl-after-finished --debug-jobs
create expires "ttlSecondsAfterFinished: 1"
create waits "suspend: true"
ALIVE="devcluster controller" await 120 "the expired Job to go" gone "$jobs/expires"
ALIVE="devcluster controller" await 120 "its Pods to go" no_pods
echo "ok    an expired Job goes, with its Pods"
ALIVE="devcluster controller" await 60 "the reason" says default/waits "$suspended"
ALIVE="devcluster controller" await 60 "the same of a name in %" says default%2Fwaits "$suspended"
ALIVE="devcluster controller" await 60 "the expired Job to be forgotten" says default/expires "no such Job is in the cache"
status "$probes/debug/jobs" 400
status "$probes/debug/jobs?key=nothing" 400
status "$probes/debug/other?key=default/waits" 404
echo "ok    /debug/jobs says why a Job waits"
proc_stop controller

# The file says what the flags say elsewhere, and one thing that a flag sets right.
cat > "$DIR/settings.yaml" <<Y
debug-jobs: true
kubeconfig: /nowhere
concurrent-job-syncs: 2
kube-api-qps: 50.5
feature-gates: {StaleControllerConsistencyJob: false}
Y
start_controller --config "$DIR/settings.yaml"
ALIVE="devcluster controller" await 60 "the reason" says default/waits "$suspended"
echo "ok    a file of settings counts, and the command line wins over it"
logged() { grep -qF -- "$1" "$DIR/log/controller.log"; }
api PATCH "$jobs/waits/status" -H 'Content-Type: application/merge-patch+json' -d '{"status":{"active":3}}' > /dev/null
ALIVE="devcluster controller" await 60 "the warning" logged '"msg":"another writes the status of a job that is ours","namespace":"default","name":"waits","kind":"Job"'
echo "ok    another's write to the status of our Job is told"
proc_stop controller
start_controller
ALIVE="devcluster controller" await 60 "the caches" logged '"msg":"caches synced"'
# Asked again and again: an answer tells of its moment, and the first sync may be under way, or have the status to mend that the other one wrote.
told() {
    proc_signal controller USR1
    grep -q '"msg":"why a job waits","namespace":"default","name":"waits","kind":"Job","why":"[^"]*The Job is suspended[^"]*","state":"{' "$DIR/log/controller.log"
}
ALIVE="devcluster controller" await 60 "the answer" told
echo "ok    SIGUSR1 writes to the log why Jobs wait"
proc_stop controller

for version in auto 1.36; do
    start_controller --kubernetes-version $version --feature-gates PodLevelResources=true,StaleControllerConsistencyJob=true
    ALIVE="devcluster controller" await 60 "the caches" eval 'log_since_start controller | grep -q "\"caches synced\""'
    log_since_start controller | grep -q '"gates that change nothing in the controller","flag":"--feature-gates","gates":"PodLevelResources"'
    proc_stop controller
done
echo "ok    a gate that changes nothing is told, whether the version is asked for or given"

start_controller
create stays "ttlSecondsAfterFinished: 0"
complete() { api GET "$jobs/stays" | jq -e 'any(.status.conditions[]?; .type == "Complete" and .status == "True")' > /dev/null; }
ALIVE="devcluster controller" await 120 "the Job to complete" complete
status "$probes/debug/jobs?key=default/stays" 404
complete
echo "ok    without the flags there is neither"

create named "managedBy: jobreeve.dev/controller"
alone='"msg":"left alone: with --replace-builtin only Jobs that name no controller are run","namespace":"default","name":"named"'
ALIVE="devcluster controller" await 60 "the line" logged "$alone"
proc_stop controller
: > "$DIR/log/controller.log"
proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --leader-elect=false --health-probe-bind-address 0 --metrics-bind-address 0
named() { api GET "$jobs/named" | jq -e 'any(.status.conditions[]?; .type == "Complete" and .status == "True")' > /dev/null; }
ALIVE="devcluster controller" await 120 "the Job that names it" named
if logged "$alone"; then exit 1; fi
echo "ok    a Job that names this controller is left alone beside --replace-builtin, in words"
