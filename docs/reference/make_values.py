#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The chart's values as Markdown: make_values.py VALUES.yaml VALUES.schema.json prints the page docs/reference/values.md; with a third argument, the
chart's README.md, that file with the tables between its marks made anew.

Reads the YAML of values.yaml as it is written there: two blanks a level, a comment above each value, "## TITLE" before a section."""
import json
import re
import sys

HEAD = """# Values of the chart

This page lists every value of the Helm chart `charts/jobreeve`, with its default and what it accepts. It is generated from the chart's `values.yaml`
and `values.schema.json` (`docs/reference/make_values.py`). How the values are used together: [operations](../operations.md).

Values that can't work together are refused when the chart is rendered, with a message that names them.
"""


def die(line_number, why):
    sys.exit(f"values.yaml:{line_number}: {why}")


def sections(path):
    """[(title, text, [(path, default, comment)])]"""
    found = []
    keys = []  # of the maps that are open
    comment = []
    whole = None  # the path and level of a map that is described as one value
    lines = open(path, encoding="utf-8").read().split("\n")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        level = (len(line) - len(line.lstrip())) // 2
        if text.startswith("## "):
            found.append((text[3:], [], []))
            comment = found[-1][1]
            continue
        if not found or text == "":
            if found and comment is found[-1][1]:
                comment = []
            continue
        if whole is not None:
            if level > whole[1] or (level == whole[1] and text.startswith("- ")):
                if text.startswith("- "):
                    whole[0].append(text[2:])
                continue
            whole = None
        if text.startswith("#"):
            comment.append(text.lstrip("# "))
            continue
        match = re.fullmatch(r"([A-Za-z_-]+):(?: (.*))?", text)
        if not match:
            die(number, "expected a key and a value")
        name, value = match.groups()
        del keys[level:]
        keys.append(name)
        if comment is found[-1][1]:
            comment = []
        following = next((l for l in lines[number:] if l.strip()), "")
        if value is not None:
            if not comment:
                die(number, f"{'.'.join(keys)} has no comment")
            found[-1][2].append((".".join(keys), value, " ".join(comment)))
        elif comment:
            items = [] if following.strip().startswith("- ") else None
            found[-1][2].append([".".join(keys), items, " ".join(comment)])
            whole = (items if items is not None else [], level)
        comment = []
    return found


def schema_of(schema, path):
    node = schema
    for name in path.split("."):
        node = deref(schema, node).get("properties", {}).get(name, {})
    return deref(schema, node)


def deref(schema, node):
    while "$ref" in node:
        node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
    return node


def allowed(schema, path):
    return words(schema, schema_of(schema, path))


def words(schema, node):
    """What a value may be, in a few words."""
    node = deref(schema, node)
    if node == schema["definitions"]["count"]:
        return "number or percentage"
    several = node.get("anyOf") or node.get("oneOf")
    if several:
        return " or ".join(dict.fromkeys(words(schema, n) for n in several))
    if node == schema["definitions"]["duration"]:
        return "duration"
    if "enum" in node:
        return ", ".join(f"`{v if isinstance(v, str) and v else json.dumps(v)}`" for v in node["enum"])
    kind = node.get("type", "")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if "minimum" in node and "maximum" in node:
        return f"{kind}, {node['minimum']} to {node['maximum']}"
    if "minimum" in node:
        return f"{kind}, at least {node['minimum']}"
    return {"array": "list", "object": "map", "boolean": "true or false"}.get(kind, kind)


def cell(text):
    return text.replace("|", "\\|")


def tables(found, schema, level):
    out = []
    for title, text, rows in found:
        out.append(f"{level} {title}\n")
        if text:
            out.append(" ".join(text) + "\n")
        out.append("| value | default |" + (" accepts |" if schema else "") + " what it does |")
        out.append("| --- | --- |" + (" --- |" if schema else "") + " --- |")
        for path, default, comment in rows:
            if default is None:
                default = "see values.yaml"
            elif isinstance(default, list):
                default = f"`[{', '.join(default)}]`"
            else:
                default = f"`{default}`"
            middle = f" {cell(allowed(schema, path))} |" if schema else ""
            out.append(f"| `{path}` | {default} |{middle} {cell(comment)} |")
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def main():
    found = sections(sys.argv[1])
    if len(sys.argv) == 3:
        schema = json.load(open(sys.argv[2], encoding="utf-8"))
        sys.stdout.write(HEAD + "\n" + tables(found, schema, "##"))
        return
    begin, end = "<!-- values: generated from values.yaml by docs/reference/generate.sh -->\n", "<!-- values: end -->\n"
    readme = open(sys.argv[3], encoding="utf-8").read()
    if begin not in readme or end not in readme:
        sys.exit(f"{sys.argv[3]}: the marks of the generated part are missing")
    before, rest = readme.split(begin)
    sys.stdout.write(before + begin + "\n" + tables(found, None, "###") + "\n" + end + rest.split(end)[1])


main()
