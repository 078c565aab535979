#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes mutants of C sources, all in one build: what is changed asks jr_mutant (mutant.h) whether it is its turn.

make.py ROOT BUILD N SEED FILE...   rewrites the FILEs under ROOT in place with N mutants, and prints one line for each: number, tab,
                                    description. BUILD is a build directory: its compile_commands.json says what is defined for them.

Which sites are taken is decided by the hash of SEED (which may be empty) and their descriptions, so that a change elsewhere in the tree
leaves the sample as it is. A description has the file, the function, what is changed, and which of several alike in that function it is;
no line numbers.
"""
import hashlib
import json
import os
import re
import shlex
import sys

from clang import cindex
from clang.cindex import CursorKind as K

RELATIONS = {"<": ["<=", ">="], "<=": ["<"], ">": [">=", "<="], ">=": [">"], "==": ["!="], "!=": ["=="]}
LOGIC = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+"}
# What only tells, or only gives back: no behaviour hangs on it.
SILENT = re.compile(r"^(\(void\)\s*)?(jr_(debug|info|warn|err|log\w*|fail\w*|wrap)|free|\w+_(free|done|unref|reset))\s*\(")
LOOPS = (K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)
# Room for more of them changes nothing.
ALLOCATORS = ("calloc", "jr_arena_calloc", "jr_policy_calloc", "jr_xarena_calloc", "jr_xcalloc")


def is_number(node):
    """A literal, perhaps converted."""
    while node.kind == K.UNEXPOSED_EXPR and len(list(node.get_children())) == 1:
        node = next(node.get_children())
    return node.kind == K.INTEGER_LITERAL


class Site:
    def __init__(self, start, end, what, old, new, statement=False):
        self.start, self.end, self.what, self.old, self.new, self.statement = start, end, what, old, new, statement


class Source:
    """A file, and its sites in the order of the text."""

    def __init__(self, root, name, index, definitions):
        self.name = name
        self.path = f"{root}/{name}"
        self.text = open(self.path, "rb").read()
        self.unit = index.parse(self.path, args=["-std=gnu17", f"-I{root}", *definitions[name]])
        errors = [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SystemExit(f"make.py: {name}: {errors[0].spelling}")
        self.sites = []
        for f in self.unit.cursor.get_children():
            if f.kind == K.FUNCTION_DECL and f.is_definition() and f.location.file.name == self.path:
                self.function(f)

    def span(self, node):
        return node.extent.start.offset, node.extent.end.offset

    def slice(self, start, end):
        return self.text[start:end].decode()

    def function(self, f):
        begin = len(self.sites)
        for child in f.get_children():
            if child.kind == K.COMPOUND_STMT:
                self.walk(child)
        alike = {}
        for s in self.sites[begin:]:
            key = f"{self.name} {f.spelling}: {s.what} `{' '.join(s.old.split())}` -> `{' '.join(s.new.split())}`"
            alike[key] = alike.get(key, 0) + 1
            s.description = key if alike[key] == 1 else f"{key} #{alike[key]}"

    def add(self, node, what, new, statement=False, start=None, end=None):
        s, e = self.span(node) if start is None else (start, end)
        old = self.slice(s, e)
        if old.count("(") == old.count(")") and old.count("{") == old.count("}"):
            self.sites.append(Site(s, e, what, old, new, statement))

    def walk(self, node):
        children = list(node.get_children())
        if node.kind == K.VAR_DECL and node.storage_class == cindex.StorageClass.STATIC:
            return
        if node.kind in (K.CASE_STMT, K.CXX_UNARY_EXPR, K.INIT_LIST_EXPR):
            children = children[1:] if node.kind == K.CASE_STMT else [] if node.kind == K.CXX_UNARY_EXPR else children
        if node.kind == K.BINARY_OPERATOR and len(children) == 2:
            self.operator(node, *children)
        elif node.kind in (K.IF_STMT, K.WHILE_STMT):
            self.condition(children[0])
        elif node.kind == K.INTEGER_LITERAL:
            self.number(node)
        if node.kind in (K.COMPOUND_STMT, K.IF_STMT, K.DEFAULT_STMT, K.CASE_STMT) or node.kind in LOOPS:
            for c in children if node.kind == K.COMPOUND_STMT else children[1:] if node.kind == K.IF_STMT else children[-1:]:
                self.statement(c)
        for c in children:
            arrays = node.kind == K.VAR_DECL and c.kind == K.INTEGER_LITERAL and "[" in node.type.spelling
            rooms = node.kind == K.CALL_EXPR and node.spelling in ALLOCATORS and is_number(c)
            numbers = node.kind == K.INIT_LIST_EXPR and c.kind == K.INTEGER_LITERAL
            if not arrays and not rooms and not numbers:
                self.walk(c)

    def operator(self, node, left, right):
        start, end = self.span(node)
        a, b = left.extent.end.offset, right.extent.start.offset
        op = self.slice(a, b).strip()
        if (start, end) != (left.extent.start.offset, right.extent.end.offset):
            return  # out of a macro
        whole = all(x.type.get_canonical().kind.value in range(3, 21) for x in (left, right))
        others = RELATIONS.get(op, []) + [x[op] for x in (LOGIC,) if op in x] + [SUMS[op] for _ in [0] if op in SUMS and whole]
        for other in others:
            self.add(node, "operator", self.slice(start, a) + f" {other} " + self.slice(b, end))

    def condition(self, node):
        start, end = self.span(node)
        if self.slice(start - 1, start) == "(" and self.slice(end, end + 1) == ")":
            self.add(node, "condition", f"!({self.slice(start, end)})")

    def number(self, node):
        text = self.slice(*self.span(node))
        if re.fullmatch(r"[0-9]+", text):
            self.add(node, "number", str(int(text) + 1))
        elif text in ("true", "false"):
            self.add(node, "truth", "false" if text == "true" else "true")

    def statement(self, node):
        text = self.slice(*self.span(node))
        call = node.kind == K.CALL_EXPR or (node.kind == K.CSTYLE_CAST_EXPR and text.startswith("(void)") and "(" in text[6:])
        sets = node.kind in (K.COMPOUND_ASSIGNMENT_OPERATOR,) or (node.kind == K.UNARY_OPERATOR and re.search(r"\+\+|--", text))
        if node.kind == K.BINARY_OPERATOR:
            parts = list(node.get_children())
            sets = self.slice(parts[0].extent.end.offset, parts[1].extent.start.offset).strip() == "="
        if (call and not SILENT.match(text)) or sets:
            after = self.slice(self.span(node)[1], self.span(node)[1] + 1)
            if after == ";":
                self.add(node, "dropped", "", statement=True)

    def rewrite(self, chosen):
        """The text with the chosen sites (number, site) put in; those inside of others too."""
        groups = {}
        for number, s in chosen:
            groups.setdefault((s.start, s.end), []).append((number, s))
        # Outer ones first, so that inner ones are found inside of the unchanged arm.
        order = sorted(groups, key=lambda g: (g[0], -g[1]))

        def put(start, end, inside):
            out, at = [], start
            i = 0
            while i < len(inside):
                s, e = inside[i]
                within = []
                j = i + 1
                while j < len(inside) and inside[j][0] < e:
                    within.append(inside[j])
                    j += 1
                out.append(self.slice(at, s))
                body = put(s, e, within)
                members = groups[(s, e)]
                if any(m.statement for _, m in members):
                    test = " || ".join(f"jr_mutant == {n}" for n, m in members if m.statement)
                    out.append(f"({test} ? (void)0 : (void)({body}))")
                else:
                    arms = "".join(f"jr_mutant == {n} ? ({m.new}) : " for n, m in members)
                    out.append(f"({arms}({body}))")
                at = e
                i = j
            out.append(self.slice(at, end))
            return "".join(out)

        text = put(0, len(self.text), order)
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(text)


def definitions_of(root, build):
    """What -D says of each file that is compiled."""
    with open(f"{build}/compile_commands.json", encoding="utf-8") as f:
        commands = json.load(f)
    return {os.path.relpath(os.path.join(c["directory"], c["file"]), root): [a for a in shlex.split(c["command"]) if a.startswith("-D")]
            for c in commands}


def main():
    root, build, wanted, seed, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]
    definitions = definitions_of(root, build)
    cindex.Config.set_compatibility_check(False)
    index = cindex.Index.create()
    sources = [Source(root, n, index, definitions) for n in names]
    every = [(hashlib.sha256((seed + s.description).encode()).hexdigest(), s, src) for src in sources for s in src.sites]
    every.sort(key=lambda x: x[0])
    taken = every[:wanted]
    number = 0
    for src in sources:
        mine = []
        for _, s, of in sorted((t for t in taken if t[2] is src), key=lambda t: t[1].start):
            number += 1
            mine.append((number, s))
            print(f"{number}\t{s.description}")
        if mine:
            src.rewrite(mine)
    print(f"make.py: {len(taken)} of {len(every)} sites", file=sys.stderr)


main()
