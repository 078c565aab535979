#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ./dev release has made, looked at as its users would, as root: release.sh FOLDER BIN   (./dev release --test)
#   sums      SHA256SUMS names each file and is right; its signature is the key's, and a changed byte is noticed
#   image     the archive of both architectures has the image of each, and its programs run, the other architecture's under qemu-user
#   cli       jobreeve without shared libraries and its image, cli.sh says what of them; that image is joined as well
#   packages  the Debian packages and the archive are of the architecture that their names say
#   chart     the chart of the release installs the release's image, and no other value has changed
#   krew      krew's own check takes the manifest of kubectl jobreeve, and the archives that it names are the release's and have what it takes out of them
#   sources   the archive of the sources has the tree
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
release=$(realpath "$1")
bin=$(realpath "$2")
. "$here/../support/scene.sh"
scene release
version=$(basename "$release")
name=jobreeve-$version
die() { echo "release.sh: $*" >&2; exit 1; }
declare -A machines=([amd64]='Advanced Micro Devices X86-64' [arm64]=AArch64)

# Signed or not, each file is told of once.
(cd "$release" && printf '%s\n' *) | grep -v '^SHA256SUMS' > "$DIR/files"
sed 's/^[0-9a-f]*  //' "$release/SHA256SUMS" | diff - "$DIR/files" || die "SHA256SUMS: not the files that are there"
(cd "$release" && sha256sum --quiet -c SHA256SUMS)
odd=$(grep -vE '^[A-Za-z0-9][A-Za-z0-9._-]*$' "$DIR/files" || [ $? = 1 ])
[ -z "$odd" ] || die "a name that a server of files would change: $odd"
verify() { openssl pkeyutl -verify -rawin -pubin -inkey "$release/SHA256SUMS.pub" -in "$1" -sigfile "$release/SHA256SUMS.sig" > /dev/null 2>&1; }
verify "$release/SHA256SUMS" || die "SHA256SUMS.sig: not a signature of SHA256SUMS"
sed '1s/^./x/' "$release/SHA256SUMS" > "$DIR/changed"
! verify "$DIR/changed" || die "SHA256SUMS.sig: also a signature of something else"
echo "ok    $(wc -l < "$DIR/files") files, as SHA256SUMS says, which is signed"

of() { jq -r --arg a "$1" '.manifests[] | select(.platform.architecture == $a).digest' "$2"; }
joined() { # joined NAME: the archive of both architectures has the image of each; sets index
    local arch digest blob joined=$DIR/joined/$1
    mkdir -p "$joined"
    tar -x -C "$joined" -f "$release/$1.oci.tar"
    index=$(jq -r '.manifests[0].digest' "$joined/index.json")
    for arch in amd64 arm64; do
        tar -x -O -f "$release/$1-linux-$arch.oci.tar" index.json > "$DIR/$arch.json"
        digest=$(of $arch "$DIR/$arch.json")
        [ "$digest" = "$(of $arch "$joined/blobs/${index/://}")" ] || die "$1: the joined image has another one for $arch"
        jq -r '.config.digest, .layers[].digest' "$joined/blobs/${digest/://}" | while read -r blob; do
            [ "sha256:$(sha256sum < "$joined/blobs/${blob/://}" | cut -d ' ' -f 1)" = "$blob" ] || die "blob $blob"
        done
    done
}
joined "jobreeve-cli-$version"
joined "$name"
for arch in amd64 arm64; do
    "$here/run.sh" "$release/$name-linux-$arch.oci.tar" "$bin" archive programs webhook controller | sed "s/^ok    /&$arch: /"
    "$here/cli.sh" "$release/$name-linux-$arch-static.tar.gz" "$release/jobreeve-cli-$version-linux-$arch.oci.tar" "$release/$name-linux-$arch.oci.tar" "$bin" |
        sed "s/^ok    /&$arch: /"
done

for arch in amd64 arm64; do
    mkdir "$DIR/$arch"
    for p in "$release"/*_"$version-1.deb13u1_$arch".deb; do
        [ "$(dpkg-deb -f "$p" Architecture)" = $arch ] || die "$p: of another architecture"
        [[ $(dpkg-deb -f "$p" Version) == "$version-1~deb13u1" ]] || die "$p: version $(dpkg-deb -f "$p" Version)"
        dpkg-deb -x "$p" "$DIR/$arch"
    done
    tar -x -C "$DIR/$arch" -f "$release/$name-linux-$arch.tar.gz"
    find "$DIR/$arch" -type f -path '*/bin/*' ! -name kubectl_complete-jobreeve > "$DIR/programs"
    [ "$(wc -l < "$DIR/programs")" = 8 ] || die "$arch: expected four programs twice: $(tr '\n' ' ' < "$DIR/programs")"
    while read -r p; do
        readelf -h "$p" | grep -q "Machine: *${machines[$arch]}$" || die "$p: for another machine"
    done < "$DIR/programs"
done
echo "ok    $(find "$release" -name '*.deb' | wc -l) Debian packages and an archive of each architecture are of it"

mkdir "$DIR/chart"
tar -x -C "$DIR/chart" -f "$release/$name.tgz"
diff -r "$repo/charts/jobreeve" "$DIR/chart/jobreeve" > "$DIR/chart.diff" || true
[ "$(grep -c '^[<>]' "$DIR/chart.diff")" = 4 ] || { cat "$DIR/chart.diff" >&2; die "the chart: expected two lines to differ from the tree's"; }
helm() { HELM_CACHE_HOME=$DIR/helm HELM_CONFIG_HOME=$DIR/helm HELM_DATA_HOME=$DIR/helm "$("$repo/tests/e2e/build.sh" --where)/helm" "$@"; }
helm lint --quiet "$release/$name.tgz"
helm template jobreeve "$release/$name.tgz" | sed -n 's/^ *image: "*\([^"]*\)"*$/\1/p' | sort -u > "$DIR/images"
grep -qx "[a-z0-9./:-]*/jobreeve:$version" "$DIR/images" && [ "$(wc -l < "$DIR/images")" = 1 ] || die "the chart's images: $(cat "$DIR/images")"
sed -n 's/^ *image: "*\([^"]*\)"*$/\1/p' "$release/install.yaml" | sort -u > "$DIR/by_digest"
[ "$(cat "$DIR/by_digest")" = "$(sed "s|:$version$||" "$DIR/images")@$index" ] || die "install.yaml's images: $(cat "$DIR/by_digest")"
echo "ok    the chart and install.yaml install the image: $(cat "$DIR/by_digest")"

"$repo/tests/e2e/build.sh" krew > "$DIR/krew.log" 2>&1 || { tail -n 20 "$DIR/krew.log" >&2; die "krew's check can't be built"; }
krew=$("$repo/tests/e2e/build.sh" --where)/validate-krew-manifest
"$krew" -skip-install -manifest "$release/jobreeve.yaml" > "$DIR/krew.out" 2>&1 || { cat "$DIR/krew.out" >&2; die "jobreeve.yaml: krew refuses it"; }
sed 's/shortDescription:.*/shortDescription: ""/' "$release/jobreeve.yaml" > "$DIR/jobreeve.yaml"
! "$krew" -skip-install -manifest "$DIR/jobreeve.yaml" > "$DIR/krew.out" 2>&1 || die "krew's check takes anything"
for arch in amd64 arm64; do
    file=$name-linux-$arch-static.tar.gz
    grep -A 20 "arch: $arch" "$release/jobreeve.yaml" | grep -m 1 sha256 | grep -q "$(sha256sum < "$release/$file" | cut -d ' ' -f 1)" || die "jobreeve.yaml: not the checksum of $file"
    ! tar -tv -f "$release/$file" | grep -v '^[d-]' || die "$file: krew unpacks files and folders alone"
    [ "$(tar -t -f "$release/$file" | grep -cE '^[^/]+/(bin/jobreeve|share/doc/jobreeve/copyright)$')" = 2 ] || die "$file: not what jobreeve.yaml takes out of it"
done
echo "ok    krew takes the manifest of kubectl jobreeve"

tar -t -f "$release/$name-source.tar.gz" | grep -v '/$' | sed "s|^$name/||" | sort > "$DIR/sources"
[ "$(cd "$repo" && git -c safe.directory="$repo" ls-files | sort)" = "$(cat "$DIR/sources")" ] || die "the sources: not the tree's"
[ -s "$release/notes.md" ] || die "notes.md: CHANGELOG.md has nothing about $version"
echo "ok    the sources are the tree's: $(wc -l < "$DIR/sources") files"
