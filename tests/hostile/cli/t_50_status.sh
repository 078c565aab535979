#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guard: jobreeve status shows what all tenants have written. 1,000 Jobs with 20,000 Pods, a Job of 10,000 indexes, names and messages that would steer a
# terminal, messages of a megabyte, owners in a circle: none makes it large, or gets to the terminal unescaped.
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/status
mkdir -p "$work"

cat > "$work/server.py" << 'P'
# An API server in whose first segment of the path stands what it has. Lists come in pages of 500, made beforehand.
import http.server, json, re, socketserver, sys, urllib.parse
evil = "\x1b[2J\u202e\r\n" + "x\x00y"
def meta(name, uid, **more):
    return {"name": name, "namespace": "d", "uid": uid, "resourceVersion": "1", "creationTimestamp": "2026-03-01T12:00:00Z", **more}
def job(name, uid, spec={}, status={}, **more):
    return {"metadata": meta(name, uid, **more), "spec": {"parallelism": 20, "completions": 100, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}},
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "registry.example.com/team/batch:1.4.2", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}},
            "env": [{"name": f"VARIABLE_{i}", "value": "some value"} for i in range(10)]}]}}, **spec}, "status": {"active": 20, "ready": 20, "startTime": "2026-03-01T12:00:00Z", **status}}
def pod(name, uid, owner, phase="Running", index=None, message="", **more):
    state = {"running": {"startedAt": "2026-03-01T12:00:05Z"}} if phase == "Running" else \
        {"terminated": {"exitCode": 0 if phase == "Succeeded" else 3, "reason": "Completed", "message": message, "startedAt": "2026-03-01T12:00:05Z", "finishedAt": "2026-03-01T12:05:00Z"}}
    return {"metadata": meta(name, uid, labels={"batch.kubernetes.io/job-name": owner[0], "batch.kubernetes.io/controller-uid": owner[1]},
                annotations={"batch.kubernetes.io/job-completion-index": str(index)} if index is not None else {},
                ownerReferences=[{"apiVersion": "batch/v1", "kind": "Job", "name": owner[0], "uid": owner[1], "controller": True}], **more),
            "spec": {"nodeName": "worker-1", "schedulerName": "default-scheduler", "containers": [{"name": "main", "image": "registry.example.com/team/batch:1.4.2",
                     "env": [{"name": f"VARIABLE_{i}", "value": "some value"} for i in range(10)], "volumeMounts": [{"name": "kube-api-access", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}]},
            "status": {"phase": phase, "conditions": [{"type": t, "status": "True", "lastTransitionTime": "2026-03-01T12:00:01Z"} for t in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
                       "containerStatuses": [{"name": "main", "image": "registry.example.com/team/batch:1.4.2", "imageID": "x" * 90, "containerID": "y" * 80, "ready": True, "restartCount": 0, "state": state}]}}
def pages(items):
    return [[json.dumps(i) for i in items[k:k + 500]] for k in range(0, len(items), 500)] or [[]]
worlds = {
    "many": lambda: {"jobs": [job(f"job-{i:04}", f"u{i}") for i in range(1000)], "pods": [pod(f"job-{i // 20:04}-{i:05}", f"p{i}", (f"job-{i // 20:04}", f"u{i // 20}")) for i in range(20000)]},
    "indexes": lambda: {"jobs": [job("wide", "u", {"completions": 10000, "parallelism": 10000, "completionMode": "Indexed"}, {"completedIndexes": "0-4999", "succeeded": 5000})],
                        "pods": [pod(f"wide-{i}", f"p{i}", ("wide", "u"), "Succeeded" if i < 5000 else "Failed" if i == 7777 else "Running", i) for i in range(10000)]},
    "evil": lambda: {"jobs": [job("j", "u", ownerReferences=[{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}])] +
                             [job("k" + evil, "v", ownerReferences=[{"apiVersion": "b" + evil, "kind": evil, "name": evil * 1000, "uid": evil, "controller": True}])],
                     "pods": [pod("p" + evil, "p", ("j", "u"), "Failed", evil, evil * 60000), pod("q", "q", ("j", "u"), "Failed", "99999999999", evil * 60000)],
                     "events": [{"metadata": meta("e", "e"), "involvedObject": {"kind": "Job", "namespace": "d", "name": "j"}, "reason": "FailedCreate", "message": "Error creating: " + evil * 60000,
                                 "firstTimestamp": "2026-03-01T12:00:00Z", "lastTimestamp": "9999-12-31T23:59:59Z"}]},
}
made = {w: {k: pages(v) for k, v in f().items()} for w, f in worlds.items() if w in sys.argv[2:]}
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    def handle_error(self, *a): pass
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        world = made[url.path.split("/")[1]]
        resource = re.search(r"/(jobs|pods|events)(/.*)?$", url.path)
        if "watch" in query:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            return
        n = int(query.get("continue", ["0"])[0])
        if resource is None: status, body = 404, '{"kind": "Status", "code": 404}'
        elif resource.group(2): status, body = 200, world[resource.group(1)][0][0]
        else:
            list_ = world.get(resource.group(1), [[]])
            more = str(n + 1) if n + 1 < len(list_) else ""
            status, body = 200, '{"kind": "List", "metadata": {"resourceVersion": "1", "continue": "%s"}, "items": [%s]}' % (more, ",".join(list_[n]))
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = Server(("127.0.0.1", 0), Handler)
for world in made:
    with open(f"{sys.argv[1]}/{world}.conf.new", "w") as f:
        f.write(f'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u, namespace: d}}}}]\nusers: [{{name: u, user: {{}}}}]\nclusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{server.server_address[1]}/{world}"}}}}]\n')
with open(f"{sys.argv[1]}/ready", "w") as f:
    f.write("yes")
server.serve_forever()
P
proc_start_writing "$work/ready" status-api python3 "$work/server.py" "$work" many indexes evil
SPAWNED+=" status-api"
for f in "$work"/*.new; do mv "$f" "${f%.new}"; done

# measured WORLD ARGUMENT...: sets STATUS, and KB, the most memory that it had; what it prints is in WORK/WORLD.out
measured() {
    read -r STATUS KB SECONDS_USED < <(python3 - "$JR_BIN/jobreeve" "$work/$1" "${@:2}" << 'P'
import resource, subprocess, sys, time
began = time.time()
with open(sys.argv[2] + ".out", "wb") as out:
    code = subprocess.call([sys.argv[1], "status", "--kubeconfig", sys.argv[2] + ".conf", *sys.argv[3:]], stdout=out, stderr=subprocess.STDOUT, timeout=300)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, usage.ru_maxrss, f"{usage.ru_utime + usage.ru_stime:.2f}")
P
    )
    echo "      $1: $SECONDS_USED s of processor time, $((KB / 1024)) MiB"
}
# What could steer a terminal, or show as something else: control characters but line feeds, the mark of direction.
clean() { ! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80\xae' "$1"; }

measured many
check "1,000 Jobs with 20,000 Pods: exit code" "$STATUS" 0
check "they are all shown, and counted" "$(grep -c '^job-' "$work/many.out") $(grep -o '^1000 Jobs: 1000 go on' "$work/many.out")" "1000 1000 Jobs: 1000 go on"
if [ "$KB" -lt 153600 ]; then passed "they take less than 150 MiB"; else failed "memory" "$KB KiB" "less than 153,600"; fi
measured indexes job/wide
check "a Job of 10,000 indexes: exit code" "$STATUS" 0
if [ "$(wc -l < "$work/indexes.out")" -lt 70 ]; then passed "its indexes are folded"; else failed "lines" "$(wc -l < "$work/indexes.out")" "less than 70"; fi
check_has "the index that failed stands out" "$(cat "$work/indexes.out")" 7777
if [ "$KB" -lt 153600 ]; then passed "it takes less than 150 MiB"; else failed "memory" "$KB KiB" "less than 153,600"; fi
for what in '' job/j '-o html job/j'; do
    # shellcheck disable=SC2086 # several arguments
    measured evil $what
    check "evil texts, $what: exit code" "$STATUS" 0
    check_more "evil texts, $what: something is shown" "$(wc -c < "$work/evil.out")" 100
    if clean "$work/evil.out"; then passed "evil texts, $what: nothing gets through"; else failed "evil texts, $what" "$(LC_ALL=C grep -aoP '.{20}[\x00-\x09\x0b-\x1f\x7f]' "$work/evil.out" | head -n 1 | cat -v)" "none"; fi
    if [ "$(wc -c < "$work/evil.out")" -lt 100000 ]; then passed "evil texts, $what: they are cut"; else failed "evil texts, $what" "$(wc -c < "$work/evil.out") bytes" "less than 100,000"; fi
done
printf 'a\033b' > "$work/dirty"
if clean "$work/dirty"; then failed "what gets through would be noticed" "" ""; else passed "what gets through would be noticed"; fi
