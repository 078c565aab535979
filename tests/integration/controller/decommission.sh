#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# decommission on the devcluster: decommission.sh BIN. The test is the kubelet: Pods end when it says so.
#   Jobs of several kinds, killed in mid-flight: all that has ended is counted, no Pod has the finalizer, what runs runs on;
#   again, nothing happens; Jobs can be deleted with nobody there
#   killed -9 after its k-th write and run again: the same
#   a Pod that ends, and one that is made, while finalizers go; an API server in trouble; a leader that is there still
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene release

jobs=/apis/batch/v1/namespaces/default/jobs
pods=/api/v1/namespaces/default/pods
finalizer=jobreeve.dev/job-tracking

controller() { # controller NAME [decommission] FLAG...
    local name=$1 command=()
    shift
    [ "${1:-}" != decommission ] || { command=("$1") && shift; }
    proc_start "$name" "$bin/jobreeve-controller" "${command[@]}" --kubeconfig "$DIR/kubeconfig" --health-probe-bind-address 0 --metrics-bind-address 0 \
        --leader-elect-resource-namespace default "$@"
}
ended() { # ended NAME STATUS: it has come to its end with that exit code
    local pid
    proc_gone 90 "$1"
    read -r pid _ < "$DIR/run/$1.pid"
    reap "$pid"
    rm "$DIR/run/$1.pid"
    [ "$STOP_STATUS" = "$2" ] || { echo "$1 ended with $STOP_STATUS, not $2" >&2; return 1; }
}
release() { # release STATUS FLAG...
    controller release decommission "${@:2}"
    ended release "$1"
}
job() { # job NAME SPEC...
    api POST $jobs -H 'Content-Type: application/yaml' --data-binary @- > /dev/null <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {managedBy: jobreeve.dev/controller, ${*:2}, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}
pods_of() { # pods_of JOB [FILTER]: their names
    api GET "$pods?labelSelector=job-name%3D$1" | jq -r ".items | sort_by(.metadata.annotations[\"batch.kubernetes.io/job-completion-index\"], .metadata.name)[] ${2:-} | .metadata.name"
}
has() { [ "$(pods_of "$1" | wc -l)" = "$2" ]; }
end_pod() { # end_pod POD PHASE
    api PATCH "$pods/$1/status" -H 'Content-Type: application/merge-patch+json' -d "{\"status\":{\"phase\":\"$2\"}}" > /dev/null
}
nth() { pods_of "$1" | sed -n "$2p"; }
counts() { # counts JOB SUCCEEDED FAILED: nothing is left uncounted
    api GET "$jobs/$1" | jq -e --argjson s "$2" --argjson f "$3" '.status | (.succeeded // 0) == $s and (.failed // 0) == $f
        and ((.uncountedTerminatedPods // {}) | (.succeeded // []) + (.failed // []) == [])' > /dev/null ||
        { api GET "$jobs/$1" | jq -c .status >&2; return 1; }
}
condition() { api GET "$jobs/$1" | jq -r '[.status.conditions[]? | select(.status == "True") | .type] | join(" ")'; }
finalizers() { api GET $pods | jq "[.items[] | select(any(.metadata.finalizers[]?; . == \"$finalizer\"))] | length"; }
all_there() {
    has plain 3 && has indexed 3 && has perindex 2 && has whole 2 && has failing 2
}
versions() { { api GET $jobs; api GET $pods; } | jq -r '.items[].metadata.resourceVersion' | sort | paste -sd ' '; }
mid_flight() { # Jobs and their Pods, some of which have ended since the controller was killed
    controller one --leader-elect=false
    job plain completions: 4, parallelism: 3
    job indexed completionMode: Indexed, completions: 3, parallelism: 3
    job perindex completionMode: Indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 3
    job whole completions: 2, parallelism: 2
    job failing completions: 2, parallelism: 2, backoffLimit: 0
    job suspended suspend: true
    ALIVE="devcluster one" await 60 "the pods" all_there
    proc_kill one 2> /dev/null
    end_pod "$(nth plain 1)" Succeeded
    end_pod "$(nth plain 2)" Failed
    end_pod "$(nth indexed 1)" Succeeded
    end_pod "$(nth perindex 1)" Failed
    end_pod "$(nth whole 1)" Succeeded
    end_pod "$(nth whole 2)" Succeeded
    end_pod "$(nth failing 1)" Failed
}
all_counted() {
    counts plain 1 1
    counts indexed 1 0
    [ "$(api GET $jobs/indexed | jq -r .status.completedIndexes)" = 0 ]
    counts perindex 0 1
    counts whole 2 0
    [ "$(condition whole)" = "SuccessCriteriaMet Complete" ]
    counts failing 0 1
    [ -z "$(condition failing)$(condition plain)$(condition indexed)$(condition perindex)" ]
    [ "$(finalizers)" = 0 ]
    all_there # none made, none deleted
}
delete_all() { # with nobody there to help
    local name
    for name in $(api GET $jobs | jq -r '.items[].metadata.name'); do
        api DELETE "$jobs/$name?propagationPolicy=Background" > /dev/null
    done
    ALIVE=devcluster await 60 "the jobs' end" no_items $jobs
    ALIVE=devcluster await 60 "the pods' end" no_items $pods
}
leads() { grep -q '"caches synced"' <(log_since_start one); }
says() { grep -qF -- "$1" <(log_since_start release); }
no_items() { api GET "$1" | jq -e '.items == []'; }

devcluster --node ''

release 2 --replace-builtin
release 0
echo "ok    nothing to release is fine, and what --replace-builtin does is not released"

mid_flight
[ "$(finalizers)" = 12 ]
release 0 --deployment none --deployment-namespace default
all_counted
before=$(versions)
release 0
[ "$(versions)" = "$before" ]
[ "$(api GET /apis/coordination.k8s.io/v1/namespaces/default/leases/jobreeve-controller | jq -r '.spec.holderIdentity')" = "" ]
delete_all
echo "ok    what has ended is counted, no pod has the finalizer, jobs can be deleted; again, nothing happens"

# Some 24 writes: 2 of 4 Jobs' statuses, more of those that end, and 12 finalizers.
for k in 1 4 7 12 18; do
    mid_flight
    answer=$([ $((k % 2)) = 0 ] && echo true || echo false)
    api PUT /devcluster/hold --data "{\"userAgent\": \"jobreeve-controller\", \"afterWrites\": $k, \"answer\": $answer}" > /dev/null
    controller release decommission --leader-elect=false
    ALIVE="devcluster release" await 60 "write $k" eval 'api GET /devcluster/hold | jq -e .held'
    proc_kill release 2> /dev/null
    api DELETE /devcluster/hold > /dev/null
    release 0 --leader-elect=false
    all_counted
    delete_all
    echo "ok    killed after write $k (answer $answer) and run again"
done

mid_flight
late=$(nth plain 3)
api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-controller", "method": "PATCH", "path": "'"$late"'", "action": "status", "status": 503}]}' > /dev/null
release 1 --timeout 15s --leader-elect=false
log_since_start release | grep 'given up' | grep -q "have the finalizer still, the first is pod default/$late"
controller release decommission --leader-elect=false
ALIVE="devcluster release" await 60 "the counting" says '"all that has ended is counted"'
api POST $pods -H 'Content-Type: application/json' -d "$(api GET "$pods/$late" |
    jq '.metadata |= {name: "made-meanwhile", labels, finalizers, ownerReferences} | del(.status)')" > /dev/null
end_pod "$late" Succeeded
api DELETE /devcluster/faults > /dev/null
ended release 0
counts plain 2 1
[ "$(finalizers)" = 0 ]
api GET $pods/made-meanwhile > /dev/null
delete_all
echo "ok    a pod that ends meanwhile is counted, one that is made is released; who gives up says why"

mid_flight
api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-controller", "method": "PUT", "path": "/status", "every": 2, "action": "status", "status": 409},
    {"userAgent": "jobreeve-controller", "method": "PATCH", "path": "pods", "every": 3, "times": 6, "action": "lost"},
    {"userAgent": "jobreeve-controller", "path": "pods", "every": 5, "times": 4, "action": "drop"}]}' > /dev/null
release 0
api DELETE /devcluster/faults > /dev/null
all_counted
delete_all
echo "ok    an API server in trouble is asked again"

# Nothing shows any more that whole is to be written once again, but that the sync has failed.
mid_flight
api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve-controller", "method": "PUT", "path": "jobs/whole/status", "every": 2, "action": "status", "status": 409},
    {"userAgent": "jobreeve-controller", "method": "PATCH", "path": "'"$(nth whole 1)"'", "times": 1, "action": "lost"}]}' > /dev/null
release 0
api DELETE /devcluster/faults > /dev/null
all_counted
delete_all
echo "ok    a job's end is waited for"

controller one
ALIVE="devcluster one" await 60 "the leader" leads
release 1 --timeout 3s
log_since_start release | grep 'given up' | grep -q "Lease is another's"
controller release decommission
ALIVE="devcluster release one" await 60 "its standing by" says '"the lease is held"'
proc_stop one
ended release 0
echo "ok    a leader is waited for"
