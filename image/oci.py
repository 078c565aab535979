# SPDX-License-Identifier: Apache-2.0
"""An OCI archive of one layer, made of a folder. The same folder and labels give the same bytes: names are sorted, everything is of
root, and all times are one."""
import gzip
import hashlib
import io
import json
import os
import tarfile

OCI = "application/vnd.oci.image."


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def encode(what):
    return json.dumps(what, sort_keys=True, separators=(",", ":")).encode()


def describe(kind, data, **more):
    return {"mediaType": OCI + kind, "digest": digest(data), "size": len(data), **more}


def entry(name, time, mode=0o644):
    info = tarfile.TarInfo(name)
    info.mode, info.mtime, info.uid, info.gid, info.uname, info.gname = mode, time, 0, 0, "", ""
    return info


def add_path(tar, root, path, time):
    full = os.path.join(root, path)
    info = entry(path, time, os.lstat(full).st_mode & 0o7777)
    if os.path.islink(full):
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(full), 0o777
        tar.addfile(info)
    elif os.path.isdir(full):
        info.type = tarfile.DIRTYPE
        tar.addfile(info)
    else:
        info.size = os.path.getsize(full)
        with open(full, "rb") as f:
            tar.addfile(info, f)


def layer_of(root, time):
    paths = []
    for folder, folders, files in os.walk(root):
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in folders + files]
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(paths):
            add_path(tar, root, path, time)
    return data.getvalue()


def config_of(layer, platform, settings, labels):
    created = labels["org.opencontainers.image.created"]
    return encode({
        **platform, "created": created, "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "config": {"WorkingDir": "/", "Env": ["PATH=/usr/bin"], "Labels": labels, **settings},
        "history": [{"created": created, "created_by": "./dev image"}],
    })


def write(out, root, reference, platform, settings, labels, time):
    """Writes the archive and returns the digest of its manifest. The reference is what `ctr images import` calls the image; the settings are of its
    config: User, Entrypoint."""
    layer = layer_of(root, time)
    packed = gzip.compress(layer, 9, mtime=0)
    config = config_of(layer, platform, settings, labels)
    manifest = encode({
        "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "annotations": labels,
        "config": describe("config.v1+json", config), "layers": [describe("layer.v1.tar+gzip", packed)],
    })
    index = index_of([describe("manifest.v1+json", manifest, platform=platform, annotations=names_of(reference))])
    archive(out, index, (packed, config, manifest), time)
    return digest(manifest)


def names_of(reference):
    return {"io.containerd.image.name": reference, "org.opencontainers.image.ref.name": reference.rpartition(":")[2]}


def index_of(manifests):
    return encode({"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": manifests})


def archive(out, index, blobs, time):
    files = {"oci-layout": encode({"imageLayoutVersion": "1.0.0"}), "index.json": index}
    files.update({"blobs/sha256/" + digest(blob)[len("sha256:"):]: blob for blob in blobs})
    with tarfile.open(out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder in ("blobs", "blobs/sha256"):
            info = entry(folder, time, 0o755)
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
        for name, data in sorted(files.items()):
            info = entry(name, time)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def read(path):
    """What write has made: the description of its manifest, its blobs, and its time."""
    with tarfile.open(path) as tar:
        members = [m for m in tar.getmembers() if m.isfile()]
        files = {m.name: tar.extractfile(m).read() for m in members}
    blobs = [data for name, data in files.items() if name.startswith("blobs/")]
    return json.loads(files["index.json"])["manifests"][0], blobs, members[0].mtime


def join(out, archives, reference):
    """One archive of images for several architectures, an index of them; returns the index's digest, by which all are pulled."""
    parts = [read(path) for path in archives]
    manifests = [{k: v for k, v in part[0].items() if k != "annotations"} for part in parts]
    platforms = [m["platform"]["architecture"] for m in manifests]
    if len(set(platforms)) != len(platforms):
        raise SystemExit(f"image: {' '.join(archives)}: one architecture twice: {', '.join(platforms)}")
    index = index_of(manifests)
    top = index_of([describe("index.v1+json", index, annotations=names_of(reference))])
    blobs = {digest(blob): blob for _, part, _ in parts for blob in (*part, index)}
    archive(out, top, blobs.values(), parts[0][2])
    return digest(index)
