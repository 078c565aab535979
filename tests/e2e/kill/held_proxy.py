#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A TLS proxy in front of an API server that holds a client's k-th write, so that the client can be killed at exactly that one.

held_proxy.py SERVER CA CERT KEY    SERVER: https://127.0.0.1:6443; CERT and KEY: what the proxy serves by itself

Prints "listening on PORT NEXT". The client to be killed uses PORT; the one after it uses NEXT, where nothing is held: what the killed one has
sent and nobody has read yet is told apart by that, and never carried out. Both speak HTTP/1.1 only, one request after the other on each connection;
who asks is told by the token, which is passed on. Writes are counted by their namespace; those of Events and Leases are not. Besides what is
passed on, at both:

PUT /hold/NAMESPACE  {"k": 7, "how": "before"}
    from now on the 7th write and all later ones of that namespace, at PORT, get no answer. how is what becomes of the 7th: "before": it is never
    carried out; "after": it is carried out at once; "late": it is carried out when somebody says so, and is never the creation of a Pod
GET /hold/NAMESPACE  {"writes", "next", "held", "what": "PUT /apis/...", "code"}: so many at PORT and at NEXT; whether the k-th has come, those before it
    have been answered by the API server, and, where it is to be carried out at once, it has been; the API server's answer to it
DELETE /hold/NAMESPACE  what was held is dropped, but for a late one
POST /hold/NAMESPACE/late  carries the late one out, and answers when that is done
"""
import http.client
import json
import re
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

NAMESPACE = re.compile(r"/namespaces/([^/]+)/(?!leases|events)")
PATIENCE_S = 600
HOP = ("connection", "keep-alive", "transfer-encoding", "content-length")


class Hold:
    """Of a namespace."""

    def __init__(self, k, how):
        self.k, self.how = k, how
        self.writes = 0
        self.next = 0
        self.passing = threading.Condition()
        self.earlier = 0  # before the k-th, and not answered yet
        self.what = None  # the k-th
        self.code = None
        self.held = False
        self.gone = threading.Event()  # let go
        self.go = threading.Event()  # the late one may
        self.done = threading.Event()  # and has been

    def enter(self, creates_pod):
        """Counts a write: its number. A late creation of a Pod is one Pod too many, by rights: what is late is the first other write from the k-th on."""
        with self.passing:
            self.writes += 1
            if self.how == "late" and creates_pod and self.writes == self.k:
                self.k += 1
            if self.writes < self.k:
                self.earlier += 1
            return self.writes

    def count_next(self):
        with self.passing:
            self.next += 1

    def leave(self):
        """One before the k-th was answered."""
        with self.passing:
            self.earlier -= 1
            self.passing.notify_all()

    def await_earlier(self):
        """What the API server still has would be carried out when the client is dead: a Pod's creation as one Pod too many."""
        with self.passing:
            return self.passing.wait_for(lambda: self.earlier == 0, PATIENCE_S)


class Proxy(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, holds, holding, server, ca, cert, key):
        super().__init__(("127.0.0.1", 0), Handler)
        self.holds = holds  # by namespace; of both
        self.holding = holding
        self.upstream = urlsplit(server)
        self.upstream_tls = ssl.create_default_context(cafile=ca)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(cert, key)

    def connect(self):
        return http.client.HTTPSConnection(self.upstream.hostname, self.upstream.port, context=self.upstream_tls, timeout=PATIENCE_S)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that was killed, or has had enough
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def setup(self):
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.upstream = self.server.connect()
        super().setup()

    def finish(self):
        super().finish()
        self.upstream.close()

    def log_message(self, *args):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith("/hold/"):
            self.control(body)
        else:
            self.pass_on(body)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

    # ---- what is passed on

    def forward(self, body):
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP and k.lower() != "host"}
        try:
            self.upstream.request(self.command, self.path, body or None, headers)
            return self.upstream.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            if self.command != "GET":
                raise
            self.upstream.close()  # one that had stood too long
            self.upstream.request(self.command, self.path, body or None, headers)
            return self.upstream.getresponse()

    def answer(self, r):
        self.send_response_only(r.status, r.reason)
        for k, v in r.getheaders():
            if k.lower() not in HOP:
                self.send_header(k, v)
        if r.length is not None:
            self.send_header("Content-Length", str(r.length))
            self.end_headers()
            self.wfile.write(r.read())
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            part = r.read1(65536)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            if not part:
                return

    # ---- what is held

    def pass_on(self, body):
        hold, n = self.counted()
        if hold and n >= hold.k:
            self.hold_back(hold, n, body)
            self.close_connection = True
            return
        try:
            r = self.forward(body)
        finally:
            if hold:
                hold.leave()
        self.answer(r)

    def counted(self):
        """The hold that a write may meet, and which of the namespace's writes it is."""
        found = NAMESPACE.search(self.path)
        hold = self.server.holds.get(found[1]) if found and self.command != "GET" else None
        if hold and not self.server.holding:
            hold.count_next()
            return None, 0
        return hold, hold.enter(self.command == "POST" and self.path.split("?")[0].endswith("/pods")) if hold else 0

    def hold_back(self, hold, n, body):
        if n == hold.k:
            self.hold_it(hold, body)
        hold.gone.wait(PATIENCE_S)
        if n == hold.k and hold.how == "late":
            hold.go.wait(PATIENCE_S)
            hold.code = self.carry_out(body)
            hold.done.set()

    def hold_it(self, hold, body):
        if hold.how == "after":
            hold.code = self.carry_out(body)
        hold.what = "%s %s" % (self.command, self.path)
        hold.held = hold.await_earlier()

    def carry_out(self, body):
        r = self.forward(body)
        r.read()
        return r.status

    # ---- how it is told

    def control(self, body):
        name = self.path.split("/")[2]
        if self.command == "PUT":
            self.server.holds[name] = Hold(**json.loads(body))
        hold = self.server.holds.get(name)
        if self.command == "DELETE" and hold:
            hold.gone.set()
        if self.command == "POST":
            hold.go.set()
            hold.done.wait(PATIENCE_S)
        text = json.dumps({"writes": hold.writes, "next": hold.next, "held": hold.held, "what": hold.what, "code": hold.code} if hold else {}).encode()
        self.send_response_only(200 if hold else 404)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    holds = {}
    first, following = (Proxy(holds, holding, *sys.argv[1:]) for holding in (True, False))
    threading.Thread(target=following.serve_forever, daemon=True).start()
    print("listening on %d %d" % (first.server_address[1], following.server_address[1]), flush=True)
    first.serve_forever()


if __name__ == "__main__":
    main()
