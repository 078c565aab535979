# SPDX-License-Identifier: Apache-2.0
"""The image's tree of files: our programs, the shared libraries that the loader would take for them, and the papers of both. Or one program without shared
libraries, and the papers of what it was linked with."""
import glob
import hashlib
import os
import re
import shutil
import subprocess

import debian

USER = 65532
WORK = "/work"  # the folder where the image of one program begins, for what is mounted there
ETC = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nnonroot:x:{USER}:{USER}:nonroot:/:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nnonroot:x:{USER}:\n",
    # Both are inside glibc since 2.34: no libnss_*.so is needed.
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


class Tree:
    """A tree under `root`, and for each file in it the Debian package that it is from ("" for ours). `linked`: packages that our program has parts of, and
    which."""

    def __init__(self, root):
        self.root = root
        self.owners = {}
        self.linked = {}
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)

    def _place(self, path, package):
        if path in self.owners:
            raise SystemExit(f"image: /{path} twice")
        self.owners[path] = package
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    def write(self, path, content, package="", mode=0o644):
        full = self._place(path, package)
        with open(full, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(full, mode)

    def copy(self, path, source, package="", mode=0o644):
        with open(source, "rb") as f:
            self.write(path, f.read(), package, mode)

    def link(self, path, target, package=""):
        os.symlink(target, self._place(path, package))

    def packages(self):
        return sorted({p for p in self.owners.values() if p} | set(self.linked))

    def close(self):
        """Folders get the same mode whatever the umask."""
        for folder, _, _ in os.walk(self.root):
            os.chmod(folder, 0o755)


def interpreter(program):
    text = debian.query("readelf", "-lW", program)
    return re.search(r"program interpreter: (/\S+?)\]", text).group(1)


def libraries(program, emulator):
    """soname -> file, as the loader resolves them; nothing but the standard folders is searched."""
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    loader = [*emulator, interpreter(program), "--list", program]
    text = subprocess.run(loader, check=True, capture_output=True, text=True, env=env).stdout
    if "not found" in text:
        raise SystemExit(f"image: {program} lacks a library:\n{text}")
    return dict(re.findall(r"^\s*(\S+) => (/\S+) \(0x", text, re.M))


def add_programs(tree, programs, emulator):
    loaders, needed = set(), {}
    for program in programs:
        tree.copy("usr/bin/" + os.path.basename(program), program, mode=0o755)
        loaders.add(interpreter(program))
        needed.update(libraries(program, emulator))
    for loader in sorted(loaders):
        tree.copy(loader.lstrip("/"), loader, debian.owner(loader), 0o755)
    for soname, path in sorted(needed.items()):
        if path not in loaders and soname not in {os.path.basename(name) for name in loaders}:
            folder = os.path.realpath(os.path.dirname(path)).lstrip("/")
            tree.copy(f"{folder}/{soname}", path, debian.owner(path))


def add_authorities(tree):
    """What libcurl trusts where a kubeconfig names no CA: Debian's certificates alone, not those that were added to this machine."""
    paths = sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))
    package = debian.owner(paths[0])
    for path in paths:
        debian.verify(package, path, path)
    bundle = "".join(debian.read_text(path).rstrip("\n") + "\n" for path in paths)
    tree.write("etc/ssl/certs/ca-certificates.crt", bundle, package)


def add_papers(tree, licence):
    """The licence of each thing inside, and the records by which a scanner knows the packages."""
    tree.copy("usr/lib/os-release", "/usr/lib/os-release", debian.owner("/usr/lib/os-release"))
    tree.link("etc/os-release", "../usr/lib/os-release", debian.owner("/usr/lib/os-release"))
    tree.copy("usr/share/doc/jobreeve/copyright", licence)
    common = set()
    for package in tree.packages():
        source = debian.copyright_file(package)
        tree.copy(f"usr/share/doc/{package.partition(':')[0]}/copyright", source, package)
        common.update(debian.common_licences(debian.read_text(source)))
    for name in sorted(common):
        path = f"/usr/share/common-licenses/{name}"
        tree.copy(path.lstrip("/"), path, debian.owner(path))
    for package in tree.packages():
        record = debian.describe(package)
        text = "".join(f"{f}: {record[f]}\n" for f in debian.FIELDS if record[f])
        tree.write(f"var/lib/dpkg/status.d/{record['Package']}", text, package)


def collect(root, programs, licence, emulator):
    """Makes the tree under `root`. The emulator is the command by which this machine runs the programs' loader; [] for its own."""
    tree = Tree(root)
    add_programs(tree, programs, emulator)
    for path, text in ETC.items():
        tree.write(path, text)
    add_authorities(tree)
    add_papers(tree, licence)
    tree.close()
    return tree


def linked_with(linker_map, compiled):
    """package -> what of it is in the program that the linker has written the map of: Debian's objects, and archives of which it has taken something.
    `compiled`: packages without an archive, whose sources were compiled with ours."""
    text = debian.read_text(linker_map)
    paths = {os.path.realpath(p) for p in re.findall(r"^LOAD (/\S+\.o)$", text, re.M) + re.findall(r"^(/\S+\.a)\(", text, re.M)}
    found = {}
    for path in sorted(paths):
        with open(path, "rb") as f:
            found.setdefault(debian.owner(path), []).append(f"{path} sha256:{hashlib.sha256(f.read()).hexdigest()}")
    if not found:
        raise SystemExit(f"image: {linker_map} names no archive of a Debian package")
    for package in compiled:
        record = debian.describe(package)
        found[package] = [f"sources of {record['sourceName']} {record['sourceVersion']}"]
    return found


def collect_static(root, program, licence, linked):
    """Makes the tree of one program without shared libraries. It looks names up by itself: there is no nsswitch.conf."""
    tree = Tree(root)
    tree.linked = linked
    tree.copy("usr/bin/" + os.path.basename(program), program, mode=0o755)
    for path in ("etc/passwd", "etc/group"):
        tree.write(path, ETC[path])
    add_authorities(tree)
    add_papers(tree, licence)
    os.makedirs(root + WORK)
    tree.close()
    return tree
