#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a JobPolicy and a suite of each policy of policies.yaml, and checks that rules.csv names each of them.

  suites.py DIR   writes DIR/NAME/policy.yaml and DIR/NAME/suite.yaml; jobreeve policy test DIR runs them
"""
import collections
import csv
import json
import os
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "policy.jobreeve.dev/v1alpha1"
KEYS = {"c", "pod", "template", "spec", "meta", "cron"}


def job(over):
    assert set(over) <= KEYS, over
    container = {"name": "c", "image": "registry.example.com/c:1", **over.get("c", {})}
    template = {"metadata": over.get("template", {}), "spec": {"restartPolicy": "Never", "containers": [container], **over.get("pod", {})}}
    spec = {"template": template, **over.get("spec", {})}
    meta = {"name": "j", "namespace": "team", **over.get("meta", {})}
    if "cron" in over:
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": {"jobTemplate": {"spec": spec}, **over["cron"]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}


def suite(policy):
    cases = [{"name": "refused", "object": job(policy["refuses"]), "expect": {"outcome": "Denied"}},
             {"name": "let pass", "object": job(policy["passes"]), "expect": {"outcome": "Allowed"}}]
    if "passesToo" in policy:
        cases.append({"name": "let pass too", "object": job(policy["passesToo"]), "expect": {"outcome": "Allowed"}})
    return {"apiVersion": VERSION, "kind": "JobPolicyTest", "cases": cases}


def write(path, document):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f, indent=1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(os.path.join(HERE, "policies.yaml"), encoding="utf-8") as f:
        policies = yaml.safe_load(f)
    for name, policy in policies.items():
        meta = {"apiVersion": VERSION, "kind": "JobPolicy", "metadata": {"name": name}}
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        write(os.path.join(folder, "policy.yaml"), {**meta, "spec": policy["spec"]})
        write(os.path.join(folder, "suite.yaml"), suite(policy))
    with open(os.path.join(HERE, "rules.csv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        if row["how"].startswith("no: ") != (row["by"] == "") or (row["by"] and row["by"] not in policies):
            sys.exit(f"rules.csv: {row['policy']}: no policy, or one too many")
    unused = set(policies) - {row["by"] for row in rows}
    if unused:
        sys.exit(f"policies.yaml: of no rule: {sorted(unused)}")
    counts = collections.Counter(row["how"].split(":")[0] for row in rows)
    print(f"{len(rows)} rules, {len(policies)} policies: " + ", ".join(f"{n} {how}" for how, n in sorted(counts.items())))


main()
