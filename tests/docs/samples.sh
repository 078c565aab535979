#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The objects that pages show in yaml blocks: samples.sh BIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
mapfile -t pages < <(grep -rlxE '```ya?ml' README.md docs --include='*.md' | sort)
exec python3 "$here/samples.py" "$1" "${pages[@]}"
