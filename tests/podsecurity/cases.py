#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Pod templates, with a level and a version to check each by, as JSON lines.

  cases.py N SEED [VERSION]   N cases; VERSION: v1.36 for all, else any from v1.0 on
  cases.py --fixtures DIR     the Pods below DIR/LEVEL/VERSION, a folder of Pod Security admission's own test data
"""
import json
import os
import random
import sys

import yaml

VOLUMES = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret", "hostPath",
           "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd", "flexVolume", "cinder", "cephfs", "flocker",
           "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"]
CAPABILITIES = ["ALL", "CHOWN", "NET_BIND_SERVICE", "NET_RAW", "SYS_ADMIN", "SYS_TIME", "KILL", "MKNOD", "CAP_CHOWN", "all"]
SYSCTLS = ["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ip_local_reserved_ports",
           "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_notsent_lowat",
           "net.ipv4.tcp_slow_start_after_idle", "kernel.msgmax", "net.core.somaxconn"]
TYPES = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t", "spc_t", "", "other_t"]
ANNOTATIONS = ["runtime/default", "localhost/a", "unconfined", "", "docker/default", 'a "b"\n\u00e9']


class Case:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def some(self, percent):
        return self.r.randrange(100) < percent

    def of(self, values):
        return self.r.choice(values)

    def sample(self, values, most):
        return [self.of(values) for _ in range(self.r.randrange(most + 1))]

    def security(self, pod):
        s = {}
        if self.some(50):
            s["runAsNonRoot"] = self.some(70)
        if self.some(25):
            s["runAsUser"] = self.of([0, 0, 1, 1000])
        if self.some(35):
            s["seccompProfile"] = {"type": self.of(["RuntimeDefault", "Localhost", "Unconfined"])}
        if self.some(20):
            s["appArmorProfile"] = {"type": self.of(["RuntimeDefault", "Localhost", "Unconfined", "Other"])}
        if self.some(20):
            s["seLinuxOptions"] = {k: self.of(v) for k, v in (("type", TYPES), ("user", ["", "u"]), ("role", ["", "r"]), ("level", ["l"]))
                                   if self.some(60)}
        if self.some(10):
            s["windowsOptions"] = {"hostProcess": self.some(50)} if self.some(80) else {}
        if pod:
            if self.some(20):
                s["sysctls"] = [{"name": n, "value": "1"} for n in self.sample(SYSCTLS, 4)]
            return s
        if self.some(60):
            s["allowPrivilegeEscalation"] = self.some(30)
        if self.some(15):
            s["privileged"] = self.some(60)
        if self.some(15):
            s["procMount"] = self.of(["Default", "Unmasked"])
        if self.some(60):
            s["capabilities"] = {k: self.sample(CAPABILITIES, 3) for k in ("add", "drop") if self.some(50)}
            if self.some(60):
                s["capabilities"]["drop"] = ["ALL"]
        return s

    def handler(self):
        host = {} if self.some(60) else {"host": self.of(["", "127.0.0.1", "example.com"])}
        return {self.of(["httpGet", "tcpSocket"]): dict(host, port=80)} if self.some(80) else {"exec": {"command": ["a"]}}

    def container(self, name):
        c = {"name": name, "image": "i"}
        if self.some(85):
            c["securityContext"] = self.security(False)
        if self.some(20):
            c["ports"] = [dict({"containerPort": 1 + i}, **({"hostPort": self.of([0, 80, 100, 9])} if self.some(60) else {}))
                          for i in range(self.r.randrange(4))]
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            if self.some(12):
                c[probe] = self.handler()
        if self.some(12):
            c["lifecycle"] = {hook: self.handler() for hook in ("postStart", "preStop") if self.some(60)}
        return c

    def template(self):
        names = ["b", "a", "c-2"]
        spec = {"containers": [self.container(n) for n in names[: 1 + self.r.randrange(3)]]}
        meta = {}
        if self.some(30):
            spec["initContainers"] = [self.container(n) for n in ["z", "y"][: 1 + self.r.randrange(2)]]
        if self.some(75):
            spec["securityContext"] = self.security(True)
        for field in ("hostNetwork", "hostPID", "hostIPC"):
            if self.some(8):
                spec[field] = self.some(80)
        if self.some(15):
            spec["hostUsers"] = self.some(30)
        if self.some(15):
            spec["os"] = {"name": self.of(["windows", "linux"])}
        if self.some(35):
            spec["volumes"] = [{"name": f"v{i}", self.of(VOLUMES): {}} for i in range(1 + self.r.randrange(4))]
        if self.some(15):
            keys = ["container.apparmor.security.beta.kubernetes.io/a", "container.apparmor.security.beta.kubernetes.io/b",
                    "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/a", "other"]
            meta["annotations"] = {k: self.of(ANNOTATIONS) for k in keys if self.some(50)}
        return {"metadata": meta, "spec": spec}


def generated(n, seed, version):
    for i in range(n):
        c = Case(seed * 1000003 + i)
        v = version or c.of([f"v1.{m}" for m in range(38)] + ["latest", "v1.99"])
        yield {"level": c.of(["baseline", "restricted"]), "version": v, "template": c.template()}


def fixtures(folder):
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if not name.endswith(".yaml"):
                continue
            level, version, _ = os.path.relpath(root, folder).split(os.sep)
            with open(os.path.join(root, name), encoding="utf-8") as f:
                pod = yaml.safe_load(f)
            yield {"level": level, "version": version, "template": {"metadata": pod["metadata"], "spec": pod["spec"]}}


def main():
    args = sys.argv[1:]
    if len(args) == 2 and args[0] == "--fixtures":
        cases = fixtures(args[1])
    elif len(args) in (2, 3):
        cases = generated(int(args[0]), int(args[1]), args[2] if len(args) == 3 else None)
    else:
        sys.exit(__doc__)
    for c in cases:
        print(json.dumps(c, separators=(",", ":")))


main()
