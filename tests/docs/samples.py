#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JobPolicies, Jobs and CronJobs that pages show in yaml blocks can be used: samples.py BIN PAGE...

A block is taken if it has an apiVersion. JobPolicies are read as `jobreeve check --policy` reads them, Jobs and CronJobs are checked; a page may say
`<!-- refused -->` in the line before a block that is shown for what is said of it. Other kinds are passed over, and counted."""
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^(?:(<!-- refused -->)\n)?```ya?ml\n(.*?)^```$", re.S | re.M)
# A Job that policies may be evaluated on; what they say of it doesn't matter.
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sample}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n"


def run(program, text, job):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as sample, tempfile.NamedTemporaryFile("w", suffix=".yaml") as other:
        sample.write(text)
        sample.flush()
        other.write(JOB)
        other.flush()
        args = ["check", sample.name] if job else ["check", "--policy", sample.name, "--namespace-labels", "default:", other.name]
        done = subprocess.run([program, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr


def main():
    program, pages = sys.argv[1] + "/jobreeve", sys.argv[2:]
    counts = {"JobPolicy": 0, "Job": 0, "others": 0}
    bad = 0
    for page in pages:
        text = open(page, encoding="utf-8").read()
        for block in BLOCK.finditer(text):
            kind = re.search(r"^kind: *(\w+)", block.group(2), re.M)
            if not re.search(r"^apiVersion:", block.group(2), re.M) or kind is None:
                continue
            kind = "Job" if kind.group(1) in ("Job", "CronJob") else kind.group(1) if kind.group(1) == "JobPolicy" else "others"
            counts[kind] += 1
            if kind == "others":
                continue
            code, said = run(program, block.group(2), kind == "Job")
            refused = code == 2 if kind == "JobPolicy" else code != 0
            if refused != (block.group(1) is not None):
                bad += 1
                line = text.count("\n", 0, block.start()) + 1
                print(f"{page}:{line}: {'is refused' if refused else 'is not refused'}:\n{said}", file=sys.stderr)
    if counts["JobPolicy"] == 0:
        sys.exit("no page has a JobPolicy")
    print(f"{counts['JobPolicy']} JobPolicies, {counts['Job']} Jobs; {counts['others']} of other kinds passed over")
    sys.exit(bad > 0)


main()
