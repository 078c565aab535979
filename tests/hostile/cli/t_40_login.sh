#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finding: a command for people goes wherever a kubeconfig sends it: to an API server that answers as it likes, with a plugin that prints what it likes.
# None may hang it beyond its --timeout, make it large, steer the terminal, send the credential elsewhere, or outlive it.
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/login
mkdir -p "$work"
LIMIT_KB=65536 # of resident memory, with what a list may bring

cat > "$work/server.py" << 'P'
# An API server that answers all requests in one way, by the first segment of the path.
import http.server, json, socketserver, sys, time
seen = open(sys.argv[1], "a", buffering=1)
port = int(sys.argv[2])
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    def handle_error(self, *a): pass
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def reply(self, status, body, headers=()):
        self.send_response(status)
        for k, v in headers: self.send_header(k, v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        how = self.path.split("/")[1]
        seen.write(how + " " + str(self.headers.get("Authorization")) + "\n")
        evil = "\x1b[2J\u202e\u0000\n::error::x"
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": evil + "m" * 100000}
        if how == "forbidden": self.reply(403, json.dumps(status).encode())
        elif how == "unauthorized": self.reply(401, json.dumps(status).encode())
        elif how == "redirect": self.reply(307, b"", [("Location", "http://127.0.0.1:%d/elsewhere/x" % port)])
        elif how == "html": self.reply(200, b"<html>" + evil.encode() + b"</html>", [("Content-Type", "text/html")])
        elif how == "empty": self.reply(200, b"")
        elif how == "deep": self.reply(200, b"[" * 1000000)
        elif how == "huge":
            self.send_response(200); self.send_header("Content-Length", str(1 << 40)); self.end_headers()
            try:
                while True: self.wfile.write(b" " * 65536)
            except OSError: pass
        elif how == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            try:
                while True: self.wfile.write(b"X-A: " + b"a" * 1000 + b"\r\n")
            except OSError: pass
        elif how == "drip":
            self.send_response(200); self.send_header("Content-Length", "1000000"); self.end_headers()
            try:
                while True: self.wfile.write(b" "); self.wfile.flush(); time.sleep(0.2)
            except OSError: pass
        elif how == "later": self.reply(429, b"{}", [("Retry-After", "99999999999")])
        elif how == "pages": self.reply(200, json.dumps({"metadata": {"continue": "x", "resourceVersion": "1"}, "items": []}).encode())
        else: self.reply(500, b"garbage \x1b[2J")
Server(("127.0.0.1", port), Handler).serve_forever()
P
PORT=$((21740 + ${JR_LANE:-0} * 40))
: > "$work/seen"
proc_start login-server python3 "$work/server.py" "$work/seen" "$PORT"
for _ in $(seq 300); do
    ! curl -s -o "$work/probe" "http://127.0.0.1:$PORT/probe" || break
    sleep 0.1
done

config() { # config NAME SERVER USER: a kubeconfig
    printf 'current-context: c\nclusters: [{name: k, cluster: {server: "%s"}}]\nusers: [{name: u, user: {%s}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n' \
        "$2" "$3" > "$work/$1.conf"
}
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: p}\nspec: {limits: {parallelism: {max: 2}}}\n' > "$work/p.yaml"
hidden() { LC_ALL=C grep -cP '\x1b|\x00|\xe2\x80[\xa8-\xae]|^::' "$1" || true; }

# ended NAME: the command ends with 2, in time, small, with words that steer no terminal
ended() {
    local code=0
    # shellcheck disable=SC2016
    timeout -k 5 60 bash -c 'ulimit -v 4000000; exec /usr/bin/time -f %M -o "$1.kb" "$2" audit --policy "$3" --kubeconfig "$1.conf" --timeout 3s' - \
        "$work/$1" "$JR_BIN/jobreeve" "$work/p.yaml" > "$work/$1.out" 2> "$work/$1.err" < /dev/null || code=$?
    check "$1: exit code" "$code" 2
    check "$1: hidden characters" "$(hidden "$work/$1.err")" 0
    check_more "$1: says why" "$(wc -c < "$work/$1.err")" 20
    check_more "$1: small" "$LIMIT_KB" "$(tail -n 1 "$work/$1.kb")"
}
printf '\033[2J\n' > "$work/control" # positive control
check "the search finds a hidden character" "$(hidden "$work/control")" 1

for how in forbidden unauthorized redirect html empty deep huge headers drip later pages wrong; do
    config "$how" "http://127.0.0.1:$PORT/$how" 'token: secret'
    ended "$how"
done
check_more "the server saw the token" "$(grep -c 'forbidden Bearer secret' "$work/seen")" 0
check "no redirect was followed" "$(awk '/^elsewhere/ { n++ } END { print n + 0 }' "$work/seen")" 0

plugin() { # plugin NAME SCRIPT
    printf '#!/bin/bash\necho $$ > "${0%%.sh}.pid"\n%s\n' "$2" > "$work/$1.sh"
    chmod +x "$work/$1.sh"
    config "$1" "http://127.0.0.1:$PORT/pages" "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./$1.sh, interactiveMode: IfAvailable}"
    ended "$1"
    check "$1: has ended" "$(kill -0 "$(cat "$work/$1.pid")" 2> /dev/null && echo runs)" ""
}
plugin flood 'cat /dev/zero'
plugin esc "echo '{\"kind\": \"\\u001b[2J\", \"apiVersion\": \"\\u202e\"}'"
plugin stubborn 'trap "" TERM INT HUP; while :; do sleep 1; done'
plugin closed 'exec >&-; while :; do sleep 1; done'
plugin deep 'head -c 1000000 /dev/zero | tr "\0" "["'
# A child of its own that keeps the output open isn't waited for: it is the plugin's, and ends by itself.
plugin daemon '(trap "" HUP; exec sleep 20) & disown; exit 0'

big() { # big NAME: what comes on standard input is the kubeconfig
    cat > "$work/$1.conf"
    ended "$1"
}
head -c 6000000 /dev/zero | tr '\0' ' ' | big spaces
{ for i in $(seq 0 30); do printf 'a%d: &a%d [%s]\n' "$i" "$i" "$([ "$i" = 0 ] && echo x || printf '*a%d, *a%d' $((i - 1)) $((i - 1)))"; done; } | big bomb
head -c 200000 /dev/zero | tr '\0' '[' | big brackets
printf 'current-context: "\\e[2J\\u202e"\nclusters: []\n' | big names
head -c 100000 /dev/urandom | big random
KUBECONFIG=$(printf '%s:' $(seq 1 100)) timeout -k 5 60 "$JR_BIN/jobreeve" audit --policy "$work/p.yaml" > "$work/many.out" 2> "$work/many.err" || code=$?
check "100 files: exit code" "${code:-0}" 2
check_more "100 files: says why" "$(grep -c 'more than 64 files' "$work/many.err")" 0
