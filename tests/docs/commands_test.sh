#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What commands.py lets pass and what it doesn't: one page, and programs in kubectl's place that print what it shows and more.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '```console\n$ kubectl wait job/pi\njob.batch/pi condition met\n```\n' > "$work/page.md"
failed=0

# row NAME WANT LINE...: kubectl prints the lines; WANT is 0 where the page holds
row() {
    local name=$1 want=$2 code=0
    printf '%s\n' "${@:3}" > "$work/said"
    printf '#!/bin/sh\ncat "%s/said" >&2\n' "$work" > "$work/kubectl"
    chmod +x "$work/kubectl"
    python3 "$here/commands.py" --require "$work" "$work/page.md" > "$work/out" || code=$?
    if [ "$code" = "$want" ]; then echo "ok    $name"; else
        echo "FAIL  $name: exit code $code, want $want"
        cat "$work/out"
        failed=1
    fi
}
met="job.batch/pi condition met"
ended='"Warning: watch ended with error" reflector="client-go/tools/cache/reflector.go:343" type="*unstructured.Unstructured" err="context canceled"'
row "what the page shows" 0 "$met"
row "an ended watch beside it" 0 "I1128 00:34:59.322542   12468 reflector.go:664] $ended" "$met"
row "an ended watch alone" 1 "I1128 00:34:59.322542   12468 reflector.go:664] $ended"
row "an error of the client" 1 'E1128 00:34:59.322542   12468 memcache.go:265] "Unhandled Error" err="no API"' "$met"
row "a line that the page doesn't show" 1 "$met" "and more"
exit $failed
