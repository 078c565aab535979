#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands that jobreeve why suggests for all dumps of tests/diagnose, if they change something: a real API server takes each of them (by a dry run), for
# objects like those of the dump.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
DUMPS=$E2E/../diagnose
WORK=$DIR/t56
mkdir -p "$WORK"

# asked FILE: what is suggested for the dump, as JSON
asked() {
    local ask now
    mapfile -t ask < <(jq -r '.ask | split(" ")[]' "${1%.json}.expected")
    now=$(jq -r .now "${1%.json}.expected")
    "$JR_BIN/jobreeve" why -f "$1" --now "$now" -o json "${ask[@]}"
}

# A line a command: the dump, and the command.
for f in "$DUMPS"/corpus/*.json "$DUMPS"/generated/*.json; do
    asked "$f" | jq -r --arg f "$f" '.next[] | select(.grade != "looks") | "\($f)\t\(.command)"'
done > "$WORK/commands"
check_more "commands that change something" "$(grep -c . "$WORK/commands")" 40

# What the commands are about: objects of the dump, as they would be made; owners of which the dump has no more than a reference.
while IFS=$'\t' read -r f command; do
    jq -c --arg command "$command" '
        def made: del(.status, .metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp, .metadata.managedFields, .metadata.generation, .metadata.ownerReferences,
                .metadata.finalizers, .metadata.deletionTimestamp, .metadata.deletionGracePeriodSeconds, .metadata.annotations)
            | if .kind == "Job" then del(.metadata.labels, .spec.selector, .spec.template.metadata.labels)
              elif .kind == "CronJob" then del(.spec.timeZone)
              elif .kind == "Pod" then del(.spec.nodeName, .spec.serviceAccount, .spec.serviceAccountName, .spec.priority, .spec.priorityClassName)
              else . end;
        ($command | split(" ")) as $words | (if $words[2] == "nodes" then "node" else $words[2] end) as $kind | $words[3] as $name |
        ($words | index("-n") as $i | if $i then .[$i + 1] else null end) as $ns |
        [.items[] | select((.kind | ascii_downcase) == $kind and .metadata.name == $name) | made] as $there |
        [.items[].metadata.ownerReferences[]? | select((.kind | ascii_downcase) == $kind and .name == $name) | {apiVersion, kind, metadata: {name, namespace: $ns}}] as $named |
        (if $words[0] == "kubectl" and ($words[1] | IN("edit", "patch", "delete", "taint")) then
            ($there + $named + (if $kind == "node" then [{apiVersion: "v1", kind: "Node", metadata: {name: $name}}] else [] end))[0:1][]
         else empty end), (if $ns then {apiVersion: "v1", kind: "Namespace", metadata: {name: $ns}} else empty end)' "$f"
done < "$WORK/commands" | sort -u > "$WORK/objects"
jq -s '{apiVersion: "v1", kind: "List", items: [.[] | select(.apiVersion | test("^[a-z]+\\.|^[a-z-]+\\..*/") and (test("k8s.io/v1$") | not)) | (.apiVersion | split("/")) as $v | .kind as $kind |
    {apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: {name: "\($kind | ascii_downcase)s.\($v[0])"},
     spec: {group: $v[0], scope: "Namespaced", names: {kind: $kind, plural: "\($kind | ascii_downcase)s", singular: ($kind | ascii_downcase)},
        versions: [{name: $v[1], served: true, storage: true, schema: {openAPIV3Schema: {type: "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}] | unique_by(.metadata.name)}' "$WORK/objects" > "$WORK/definitions.json"
k apply -f "$WORK/definitions.json" > "$WORK/definitions.log"
k wait --for=condition=Established --timeout=60s -f "$WORK/definitions.json" > /dev/null
jq -s '{apiVersion: "v1", kind: "List", items: [.[] | select(.kind == "Namespace")]}' "$WORK/objects" | k apply -f - > /dev/null
jq -r 'select(.kind == "Pod").metadata.namespace' "$WORK/objects" | while read -r ns; do await 60 "the service account of $ns" k get serviceaccount default -n "$ns"; done
jq -s '{apiVersion: "v1", kind: "List", items: [.[] | select(.kind != "Namespace")]}' "$WORK/objects" > "$WORK/objects.json"
k create -f "$WORK/objects.json" > "$WORK/objects.log"
check "objects that are made" "$(grep -c ' created$' "$WORK/objects.log")" "$(jq '.items | length' "$WORK/objects.json")"

# An editor that changes what a template may be changed in, and an annotation of all.
cat > "$WORK/editor" << 'E'
#!/bin/sh
exec sed -i -e 's/^metadata:$/metadata:\n  annotations: {edited: "yes"}/' -e 's/^\( *\)\(- \)\{0,1\}image: .*/\1\2image: registry.example.com\/edited:2/' "$1"
E
chmod +x "$WORK/editor"
echo KEY=value > "$WORK/FILE"
export KUBECONFIG=$DIR/admin.conf KUBE_EDITOR=$WORK/editor PATH=$BIN:$PATH

# takes COMMAND: what an API server says of it is in OUT
takes() {
    case $1 in
    "kubectl edit "*) OUT=$(cd "$WORK" && bash -c "$1" 2>&1) && [[ $OUT = *" edited"* ]] ;;
    *) OUT=$(cd "$WORK" && bash -c "$1 --dry-run=server" 2>&1) ;;
    esac
}
OTHERS=0
while IFS=$'\t' read -r f command; do
    case $command in
    "kubectl exec "* | "helm "*) OTHERS=$((OTHERS + 1)) ;; # they ask a kubelet, or a chart
    *) if takes "$command"; then passed "$(basename "$f" .json): $command"; else failed "$(basename "$f" .json): $command" "$OUT" "that the API server takes it"; fi ;;
    esac
done < <(sort -u -t $'\t' -k 2 "$WORK/commands")
check "commands for others than the API server" "$OTHERS" 9

# A wrong one is refused.
job=$(jq -r '[.items[] | select(.kind == "Job")][0].metadata | "\(.name) -n \(.namespace)"' "$WORK/objects.json")
refused "an image in a Job's template" takes "kubectl patch job $job --type=json -p '[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"x\"}]'"
jq -r '.items[] | select(.kind == "Node").metadata.name' "$WORK/objects.json" | while read -r n; do k delete "node/$n" > /dev/null; done
jq -s '{apiVersion: "v1", kind: "List", items: [.[] | select(.kind == "Namespace")]}' "$WORK/objects" | k delete --wait=false -f - > /dev/null
