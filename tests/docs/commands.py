#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the documentation and compares what they print with what the page shows.

    commands.py [--require] [--show] BIN PAGE...

A block fenced as ```console has commands, after "$ " (a line that ends in a backslash or opens a here-document goes on), and below each what it prints.
A line "..." there stands for any lines, "..." within a line for any text. All commands of a page run in one shell, in a folder of its own where the
tree's folders are links, with BIN (the programs) in the PATH. An HTML comment <!-- await: COMMAND --> waits until COMMAND succeeds.

From the first section on ("## ") that needs a program which isn't there (kubectl, helm) a page is skipped, with a line that says so; with --require that
is a failure. --show prints what each command prints, to write it into the page."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEEDED = ("kubectl", "helm")
MARK = "\x01done "
# kubectl watches, and what its client library says of a watch that it ended itself depends on the moment: no page shows it.
WATCH_ENDED = re.compile(r"I\d{4} [\d:.]+ +\d+ reflector\.go:\d+\] \"Warning: watch ended with error\" .*")


def parse(text):
    """[("run", command, expected lines, line number) or ("await", command, None, line number)]"""
    steps, inside, going_on = [], False, None
    for number, line in enumerate(text.split("\n"), 1):
        awaited = re.fullmatch(r"<!-- await: (.*) -->", line)
        if not inside and awaited:
            steps.append(("await", awaited.group(1), None, number))
        elif line == "```console":
            inside = True
        elif inside and line == "```":
            inside, going_on = False, None
        elif inside and going_on is not None:
            steps[-1] = (steps[-1][0], steps[-1][1] + "\n" + line, [], steps[-1][3])
            if going_on == "\\":
                going_on = "\\" if line.endswith("\\") else None
            elif line == going_on:
                going_on = None
        elif inside and line.startswith("$ "):
            steps.append(("run", line[2:], [], number))
            here = re.search(r"<<-?\s*'?(\w+)'?", line)
            going_on = "\\" if line.endswith("\\") else here.group(1) if here else None
        elif inside and steps:
            steps[-1][2].append(line)
    return steps


def matches(shown, printed):
    """Whether printed lines are what the page shows."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in shown[0].split("..."))
    return re.fullmatch(pattern, printed[0]) is not None and matches(shown[1:], printed[1:])


class Shell:
    """One bash for a page."""

    def __init__(self, folder, bin_folder):
        self.folder = folder
        home = os.path.join(folder, ".home")
        os.mkdir(home)
        tools = os.path.join(os.environ.get("JR_CACHE", os.path.expanduser("~/.cache/jobreeve")), "bin-v1.36.0")
        env = {"PATH": f"{bin_folder}:{os.environ['PATH']}:{tools}", "HOME": home, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}
        self.env = env
        self.bash = subprocess.Popen(["bash", "--norc", "--noprofile"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.count = 0

    def run(self, command):
        """The lines that it prints, and its exit code. What runs on in the background writes into a file of its own."""
        self.count += 1
        out = os.path.join(self.folder, f".out{self.count}")
        try:
            self.bash.stdin.write(f"{{ {command}\n}} > {out} 2>&1 < /dev/null\nprintf '{MARK}%s\\n' $?\n")
            self.bash.stdin.flush()
        except BrokenPipeError:
            return ["the shell has ended"], -1
        alarm = threading.Timer(180, os.killpg, (self.bash.pid, signal.SIGKILL))
        alarm.start()
        for line in self.bash.stdout:
            if line.startswith(MARK):
                alarm.cancel()
                lines = open(out, encoding="utf-8", errors="replace").read().rstrip("\n").split("\n")
                return ([] if lines == [""] else lines), int(line[len(MARK):])
        alarm.cancel()
        return ["the shell ended, or took more than 180 s"], -1

    def end(self):
        try:
            self.bash.stdin.close()
        except BrokenPipeError:
            pass
        for end in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.bash.pid, end)
                self.bash.wait(5)
            except (subprocess.TimeoutExpired, ProcessLookupError):
                pass


def run_page(page, bin_folder, require, show):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        text = f.read()
    steps = parse(text)
    sections = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("## ")]
    folder = tempfile.mkdtemp(prefix="jobreeve-docs.")
    for name in os.listdir(ROOT):
        if not name.startswith("."):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    shell = Shell(folder, bin_folder)
    good = True
    for tool in NEEDED:
        needs = [step[3] for step in steps if re.search(rf"(^|[|;&(\s]){tool}\s", step[1])]
        if needs and not shutil.which(tool, path=shell.env["PATH"]):
            begin = max((n for n in sections if n < needs[0]), default=0)
            steps = [step for step in steps if step[3] < begin]
            print(f"{'FAIL ' if require else 'skip '} {page}, from line {begin} on: there is no {tool}; tests/chart runs it")
            good = not require
    for kind, command, shown, number in steps:
        if kind == "await":
            _, code = shell.run(f'for _ in $(seq 600); do {command} > /dev/null 2>&1 && break; sleep 0.1; done; {command}')
            if code != 0:
                print(f"FAIL  {page}:{number}: waited in vain for: {command}")
                good = False
            continue
        printed, code = shell.run(command)
        printed = [line.rstrip() for line in printed if not WATCH_ENDED.fullmatch(line)]
        if show:
            print(f"$ {command}\n" + "\n".join(printed) + (f"\n[exit code {code}]" if code else ""))
        elif not matches(shown, printed):
            print(f"FAIL  {page}:{number}: $ {command}\n" + "".join(f"  shown    {l}\n" for l in shown) + "".join(f"  printed  {l}\n" for l in printed), end="")
            good = False
        # Where a page shows that a command fails, it shows what it says.
        elif code not in (0, 1) or (code == 1 and not shown):
            print(f"FAIL  {page}:{number}: exit code {code}: $ {command}")
            good = False
    shell.end()
    shutil.rmtree(folder)
    if good and not show:
        print(f"ok    {page}: {sum(step[0] == 'run' for step in steps)} commands")
    return good


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    bin_folder, *pages = [a for a in sys.argv[1:] if not a.startswith("--")]
    results = [run_page(p, os.path.abspath(bin_folder), "--require" in options, "--show" in options) for p in pages]
    sys.exit(0 if all(results) else 1)


main()
