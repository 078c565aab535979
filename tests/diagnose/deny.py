#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An admission webhook that refuses all it is asked: deny.py CERT KEY PORTFILE. Its path is the message, its words joined by dashes."""
import http.server
import json
import ssl
import sys


class Deny(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = self.path.split("?")[0].strip("/").replace("-", " ").replace("_", "-").replace("+", "/")
        response = {"uid": review["request"]["uid"], "allowed": False, "status": {"message": message, "code": 403}}
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Deny)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[3], "w", encoding="ascii") as f:
    f.write(str(server.server_address[1]))
server.serve_forever()
