#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes reviews of Jobs that are made of as many pieces of one kind as a number says: reserved.py DIR N. Prints "NAME PATH FILE" of each."""
import copy
import json
import sys

folder, n = sys.argv[1], int(sys.argv[2])
STORED = {
    "apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "big", "namespace": "default", "uid": "u"},
    "spec": {"parallelism": 1, "completions": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False,
             "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}},
             "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "u"}},
                          "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}
PROBES = {"livenessProbe": {"httpGet": {}}, "readinessProbe": {"grpc": {}}, "startupProbe": {"httpGet": {}}, "lifecycle": {"postStart": {"httpGet": {}}}}
FILLED = {"image": "i", "imagePullPolicy": "Always", "resources": {}, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}

POD = {
    "containers": [{}] * n,
    "initContainers": [dict(PROBES)] * (n // 4),
    "ephemeralContainers": [dict(FILLED, name="c%d" % i) for i in range(n // 2)],
    "imagePullSecrets": [{}] * n,
    "tolerations": [{}] * n,
}
VOLUMES = {
    "volumes": {},
    "secrets": {"secret": {}},
    "rbd": {"rbd": {}},
    "azureDisk": {"azureDisk": {}},
    "scaleIO": {"scaleIO": {}},
    "ephemeral": {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
    "projected": {"projected": {"sources": [{"serviceAccountToken": {}}, {"downwardAPI": {"items": [{"fieldRef": {}}]}}]}},
}
CONTAINER = {
    "env": [{"name": "E%d" % i} for i in range(n)],
    "envFrom": [{"valueFrom": {"fieldRef": {}}}] * n,
    "ports": [{}] * n,
    "args": [""] * (4 * n),
    "resources": {"limits": {"k%d" % i: "1" for i in range(n)}},
}


def write(name, job):
    changed = copy.deepcopy(job)
    changed["spec"]["parallelism"] = 2
    for what, path, objects in (("create", "/validate-batch-v1-job", (job, None)), ("mutate", "/mutate-batch-v1-job", (job, None)),
                                ("update", "/validate-batch-v1-job", (changed, job))):
        request = {"uid": "u", "kind": {"group": "batch", "version": "v1", "kind": "Job"},
                   "resource": {"group": "batch", "version": "v1", "resource": "jobs"}, "name": "big", "namespace": "default",
                   "operation": "CREATE" if objects[1] is None else "UPDATE", "object": objects[0], "oldObject": objects[1]}
        file = "%s/%s-%s.json" % (folder, name, what)
        with open(file, "w") as f:
            json.dump({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}, f, separators=(",", ":"))
        print(name, what, path, file)


for key, value in POD.items():
    made = copy.deepcopy(STORED)
    made["spec"]["template"]["spec"][key] = value
    write(key, made)
for key, value in VOLUMES.items():
    made = copy.deepcopy(STORED)
    made["spec"]["template"]["spec"]["volumes"] = [value] * (n // 2)
    write(key, made)
for key, value in CONTAINER.items():
    made = copy.deepcopy(STORED)
    made["spec"]["template"]["spec"]["containers"][0][key] = value
    write(key, made)
made = copy.deepcopy(STORED)
made["spec"]["template"]["spec"]["securityContext"] = {"supplementalGroups": [1] * (4 * n)}
write("supplementalGroups", made)
made = copy.deepcopy(STORED)
made["spec"]["podFailurePolicy"] = {"rules": [{"action": "Ignore", "onPodConditions": [{}] * n}]}
write("onPodConditions", made)
