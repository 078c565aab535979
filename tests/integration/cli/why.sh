#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve why and dump as people call them, from outside: why.sh BIN
#   how objects are named, each exit code, both formats, files; which requests they send, with which rights; dumps, which hold no secret and say the
#   same. What they say of dumps from real clusters is in tests/diagnose.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene why
devcluster
proc_start controller "$bin/jobreeve-controller" --replace-builtin --kubeconfig "$DIR/kubeconfig" --health-probe-bind-address 0 --metrics-bind-address 0
jobs=/apis/batch/v1/namespaces/default/jobs

job() { # job NAME ANNOTATIONS [SPEC] [CONTAINER]
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {%s template: {metadata: {annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: main, image: i%s}]}}}\n' \
        "$1" "${3:-}" "$2" "${4:-}" | api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
}
# says CODE COMMAND ARGUMENT...: what it prints is in DIR/out and DIR/err
asks() {
    local code=0 want=$1 command=$2
    shift 2
    timeout 60 "$bin/jobreeve" "$command" "$@" > "$DIR/out" 2> "$DIR/err" || code=$?
    [ "$code" = "$want" ] || { echo "exit code $code, not $want: $command $*" >&2 && cat "$DIR/out" "$DIR/err" >&2 && return 1; }
}
on() { asks "$1" "$2" --kubeconfig "$DIR/kubeconfig" "${@:3}"; }
says() { grep -qE -- "$2" "$DIR/$1" || { echo "$1 doesn't say: $2" >&2 && cat "$DIR/$1" >&2 && return 1; }; } # says out|err PATTERN
long='kubelet.jobreeve.dev/duration: forever'

job runs "$long"
job held '' 'suspend: true,'
job failed 'kubelet.jobreeve.dev/duration: 100ms, kubelet.jobreeve.dev/exit-code: "127"' 'backoffLimit: 0,'
runs() { on 0 why job/runs && grep -q '1 Pod runs' "$DIR/out"; }
failed() { on 0 why job/failed && grep -q 'It has ended (over' "$DIR/out"; }
await 60 "a Pod of runs" runs
await 60 "the end of failed" failed
on 0 why job/runs
says out '^It goes on by itself \(moves\)\.$'
says out '^next: kubectl logs -f job/runs -n default$'
on 0 why job/failed
says out "^It has ended \(over; whose move: author\)\.$"
says out 'exit code 127: its command is not found'
for type in jobs job.batch jobs.batch jobs.v1.batch; do on 0 why $type/held; done
says out '^Somebody has to act \(hand; whose move: author\)\.$'
says out "^next: kubectl patch job held -n default --type=merge -p '\{\"spec\":\{\"suspend\":false\}\}'$"
on 3 why --exit-code job/held
on 0 why --exit-code job/runs
on 0 why -o json job/held
jq -e '.version == 1 and .verdict == "hand" and .who == "author" and .when == null and .causes[0].id == "suspended" and .next[0].grade == "changes" and
    .object == {kind: "Job", namespace: "default", name: "held"}' "$DIR/out" > /dev/null
pod=$(api GET '/api/v1/namespaces/default/pods?labelSelector=batch.kubernetes.io/job-name%3Druns' | jq -r '.items[0].metadata.name')
on 0 why "pod/$pod"
says out '1 Pod runs'
printf 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec: {schedule: "0 2 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}}\n' |
    api POST /apis/batch/v1/namespaces/default/cronjobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
on 0 why cj/nightly
says out '^when: [0-9-]*T02:00:00Z \(in [0-9hms]+\): the next start$'
echo "ok    what is asked about, both formats"

on 4 why job/nobody
says err 'there is no Job nobody in namespace default'
on 4 why -n elsewhere job/runs
on 4 why pod/nobody
on 4 why cronjob/runs
for wrong in '' 'runs' 'deployment/runs' 'job/' 'job/a job/b' 'job/Upper'; do
    # shellcheck disable=SC2086 # several arguments
    on 2 why $wrong
done
on 2 why --now yesterday job/runs
says err "^jobreeve why: --now: expected a time in RFC 3339"
asks 2 why -f "$DIR/none" job/runs
asks 2 why --kubeconfig "$DIR/none" job/runs
printf '{"apiVersion":"v1","kind":"List","items":[' > "$DIR/broken"
asks 2 why -f "$DIR/broken" job/runs
says err "^jobreeve why: $DIR/broken: line 1"
echo "ok    what is wrong"

# What is secret is planted where people put it.
job secrets "$long" '' ', env: [{name: PASSWORD, value: planted-1}], command: [run, --password=planted-2, --token, planted-3, "https://user:planted-4@host/x", "curl -H \"Authorization: Bearer planted-5\"", --from-literal=password=planted-6, --pass, planted-7, "-pplanted-8", "{\"password\":\"planted-9\"}", "https://planted-10@host", "https://h/?X-Amz-Signature=planted-11"]'
secret() { on 0 why job/secrets && grep -q '1 Pod runs' "$DIR/out"; }
await 60 "a Pod of secrets" secret
# Events are posted beside the work, so that a Job's can come after its Pods.
dumped() {
    # shellcheck disable=SC2086
    on 0 dump $full job/secrets && [ "$(jq -r '[.items[].kind] | unique | join(",")' "$DIR/out")" = Event,Job,Pod ]
}
for full in '' --full; do
    await 60 "a dump with the Job's Events" dumped
    mv "$DIR/out" "$DIR/dump$full.json"
done
for i in 1 2 3 4 5 6 7 8 9 10 11; do
    grep -q "planted-${i}[^0-9]" "$DIR/dump--full.json" || { echo "planted-$i isn't even in the full dump" >&2; exit 1; }
    ! grep -q "planted-${i}[^0-9]" "$DIR/dump.json" || { echo "planted-$i is in the dump" >&2; exit 1; }
done
says err '^jobreeve dump: kubectl get jobs,pods,events -n default -o json'
for name in runs held failed secrets; do
    on 0 dump job/$name
    mv "$DIR/out" "$DIR/$name.json"
    now=$(jq -r '.metadata.annotations["jobreeve.dev/read-at"]' "$DIR/$name.json")
    on 0 why --now "$now" job/$name
    cp "$DIR/out" "$DIR/direct"
    asks 0 why -f - job/$name < "$DIR/$name.json"
    diff "$DIR/direct" "$DIR/out"
done
on 4 dump job/nobody
echo "ok    dumps: no secret, and the same answer"

# An API server whose list expires in the middle, which has PodGroups in the newer version alone, and which refuses Nodes.
cat > "$DIR/api.py" << 'P'
import http.server, json, sys, urllib.parse
meta = {"namespace": "default", "uid": "0b3a2f0c-57f4-4a43-9b2c-0d6d3ac1a001", "creationTimestamp": "2026-05-01T10:00:00Z"}
job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "gang", **meta},
       "spec": {"parallelism": 2, "completions": 2, "template": {"spec": {"containers": [{"name": "main", "image": "i"}]}}}, "status": {"active": 2, "startTime": "2026-05-01T10:00:00Z"}}
def pod(i):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"gang-{i}", "namespace": "default", "uid": f"0b3a2f0c-57f4-4a43-9b2c-0d6d3ac1b00{i}", "creationTimestamp": "2026-05-01T10:00:00Z",
                "labels": {"batch.kubernetes.io/controller-uid": meta["uid"]}, "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "gang", "uid": meta["uid"], "controller": True}]},
            "spec": {"schedulingGroup": {"podGroupName": "gang"}, "schedulerName": "default-scheduler", "containers": [{"name": "main", "image": "i"}]}, "status": {"phase": "Pending"}}
group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "gang", "namespace": "default"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}}}
def listed(items, token=""):
    return 200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1", "continue": token}, "items": items}
def refusal(code, reason, token=""):
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {"continue": token}, "status": "Failure", "reason": reason, "message": reason, "code": code}
class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        token = urllib.parse.parse_qs(url.query).get("continue", [""])[0]
        what = url.path.rsplit("/", 1)[1]
        with open(sys.argv[2], "a") as f:
            print(url.path, token, file=f)
        if what == "pods" and token == "old":
            code, answer = refusal(410, "Expired", "new")
        else:
            code, answer = {"gang": (200, job), "pods": listed([pod(2)]) if token else listed([pod(1)], "old"), "events": listed([])}.get(what) or \
                (listed([group]) if "/v1beta1/" in url.path and what == "podgroups" else refusal(403, "Forbidden") if what == "nodes" else refusal(404, "NotFound"))
        body = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
with open(sys.argv[1], "w") as f:
    f.write(f'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{}}}}]\nclusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{server.server_address[1]}"}}}}]\n')
server.serve_forever()
P
proc_start_writing "$DIR/api.conf" api python3 "$DIR/api.py" "$DIR/api.conf" "$DIR/requests"
asks 0 why --kubeconfig "$DIR/api.conf" job/gang
says out 'only scheduled with 4 Pods, and there are 2\.'
[ "$(grep -c '/pods' "$DIR/requests")" = 3 ]
grep -q '/pods new$' "$DIR/requests"
grep -q 'v1alpha2/.*podgroups' "$DIR/requests" # which it doesn't have
proc_stop api
echo "ok    a list that expires in the middle, and a kind in another version"

for command in why dump; do
    code=0
    api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve/", "path": "/pods", "action": "delay", "delayMilliseconds": 600000}]}' > /dev/null
    "$bin/jobreeve" $command --kubeconfig "$DIR/kubeconfig" job/runs > "$DIR/out" 2> "$DIR/err" &
    asked=$!
    held() { [ "$(api GET /devcluster/faults | jq '.rules[0].taken')" -ge 1 ]; }
    await 60 "a request that is held" held
    kill -INT $asked
    wait $asked || code=$?
    [ "$code" = 130 ] || { echo "exit code $code, not 130: $command, interrupted" >&2; exit 1; }
    [ ! -s "$DIR/out" ] && [ ! -s "$DIR/err" ]
done
echo "ok    interrupted"
