#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects as an API server writes them by protobuf, beside how it writes them by JSON.

  protobuf.py create SERVER PKI NAMESPACE N SEED   makes N objects of each kind besides Jobs and CronJobs that clients send as protobuf
  protobuf.py list SERVER PKI DIR                  all objects of these kinds: DIR/protobuf (lines "KIND BASE64"), DIR/json (lines of JSON)
"""
import base64
import json
import random
import sys

from stored import Server

# Not Pods, Nodes and webhook configurations: the tables don't look into all of their fields, which protobuf.c says.
KINDS = {
    "Job": "/apis/batch/v1/jobs", "CronJob": "/apis/batch/v1/cronjobs", "ConfigMap": "/api/v1/configmaps", "Secret": "/api/v1/secrets",
    "Namespace": "/api/v1/namespaces", "ResourceQuota": "/api/v1/resourcequotas", "ServiceAccount": "/api/v1/serviceaccounts",
    "Event": "/api/v1/events", "Lease": "/apis/coordination.k8s.io/v1/leases",
}
TEXTS = ["", "a", "Zürich \u2028 \u0000", "line\nline\n", "{}", "x" * 200]
QUANTITIES = ["0", "1", "1.5Gi", "100m", "12e6", "3k", "9223372036854775807", "0.001", "2Ti"]
TIMES = ["2026-03-01T12:00:00Z", "1969-12-31T23:59:59Z", "2026-03-01T12:00:00+02:00", "9999-12-31T23:59:59Z"]
MICRO = ["2026-03-01T12:00:00.000001Z", "1969-12-31T23:59:59.500000Z", "2026-03-01T12:00:00.000000Z"]


# ---- making

def some(rnd, **values):
    """A member is there half of the time."""
    return {key: value for key, value in values.items() if rnd.random() < 0.5}


def texts(rnd):
    return {f"k{i}": rnd.choice(TEXTS) for i in range(rnd.randrange(4))}


def in_bytes(rnd):
    return {f"b{i}": base64.b64encode(rnd.randbytes(rnd.randrange(40))).decode() for i in range(rnd.randrange(4))}


def draw(rnd, kind):
    quantities = {key: rnd.choice(QUANTITIES) for key in rnd.sample(["cpu", "limits.memory", "requests.storage", "requests.ephemeral-storage"], 2)}
    if kind == "ConfigMap":
        return some(rnd, data=texts(rnd), binaryData=in_bytes(rnd), immutable=rnd.random() < 0.5)
    if kind == "Secret":
        return some(rnd, data=in_bytes(rnd), stringData=texts(rnd), type="example.com/t", immutable=rnd.random() < 0.5)
    if kind == "ResourceQuota":
        selector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["low", "high"]}]}
        if rnd.random() < 0.5: # with a scope only these may be limited
            return {"spec": {"hard": {"pods": rnd.choice(["0", "3k"])}, **some(rnd, scopes=["NotTerminating"], scopeSelector=selector)}}
        return {"spec": some(rnd, hard=quantities)}
    if kind == "ServiceAccount":
        return some(rnd, secrets=[{"name": "s"}, {}], imagePullSecrets=[{"name": "p"}], automountServiceAccountToken=rnd.random() < 0.5)
    if kind == "Lease":
        return {"spec": some(rnd, holderIdentity=rnd.choice(TEXTS), leaseDurationSeconds=rnd.choice([1, 2**31 - 1]),
                             acquireTime=rnd.choice(MICRO), renewTime=rnd.choice(MICRO), leaseTransitions=rnd.choice([0, 7]))}
    return some(rnd, message=rnd.choice(TEXTS), firstTimestamp=rnd.choice(TIMES), lastTimestamp=rnd.choice(TIMES), count=rnd.choice([0, 3]),
                type=rnd.choice(["Normal", "Warning"]), source=some(rnd, component="c", host="h"))


def create(url, pki, namespace, n, seed):
    server, rnd = Server(url, pki), random.Random(seed)
    for kind, path in KINDS.items():
        if kind in ("Job", "CronJob", "Namespace"):
            continue
        group, _, resource = path.rpartition("/")
        for i in range(n):
            meta = {"name": f"{kind.lower()}-{i}", **some(rnd, labels={"a": "b"}, annotations=texts(rnd))}
            o = {"apiVersion": group.removeprefix("/apis/").removeprefix("/api/"), "kind": kind, "metadata": meta, **draw(rnd, kind)}
            if kind == "Event":
                o["involvedObject"] = {"kind": "Job", "namespace": namespace, "name": "j"}
            code, answer = server.ask("POST", f"{group}/namespaces/{namespace}/{resource}", json.dumps(o))
            if code != 201:
                sys.exit(f"{kind} {i}: {code}: {answer.decode()[:1000]}")


# ---- asking

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(message):
    """The fields of a message that has nothing but bytes."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        n, at = varint(message, at)
        if tag & 7 != 2:
            sys.exit(f"field {tag >> 3} isn't bytes")
        yield tag >> 3, message[at:at + n]
        at += n


def field(number, data):
    n, out = len(data), bytearray([number << 3 | 2])
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n]) + data


def show(url, pki, folder):
    server = Server(url, pki)
    with open(f"{folder}/protobuf", "w") as as_protobuf, open(f"{folder}/json", "w") as as_json:
        for kind, path in KINDS.items():
            _, text = server.ask("GET", path)
            page = json.loads(text)
            # The same revision, so that both are the same objects.
            path += f"?resourceVersion={page['metadata']['resourceVersion']}&resourceVersionMatch=Exact&limit=100000"
            _, text = server.ask("GET", path)
            _, binary = server.ask("GET", path, accept="application/vnd.kubernetes.protobuf")
            version = page["apiVersion"]
            for o in json.loads(text)["items"]:
                print(json.dumps({"apiVersion": version, "kind": kind, **o}), file=as_json)
            raw = dict(fields(binary.removeprefix(b"k8s\0")))[2]
            meta = field(1, field(1, version.encode()) + field(2, kind.encode()))
            for item in [data for number, data in fields(raw) if number == 2]:
                print(kind, base64.b64encode(b"k8s\0" + meta + field(2, item)).decode(), file=as_protobuf)


if __name__ == "__main__":
    if sys.argv[1:2] == ["create"]:
        create(*sys.argv[2:5], int(sys.argv[5]), int(sys.argv[6]))
    elif sys.argv[1:2] == ["list"]:
        show(*sys.argv[2:])
    else:
        sys.exit(__doc__)
