#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the corpus: Jobs in trouble, on a real API server with the real controllers. What no scheduler and no kubelet is there to write is
# written here, in the words of their sources (words.csv). The programs: tests/e2e/build.sh.
#   make.sh DIR [NAME...]   makes all, or those; the cluster is in DIR, and stays up for the next call
#   make.sh DIR down        ends it
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$HERE/../e2e
[ $# -ge 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
mkdir -p "$1"
DIR=$(cd "$1" && pwd)
shift
export JR_E2E_APIS=scheduling.k8s.io/v1alpha2=true JR_E2E_GATES=GenericWorkload=true
# No kubelet answers here, so nothing may draw conclusions from its silence.
export JR_E2E_CONTROLLERS='*,-node-lifecycle-controller,-taint-eviction-controller,-pod-garbage-collector-controller'
. "$HERE/../support/proc.sh"
. "$E2E/pki.sh"
if [ "${1:-}" = down ]; then
    proc_stop deny
    exec "$E2E/cluster.sh" down "$DIR"
fi
"$E2E/cluster.sh" up "$DIR"
. "$DIR/env"
. "$HERE/lib.sh"
# shellcheck disable=SC1090
for f in "$HERE"/cases/*.sh; do . "$f"; done
prepare

made() {
    NAME=$1 NS="" POST=. K=1.36 EVENTS=0
    # Within a condition bash would pass over what fails.
    "case_${NAME//-/_}" > "$DIR/log/$NAME.log" 2>&1 &
    wait $! && say "$NAME" && return
    echo "$NAME failed: $DIR/log/$NAME.log" >&2
    tail -n 5 "$DIR/log/$NAME.log" >&2
    touch "$DIR/failed"
}

rm -f "$DIR/failed"
if [ $# = 0 ]; then
    mapfile -t names < <(declare -F | sed -n 's/^declare -f case_//p' | tr _ -)
    set -- "${names[@]}"
fi
# What runs already (the webhook) isn't waited for.
beside=$(($(jobs -rp | wc -l) + ${JR_DIAGNOSE_BESIDE:-6})) pids=()
for name; do
    while [ "$(jobs -rp | wc -l)" -ge "$beside" ]; do sleep 0.1; done
    made "$name" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || true; done
[ ! -e "$DIR/failed" ]
