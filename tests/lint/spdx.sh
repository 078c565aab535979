#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each source file says its licence in its first line, or behind #!. In the product a C file's second line begins to say what it holds.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. ./project.env
files=('*.[ch]' '*.sh' '*.py' '*.cmake' '*.jq' '*.awk' '*.go' 'CMakeLists.txt' '**/CMakeLists.txt' dev .ci/run image/Dockerfile project.env)
# All files in one process: two for each would be thousands.
git ls-files -coz --exclude-standard -- "${files[@]}" | xargs -0 -s 1000000 awk -v licence="$LICENSE_ID" '
    function over() {
        if (file == "") return
        n++
        if (!said) { print file ": no line SPDX-License-Identifier: " licence " at its top"; bad = 1 }
        if (file !~ /^(certs|cli|common|controller|devcluster|webhook)\/.*\.[ch]$/) return
        headed++
        if (!comment) { print file ": its second line begins no comment about what it holds"; bad = 1 }
    }
    FNR == 1 { over(); file = FILENAME; said = comment = 0 }
    FNR <= 2 {
        line = $0
        if ((sub(/^\/\* /, "", line) && sub(/ \*\/$/, "", line)) || sub(/^(\/\/|#) /, "", line))
            said = said || line == "SPDX-License-Identifier: " licence
    }
    FNR == 2 { comment = /^\/\* / }
    FNR > 2 { nextfile }
    END {
        over()
        if (headed <= 750) { print "only " headed " C files were found"; bad = 1 }
        if (n <= 1400) { print "only " n " source files were found"; bad = 1 }
        if (!bad) print n " source files say their licence"
        exit bad
    }'
