#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# image.sh REFERENCE ARCHIVE FILE=PATH...: an image of these files and nothing else, in docker's archive format; the first is its
# entry point, the user is 65532.
set -eu -o pipefail
reference=$1 archive=$2
shift 2
work=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-image.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/tmp" "$work/root/etc"
chmod 1777 "$work/root/tmp"
for f; do install -D -m 755 "${f%%=*}" "$work/root${f#*=}"; done
tar_of() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$@"; }
tar_of "$work/root" -cf "$work/layer.tar" .
digest=$(sha256sum "$work/layer.tar")
architecture=$(dpkg --print-architecture)
printf '{"architecture":"%s","os":"linux","config":{"User":"65532:65532","Entrypoint":["%s"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$architecture" "${1#*=}" "${digest%% *}" > "$work/config.json"
printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$reference" > "$work/manifest.json"
tar_of "$work" -cf "$archive.new" manifest.json config.json layer.tar
mv "$archive.new" "$archive"
