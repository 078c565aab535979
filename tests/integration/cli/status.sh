#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve status as people call it, from outside: status.sh BIN
#   the table and its reasons, of a namespace, of all, by labels; one Job's Pods over time, as text and as a page; what is watched; rights that are
#   lacking; each exit code
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene status
devcluster
proc_start controller "$bin/jobreeve-controller" --replace-builtin --kubeconfig "$DIR/kubeconfig" --health-probe-bind-address 0 --metrics-bind-address 0

job() { # job NAMESPACE NAME ANNOTATIONS [SPEC]
    printf 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, labels: {app: %s}}\nspec: {%s template: {metadata: {annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}\n' \
        "$2" "$2" "${4:-}" "$3" | api POST "/apis/batch/v1/namespaces/$1/jobs" -H 'Content-Type: application/yaml' --data-binary @- > /dev/null
}
asks() { # asks CODE ARGUMENT...: what it prints is in DIR/out and DIR/err
    local code=0 want=$1
    shift
    timeout 60 "$bin/jobreeve" status "$@" > "$DIR/out" 2> "$DIR/err" || code=$?
    [ "$code" = "$want" ] || { echo "exit code $code, not $want: status $*" >&2 && cat "$DIR/out" "$DIR/err" >&2 && return 1; }
}
on() { asks "$1" --kubeconfig "$DIR/kubeconfig" "${@:2}"; }
says() { grep -qE -- "$2" "$DIR/$1" || { echo "$1 doesn't say: $2" >&2 && cat "$DIR/$1" >&2 && return 1; }; } # says out|err PATTERN
long='kubelet.jobreeve.dev/duration: forever' short='kubelet.jobreeve.dev/duration: 100ms'

on 0
says out '^There are no Jobs in namespace default\.$'
job default runs "$long" 'completions: 3, parallelism: 2,'
job default held '' 'suspend: true,'
job default ended "$short"
job default failed "$short, kubelet.jobreeve.dev/exit-code: \"3\"" 'backoffLimit: 0,'
api POST /api/v1/namespaces -H 'Content-Type: application/yaml' --data-binary '{apiVersion: v1, kind: Namespace, metadata: {name: other}}' > /dev/null
job other far "$long"
# Shown twice over: the reasons, and the summary, which says of a failed Job whose Pods still end that it can't succeed any more.
shown() {
    on 0 -A && [ "$(awk '{ print $1, $2, $3, $NF }' "$DIR/out" | head -n 6 | paste -sd ,)" = \
        'NAMESPACE NAME PROGRESS REASON,default ended 1/1 complete,default failed 0/1 backoff-limit,default held 0/1 suspended,default runs 0/3 running,other far 0/1 running' ] &&
        says out '^5 Jobs: 1 needs a hand, 2 go on, 2 are over$' && says out '^     2  running +default/runs: Nothing holds the Job up: 2 Pods run; 0 of 3 completions are done\.$'
} 2> /dev/null
await 60 "all Jobs have got as far" shown
on 0
says out '^NAME '
says out '^4 Jobs: '
on 0 -l app=runs
[ "$(wc -l < "$DIR/out")" = 2 ]
says out '^runs  0/3       2       0       [0-9ms]+ +running$'
on 0 -l 'app in (runs,held)'
says out '^2 Jobs: 1 needs a hand, 1 goes on$'
on 0 --color always -l app=held
grep -q $'\x1b\[31msuspended\x1b\[0m' "$DIR/out"
echo "ok    the table"

on 0 job/runs
says out '^It goes on by itself \(moves\)\.$'
says out '^runs-[a-z0-9]{5} .*runs$'
on 0 job/failed
says out '^failed-[a-z0-9]{5} .*exit 3$'
on 0 -o html job/failed
says out '^<!DOCTYPE html>'
says out 'exit 3|>3<'
if grep -qiE 'http|<script|src=' "$DIR/out"; then echo "the page loads something" >&2 && exit 1; fi
echo "ok    one Job"

on 2 job/a job/b
on 2 cronjob/a
on 2 -A job/runs
on 2 -A -n default
on 2 -o html
on 2 -o html -w job/runs
on 4 job/nobody
says err '^jobreeve status: there is no Job nobody in namespace default$'
asks 2 --kubeconfig "$DIR/none"
echo "ok    what is wrong"

"$bin/jobreeve" status --kubeconfig "$DIR/kubeconfig" -w > "$DIR/watched" 2> "$DIR/watched.err" &
watching=$!
first() { [ "$(grep -c . "$DIR/watched")" = 5 ]; }
await 60 "what is there" first
api PATCH /apis/batch/v1/namespaces/default/jobs/held -H 'Content-Type: application/merge-patch+json' -d '{"spec": {"suspend": false, "completions": 1}}' > /dev/null
changed() { grep -qE '^held .* (running|starting|complete)$' "$DIR/watched"; }
await 60 "the change" changed
[ "$(grep -c '^NAME' "$DIR/watched")" = 1 ]
code=0
kill -INT $watching
wait $watching || code=$?
[ "$code" = 130 ] || { echo "exit code $code, not 130: interrupted" >&2; exit 1; }
"$bin/jobreeve" status --kubeconfig "$DIR/kubeconfig" -w job/ended > "$DIR/watched" 2> "$DIR/watched.err" &
watching=$!
drawn() { grep -q 'The Job is complete' "$DIR/watched"; }
await 60 "one Job, watched" drawn
code=0
kill -INT $watching
wait $watching || code=$?
[ "$code" = 130 ]
echo "ok    watched"

fault() { api PUT /devcluster/faults -d "{\"rules\": [{\"userAgent\": \"jobreeve/\", \"path\": \"$1\", \"action\": \"status\", \"status\": 403}]}" > /dev/null; }
fault /jobs
on 5
fault /pods
on 0
says out '^runs +0/3 '
fault /events
on 0
says out '^runs +0/3 .*running$'
api DELETE /devcluster/faults > /dev/null
echo "ok    rights that are lacking"
