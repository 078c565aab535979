#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds functions of the product that nothing in the product calls.

A function counts as called when its name stands anywhere but in its declarations and at its definition: as a call, in a
table, in a macro. Declarations are read from the headers of the product's folders. A function that only tests call
belongs to tests/support, or is static there.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("certs", "cli", "common", "controller", "devcluster", "webhook")
# Names that the texts can't show as called, each with the reason.
SIMULATION = "the simulation's seam: virtual time, chance from a seed, the store in process"
OBSERVED = "how tests see that memory doesn't grow"
EXPECTED = {
    "jr_loop_new_virtual": SIMULATION,
    "jr_loop_next": SIMULATION,
    "jr_rand_of_seed": SIMULATION,
    "jr_hash_replay": SIMULATION,
    "jr_dev_compact": SIMULATION,
    "jr_dev_watch_due": SIMULATION,
    "jr_job_status_write": "the simulation's model compares statuses by their texts",
    "jr_expectations_count": OBSERVED,
    "jr_records_count": OBSERVED,
    "jr_queue_count": OBSERVED,
    "jr_flags_parse": "flags without a configuration file, as the tests of each program read them",
    "jr_json_check": "the strict reader alone, as its fuzz target and tests call it",
    "jr_pointer_get": "a pointer's value, as tests of patches ask for it",
    "jr_pod_decode": "JR_CACHE_TYPE(pod) pastes its name together",
}
MIN_FUNCTIONS = 1500

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
comments = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
# A declaration or definition begins in the first column with a type; a call is indented, or stands in a macro.
heads = re.compile(r"^(?!static\b|typedef\b|#|return\b)[a-z][\w \t*]*?[\s*](jr_\w+)\(", re.MULTILINE)
names = re.compile(r"\bjr_\w+\b")

declared, seen = set(), collections.Counter()
for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*.[ch]")):
        text = comments.sub(" ", path.read_text(encoding="utf-8"))
        here = [m.group(1) for m in heads.finditer(text)]
        if path.suffix == ".h":
            declared.update(here)
        seen.update(names.findall(text))
        seen.subtract(here)

unused = sorted(name for name in declared if seen[name] <= 0 and name not in EXPECTED)
for name in unused:
    print(f"{name}: nothing in {', '.join(FOLDERS)} calls it; remove it, or move it to tests/support")
for name in sorted(set(EXPECTED) & {n for n in declared if seen[n] > 0} | set(EXPECTED) - declared):
    unused.append(name)
    print(f"{name}: is called, or isn't declared: take it out of EXPECTED")
if len(declared) < MIN_FUNCTIONS:
    sys.exit(f"only {len(declared)} declared functions were found: is this the root of the repository?")
print(f"{len(declared)} declared functions, {len(unused)} without a caller")
sys.exit(1 if unused else 0)
