#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The chart's tests: helm and a kube-apiserver are built, the latter is started without nodes, the t_*.sh run in order.
#   run.sh [NAME...]   NAME: only the tests that have it in their names
# JR_BIN: the folder with our programs (default: build/release/bin). TMPDIR: where the run's folder is made.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
E2E=$HERE/../e2e
JR_BIN=${JR_BIN:-$(cd "$HERE/../.." && pwd)/build/release/bin}
export JR_BIN

"$E2E/build.sh"
DIR=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-chart.XXXXXX")
export DIR
. "$E2E/../support/proc.sh"
. "$E2E/suite.sh"

teardown() {
    [ "$FAILED" = 0 ] || log_tails 10 >&2
    "$E2E/cluster.sh" down "$DIR"
    if [ "$FAILED" = 0 ]; then rm -rf "$DIR"; else echo "logs are kept in $DIR/log"; fi
}
suite_teardown teardown

"$E2E/cluster.sh" up "$DIR"
suite "$HERE" "$@"
