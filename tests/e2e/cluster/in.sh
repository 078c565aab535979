#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# in.sh CMD...: a command in the node's namespaces: ctr, nft, ip, curl to 127.0.0.1 (a shell without).
set -eu -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
export CONTAINERD_ADDRESS=$SOCKET CONTAINERD_NAMESPACE=k8s.io
[ $# -gt 0 ] || set -- bash
inside "$@"
