#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program in an unpacked image as a runtime would run it: in_image.sh ROOT MNT USER CMD...   (as root; keeps its pid)
#   the root read-only, the folder MNT at /mnt, MNT/hosts at /etc/hosts, as USER:USER without other groups or new privileges
set -eu
if [ "${IN_IMAGE:-}" != mounts ]; then
    IN_IMAGE=mounts exec unshare --mount --propagation private "$0" "$@"
fi
unset IN_IMAGE
root=$1 mnt=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount --bind -o ro "$mnt" "$root/mnt"
mount --bind -o ro "$mnt/hosts" "$root/etc/hosts"
mount -o remount,bind,ro "$root"
if (: > "$root/written") 2> /dev/null; then
    echo "in_image: the root is not read-only" >&2
    exit 1
fi
exec setpriv --no-new-privs chroot --userspec="$user:$user" --groups= "$root" "$@"
