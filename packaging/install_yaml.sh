#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The chart as plain manifests, for kubectl apply: install_yaml.sh HELM CHART DIGEST   (./dev release)
#   CHART   a folder or an archive whose values name the image's repository
#   DIGEST  the image's, as sha256:...
# Its default values, no hooks, and the Namespace in front. Nothing says that helm manages it: who is told so looks for a release.
set -eu -o pipefail
[ $# = 3 ] || { echo "install_yaml.sh: expected HELM CHART DIGEST" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HELM_CACHE_HOME=$work HELM_CONFIG_HOME=$work HELM_DATA_HOME=$work
"$1" template jobreeve "$2" --namespace jobreeve-system --no-hooks --set "image.digest=$3" > "$work/rendered"
version=$("$1" show chart "$2" | sed -n 's/^version: //p')
cat << Y
# jobreeve $version without helm: kubectl apply --server-side --filename install.yaml. How to change and remove it: docs/operations.md.
apiVersion: v1
kind: Namespace
metadata:
  name: jobreeve-system
Y
sed -e '/^ *app\.kubernetes\.io\/managed-by: Helm$/d' -e '/^ *helm\.sh\/chart: /d' "$work/rendered"
