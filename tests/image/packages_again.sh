#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages built again: packages_again.sh FOLDER   (./dev package --test)
#   in another folder, under another umask, zone and language, and without what was compiled before, they are the same to the byte
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
packages=$(realpath "$1")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-packages.XXXXXX")
trap 'rm -rf "$DIR"' EXIT
. "$here/copy.sh"
other="$DIR/another folder/of another length"
copy_tree "$repo" "$other"
(umask 077 && cd "$other" && CCACHE_DISABLE=1 TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:?}" \
    JOBREEVE_REVISION="${JOBREEVE_REVISION:?}" ./dev package > "$DIR/log" 2>&1) || { tail -n 30 "$DIR/log" >&2; exit 1; }
sums() { (cd "$1" && sha256sum -- *); }
sums "$packages" > "$DIR/here"
sums "$other/build/packages" > "$DIR/there"
diff "$DIR/here" "$DIR/there" || {
    echo "the second build differs" >&2
    exit 1
}
echo "ok    built again elsewhere, the same bytes: $(wc -l < "$DIR/here") packages"
