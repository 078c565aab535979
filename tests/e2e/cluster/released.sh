#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The last release, made from the commit that project.env names: prints the folder of its tree, which has its chart, and its image as image.oci.tar. Made
# once and kept, by commit.
set -eu -o pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cd "$ROOT"
. ./project.env
out=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve/released-$RELEASED
[ ! -s "$out/image.oci.tar" ] || { echo "$out" && exit; }
git -c safe.directory="$ROOT" cat-file -e "$RELEASED^{commit}" 2> /dev/null || {
    echo "released.sh: the repository lacks $RELEASED, which project.env says is the last release: git fetch --unshallow" >&2
    exit 2
}
mkdir -p "${out%/*}"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
git -c safe.directory="$ROOT" archive "$RELEASED" | tar -x -C "$work"
SOURCE_DATE_EPOCH=$(git -c safe.directory="$ROOT" log -1 --format=%ct "$RELEASED") JOBREEVE_REVISION=$RELEASED "$work/dev" image "$work/image.oci.tar" >&2
rm -rf "$work/build" "$out"
mv "$work" "$out"
trap - EXIT
echo "$out"
