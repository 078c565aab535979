#!/usr/bin/env bash
# What flags switch on, seen from outside, on the devcluster: flags.sh BIN
#   --ttl-after-finished   a Job that has ended goes away, and its Pods with it
#   --debug-jobs           /debug/jobs says why a Job waits; without the flag there is no such page
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-flags.XXXXXX")
mkdir -p "$DIR/log" "$DIR/run"
. "$here/../../support/proc.sh"

finish() {
    local code=$? f
    set +e
    [ $code = 0 ] || log_tails 30 >&2
    for f in "$DIR"/run/*.pid; do [ ! -e "$f" ] || proc_stop "$(basename "$f" .pid)"; done
    [ $code = 0 ] && rm -rf "$DIR" || echo "files are kept in $DIR" >&2
    exit $code
}
trap finish EXIT

api() { # api METHOD PATH [CURL-ARGUMENT]...
    local method=$1 path=$2
    shift 2
    curl -sS --fail-with-body --max-time 30 --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -X "$method" "$server$path" "$@"
}
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
    ALIVE=controller await 60 "the health probes" address
    probes=http://$(address)
}
# The first log line about the probes' listener says where it is.
address() { sed -n 's/.*"serving".*"listener":"health".*"address":"\([^"]*\)".*/\1/p' "$DIR/log/controller.log" | head -n 1 | grep .; }
gone() { ! api GET "$1" > /dev/null 2>&1; }
no_pods() { api GET /api/v1/namespaces/default/pods | jq -e '.items | length == 0' > /dev/null; }
why() { curl -sS --max-time 30 "$probes/debug/jobs?key=$1" | jq -r '.why[]'; }
says() { # says KEY TEXT
    local text
    text=$(why "$1") && [ "$text" = "$2" ]
}
# status URL WANTED
status() { [ "$(curl -sS -o "$DIR/answer" -w '%{http_code}' --max-time 30 "$1")" = "$2" ]; }

proc_start devcluster "$bin/jobreeve-devcluster" --data-dir "$DIR" --log-level warn
ALIVE=devcluster await 60 "the devcluster" test -s "$DIR/kubeconfig"
server=$(sed -n 's/^ *server: //p' "$DIR/kubeconfig")
token=$(sed -n 's/^ *token: //p' "$DIR/kubeconfig")

start_controller --ttl-after-finished --debug-jobs
create expires "ttlSecondsAfterFinished: 1"
create waits "suspend: true"
ALIVE="devcluster controller" await 120 "the expired Job to go" gone "$jobs/expires"
ALIVE="devcluster controller" await 120 "its Pods to go" no_pods
echo "ok    an expired Job goes, with its Pods"
ALIVE="devcluster controller" await 60 "the reason" says default/waits "it is suspended"
says default%2Fwaits "it is suspended"
says default/expires "no such Job is in the cache"
status "$probes/debug/jobs" 400
status "$probes/debug/jobs?key=nothing" 400
status "$probes/debug/other?key=default/waits" 404
echo "ok    /debug/jobs says why a Job waits"
proc_stop controller

start_controller
create stays "ttlSecondsAfterFinished: 0"
complete() { api GET "$jobs/stays" | jq -e 'any(.status.conditions[]?; .type == "Complete" and .status == "True")' > /dev/null; }
ALIVE="devcluster controller" await 120 "the Job to complete" complete
status "$probes/debug/jobs?key=default/stays" 404
complete
echo "ok    without the flags there is neither"
