#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The archive in a containerd of its own, as root: containerd.sh ARCHIVE   (./dev image --test containerd)
#   it can be imported, and each program runs from it with a read-only root, as the image's user
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$(realpath "$1")
. "$here/../support/scene.sh"
scene containerd
. "$here/../../project.env"
image=localhost/jobreeve:$VERSION
ctr=(ctr -a "$DIR/sock")

cat > "$DIR/config.toml" << C
version = 2
root = "$DIR/root"
state = "$DIR/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "$DIR/sock"
[ttrpc]
address = "$DIR/sock.ttrpc"
C
proc_start containerd containerd -c "$DIR/config.toml"
ALIVE=containerd await 60 "containerd" "${ctr[@]}" version
"${ctr[@]}" images import --snapshotter native "$archive" > "$DIR/log/import.log"
"${ctr[@]}" images check "name==$image" | grep complete
for p in jobreeve jobreeve-controller jobreeve-webhook; do
    said=$("${ctr[@]}" run --rm --read-only --snapshotter native "$image" "$p-$$" "/usr/bin/$p" --version)
    [ "${said%%$'\n'*}" = "$p $VERSION" ]
done
# The user that the image names: a file of root's that others may not read is out of reach.
install -d -m 0755 "$DIR/mnt"
install -m 0600 /dev/null "$DIR/mnt/secret.yaml"
"${ctr[@]}" run --rm --read-only --snapshotter native --mount "type=bind,src=$DIR/mnt,dst=/mnt,options=rbind:ro" "$image" "user-$$" \
    /usr/bin/jobreeve check /mnt/secret.yaml > "$DIR/log/user.log" 2>&1 && exit 1
grep -qi 'permission denied' "$DIR/log/user.log"
echo "ok    containerd imports it and runs each program, not as root, from a read-only root"
