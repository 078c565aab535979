# SPDX-License-Identifier: Apache-2.0
# What an API server may answer to the keeper.
#   keeper_api.py PORT
# Listens on PORT of 127.0.0.1 (0: a free one) and says "listening on PORT". HTTP/1.1 without TLS. Two webhook configurations want their
# failurePolicy raised, which a replica has to answer for. What the tests ask for:
#   PUT  /endpoints   the body is a number: the Service has so many endpoints, at addresses with which no handshake can begin
#   PUT  /secret      there is no Secret; the body says what becomes of one that is written: "kept", "forgotten" (and answered as if it were kept),
#                     "emptied" (kept without its data), or "refused" (409)
#   GET  /seen?REGEX  how many requests have come whose "METHOD PATH" fits
import http.server
import json
import re
import sys
import urllib.parse

endpoints, secret_fate, secret, version = 0, "kept", None, 1
seen, configurations = [], {}


def configuration(kind):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
            "metadata": {"name": "keeper", "resourceVersion": "1", "annotations": {"jobreeve.dev/failure-policy": "Fail"}},
            "webhooks": [{"name": "a.example.com", "failurePolicy": "Ignore", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                          "clientConfig": {"service": {"namespace": "default", "name": "jobreeve-webhook"}}}]}


def slices():
    one = {"addresses": ["x"]}  # ready, and short: what the keeper reads is bounded
    return {"kind": "List", "items": [{"ports": [{"name": "webhook", "port": 9443}], "endpoints": [one] * min(1000, endpoints - at)}
                                      for at in range(0, endpoints, 1000)]}


def apply(configuration, patch):
    """A JSON Patch as the keeper writes it: tests, and values set."""
    for op in patch:
        *path, last = [int(p) if p.isdigit() else p.replace("~1", "/").replace("~0", "~") for p in op["path"].split("/")[1:]]
        at = configuration
        for part in path:
            at = at[part]
        if op["op"] in ("add", "replace"):
            at[last] = op["value"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one piece
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def say(self, status, value):
        text = json.dumps(value, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status):
        self.say(status, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": status})

    def note(self):
        """Reads the request. Returns its path, and its body."""
        seen.append(f"{self.command} {self.path}")
        return urllib.parse.urlsplit(self.path), self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def configuration(self, path):
        name = path.split("/")[-2]
        kind = {"mutatingwebhookconfigurations": "MutatingWebhookConfiguration", "validatingwebhookconfigurations": "ValidatingWebhookConfiguration"}[name]
        return configurations.setdefault(name, configuration(kind))

    def do_GET(self):
        url, _ = self.note()
        if url.path == "/seen":
            self.say(200, sum(re.search(urllib.parse.unquote(url.query), s) is not None for s in seen))
        elif url.path.endswith("/endpointslices"):
            self.say(200, slices())
        elif "webhookconfigurations/" in url.path:
            self.say(200, self.configuration(url.path))
        elif url.path == "/api/v1/namespaces/default":
            self.say(200, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "uid": "1"}})
        elif "/secrets/" in url.path and secret is not None:
            self.say(200, secret)
        else:
            self.refuse(404)

    def do_PATCH(self):
        url, body = self.note()
        apply(self.configuration(url.path), json.loads(body))
        self.say(200, self.configuration(url.path))

    def write_secret(self, status, body):
        global secret, version
        if secret_fate == "refused":
            self.refuse(409)
            return
        version += 1
        written = json.loads(body)
        written["metadata"]["resourceVersion"] = str(version)
        if secret_fate == "kept":
            secret = written
        elif secret_fate == "emptied":
            secret = {**written, "data": {}}
        self.say(status, written)

    def do_POST(self):
        self.write_secret(201, self.note()[1])

    def do_PUT(self):
        global endpoints, secret_fate, secret
        url, body = self.note()
        if url.path == "/endpoints":
            endpoints = int(body)
        elif url.path == "/secret":
            secret_fate, secret = body.decode(), None
        else:
            self.write_secret(200, body)
            return
        self.say(200, {})

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
