# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: a Debian of this machine's release, made from the mirror once, and kept where the end-to-end tests keep what they build.

# debian_base ROOT PACKAGE,...: a system with these packages, in the folder ROOT
debian_base() {
    local root=$1 include=$2 kept
    kept=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve/bookworm-$(sha256sum <<< "$include" | cut -c 1-12).tar
    if [ ! -f "$kept" ]; then
        mkdir -p "$(dirname "$kept")"
        debootstrap --variant=minbase --include="$include" bookworm "$DIR/base" > "$DIR/log/debootstrap.log" 2>&1
        tar -c -C "$DIR/base" --exclude='./var/cache/apt/archives/*.deb' -f "$kept.$$" .
        mv "$kept.$$" "$kept"
        rm -rf "$DIR/base"
    fi
    mkdir -p "$root"
    tar -x -p -C "$root" -f "$kept"
}
