#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each source file says its licence in its first line, or behind #!.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. ./project.env
n=0 bad=0
while IFS= read -r -d '' file; do
    n=$((n + 1))
    head -n 2 "$file" | grep -qE "^(/\*|//|#) SPDX-License-Identifier: $LICENSE_ID( \*/)?$" || { echo "$file: no line SPDX-License-Identifier: $LICENSE_ID at its top"; bad=1; }
done < <(git ls-files -coz --exclude-standard -- '*.[ch]' '*.sh' '*.py' '*.cmake' '*.jq' '*.awk' '*.go' 'CMakeLists.txt' '**/CMakeLists.txt' dev .ci/run image/Dockerfile project.env)
[ "$n" -gt 1400 ] || { echo "only $n source files were found"; bad=1; }
[ "$bad" = 0 ] && echo "$n source files say their licence"
exit "$bad"
