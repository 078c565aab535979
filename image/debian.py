# SPDX-License-Identifier: Apache-2.0
"""What dpkg knows of the files on this machine: which package a file is of, whether it is as packaged, under which licence."""
import functools
import hashlib
import os
import re
import subprocess

INFO = "/var/lib/dpkg/info"
FIELDS = ["Package", "Architecture", "Version", "Source", "Section", "Priority", "Maintainer", "Homepage", "Description"]

# Debian's names for licences that have one of SPDX's. What isn't here keeps Debian's name.
SPDX = {
    "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "artistic": "Artistic-1.0-Perl", "beerware": "Beerware",
    "bsd-1-clause": "BSD-1-Clause", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause",
    "bsd-4-clause-uc": "BSD-4-Clause-UC", "curl": "curl", "expat": "MIT", "fsfullr": "FSFULLR", "gfdl-1.2+": "GFDL-1.2-or-later",
    "gfdl-1.3+": "GFDL-1.3-or-later", "gpl-1": "GPL-1.0-only", "gpl-1+": "GPL-1.0-or-later", "gpl-2": "GPL-2.0-only",
    "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later", "gpl-3.0+": "GPL-3.0-or-later",
    "isc": "ISC", "latex2e": "Latex2e", "lgpl-2": "LGPL-2.0-only", "lgpl-2+": "LGPL-2.0-or-later", "lgpl-2.1": "LGPL-2.1-only",
    "lgpl-2.1+": "LGPL-2.1-or-later", "lgpl-3": "LGPL-3.0-only", "lgpl-3+": "LGPL-3.0-or-later", "mit": "MIT", "mpl-1.1": "MPL-1.1",
    "mpl-2.0": "MPL-2.0", "openldap-2.8": "OLDAP-2.8", "openssl": "OpenSSL", "unicode": "Unicode-DFS-2016", "x11": "X11",
    "zlib": "Zlib",
}


def query(*args):
    env = dict(os.environ, LC_ALL="C")
    return subprocess.run(args, check=True, capture_output=True, text=True, env=env).stdout


def names_of(path):
    """The names under which a package may list a file: those of before and after the merge of / and /usr."""
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return [real] + ([real[len("/usr"):]] if real.startswith("/usr/lib") else [])


@functools.lru_cache(None)
def md5sums(package):
    for name in (package, package.partition(":")[0]):
        path = f"{INFO}/{name}.md5sums"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                return {"/" + line.split(None, 1)[1].rstrip("\n"): line.split(None, 1)[0] for line in f}
    raise SystemExit(f"image: dpkg has no checksums of {package}")


def verify(package, name, path):
    """Ends the program if `path` isn't the file that the package brought as `name`."""
    with open(path, "rb") as f:
        md5 = hashlib.md5(f.read(), usedforsecurity=False).hexdigest()
    if md5sums(package).get(name) != md5:
        raise SystemExit(f"image: {path} is not the file that {package} brought")


@functools.lru_cache(None)
def owner(path):
    """The package ("libc6:amd64") of a file; ends the program if it has none, or if the file isn't the one that was packaged."""
    target = os.path.realpath(path)
    for name in names_of(target):
        try:
            package = query("dpkg-query", "-S", name).split(": ")[0]
        except subprocess.CalledProcessError:
            continue
        verify(package, name, target)
        return package
    raise SystemExit(f"image: {path} is of no Debian package, so nobody can say what it is")


@functools.lru_cache(None)
def describe(package):
    """The package's record, as a dict of FIELDS in their order, with sourceName and sourceVersion."""
    fmt = "".join(f"\x01{f}\x02${{{f}}}" for f in FIELDS) + "\x01sourceName\x02${source:Package}\x01sourceVersion\x02${source:Version}"
    text = query("dpkg-query", "-W", "-f", fmt, package)
    return dict(part.split("\x02", 1) for part in text.split("\x01")[1:])


def copyright_file(package):
    path = os.path.realpath(f"/usr/share/doc/{package.partition(':')[0]}/copyright")
    if not os.path.isfile(path):
        raise SystemExit(f"image: {package} has no copyright file")
    return path


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def common_licences(text):
    """The files of /usr/share/common-licenses that a copyright file refers to."""
    names = {n.rstrip(".") for n in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]+)", text)}
    return sorted(n for n in names if os.path.isfile(f"/usr/share/common-licenses/{n}"))


def licences(package):
    """The licences that a copyright file names for anything in its source package: SPDX ids where there are, else Debian's names.
    If it isn't written for machines (DEP 5): where to read them."""
    text = read_text(copyright_file(package))
    if not re.match(r"\s*Format(-Specification)?:", text):
        return [f"see /usr/share/doc/{package.partition(':')[0]}/copyright"]
    found = set()
    for line in re.findall(r"^License:[ \t]*(\S.*)$", text, re.M):
        for name in re.split(r"\s+(?:and|or|and/or|with)\s+|[,|]\s*", line):
            if name and not re.search(r"exception|permissive$", name):
                found.add(SPDX.get(name.lower(), name))
    return sorted(found)


def distribution():
    """ID and VERSION_ID of this machine's os-release, as in a package URL: "debian-12"."""
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', read_text("/usr/lib/os-release"), re.M))
    return f"{fields['ID']}-{fields['VERSION_ID']}"
