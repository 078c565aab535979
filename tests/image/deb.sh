#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages on a Debian 12 of their own, as root: deb.sh FOLDER   (./dev package --test)
#   lintian has nothing to say; they install, and start nothing; systemd is booted there (in a container of its own, with no network
#   but its loopback) and deb_inside.sh goes through an operator's steps, down to the purge
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=$(realpath "$1")
. "$here/../support/scene.sh"
. "$here/base.sh"
scene deb
root=$DIR/root
# What deb_inside.sh uses, and what the packages say they depend on: dpkg fetches nothing.
depends=$(for p in "$packages"/*.deb; do dpkg-deb -f "$p" Depends; done | tr ',' '\n' | sed 's/[(|].*//; s/ //g' | grep -v '^jobreeve' | sort -u | paste -sd ,)
include=adduser,systemd,systemd-sysv,curl,openssl,jq,procps,ca-certificates,$depends

[ "$(id -u)" = 0 ] || { echo "deb.sh: debootstrap and systemd-nspawn want root" >&2; exit 2; }
for p in "$packages"/*.deb; do lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$p"; done
echo "ok    lintian has nothing to say"

debian_base "$root" "$include"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
cp "$here/deb_inside.sh" "$root/usr/local/bin/inside"
cat > "$root/etc/systemd/system/inside.service" << 'U'
[Unit]
After=multi-user.target
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
ExecStart=/usr/local/bin/inside
TimeoutStartSec=300
U
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../inside.service "$root/etc/systemd/system/multi-user.target.wants/inside.service"
chroot "$root" sh -c 'dpkg -i /packages/*.deb' > "$DIR/log/dpkg.log" 2>&1
[ -z "$(find "$root/etc/systemd/system" -name 'jobreeve*')" ]
[ -z "$(cd "$root" && find usr/bin/jobreeve* usr/lib/systemd/system/jobreeve* etc/default/jobreeve* usr/share/doc/jobreeve* \( ! -user root -o -perm /022 \))" ]
[ "$(stat -c '%a %U' "$root/etc/jobreeve-webhook")" = "750 root" ]
for p in jobreeve jobreeve-controller jobreeve-webhook; do chroot "$root" "$p" --version; done > "$DIR/log/versions.log"
chroot "$root" bash -c '. /usr/share/bash-completion/completions/jobreeve && complete -p jobreeve' > /dev/null
for page in "$root"/usr/share/man/man?/jobreeve*.gz; do gzip -t "$page"; done
echo "ok    they install, and no service is enabled"

timeout 400 systemd-nspawn -q -D "$root" --machine=jobreeve-deb --register=no --keep-unit --private-network --console=pipe \
    --boot systemd.unit=multi-user.target > "$DIR/log/boot.log" 2>&1 < /dev/null || true
cp "$root/var/log/inside.log" "$DIR/log/" 2> /dev/null || true
grep '^ok ' "$root/var/log/inside.log" || true
[ "$(tail -n 1 "$root/var/log/inside.log")" = "done" ]
