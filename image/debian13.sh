#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Debian 13 of this machine's own mirror, and commands in it: debian13.sh CMD [ARG]...   (./dev debian13, ./dev image)
#   CMD runs in /usr/src/jobreeve, which is this tree, read-only but for build/: that is build/debian13 here.
#   --update       takes in newer packages
#   --sources      prints where the packages come from, as lines of a sources.list
# It is made once, by mmdebstrap, and kept in ${XDG_CACHE_HOME:-~/.cache}/jobreeve/debian13. Without root it takes user namespaces and
# entries in /etc/subuid and /etc/subgid. Mounts, processes and /tmp are its own; the network is the machine's.
# JOBREEVE_BUILD_PATH: another folder there than /usr/src/jobreeve. JOBREEVE_DEBIAN_MIRROR: the mirror, where apt's sources name no Debian of this machine's release.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(dirname "$here")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve
root=$cache/debian13
suite=trixie
at=${JOBREEVE_BUILD_PATH:-/usr/src/jobreeve}
die() { echo "debian13: $*" >&2; exit 2; }

sources() {
    local codename
    if [ -n "${JOBREEVE_DEBIAN_MIRROR:-}" ]; then
        echo "deb $JOBREEVE_DEBIAN_MIRROR $suite main"
        return
    fi
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    # The same repositories, with the name of the other release in place of this one's.
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
        awk -v of="$codename" -v to="$suite" '$3 == "main" && ($2 == of || index($2, of "-") == 1) && of != "" {
            print "deb", $1, to substr($2, length(of) + 1), "main"; n++ } END { exit n == 0 }' ||
        die "apt's sources name no Debian $codename: set JOBREEVE_DEBIAN_MIRROR to the address of a mirror"
}

# How apt gets at its sources: proxies and the like. A mirror that doesn't answer is asked again.
transport() {
    echo 'Acquire::Retries "5";'
    apt-config dump | grep -E '^Acquire::(https?::|ftp::|Check-|Retries)[^ ]* "..*";' || true
}

# spaces CMD...: in namespaces of its own, as their root
spaces() {
    local flags=(--mount --propagation private --pid --fork --kill-child)
    [ "$(id -u)" = 0 ] || flags+=(--user --map-root-user --map-auto)
    unshare "${flags[@]}" -- "$@"
}

make() {
    local made=$root.$$
    command -v mmdebstrap > /dev/null || die "mmdebstrap is missing"
    echo "making a Debian 13 in $root" >&2
    mkdir -p "$cache"
    sources > "$made.list"
    transport > "$made.conf"
    mmdebstrap --quiet --variant=minbase --include=ca-certificates --aptopt="$made.conf" "$suite" "$made.tar" - < "$made.list"
    mkdir "$made"
    spaces tar -x -p --numeric-owner --exclude='./dev/*' -C "$made" -f "$made.tar"
    rm "$made.tar" "$made.list" "$made.conf"
    mv -T "$made" "$root"
}

# In its namespaces: the mounts, then CMD in the new root.
inside() {
    local f
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    mount -t tmpfs -o mode=755 run "$root/run"
    for f in resolv.conf hosts; do
        [ ! -e "/etc/$f" ] || cat "/etc/$f" > "$root/etc/$f"
    done
    mkdir -p "$root$at" "$root/root/.cache/ccache" "$root/run/lock"
    mount --bind "$tree" "$root$at"
    mount -o remount,bind,ro "$root$at"
    mount --bind "$tree/build/debian13" "$root$at/build"
    mount --bind "$CCACHE" "$root/root/.cache/ccache"
    exec chroot "$root" env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" TZ="${TZ:-UTC}" \
        LC_ALL="${LC_ALL:-C.UTF-8}" DEBIAN_FRONTEND=noninteractive JOBREEVE_REVISION="${JOBREEVE_REVISION:-}" \
        ${SOURCE_DATE_EPOCH:+SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"} ${CCACHE_DISABLE:+CCACHE_DISABLE="$CCACHE_DISABLE"} \
        bash -c 'umask 022; cd "$0" && exec "$@"' "$at" "$@"
}

case ${1:-} in
--sources) sources; exit ;;
--inside) shift; inside "$@" ;;
--update) set -- sh -c 'apt-get update -qq && apt-get upgrade -qq -y --no-install-recommends' ;;
'' | -*) die "expected: debian13.sh CMD [ARG]..., --update or --sources" ;;
esac
mkdir -p "$tree/build/debian13" "$cache"
(
    flock 9
    [ -d "$root" ] || make
) 9> "$root.lock"
CCACHE=${CCACHE_DIR:-$(ccache --get-config cache_dir 2> /dev/null || echo "$cache/ccache")}
export CCACHE
mkdir -p "$CCACHE"
spaces "$here/debian13.sh" --inside "$@"
