# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the t_*.sh that do something under a stream of Job creations: the stream, what may fail in it and when, an observer of what becomes of the
# Jobs, and what is looked at in the end. From outside: NS.
# Most Jobs of the stream are made suspended: admission and our controller see them all, the node only every 15th.
# PAUSE: seconds between two creations of one of the three clients.
PAUSE=${PAUSE:-0.15}
CLIENTS=3 PROBERS=3
WORK=$DIR/$NS
HISTORY=$CLUSTER/../../integration/controller/history.jq
JOBS=/apis/batch/v1/namespaces/$NS/jobs
rm -rf "$WORK"
mkdir -p "$WORK"

# ask SERVER PATH CURL-ARGUMENT...: as admin
ask() {
    curl -sS --cacert "$PKI/ca.crt" --cert "$PKI/admin.crt" --key "$PKI/admin.key" "${@:3}" "$1$2"
}

# ---- the stream

# create CLIENT NAME SPEC: asks until the Job is there. Each answer is a line in results.CLIENT: BEGAN-ENDED (milliseconds), name, status
# (000: none), and the beginning of what isn't a Job.
create() {
    local client=$1 name=$2 code began
    cat > "$WORK/job.$client" << Y
{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "$name"}, "spec": {"managedBy": "jobreeve.dev/controller", $3
 "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "localhost/exitwith:1", "args": ["seconds=1"]}]}}}}
Y
    while :; do
        began=$(wall_ms)
        : > "$WORK/answer.$client"
        code=$(ask "$SERVER" "$JOBS" --max-time 40 -o "$WORK/answer.$client" -w '%{http_code}' -H 'Content-Type: application/json' \
            --data-binary "@$WORK/job.$client" 2> "$WORK/answer.$client.err") || true
        case $code in
        201 | 409) echo "$began-$(wall_ms) $name $code" >> "$WORK/results.$client" && return ;;
        esac
        echo "$began-$(wall_ms) $name $code $(cat "$WORK/answer.$client" "$WORK/answer.$client.err" | tr '\n' ' ' | cut -c 1-600)" >> "$WORK/results.$client"
        sleep "$PAUSE"
    done
}

client() {
    local n=0
    while [ ! -e "$WORK/stop" ]; do
        n=$((n + 1))
        if [ $((n % 15)) != 0 ]; then
            create "$1" "held-$1-$n" '"suspend": true,'
        elif [ $((n % 2)) = 0 ]; then
            create "$1" "plain-$1-$n" '"completions": 2, "parallelism": 2,'
        else
            create "$1" "indexed-$1-$n" '"completions": 2, "parallelism": 2, "completionMode": "Indexed",'
        fi
        sleep "$PAUSE"
    done
}

created() {
    cat "$WORK"/results.* | awk '/ (201|409)$/ { n++ } END { print n + 0 }'
}

# flows N: that many more Jobs than now
flows() {
    local from
    from=$(created)
    await 120 "$1 more Jobs" more_than $((from + $1))
}

more_than() {
    [ "$(created)" -gt "$1" ]
}

# ---- the faults. Where the API server itself can't answer, no answer and server errors are no failure of admission.

# fault NAME CMD...: under the stream, which flows before and after
fault() {
    local name=$1
    shift
    flows 15
    echo "$(wall_ms) $name" >> "$WORK/faults"
    if OUT=$("$@" 2>&1); then passed "$name"; else failed "$name" "$(tail -n 5 <<< "$OUT")" "success"; fi
    flows 15
}

# outage NAME CMD...: a fault in which the API server is away
outage() {
    window outages "$@"
}

# crash NAME CMD...: a fault that takes a whole Pod's processes away without a word. What was under way in it, and what is sent to it before
# the Service knows, fails in every webhook, since API servers call once; so it is counted, not validated.
crash() {
    window crashes "$@"
}

# half_crash NAME CMD...: a fault that takes one of the two processes of a replica. The other one listens, so nobody is refused: only what
# was under way in it fails, one request at most of each who asks.
half_crash() {
    local before
    before=$(failed_calls | wc -l)
    window half-crashes "$@"
    tail -n 1 "$WORK/half-crashes" > "$WORK/half-crash"
    check "$1: refused connections" "$(failed_calls | tail -n +$((before + 1)) | sed -n '/connection refused/p')" ""
    check "$1: more failed than can have been under way" "$(failed_in half-crash | tail -n +$((CLIENTS + PROBERS + 1)))" ""
}

# window FILE NAME CMD...: a fault, with when it began and ended in that file
window() {
    local from
    from=$(wall_ms)
    fault "${@:2}"
    echo "$from $(wall_ms)" >> "$WORK/$1"
}

# probed CMD...: while many more ask, by dry runs; how it went is in probes.N, as in results.N
probed() {
    local n pids=() status=0
    rm -f "$WORK/probed"
    for ((n = 0; n < PROBERS; n++)); do
        probes $n &
        pids+=($!)
    done
    "$@" || status=$?
    touch "$WORK/probed"
    wait "${pids[@]}"
    return $status
}

probes() {
    local began code
    while [ ! -e "$WORK/probed" ]; do
        began=$(wall_ms)
        : > "$WORK/probe.$1"
        code=$(ask "$SERVER" "$JOBS?dryRun=All" --max-time 40 -o "$WORK/probe.$1" -w '%{http_code}' -H 'Content-Type: application/json' \
            --data-binary "@$WORK/probe.json" 2> /dev/null) || true
        [ "$code" = 201 ] || code="$code $(tr '\n' ' ' < "$WORK/probe.$1" | cut -c 1-600)"
        echo "$began-$(wall_ms) probe $code" >> "$WORK/probes.$1"
    done
}

# ---- the observer

# observe NAME PATH VERSION: all changes since then into the file of that name, by streams that go on where the one before ended
observe() {
    local from=$3
    while [ ! -e "$WORK/seen" ]; do
        ask https://$NODE_IP:6444 "$2?watch=1&resourceVersion=$from&timeoutSeconds=3000&allowWatchBookmarks=true" -N >> "$WORK/$1" 2>> "$DIR/log/observer.log" || true
        # the last line may be cut off
        sed -i '$ { /}$/! d }' "$WORK/$1"
        from=$(tail -n 1 "$WORK/$1" | jq -r --arg from "$from" '.object.metadata.resourceVersion // $from' | grep . || echo "$from")
    done
}

# evaluate NAME: what is wrong with the history of a Job
evaluate() {
    grep -hF "\"$1\"" "$WORK/jobs" "$WORK/pods" | jq -rs --arg job "$1" --argjson completions 2 --argjson parallelism 2 \
        --argjson ambiguous 0 -f "$HISTORY" | sed "s/^/$1: /"
}

# Jobs without an end that aren't suspended either
unsettled() {
    k get jobs -n $NS -o json |
        jq -r '.items[] | select(any(.status.conditions[]?; .status == "True" and (.type | IN("Complete", "Suspended"))) | not) | .metadata.name'
}

all_quiet() {
    local left
    left=$(unsettled) && [ -z "$left" ]
}

# Both streams have told of all there was: of a Pod and a Job that came last.
observed_all() {
    grep -q '"name":"the-end"' "$WORK/pods" && grep -q '"name":"the-end"' "$WORK/jobs"
}

# ---- results

# outside FILE: of lines that begin with BEGAN-ENDED, or with one moment, those that have nothing to do with any of its windows: they had
# ended before it, or began a second after it and later
outside() {
    by_windows "$1" 0
}

within() { # within FILE: the others
    by_windows "$1" 1
}

by_windows() {
    awk -v windows="$(cat "$WORK/$1")" -v want="$2" 'BEGIN { n = split(windows, w) }
        { m = split($1, t, "-"); in_one = 0; for (i = 1; i < n; i += 2) if (t[m] >= w[i] && t[1] <= w[i + 1] + 1000) in_one = 1 } in_one == want'
}

refusals() {
    cat "$WORK"/results.* "$WORK"/probes.* | sed -E '/^[0-9-]+ [^ ]+ (201|409)$/d'
}

refusals_by_webhook() {
    refusals | grep -i webhook || true
}

# failed_in FILE: all that failed in its windows, whether users saw it or not
failed_in() {
    refusals | within "$1"
    failed_open | within "$1"
}

# The mutating side fails open: users don't see it, the audit log does. Only of the stream: what looks whether we are there yet comes too early.
failed_open() {
    tail -n +$((AUDITED + 1)) "$DIR/audit.log" | grep -F failed-open. | grep -F jobreeve.dev |
        jq -r --arg ns $NS 'select(.objectRef.namespace == $ns) |
            "\(.requestReceivedTimestamp[:19] + "Z" | fromdateiso8601)000-\(.stageTimestamp[:19] + "Z" | fromdateiso8601)999 \(.objectRef.name) \(.annotations)"' || true
}

# What the API server says of calls that failed, with why
failed_calls() {
    grep -hi 'failing open\|failed calling webhook' "$DIR/log/kube-apiserver.log" | grep -F jobreeve.dev | cut -c 1-400 || true
}

# What Go's HTTP/1 client says of a server that is gone: nobody accepts; the kernel tells the read (reset, EOF) or the write (broken pipe); the
# client had seen the end and closed its side before (server closed idle connection, and ErrClosed of tls.Conn.Write)
NO_CONNECTION='connection refused|connection reset|EOF|broken pipe|server closed idle connection|use of closed network connection'

# While an API server starts it may answer before it knows of Services, and of roles, and so it may for a moment after it is ready: that isn't
# ours. What failed before it went is.
no_admission_failed() {
    check "logs to look into" "$(wc -l "$DIR/audit.log" "$DIR/log/kube-apiserver.log" | awk '$1 > 0 { n++ } END { print n + 0 }')" 3
    check "requests that admission failed" "$(refusals_by_webhook | outside crashes | outside half-crashes | outside starts)" ""
    check "requests that failed with the API server there" "$(refusals | outside outages | outside crashes | outside half-crashes)" ""
    check "requests that passed by our mutating side" "$(failed_open | outside crashes | outside half-crashes | outside starts)" ""
    check "a crash: no failures but for want of a connection" "$(refusals_by_webhook | outside starts | grep -vE "$NO_CONNECTION" || true)" ""
    failed_calls
    echo "one of two processes killed, twice: $(refusals_by_webhook | within half-crashes | wc -l) requests refused," \
        "$(failed_open | within half-crashes | wc -l) past the mutating side; both: $(refusals_by_webhook | within crashes | wc -l) and" \
        "$(failed_open | within crashes | wc -l); of $(cat "$WORK"/probes.* | wc -l) dry runs and $(cat "$WORK"/results.* | wc -l) others"
}

no_job_lost() {
    cat "$WORK"/results.* | awk '$3 == 201 || $3 == 409 { print $2 }' | sort > "$WORK/asked"
    k get jobs -n $NS -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}' | sort > "$WORK/there"
    check "Jobs that are not there, or that nobody asked for" "$(diff "$WORK/asked" "$WORK/there" || true)" ""
    check_await "each Job has come to its end, or is suspended" 300 all_quiet
}

none_counted_wrong() {
    local name wrong="" n=0
    k run the-end -n $NS --image=localhost/exitwith:1 --restart=Never > /dev/null
    job the-end "suspend: true," | k create -n $NS -f - > /dev/null
    await 60 "the observer" observed_all
    touch "$WORK/seen"
    while read -r name; do
        n=$((n + 1))
        wrong=$wrong$(evaluate "$name")
    done < <(grep -v '^held-' "$WORK/there")
    check "histories with a fault" "$wrong" ""
    check_more "histories checked" "$n" 20
}

# ---- from beginning to end

stream_begins() { # stream_begins HELM-ARGUMENT...: installs the release, and the Jobs begin to come
    local version c
    controllers '*'
    installed "$@"
    await 60 "the keeper closing the validating side" closed
    fresh_namespace $NS
    start_observed
    SPAWNED="$SPAWNED observed"
    await 120 "the observed API server" ask https://$NODE_IP:6444 /readyz -f
    version=$(k get pods -n $NS -o jsonpath='{.metadata.resourceVersion}')
    touch "$WORK/jobs" "$WORK/pods" "$WORK/outages" "$WORK/crashes" "$WORK/half-crashes" "$WORK/starts" "$WORK/probes.0"
    job probe "" | k create -n $NS --dry-run=client -o json -f - > "$WORK/probe.json"
    observe jobs "$JOBS" "$version" &
    observe pods /api/v1/namespaces/$NS/pods "$version" &
    CLIENT_PIDS=()
    for ((c = 0; c < CLIENTS; c++)); do
        touch "$WORK/results.$c"
        client $c &
        CLIENT_PIDS+=($!)
    done
    flows 30
}

stream_ends() {
    flows 30
    touch "$WORK/stop"
    wait "${CLIENT_PIDS[@]}"
    no_admission_failed
    no_job_lost
    none_counted_wrong
    echo "$(created) Jobs, $(grep -c . "$WORK/pods") changes of Pods observed; $(cat "$WORK"/results.* | wc -l) requests"
    proc_kill observed # its watches would hold it up
    nothing_forbidden outside starts
    k delete namespace $NS --timeout=300s > /dev/null
}
