#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The e2e tests on a real node: builds and starts it, loads the image, runs the t_*.sh in order, ends everything.
#   run.sh [--keep] [NAME...]   NAME: only the tests that have it in their names; --keep: the node stays
# JR_IMAGE: the archive of the image (default: build/image/jobreeve-VERSION.oci.tar). TMPDIR: where the run's folder is made.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
KEEP=""
if [ "${1:-}" = --keep ]; then
    KEEP=1
    shift
fi
IMAGE=${JR_IMAGE:-$ROOT/build/image/jobreeve-$(. "$ROOT/project.env" && echo "$VERSION").oci.tar}

"$HERE/../build.sh" node
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-cluster.XXXXXX")
export DIR
. "$HERE/../../support/proc.sh"
. "$HERE/../suite.sh"
mkdir -p "$DIR/log" "$DIR/run"

# Whatever happens: processes of the tests first, then the node; the logs stay when something failed.
teardown() {
    [ "$FAILED" = 0 ] || log_tails 20 "$DIR"/log/*.log >&2
    if [ -n "$KEEP" ]; then
        echo "the node runs on: export KUBECONFIG=$DIR/admin.conf; end it by DIR=$DIR $HERE/down.sh --wipe"
    else
        [ "$FAILED" = 0 ] || { mkdir "$DIR.failed" && cp -r "$DIR"/{log,audit.log,podlogs} "$DIR.failed"; }
        "$HERE/down.sh" --wipe
        rm -rf "$DIR"
        [ "$FAILED" = 0 ] || echo "logs are kept in $DIR.failed"
    fi
}
suite_teardown teardown

"$HERE/up.sh"
"$HERE/load.sh" "$IMAGE"
suite "$HERE" "$@"
