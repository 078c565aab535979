#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pairs.py SEED N FOLDER: N Jobs and CronJobs as they are applied first, and again after changes: the manifests of a repository at two commits.

In FOLDER: applied.json (first manifests, for kubectl apply), created.json (for kubectl create: without an annotation, or stored as others have
changed them, with the annotation of what was applied), second.json (all manifests that follow). Each seed gives the same files."""
import copy
import json
import random
import sys

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def container(r, name):
    c = {"name": name, "image": "busybox:1.36"}
    if r.random() < 0.5:
        c["env"] = [{"name": n, "value": n.lower()} for n in r.sample(["A", "B", "C", "D"], r.randint(1, 3))]
    if r.random() < 0.3:
        c["args"] = ["sh", "-c", "true"]
    if r.random() < 0.3:
        c["resources"] = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    if r.random() < 0.3:
        c["ports"] = [{"containerPort": p} for p in r.sample([80, 443, 8080], r.randint(1, 2))]
    if r.random() < 0.2:
        c["ports"] = [{"name": "dns", "containerPort": 53, "protocol": "UDP"}, {"name": "dns-tcp", "containerPort": 53}]
    if r.random() < 0.2:
        c["imagePullPolicy"] = "IfNotPresent"
    return c


def template(r):
    spec = {"restartPolicy": "Never", "containers": [container(r, n) for n in r.sample(["main", "side", "log"], r.randint(1, 2))]}
    if r.random() < 0.4:
        spec["volumes"] = [{"name": "scratch", "emptyDir": {}}, {"name": "conf", "configMap": {"name": "c"}}][: r.randint(1, 2)]
        spec["containers"][0]["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
    if r.random() < 0.3:
        spec["tolerations"] = [{"key": "gpu", "operator": "Exists"}]
    if r.random() < 0.3:
        spec["nodeSelector"] = {"pool": "batch"}
    if r.random() < 0.2:
        spec["terminationGracePeriodSeconds"] = 5
    if r.random() < 0.2:
        spec["imagePullSecrets"] = [{"name": "registry"}]
    t = {"spec": spec}
    if r.random() < 0.5:
        t["metadata"] = {"labels": {"app": "a"}}
    return t


def job_spec(r):
    s = {"template": template(r)}
    if r.random() < 0.35:
        s["suspend"] = r.random() < 0.8
    if r.random() < 0.4:
        s["parallelism"] = r.randint(0, 5)
    if r.random() < 0.4:
        s["completions"] = r.randint(1, 6)
    if r.random() < 0.3:
        s["backoffLimit"] = r.randint(0, 9)
    if r.random() < 0.2:
        s["ttlSecondsAfterFinished"] = 600
    if r.random() < 0.2:
        s["activeDeadlineSeconds"] = 3600
    if "completions" in s and r.random() < 0.5:
        s["completionMode"] = "Indexed"
        if r.random() < 0.4:
            s["backoffLimitPerIndex"] = 1
        if r.random() < 0.3:
            s["successPolicy"] = {"rules": [{"succeededIndexes": "0"}]}
    if r.random() < 0.2:
        s["podFailurePolicy"] = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    return s


def manifest(r, i):
    m = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "p%04d" % i}, "spec": job_spec(r)}
    if i % 10 == 9:
        m["kind"] = "CronJob"
        m["spec"] = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": m["spec"]}}
    if r.random() < 0.5:
        m["metadata"]["labels"] = {"team": "a", "tier": "b"}
    if r.random() < 0.3:
        m["metadata"]["annotations"] = {"note": "x"}
    return m


def spec_of(m):
    return m["spec"]["jobTemplate"]["spec"] if m["kind"] == "CronJob" else m["spec"]


def toggle(o, key, value):
    """Adds it, or takes it out."""
    if key in o:
        del o[key]
    else:
        o[key] = value


def set_scalar(r, m):
    s = spec_of(m)
    key, value = r.choice([("parallelism", 4), ("parallelism", 0), ("completions", 3), ("backoffLimit", 2), ("ttlSecondsAfterFinished", 60),
                           ("activeDeadlineSeconds", 60), ("suspend", True), ("suspend", False), ("completionMode", "NonIndexed"),
                           ("completionMode", "Indexed"), ("backoffLimitPerIndex", 2), ("podReplacementPolicy", "Failed"),
                           ("podReplacementPolicy", "TerminatingOrFailed"), ("manualSelector", False), ("parallelism", -1),
                           ("parallelism", None), ("completions", None), ("suspend", None), ("template", None), ("completions", "3")])
    s[key] = value


def drop_scalar(r, m):
    s = spec_of(m)
    keys = [k for k in s if k != "template"]
    if keys:
        del s[r.choice(keys)]


def change_meta(r, m):
    where = r.choice(["labels", "annotations"])
    o = m["metadata"].setdefault(where, {})
    toggle(o, r.choice(["team", "tier", "new"]), "c")
    if r.random() < 0.2:
        m["metadata"]["creationTimestamp"] = None
    if r.random() < 0.1:
        m["metadata"]["finalizers"] = ["example.com/hold"]


def change_template_meta(r, m):
    meta = spec_of(m)["template"].setdefault("metadata", {})
    toggle(meta.setdefault("labels", {}), r.choice(["app", "version"]), "a")


def change_pod(r, m):
    pod = spec_of(m)["template"]["spec"]
    key, value = r.choice([("tolerations", [{"key": "gpu", "operator": "Exists"}]), ("tolerations", []), ("nodeSelector", {"pool": "batch"}),
                           ("nodeSelector", {"pool": "other"}), ("terminationGracePeriodSeconds", 5), ("terminationGracePeriodSeconds", 30),
                           ("dnsPolicy", "ClusterFirst"), ("schedulerName", "default-scheduler"), ("securityContext", {}), ("hostNetwork", False),
                           ("imagePullSecrets", [{"name": "registry"}]), ("imagePullSecrets", [{"name": "other"}]), ("initContainers", []),
                           ("volumes", [{"name": "scratch", "emptyDir": {}}]), ("volumes", [{"name": "scratch", "configMap": {"name": "c"}}]),
                           ("volumes", [{"name": "conf", "configMap": {"name": "c"}}, {"name": "scratch", "emptyDir": {}}]),
                           ("volumes", [{"name": "scratch"}]), ("enableServiceLinks", None), ("serviceAccountName", "s")])
    if r.random() < 0.2:
        pod.pop(key, None)
    else:
        pod[key] = copy.deepcopy(value)


def change_container(r, m):
    c = r.choice(spec_of(m)["template"]["spec"]["containers"])
    env = c.get("env", [])
    kind = r.randrange(12)
    if kind == 0:
        c["image"] = "busybox:1.37"
    elif kind == 1:
        c["env"] = env + [{"name": "Z", "value": "z"}]
    elif kind == 2:
        c["env"] = env[1:]
    elif kind == 3:
        c["env"] = env[::-1]
    elif kind == 4:
        toggle(c, "args", ["sh", "-c", "true"])
    elif kind == 5:
        c["resources"] = r.choice([{}, {"requests": {"cpu": "0.1", "memory": "64Mi"}}, {"limits": {"cpu": "1"}}])
    elif kind == 6:
        c["ports"] = [{"containerPort": 80, "protocol": "TCP"}]
    elif kind == 7:
        c["terminationMessagePath"] = "/dev/termination-log"
    elif kind == 8:
        toggle(c, "imagePullPolicy", "IfNotPresent")
    elif kind == 9:
        c["env"] = [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    elif kind == 10:
        toggle(c, "env", [{"name": "A", "value": None}])
    else:
        c["nmae"] = "x"


def change_containers(r, m):
    pod = spec_of(m)["template"]["spec"]
    kind = r.randrange(5)
    if kind == 0:
        pod["containers"].append({"name": "extra", "image": "busybox"})
    elif kind == 1:
        pod["containers"].reverse()
    elif kind == 2 and len(pod["containers"]) > 1:
        del pod["containers"][r.randrange(2)]
    elif kind == 3:
        pod["containers"][0].pop("name", None)
    else:
        pod["initContainers"] = [{"name": "init", "image": "busybox"}]


def change_policies(r, m):
    s = spec_of(m)
    key, value = r.choice([("podFailurePolicy", {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}),
                           ("podFailurePolicy", {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]}),
                           ("successPolicy", {"rules": [{"succeededIndexes": "0"}]}), ("successPolicy", {"rules": [{"succeededCount": 1}]})])
    s[key] = value


CHANGES = [set_scalar, set_scalar, set_scalar, drop_scalar, drop_scalar, change_meta, change_template_meta, change_pod, change_pod, change_container,
           change_container, change_containers, change_policies]


def change(r, m, n):
    for _ in range(n):
        try:
            r.choice(CHANGES)(r, m)
        except (TypeError, AttributeError):
            pass  # an earlier change has left nothing of it


def by_others(r, m):
    """What others do with a Job before it is stored: they add, and set what was not said."""
    s = spec_of(m)
    pod = s["template"]["spec"]
    m["metadata"].setdefault("labels", {})["by-others"] = "x"
    if r.random() < 0.5:
        pod["containers"].insert(r.randint(0, 1), {"name": "injected", "image": "busybox"})
    if r.random() < 0.5:
        pod.setdefault("volumes", []).append({"name": "injected", "emptyDir": {"medium": "Memory"}})
    if r.random() < 0.3:
        pod["containers"][-1].setdefault("env", []).append({"name": "INJECTED", "value": "x"})
    if r.random() < 0.5:
        s.setdefault("backoffLimit", 4)
    if r.random() < 0.3:
        s["suspend"] = True


def main():
    seed, n, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    files = {"applied": [], "created": [], "second": []}
    for i in range(n):
        r = random.Random("%d/%d" % (seed, i))
        first = manifest(r, i)
        second = copy.deepcopy(first)
        change(r, second, r.choice([0, 1, 1, 1, 2, 3]))
        if i % 4 in (0, 3):
            files["applied"].append(first)
        elif i % 4 == 1:
            files["created"].append(first)
        else:
            stored = copy.deepcopy(first)
            by_others(r, stored)
            stored["metadata"].setdefault("annotations", {})[LAST_APPLIED] = json.dumps(first)
            files["created"].append(stored)
        files["second"].append(second)
    for name, items in files.items():
        with open("%s/%s.json" % (folder, name), "w", encoding="utf-8") as f:
            json.dump({"apiVersion": "v1", "kind": "List", "items": items}, f)


main()
