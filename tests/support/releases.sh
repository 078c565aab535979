#!/bin/bash
# The versions of Kubernetes that common/schema/releases.h names, a line each: "1.36 v1.36.3", minor version and the module's version.
#   releases.sh [--released]   --released: without the preview
set -eu -o pipefail
file=$(dirname "${BASH_SOURCE[0]}")/../../common/schema/releases.h
prerelease=$(sed -n 's/^#define JR_KUBE_PRERELEASE "\(.*\)"$/\1/p' "$file")
sed -n 's/^ *X(\([0-9]*\), \([0-9]*\)).*/1.\1 v1.\1.\2/p' "$file" |
    awk -v prerelease="$prerelease" -v released="${1:-}" 'prerelease == "" || index(prerelease, $2 "-") != 1 { print; next }
        released == "" { print $1, prerelease }'
