#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every metric as Markdown: make_metrics.py prints docs/reference/metrics.md, from the tables of metrics (struct jr_metric_desc) in the sources.

Each source goes through the C preprocessor, so that macros and constants are what the compiler sees. A table that isn't understood ends it."""
import glob
import os
import re
import subprocess
import sys

# Where a table is, its program exports it; what the keeper alone exports is named.
PROGRAMS = [
    ("The webhook", "`jobreeve-webhook` as a server, on `--metrics-bind-address`. `jobreeve_policy_*` and the informers' are there with `--policies` or\n`--policy-file`. `jobreeve_policies` (with `--policies`), `jobreeve_kubernetes_version_info`,\n`jobreeve_kubernetes_feature_enabled` and `rest_client_*`, of its requests to the API server, are in the controller's table.", ("webhook/", "common/policy/watch/store")),
    ("The keeper", "`jobreeve-webhook --keeper`, on `--metrics-bind-address`; the chart switches it off. It also has `jobreeve_webhook_certificate_not_after_timestamp_seconds`,\n"
     "`jobreeve_webhook_clock_skew_seconds` and `rest_client_*`.", ()),
    ("The controller", "`jobreeve-controller`, on `--metrics-bind-address`. Names and labels of `job_controller_*`, `workqueue_*`, `rest_client_*` and\n"
     "`ttl_after_finished_controller_*` are kube-controller-manager's, so dashboards carry over; their labels' values: "
     "[the controller's reference](controller.md#metrics).", ("controller/", "common/kube/", "common/policy/watch/watch")),
    ("All programs", "On both programs and the keeper.", ("common/base/",)),
]
KEEPERS = ("jobreeve_webhook_ca_not_after_timestamp_seconds", "jobreeve_webhook_old_ca_trusted", "jobreeve_webhook_keeper_looks_total")

HEAD = """# Metrics

This page lists every metric of the programs, in Prometheus' text format. It is generated from the tables in the sources
(`docs/reference/make_metrics.py`). What to alert on: [alerts](../operations.md#alerts).
"""


def expanded(path):
    cc = os.environ.get("CC", "cc")
    done = subprocess.run([cc, "-E", "-P", "-I.", "-D_GNU_SOURCE", '-DJR_VERSION="0"', '-DJR_REVISION="0"', path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def literal(text):
    """Adjacent string literals as one; None if text doesn't begin with one."""
    parts = re.match(r'\s*\(?\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', text)
    return None if parts is None else "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', parts.group(1))).replace('\\"', '"')


def fields(body):
    """The members of an initializer, by name or by place."""
    depth, start, quoted, parts = 0, 0, False, []
    for i, c in enumerate(body):
        if c == '"' and body[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += c in "({["
        depth -= c in ")}]"
        if c == "," and depth == 0:
            parts.append(body[start:i])
            start = i + 1
    parts.append(body[start:])
    names = ["name", "help", "kind", "labels", "buckets", "n_buckets"]
    found = {}
    for place, part in enumerate(p.strip() for p in parts if p.strip()):
        named = re.match(r"\.(\w+)\s*=\s*(.*)", part, re.S)
        found[named.group(1) if named else names[place]] = named.group(2) if named else part
    return found


def labels_of(text, source):
    if text is None or re.fullmatch(r"\(?\(void \*\)0\)?|NULL|\(\(void\*\)0\)", text.strip()):
        return []
    if re.fullmatch(r"\w+", text.strip()):
        array = re.search(r"\b%s\s*\[\]\s*=\s*\{(.*?)\}" % text.strip(), source, re.S)
        if array is None:
            sys.exit(f"no labels {text}")
        text = array.group(1)
    return re.findall(r'"([^"]*)"', text)


def metrics(path):
    source = expanded(path)
    for match in re.finditer(r"struct jr_metric_desc\s+(\w+)\s*=\s*\{", source):
        depth, end = 1, match.end()
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            end += 1
        row = fields(source[match.end():end - 1])
        name, text = literal(row.get("name", "")), literal(row.get("help", ""))
        kind = {"JR_COUNTER": "counter", "JR_GAUGE": "gauge", "JR_HISTOGRAM": "histogram"}.get(row.get("kind", "").strip("() \n"))
        if name is None or text is None or kind is None:
            sys.exit(f"{path}: {match.group(1)} isn't understood: {row}")
        yield name, kind, labels_of(row.get("labels"), source), text


def main():
    found = {}
    wanted = 0
    for path in sorted(glob.glob("common/**/*.c", recursive=True) + glob.glob("controller/**/*.c", recursive=True)
                       + glob.glob("webhook/**/*.c", recursive=True)):
        text = open(path, encoding="utf-8").read()
        if not re.search(r"^(static )?const struct jr_metric_desc \w+ =", text, re.M):
            continue
        wanted += len(re.findall(r"^(?:static )?const struct jr_metric_desc \w+ =", text, re.M))
        for row in metrics(path):
            program = "The keeper" if row[0] in KEEPERS else next(p[0] for p in PROGRAMS if path.startswith(p[2]) and p[2])
            found.setdefault(program, []).append(row)
    if sum(len(rows) for rows in found.values()) != wanted:
        sys.exit(f"{wanted} tables in the sources, but {sum(len(r) for r in found.values())} were understood")
    out = [HEAD]
    for title, text, _ in PROGRAMS:
        out.append(f"## {title}\n\n{text}\n\n| metric | type | labels | what it counts or shows |\n| --- | --- | --- | --- |")
        out += [f"| `{n}` | {k} | {', '.join(f'`{l}`' for l in ls)} | {t.rstrip('.')} |" for n, k, ls, t in sorted(found[title])]
        out.append("")
    sys.stdout.write("\n".join(out).rstrip() + "\n")


main()
