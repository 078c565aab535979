#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve wait as people call it, from outside: wait.sh BIN
#   how Jobs are named, what is a wrong use, each exit code, the formats; refusals in the middle; watches that break off. The courses of Jobs on a real
#   control plane are in tests/e2e/t_53_wait.sh.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene wait
devcluster
proc_start controller "$bin/jobreeve-controller" --replace-builtin --kubeconfig "$DIR/kubeconfig" --health-probe-bind-address 0 --metrics-bind-address 0
jobs=/apis/batch/v1/namespaces/default/jobs

manifest() { # manifest METADATA ANNOTATIONS [SPEC]
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {%s}\nspec: {%s template: {metadata: {annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}\n' \
        "$1" "${3:-}" "$2"
}
job() { manifest "name: $1, labels: {of: $1}" "${@:2}" | api POST $jobs -H 'Content-Type: application/yaml' --data-binary @-; }
# waits CODE ARGUMENT...: what it prints is in DIR/out and DIR/err
waits() {
    local code=0 want=$1
    shift
    timeout 120 "$bin/jobreeve" wait --kubeconfig "$DIR/kubeconfig" "$@" > "$DIR/out" 2> "$DIR/err" || code=$?
    [ "$code" = "$want" ] || { echo "exit code $code, not $want: $*" >&2 && cat "$DIR/out" "$DIR/err" >&2 && return 1; }
}
says() { grep -qE -- "$2" "$DIR/$1" || { echo "$1 doesn't say: $2" >&2 && cat "$DIR/$1" >&2 && return 1; }; } # says out|err PATTERN
short='kubelet.jobreeve.dev/duration: 100ms' long='kubelet.jobreeve.dev/duration: forever'
failing="$short, kubelet.jobreeve.dev/exit-code: \"7\""

job good "$short" > /dev/null
job bad "$failing" 'backoffLimit: 0,' > /dev/null
job long "$long" > /dev/null
waits 0 job/good < /dev/null
says out '^job/good: Complete after [0-9ms]+$'
for type in jobs job.batch jobs.batch jobs.v1.batch; do waits 0 $type/good < /dev/null; done
waits 0 -l of=good < /dev/null
waits 1 -n default job/good job/bad < /dev/null
says out ', container main: exit code 7 \(Error\)$'
[ "$(tail -n 1 "$DIR/out")" = "1 Complete, 1 Failed" ]
waits 0 --any job/long job/good < /dev/null
waits 124 --timeout 2s job/long < /dev/null
says out '^job/long: not over: 1 active, 0 succeeded, 0 failed, begun [0-9ms]* ago$'
waits 124 --timeout 1s -n other job/good < /dev/null
says out "^job/good: not over: it doesn't exist$"
echo "ok    Jobs by name and by selector"

# Files: by what they say, and of what kubectl create -o yaml prints this very Job.
manifest 'name: good' "$short" > "$DIR/good.yaml"
{ cat "$DIR/good.yaml" && printf -- '---\nkind: ConfigMap\n---\n' && manifest 'name: bad, namespace: default' "$short"; } > "$DIR/two.yaml"
waits 0 -f "$DIR/good.yaml" < /dev/null
waits 1 -f "$DIR/two.yaml" < /dev/null
api GET $jobs/good | jq '.kind = "Job" | .apiVersion = "batch/v1"' > "$DIR/stored.json"
waits 0 -f - < "$DIR/stored.json"
jq '.metadata.uid = "another"' "$DIR/stored.json" > "$DIR/another.json"
waits 4 -f "$DIR/another.json" < /dev/null
says out '^job/good: deleted: there is another Job of its name$'
jq '.metadata.name = "never"' "$DIR/stored.json" > "$DIR/never.json"
waits 4 -f "$DIR/never.json" < /dev/null
api GET $jobs | jq '.kind = "JobList" | .apiVersion = "batch/v1" | .items |= map(select(.metadata.name == "good" or .metadata.name == "bad"))' > "$DIR/list.json"
waits 1 -f "$DIR/list.json" < /dev/null
echo "ok    Jobs of files"

# wrong PATTERN ARGUMENT...
wrong() {
    waits 2 "${@:2}" < /dev/null
    says err "^jobreeve wait: $1"
    # A slow answer may have a line of progress before it.
    [ "$(grep -vc ": isn't known yet$" "$DIR/err")" = 1 ]
}
wrong 'good: expected job/NAME, as in job/good' good
wrong 'expected job/NAME, or --selector, or --filename'
wrong 'expected job/NAME, or --selector, or --filename' job/good -l a=b
wrong '--selector: no Job in namespace default matches of=none' -l of=none
wrong 'no-such.yaml: ' -f no-such.yaml
printf 'kind: ConfigMap\n' > "$DIR/none.yaml"
wrong '--filename: there is no Job' -f "$DIR/none.yaml"
manifest 'generateName: g-' "$short" > "$DIR/generated.yaml"
wrong "$DIR/generated.yaml: .*metadata.name: is missing" -f "$DIR/generated.yaml"
wrong "$DIR/two.yaml: .*metadata.namespace: is \"default\", and --namespace is other" -n other -f "$DIR/two.yaml"
sed 's/token: .*/token: wrong/' "$DIR/kubeconfig" > "$DIR/wrong.conf"
wrong "$DIR/wrong.conf: .*token: .*(401)" --kubeconfig "$DIR/wrong.conf" job/good
echo "ok    wrong uses"

GITHUB_STEP_SUMMARY=$DIR/summary waits 1 -o github job/bad job/good < /dev/null
says out '^::error title=job/bad::Failed after .*: BackoffLimitExceeded: '
grep -q '^### Jobs: 1 Complete, 1 Failed$' "$DIR/summary"
token=$(sed -n '1s/^::stop-commands::\([0-9a-f]*\)$/\1/p' "$DIR/out")
[ ${#token} = 32 ]
# What stands between a stop and its token is text: each stop has its end.
[ "$(grep -cx "::stop-commands::$token" "$DIR/out")" = "$(grep -cx "::$token::" "$DIR/out")" ]
waits 0 --follow job/good < /dev/null
[ "$(grep -c '^\[good-[a-z0-9]*\] simulated: ' "$DIR/out")" = 1 ]
echo "ok    formats"

token=$(sed -n 's/^ *token: //p' "$DIR/kubeconfig")
# course NAME ARGUMENT...: waits in the background, until it knows the Job
course() {
    proc_start "$1" "$bin/jobreeve" wait --kubeconfig "$DIR/kubeconfig" "${@:2}"
    ALIVE=$1 await 60 "$1" grep -q ' active' "$DIR/log/$1.log"
}
over() { # over NAME CODE
    local pid
    read -r pid _ < "$DIR/run/$1.pid"
    proc_gone 90 "$1"
    reap "$pid"
    rm -f "$DIR/run/$1.pid"
    [ "$STOP_STATUS" = "$2" ] || { echo "exit code $STOP_STATUS, not $2: $1" >&2 && cat "$DIR/log/$1.log" >&2 && return 1; }
}
job ends "$long" 'completions: 1,' > /dev/null
course interrupted job/ends
proc_signal interrupted INT
over interrupted 130
course broken job/ends
for _ in 1 2 3; do api POST /devcluster/drop-watches > /dev/null; done
api DELETE "$jobs/ends?propagationPolicy=Background" > /dev/null
over broken 4
echo "ok    signals, and watches that break off"

# Refusals in the middle are tried again for half a minute, are said, and end it then: a 403 of Jobs does, one of Pods doesn't.
fault() { api PUT /devcluster/faults -d "{\"rules\": [{\"userAgent\": \"jobreeve/\", \"path\": \"$1\", \"action\": \"status\", \"status\": $2}]}" > /dev/null; }
job refused "$long" > /dev/null
course refused job/refused
fault /jobs 403
api POST /devcluster/drop-watches > /dev/null
over refused 2
grep -q '(403).*; trying again$' "$DIR/log/refused.log"
tail -n 1 "$DIR/log/refused.log" | grep -q '^jobreeve wait: .*(403)'
fault /pods 403
waits 1 --follow job/bad < /dev/null
says out '^job/bad: Failed after .* \(none of its failed Pods was seen\)$'
# Nothing is known before the first list, and nothing is said to be over. A Job without Pods, whose events may not be read, is waited for.
api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve/", "path": "/jobs", "action": "delay", "delayMilliseconds": 2500}]}' > /dev/null
waits 1 -l of=bad < /dev/null
waits 124 --timeout 1s -l of=bad < /dev/null
says err "^jobreeve wait: no Job is known: the API server hasn't listed any$"
waits 124 --any --timeout 1s -l of=bad < /dev/null
waits 124 --timeout 1s job/good < /dev/null
says out "^job/good: not over: the API server hasn't listed it$"
fault /jobs 503
waits 124 --timeout 3s -l of=bad < /dev/null
says err '\(503\).*; trying again$'
fault /events 403
printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: quiet}\nspec: {managedBy: example.com/nobody, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n' |
    api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
waits 124 --timeout 12s job/quiet < /dev/null
fault /events 500
waits 124 --timeout 12s job/quiet < /dev/null
api DELETE /devcluster/faults > /dev/null
waits 2 -l 'a b' < /dev/null
says err '\(400\)'
waits 2 job/Not_a_name < /dev/null
echo "ok    refusals"
