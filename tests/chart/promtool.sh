#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints where promtool is: the machine's own, else the one of Debian's package prometheus, which is only unpacked (installed, it would
# start a server), once, into the cache.
set -eu -o pipefail
if command -v promtool; then exit 0; fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve
if [ ! -x "$cache/promtool" ]; then
    command -v apt-get > /dev/null || { echo "promtool.sh: no promtool, and no apt-get to get it with" >&2; exit 1; }
    mkdir -p "$cache"
    tmp=$(mktemp -d "$cache/promtool.XXXXXX")
    trap 'rm -rf "$tmp"' EXIT
    cd "$tmp"
    apt-get download -qq prometheus > log 2>&1 || {
        if [ "$(id -u)" = 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi
        apt-get download -qq prometheus > log 2>&1
    } || { cat log >&2; exit 1; }
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar x ./usr/bin/promtool
    mv usr/bin/promtool "$cache/promtool"
fi
echo "$cache/promtool"
