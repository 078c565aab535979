# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after lib.sh: runs scenarios, many at once, each in a namespace of its own. A scenario is a file of
# scenarios/: manifests, each begun by a line "--- # TAG", and before them what is done, line by line:
#   #> create TAG              posts that manifest
#   #> await EXPR              until the jq expression holds (words: scenario.jq)
#   #> holds EXPR              it has to hold now
#   #> event REASON            until the Jobs have an event with that reason
#   #> quiesce                  until the controller must have done what was due
#   #> end CODE PODS           the kubelet tells that the Pods which the expression yields have ended so
#   #> end-at SECONDS CODE PODS the same, with an end so long from now: a wait that is reckoned from it lasts longer
#   #> disrupt PODS            the same of Pods that were evicted
#   #> delete-pod SECONDS PODS with that grace
#   #> patch KIND/NAME JSON    merge patch; KIND: job, pod, workload, or job-status
#   #> patch-each PATCH PODS   the same for Pods; PATCH is a jq expression on the Pod
#   #> delete NAME POLICY      the Job
#   #> refused STEP...         one of the above, which must be answered with an error
#   #> snap NAME [EXPR]        keeps the Job, as soon as its status tells of all of its Pods; with EXPR as it was when that held first
#   #> patch-job-status EXPR   merge patch of the Job's status
#   #> switch                  waits until the controller has been killed, which is when all scenarios have come here
#   #> took-over               waits until another one has been started, which is when all have come here
# What the API server answers is kept too. The rest of the file's head is for compare: see compare.sh.
# SCENARIO_LISTS: paths of what else is part of what comes out, beside Jobs, Pods and Events. API: of Workloads, where a scenario makes them.
AWAIT_SECONDS=${AWAIT_SECONDS:-180}

# api METHOD PATH [CURL-ARGUMENT...]: as admin; prints the answer, whatever its status
api() {
    local method=$1 path=$2
    shift 2
    curl -sS --max-time 60 --cacert "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key" -X "$method" \
        "$SERVER$path" "$@"
}

# ---- all scenarios of a phase: PHASE is its folder, PREFIX begins the names of its namespaces

# phase_begin FOLDER PREFIX SCENARIO...: their namespaces, one for quiesce, and watches of these
phase_begin() {
    PHASE=$1 PREFIX=$2
    shift 2
    SCENARIOS="$*"
    QUIET=quiesce-${PREFIX%-}
    local s version
    k create namespace "$QUIET" > /dev/null
    for s in $SCENARIOS; do
        mkdir -p "$PHASE/$s"
        printf -- '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: "%s"}\n' "$PREFIX$s"
    done | k create -f - > /dev/null
    await 120 "the service accounts" service_accounts
    version=$(api GET '/apis/batch/v1/jobs?limit=1' | jq -r .metadata.resourceVersion) # so that the watches miss nothing
    (
        curl_keys
        for s in $SCENARIOS; do
            printf 'url = "%s/apis/batch/v1/namespaces/%s/jobs?watch=1&timeoutSeconds=3600&resourceVersion=%s"\noutput = "%s"\n' \
                "$SERVER" "$PREFIX$s" "$version" "$PHASE/$s/jobs"
            printf 'url = "%s/api/v1/namespaces/%s/pods?watch=1&timeoutSeconds=3600&resourceVersion=%s"\noutput = "%s"\n' \
                "$SERVER" "$PREFIX$s" "$version" "$PHASE/$s/pods"
        done
    ) > "$PHASE/watch.curl"
    spawn "watch-$(basename "$PHASE")" curl -sSN --no-progress-meter --parallel --parallel-immediate --parallel-max 300 -K "$PHASE/watch.curl"
}

curl_keys() {
    printf '%s = "%s"\n' cacert "$DIR/pki/ca.crt" cert "$DIR/pki/admin.crt" key "$DIR/pki/admin.key"
}

# Pods are refused in a namespace that has none.
service_accounts() {
    [ "$(api GET /api/v1/serviceaccounts | jq --arg p "$PREFIX" '[.items[] | select(.metadata.namespace | startswith($p))] | length')" = \
        "$(wc -w <<< "$SCENARIOS")" ]
}

# phase_run FOLDER-OF-SCENARIOS: not more than SCENARIOS_AT_ONCE; a check for all that went well, one for each that did not
phase_run() {
    local s pids=() failures=""
    for s in $SCENARIOS; do
        while [ "$(jobs -rp | wc -l)" -ge $((${SCENARIOS_AT_ONCE:-24} + $(wc -w <<< "$SPAWNED"))) ]; do sleep 0.2; done
        {
            scenario_run "$1/$s.yaml" "$PHASE/$s" "$PREFIX$s" && touch "$PHASE/$s/done"
            touch "$PHASE/$s/over"
        } > "$PHASE/$s/log" 2>&1 &
        pids+=($!)
    done
    [ -z "${BETWEEN:-}" ] || $BETWEEN
    wait "${pids[@]}" || true
    for s in $SCENARIOS; do
        [ -e "$PHASE/$s/done" ] || failures="$failures $s"
    done
    for s in $failures; do
        failed "$(basename "$PHASE"): $s went its way" "$(tail -n 6 "$PHASE/$s/log")" "all of its steps"
    done
    [ -n "$failures" ] || passed "$(basename "$PHASE"): $(wc -w <<< "$SCENARIOS") scenarios went their way"
    FAILURES=$failures
}

# all_at STEP: each scenario of the phase has come to that step, or is over
all_at() {
    local s
    for s in $SCENARIOS; do [ -e "$PHASE/$s/at-$1" ] || [ -e "$PHASE/$s/over" ] || return 1; done
}

# snapshot FOLDER: a normalised SCENARIO.json for each
snapshot() {
    local line s path
    mkdir -p "$1"
    for path in /apis/batch/v1/jobs /api/v1/pods /api/v1/events ${SCENARIO_LISTS:-}; do api GET "$path"; done > "$1/lists"
    jq -cS -s --arg prefix "$PREFIX" -f "$E2E/normalise.jq" "$1/lists" > "$1/all"
    rm "$1/lists"
    while read -r s line; do
        printf '%s\n' "$line" > "$1/${s#"$PREFIX"}.json"
    done < <(jq -r '"\(.namespace) \(.)"' "$1/all")
}

# quiesce: three Jobs without Pods, one after the other, have come to their ends, each at least a second after it was made, and of each that was told:
# by then what was due before them is done, however slow things are, and told, since events go out in order.
quiesce() {
    local i job
    for i in 1 2 3; do
        job=quiesce-$BASHPID-$(now_ms)
        api POST "/apis/batch/v1/namespaces/$QUIET/jobs" --fail-with-body -o /dev/null -H 'Content-Type: application/json' --data "{\"metadata\": {
            \"name\": \"$job\"}, \"spec\": {\"completions\": 0, \"template\": {\"spec\": {\"restartPolicy\": \"Never\", \"containers\": [{
            \"name\": \"main\", \"image\": \"registry.example/main:1\"}]}}}}" || return 1
        await "$AWAIT_SECONDS" "the end of $job" has_event "$QUIET" Completed "$job" || return 1
    done
}

# phase_end: PHASE/final, once all is quiet and nothing changes while it does so again
phase_end() {
    local deadline=$(($(now_ms) + 240000))
    quiesce
    snapshot "$PHASE/final"
    while :; do
        quiesce
        snapshot "$PHASE/next"
        cmp -s "$PHASE/final/all" "$PHASE/next/all" && break
        rm -rf "$PHASE/final" && mv "$PHASE/next" "$PHASE/final"
        [ "$(now_ms)" -lt "$deadline" ] || {
            echo "$PHASE does not come to rest" >&2
            return 1
        }
    done
    proc_stop "watch-$(basename "$PHASE")"
}

# result PHASE SCENARIO: all that is to be compared, as lines
result() {
    local f
    for f in "$1/$2"/snap-*; do
        [ -e "$f" ] || continue
        echo "${f##*/snap-}:"
        jq -S '[{items: [.]}, {items: []}, {items: []}]' "$f" | jq -S --arg prefix "" -f "$E2E/normalise.jq" | jq '.jobs[]'
    done
    jq -S 'del(.namespace)' "$1/final/$2.json"
    sed -E 's/(PodGroup \\")[^"\\]*/\1name of a PodGroup/; s/-[bcdfghjklmnpqrstvwxz2456789]{5}\>/-xxxxx/g; s/\(0x[0-9a-f]+\)/(pointer)/g; s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/uid/g' "$1/$2/answers"
}

# ---- one scenario: W is its folder, NS its namespace

# scenario_run FILE FOLDER NAMESPACE
scenario_run() {
    local step
    W=$2 NS=$3
    trap - ERR EXIT
    set +e
    awk -v d="$W" '/^--- # /{ out = d "/" $3 ".yaml"; next } out { print > out }' "$1"
    mkfifo "$W/never" # never written to: to wait without a process
    touch "$W/jobs" "$W/pods"
    exec 6< "$W/jobs" 7< "$W/pods" 8<> "$W/never"
    while IFS= read -r step; do
        echo "$(date +%T) $step"
        step "$step" || {
            echo "failed: $step"
            return 1
        }
    done < <(sed -n 's/^#> //p' "$1")
    step_await 'counted'
}

# step WORDS
step() {
    local verb rest seconds code pods want=2
    IFS=' ' read -r verb rest <<< "$1"
    if [ "$verb" = refused ]; then
        want=4
        IFS=' ' read -r verb rest <<< "$rest"
    fi
    case $verb in
    create) step_create "$rest" ;;
    await) step_await "$rest" ;;
    holds) step_holds "$rest" ;;
    event) await "$AWAIT_SECONDS" "the event $rest" has_event "$NS" "$rest" ;;
    quiesce) quiesce ;;
    end) step_pods PATCH /status "end_with(${rest%% *})" "${rest#* }" ;;
    end-at)
        IFS=' ' read -r seconds code pods <<< "$rest"
        step_pods PATCH /status "end_with($code; now + $seconds)" "$pods"
        ;;
    disrupt) step_pods PATCH /status disrupt "$rest" ;;
    delete-pod) step_pods DELETE "" "{gracePeriodSeconds: ${rest%% *}}" "${rest#* }" ;;
    patch-each) step_pods PATCH "" "${rest%% *}" "${rest#* }" ;;
    patch) step_patch "${rest%% *}" "${rest#* }" ;;
    delete) answered DELETE "$(path_of Job "${rest%% *}")?propagationPolicy=${rest#* }" ;;
    snap) step_snap "${rest%% *}" "${rest#"${rest%% *}"}" ;;
    patch-job-status) step_patch job-status/work "$(on_state "{status: $rest}")" ;;
    switch | took-over)
        touch "$W/at-$verb"
        await "$AWAIT_SECONDS" "$verb" test -f "$PHASE/$verb"
        ;;
    *) echo "no such step: $verb" && return 1 ;;
    esac
}

# on_state EXPR: the values of the expression on what the watches have told. The first file may end in the middle of a line.
on_state() {
    jq -nRc -L "$E2E" "include \"scenario\"; state | $1" "$W/jobs" <(echo) "$W/pods"
}

# An expression may speak of the time, so it is looked at every five seconds in any case.
step_await() {
    local deadline=$(($(now_ms) + AWAIT_SECONDS * 1000)) value
    told
    while value=$(on_state "$1") && [ "${value##*$'\n'}" != true ]; do
        [ "$(now_ms)" -lt "$deadline" ] || break
        await_told 5
    done
    [ "${value##*$'\n'}" = true ] || {
        on_state . | jq -c '(.jobs, .pods)[] | {name: .metadata.name, status}'
        return 1
    }
}

step_holds() {
    [ "$(on_state "$1")" = true ] || {
        on_state '(.jobs, .pods)[] | {name: .metadata.name, made: .metadata.creationTimestamp, status}'
        return 1
    }
}

has_event() { # has_event NAMESPACE REASON [JOB]
    api GET "/api/v1/namespaces/$1/events" | jq -e --arg reason "$2" --arg job "${3:-}" \
        'any(.items[]; .involvedObject.kind == "Job" and .reason == $reason and $job == ("", .involvedObject.name))'
}

# step_snap NAME [EXPR]: a state that does not last is found in what the watch has told
step_snap() {
    if [ -z "$2" ]; then
        until [ -s "$W/snap-$1" ]; do # it may have changed again
            step_await current || return 1
            on_state 'select(current) | job' > "$W/snap-$1"
        done
    else
        step_await "any(.was[]; {jobs: [.], pods: []} |$2)" &&
            on_state "first(.was[] | select({jobs: [.], pods: []} |$2))" > "$W/snap-$1"
    fi
}

# told: whether the watches have told something since the last call
told() {
    local line any=1
    while read -r -u 6 line || read -r -u 7 line; do any=0; done
    return $any
}

# await_told SECONDS
await_told() {
    local n=$(($1 * 5))
    until told || [ $((n -= 1)) -lt 0 ]; do read -r -t 0.2 -u 8; done
    return 0
}

# path_of KIND [NAME]
path_of() {
    case $1 in
    Job) echo "/apis/batch/v1/namespaces/$NS/jobs${2:+/$2}" ;;
    Workload) echo "/apis/$API/namespaces/$NS/workloads${2:+/$2}" ;;
    *) echo "/api/v1/namespaces/$NS/${1,,}s${2:+/$2}" ;;
    esac
}

# answered METHOD PATH [CURL-ARGUMENT...]: the answer's status begins with $want; its words are kept
answered() {
    local answer message='' version='' deadline=$(($(now_ms) + AWAIT_SECONDS * 1000))
    answer=$(api "$@" -w '\n%{http_code}') || return 1
    [[ $answer =~ \"resourceVersion\":\ *\"([0-9]+)\" ]] && version=${BASH_REMATCH[1]}
    [[ $answer =~ \"message\":\ *\"(([^\"\\]|\\.)*)\" ]] && message=${BASH_REMATCH[1]}
    echo "${answer##*$'\n'} $message" >> "$W/answers"
    [[ ${answer##*$'\n'} == "$want"* ]] || {
        echo "$answer"
        return 1
    }
    case "$want $2" in 4* | *s/*/serviceaccounts* | *s/*/workloads*) return 0 ;; esac # nothing is watched that would tell of it
    [ -z "$version" ] || seen "$version" # the deletion of a Job tells none
}

# seen VERSION: the watches have told of what was written, so that no step looks at the state before it
seen() {
    until grep -q "\"resourceVersion\":\"$1\".*}}\$" "$W/jobs" "$W/pods"; do
        [ "$(now_ms)" -lt "$deadline" ] || return 1
        await_told 1
    done
    return 0
}

step_create() {
    local kind
    kind=$(sed -n 's/^kind: //p' "$W/$1.yaml")
    answered POST "$(path_of "$kind")" -H 'Content-Type: application/yaml' --data-binary "@$W/$1.yaml"
}

# step_patch KIND/NAME JSON
step_patch() {
    local kind=${1%%/*} sub=""
    [ "$kind" != job-status ] || sub=/status
    [ "${kind%-status}" != job ] || kind=Job
    [ "$kind" != workload ] || kind=Workload
    answered PATCH "$(path_of "$kind" "${1#*/}")$sub" -H 'Content-Type: application/merge-patch+json' --data "$2"
}

# step_pods METHOD SUB BODY PODS: the request for each Pod that the expression yields; at least one
step_pods() {
    local name body n=0 type=merge-patch+json
    [ "$1" = PATCH ] || type=json
    while read -r name body; do
        answered "$1" "$(path_of Pod "$name")$2" -H "Content-Type: application/$type" --data "$body" || return 1
        n=$((n + 1))
    done < <(on_state "$4 | \"\\(.metadata.name) \\($3)\"" | jq -r .)
    [ "$n" -gt 0 ]
}
