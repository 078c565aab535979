#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes all that is released, from a clean tree: release.sh --repository NAME [--url URL] [--key FILE]   (./dev release)
#   NAME  where the image will be pulled from, as registry.example.com/jobreeve: the chart's default, and what install.yaml names by digest; that of the
#         command alone is NAME-cli
#   URL   where the files will be fetched from: with it, the manifest for kubectl krew is among them
#   FILE  a private key in PEM (EC, Ed25519 or RSA), which signs SHA256SUMS
# Into build/dist/VERSION: the image for amd64 and arm64, one archive and an SBOM each, and both joined; the same of the image jobreeve-cli; Debian 13 packages
# and an archive of the programs of both; jobreeve without shared libraries; the chart; install.yaml, the chart with its default values and without hooks; the
# sources; the notes; SHA256SUMS. The same commit and packages give the same bytes. Nothing is pushed.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
die() { echo "release: $*" >&2; exit 2; }

repository='' key='' url=''
while [ $# -gt 0 ]; do
    case $1 in
    --repository) repository=${2:-} ;;
    --key) key=${2:-} ;;
    --url) url=${2:-} ;;
    *) die "'$1': expected --repository NAME, --url URL or --key FILE" ;;
    esac
    shift $(($# > 1 ? 2 : 1))
done
[[ $repository =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-][a-z0-9]+)*)+$ ]] ||
    die "--repository '$repository': expected where the image will be pulled from, as registry.example.com/jobreeve"
[[ -z $url || $url =~ ^https://[A-Za-z0-9./_:-]+$ ]] || die "--url '$url': expected where the files will be, as https://downloads.example.com/jobreeve"
[ -z "$key" ] || openssl pkey -in "$key" -noout || die "--key $key: expected a private key in PEM"
[ -z "$(git status --porcelain)" ] || die "the tree is not clean: $(git status --porcelain | head -n 1)"

. ./project.env
version=$VERSION
tests/lint/version.sh > /dev/null || die "the tree has several versions: tests/lint/version.sh"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=$PWD/build/dist/$version
name=jobreeve-$version
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# Of one folder, all of root, in order and of one time: archive FILE FOLDER NAME-IN-IT
archive() {
    tar -c -C "$2" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar "$3" | gzip -9n > "$1"
}

for arch in amd64 arm64; do
    ./dev image --arch $arch "$out/$name-linux-$arch.oci.tar"
    ./dev debian13 package --arch $arch > "$work/package.log" || { tail -n 30 "$work/package.log" >&2; exit 1; }
    made=build/debian13/packages
    [ $arch = "$(dpkg --print-architecture)" ] || made+=-$arch
    for deb in "$made"/*.deb; do # GitHub would rename what has a ~ in its name, and SHA256SUMS would name it no more
        file=$(basename "$deb")
        cp "$deb" "$out/${file//\~/.}"
    done
    cp "$made"/*.tar.gz "$out/$name-linux-$arch.tar.gz"
    ./dev cli --arch $arch > "$work/cli.log" || { tail -n 30 "$work/cli.log" >&2; exit 1; }
    made=build/cli
    [ $arch = "$(dpkg --print-architecture)" ] || made+=-$arch
    cp "$made"/* "$out"
done
digest=$(image/join.py "$out/$name.oci.tar" "$repository:$version" "$out/$name-linux-"{amd64,arm64}.oci.tar)

cli=$(image/join.py "$out/jobreeve-cli-$version.oci.tar" "$repository-cli:$version" "$out/jobreeve-cli-$version-linux-"{amd64,arm64}.oci.tar)

# The chart as it is in the tree, but for the image: where it is.
git archive --prefix=jobreeve/ HEAD:charts/jobreeve | tar -x -C "$work"
sed -i "/^image:/,/^[a-z]/ s|^  repository: \"\"$|  repository: $repository|" "$work/jobreeve/values.yaml"
sed -i "s|image: jobreeve:$version$|image: $repository:$version|" "$work/jobreeve/Chart.yaml"
grep -q "^  repository: $repository$" "$work/jobreeve/values.yaml" && grep -q "image: $repository:$version$" "$work/jobreeve/Chart.yaml" ||
    die "charts/jobreeve: values.yaml or Chart.yaml doesn't name the image where it did"
archive "$out/$name.tgz" "$work" jobreeve

tests/e2e/build.sh helm > "$work/helm.log" || { tail -n 30 "$work/helm.log" >&2; exit 1; }
packaging/install_yaml.sh "$(tests/e2e/build.sh --where)/helm" "$out/$name.tgz" "$digest" > "$out/install.yaml"

git archive --prefix="$name/" HEAD | gzip -9n > "$out/$name-source.tar.gz"
[ -z "$url" ] || packaging/krew.sh "$url" "$out" > "$out/jobreeve.yaml"
sed -n "/^## $version/,/^## [0-9]/p" CHANGELOG.md | sed -e 1d -e '/^## [0-9]/d' > "$out/notes.md"
(cd "$out" && sha256sum -- * > "$work/sums")
mv "$work/sums" "$out/SHA256SUMS"
if [ -n "$key" ]; then
    openssl pkeyutl -sign -rawin -inkey "$key" -in "$out/SHA256SUMS" -out "$out/SHA256SUMS.sig"
    openssl pkey -in "$key" -pubout -out "$out/SHA256SUMS.pub"
fi
chmod 644 "$out"/*
cat "$out/SHA256SUMS"
echo "$out: the image is $repository@$digest, that of the command $repository-cli@$cli"
