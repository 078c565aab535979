#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `jobreeve default` prints is what a real API server answers to a dry run without field validation: of manifests that say nothing in many
# ways (stored/shapes.py), and of vectors/zero.yaml by kubectl. What it drops it says.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=default
WORK=$DIR/default

cd "$E2E/../.." || exit
mkdir -p "$WORK"

# ---- all shapes

"$JR_BIN/schema-dump" > "$WORK/schema"
python3 "$E2E/stored/shapes.py" "$SERVER" "$DIR/pki" $NS "$WORK/schema" "$JR_BIN/jobreeve" --kubernetes-version "$KUBE" > "$WORK/shapes"
sed -n '$!{1,20p}' "$WORK/shapes"
read -r COMPARED REFUSED DIFFERENT UNSAID < <(tail -n 1 "$WORK/shapes")
echo "$COMPARED manifests were compared, $REFUSED refused by the server"
check "all shapes: different" "$DIFFERENT" 0
check "all shapes: unknown fields that are dropped and not said, or the other way round" "$UNSAID" 0
check_more "all shapes: compared" "$COMPARED" 550

# ---- one by kubectl

ZERO=tests/vectors/zero.yaml
k create -n $NS -f $ZERO --dry-run=server --validate=ignore -o json > "$WORK/server.json"
"$JR_BIN/jobreeve" default --kubernetes-version "$KUBE" --uid "$(jq -r .metadata.uid "$WORK/server.json")" -o json $ZERO > "$WORK/ours.json" 2> "$WORK/said"
own() { # own FILE: without what only a server gives
    jq -S 'del(.status, .metadata.uid, .metadata.creationTimestamp, .metadata.generation, .metadata.managedFields, .metadata.namespace)
        | del(.spec.template.metadata.creationTimestamp | nulls)' "$1"
}
check "zero.yaml" "$(own "$WORK/ours.json")" "$(own "$WORK/server.json")"
check "zero.yaml: what is dropped is said" "$(sed -E 's/.* warning: ([^:]*): .*/\1/' "$WORK/said")" "spec.paralellism
spec.template.spec.hostNetwork
spec.template.spec.containers[0].privileged
spec.template.spec.containers[0].env[0].value
spec.template.spec.containers[0].ports[0].hostPort"

# ---- twice the same: neither takes it

sed 's/^  paralellism: 3$/  parallelism: 1\n  parallelism: 2/' $ZERO > "$WORK/twice.yaml"
refused "a field that is there twice, by the server" k create -n $NS -f "$WORK/twice.yaml" --dry-run=server --validate=strict
refused "a field that is there twice, by default" "$JR_BIN/jobreeve" default "$WORK/twice.yaml"
check_has "a field that is there twice, in words" "$OUT" 'line 6, column 3: duplicate key "parallelism"'
