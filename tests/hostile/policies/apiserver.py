# SPDX-License-Identifier: Apache-2.0
# What an API server may serve, byte for byte, to the webhook and the controller: no object is looked at, so that any may be there. Only
# "resourceVersion":"@" becomes the version of the change.
#   apiserver.py PORT
# Listens on PORT of 127.0.0.1 (0: a free one) and says "listening on PORT". HTTP/1.1 without TLS. Lists are paged, watches stream, each object is
# found by its name; the status of a JobPolicy may be patched. What the tests ask for:
#   PUT    /raw/RESOURCE/KEY   the body is the object of that key, as it is; watchers are told
#   DELETE /raw/RESOURCE/KEY   it is gone
#   PUT    /line/RESOURCE      the body is a line of each of its watches, as it is
#   PUT    /slow               lines "SECONDS REGEX": a GET whose path fits is answered so much later
#   PUT    /empty              lines "REGEX": a list whose path fits has no object, and a token for another page
#   POST   /drop               breaks off all watches
#   GET    /seen?REGEX         how many requests have come whose "METHOD PATH" fits
# RESOURCE: jobpolicies, namespaces, jobs, cronjobs, pods, or hidden: Namespaces that are found by name, and that no list and no watch has.
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse

changed = threading.Condition()
objects = {name: {} for name in ("jobpolicies", "namespaces", "jobs", "cronjobs", "pods", "hidden")}
events = {name: [] for name in objects}
version, drops = 1, 0
slow, seen, empty = [], [], []


def name_of(text):
    try:
        return json.loads(text)["metadata"]["name"]
    except (ValueError, KeyError, TypeError):
        return None


def tell(resource, kind, text):
    global version
    version += 1
    text = text.replace(b'"resourceVersion":"@"', b'"resourceVersion":"%d"' % version)
    events[resource].append(b'{"type":"%s","object":%s}\n' % (kind, text) if kind else text + b"\n")
    changed.notify_all()
    return text


def put(resource, key, text):
    with changed:
        objects[resource][key] = tell(resource, b"MODIFIED" if key in objects[resource] else b"ADDED", text)


def remove(resource, key):
    with changed:
        text = objects[resource].pop(key, None)
        if text is not None:
            tell(resource, b"DELETED", re.sub(rb'"resourceVersion":"\d+"', b'"resourceVersion":"@"', text, count=1))


def find(resource, name):
    with changed:
        return next(((k, t) for k, t in objects[resource].items() if name_of(t) == name), (None, None))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status):
        self.say(status, b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":%d}' % status)

    def list(self, resource, query):
        begin, most = int(query.get("continue", "0")), int(query.get("limit", "0"))
        with changed:
            all_of, at = list(objects[resource].values()), version
        if any(re.search(regex, self.path) for regex in empty):
            self.say(200, b'{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"%d","continue":"0%d"},"items":[]}' % (at, len(seen)))
            return
        page = all_of[begin:begin + most] if most else all_of[begin:]
        left = begin + len(page) < len(all_of)
        self.say(200, b'{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"%d","continue":"%s"},"items":[%s]}'
                 % (at, b"%d" % (begin + len(page)) if left else b"", b",".join(page)))

    def chunk(self, text):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))

    def watch(self, resource, query):
        """From the first event on: those that a list has shown already change nothing."""
        if "sendInitialEvents" in query:
            self.refuse(400)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with changed:
            mine, at = drops, max(0, len(events[resource]) - max(0, version - int(query.get("resourceVersion") or 0)))
        while True:
            with changed:
                changed.wait_for(lambda: len(events[resource]) > at or drops != mine)
                if drops != mine:
                    break
                lines = events[resource][at:]
                at += len(lines)
            self.chunk(b"".join(lines))
        self.chunk(b"")
        self.close_connection = True

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/seen":
            regex = urllib.parse.unquote(url.query)
            self.say(200, b"%d" % sum(re.search(regex, s) is not None for s in list(seen)))
            return
        seen.append(f"GET {self.path}")
        for seconds, regex in slow:
            if re.search(regex, self.path):
                time.sleep(seconds)
                break
        query = dict(urllib.parse.parse_qsl(url.query))
        found = re.fullmatch(r"/api(?:s/[^/]+)?/v1(?:alpha1)?/(jobpolicies|namespaces|jobs|cronjobs|pods)(?:/([^/]+))?", url.path)
        if found is None:
            self.refuse(404)
        elif found[2] is not None:
            text = find(found[1], found[2])[1] or (find("hidden", found[2])[1] if found[1] == "namespaces" else None)
            self.say(200, text) if text is not None else self.refuse(404)
        elif query.get("watch") in ("1", "true"):
            self.watch(found[1], query)
        else:
            self.list(found[1], query)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_PUT(self):
        global slow, empty
        body, part = self.body(), self.path.split("/")
        if part[1] == "raw":
            put(part[2], part[3], body.rstrip(b"\n"))
        elif part[1] == "line":
            with changed:
                tell(part[2], b"", body)
        elif part[1] == "slow":
            slow = [(float(s), r) for s, r in (line.split(" ", 1) for line in body.decode().splitlines())]
        elif part[1] == "empty":
            empty = body.decode().splitlines()
        else:
            self.refuse(404)
            return
        self.say(200, b"{}")

    def do_DELETE(self):
        part = self.path.split("/")
        remove(part[2], part[3])
        self.say(200, b"{}")

    def do_POST(self):
        global drops
        self.body()
        if self.path == "/drop":
            with changed:
                drops += 1
                changed.notify_all()
        self.say(200, b"{}") if self.path == "/drop" else self.refuse(404)

    def do_PATCH(self):
        patch = json.loads(self.body())
        with changed:
            key, text = find("jobpolicies", self.path.split("/")[-2])
            if key is not None:
                policy = json.loads(text)
                policy["status"] = {**policy.get("status", {}), **patch["status"]}
                policy["metadata"]["resourceVersion"] = "@"
                text = json.dumps(policy, separators=(",", ":")).encode()
                put("jobpolicies", key, text)
        self.say(200, text) if key is not None else self.refuse(404)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the client has gone


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256


serving = Server(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"listening on {serving.server_port}", flush=True)
serving.serve_forever()
