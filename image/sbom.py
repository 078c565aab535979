# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a tree, as CycloneDX 1.5: our programs and each Debian package, with the files that are from it."""
import hashlib
import json
import os
import uuid
from urllib.parse import quote

import debian
import licences

SPEC = "1.5"
OURS = "jobreeve"


def file_part(tree, path):
    full = os.path.join(tree.root, path)
    part = {"type": "file", "bom-ref": f"file:/{path}", "name": "/" + path}
    if os.path.islink(full):
        return {**part, "properties": [{"name": "jobreeve:link-to", "value": os.readlink(full)}]}
    with open(full, "rb") as f:
        return {**part, "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(f.read()).hexdigest()}]}


def licence_part(name):
    known = name in debian.SPDX.values()
    return {"license": {"id": name} if known else {"name": name}}


def package_part(tree, package):
    record = debian.describe(package)
    name, version = record["Package"], record["Version"]
    purl = (f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}"
            f"?arch={record['Architecture']}&distro={debian.distribution()}")
    properties = [{"name": "jobreeve:debian-source", "value": f"{record['sourceName']} {record['sourceVersion']}"}]
    properties += [{"name": "jobreeve:linked", "value": part} for part in tree.linked.get(package, [])]
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
        "supplier": {"name": record["Maintainer"]}, "properties": properties,
        "licenses": [{"expression": licences.concluded(name)}],
        # All that the copyright file names, of the whole source package.
        "evidence": {"licenses": [licence_part(licence) for licence in debian.licences(package)]}, "components": files_of(tree, package),
    }


def files_of(tree, package):
    return [file_part(tree, path) for path, of in sorted(tree.owners.items()) if of == package]


def ours_part(tree, version):
    return {
        "type": "application", "bom-ref": f"{OURS}@{version}", "name": OURS, "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}], "components": files_of(tree, ""),
    }


def document(tree, labels, subject):
    label = {name.rpartition(".")[2]: text for name, text in labels.items()}
    parts = [ours_part(tree, label["version"])] + [package_part(tree, p) for p in tree.packages()]
    image = {"type": "container", "bom-ref": "image", "name": label["title"], "version": label["version"],
             "description": label["description"], "licenses": [{"license": {"id": "Apache-2.0"}}]}
    if subject:
        image["hashes"] = [{"alg": "SHA-256", "content": subject.partition(":")[2]}]
        image["purl"] = f"pkg:oci/{label['title']}@{quote(subject, safe='')}?tag={quote(label['version'], safe='')}"
    refs = [part["bom-ref"] for part in parts]
    return {
        "bomFormat": "CycloneDX", "specVersion": SPEC, "version": 1,
        "metadata": {
            "timestamp": label["created"], "component": image,
            "tools": {"components": [{"type": "application", "name": "./dev image", "version": label["version"]}]},
            "properties": [{"name": "jobreeve:revision", "value": label["revision"]}],
        },
        "components": parts,
        "dependencies": [{"ref": "image", "dependsOn": refs[:1]}, {"ref": refs[0], "dependsOn": refs[1:]}],
    }


def write(out, tree, labels, subject):
    """The serial number comes from the content: the same tree has the same one."""
    bom = document(tree, labels, subject)
    name = json.dumps(bom, sort_keys=True)
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}"
    with open(out, "w", encoding="utf-8") as f:
        json.dump(bom, f, indent=1, sort_keys=True)
        f.write("\n")
