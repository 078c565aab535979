#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documentation names exists: files, folders and functions in `backticks`, the targets of links, the headings that comments cite. Each of its
commands is run by a test, or stands in tests/docs/not_run.txt with the reason. With an argument: that tree instead.
"""
import glob
import os
import re
import sys

PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "charts/jobreeve/README.md", "tests/README.md", "docs/*.md", "docs/concepts/*.md", "docs/policies/*.md", "docs/reference/*.md"]
FOLDERS = ("common", "certs", "webhook", "controller", "cli", "devcluster", "tests")
PATHS = FOLDERS + ("docs", "charts", "image", "packaging", ".ci")
NOT_RUN = "tests/docs/not_run.txt"
OBJECTS = "docs/reference/objects.md"
CONTROLLER = "docs/reference/controller.md"
# Pages of upstream's names; they hold no paths of ours.
UPSTREAM = ("tests/README.md", "docs/reference/admission.md", CONTROLLER, "docs/reference/versions.md")
# Pages whose commands have a test of their own, which runs them all.
RUN = ("docs/operations.md", "tests/README.md")

faults = 0


def fault(text):
    global faults
    faults += 1
    print(text, file=sys.stderr)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def sources(folders, endings):
    """PATH and text of each source below them."""
    for folder in folders:
        for path, _, names in os.walk(folder):
            for name in names:
                if name.endswith(endings):
                    yield f"{path}/{name}", read(f"{path}/{name}")


class Page:
    """prose: its lines outside of blocks; blocks: LANGUAGE and line of those in them"""

    def __init__(self, path):
        self.path = path
        self.text = read(path)
        self.prose, self.blocks = [], []
        language = None
        for line in self.text.split("\n"):
            if line.startswith("```"):
                language = line[3:] if language is None else None
            elif language is None:
                self.prose.append(line)
            else:
                self.blocks.append((language, line))

    def spans(self):
        return sorted({s for line in self.prose for s in re.findall(r"`([^`]+)`", line)})

    def headings(self):
        return [re.sub(r"^#+ ", "", line) for line in self.prose if re.match(r"#+ ", line)]

    def anchors(self):
        return {re.sub(r"[^a-z0-9 _-]", "", h.replace("`", "").lower()).replace(" ", "-") for h in self.headings()}

    def links(self):
        return sorted(set(re.findall(r"\]\(([^ )]+)\)", re.sub(r"`[^`]*`", "", " ".join(self.prose)))))

    def commands(self):
        """Commands in other blocks than those fenced as console, which are run."""
        begins = re.compile(r"    (\$ |\./dev |helm |kubectl |jobreeve|build/|tests/|ctest |for |gdb )")
        blocks = [line[2:] for language, line in self.blocks if language == "sh" and line.startswith("$ ")]
        return blocks + [re.sub(r"^ +(\$ )?", "", line) for line in self.prose if begins.match(line)]


def check_paths(page):
    """What begins with a folder of ours, or names a source. A last part with * is a pattern."""
    if page.path in UPSTREAM:
        return
    for span in page.spans():
        if re.search(r"[\s<>{}()\"';$]", span) or "/NAME" in span or "NAMESPACE" in span:
            continue
        if "/" in span and span.split("/")[0] in PATHS and not glob.glob(span.split(":")[0]):
            fault(f"{page.path}: there is no {span}")


def check_names(page, words):
    """Functions, types and constants: each is somewhere in the sources."""
    for span in page.spans():
        name = re.fullmatch(r"((?:jr|sim)_[a-z0-9_]+|(?:JR|SIM)_[A-Z0-9_]+)(\(\))?", span)
        if name and name[1] not in words:
            fault(f"{page.path}: nothing in the sources is called {name[1]}")


def check_walks(page):
    """In the walks, "`FUNCTION` in `FILE`" is a function of that file."""
    for name, path in re.findall(r"`([a-z_0-9]+)` in `([a-z_/]+\.[ch])`", re.sub(r"\s+", " ", page.text)):
        if os.path.isfile(path) and not re.search(rf"\b{name}\b", read(path)):
            fault(f"{page.path}: {name} isn't in {path}")


def check_links(page, pages):
    """A file that exists, and a heading of it."""
    for target in page.links():
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        path = os.path.normpath(f"{os.path.dirname(page.path) or '.'}/{name}") if name else page.path
        if not os.path.exists(path):
            fault(f"{page.path}: the link {target} leads nowhere")
        elif anchor and path.endswith(".md") and anchor not in (pages.get(path) or Page(path)).anchors():
            fault(f"{page.path}: {target}: there is no such heading")


def check_citations(code, pages):
    """Headings that comments cite: docs/reference/NAME.md, "HEADING"; and those of rules and of the steps of a sync."""
    headings = {path: set(p.headings()) for path, p in pages.items()}
    for path, text in code.items():
        if not path.endswith((".c", ".h")):
            continue
        for page, heading in re.findall(r'(docs/reference/[a-z]+\.md), "([^"\n]+)"', text):
            if heading not in headings.get(page, ()):
                fault(f'{path}: {page} has no heading "{heading}"')
    steps = re.findall(r'^/\* [a-z_]+\.c: "([^"]+)"', code["controller/reconcile/internal.h"], re.MULTILINE)
    rules = re.findall(r'X\([A-Z_0-9]+, +"([^"]+)", *"', re.sub(r"[\n\\]", "", code["tests/sim/rules.h"]))
    if not steps or not rules:
        fault("controller/reconcile/internal.h or tests/sim/rules.h cites no heading")
    for heading in steps + rules:
        if heading not in headings[CONTROLLER]:
            fault(f'{CONTROLLER} has no heading "{heading}", which controller/reconcile or tests/sim cites')


def check_commands(pages):
    """Commands that no test runs are listed, and what is listed is in its page."""
    listed = [line.split("\t") for line in read(NOT_RUN).splitlines() if line and not line.startswith("#")]
    for path, page in pages.items():
        for command in page.commands() if path not in RUN else []:
            if not any(of == path and command.startswith(first) for of, first, *_ in listed):
                fault(f"{path}: no test runs `{command}`: fence it as console, or list it in {NOT_RUN}")
    for path, first, *_ in listed:
        if path not in pages or first not in pages[path].text:
            fault(f"{NOT_RUN}: {path} has no command `{first}`")


def check_objects(code, pages):
    """The names of objects.md are in the sources and the chart, and theirs are in objects.md."""
    chart = dict(sources(["charts"], (".h", ".c", ".yaml", ".tpl")))
    c = {path: text for path, text in code.items() if path.endswith((".c", ".h"))}
    of_ours = [t for p, t in c.items() if p.startswith(("common/", "webhook/", "controller/", "devcluster/"))] + list(chart.values())
    bases = [t for p, t in c.items() if p.startswith(("common/", "controller/", "devcluster/"))]
    for name in pages[OBJECTS].spans():
        if re.fullmatch(r"[a-z.]+\.[a-z]+/[a-z-]+", name):
            if not any(name in t for t in of_ours) and not any(name.partition("/")[2] in t for t in bases):
                fault(f"{OBJECTS}: {name} is nowhere in the sources")
    templates = [t for p, t in chart.items() if p.startswith("charts/jobreeve/templates/")]
    product = [t for p, t in c.items() if p.startswith(("webhook/", "controller/", "common/"))]
    names = {n for t in product + templates for n in re.findall(r"(?<![\w.-])jobreeve\.dev/[a-z-]+", t)} - {"jobreeve.dev/controller"}
    events = {n for p, t in c.items() if p.startswith("controller/") for n in re.findall(r'jr_emit_event\([^"\n]*"(?:Normal|Warning)", *"([A-Za-z]+)"', t)}
    events |= set(re.findall(r'JR_REFUSAL_REASON "([A-Za-z]+)"', c["controller/work/refusals.h"]))
    if not names or not events:
        fault("the sources have no annotations or no events: does this look in the right place?")
    for what, of in (("", names), ("the event ", events)):
        for name in sorted(of):
            if f"`{name}`" not in pages[OBJECTS].text:
                fault(f"{OBJECTS} lacks {what}{name}")


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    pages = {path: Page(path) for pattern in PAGES for path in sorted(glob.glob(pattern))}
    if len(pages) <= 10:
        raise SystemExit("no documentation: is this the root of the repository?")
    code = dict(sources(FOLDERS, (".c", ".h", ".sh")))
    words = {w for text in code.values() for w in re.findall(r"\b(?:(?:jr|sim)_[a-z0-9_]+|JR_[A-Z0-9_]+|SIM_[A-Z0-9_]+)\b", text)}
    for page in pages.values():
        check_paths(page)
        check_names(page, words)
        check_links(page, pages)
    check_walks(pages["docs/developing.md"])
    check_citations(code, pages)
    check_commands(pages)
    check_objects(code, pages)
    if faults == 0:
        print(f"{len(pages)} pages: files, functions, links, headings and commands are there")
    sys.exit(faults > 0)


main()
