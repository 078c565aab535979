#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The chart's README has each value with its default; the chart's version is the project's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

chart_values "$CHART" | jq .values > "$DIR/values.json"

readme=$CHART/README.md
missing=$(jq -r 'paths(scalars, arrays, . == {}) | select(all(type == "string")) | join(".")' "$DIR/values.json" | sort -u |
    while IFS= read -r path; do
        p=$path
        until grep -qF "| \`$p\` |" "$readme"; do
            case $p in *.*) p=${p%.*} ;; *) echo "$path" && break ;; esac # said for all below it
        done
    done)
check "README.md has all values" "$missing" ""
wrong=$(sed -n 's/^| `\([A-Za-z.-]*\)` | `\(.*\)` | .*$/\1\t\2/p' "$readme" | while IFS=$'\t' read -r path default; do
    got=$(jq -c --arg p "$path" 'getpath($p | split("."))' "$DIR/values.json")
    [ "$(tr -d '" ' <<< "$got")" = "$(tr -d '" ' <<< "$default")" ] || echo "$path: $default, not $got"
done)
check "and their defaults" "$wrong" ""
check "the schema knows no value that isn't there" "$(schema_faults "$CHART")" ""

# docs/operations.md tells of no message that nobody writes.
root=$HERE/../..
unknown=$(sed -n '/^## Logs/,/^## Alerts/s/^| \(`[^|]*`\) | .*/\1/p' "$root/docs/operations.md" | grep -o '`[^`]*`' | tr -d '`' | while IFS= read -r message; do
    grep -rqF --include='*.c' "\"$message\"" "$root/webhook" "$root/controller" "$root/common" || echo "$message"
done)
check "each message of the log that is explained is written somewhere" "$unknown" ""
check_more "messages that are explained" "$(sed -n '/^## Logs/,/^## Alerts/p' "$root/docs/operations.md" | grep -c '^| `')" 15
