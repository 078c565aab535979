#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages without the time and the umask of the one who packs: repack.sh FILE...   (cpack calls it when it has made them)
# cpack takes SOURCE_DATE_EPOCH for what is inside a .deb, but not for its outer archive, nor for a .tar.gz. Without that variable nothing
# is done.
set -eu
[ -n "${SOURCE_DATE_EPOCH:-}" ] || exit 0
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file; do
    mkdir "$work/in"
    case $file in
    *.deb | *.ddeb)
        members=$(ar t "$file")
        (cd "$work/in" && ar x "$file")
        # shellcheck disable=SC2086
        (cd "$work/in" && ar rcD "$work/out" $members)
        ;;
    *.tar.gz)
        tar -x -p -z -C "$work/in" -f "$file"
        tar -c -C "$work/in" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -- "$(ls "$work/in")" |
            gzip -9n > "$work/out"
        ;;
    *) echo "repack.sh: $file: expected .deb, .ddeb or .tar.gz" >&2; exit 2 ;;
    esac
    cat "$work/out" > "$file"
    chmod 0644 "$file"
    rm -rf "$work/in" "$work/out"
done
