#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Updates of manifests: jobreeve check --old says of each what kubectl apply --dry-run=server comes to on a real API server. The pairs are
# generated: applied by kubectl, created without its annotation, or changed by others meanwhile. JR_PAIRS, JR_SEED: how many, and which.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t51
PAIRS=${JR_PAIRS:-600}
SEED=${JR_SEED:-51}
WORK=$DIR/t51
rm -rf "$WORK"
mkdir -p "$WORK"

# split NAME N: NAME.json in N parts. kubectl takes 50 requests a second.
split() {
    local i
    for ((i = 0; i < $2; i++)); do
        jq --argjson i "$i" --argjson n "$2" '.items |= [to_entries[] | select(.key % $n == $i) | .value]' "$WORK/$1.json" > "$WORK/$1.$i.part"
    done
}

# each VERB NAME OUT ARGS...: kubectl on all parts at once. It goes on after an object that is refused, and ends with 1.
each() {
    local verb=$1 name=$2 out=$3 part
    shift 3
    for part in "$WORK/$name".*.part; do
        k "$verb" "$@" -f "$part" > "$part.out" 2> "$part.err" &
    done
    wait
    cat "$WORK/$name".*.part.out > "$out"
    cat "$WORK/$name".*.part.err > "$out.err"
}

fresh_namespace $NS
python3 "$E2E/apply/pairs.py" "$SEED" "$PAIRS" "$WORK"
split applied 2
split created 2
# kubectl's own validation, by the server's OpenAPI, refuses the whole file for one of its objects.
each apply applied "$WORK/made" --validate=false -n $NS
each create created "$WORK/created" --validate=false -n $NS
cat "$WORK/created" >> "$WORK/made"
check "each first manifest is taken" "$(wc -l < "$WORK/made")" "$PAIRS"
[ "$(wc -l < "$WORK/made")" = "$PAIRS" ] || cat "$WORK/made.err"
k get jobs,cronjobs -n $NS -o json > "$WORK/stored.json"

# Both in the namespace: check finds the old object by it.
for f in applied second; do
    jq --arg ns $NS '.items[].metadata.namespace = $ns' "$WORK/$f.json" > "$WORK/$f.in.json"
done

# names_of FILE: p0001, p0002: the objects in kubectl's lines, or in what is read
names_of() {
    grep -oE 'p[0-9]{4}' "$1" | sort
}

split second 4
each apply second "$WORK/kubectl" --dry-run=server --validate=false -n $NS
names_of "$WORK/kubectl" > "$WORK/there"

# taken OLD: the names of what check takes
taken() {
    local code=0
    "$JR_BIN/jobreeve" check --kubernetes-version "$KUBE" --old "$1" -o json "$WORK/second.in.json" > "$WORK/report.json" || code=$?
    [ "$code" -le 1 ] || return 1
    jq -r '.objects[] | select(.operation == "update" and (.answer == null)) | .name' "$WORK/report.json" | sort
}

# same NAME HERE THERE
same() {
    if diff "$2" "$3" > "$WORK/diff"; then passed "$1"; else
        failed "$1" "$(head -n 5 "$WORK/diff")" "no difference"
        while read -r name; do # why
            grep -A 2 "\"$name\"" "$WORK/kubectl.err" | head -n 3 || true
            jq -c --arg n "$name" '.objects[] | select(.name == $n) | .name, .answer' "$WORK/report.json"
        done < <(grep -oE 'p[0-9]{4}' "$WORK/diff" | head -n 5)
    fi
}

taken "$WORK/stored.json" > "$WORK/here"
same "what is stored: taken by check, taken by apply" "$WORK/here" "$WORK/there"

# Of what was applied and nobody else has changed the manifest is as good an old object as what is stored.
names_of <(jq -r '.items[].metadata.name' "$WORK/applied.json") > "$WORK/known"
taken "$WORK/applied.in.json" > "$WORK/here.manifests"
comm -12 "$WORK/there" "$WORK/known" > "$WORK/there.manifests"
same "a manifest: taken by check, taken by apply" "$WORK/here.manifests" "$WORK/there.manifests"

check_more "taken ones among them" "$(wc -l < "$WORK/there")" $((PAIRS / 4))
check_more "refused ones among them" $((PAIRS - $(wc -l < "$WORK/there"))) $((PAIRS / 4))
