#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No two libraries define a function or variable of the same name: a linker takes the first one, for both callers.
#   symbols.sh BUILD   BUILD/**/libjr_*.a
set -eu -o pipefail
mapfile -t libraries < <(find "$1" -name 'libjr_*.a' -not -name 'libjr_failalloc.a' | sort)
[ ${#libraries[@]} -gt 20 ] || { echo "only ${#libraries[@]} libraries in $1: is it a build?"; exit 1; }
defined=$(nm --defined-only "${libraries[@]}" 2> /dev/null | awk 'NF == 3 && $2 ~ /^[TDBR]$/ { print $3 }' | sort)
n=$(wc -l <<< "$defined")
[ "$n" -gt 1000 ] || { echo "only $n names: are they stripped?"; exit 1; }
twice=$(uniq -d <<< "$defined")
[ -z "$twice" ] || { echo "defined in two libraries:"; echo "$twice"; exit 1; }
# Two of a name are noticed.
[ -n "$(printf '%s\n%s\n' "$defined" "$(head -n 1 <<< "$defined")" | sort | uniq -d)" ] || { echo "a second definition isn't noticed"; exit 1; }
echo "$n names in ${#libraries[@]} libraries, each once"
