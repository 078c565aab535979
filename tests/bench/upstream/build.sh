#!/bin/bash
# Builds this module's commands, with the cluster's programs' versions, Go and cache; --where prints the folder.
set -eu -o pipefail
E2E=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../e2e" && pwd)
[ "${1:-}" = --where ] && exec "$E2E/build.sh" --where
exec "$E2E/build.sh" upstream
