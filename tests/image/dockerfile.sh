#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image/Dockerfile by buildah, as root: dockerfile.sh TREE SBOM   (./dev image --test dockerfile)
#   the same files with the same modes as TREE, which ./dev image has made here, our programs the same, and all else too where
#   its package is of the same version there. The Debian 13 that it starts from is made of the mirror: nothing is pulled.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
tree=$(realpath "$1")
sbom=$(realpath "$2")
. "$here/../support/scene.sh"
scene dockerfile
store=(--root "$DIR/store" --runroot "$DIR/storerun" --storage-driver vfs)

files() { (cd "$1" && find . \( -type f -o -type l \) -printf '%M %p %l\n' | LC_ALL=C sort); }
packages() { (cd "$1/var/lib/dpkg/status.d" && grep -H '^Version:' -- * | LC_ALL=C sort); }

revision=$(jq -r '.metadata.properties[] | select(.name == "jobreeve:revision") | .value' "$sbom")
"$repo/image/debian13.sh" --sources > "$DIR/sources"
mmdebstrap --quiet --variant=minbase --include=ca-certificates trixie "$DIR/debian.tar" - < "$DIR/sources" > "$DIR/log/mmdebstrap.log" 2>&1
buildah "${store[@]}" from --name base scratch > "$DIR/log/base.log"
buildah "${store[@]}" add -q base "$DIR/debian.tar" / >> "$DIR/log/base.log"
buildah "${store[@]}" commit -q base localhost/debian:13 >> "$DIR/log/base.log"
buildah "${store[@]}" rm base > /dev/null

# From the files of the working tree, as docker would be given them.
(cd "$repo" && buildah "${store[@]}" build -q --isolation chroot --pull-never --ignorefile image/Dockerfile.dockerignore -f image/Dockerfile -t localhost/made \
    --build-arg BUILDER=localhost/debian:13 --build-arg VERSION=0 --build-arg SOURCE_DATE_EPOCH="$(date -d "$(jq -r .metadata.timestamp "$sbom")" +%s)" \
    --build-arg REVISION="$revision" .) > "$DIR/log/build.log" 2>&1
buildah "${store[@]}" inspect --type image localhost/made | jq -e '.OCIv1.config | .User == "65532:65532" and .Labels["org.opencontainers.image.revision"] == $revision' --arg revision "$revision" > /dev/null
container=$(buildah "${store[@]}" from --pull-never localhost/made)
made=$(buildah "${store[@]}" mount "$container")
files "$tree" > "$DIR/here"
files "$made" > "$DIR/there"
diff "$DIR/here" "$DIR/there"
echo "ok    the same $(wc -l < "$DIR/here") files, with the same modes"
# But for the build-id: it covers the debug information, and so the headers of whatever versions the builder has.
for p in "$tree"/usr/bin/*; do
    objcopy -R .note.gnu.build-id "$p" "$DIR/p-here"
    objcopy -R .note.gnu.build-id "$made/usr/bin/$(basename "$p")" "$DIR/p-there"
    cmp "$DIR/p-here" "$DIR/p-there"
done
echo "ok    the programs are the same to the byte, but for their build-ids"
packages "$tree" > "$DIR/packages-here"
packages "$made" > "$DIR/packages-there"
diff "$DIR/packages-here" "$DIR/packages-there" > "$DIR/packages" || echo "      of other versions there: $(sed -n 's/^< \([^:]*\):.*/\1/p' "$DIR/packages" | tr '\n' ' ')"
jq -r '.components[] | select(.type == "library") | .name as $p | .components[] | [$p, .name] | @tsv' "$sbom" > "$DIR/files"
same=0
while IFS=$'\t' read -r package file; do
    grep -q "^< $package:" "$DIR/packages" && continue
    cmp "$tree$file" "$made$file"
    same=$((same + 1))
done < "$DIR/files"
echo "ok    the $same files of packages of the same versions are the same to the byte"
