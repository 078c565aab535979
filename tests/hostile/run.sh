#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hostile tests: what a tenant of the cluster, or a peer that reaches a port, may do to the release builds. One file per finding.
#   run.sh [--quick] [--keep] [NAME...]
#   NAME      only the tests that have it in their names: "webhook", "webhook/t_10", "flood"
#   --quick   only those with a line "# quick", which the gate runs
#   --keep    the folder of the run and its control plane stay
# cli/t_*.sh, webhook/t_*.sh and policies/t_*.sh need no cluster; controller/t_*.sh share one real kube-apiserver, which is started when the first of
# them is due. JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$HERE/../e2e
JR_BIN=${JR_BIN:-$(cd "$HERE/../.." && pwd)/build/release/bin}
export JR_BIN
KEEP="" QUICK=""
while :; do
    case ${1:-} in
    --keep) KEEP=1 ;;
    --quick) QUICK=1 ;;
    *) break ;;
    esac
    shift
done

DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-hostile.XXXXXX")
export DIR
. "$E2E/../support/proc.sh"
. "$E2E/suite.sh"
mkdir -p "$DIR/log" "$DIR/run"
CLUSTER=""

teardown() {
    local f
    [ "$FAILED" = 0 ] || log_tails 40 >&2
    for f in "$DIR"/run/*.pid; do
        case $f in
        *'*.pid' | */etcd.pid | */kube-*.pid) ;; # these are the cluster's own
        *) proc_stop "$(basename "$f" .pid)" ;;
        esac
    done
    if [ -n "$KEEP" ]; then
        echo "the run's folder is $DIR; end its control plane by $E2E/cluster.sh down $DIR"
        return
    fi
    [ -z "$CLUSTER" ] || "$E2E/cluster.sh" down "$DIR"
    if [ "$FAILED" = 0 ]; then rm -rf "$DIR"; else echo "logs are kept in $DIR/log"; fi
}
suite_teardown teardown

chosen() { # chosen FOLDER PART...: prints the tests to run
    local t
    for t in "$1"/t_*.sh; do
        [ -f "$t" ] || continue
        [ -z "$QUICK" ] || grep -qx '# quick' "$t" || continue
        wanted "$(basename "$1")/$(basename "$t" .sh)" "${@:2}" && printf '%s\n' "$t"
    done
    return 0
}

TESTS=()
for part in cli webhook policies controller; do
    mapfile -t tests < <(chosen "$HERE/$part" "$@")
    TESTS+=("${tests[@]}")
done
for t in "${TESTS[@]}"; do
    case $t in
    "$HERE"/controller/*)
        if [ -z "$CLUSTER" ]; then
            "$E2E/build.sh"
            CLUSTER=1
            "$E2E/cluster.sh" up "$DIR"
        fi
        ;;
    esac
    suite_run "$t"
done
suite_ran
