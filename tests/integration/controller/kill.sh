#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kill -9 of the controller right after its k-th write, for ten k over the life of a 50-Pod Job, then a restart: every Pod is
# counted once. kill.sh BIN. The devcluster holds the controller after the write, with or without its answer, so k is exact;
# an observer that has watched from the beginning checks the whole history (history.jq).
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene kill
failed=0
passed=0

watch() { # watch NAME PATH: everything, from the beginning, into a file. Begins before this returns: what was before would be told as it is then.
    proc_start "watch-$1" curl -sSN --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -o "$DIR/$1.stream" -D "$DIR/$1.head" \
        "$server$2?watch=1&resourceVersion=0&timeoutSeconds=3600"
    ALIVE="devcluster watch-$1" await 60 "the watch of $1" test -s "$DIR/$1.head"
}
start_controller() {
    proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --leader-elect=false \
        --health-probe-bind-address 0 --metrics-bind-address 0
}
jobs=/apis/batch/v1/namespaces/default/jobs

manifest() { # manifest NAME MODE
    cat <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  completions: 50
  parallelism: 10
  completionMode: $2
  template:
    metadata: {annotations: {kubelet.jobreeve.dev/duration: 50ms}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/main:1"}]
Y
}
held() { api GET /devcluster/hold | jq -e .held; }
complete() { api GET "$jobs/$1" | jq -e 'any(.status.conditions[]?; .type == "Complete" and .status == "True")'; }
# A Pod made after the end: where the observer has seen it, it has seen every Pod's event before it.
mark() {
    api POST /api/v1/namespaces/default/pods -H 'Content-Type: application/json' --data "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"after-$1\"},
        \"spec\": {\"restartPolicy\": \"Never\", \"containers\": [{\"name\": \"main\", \"image\": \"registry.example/main:1\"}]}}" > /dev/null
}
observed() {
    grep -q "\"name\":\"$1\".*\"type\":\"Complete\"" <(whole_lines "$DIR/jobs.stream") &&
        grep -q "\"name\":\"after-$1\"" <(whole_lines "$DIR/pods.stream")
}

devcluster --history 1000000
watch jobs /apis/batch/v1/jobs
watch pods /api/v1/pods

early=0
# WRITES ANSWER MODE
while read -r k answer mode; do
    name=kill-$k
    start_controller
    api PUT /devcluster/hold --data "{\"userAgent\": \"jobreeve-controller\", \"afterWrites\": $k, \"answer\": $answer}" > /dev/null
    manifest "$name" "$mode" | api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
    ALIVE="devcluster controller" await 120 "write $k" held
    counted=$(api GET "$jobs/$name" | jq '.status.succeeded // 0')
    proc_kill controller 2> /dev/null # bash would tell of it
    api DELETE /devcluster/hold > /dev/null
    [ "$counted" -ge 25 ] || early=$((early + 1))
    start_controller
    ALIVE="devcluster controller" await 120 "$name" complete "$name"
    mark "$name"
    await 60 "the observer of $name" observed "$name"
    proc_stop controller
    ambiguous=1
    [ "$answer" = false ] || ambiguous=0
    faults=$(jq -rs --arg job "$name" --argjson completions 50 --argjson parallelism 10 --argjson ambiguous $ambiguous \
        -f "$here/history.jq" <(whole_lines "$DIR/jobs.stream") <(whole_lines "$DIR/pods.stream"))
    if [ -z "$faults" ]; then
        passed=$((passed + 1))
        echo "ok    killed after write $k (answer $answer, $mode, $counted counted)"
    else
        failed=$((failed + 1))
        echo "FAIL  killed after write $k (answer $answer, $mode, $counted counted)"
        sed 's/^/      /' <<< "$faults"
    fi
    api DELETE "$jobs/$name?propagationPolicy=Background" > /dev/null
done <<'K'
1 false NonIndexed
2 true Indexed
7 false Indexed
11 true NonIndexed
13 false NonIndexed
17 true Indexed
22 false NonIndexed
29 false Indexed
36 true NonIndexed
80 false Indexed
K
if [ $early -ge 8 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL  only $early kills came before half of the Pods were counted"; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
