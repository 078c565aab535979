# SPDX-License-Identifier: Apache-2.0
# Sends a Pod as protobuf, encoded by hand: what no JSON client can write.
#   pod_protobuf.py SERVER CA CERT KEY NAMESPACE NAME
# metadata.managedFields has an entry whose fieldsV1 holds a key with a byte that is no UTF-8. Prints the answer's code.
import http.client
import ssl
import sys
import urllib.parse


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


server, ca, cert, key, namespace, name = sys.argv[1:]
fields = b'{"f:metadata":{"f:annotations":{"f:a\xffb":{}}}}'
managed = field(1, "poison") + field(2, "Update") + field(3, "v1") + field(6, "FieldsV1") + field(7, field(1, fields))
metadata = field(1, name) + field(3, namespace) + field(17, managed)
container = field(1, "main") + field(2, "busybox:1.36")
spec = field(2, container) + field(3, "Never")
pod = field(1, metadata) + field(2, spec)
unknown = field(1, field(1, "v1") + field(2, "Pod")) + field(2, pod)

context = ssl.create_default_context(cafile=ca)
context.load_cert_chain(cert, key)
at = urllib.parse.urlsplit(server)
connection = http.client.HTTPSConnection(at.hostname, at.port, context=context, timeout=30)
connection.request("POST", f"/api/v1/namespaces/{namespace}/pods", b"k8s\0" + unknown,
                   {"Content-Type": "application/vnd.kubernetes.protobuf", "Accept": "application/json"})
answer = connection.getresponse()
body = answer.read()
print(answer.status)
if answer.status != 201:
    sys.exit(body.decode(errors="replace"))
