#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each mutant that survivors.txt explains can still be made: its file has the function, and the function what is changed, as often as it says.

survivors.py ROOT   fails, and names those that can't. make.py, which parses, has the last word: this is quick, and needs no clang.
"""
import re
import sys

LINE = re.compile(r"(?P<file>\S+) (?P<function>\w+): (?P<what>\w+) `(?P<old>.*?)` -> `(?P<new>.*?)`(?: #(?P<nth>\d+))?$")


def body(text, function):
    """The function's definition, blanks made one; None where there is none."""
    found = re.search(rf"^[^\s#/*].*\b{function}\([^;{{]*\)\n{{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    return found and " ".join(found.group(1).split())


def missing(root, description):
    """Why the mutant can't be made; None where it can."""
    m = LINE.fullmatch(description)
    if not m:
        return "expected FILE FUNCTION: WHAT `OLD` -> `NEW`"
    try:
        with open(f"{root}/{m['file']}", encoding="utf-8") as f:
            text = body(f.read(), m["function"])
    except FileNotFoundError:
        return "there is no such file"
    if text is None:
        return "the file has no such function"
    word = r"(?<!\w){}(?!\w)" if re.fullmatch(r"\w+", m["old"]) else "{}"
    times = len(re.findall(word.format(re.escape(m["old"])), text))
    return None if times >= int(m["nth"] or 1) else f"the function has `{m['old']}` {times} times"


def main():
    root = sys.argv[1]
    with open(f"{root}/tests/mutants/survivors.txt", encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    bad = 0
    for line in lines:
        description, tab, why = line.partition("\t")
        reason = missing(root, description) or (None if tab and why else "expected a tab and why no test can notice it")
        if reason:
            print(f"survivors.txt: {description}: {reason}", file=sys.stderr)
            bad += 1
    if not lines:
        print("survivors.txt explains nothing", file=sys.stderr)
        bad = 1
    if not bad:
        print(f"{len(lines)} mutants, all can be made")
    sys.exit(bad != 0)


main()
