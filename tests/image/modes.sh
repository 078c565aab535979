#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is packed has the same modes whatever the umask of the one who builds: modes.sh BUILD   (ctest's package_modes)
# Finding: under umask 077 the folders in packages and in the archive were 0700; unpacked by root, it took /usr/local/bin from others.
# (The archive only, as it needs nothing but cpack; ./dev package --test compares all packages.)
set -eu -o pipefail
build=$(realpath "$1")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-modes.XXXXXX")
trap 'rm -rf "$DIR"' EXIT
for mask in 077 002; do
    (umask "$mask" && cd "$DIR" && cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$DIR/$mask" > "$DIR/log" 2>&1) || { cat "$DIR/log" >&2; exit 1; }
    tar -tvzf "$DIR/$mask"/*.tar.gz | awk '{ print $1, $NF }' | LC_ALL=C sort -k 2 > "$DIR/$mask.list"
done
[ "$(wc -l < "$DIR/077.list")" -gt 30 ] # there is something to look at
grep -qE '^-rwxr-xr-x .*/bin/jobreeve$' "$DIR/077.list"
[ "$(grep -c '^lrwxrwxrwx jobreeve$' "$DIR/077.list")" = 1 ] # kubectl-jobreeve; of a link awk prints what it points to
if grep -vE '^(drwxr-xr-x .*/|-rwxr-xr-x .*/bin/[a-z_-]+|lrwxrwxrwx jobreeve|-rw-r--r-- .*)$' "$DIR/077.list"; then
    echo "other modes than 755 and 644" >&2
    exit 1
fi
cmp "$DIR/077.list" "$DIR/002.list"
