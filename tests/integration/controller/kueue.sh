#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A queue stops Jobs and starts them again: it clears startTime, which is no rival's work. One who writes a count is a rival: kueue.sh BIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/kueue.sh"
scene kueue
NS=default
jobs=/apis/batch/v1/namespaces/$NS/jobs
foreign() {
    curl -sS --fail --max-time 30 "http://$(listener controller metrics)/metrics" | sed -n 's/^jobreeve_job_status_foreign_writes_total //p'
}
is_foreign() { [ "$(foreign)" = "$1" ]; }

devcluster --kubernetes-version 1.34 # later ones clear it themselves, mostly first
proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --leader-elect=false \
    --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0
ALIVE=controller await 60 "the metrics" foreign
proc_start watch curl -sSN --cacert "$DIR/ca.crt" -H "Authorization: Bearer $token" -o "$DIR/pods" -D "$DIR/head" \
    "$server/api/v1/namespaces/$NS/pods?watch=1&resourceVersion=0&timeoutSeconds=3600"
ALIVE=watch await 60 "the watch" test -s "$DIR/head"
kueue_states 2> "$DIR/log/kueue-states.log" &
rounds=()
for i in 0 1 2 3 4 5 6 7; do
    kueue_round "evicted-$i" $i &
    rounds+=($!)
done
for i in "${rounds[@]}"; do wait "$i"; done
cleared=$(wc -l < "$DIR/kueue-cleared")
[ "$cleared" -ge 4 ] || { echo "startTime was cleared $cleared times only" >&2; exit 1; }
is_foreign 0 || { echo "$(foreign) foreign writes counted, none expected" >&2; exit 1; }
kueue_made "$DIR/pods" > "$DIR/made"
[ "$(grep -c ' reserved ' "$DIR/made") $(kueue_wrong < "$DIR/made")" = "8 " ] || { echo "Pods made:"; cat "$DIR/made"; exit 1; } >&2
echo "ok    8 evictions, startTime cleared $cleared times, no foreign write, no Pod made twice"

api POST $jobs -o /dev/null -H 'Content-Type: application/json' -d '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"contested"},"spec":{"template":{
    "metadata":{"annotations":{"kubelet.jobreeve.dev/duration":"forever"}},
    "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"registry.example/main:1"}]}}}}'
active() { api GET $jobs/contested | jq -e '.status.active == 1' > /dev/null; }
await 60 "its Pod" active
api PATCH $jobs/contested/status -o /dev/null -H 'Content-Type: application/merge-patch+json' -d '{"status":{"failed":3}}'
await 60 "the rival being counted" is_foreign 1
grep -q '"msg":"another writes the status of a job that is ours".*"name":"contested"' <(log_since_start controller)
echo "ok    a rival is counted"
