#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The generated pages: generate.sh MAKE-FLAGS writes them; generate.sh --check MAKE-FLAGS ends 1 if one isn't as it would be written.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
flags=$1
here=docs/reference
chart=charts/jobreeve
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

page() { # page FILE COMMAND...
    local file=$1
    shift
    "$@" > "$work/page"
    if [ -z "$check" ]; then
        cp "$work/page" "$file"
    elif ! diff -u "$file" "$work/page" > "$work/diff"; then
        echo "$file isn't what $1 writes; ./dev docs writes it anew:" >&2
        head -n 40 "$work/diff" >&2
        bad=1
    fi
}

page $here/flags.md "$flags"
page $here/metrics.md python3 $here/make_metrics.py
page $here/values.md python3 $here/make_values.py $chart/values.yaml $chart/values.schema.json
page $chart/README.md python3 $here/make_values.py $chart/values.yaml $chart/values.schema.json $chart/README.md

# The controller's metrics are those that a test finds in the running program.
if ! diff <(sed -nE 's/^(counter|gauge|histogram) ([a-z_]+).*/\2/p' tests/integration/controller/metrics.txt | sort) \
    <(sed -n '/^## The controller/,$s/^| `\([a-z_]*\)`.*/\1/p' $here/metrics.md | sort); then
    echo "$here/metrics.md and tests/integration/controller/metrics.txt name other metrics of the controller" >&2
    bad=1
fi
exit $bad
