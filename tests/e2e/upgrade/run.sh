#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A cluster that is upgraded under load: two API servers behind a balancer are replaced one after the other by those of the next version, while Jobs are made
# all the time. Our webhook and our controller run from the beginning to the end: no Job is lost, none is refused, and neither process is started again.
#   run.sh [--keep] [X.Y...]   the versions, in order (default: 1.35 1.36 1.37); each one's newest patch that common/schema/releases.h names
# JR_BIN: the folder with our programs (default: build/release/bin). Needs haproxy.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$(cd "$HERE/.." && pwd)
JR_BIN=${JR_BIN:-$(cd "$E2E/../.." && pwd)/build/release/bin}
export JR_BIN
KEEP=""
if [ "${1:-}" = --keep ]; then
    KEEP=1
    shift
fi
[ $# -gt 0 ] || set -- 1.35 1.36 1.37
for version in "$@"; do "$E2E/build.sh" kubernetes "$version"; done
BIN=$("$E2E/build.sh" --where kubernetes "$1")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-upgrade.XXXXXX")
export BIN DIR
. "$E2E/../support/proc.sh"
. "$E2E/suite.sh"

teardown() {
    local f
    [ "$FAILED" = 0 ] || log_tails 20 "$DIR"/log/*.log >&2
    if [ -n "$KEEP" ]; then
        echo "the cluster runs on: eval \"\$($E2E/cluster.sh env $DIR)\"; end it by $E2E/cluster.sh down $DIR"
        return
    fi
    for f in "$DIR"/run/*.pid; do
        case $f in
        *'*.pid' | */etcd.pid | */kube-apiserver.pid | */kube-controller-manager.pid) ;;
        *) proc_stop "$(basename "$f" .pid)" ;;
        esac
    done
    "$E2E/cluster.sh" down "$DIR"
    if [ "$FAILED" = 0 ]; then rm -rf "$DIR"; else echo "logs are kept in $DIR/log"; fi
}
suite_teardown teardown

# ---- two API servers behind a balancer, which everybody calls

"$E2E/cluster.sh" up "$DIR"
. "$DIR/env"
free_port && SECOND=$PORT
free_port && BALANCED=$PORT
"$E2E/cluster.sh" beside "$DIR" second-apiserver "$SECOND"
cat > "$DIR/haproxy.cfg" << C
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    option redispatch
    retries 3
frontend all
    bind 127.0.0.1:$BALANCED
    default_backend servers
backend servers
    balance roundrobin
    option httpchk GET /readyz
    default-server check check-ssl verify none inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
    server first 127.0.0.1:$API_PORT
    server second 127.0.0.1:$SECOND
C
proc_start haproxy haproxy -db -f "$DIR/haproxy.cfg"
sed -i "s#^SERVER=.*#SERVER=https://127.0.0.1:$BALANCED#" "$DIR/env"
sed -i "s#127.0.0.1:$API_PORT#127.0.0.1:$BALANCED#" "$DIR/admin.conf" "$DIR/pki/kcm.conf"
proc_stop kube-controller-manager
"$E2E/cluster.sh" up "$DIR" > "$DIR/log/restart.log" 2>&1
echo "$*" > "$DIR/versions"
echo "$SECOND" > "$DIR/second"
suite_run "$HERE/upgrade.sh"
