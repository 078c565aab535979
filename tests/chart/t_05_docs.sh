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

# A number that the chart takes is one that the program takes; the next one beyond is refused by both.
bound() { # bound VALUE minimum|maximum: by the schema
    jq -r --arg path "$1" --arg which "$2" 'getpath(("properties." + ($path | gsub("[.]"; ".properties."))) | split("."))[$which]' "$CHART/values.schema.json"
}
takes() { # takes PROGRAM FLAG: whether the flag is no fault; another one ends the program
    local said more=()
    [ "$1" = controller ] || more=(--tls-secret=a)
    said=$("$JR_BIN/jobreeve-$1" --kubeconfig=/nonexistent "${more[@]}" "$2" 2>&1 || true)
    ! grep -qF -- "${2%%=*}: expected" <<< "$said"
}
while read -r value program flag; do
    lowest=$(bound "$value" minimum) highest=$(bound "$value" maximum)
    check "$value: $flag takes what the schema takes" "$(takes "$program" "$flag=$lowest" && takes "$program" "$flag=$highest" && echo both)" both
    check "$value: and no more" "$(takes "$program" "$flag=$((lowest - 1))" || takes "$program" "$flag=$((highest + 1))" || echo neither)" neither
done << 'T'
controller.concurrentJobSyncs controller --concurrent-job-syncs
controller.maxInflight controller --max-inflight
tls.self.certDays webhook --tls-cert-days
tls.self.caDays webhook --tls-ca-days
T
