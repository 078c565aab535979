#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# load.sh FILE...: image archives (OCI or docker) into the running node. Names need a host part, localhost/x:1: a bare x:1 is taken for
# Docker Hub's. With the tag `latest`, or none, the kubelet would try to pull.
set -eu -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
for f; do
    [ -f "$f" ] || {
        echo "load.sh: no file $f" >&2
        exit 2
    }
    # of the daemon's deprecation warnings only the first lines would be read
    node_ctr images import --all-platforms "$(realpath "$f")" 2> >(grep -v DEPRECATION >&2)
done
