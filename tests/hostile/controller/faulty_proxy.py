# SPDX-License-Identifier: Apache-2.0
# A TLS proxy before a real API server, with a certificate of its own and faults on purpose.
#   faulty_proxy.py PORT CERTIFICATE KEY SERVER CA RULES
# Listens on PORT of 127.0.0.1 (0: a free one) and says "listening on PORT", then a line "STATUS METHOD PATH" for each answer, with a "!"
# behind the status where it is a fault of ours, and "no handshake: WHY" for who breaks one off. RULES is a file that may change at any time (by a rename), a rule a line, the first that
# fits decides:
#   HOW METHOD REGEX STATUS   HOW: "always", or "odd": the first, third, ... request that fits this rule
#   date METHOD REGEX SECONDS   passes, but the answer's Date is later by so much
# A fault is answered by a Status, with Retry-After: 1 for 429 and 503. Everything else passes, streams too. HTTP/1.1 on both sides.
import email.utils
import http.client
import http.server
import json
import re
import ssl
import sys
import threading
import time
import urllib.parse

port, certificate, key, server, ca, rules = sys.argv[1:]
at = urllib.parse.urlsplit(server)
trust = ssl.create_default_context(cafile=ca)
lock = threading.Lock()
fits = {}  # how many requests have fitted a rule
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive", "upgrade"}


def rule_for(method, path):
    """(HOW, NUMBER) of the rule that the request meets; HOW is None where it passes as it is."""
    with lock, open(rules, encoding="ascii") as lines:
        for line in lines.read().splitlines():
            how, wanted, regex, number = line.split(" ")
            if wanted == method and re.search(regex, path):
                fits[line] = fits.get(line, 0) + 1
                return (how if how != "odd" or fits[line] % 2 == 1 else None), int(number)
    return None, 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = None

    def log_message(self, *_):
        pass

    def told(self, status, mark=""):
        with lock:
            print(f"{status}{mark} {self.command} {self.path}", flush=True)

    def refuse(self, status):
        text = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, "message": "a fault on purpose"})
        self.told(status, "!")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if status in (429, 503):
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(text.encode())

    def forward(self, body):
        if self.upstream is None:
            self.upstream = http.client.HTTPSConnection(at.hostname, at.port, context=trust)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        try:
            self.upstream.request(self.command, self.path, body, headers)
            return self.upstream.getresponse()
        except (OSError, http.client.HTTPException):
            self.close_connection = True  # it may have been carried out
            return None

    def pass_on(self, answer, seconds):
        length = answer.getheader("Content-Length")
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() == "date":
                value = email.utils.formatdate(time.time() + seconds, usegmt=True)
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if length is not None:
            self.wfile.write(answer.read())
            return
        while chunk := answer.read1(65536):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        how, number = rule_for(self.command, self.path)
        if how in ("always", "odd"):
            self.refuse(number)
            return
        answer = self.forward(body)
        if answer is not None:
            self.told(answer.status)
            self.pass_on(answer, number if how == "date" else 0)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def handle(self):
        try:
            super().handle()
        except (OSError, http.client.HTTPException):
            pass  # one of the two sides has gone
        finally:
            if self.upstream is not None:
                self.upstream.close()


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", int(port)), Handler)
        self.own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.own.load_cert_chain(certificate, key)

    def finish_request(self, request, client_address):
        try:  # in a thread of its own: who is slow with a handshake holds up nobody
            tls = self.own.wrap_socket(request, server_side=True)
        except OSError as e:
            with lock:
                print(f"no handshake: {getattr(e, 'reason', e)}", flush=True)
            return
        with tls:
            super().finish_request(tls, client_address)


serving = Server()
print(f"listening on {serving.server_port}", flush=True)
serving.serve_forever()
