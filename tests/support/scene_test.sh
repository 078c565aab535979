#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A scene that fails ends what runs in its background. Else whoever reads its output waits for as long as that lives.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat > "$dir/fails.sh" << 'S'
set -eu -o pipefail
. "$1/scene.sh"
scene fails
part() {
    touch "$DIR/../began"
    for ((i = 0; i < 300; i++)); do sleep 0.1; done
    touch "$DIR/../outlived"
}
part &
proc_start program sleep 600
cp "$DIR/run/program.pid" "$DIR/../program.pid"
await 60 "the part in the background" test -e "$DIR/../began"
echo "now it fails"
false
S

code=0
out=$(TMPDIR=$dir bash "$dir/fails.sh" "$here" 2>&1) || code=$?
[ $code = 1 ] || { printf 'expected 1, it ended with %s:\n%s\n' "$code" "$out" >&2; exit 1; }
grep -q 'now it fails' <<< "$out"
grep -q "files are kept in $dir/jobreeve-fails" <<< "$out"
[ ! -e "$dir/outlived" ] || { echo "a part in the background outlived its scene" >&2; exit 1; }
mkdir -p "$dir/run"
mv "$dir/program.pid" "$dir/run/program.pid"
DIR=$dir
. "$here/proc.sh"
! proc_alive program || { echo "a program outlived its scene" >&2; exit 1; }
