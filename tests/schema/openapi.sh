#!/bin/bash
# The tables of common/schema beside Kubernetes' own OpenAPI documents, of each version from 1.31 to 1.37: every field of every type
# that a kind reaches, its type, what kind of list it is, and by what key patches merge it.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
VERSIONS="31 32 33 34 35 36 37"
FIELDS_MIN=750 # what is compared of each version, at least
# Fields of the newest version that no program of ours knows yet. Each has to be there upstream.
UNKNOWN_37="v1.JobSpec scheduling"
tests/bench/upstream/build.sh > /dev/null
UPSTREAM=$(tests/bench/upstream/build.sh --where)/upstream-openapi
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve/openapi
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-openapi.XXXXXX")
trap 'chmod -R u+w "$WORK" && rm -rf "$WORK"' EXIT

# The document out of the module k8s.io/kubernetes; of the module's 150 MB nothing else is kept.
document() { # document MINOR: its path
    local file=$CACHE/1.$1.0.json dir
    if [ ! -s "$file" ]; then
        mkdir -p "$CACHE"
        dir=$(cd "$WORK" && GOMODCACHE=$WORK/modules go mod download -json "k8s.io/kubernetes@v1.$1.0" | jq -r .Dir)
        cp "$dir/api/openapi-spec/swagger.json" "$file.new"
        chmod u+w "$file.new"
        mv "$file.new" "$file"
        chmod -R u+w "$WORK/modules"
        rm -rf "$WORK/modules"
    fi
    echo "$file"
}

bad=0
for minor in $VERSIONS; do
    file=$(document "$minor")
    "$JR_BIN/schema-dump" "$minor" | sort > "$WORK/ours"
    "$UPSTREAM" "$file" | sort > "$WORK/upstream"
    if [ "$minor" = 37 ]; then
        grep -q "^$UNKNOWN_37 " "$WORK/upstream" || { echo "1.37 has no $UNKNOWN_37: what is left out is not there"; bad=1; }
        sed -i "/^$UNKNOWN_37 /d" "$WORK/upstream"
    fi
    # Of upstream only the types that the tables reach, and "any" where the tables say so.
    awk 'NR == FNR { types[$1] = 1; if ($3 == "any") any[$1, $2] = 1; next }
         $1 in types { rest = $0; sub(/^[^ ]+ [^ ]+ /, "", rest); print $1, $2, (($1, $2) in any ? "any" : rest) }' \
        "$WORK/ours" "$WORK/upstream" | sort > "$WORK/want"
    diff -U0 --label "upstream 1.$minor" --label common/schema "$WORK/want" "$WORK/ours" || bad=1
    n=$(wc -l < "$WORK/ours")
    echo "1.$minor: $n fields of $(cut -d ' ' -f 1 "$WORK/ours" | sort -u | wc -l) types"
    [ "$n" -ge "$FIELDS_MIN" ] || { echo "only $n fields were compared, $FIELDS_MIN at least were expected"; bad=1; }
done
exit "$bad"
