#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve check beside a real API server: the same manifests, the same answers; and its SARIF is SARIF.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t50
EXAMPLES=$E2E/../../docs/examples
WORK=$DIR/t50
mkdir -p "$WORK"

# ---- SARIF

# sarif NAME FILE...: what check writes about the files is valid by the standard's schema
sarif() {
    local name=$1 code=0
    shift
    "$JR_BIN/jobreeve" check -v -o "sarif=$WORK/$name.sarif" "$@" 2> /dev/null || code=$?
    if [ "$code" -le 2 ] && OUT=$("$BIN/sarif" check "$BIN/sarif-schema.json" "$WORK/$name.sarif" 2>&1); then
        passed "SARIF about $name"
    else
        failed "SARIF about $name" "exit code $code, $OUT" "valid"
    fi
}
sarif examples "$EXAMPLES"
sarif broken --strict "$EXAMPLES/broken.yaml"
printf 'a: [1\n' > "$WORK/syntax.yaml"
sarif unreadable "$WORK/syntax.yaml" "$WORK/none.yaml" "$EXAMPLES/pi.yaml"
sarif versions --kubernetes-version 1.31,1.32,1.33,1.34,1.35,1.36,1.37 "$EXAMPLES"
sarif nothing /dev/null
check "each mistake has its place" \
    "$(jq '[.runs[0].results[].locations[0].physicalLocation.region | select(.startLine > 0 and .startColumn > 0)] | length' "$WORK/broken.sarif")" \
    "$(jq '.runs[0].results | length' "$WORK/broken.sarif")"
jq '.runs[0].results[0].zz = 1' "$WORK/broken.sarif" > "$WORK/wrong.sarif"
refused "the schema refuses what is none" "$BIN/sarif" check "$BIN/sarif-schema.json" "$WORK/wrong.sarif"

# ---- the API server's answer

fresh_namespace $NS

# post FILE: creates it on the API server, for show and strictly; the answer is in there.json, its warnings in there.txt
post() {
    curl -sS --max-time 30 --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key" \
        -H 'Content-Type: application/json' --data-binary "@$1" -D "$WORK/headers" -o "$WORK/there.json" \
        "$SERVER/apis/batch/v1/namespaces/$NS/${2:-jobs}?dryRun=All&fieldValidation=Strict"
    tr -d '\r' < "$WORK/headers" | sed -n 's/^[Ww]arning: 299 - "\(.*\)"$/\1/p' | sed 's/\\\(.\)/\1/g' > "$WORK/there.txt"
}

# agree NAME OBJECT: what check says of it is what the API server answers: code, message, causes, warnings. A uid is given
# anew each time.
agree() {
    local name=$1 here there uid='s/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UID/g'
    printf '%s' "$2" > "$WORK/case.json"
    "$JR_BIN/jobreeve" check --kubernetes-version "$KUBE" --strict -o json "$WORK/case.json" > "$WORK/here.json" 2> /dev/null || true
    post "$WORK/case.json"
    here=$(jq '.objects[0] | (.answer.code // 201), (.answer.message // ""),
        (if .answer.code == 422 then .findings[] | select(.level == "error") | "\(.type) \(.field): \(.message)" else empty end),
        (.findings[] | select(.type == "Warning") | .message)' -r "$WORK/here.json" | sed -E "$uid")
    there=$({
        jq 'if .kind == "Status" then .code, .message,
                (if .code == 422 then .details.causes[] | "\(.reason) \(.field): \(.message)" else empty end)
            else 201, "" end' -r "$WORK/there.json"
        cat "$WORK/there.txt"
    } | sed -E "$uid")
    check "$name" "$here" "$there"
}

# job METADATA SPEC [POD]: a Job with the members that are given
POD='"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]'
job() {
    printf '{"apiVersion":"batch/v1","kind":"Job","metadata":{%s},"spec":{%s"template":{"spec":{%s}}}}' \
        "$1" "${2:+$2,}" "${3:-$POD}"
}

agree "a good Job" "$(job '"name":"pi"')"
agree "a generated name" "$(job '"generateName":"pi-"')"
agree "no name" "$(job '')"
agree "a bad name" "$(job '"name":"Pi"')"
agree "a name with dots" "$(job '"name":"a.b"')"
agree "many errors" "$(job '"name":"pi"' '"parallelism":-1,"completions":-2,"backoffLimit":-3,"completionMode":"Other"')"
agree "what a server decides" \
    "$(job '"name":"pi","uid":"x","generation":7,"deletionTimestamp":"2020-01-01T00:00:00Z","selfLink":"/x"' '"suspend":true')"
agree "a selector of one's own" \
    "$(job '"name":"pi"' '"manualSelector":true,"selector":{"matchLabels":{"a":"b"}}')"
agree "no selector of one's own" "$(job '"name":"pi"' '"manualSelector":true')"
agree "a warning about the Pods" \
    "$(job '"name":"pi"' '' '"restartPolicy":"Never","nodeSelector":{"beta.kubernetes.io/os":"linux"},"containers":[{"name":"c","image":"i","env":[{"name":"A"},{"name":"A"}]}]')"
agree "a label's value" "$(job '"name":"pi","labels":{"a":"b c"}')"
agree "a wrong type" "$(job '"name":"pi"' '"parallelism":"1"')"
agree "a wrong type in a list" \
    "$(job '"name":"pi"' '' '"restartPolicy":"Never","containers":[{"name":"c","image":"i","args":["a",1]}]')"
agree "too large a number" "$(job '"name":"pi"' '"completions":2147483648')"
agree "an unknown field" "$(job '"name":"pi"' '"paralellism":1')"
agree "unknown fields, deep" \
    "$(job '"name":"pi"' '"x":1' '"restartPolicy":"Never","containers":[{"name":"c","image":"i","y":{}}]')"
agree "a duplicate field" "$(job '"name":"pi"' '"suspend":true,"suspend":false')"
agree "the same label twice" "$(job '"name":"pi","labels":{"a":"b","a":"c"}')"
agree "an unknown field and a bad value" "$(job '"name":"pi"' '"x":1,"parallelism":-1')"
agree "containers" \
    "$(job '"name":"pi"' '' '"containers":[{"name":"C","image":"","env":[{"name":"a=b"}],"volumeMounts":[{"name":"v"}]}]')"
agree "no template" '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi"},"spec":{}}'
agree "no spec" '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi"}}'
agree "nulls" '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi","labels":null},"spec":null}'

# ---- the Pod template's types

# container NAME MEMBERS: a Job with these members in its only container
container() {
    agree "$1" "$(job '"name":"pi"' '' "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\",$2}]")"
}
# pod NAME MEMBERS: a Job with these members in its Pod
pod() {
    agree "$1" "$(job '"name":"pi"' '' "$2,$POD")"
}
container "an unknown field of a probe" '"livenessProbe":{"httpGet":{"port":80,"prot":1}}'
container "a probe's period" '"livenessProbe":{"periodSeconds":"5"}'
container "a port by name" '"livenessProbe":{"httpGet":{"port":"http","path":"/"}}'
container "a port that is none" '"startupProbe":{"tcpSocket":{"port":true}}'
container "a port with a point" '"startupProbe":{"tcpSocket":{"port":1.5}}'
container "a capability" '"securityContext":{"capabilities":{"add":["A",1]}}'
container "capabilities" '"securityContext":{"capabilities":{"add":"A"}}'
container "an unknown field of a lifecycle" '"lifecycle":{"preStop":{"exec":{"cmd":["a"]}}}'
for q in '"1x"' '"abc"' '""' '"1kk"' '"k"' '"kk"' '" 1 "' 1.5 '"1e3"' true '{}' '[]' '"-"' '"."' '"+.5Gi"' '"1 Gi"' '"0x1"' '"1e"' null; do
    container "a limit of $q" "\"resources\":{\"limits\":{\"cpu\":$q}}"
done
container "limits" '"resources":{"limits":["cpu"]}'
container "a divisor" '"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"x"}}}]'
container "where a value comes from" '"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","keys":"k"}}}]'
pod "an unknown field of affinity" '"affinity":{"nodeAffinity":{"required":{}}}'
pod "a weight" '"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":"1"}]}}'
pod "groups" '"securityContext":{"supplementalGroups":[1,"2"]}'
pod "a volume's items" '"volumes":[{"name":"v","configMap":{"name":"c","items":[{"key":"a","pth":"b"}]}}]'
pod "a size" '"volumes":[{"name":"v","emptyDir":{"sizeLimit":"much"}}]'
pod "a claim" '"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":[1]}}}}]'
pod "a projection" '"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"expiration":1}}]}}]'
pod "a spread" '"topologySpreadConstraints":[{"maxSkew":1,"labelSelector":{"matchExpressions":[{"key":"a","op":"In"}]}}]'
pod "overhead" '"overhead":{"cpu":"?"}'
