#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the image's tree, and of it the OCI archive with its SBOM. ./dev image, ./dev cli and the Dockerfile call this."""
import argparse
import datetime
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left in the tree of sources
import debian  # noqa: E402
import oci  # noqa: E402
import project  # noqa: E402
import sbom  # noqa: E402
import tree  # noqa: E402

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}  # the architectures' names, Debian's and OCI's -> qemu's

CLI = "The Kubernetes API server's rules for Jobs and CronJobs, without a cluster: the jobreeve command"


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tree", required=True, help="folder to make (what is in it goes)")
    p.add_argument("--licence", required=True, help="our own licence")
    p.add_argument("--version", required=True)
    p.add_argument("--arch", help="what the programs are built for, default this machine's: another one's loader runs under qemu-user")
    p.add_argument("--revision", required=True, help="the commit")
    p.add_argument("--epoch", required=True, type=int, help="the commit's time, in seconds since 1970")
    p.add_argument("--reference", help="what the image is called, default localhost/TITLE:VERSION")
    p.add_argument("--static", metavar="MAP", help="the image jobreeve-cli, of one program without shared libraries: its linker's map; it is the entrypoint")
    p.add_argument("--compiled", action="append", default=[], metavar="PACKAGE", help="with --static: a package whose sources were compiled into it")
    p.add_argument("--out", help="the archive; without it only the tree is made")
    p.add_argument("--sbom", help="where to write the SBOM of the tree (CycloneDX 1.5)")
    p.add_argument("programs", nargs="+")
    return p.parse_args()


def labels_of(a):
    created = datetime.datetime.fromtimestamp(a.epoch, datetime.timezone.utc)
    where = project.coordinates()
    labels = {
        "title": "jobreeve-cli" if a.static else "jobreeve", "description": CLI if a.static else where["DESCRIPTION"],
        "version": a.version, "revision": a.revision, "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "licenses": where["LICENSE_ID"], "url": where["HOMEPAGE"], "source": where["SOURCE"],
    }
    return {"org.opencontainers.image." + name: text for name, text in labels.items() if text}


def size_of(root):
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, files in os.walk(root) for name in files)


def main():
    a = arguments()
    here = debian.query("dpkg", "--print-architecture").strip()
    arch = a.arch or here
    if arch not in MACHINES:
        raise SystemExit(f"image: built for {arch}, expected one of {', '.join(sorted(MACHINES))}")
    settings = {"User": f"{tree.USER}:{tree.USER}"}
    if a.static:
        made = tree.collect_static(a.tree, a.programs[0], a.licence, tree.linked_with(a.static, a.compiled))
        settings.update(Entrypoint=["/usr/bin/" + os.path.basename(a.programs[0])], WorkingDir=tree.WORK)
    else:
        made = tree.collect(a.tree, a.programs, a.licence, [] if arch == here else ["qemu-" + MACHINES[arch]])
    print(f"{a.tree}: {len(made.owners)} files of {len(made.packages())} Debian packages and ours, {size_of(a.tree)} bytes")
    labels = labels_of(a)
    subject = ""
    if a.out:
        reference = a.reference or f"localhost/{labels['org.opencontainers.image.title']}:{a.version}"
        subject = oci.write(a.out, a.tree, reference, {"architecture": arch, "os": "linux"}, settings, labels, a.epoch)
        print(f"{a.out}: {reference} {subject}, {os.path.getsize(a.out)} bytes")
    if a.sbom:
        sbom.write(a.sbom, made, labels, subject)
        print(f"{a.sbom}: CycloneDX {sbom.SPEC}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as fault:
        raise SystemExit(f"image: {fault}")
