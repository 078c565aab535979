#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What values do to single fields, and what is refused, in which words: the tables in unit/.
#   = NAME       begins a case
#   $ NAME       the release's name, otherwise jr
#   --FLAG ...   arguments for helm template (@ stands for values/), split at blanks
#   | EXPRESSION asks, by jq with prelude.jq, an array of what was rendered
#   > JSON       the answer; @VERSION@ is the tree's version
#   ! WORDS      nothing is rendered, and the reason has these words
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$HERE/../../project.env"
CACHE=$DIR/rendered
rm -rf "$CACHE"
mkdir "$CACHE"

# rendered ARGS...: sets JSON to the file with the objects; each set of arguments is rendered once
rendered() {
    local key
    key=$(printf '%s\n' "$RELEASE" "$@" | sha256sum)
    JSON=$CACHE/${key%% *}
    [ -f "$JSON" ] && return
    render "$@" > "$DIR/unit.yaml" 2> "$DIR/unit.err" && objects < "$DIR/unit.yaml" > "$JSON.new" && mv "$JSON.new" "$JSON"
}

refusal() { # refusal NAME WORDS ARGS...
    local name=$1 words=$2
    shift 2
    if render "$@" > /dev/null 2> "$DIR/unit.err"; then
        failed "$name" "rendered" "a refusal: $words"
    else
        check_has "$name" "$(cat "$DIR/unit.err")" "$words"
    fi
}

table() { # table FILE
    local subject line name="" expression="" args=()
    subject=$(basename "$1" .txt)
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '' | '#'*) ;;
        '= '*) name="$subject: ${line#= }" args=() expression="" RELEASE=jr ;;
        '$ '*) RELEASE=${line#$ } ;;
        '--'* | '-f '*)
            local words
            read -r -a words <<< "${line//@/$HERE/values/}"
            args+=("${words[@]}")
            ;;
        '| '*) expression=${line#| } ;;
        '> '*)
            if rendered "${args[@]}"; then
                check "$name" "$(ask "$JSON" "$expression" 2>&1)" "$(jq -c . <<< "${line#> }" | sed "s/@VERSION@/$VERSION/")"
            else
                failed "$name" "$(cat "$DIR/unit.err")" "a rendering"
            fi
            ;;
        '! '*) refusal "$name" "${line#! }" "${args[@]}" ;;
        *) failed "$name" "$line" "a line of a table" ;;
        esac
    done < "$1"
}

prepare
with_definition
for f in "$HERE"/unit/*.txt; do table "$f"; done
without_definition
