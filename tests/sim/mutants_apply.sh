#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each mutant still fits the code; whether it is caught takes half an hour: mutants.sh.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
wrong=0
for p in tests/sim/mutants/*.patch; do
    git apply --check "$p" || { echo "$p doesn't apply any more: fit the lines around its change to the code" >&2; wrong=1; }
done
exit $wrong
