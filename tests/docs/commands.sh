#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands of all pages that show them in console blocks: commands.sh [--require] BIN. --require: pages that need kubectl or helm must be run.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
mapfile -t pages < <(grep -rlx '```console' README.md docs --include='*.md' | sort)
[ ${#pages[@]} -gt 0 ] || { echo "no page has commands" >&2; exit 1; }
exec python3 "$here/commands.py" "$@" "${pages[@]}"
