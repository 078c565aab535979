#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the published rules whose JobPolicy refuses nothing that the rule lets pass.

  own_cases.py JOBREEVE CHECKOUTS

CHECKOUTS has the folders kyverno, gatekeeper, kubescape and kubewarden, each a checkout of the commit that rules.csv names: a rule is run on its
own test cases, Pods and other workloads put into Jobs. A rule that has none there, or whose checkout isn't given, counts by the written cases of
policies.yaml, which published.sh runs. Prints each rule that doesn't count, and the counts. Exit codes: 0, 1 where less than 45 % of all or
less than 75 % of the Job-specific ones count, 2 wrong use.
"""
import collections
import copy
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "policy.jobreeve.dev/v1alpha1"
WITH_TEMPLATE = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"}


class Loader(yaml.SafeLoader):
    """A loader that takes what Kubernetes takes: a lone = is text."""


Loader.add_constructor("tag:yaml.org,2002:value", lambda loader, node: loader.construct_scalar(node))


def documents(path):
    with open(path, encoding="utf-8") as f:
        found = [d for d in ([json.load(f)] if path.endswith(".json") else yaml.load_all(f, Loader)) if isinstance(d, dict)]
    return [item for d in found for item in (d.get("items", []) if str(d.get("kind")).endswith("List") else [d])]


def pod_in_template(template):
    """Returns the template without what no Job's template may have, whatever a policy says."""
    template = copy.deepcopy(template)
    spec = template.setdefault("spec", {})
    spec.pop("ephemeralContainers", None)
    if spec.get("restartPolicy") not in ("Never", "OnFailure"):
        spec["restartPolicy"] = "Never"
    template.pop("apiVersion", None), template.pop("kind", None), template.pop("status", None)
    meta = template.get("metadata") or {}
    template["metadata"] = {k: meta[k] for k in ("labels", "annotations") if meta.get(k)}
    return template


def job(thing):
    """Returns the object as a Job or a CronJob; None for a kind that makes no Pods."""
    kind, meta = thing.get("kind"), thing.get("metadata") or {}
    name = meta.get("name") or meta.get("generateName", "j")
    metadata = {"name": name, "namespace": meta.get("namespace") or "default", **{k: meta[k] for k in ("labels", "annotations") if meta.get(k)}}
    if kind in ("Job", "CronJob"):
        thing = copy.deepcopy(thing)
        spec = thing["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else thing["spec"]
        spec["template"] = pod_in_template(spec["template"])
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": metadata, "spec": thing["spec"]}
    if kind == "Pod":
        template = pod_in_template(thing)
    elif kind in WITH_TEMPLATE:
        template = pod_in_template(thing["spec"]["template"])
    else:
        return None
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}


class Cases:
    """The cases of one rule: a name, an object and whether the published rule lets it pass."""

    def __init__(self):
        self.cases = {}

    def add(self, name, thing, passes):
        made = job(thing)
        if made is not None:
            # An object that one part of a rule refuses is refused, whatever its other parts say.
            self.cases[name] = (made, passes and self.cases.get(name, (None, True))[1])

    def suite(self):
        def case(name, made, passes):
            return {"name": ("passes " if passes else "refused ") + name, "object": made, "expect": {"outcome": "Allowed" if passes else "Denied"}}
        return {"apiVersion": VERSION, "kind": "JobPolicyTest", "cases": [case(n, *c) for n, c in self.cases.items()]}


# Rules whose two sets of cases have other parameters: the policy has those of .kyverno-test.
ONE_SET = {"allowed-pod-priorities", "exclude-namespaces-dynamically"}
# The test of a Gatekeeper rule's suite whose parameters the policy has, where it isn't the first one.
GATEKEEPER = {"containerlimits": "container-limits", "requiredlabels": "must-have-key", "host-network-ports": "port-range-with-host-network-forbidden"}
# Text that the settings of a Kubewarden rule's test have where the policy has the same; "" is a test without settings, too.
KUBEWARDEN = {
    "allow-privilege-escalation-psp": "", "capabilities-psp": '{"allowed_capabilities": ["CHOWN", "KILL"]}', "container-resources": '{"cpu": {"ignoreValues": true}, "memory" : {"ignoreValues": true}}',
    "environment-variable": "settings_doesNotContainAnyOf", "host-namespaces-psp": "settings.json", "hostpaths-psp": '"/foo","readOnly": true} ] }',
    "pod-privileged": None, "priority-class": "settings-allowed-list.json", "share-pid-namespace": "",
    "trusted-repos": '{"registries": {"allow": ["ghcr.io"]}, "tags": {"reject": ["latest"]}}', "user-group-psp": "settings_must_run_as_non_root.json",
    "volumeMounts": "settings_reject",
}


def kyverno(root, rule, cases):
    name = rule.split(" ")[0]
    folders = [f for depth in ("*", "*/*", "*/*/*") for f in glob.glob(os.path.join(root, depth, name)) if not re.search(r"-(cel|vpol|mpol|gpol|dpol)/", f)]
    for folder in folders:
        for path in glob.glob(os.path.join(folder, ".kyverno-test", "kyverno-test.yaml")):
            kyverno_results(path, cases)
        for path in glob.glob(os.path.join(folder, ".chainsaw-test", "*.y*ml")) if name not in ONE_SET else ():
            base = os.path.basename(path)
            if re.search("good|bad", base):
                for i, thing in enumerate(documents(path)):
                    cases.add(f"{base} {i} {thing.get('kind')}", thing, "bad" not in base)


def kyverno_results(path, cases):
    test = documents(path)[0]
    things = {}
    for resource in test.get("resources", []):
        for thing in documents(os.path.join(os.path.dirname(path), resource)):
            things[(thing.get("kind"), (thing.get("metadata") or {}).get("name"))] = thing
    for result in test.get("results", []):
        for name in result.get("resources", []):
            thing = things.get((result["kind"], name.split("/")[-1]))
            if thing is not None:
                cases.add(f"{result['kind']} {name}", thing, result.get("result", result.get("status")) in ("pass", "skip"))


def gatekeeper(root, rule, cases):
    name = rule.replace("psp ", "").split(" ")[0]
    for path in glob.glob(os.path.join(root, "library", "*", name, "suite.yaml")):
        tests = documents(path)[0]["tests"]
        wanted = GATEKEEPER.get(name, tests[0]["name"])
        for test in tests:
            for case in test["cases"] if test["name"] == wanted else ():
                passes = not any(a.get("violations", "yes") not in ("no", False, 0) for a in case["assertions"])
                for thing in documents(os.path.join(os.path.dirname(path), case["object"])):
                    if thing.get("kind") != "AdmissionReview":
                        cases.add(f"{test['name']} {case['name']}", thing, passes)


def put(thing, change):
    """Makes one change PATH=VALUE of kubescape's tests; a [N] in the path is an element of a list."""
    path, value = change.split("=", 1)
    keys = [int(k[1:-1]) if k.startswith("[") else k for k in re.findall(r"\[\d+\]|(?:[^.\\]|\\.)+", path)]
    keys = [k.replace("\\.", ".") if isinstance(k, str) else k for k in keys]
    for key, following in zip(keys, keys[1:]):
        if isinstance(key, int):
            while len(thing) <= key:
                thing.append({})
        elif thing.get(key) is None:
            thing[key] = [] if isinstance(following, int) else {}
        thing = thing[key]
    value = yaml.load(value, Loader)
    if isinstance(keys[-1], int):
        while len(thing) <= keys[-1]:
            thing.append(None)
    thing[keys[-1]] = value


def kubescape(root, rule, cases):
    path = os.path.join(root, "controls", rule.split(" ")[0], "tests.json")
    with open(path, encoding="utf-8") as f:
        tests = json.load(f)
    for test in tests:
        if test.get("param_template") or test.get("binding_template"):
            continue
        thing = documents(os.path.join(root, "test-resources", test["template"]))[0]
        for change in test.get("field_change_list") or []:
            put(thing, change)
        cases.add(test["name"], thing, test["expected"] == "pass")


def kubewarden(root, rule, cases):
    name = rule.split(" ")[0]
    for path in glob.glob(os.path.join(root, "policies", name + "-policy", "e2e.bats")) if name in KUBEWARDEN else ():
        with open(path, encoding="utf-8") as f:
            text = f.read().replace("\\\n", " ")
        for test in re.split(r"(?m)^@test ", text)[1:]:
            title = test.split('"')[1]
            for run, allowed in re.findall(r"(?s)kwctl run(.*?)allowed[^\n]*?(true|false)", test):
                file = re.search(r"(?:-r|--request-path)\s+(\S+)", run)
                settings = re.search(r"--settings-(?:json|path)\s+('[^']*'|\S+)", run)
                wanted = KUBEWARDEN[name]
                if settings is None if wanted is None else wanted in (settings[1] if settings else ""):
                    request = documents(os.path.join(os.path.dirname(path), file[1]))[0]
                    request = request.get("request", request)
                    cases.add(f"{title} {os.path.basename(file[1])}", {"kind": request["kind"]["kind"], **request["object"]}, allowed == "true")


READERS = {"kyverno": kyverno, "gatekeeper": gatekeeper, "kubescape": kubescape, "kubewarden": kubewarden}


def write(folder, policy, cases):
    os.makedirs(folder)
    for name, document in (("policy.yaml", policy), ("suite.yaml", cases.suite())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1, default=str)


def make(checkouts, out, rows, policies):
    """Writes a policy and a suite into OUT/N for each row N that has a policy and cases of its own."""
    for number, row in enumerate(rows):
        source = re.split(r"[/ -]", row["source"])[0]
        root = os.path.join(checkouts, source)
        if not row["by"] or source not in READERS or not os.path.isdir(root):
            continue
        cases = Cases()
        READERS[source](root, row["policy"], cases)
        if any(passes for _, passes in cases.cases.values()):
            policy = {"apiVersion": VERSION, "kind": "JobPolicy", "metadata": {"name": row["by"]}, "spec": policies[row["by"]]["spec"]}
            write(os.path.join(out, str(number)), policy, cases)


def run(jobreeve, out):
    """Returns by row how many cases it has: {"passes": n, "refused": n, "passes as expected": n, "refused as expected": n}."""
    done = subprocess.run([jobreeve, "policy", "test", "-v", out], capture_output=True, text=True, check=False)
    results = {}
    for line in done.stdout.splitlines():
        match = re.match(re.escape(out) + r"/(\d+)/suite\.yaml:\d+: (passes|refused) .*?: (passed$|expected )", line)
        # What no API server takes says nothing about a policy.
        if match and "a refusal by the API server's own rules" not in line:
            counts = results.setdefault(int(match[1]), collections.Counter())
            counts[match[2]] += 1
            counts[match[2] + " as expected"] += match[3] == "passed"
    # Cases that fail are what is counted, so the exit code says nothing; a run that came to no case does.
    if not results:
        sys.exit(done.stderr or "no cases: are the checkouts there?")
    return results


def report(rows, policies, results):
    counts = collections.Counter()
    for number, row in enumerate(rows):
        own = results.get(number, collections.Counter())
        kind = "Job-specific" if row["source"].startswith("Job-specific") else "others"
        wrong = own["passes"] - own["passes as expected"]
        level = row["how"].startswith("level: ")
        written = row["by"] != "" and "passesToo" in policies[row["by"]]
        said = level or (wrong == 0 if own["passes"] else written)
        if row["by"] and not (own["passes"] or written or level):
            print(f"doesn't count: {row['source'].split(' ')[0]}: {row['policy']}: has no cases of its own, and {row['by']} has no third one")
        for key in ("rules", kind) if said else ():
            counts[key] += 1
        counts["of a whole level"] += level
        counts["by own cases"] += said and own["passes"] > 0
        counts["cases let pass"] += own["passes as expected"]
        counts["cases refused"] += own["refused as expected"]
        counts["cases refused by the rule only"] += own["refused"] - own["refused as expected"]
        if wrong and not level:
            print(f"doesn't count: {row['source'].split(' ')[0]}: {row['policy']}: refuses {wrong} of the {own['passes']} cases that it lets pass")
    jobs = sum(row["source"].startswith("Job-specific") for row in rows)
    print(f"{counts['rules']} of {len(rows)} rules count ({counts['by own cases']} by their own cases, {counts['of a whole level']} by a whole Pod security level), "
          f"{counts['Job-specific']} of the {jobs} Job-specific ones")
    print(f"{counts['cases let pass']} cases let pass and {counts['cases refused']} refused by both, {counts['cases refused by the rule only']} refused by the rule only")
    return counts["rules"] * 100 >= 45 * len(rows) and counts["Job-specific"] * 100 >= 75 * jobs


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    with open(os.path.join(HERE, "policies.yaml"), encoding="utf-8") as f:
        policies = yaml.safe_load(f)
    with open(os.path.join(HERE, "rules.csv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with tempfile.TemporaryDirectory(prefix="jobreeve-published.") as out:
        make(sys.argv[2], out, rows, policies)
        sys.exit(0 if report(rows, policies, run(sys.argv[1], out)) else 1)


if __name__ == "__main__":
    main()
