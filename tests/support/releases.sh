#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The versions of Kubernetes that common/schema/releases.h names, a line each: "1.36 v1.36.3", minor version and the module's version.
#   releases.sh [--minors]   --minors: "36" alone
set -eu -o pipefail
file=$(dirname "${BASH_SOURCE[0]}")/../../common/schema/releases.h
prerelease=$(sed -n 's/^#define JR_KUBE_PRERELEASE "\(.*\)"$/\1/p' "$file")
sed -n 's/^ *X(\([0-9]*\), \([0-9]*\)).*/1.\1 v1.\1.\2/p' "$file" |
    awk -v prerelease="$prerelease" -v minors="${1:-}" '
        minors != "" { sub(/^1\./, "", $1); print $1; next }
        { print $1, index(prerelease, $2 "-") == 1 ? prerelease : $2 }'
