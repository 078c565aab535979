#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finding: jobreeve wait shows what Pods write, and what an API server says of them. None may steer the terminal or a run of GitHub Actions, make the command
# large, or hold it beyond its --timeout.
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/wait
mkdir -p "$work"
LIMIT_KB=65536

cat > "$work/server.py" << 'P'
# An API server of one Job and one Pod, whose texts and logs are what the first segment of the path says.
import http.server, json, socketserver, sys, time
port = int(sys.argv[1])
evil = "\x1b[2J\u202e\r\n::error::x\n##[error]y"
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    def handle_error(self, *a): pass
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def endless(self, part, pause=0):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(part)
                self.wfile.flush()
                time.sleep(pause)
        except OSError: pass
        self.close_connection = True
    def do_GET(self):
        how, rest = self.path.split("/", 2)[1:]
        over = how in ("failed", "tail")
        job = {"metadata": {"namespace": "d", "name": "j", "uid": "1", "resourceVersion": "1"}, "spec": {"completions": 1},
               "status": {"active": 1, "conditions": [{"type": "Failed", "status": "True", "reason": evil, "message": evil * 1000}] if over else []}}
        state = {"terminated": {"exitCode": 1, "reason": evil, "message": evil}} if over else {"running": {}}
        if how == "stuck": state = {"waiting": {"reason": "ErrImagePull", "message": evil * 1000}}
        pod = {"metadata": {"namespace": "d", "name": "p" + evil, "uid": "2", "resourceVersion": "1",
                            "ownerReferences": [{"kind": "Job", "name": "j", "uid": "1", "controller": True}]},
               "status": {"phase": "Running", "containerStatuses": [{"name": "c" + evil, "restartCount": 0, "state": state}] * (1 if how != "many" else 20000)}}
        stamp = b"2026-03-01T12:00:00.000000001Z "
        if "/log?" in rest:
            if how == "lines": self.endless((stamp + evil.encode() + b"\n") * 100)
            elif how == "line": self.endless(b"x" * 65536)
            elif how == "stamped": self.endless(stamp + b"y" * 65536)
            elif how == "words": self.endless(b"no time \x1b[2J\n" * 1000)
            elif how == "bytes": self.reply(200, stamp + bytes(range(256)) * 100 + b"\n")
            elif how == "again": self.reply(200, b"") if "sinceTime" in rest else self.reply(200, stamp + b"once\n")
            elif how == "tail": self.endless(b"z\n" * 32768)
            else: self.reply(200, evil.encode() * 500)
        elif "watch=" in rest:
            self.endless(b"") if how != "events" else self.endless(json.dumps({"type": evil, "object": {"a": evil}}).encode() + b"\n")
        elif "/jobs" in rest: self.reply(200, json.dumps({"metadata": {"resourceVersion": "1"}, "items": [job]}).encode())
        elif "/pods" in rest: self.reply(200, json.dumps({"metadata": {"resourceVersion": "1"}, "items": [pod]}).encode())
        else: self.reply(404, b"{}")
Server(("127.0.0.1", port), Handler).serve_forever()
P
PORT=$((21742 + ${JR_LANE:-0} * 40))
proc_start wait-server python3 "$work/server.py" "$PORT"
for _ in $(seq 300); do
    ! curl -s -o "$work/probe" "http://127.0.0.1:$PORT/x/probe" || break
    sleep 0.1
done
hidden() { LC_ALL=C grep -cP '\x1b|\x00|\r|\xe2\x80[\xa8-\xae]|^::error::x|^##\[' "$@" || true; }
printf '\033[2J\n::error::x\n' > "$work/control" # positive control
check "the search finds hidden characters" "$(hidden "$work/control")" 2

# ended NAME CODE FLAG...: the command ends so, in time, small, and shows nothing that steers
ended() {
    local code=0
    printf 'current-context: c\nclusters: [{name: k, cluster: {server: "http://127.0.0.1:%s/%s"}}]\nusers: [{name: u, user: {token: t}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n' \
        "$PORT" "$1" > "$work/$1.conf"
    # shellcheck disable=SC2016
    timeout -k 5 90 bash -c 'ulimit -v 4000000; exec /usr/bin/time -f %M -o "$1.kb" "$2" wait --kubeconfig "$1.conf" -n d --timeout 3s "${@:3}" job/j' - \
        "$work/$1" "$JR_BIN/jobreeve" "${@:3}" > "$work/$1.out" 2> "$work/$1.err" < /dev/null || code=$?
    check "$1: exit code" "$code" "$2"
    check "$1: what steers" "$(cat "$work/$1.out" "$work/$1.err" | hidden)" 0
    check_more "$1: small" "$LIMIT_KB" "$(tail -n 1 "$work/$1.kb")"
}
export GITHUB_STEP_SUMMARY=$work/summary
: > "$work/summary"
ended failed 1
ended tail 1 -o github
check "tail: no command of the Pod's in the summary" "$(hidden "$work/summary")" 0
check_more "tail: the summary" "$(wc -c < "$work/summary")" 100
ended stuck 3 --stuck-after 1s
for how in lines line stamped words bytes again many events; do ended "$how" 124 --follow; done
check_more "lines: were printed" "$(wc -l < "$work/lines.out")" 100
check "again: once" "$(grep -c ' once$' "$work/again.out")" 1
