# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tests: what Kueue v0.17 does to a Job (pkg/controller/jobs/job), in its order, each patch bound to the version that was seen last.
# Needs api METHOD PATH CURL-ARGUMENT..., NS, and kueue_states in the background.
KUEUE_STOPPING=kueue.x-k8s.io/stopping
KUEUE_RUNS=2  # Pods of the first run, by partial admission
KUEUE_COUNT=3 # Pods of the Job
# How long a Pod of the first run runs: longer than an eviction takes. Where the Job is admitted again before the controller has seen it
# suspended, as may be while status.active doesn't tell yet of Pods that are being made, such a Pod stays, and its end counts.
KUEUE_EVICTED=60s

# kueue_patch NAME PATCH [/status]: of the Job in SEEN, which the answer replaces
kueue_patch() {
    SEEN=$(jq -c --argjson patch "$2" '$patch * {metadata: {resourceVersion: .metadata.resourceVersion}}' <<< "$SEEN" |
        api PATCH "/apis/batch/v1/namespaces/$NS/jobs/$1${3:-}" --fail-with-body -A kueue/v0.17 -H 'Content-Type: application/merge-patch+json' \
            --data-binary @- 2> /dev/null)
}

# kueue_reconcile NAME STEPS...: reads the Job and takes the steps; from the beginning, as its reconciler does, after a conflict, and where the
# template can't be changed yet, since the status has active Pods still (1.36); no other refusal is borne
kueue_reconcile() {
    local tries
    for ((tries = 0; tries < 500; tries++)); do
        SEEN=$(api GET "/apis/batch/v1/namespaces/$NS/jobs/$1") || return 1
        "${@:2}" "$1" && return
        jq -e '.code == 409 or .code == 422 and all(.details.causes[]; .field == "spec.template")' <<< "$SEEN" > /dev/null || break
        sleep 0.2
    done
    echo "$1: ${*:2}: refused: $SEEN" | cut -c 1-400 >&2
    return 1
}

# kueue_run COUNT FLAVOR DURATION NAME: admitted, partially where COUNT is less than it asks for
kueue_run() {
    kueue_patch "$4" "{\"spec\": {\"suspend\": false, \"parallelism\": $1, \"template\": {
        \"metadata\": {\"labels\": {\"kueue.x-k8s.io/podset\": \"main\", \"flavor\": \"$2\"}, \"annotations\": {\"kueue.x-k8s.io/workload\": \"job-$4\",
            \"kubelet.jobreeve.dev/duration\": \"$3\"}},
        \"spec\": {\"nodeSelector\": {\"example.com/flavor\": \"$2\"}, \"tolerations\": [{\"key\": \"example.com/$2\", \"operator\": \"Exists\"}]}}}}"
}

# kueue_stop NAME: suspended, its startTime cleared, its template and parallelism restored
kueue_stop() {
    if ! jq -e ".spec.suspend and .metadata.annotations[\"$KUEUE_STOPPING\"] != \"true\"" <<< "$SEEN" > /dev/null; then
        kueue_patch "$1" "{\"metadata\": {\"annotations\": {\"$KUEUE_STOPPING\": \"true\"}}, \"spec\": {\"suspend\": true}}" || return
    fi
    if jq -e .status.startTime <<< "$SEEN" > /dev/null; then
        kueue_patch "$1" '{"status": {"startTime": null}}' /status || return
        echo "$1" >> "$DIR/kueue-cleared"
    fi
    kueue_patch "$1" "{\"metadata\": {\"annotations\": {\"$KUEUE_STOPPING\": null}}, \"spec\": {\"parallelism\": $KUEUE_COUNT, \"template\": {
        \"metadata\": {\"labels\": {\"kueue.x-k8s.io/podset\": null, \"flavor\": null}, \"annotations\": null},
        \"spec\": {\"nodeSelector\": null, \"tolerations\": null}}}}"
}

# kueue_states: to be run in the background: writes to DIR/kueue-states, again and again, the version of a list of all Jobs, and how each is
kueue_states() {
    while sleep 0.3; do
        api GET "/apis/batch/v1/namespaces/$NS/jobs" | jq -r '.metadata.resourceVersion,
            (.items[] | "\(.metadata.name) \(.status.active // 0) \(any(.status.conditions[]?; .type == "Complete" and .status == "True"))")' \
            > "$DIR/kueue-states.new" && mv "$DIR/kueue-states.new" "$DIR/kueue-states"
    done
}

# kueue_await NAME "ACTIVE COMPLETE": until a list that has what is in SEEN shows the Job like that
kueue_await() {
    local deadline=$((SECONDS + 300)) since version line
    since=$(jq -r .metadata.resourceVersion <<< "$SEEN")
    while [ $SECONDS -lt $deadline ]; do
        sleep 0.5
        [ -s "$DIR/kueue-states" ] || continue
        {
            read -r version
            while [ "$version" -ge "$since" ] && read -r line; do
                [ "$line" != "$1 $2" ] || return 0
            done
        } < "$DIR/kueue-states"
    done
    echo "$1: gave up waiting for: $2" >&2
    return 1
}

# kueue_round NAME I: a Job that is admitted in part, evicted and admitted again, and completes. Every other one is evicted at once, the others
# when their Pods are there; every other pair is Indexed.
kueue_round() {
    local mode=NonIndexed
    [ $(($2 & 2)) = 0 ] || mode=Indexed
    api POST "/apis/batch/v1/namespaces/$NS/jobs" --fail-with-body -o /dev/null -H 'Content-Type: application/yaml' --data-binary @- << Y || return
apiVersion: batch/v1
kind: Job
metadata: {name: $1, annotations: {kueue.x-k8s.io/job-min-parallelism: "1"}, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  suspend: true
  parallelism: $KUEUE_COUNT
  completions: $KUEUE_COUNT
  completionMode: $mode
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}
Y
    kueue_reconcile "$1" kueue_run $KUEUE_RUNS spot $KUEUE_EVICTED || return
    [ $(($2 & 1)) = 0 ] || kueue_await "$1" "$KUEUE_RUNS false" || return
    kueue_reconcile "$1" kueue_stop || return
    kueue_await "$1" "0 false" || return
    kueue_reconcile "$1" kueue_run $KUEUE_COUNT reserved 100ms || return
    kueue_await "$1" "0 true"
}

# kueue_rounds FROM TO AT-ONCE: the Jobs evicted-N; what goes wrong is in WORK/refused
kueue_rounds() {
    local i pids=() pid
    for ((i = $1; i < $2; i++)); do
        kueue_round "evicted-$i" $i 2>> "$WORK/refused" || echo "evicted-$i failed" >> "$WORK/refused" &
        pids+=($!)
        [ ${#pids[@]} -lt "$3" ] || { for pid in "${pids[@]}"; do wait "$pid"; done; pids=(); }
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
}

# kueue_made FILE: of a watch of Pods, a line for each Job and flavor: how many were made, and how many of them succeeded
kueue_made() {
    jq -nr 'def made: map(select(.type == "ADDED").object.metadata.uid) | unique | length;
        def succeeded: map(.object | select(.status.phase == "Succeeded" and .metadata.deletionTimestamp == null).metadata.uid) | unique | length;
        [inputs] | group_by(.object.metadata.labels | [.["batch.kubernetes.io/job-name"], .flavor])[]
        | (.[0].object.metadata.labels | "\(.["batch.kubernetes.io/job-name"]) \(.flavor)") + " \(made) \(succeeded)"' < <(whole_lines "$1")
}

# kueue_wrong: those of these lines that an admission doesn't explain: Pods made twice, by a template that was taken back, or beside those
# that had succeeded
kueue_wrong() {
    awk -v runs=$KUEUE_RUNS -v count=$KUEUE_COUNT '
        $2 == "spot" { wrong = $3 > runs; early[$1] = $4 }
        $2 == "reserved" { made[$1] = $3; line[$1] = $0; wrong = 0 }
        $2 != "spot" && $2 != "reserved" { wrong = 1 }
        wrong
        END { for (job in made) if (made[job] + early[job] != count) print line[job] " after " early[job] + 0 }'
}
