# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: a copy of the working tree, as another one would have it.

# copy_tree REPO TO: what git has and what it would take in, with times of now, under another path
copy_tree() {
    mkdir -p "$2"
    (cd "$1" && git -c safe.directory="$1" ls-files -coz --exclude-standard | tar -c --null -T -) | tar -x -C "$2" --touch
}
