#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpus is whole, and its answers fit its dumps: check.py FOLDER COUNT. Prints each fault, and a line of counts."""
import csv
import datetime
import glob
import json
import os
import re
import sys

LISTS = ("must_mention", "must_not_say", "next_accept", "next_reject")
VERDICTS = ("moves", "hand", "never", "over")
WHO = re.compile(r"(nobody|author|admin|queue|owner-of:[A-Za-z]+/[a-z0-9.-]+)\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z")
# The clock of a node is ahead of it.
SKEWED = ("clock-skew",)
faults = 0


def fault(name, text):
    global faults
    faults += 1
    print(f"FAIL  {name}: {text}")


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError) as e:
        fault(path, f"can't be read: {e}")
        return None


def when(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def times(value):
    """All times in an object."""
    if isinstance(value, dict): # a deletion's is its deadline
        value = [v for k, v in value.items() if k != "deletionTimestamp"]
    if isinstance(value, list):
        for v in value:
            yield from times(v)
    elif isinstance(value, str) and TIME.match(value):
        yield when(value)


def check_fields(name, e):
    """Each is of its type. False: the rest can't be looked at."""
    before = faults
    for field in ("now", "kubernetes", "ask", "verdict", "who", "first_cause", "next_example", "source"):
        if not isinstance(e.get(field), str) or not e[field]:
            fault(name, f"{field}: expected a text")
    for field in LISTS + ("verdict_ok",):
        if not isinstance(e.get(field), list) or not all(isinstance(x, str) and x for x in e[field]):
            fault(name, f"{field}: expected a list of texts")
    if faults > before:
        return False
    if e["verdict"] not in VERDICTS:
        fault(name, f"verdict: expected one of {', '.join(VERDICTS)}")
    if not set(e["verdict_ok"]) <= set(VERDICTS) | {"unknown"} or e["verdict"] in e["verdict_ok"]:
        fault(name, "verdict_ok: expected others than the verdict")
    if not WHO.match(e["who"]):
        fault(name, f"who: {e['who']}")
    if not re.match(r"1\.3[1-7]\Z", e["kubernetes"]):
        fault(name, f"kubernetes: {e['kubernetes']}")
    if not TIME.match(e["now"]) or e.get("when") is not None and not TIME.match(e["when"]):
        fault(name, "now, when: expected RFC 3339")
        return False
    if not e["must_mention"] or not e["must_not_say"] or not e["next_accept"] or not e["next_reject"]:
        fault(name, "an empty list asks for nothing")
    return True


def compiled(name, field, texts):
    for text in texts:
        try:
            yield text, re.compile(text, re.IGNORECASE)
        except re.error as e:
            fault(name, f"{field}: {text}: {e}")


def check_expressions(name, e):
    """They compile, and the sentence and the command that stand here as right ones pass them."""
    for text, x in compiled(name, "must_mention", e["must_mention"]):
        if not x.search(e["first_cause"]):
            fault(name, f"must_mention: {text} isn't in first_cause")
    for text, x in compiled(name, "must_not_say", e["must_not_say"]):
        if x.search(e["first_cause"]):
            fault(name, f"must_not_say: {text} is in first_cause")
    if not any([x.search(e["next_example"]) for _, x in compiled(name, "next_accept", e["next_accept"])]):
        fault(name, "next_accept: next_example matches none")
    for text, x in compiled(name, "next_reject", e["next_reject"]):
        if x.search(e["next_example"]):
            fault(name, f"next_reject: {text} matches next_example")
    for a, b in (("must_mention", "must_not_say"), ("next_accept", "next_reject")):
        for text in set(e[a]) & set(e[b]):
            fault(name, f"{text} is in {a} and in {b}")


def check_dump(name, dump, e):
    if not isinstance(dump, dict) or dump.get("kind") != "List" or not isinstance(dump.get("items"), list):
        fault(name, "expected a v1 List")
        return
    kinds = {"job": "Job", "cronjob": "CronJob"}
    asked = re.match(r"(job|cronjob)/(\S+) -n (\S+)\Z", e["ask"])
    found = asked and [i for i in dump["items"] if i["kind"] == kinds[asked[1]] and i["metadata"]["name"] == asked[2] and i["metadata"].get("namespace") == asked[3]]
    if not found:
        fault(name, f"ask: {e['ask']} isn't in the dump")
    for item in dump["items"]:
        if item["kind"] == "Secret":
            fault(name, f"Secret {item['metadata']['name']}")
        if "managedFields" in item["metadata"]:
            fault(name, f"{item['kind']} {item['metadata']['name']} has managedFields")
        if item["kind"] == "Event" and (item.get("eventTime") is None) == (item.get("firstTimestamp") is None):
            fault(name, f"Event {item['metadata']['name']}: expected firstTimestamp or eventTime")
        if item["kind"] == "Pod" and not any(o["kind"] == "Job" for o in item["metadata"].get("ownerReferences", [])):
            fault(name, f"Pod {item['metadata']['name']} is of no Job")
    newest = max(times(dump["items"]))
    if newest > when(e["now"]) and name not in SKEWED:
        fault(name, f"now is {e['now']}, and the dump knows of {newest.isoformat()}")
    if e.get("when") and when(e["when"]) <= when(e["now"]):
        fault(name, "when: expected a time after now")


def check_words(folder):
    """The table beside the corpus: its columns, its expressions."""
    columns = ["program", "cause", "words", "versions", "source"]
    rows = 0
    with open(os.path.join(folder, "..", "words.csv"), encoding="utf-8", newline="") as f:
        table = csv.DictReader(f)
        if table.fieldnames != columns:
            fault("words.csv", f"expected the columns {', '.join(columns)}")
            return 0
        for row in table:
            rows += 1
            if None in row.values() or None in row or not all(row.values()):
                fault("words.csv", f"row {rows}: expected {len(columns)} fields")
                continue
            list(compiled("words.csv", f"row {rows}", [row["words"]]))
    if rows < 80:
        fault("words.csv", f"{rows} rows: expected at least 80")
    return rows


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    names = sorted(os.path.basename(p)[:-len(".json")] for p in glob.glob(f"{folder}/*.json"))
    answers = sorted(os.path.basename(p)[:-len(".expected")] for p in glob.glob(f"{folder}/*.expected"))
    for name in set(names) ^ set(answers):
        fault(name, "expected a .json and a .expected")
    if len(names) != count:
        fault("count", f"{len(names)} dumps: expected {count}")
    well, links, owners = 0, 0, 0
    for name in sorted(set(names) & set(answers)):
        dump, e = read(f"{folder}/{name}.json"), read(f"{folder}/{name}.expected")
        if not isinstance(e, dict) or dump is None or not check_fields(name, e):
            continue
        check_expressions(name, e)
        check_dump(name, dump, e)
        well += e["who"] in ("nobody", "queue") and e["verdict"] in ("moves", "over")
        links += e["source"].startswith("https://github.com/")
        owners += e["who"].startswith("owner-of:")
    if well < 10:
        fault("count", f"{well} in which nothing is wrong: expected at least 10")
    if links < 20:
        fault("count", f"{links} after public threads: expected at least 20")
    if owners < 10:
        fault("count", f"{owners} with an owner to change: expected at least 10")
    rows = check_words(folder)
    print(f"{len(names)} dumps: {well} need nobody, {owners} an owner, {links} are after threads; {rows} rows of words")
    sys.exit(1 if faults else 0)


main()
