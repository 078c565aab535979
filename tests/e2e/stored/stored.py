#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects that are made twice on an API server, and what it has stored of them.

  stored.py make CASES ANSWERS N SEED > OBJECTS    N objects, one a line: specs of the cases that have no error in the answers (admission-cases,
                                                   admission-validate), with metadata and selectors drawn anew
  stored.py create SERVER PKI NAMESPACE < OBJECTS  makes them there; the codes that come back, counted
  stored.py list SERVER PKI NAMESPACE              what is stored, an object a line, in the order of OBJECTS. What two creates of one object
                                                   can't have in common is a placeholder: uid, resourceVersion, times, a generated name.
"""
import collections
import http.client
import json
import queue
import random
import ssl
import sys
import threading

CASE = "stored.test/case"
RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
ABSENT = object()


# ---- making

def put(node, key, value):
    node.pop(key, None)
    if value is not ABSENT:
        node[key] = value


def job_spec(o):
    return o["spec"] if o["kind"] == "Job" else o["spec"]["jobTemplate"]["spec"]


def simple(kind):
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}}
    return {"apiVersion": "batch/v1", "kind": kind,
            "spec": spec if kind == "Job" else {"schedule": "", "jobTemplate": {"spec": spec}}}


def draw_labels(rnd):
    return rnd.choice([ABSENT, ABSENT, {}, None, {"app": "x"}, {"team": "night", "shift": "late"}])


def draw(rnd, i, o, applied):
    """Gives the object the metadata, labels and selector of case i."""
    spec = job_spec(o)
    template = spec.setdefault("template", {})
    labels, own = draw_labels(rnd), draw_labels(rnd)
    meta = {"annotations": {CASE: str(i)}}
    if not applied and rnd.random() < 0.2:
        meta["generateName"] = f"g-{i:04}-"
    else:
        meta["name"] = f"o-{i:04}"
    if rnd.random() < 0.2: # the two are equal, yet not one
        own = labels
    if o["kind"] == "Job" and "name" in meta and rnd.random() < 0.1: # what would be generated is there already
        labels = dict(labels if isinstance(labels, dict) else {})
        for key in rnd.choice([["job-name"], ["batch.kubernetes.io/job-name"], ["job-name", "batch.kubernetes.io/job-name"]]):
            labels[key] = meta["name"]
    put(spec, "selector", rnd.choice([ABSENT, ABSENT, ABSENT, {}, {"matchLabels": {}}]) if o["kind"] == "Job" else ABSENT)
    put(spec, "manualSelector", rnd.choice([ABSENT, False]) if o["kind"] == "Job" else ABSENT)
    if o["kind"] == "Job" and rnd.random() < 0.2:
        labels = {"pool": f"p-{i}", **(labels if isinstance(labels, dict) else {})}
        spec["manualSelector"] = True
        spec["selector"] = rnd.choice([{"matchLabels": {"pool": f"p-{i}"}},
                                       {"matchExpressions": [{"key": "pool", "operator": "Exists"}]}])
    put(meta, "labels", own)
    if template.get("metadata") is None:
        template["metadata"] = {}
    put(template["metadata"], "labels", labels)
    if template["metadata"] == {} and rnd.random() < 0.5:
        del template["metadata"]
    if o["kind"] == "CronJob":
        o["spec"]["schedule"] = "0 0 29 2 *" # not while this runs: its controller would write to it
    o["metadata"] = meta
    o.pop("status", None)


def make(cases, answers, n, seed):
    rnd = random.Random(seed)
    specs = []
    with open(cases) as f, open(answers) as g:
        for case, answer in zip(f, g):
            case, answer = json.loads(case), json.loads(answer)
            if case["op"] == "create" and answer["errors"] == [] and "decodeError" not in answer:
                specs.append(case["job"])
    for i in range(n):
        kind = rnd.choice(["Job"] * 3 + ["CronJob"])
        applied = rnd.random() < 0.2
        o = simple(kind)
        if not applied and specs and rnd.random() < 0.7: # what a list has twice can't be applied
            o = json.loads(json.dumps(rnd.choice(specs)))
        draw(rnd, i, o, applied)
        print(json.dumps({"how": "apply" if applied else "create", "object": o}))


# ---- asking

class Server:
    """One connection."""

    def __init__(self, url, pki):
        context = ssl.create_default_context(cafile=f"{pki}/ca.crt")
        context.load_cert_chain(f"{pki}/admin.crt", f"{pki}/admin.key")
        self.connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=context, timeout=60)

    def ask(self, method, path, body=None, content_type="application/json", accept="application/json"):
        self.connection.request(method, path, body, {"Content-Type": content_type, "Accept": accept})
        answer = self.connection.getresponse()
        return answer.status, answer.read()


def path_of(namespace, kind):
    return f"/apis/batch/v1/namespaces/{namespace}/{RESOURCES[kind]}"


def create(url, pki, namespace):
    todo, codes, failures = queue.SimpleQueue(), collections.Counter(), []

    def work():
        try:
            server = Server(url, pki)
            while (line := todo.get()) is not None:
                o = json.loads(line)
                path, body = path_of(namespace, o["object"]["kind"]), json.dumps(o["object"])
                if o["how"] == "apply":
                    code, answer = server.ask("PATCH", f"{path}/{o['object']['metadata']['name']}?fieldManager=stored", body,
                                              "application/apply-patch+yaml")
                else:
                    code, answer = server.ask("POST", f"{path}?fieldManager=stored", body)
                codes[f"{o['how']}: {code}"] += 1
                if code != 201:
                    print(answer.decode()[:1000], file=sys.stderr)
        except Exception as e: # else a thread would end without a word
            failures.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for line in sys.stdin:
        todo.put(line)
    for t in threads:
        todo.put(None)
        t.start()
    for t in threads:
        t.join()
    for e in failures:
        sys.exit(f"can't ask: {e}")
    for code in sorted(codes):
        print(code, codes[code])


def placeholders(o, namespace):
    """The object's text, with what differs from create to create left out."""
    meta = o["metadata"]
    uid, name = meta["uid"], meta["name"]
    for m in [meta, *meta["managedFields"]]:
        for key in ("resourceVersion", "creationTimestamp", "time"):
            if key in m:
                m[key] = f"<{key}>"
    text = json.dumps(o, sort_keys=True).replace(uid, "<uid>").replace(json.dumps(namespace), '"<namespace>"')
    return text.replace(name, "<name>") if "generateName" in meta else text


def show(url, pki, namespace):
    server, found = Server(url, pki), []
    for kind in RESOURCES:
        token = ""
        while True:
            status, text = server.ask("GET", f"{path_of(namespace, kind)}?limit=500&continue={token}")
            if status != 200:
                sys.exit(text.decode())
            page = json.loads(text)
            found += [(int(o["metadata"]["annotations"][CASE]), placeholders(o, namespace)) for o in page["items"]]
            token = page["metadata"].get("continue", "")
            if not token:
                break
    for _, text in sorted(found):
        print(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1:2] == ["create"]:
        create(*sys.argv[2:])
    elif sys.argv[1:2] == ["list"]:
        show(*sys.argv[2:])
    else:
        sys.exit(__doc__)
