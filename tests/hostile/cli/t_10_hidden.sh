#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finding: what a manifest says reaches a terminal and the log of a CI run as it is (ESC, C1 controls, marks of direction, invisible
# characters, tags). Seen to fail on d0e5001: github had ESC, json and junit U+009B, all of them U+061C, U+2060 and U+E0041, the errors of
# default and convert all of it.
# quick
. "$(dirname "$0")/../../support/checks.sh"
work=$DIR/hidden
mkdir -p "$work"

# In a file of JSON all but the C0 controls may stand as they are; those are escaped, as a parser undoes.
bytes=$'\x7f\xc2\x9b\xd8\x9c\xe2\x81\xa0\xe2\x80\xae\xf3\xa0\x81\x81'
evil='\u001b[2J'$bytes
file=$work/name$'\x1b'$bytes.json
cat > "$file" << J
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"n$evil","annotations":{"a":"$evil"}},"spec":{"k$evil":1,
"template":{"spec":{"restartPolicy":"$evil","containers":[{"name":"c","image":"i"}]}}}}
J
printf '%s\n' "{\"apiVersion\":\"extensions/v1beta1\",\"kind\":\"Job\",\"spec\":{\"k$evil\":{\"$evil\":1},\"template\":{}}}" > "$work/old.json"
printf 'a: *%s\n' "$bytes" > "$work/wrong.yaml"

# shown NAME FILE: it says something, and nothing in it is hidden
shown() {
    local at
    if [ ! -s "$2" ]; then
        failed "$1" "nothing" "some output"
        return
    fi
    # ESC and the first bytes of the others
    at=$(LC_ALL=C grep -nP '\x1b|\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x81[\xa0-\xaf]|\xe2\x80[\xa8-\xae]|\xf3\xa0' "$2" | head -n 1 | cat -v) || true
    check "$1" "$at" ""
}

# Positive control: the search finds them in the manifest itself.
shown=$(LC_ALL=C grep -cP '\x7f|\xf3\xa0' "$file")
check "there is something to hide" "$shown" 2

for format in text json sarif junit github; do
    "$JR_BIN/jobreeve" check -v -o "$format" "$file" > "$work/out" 2> "$work/err" || true
    shown "check -o $format" "$work/out"
    [ ! -s "$work/err" ] || shown "check -o $format: its errors" "$work/err"
done
"$JR_BIN/jobreeve" check -o "json=$work/out" "$file" 2> /dev/null || true
check "json still says the same" "$(jq -r '.objects[0].name' "$work/out")" "n"$'\x1b[2J'"$bytes"
for how in "-o yaml" "-o json" "--diff"; do
    # shellcheck disable=SC2086
    "$JR_BIN/jobreeve" default $how "$file" > "$work/out" 2> "$work/err" || true
    [ ! -s "$work/out" ] || shown "default $how" "$work/out"
    [ ! -s "$work/err" ] || shown "default $how: its errors" "$work/err"
    check_more "default $how says something" "$(cat "$work/out" "$work/err" | wc -c)" 0
done
for f in "$work/old.json" "$work/wrong.yaml" "$file.none" "--$bytes"; do
    "$JR_BIN/jobreeve" convert "$f" > "$work/out" 2> "$work/err" || true
    shown "convert of $(basename -- "$f" | cat -v)" "$work/err"
    "$JR_BIN/jobreeve" check "$f" > "$work/out" 2> "$work/err" || true
    shown "check of it" "$work/err"
done
