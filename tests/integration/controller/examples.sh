#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples of a Job's policies come out as they say: examples.sh BIN ROOT
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
cd "$2"
. "$here/../../support/scene.sh"
. docs/demo/policies.sh
scene examples
jobs=/apis/batch/v1/namespaces/default/jobs

devcluster
proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --replace-builtin --ttl-after-finished --leader-elect=false \
    --health-probe-bind-address 0 --metrics-bind-address 0
ALIVE="devcluster controller"
submit_policy_examples
show_policy_examples
