#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --policies and --policy-file from outside, on the devcluster: policies.sh BIN
#   two replicas enforce what the cluster says, and a change 50 times over, while Jobs are sent; a policy that is wrong is refused; a Namespace that the
#   watch hasn't told of is read, or the answer is 503; an API server that answers 404 to lists has no policies any more, while one that refuses or is away
#   turns nothing off; a replica doesn't listen before it knows the policies;
#   the controller writes the status, and audits
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
. "$here/../../support/hooks.sh"
scene policies
policies=/apis/policy.jobreeve.dev/v1alpha1/jobpolicies
ALIVE="devcluster one two"

yaml() { # yaml METHOD PATH: of standard input
    api "$1" "$2" -H 'Content-Type: application/yaml' --data-binary @-
}
replica() { # replica NAME FLAG...
    proc_start "$1" "$bin/jobreeve-webhook" --bind-address 127.0.0.1 --port 0 --tls-cert-file "$DIR/tls.crt" --tls-private-key-file "$DIR/tls.key" \
        --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 --shutdown-delay-duration 0s "${@:2}"
}
ready() { curl -sS --fail --max-time 30 "http://$(listener "$1" health)/readyz"; }
metrics() { curl -sS --fail --max-time 30 "http://$(listener "$1" metrics)/metrics"; }
metric() { # metric PROCESS NAME VALUE
    local all
    all=$(metrics "$1") && grep -qxF "$2 $3" <<< "$all"
}
both() { # both NAME VALUE
    metric one "$@" && metric two "$@"
}
policy() { # policy NAME SPEC: its document
    printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: %s}\nspec: %s\n' "$1" "$2"
}
job() { # job NAMESPACE NAME PARALLELISM [QUERY]: suspended Jobs only get warnings, so this one runs
    yaml POST "/apis/batch/v1/namespaces/$1/jobs${4:-}" << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $2}
spec: {parallelism: $3, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}
refused() { # refused CODE WORDS COMMAND...: the answer is in DIR/answer
    local code=$1 words=$2
    shift 2
    if "$@" > "$DIR/answer" 2> /dev/null; then
        echo "not refused: $*" >&2
        return 1
    fi
    [ "$(jq -r .code "$DIR/answer")" = "$code" ] && grep -qF "$words" "$DIR/answer" || { cat "$DIR/answer" >&2 && return 1; }
}
refused_soon() { refused "$@" 2> /dev/null; }
faults() { api PUT /devcluster/faults -H 'Content-Type: application/json' -d "$1" > /dev/null; }

self_signed "$DIR/tls" localhost
devcluster --node ''
policy narrow '{limits: {parallelism: {max: 2}}}' > "$DIR/narrow.yaml"
yaml POST $policies < "$DIR/narrow.yaml" > /dev/null
replica one --kubeconfig "$DIR/kubeconfig" --policies
replica two --kubeconfig "$DIR/kubeconfig" --policies
for r in one two; do await 60 "replica $r" ready $r > /dev/null; done
bundle=$(base64 -w0 "$DIR/tls.crt")
trusted() { sed "s|clientConfig: {|&caBundle: \"$bundle\", |"; }
one=https://$(listener one webhook) two=https://$(listener two webhook)
configuration Mutating jobreeve "$(hook mutate.job.jobreeve.dev "$two/mutate-batch-v1-job" | trusted)"
configuration Validating jobreeve "$(hook validate.job.jobreeve.dev "$one/validate-batch-v1-job" | trusted)" \
    "$(hook validate.policy.jobreeve.dev "$one/validate-policy-jobreeve-dev-v1alpha1-jobpolicy" Fail jobpolicies | trusted |
        sed 's/apiGroups: .batch., apiVersions: .v1./apiGroups: [policy.jobreeve.dev], apiVersions: [v1alpha1]/; s/operations: .CREATE./operations: [CREATE, UPDATE]/')"
both 'jobreeve_policy_generation{policy="narrow"}' 1
job default good 2 > /dev/null
refused 422 'policy \"narrow\": spec.parallelism: is 3, at most 2 allowed' job default bad 3
grep -q '"denied".*"field":"spec.parallelism","rule":"limits.parallelism","policy":"narrow"' "$DIR/log/one.log"
metric one 'jobreeve_policy_evaluations_total{action="Deny",policy="narrow",result="fail"}' 1
metric one 'jobreeve_policy_evaluations_total{action="Deny",policy="narrow",result="pass"}' 1
metric one 'jobreeve_webhook_admission_total{allowed="false",operation="CREATE",reason="Policy",webhook="/validate-batch-v1-job"}' 1
echo "ok    what a policy says is enforced, logged and counted"

refused 422 'spec.limits.parallelism' yaml POST $policies < <(policy wrong '{limits: {parallelism: {min: 3, max: 2}}}')
metric one 'jobreeve_webhook_admission_total{allowed="false",operation="CREATE",reason="Invalid",webhook="/validate-policy-jobreeve-dev-v1alpha1-jobpolicy"}' 1
refused 422 'spec' yaml POST $policies < <(policy none '{}')
policy ttl '{defaults: {ttlSecondsAfterFinished: 60}, limits: {ttlSecondsAfterFinished: {max: 600}}}' | yaml POST $policies > /dev/null
await 60 "the defaults" both 'jobreeve_policy_generation{policy="ttl"}' 1
job default defaulted 1 | jq -e '.spec.ttlSecondsAfterFinished == 60' > /dev/null
echo "ok    a policy that can't be used is refused, and defaults are set"

# Jobs are sent all the while, as dry runs; each of them has to be answered.
load() {
    local n=0
    until [ -e "$DIR/enough" ]; do
        job default "load-$n" 1 '?dryRun=All' > "$DIR/load.answer" 2>&1 || { cp "$DIR/load.answer" "$DIR/load.failed" && return 1; }
        n=$((n + 1))
    done
    echo $n > "$DIR/load.sent"
}
load &
loading=$!
longest=0
for ((i = 2; i <= 51; i++)); do
    api PATCH $policies/narrow -H 'Content-Type: application/merge-patch+json' -d "{\"spec\":{\"limits\":{\"parallelism\":{\"max\":$((i + 1))}}}}" > /dev/null
    began=$(now_ms)
    await 60 "generation $i" both 'jobreeve_policy_generation{policy="narrow"}' "$i"
    took=$(($(now_ms) - began))
    [ $took -le $longest ] || longest=$took
    refused 422 "is $((i + 2)), at most $((i + 1)) allowed" job default bad $((i + 2))
done
touch "$DIR/enough"
wait $loading
[ "$(cat "$DIR/load.sent")" -gt 10 ]
echo "ok    50 changes, each in force in both replicas, after at most $longest ms; $(cat "$DIR/load.sent") Jobs sent meanwhile were answered"

# The watch of Namespaces lags behind: the one that is new is read.
policy gpu '{match: {namespaceSelector: {matchLabels: {pool: gpu}}}, limits: {completions: {max: 1}, parallelism: {max: 1}}}' | yaml POST $policies > /dev/null
await 60 "the policy" both 'jobreeve_policy_generation{policy="gpu"}' 1
# One call for both rules: another would end the delay of the watch, as an effect ends with its rule.
faults '{"rules":[{"userAgent":"jobreeve-webhook","method":"GET","path":"/api/v1/namespaces?","action":"delay","delayMilliseconds":600000},
    {"userAgent":"jobreeve-webhook","method":"GET","path":"/api/v1/namespaces/team-new","action":"status","status":500}]}'
api POST /devcluster/drop-watches > /dev/null
namespace() { printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {pool: %s}}\n' "$1" "$2" | yaml POST /api/v1/namespaces > /dev/null; }
namespace team-gpu gpu
namespace team-cpu cpu
refused 422 'policy \"gpu\": spec.parallelism: is 2, at most 1 allowed' job team-gpu bad 2
job team-cpu good 2 > /dev/null
namespace team-new cpu
refused 503 'those of \"team-new\" are not known yet' job team-new good 1
api DELETE /devcluster/faults > /dev/null
job team-new good 1 > /dev/null
api POST /devcluster/drop-watches > /dev/null
echo "ok    a Namespace that the watch hasn't told of is read; if that fails the answer is 503"

# What an API server answers to lists says whether the policies are there: 404 that they aren't, as their definition was deleted; another refusal nothing.
lists() { # lists STATUS: what they are answered from now on
    faults '{"rules":[{"userAgent":"jobreeve-webhook","method":"GET","path":"/apis/policy.jobreeve.dev/v1alpha1/jobpolicies?","action":"status","status":'"$1"'}]}'
    api POST /devcluster/drop-watches > /dev/null
}
failures() { metrics "$1" | sed -n 's/^jobreeve_informer_failures_total{resource="jobpolicies"} //p'; }
before_one=$(failures one) before_two=$(failures two)
failed() { # the lists of both replicas
    [ "$(failures one)" -gt "${before_one:-0}" ] && [ "$(failures two)" -gt "${before_two:-0}" ]
}
both jobreeve_policies 3
lists 503
await 60 "lists that fail" failed
both jobreeve_policies 3
refused 422 'at most 52 allowed' job default bad 53
echo "ok    an API server that refuses to list turns no policy off"
lists 404
await 60 "the policies' end" both jobreeve_policies 0
job default wide 53 '?dryRun=All' > /dev/null
ready one > /dev/null
metrics one > "$DIR/all"
[ "$(grep -c 'policy="gpu"' "$DIR/all" || true)" = 0 ]
grep -q '"msg":"JobPolicy deleted".*"policy":"narrow"' "$DIR/log/one.log"
api DELETE /devcluster/faults > /dev/null
await 120 "the policies that are there again" both jobreeve_policies 3
refused 422 'at most 52 allowed' job default bad 53
for p in narrow ttl gpu; do api DELETE $policies/$p > /dev/null; done
await 60 "the deletions" both jobreeve_policies 0
job default freed 53 > /dev/null
echo "ok    who deletes the definition, or a policy, turns it off"

# The API server stands still; a replica is asked by itself.
policy narrow '{limits: {parallelism: {max: 2}}}' | yaml POST $policies > /dev/null
await 60 "the policy" refused_soon 422 'at most 2 allowed' job default bad 3
jq '.request.object.spec.parallelism = 3' "$here/../../vectors/wire/reviews/002-validate-CREATE-jobs.json" > "$DIR/review.json"
ask() { curl -sS --max-time 30 --cacert "$DIR/tls.crt" -H 'Content-Type: application/json' --data-binary @"$DIR/review.json" "$one/validate-batch-v1-job"; }
proc_signal devcluster STOP
ask | jq -e '.response.allowed == false and (.response.status.message | contains("at most 2 allowed"))' > /dev/null
ready one > /dev/null
proc_signal devcluster CONT
metrics one > "$DIR/all"
grep -q '^jobreeve_policy_snapshot_timestamp_seconds [1-9]' "$DIR/all"
echo "ok    without the API server the last policies are enforced"

# A replica that doesn't know the policies yet takes no connection: what it would answer is wrong.
faults '{"rules":[{"userAgent":"jobreeve-webhook","method":"GET","path":"/apis/policy.jobreeve.dev/v1alpha1/jobpolicies?","action":"status","status":503}]}'
replica late --kubeconfig "$DIR/kubeconfig" --policies
lacks() { ! ready late > /dev/null 2>&1 && [ "$(curl -sS --max-time 30 "http://$(listener late health)/readyz")" = "the JobPolicies and Namespaces are not known yet" ]; }
ALIVE="devcluster late" await 60 "what it lacks" lacks
listens() { grep -q '"msg":"serving","listener":"webhook"' "$DIR/log/late.log"; }
[ "$(listens && echo listens)" = "" ]
api DELETE /devcluster/faults > /dev/null
ALIVE="devcluster late" await 120 "the policies" ready late > /dev/null
listens
proc_stop late
echo "ok    a replica listens once it knows the policies"

# From files, without an API server.
cp "$DIR/narrow.yaml" "$DIR/file.yaml"
replica three --policy-file "$DIR/file.yaml"
ALIVE=three await 60 "replica three" ready three > /dev/null
one=https://$(listener three webhook)
ask | jq -e '.response.allowed == false' > /dev/null
policy narrow '{limits: {parallelism: {max: 3}}}' > "$DIR/file.yaml"
allowed() { ask | jq -e '.response.allowed'; }
ALIVE=three await 60 "the changed file" allowed > /dev/null
policy narrow '{limits: {parallelism: {max: 1}}, bad: 1}' > "$DIR/file.yaml"
wrong() { grep -q '"a policy.s file is wrong".*"line":4,.*unknown field' "$DIR/log/three.log"; }
ALIVE=three await 60 "the refusal of the file" wrong
allowed > /dev/null
proc_stop three
echo "ok    policies out of files, read again when they change"

proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/kubeconfig" --policies --audit-interval 1s --leader-elect=false \
    --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0
ALIVE="devcluster controller"
audited() { api GET $policies/narrow | jq -e '.status | .conditions[0].type == "Accepted" and .conditions[0].status == "True" and .audit.checked >= 5 and .audit.violating == 1 and
    .audit.worst == [{kind: "Job", namespace: "default", name: "freed", rule: "limits.parallelism", message: "spec.parallelism: is 53, at most 2 allowed"}]'; }
await 120 "the audit" audited > /dev/null
metric controller 'jobreeve_policy_audit_violating{policy="narrow"}' 1
api GET $policies/narrow | jq -e '.metadata.generation == 1' > /dev/null
echo "ok    the controller writes a policy's status, and audits"
