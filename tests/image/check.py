#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads an image's archive as a runtime would, and the SBOM beside it: check.py ARCHIVE SBOM UNPACKED

Unpacks the layers into the folder UNPACKED. Knows nothing of image/: what is checked is what is in the files.
"""
import gzip
import hashlib
import io
import json
import os
import re
import stat
import sys
import tarfile

# What is expected of each image, by its title. The one of the command alone has no shared library, and begins in a folder for what is mounted there.
LIMITS = {"jobreeve": 40 * 1000 * 1000, "jobreeve-cli": 15 * 1000 * 1000}
PROGRAMS = {
    "jobreeve": {"usr/bin/jobreeve", "usr/bin/jobreeve-controller", "usr/bin/jobreeve-webhook"},
    "jobreeve-cli": {"usr/bin/jobreeve"},
}
ENTRYPOINTS = {"jobreeve": (None, "/"), "jobreeve-cli": (["/usr/bin/jobreeve"], "/work")}
LABELS = {"title", "description", "version", "revision", "created", "licenses", "url"}
DISTRIBUTION = "debian-13"
LIBRARIES = {  # what they must be at least: majors
    "jobreeve": {"libmicrohttpd12t64": "1.", "libcurl4t64": "8.", "libssl3t64": "3."},
    "jobreeve-cli": {"libc6-dev": "2.", "libcjson-dev": "1.", "libcurl4-openssl-dev": "8.", "libssl-dev": "3.", "libyaml-dev": "0."},
}
SHELLS = {"sh", "bash", "dash", "ash", "busybox", "zsh", "ksh", "csh", "perl", "python3", "env", "ld.so"}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def need(truth, words):
    if not truth:
        raise SystemExit(f"check: {words}")


def blob(files, what, kind):
    need(what["mediaType"] == "application/vnd.oci.image." + kind, f"{kind}: is called {what['mediaType']}")
    name = "blobs/" + what["digest"].replace(":", "/")
    need(name in files, f"{kind}: {name} isn't in the archive")
    data = files[name]
    need("sha256:" + sha256(data) == what["digest"] and len(data) == what["size"], f"{kind}: not the bytes that were promised")
    return data


def check_layout(archive):
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        files = {m.name: tar.extractfile(m).read() for m in members if m.isfile()}
    need(len({m.mtime for m in members}) == 1, "the archive's entries have different times")
    need(json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}, "oci-layout")
    for name, data in files.items():
        need(not name.startswith("blobs/") or name == "blobs/sha256/" + sha256(data), f"{name}: not what its name says")
    index = json.loads(files["index.json"])
    need(index["schemaVersion"] == 2 and len(index["manifests"]) == 1, "index.json: expected one manifest")
    top = index["manifests"][0]
    manifest = json.loads(blob(files, top, "manifest.v1+json"))
    config = json.loads(blob(files, manifest["config"], "config.v1+json"))
    layers = [gzip.decompress(blob(files, layer, "layer.v1.tar+gzip")) for layer in manifest["layers"]]
    need(config["rootfs"]["diff_ids"] == ["sha256:" + sha256(layer) for layer in layers], "diff_ids")
    blobs = sum(name.startswith("blobs/") for name in files)
    need(blobs == 2 + len(layers), f"{blobs} blobs, of which some are not referred to")
    return top, config, layers


def check_config(top, config):
    labels = config["config"]["Labels"]
    need({n.rpartition(".")[2] for n in labels} >= LABELS, f"labels: {sorted(labels)}")
    need(all(labels["org.opencontainers.image." + n] for n in LABELS), "an empty label")
    need(config["config"]["User"] == "65532:65532", f"user {config['config']['User']}")
    need(config["created"] == labels["org.opencontainers.image.created"], "created")
    need({"architecture": config["architecture"], "os": config["os"]} == top["platform"], "platform")
    version = labels["org.opencontainers.image.version"]
    name = top["annotations"]["io.containerd.image.name"]
    title = labels["org.opencontainers.image.title"]
    need(title in PROGRAMS and name == f"localhost/{title}:{version}", f"name {name}")
    begin = (config["config"].get("Entrypoint"), config["config"]["WorkingDir"])
    need(begin == ENTRYPOINTS[title], f"begins with {begin}")
    return labels, title


def check_entry(m):
    need(m.isfile() or m.isdir() or m.issym(), f"{m.name}: neither file, folder nor link")
    need((m.uid, m.gid, m.uname, m.gname) == (0, 0, "", ""), f"{m.name}: not of root")
    need(not m.mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX), f"{m.name}: mode {m.mode:o}")
    need(m.issym() or not m.mode & 0o022, f"{m.name}: others may write it")
    need(m.issym() or m.mode & 0o444 == 0o444, f"{m.name}: user 65532 can't read it")
    need(os.path.basename(m.name) not in SHELLS, f"{m.name}: what an intruder would look for")
    need(not m.name.startswith("tmp"), f"{m.name}: there is to be no /tmp")


def check_layers(layers, into, title):
    """Returns path -> SHA-256 (of a link: what it points to) of all that is no folder."""
    found, size = {}, 0
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
            members = tar.getmembers()
            need([m.name for m in members] == sorted(m.name for m in members), "the layer isn't sorted")
            need(len({m.mtime for m in members}) == 1, "the layer's entries have different times")
            for m in members:
                check_entry(m)
                size += m.size
                if not m.isdir():
                    need(m.name not in found, f"{m.name} twice")
                    found[m.name] = m.linkname if m.issym() else sha256(tar.extractfile(m).read())
                if m.isfile() and m.mode & 0o111:
                    need(m.name in PROGRAMS[title] or (title == "jobreeve" and "ld-linux" in m.name), f"{m.name}: may be executed")
                need(title == "jobreeve" or ".so" not in m.name, f"{m.name}: a shared library")
            tar.extractall(into)
    need(PROGRAMS[title] <= set(found), f"programs: {sorted(PROGRAMS[title] & set(found))}")
    need(os.path.isdir(into + ENTRYPOINTS[title][1]), f"{ENTRYPOINTS[title][1]} isn't there")
    need(size < LIMITS[title], f"{size} bytes unpacked, expected less than {LIMITS[title]}")
    return found, size


def check_papers(found, packages, into):
    for package in packages | {"jobreeve"}:
        path = f"usr/share/doc/{package}/copyright"
        need(path in found, f"{package}: no {path}")
        with open(os.path.join(into, path), encoding="utf-8", errors="replace") as f:
            for name in re.findall(r"/usr/share/common-licenses/([A-Z][A-Za-z0-9.+-]*[A-Za-z0-9])", f.read()):
                need(f"usr/share/common-licenses/{name}" in found, f"{path} refers to {name}, which isn't inside")


def check_sbom(path, found, manifest, labels, title):
    """Returns the names of the Debian packages."""
    with open(path, encoding="utf-8") as f:
        bom = json.load(f)
    need((bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.5"), "SBOM: not CycloneDX 1.5")
    image = bom["metadata"]["component"]
    need("sha256:" + image["hashes"][0]["content"] == manifest, "SBOM: of another image")
    need(image["version"] == labels["org.opencontainers.image.version"], "SBOM: of another version")
    refs, listed, packages = [image["bom-ref"]], {}, set()
    for part in bom["components"]:
        refs.append(part["bom-ref"])
        if part["type"] == "library":
            need(part["purl"].startswith(f"pkg:deb/debian/{part['name']}@") and part["version"], f"SBOM: {part['name']}")
            need(part["purl"].endswith(f"&distro={DISTRIBUTION}"), f"SBOM: {part['purl']}: not of {DISTRIBUTION}")
            need([list(entry) for entry in part["licenses"]] == [["expression"]], f"SBOM: {part['name']}: expected one licence, as an expression")
            need(part["evidence"]["licenses"], f"SBOM: {part['name']}: nothing is said of its copyright file")
            linked = [p["value"] for p in part["properties"] if p["name"] == "jobreeve:linked"]
            need(bool(linked) == ("-dev" in part["name"]), f"SBOM: {part['name']}: linked: {linked}")
            packages.add(part["name"])
        need(part["components"], f"SBOM: {part['name']} has no file")
        for file in part["components"]:
            refs.append(file["bom-ref"])
            name = file["name"].lstrip("/")
            need(name not in listed, f"SBOM: {name} twice")
            listed[name] = file["hashes"][0]["content"] if "hashes" in file else file["properties"][0]["value"]
    need(len(refs) == len(set(refs)), "SBOM: a bom-ref twice")
    for row in bom["dependencies"]:
        need({row["ref"], *row["dependsOn"]} <= set(refs), "SBOM: a dependency on nothing")
    need(listed == found, f"SBOM: differs from the image in {sorted(set(listed.items()) ^ set(found.items()))[:6]}")
    return packages


def check_distribution(into, title):
    """The libraries are Debian 13's, by what a scanner reads."""
    with open(os.path.join(into, "usr/lib/os-release"), encoding="utf-8") as f:
        need('VERSION_ID="13"' in f.read(), "os-release: not of Debian 13")
    for package, major in LIBRARIES[title].items():
        path = os.path.join(into, "var/lib/dpkg/status.d", package)
        need(os.path.exists(path), f"no record of {package}")
        with open(path, encoding="utf-8") as f:
            need(f"\nVersion: {major}" in f.read(), f"{package}: not version {major}*")


def check_records(found, packages):
    """Each package of which a file is inside has a record for scanners."""
    records = {name.rpartition("/")[2] for name in found if name.startswith("var/lib/dpkg/status.d/")}
    need(records == packages, f"status.d: {sorted(records ^ packages)}")


def main():
    archive, sbom, into = sys.argv[1:]
    top, config, layers = check_layout(archive)
    labels, title = check_config(top, config)
    found, size = check_layers(layers, into, title)
    packages = check_sbom(sbom, found, top["digest"], labels, title)
    check_papers(found, packages, into)
    check_records(found, packages)
    check_distribution(into, title)
    print(f"ok    {len(found)} files, {size} bytes unpacked, {len(packages)} Debian packages, each file once in the SBOM")


if __name__ == "__main__":
    main()
