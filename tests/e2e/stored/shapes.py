#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manifests that say nothing in many ways: what an API server answers to each, beside what `jobreeve default` prints.

  shapes.py SERVER PKI NAMESPACE SCHEMA JOBREEVE [FLAG...]

In a Job and a CronJob that have almost everything, each field of each struct (SCHEMA: what schema-dump prints) is set to the zero of its type, to
null, and, of a list, to a list of null; each struct also gets a field that nobody knows. One change a manifest. The API server is asked by dry
runs without field validation: nothing has to be stored to see what Go's decoder, defaults and encoder make of a manifest. What it refuses is
passed over. A line for each difference; the last one has the counts.
"""
import http.client
import json
import subprocess
import sys

from stored import Server, path_of

UID = "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"
UNKNOWN = "xUnknown"

PROBE = {"httpGet": {"path": "/x", "port": 80, "host": "h", "scheme": "HTTPS", "httpHeaders": [{"name": "A", "value": "b"}]},
         "initialDelaySeconds": 1, "terminationGracePeriodSeconds": 5}
TERM = {"labelSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]},
        "namespaces": ["n"], "namespaceSelector": {}, "topologyKey": "zone", "matchLabelKeys": ["m"]}
EXPRESSION = {"key": "k", "operator": "In", "values": ["v"]}
ITEMS = [{"key": "k", "path": "p", "mode": 256}]
FIELD = {"path": "f", "fieldRef": {"fieldPath": "metadata.name"}}
RESOURCE = {"path": "r", "resourceFieldRef": {"containerName": "c", "resource": "limits.cpu", "divisor": "1m"}}
SECRET = {"name": "s"}
VOLUMES = [
    {"hostPath": {"path": "/x", "type": "Directory"}}, {"emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
    {"gcePersistentDisk": {"pdName": "d", "fsType": "ext4", "partition": 1, "readOnly": True}},
    {"awsElasticBlockStore": {"volumeID": "v", "fsType": "ext4", "partition": 1}},
    {"secret": {"secretName": "s", "items": ITEMS, "optional": True}}, {"nfs": {"server": "s", "path": "/p"}},
    {"iscsi": {"targetPortal": "1.2.3.4:1", "iqn": "iqn.2001-04.com.example:s", "lun": 1, "portals": ["p"], "secretRef": SECRET,
               "chapAuthDiscovery": True}},
    {"glusterfs": {"endpoints": "e", "path": "p"}}, {"persistentVolumeClaim": {"claimName": "c"}},
    {"rbd": {"monitors": ["m"], "image": "i", "secretRef": SECRET}}, {"flexVolume": {"driver": "a/b", "secretRef": SECRET, "options": {"a": "b"}}},
    {"cinder": {"volumeID": "v", "secretRef": SECRET}}, {"cephfs": {"monitors": ["m"], "secretRef": SECRET}},
    {"downwardAPI": {"items": [FIELD, RESOURCE]}}, {"fc": {"targetWWNs": ["w"], "lun": 0}},
    {"azureFile": {"secretName": "s", "shareName": "n"}}, {"configMap": {"name": "c", "items": ITEMS}},
    {"vsphereVolume": {"volumePath": "p"}}, {"quobyte": {"registry": "a:1", "volume": "v"}},
    {"azureDisk": {"diskName": "d", "diskURI": "https://blob/u", "kind": "Shared"}}, {"photonPersistentDisk": {"pdID": "d"}},
    {"projected": {"sources": [{"secret": {"name": "s", "items": ITEMS}}, {"configMap": {"name": "c"}}, {"downwardAPI": {"items": [FIELD]}},
                               {"serviceAccountToken": {"path": "t", "audience": "a"}}]}},
    {"portworxVolume": {"volumeID": "v"}}, {"scaleIO": {"gateway": "g", "system": "s", "secretRef": SECRET, "volumeName": "v"}},
    {"storageos": {"volumeName": "v", "secretRef": SECRET}},
    {"csi": {"driver": "d", "volumeAttributes": {"a": "b"}, "nodePublishSecretRef": SECRET}},
    {"ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "selector": {"matchLabels": {"a": "b"}},
        "storageClassName": "c", "dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "n"}}}}},
    {"image": {"reference": "r", "pullPolicy": "Always"}},
]
CONTAINER = {
    "name": "c", "image": "x:1", "command": ["a"], "args": ["b"], "workingDir": "/w",
    "ports": [{"name": "p", "containerPort": 80, "hostIP": "1.2.3.4", "protocol": "UDP"}],
    "envFrom": [{"prefix": "P", "configMapRef": {"name": "c", "optional": False}}, {"secretRef": {"name": "s"}}],
    "env": [{"name": "A", "value": "b"}, {"name": "F", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
            {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
            {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}}],
    "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
    "volumeMounts": [{"name": "v0", "mountPath": "/m", "subPath": "s", "mountPropagation": "None"}],
    "volumeDevices": [{"name": "v8", "devicePath": "/dev/x"}],
    "livenessProbe": PROBE, "readinessProbe": {"grpc": {"port": 1, "service": "s"}}, "startupProbe": {"tcpSocket": {"port": "p", "host": "h"}},
    "lifecycle": {"preStop": {"exec": {"command": ["a"]}}, "postStart": {"sleep": {"seconds": 1}}},
    "securityContext": {"capabilities": {"add": ["A"], "drop": ["B"]}, "seLinuxOptions": {"user": "u"}, "runAsUser": 1, "runAsNonRoot": True,
                        "seccompProfile": {"type": "Localhost", "localhostProfile": "p"}, "windowsOptions": {"runAsUserName": "u"},
                        "appArmorProfile": {"type": "RuntimeDefault"}},
}
POD = {
    "restartPolicy": "Never", "containers": [CONTAINER], "initContainers": [{"name": "i", "image": "x", "restartPolicy": "Always"}],
    "volumes": [{"name": f"v{i}", **v} for i, v in enumerate(VOLUMES)],
    "securityContext": {"seLinuxOptions": {"level": "l"}, "supplementalGroups": [1], "fsGroup": 1, "sysctls": [{"name": "kernel.shm", "value": "1"}],
                        "seccompProfile": {"type": "RuntimeDefault"}},
    "imagePullSecrets": [{"name": "s"}], "nodeSelector": {"a": "b"}, "serviceAccountName": "a", "hostname": "h", "subdomain": "d",
    "affinity": {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [EXPRESSION], "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [EXPRESSION]}}]},
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]},
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": TERM}]}},
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 1}],
    "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["h"]}], "readinessGates": [{"conditionType": "a/b"}],
    "dnsConfig": {"nameservers": ["1.2.3.4"], "searches": ["s"], "options": [{"name": "n", "value": "v"}]},
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"a": "b"}}}],
    "schedulingGates": [{"name": "a/b"}], "overhead": {"cpu": "1"},
}
SPEC = {
    "completionMode": "Indexed", "completions": 3, "parallelism": 2, "backoffLimitPerIndex": 1, "maxFailedIndexes": 1,
    "activeDeadlineSeconds": 9, "ttlSecondsAfterFinished": 9, "managedBy": "a.b/c", "suspend": True,
    "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"containerName": "c", "operator": "In", "values": [1]}},
                                   {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
    "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
    "template": {"metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}, "spec": POD},
}
META = {"name": "shapes", "labels": {"a": "b"}, "annotations": {"a": "b"}, "finalizers": ["a/b"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u", "controller": True}]}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": META, "spec": SPEC}
CRON_JOB = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": META, "spec": {
    "schedule": "@daily", "timeZone": "Etc/UTC", "startingDeadlineSeconds": 9, "concurrencyPolicy": "Forbid",
    "jobTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {**SPEC, "managedBy": None, "template": {"metadata": {}, "spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}}}}


def read_schema(file):
    types = {}
    with open(file) as f:
        for line in f:
            of, field, go_type = line.split()[:3]
            types.setdefault(of, {})[field] = go_type
    return types


def values_of(types, go_type):
    """What says nothing, of that type."""
    yield None
    base = go_type.lstrip("*")
    if base.startswith("[]"):
        yield []
        yield [None]
    elif base.startswith("map[") or base == "v1.ResourceList" or base in types:
        yield {}
    elif base in ("int32", "int64", "intstr.IntOrString"):
        yield 0
    elif base == "bool":
        yield False
    elif base == "resource.Quantity":
        yield "0"
    elif base not in ("v1.Time", "any"):
        yield ""


def changes(types, of, at, path, seen):
    """Each (path, value) below an object that is there, once for each type under that name."""
    key = (of, next((step for step in reversed(path) if isinstance(step, str)), None))
    if key in seen:
        return
    seen.add(key)
    yield path + [UNKNOWN], {"a": 1}
    for field, go_type in types[of].items():
        if path == [] and field not in ("metadata", "spec") or go_type == "any":
            continue
        for value in values_of(types, go_type):
            yield path + [field], value
        base, there = go_type.lstrip("*"), at.get(field)
        if base in types and isinstance(there, dict):
            yield from changes(types, base, there, path + [field], seen)
        elif base.startswith("[]") and base[2:] in types:
            for i, element in enumerate(there or []):
                yield from changes(types, base[2:], element, path + [field, i], seen)


def shapes(types):
    yield "as it is", JOB
    yield "as it is", CRON_JOB
    yield "smallest", {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "shapes"}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}}
    seen = set()
    for base in JOB, CRON_JOB:
        for path, value in changes(types, f"v1.{base['kind']}", base, [], seen):
            o = json.loads(json.dumps(base)) # no part of it is another's
            at = o
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = value
            yield f"{base['kind']} {'.'.join(map(str, path))}={json.dumps(value)}", o


def comparable(o):
    """Without what a server gives or takes away; before 1.34 it writes times that are null into metadata."""
    for key in ("uid", "creationTimestamp", "generation", "managedFields", "namespace", "deletionGracePeriodSeconds"):
        o["metadata"].pop(key, None)
    o.pop("status", None)
    for path in ("template",), ("jobTemplate",), ("jobTemplate", "spec", "template"):
        at = o["spec"]
        for step in (*path, "metadata"):
            at = (at or {}).get(step)
        if at and at.get("creationTimestamp", 0) is None:
            del at["creationTimestamp"]
    return o


def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(a.get(key, "nothing"), b.get(key, "nothing"), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{path}[{i}]")
    elif a != b or type(a) is not type(b):
        yield f"{path}: server {json.dumps(a)[:200]}, ours {json.dumps(b)[:200]}"


def main():
    url, pki, namespace, schema, program, *flags = sys.argv[1:]
    server, asked, answers, refused = Server(url, pki), [], [], 0
    for name, o in shapes(read_schema(schema)):
        try:
            code, answer = server.ask("POST", f"{path_of(namespace, o['kind'])}?dryRun=All&fieldValidation=Ignore", json.dumps(o))
        except http.client.RemoteDisconnected: # it panics over an Indexed Job with a success policy and no completions
            server, code = Server(url, pki), 0
        if code != 201:
            refused += 1
            if name == "as it is":
                sys.exit(f"{o['kind']}: {answer.decode()}")
            continue
        answer = json.loads(answer)
        asked.append((name, o))
        answers.append(json.loads(json.dumps(answer).replace(answer["metadata"]["uid"], UID)))
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [o for _, o in asked]})
    ours = subprocess.run([program, "default", "-o", "json", "--uid", UID, *flags, "-"], input=text, capture_output=True, text=True, check=False)
    if ours.returncode != 0:
        sys.exit(ours.stderr)
    bad = 0
    for (name, _), theirs, own in zip(asked, answers, json.loads(ours.stdout)["items"], strict=True):
        found = list(differences(comparable(theirs), comparable(own)))
        bad += found != []
        for line in found:
            print(f"{name}: {line}")
    said = sum(UNKNOWN in line for line in ours.stderr.splitlines())
    print(len(asked), refused, bad, said - sum(UNKNOWN in name for name, _ in asked))


if __name__ == "__main__":
    main()
