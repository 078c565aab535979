#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve audit from outside: audit.sh BIN
#   a dump by file and by standard input, policies in it or beside it, text and JSON, exit codes, objects that can't be read; a cluster, its own policies
#   or others, one without any, a namespace, and what keeps it from answering once it has answered
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene audit
jobs=/apis/batch/v1/namespaces/default/jobs
policies=/apis/policy.jobreeve.dev/v1alpha1/jobpolicies

audit() { # audit CODE ARGUMENT...: what it prints is in DIR/out and DIR/err
    local code=0 want=$1
    shift
    # Its own --timeout is ten minutes.
    timeout 120 "$bin/jobreeve" audit "$@" > "$DIR/out" 2> "$DIR/err" || code=$?
    [ "$code" = "$want" ] || { echo "exit code $code, not $want: jobreeve audit $*" >&2 && cat "$DIR/out" "$DIR/err" >&2 && return 1; }
}
says() { # says FILTER VALUE: of the JSON that was printed
    [ "$(jq -c "$1" "$DIR/out")" = "$2" ] || { jq . "$DIR/out" >&2 && return 1; }
}
policy() { printf -- '---\napiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: %s}\nspec: %s\n' "$1" "$2"; }
job() { # job NAME NAMESPACE PARALLELISM
    printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: %s}\nspec: {parallelism: %s, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n' "$@"
}

policy narrow '{limits: {parallelism: {max: 2}}}' > "$DIR/narrow.yaml"
policy gpu '{match: {namespaceSelector: {matchLabels: {pool: gpu}}}, limits: {parallelism: {max: 1}}}' > "$DIR/gpu.yaml"
{
    job good a 2
    job bad a 3
    job worse b 9
    # Behind the Jobs in it.
    printf -- '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {pool: gpu}}\n'
} > "$DIR/dump.yaml"

audit 1 --policy "$DIR/narrow.yaml" "$DIR/dump.yaml"
grep -qx "  $DIR/dump.yaml:12: Job b/worse: spec.parallelism: is 9, at most 2 allowed" "$DIR/out"
audit 1 --policy "$DIR/narrow.yaml" -o json - < "$DIR/dump.yaml"
says '[.objects, (.policies[] | .checked, .violating, .skipped, (.worst | map(.name)))]' '[3,3,2,0,["bad","worse"]]'
audit 2 --policy "$DIR/gpu.yaml" -o json "$DIR/dump.yaml"
says '[.policies[] | .checked, .violating, .skipped, (.undecided[] | .namespace, .name, .message)]' \
    '[2,2,1,"b","worse","the labels of its namespace are not known"]'
audit 1 --policy "$DIR/gpu.yaml" --namespace-labels b:pool=cpu -o json "$DIR/dump.yaml"
says '[.policies[] | .checked, .violating, .skipped]' '[2,2,0]'
cat "$DIR/narrow.yaml" "$DIR/dump.yaml" > "$DIR/all.yaml"
audit 1 -o json "$DIR/all.yaml"
says '[.policies[] | .name, .violating]' '["narrow",2]'
job good a 2 > "$DIR/good.yaml"
audit 0 --policy "$DIR/narrow.yaml" "$DIR/good.yaml"
audit 2 "$DIR/good.yaml"
grep -q 'expected JobPolicies, there is none' "$DIR/err"
audit 2 --policy "$DIR/narrow.yaml" "$DIR/missing.yaml"
printf 'a: [\n' > "$DIR/broken.yaml"
audit 2 --policy "$DIR/narrow.yaml" "$DIR/broken.yaml"
audit 2 --policy "$DIR/narrow.yaml" --output sarif "$DIR/good.yaml"
printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: odd}\nspec: 5\n' > "$DIR/odd.yaml"
audit 2 --policy "$DIR/narrow.yaml" -o json "$DIR/odd.yaml"
says '[.objects, .unreadable, (.policies[] | .checked, .skipped)]' '[1,1,0,1]'
audit 2 --policy "$DIR/narrow.yaml" "$DIR/odd.yaml" "$DIR/all.yaml"
grep -qx "1 of them can't be read" "$DIR/out"
grep -q ': Job b/worse: ' "$DIR/out"
grep -qx "  $DIR/odd.yaml:2: Job default/odd: skipped: json: cannot unmarshal number .*" "$DIR/out"
# Twenty of them, and two violations of each; that of a finished Job is no reason to fail.
policy both '{limits: {parallelism: {max: 2}, completions: {required: true}}}' > "$DIR/both.yaml"
for i in {1..20}; do job "j$i" c 3; done > "$DIR/many.yaml"
audit 1 --policy "$DIR/both.yaml" "$DIR/many.yaml"
[ "$(grep -c ': Job c/j[0-9]*: spec.parallelism: ' "$DIR/out") $(grep -c ': Job c/j[0-9]*: spec.completions: ' "$DIR/out")" = "20 20" ]
{ job old c 3 && printf 'status: {conditions: [{type: Complete, status: "True"}]}\n'; } > "$DIR/old.yaml"
audit 0 --policy "$DIR/narrow.yaml" "$DIR/old.yaml"
grep -qx "  $DIR/old.yaml:2: Job c/old (finished): spec.parallelism: is 3, at most 2 allowed" "$DIR/out"
audit 0 --policy "$DIR/narrow.yaml" -o json "$DIR/old.yaml"
says '[.policies[] | .checked, .violating, .finished, (.violations[] | .finished)]' '[0,0,{"checked":1,"violating":1},true]'
job '"", generateName: import-' c 3 > "$DIR/new.yaml"
audit 1 --policy "$DIR/narrow.yaml" -o json "$DIR/new.yaml"
says '[.policies[].violations[].name]' '["import-*"]'
echo "ok    a dump, its policies or others, and exit codes"

devcluster --node ''
kube=(--kubeconfig "$DIR/kubeconfig")
audit 2 "${kube[@]}"
grep -q 'there is no JobPolicy in the cluster' "$DIR/err"
job bad default 3 | api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
api POST $policies -H 'Content-Type: application/yaml' --data-binary @"$DIR/narrow.yaml" > /dev/null
audit 1 "${kube[@]}" -o json
says '[.objects, (.policies[] | .name, .checked, .violating)]' '[1,"narrow",1,1]'
audit 0 "${kube[@]}" -o json --policy "$DIR/gpu.yaml"
says '[.objects, (.policies[] | .name, .checked, .violating, .skipped)]' '[1,"gpu",0,0,0]'
api POST /apis/batch/v1/namespaces/kube-system/jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null < <(job other kube-system 4)
audit 1 "${kube[@]}" -o json -A
says '[.objects, (.policies[] | .violating)]' '[2,2]'
audit 1 "${kube[@]}" -o json -n kube-system
says '[.objects, (.policies[] | .worst[].name)]' '[1,"other"]'
audit 2 "${kube[@]}" -n no-such
grep -q 'namespaces "no-such" not found' "$DIR/err"
echo "ok    a cluster, or a namespace of it, its policies or others"

says_why() { grep -q "$1" "$DIR/err" || { echo "not said: $1" >&2 && cat "$DIR/err" >&2 && return 1; }; }
fault() { api PUT /devcluster/faults -d "{\"rules\": [{\"userAgent\": \"jobreeve/\", \"action\": \"status\", $1}]}" > /dev/null; }
fault '"path": "/cronjobs", "status": 403'
audit 2 "${kube[@]}"
says_why 'users\[devcluster\].user: .*fault on purpose: 403'
for status in 429 503; do
    fault "\"path\": \"/jobpolicies\", \"status\": $status, \"times\": 2"
    audit 1 "${kube[@]}"
    says_why "/jobpolicies.*fault on purpose: $status; trying again"
done
fault '"status": 503'
audit 2 "${kube[@]}" --timeout 2s
says_why 'could not be read in time: .*fault on purpose: 503'
proc_stop devcluster
audit 2 "${kube[@]}"
says_why 'connect to 127.0.0.1 port'
echo "ok    what keeps a cluster from answering"
