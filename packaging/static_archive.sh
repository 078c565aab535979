#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The archive of jobreeve without shared libraries: static_archive.sh TREE STAGE OUT.tar.gz   (./dev cli)
#   TREE   the tree of the image jobreeve-cli: the program, and the papers of what it was linked with
#   STAGE  where all programs are installed: the manual pages and completions of jobreeve
# krew unpacks no links: kubectl-jobreeve isn't among the files. Of root and of one time, SOURCE_DATE_EPOCH, below a folder of the archive's name.
set -eu -o pipefail
tree=$1 stage=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
name=$(basename "$out" .tar.gz)
into=$work/$name
mkdir -p "$into/bin" "$into/share/man/man1" "$into/share/bash-completion/completions" "$into/share/zsh/vendor-completions" "$into/share/fish/vendor_completions.d"
install -m 755 "$tree/usr/bin/jobreeve" "$into/bin"
cp -r "$tree/usr/share/doc" "$tree/usr/share/common-licenses" "$into/share"
rm -r "$into/share/doc/"{base-files,ca-certificates} # those of the image
for page in "$stage/share/man/man1"/jobreeve*.1.gz; do
    [ "$(basename "$page")" = jobreeve-devcluster.1.gz ] || install -m 644 "$page" "$into/share/man/man1"
done
for file in bash-completion/completions/jobreeve zsh/vendor-completions/_jobreeve fish/vendor_completions.d/jobreeve.fish; do
    install -m 644 "$stage/share/$file" "$into/share/$file"
done
tar -c -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar "$name" | gzip -9n > "$out"
