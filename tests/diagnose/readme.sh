#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints README.md's table of the corpus: readme.sh. check.py compares.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/corpus"
for f in *.expected; do
    jq -r --arg name "${f%.expected}" '(.source | capture("(?<url>https://github.com/(?<repository>[^/]+/[^/]+)/[a-z]+/(?<number>[0-9]+))") // null) as $thread |
        "| `\($name)` | \([.verdict, (.verdict_ok[] | "(\(.))")] | join(" ")) | \(.who) | \(if $thread then "[\($thread.repository)#\($thread.number)](\($thread.url))" else .source | split("[:,]"; "")[0] end) |"' "$f"
done
