#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each source file says its licence in its first line, or behind #!. In the product a C file's second line begins to say what it holds.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. ./project.env
n=0 bad=0
while IFS= read -r -d '' file; do
    n=$((n + 1))
    head -n 2 "$file" | grep -qE "^(/\*|//|#) SPDX-License-Identifier: $LICENSE_ID( \*/)?$" || { echo "$file: no line SPDX-License-Identifier: $LICENSE_ID at its top"; bad=1; }
done < <(git ls-files -coz --exclude-standard -- '*.[ch]' '*.sh' '*.py' '*.cmake' '*.jq' '*.awk' '*.go' 'CMakeLists.txt' '**/CMakeLists.txt' dev .ci/run image/Dockerfile project.env)
headed=0
while IFS= read -r -d '' file; do
    headed=$((headed + 1))
    sed -n 2p "$file" | grep -q '^/\* ' || { echo "$file: its second line begins no comment about what it holds"; bad=1; }
done < <(git ls-files -coz --exclude-standard -- {certs,cli,common,controller,devcluster,webhook}/'*.[ch]')
[ "$headed" -gt 750 ] || { echo "only $headed C files were found"; bad=1; }
[ "$n" -gt 1400 ] || { echo "only $n source files were found"; bad=1; }
[ "$bad" = 0 ] && echo "$n source files say their licence"
exit "$bad"
