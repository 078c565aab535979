#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/vectors/openapi-fields.txt is what Kubernetes' own OpenAPI documents say, of each version from 1.31 to 1.38, and the tables of common/schema agree with it.
# openapi.sh --write makes it anew.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
FACTS=tests/vectors/openapi-fields.txt
VERSIONS=$(tests/support/releases.sh --minors)
NEWEST=${VERSIONS##*$'\n'}
tests/bench/upstream/build.sh > /dev/null
UPSTREAM=$(tests/bench/upstream/build.sh --where)/upstream-openapi
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve/openapi
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-openapi.XXXXXX")
trap 'chmod -R u+w "$WORK" && rm -rf "$WORK"' EXIT

# The document out of the module k8s.io/kubernetes; of the module's 150 MB nothing else is kept.
document() { # document MINOR: its path
    local file version dir go
    version=$(tests/support/releases.sh | awk -v minor="1.$1" '$1 == minor { print $2 ~ /-/ ? $2 : "v" minor ".0" }')
    file=$CACHE/${version#v}.json
    if [ ! -s "$file" ]; then
        mkdir -p "$CACHE"
        go=$(tests/e2e/build.sh --go upstream "1.$1")
        dir=$(cd "$WORK" && GOMODCACHE=$WORK/modules GOTOOLCHAIN=local "$go" mod download -json "k8s.io/kubernetes@$version" | jq -r .Dir)
        cp "$dir/api/openapi-spec/swagger.json" "$file.new"
        chmod u+w "$file.new"
        mv "$file.new" "$file"
        chmod -R u+w "$WORK/modules"
        rm -rf "$WORK/modules"
    fi
    echo "$file"
}

# The gate that a field's description asks for, in the newest version: "TYPE FIELD gate NAME".
gates() {
    jq -r '.definitions | to_entries[] | (.key | split(".")[-2:] | join(".")) as $type | (.value.properties // {}) | to_entries[] | .key as $field
        | (.value.description // "") | [scan("(?:requires|requires enabling|gated by|depends on)(?: that)?(?: the)? ([A-Z][A-Za-z]+) feature ?gate")]
        | unique[] | "\($type) \($field) gate \(.[0])"' "$1" | awk 'NR == FNR { types[$1] = 1; next } $1 in types' "$WORK/upstream" -
}

{
    echo "# TYPE FIELD FROM-TO TYPE-OF-IT [LIST-TYPE[:KEYS]] [merge[:KEY]], and TYPE FIELD gate NAME: made by tests/schema/openapi.sh --write, don't edit."
    for minor in $VERSIONS; do
        "$UPSTREAM" "$(document "$minor")" | sed "s/^/$minor /"
    done | awk '{ minor = $1; at = $2 " " $3; $1 = $2 = $3 = ""; sub(/^ +/, ""); key = at "\t" $0
                  if (!(key in last)) first[key] = minor
                  else if (last[key] != minor - 1) { print at, first[key] "-" last[key], $0; first[key] = minor }
                  last[key] = minor }
                END { for (key in last) { split(key, k, "\t"); print k[1], first[key] "-" last[key], k[2] } }' | sort
    "$UPSTREAM" "$(document "$NEWEST")" > "$WORK/upstream"
    gates "$(document "$NEWEST")"
} > "$WORK/facts"
[ "${1:-}" != --write ] || cp "$WORK/facts" "$FACTS"
bad=0
diff -U0 --label "the documents" "$WORK/facts" "$FACTS" || { echo "$FACTS isn't what the documents say: tests/schema/openapi.sh --write"; bad=1; }
tests/schema/fields.sh || bad=1
exit "$bad"
