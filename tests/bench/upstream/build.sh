#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds this module's commands, with the cluster's programs' versions, Go and cache; with X.Y only validate, with that Kubernetes.
#   build.sh [--where] [X.Y]   --where: prints the folder
set -eu -o pipefail
E2E=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../e2e" && pwd)
where=()
if [ "${1:-}" = --where ]; then
    where=(--where)
    shift
fi
exec "$E2E/build.sh" "${where[@]}" upstream "$@"
