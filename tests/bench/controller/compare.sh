# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by run.sh: both controllers in turn on one API server, each a fresh process, as the same user.

KCM_USER=system:kube-controller-manager # of a priority level of its own, as in every cluster

cluster() {
    "$ROOT/tests/e2e/build.sh"
    JR_E2E_CONTROLLERS=serviceaccount-controller "$ROOT/tests/e2e/cluster.sh" up "$DIR"
    . "$DIR/env"
    k create clusterrolebinding bench --clusterrole=cluster-admin --user="$KCM_USER" > /dev/null
    namespace warm
    namespace bench
    proc_stop kube-controller-manager # what made the service accounts is not needed any more
}

k() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}

namespace() { # no Pod is admitted without a service account
    k create namespace "$1" > /dev/null
    await 60 "the service account of $1" k get serviceaccount default -n "$1"
}

# empty NAMESPACE: Jobs and Pods gone; nobody collects garbage here
empty() {
    k delete --raw "/apis/batch/v1/namespaces/$1/jobs?propagationPolicy=Background" > /dev/null
    k delete --raw "/api/v1/namespaces/$1/pods?gracePeriodSeconds=0" > /dev/null
}

start_controller() { # start_controller ours|peer
    case $1 in
    ours)
        proc_start "$1" "$JR_BIN/jobreeve-controller" --kubeconfig="$DIR/pki/kcm.conf" --replace-builtin \
            --leader-elect=false --health-probe-bind-address=0 --metrics-bind-address=127.0.0.1:0
        ;;
    peer)
        proc_start "$1" "$BIN/kube-controller-manager" --kubeconfig="$DIR/pki/kcm.conf" --controllers=job-controller \
            --leader-elect=false --kube-api-qps=100000 --kube-api-burst=100000 --secure-port=0 --profiling=false
        ;;
    esac
}

load() { # load NAMESPACE JOBS PODS_EACH: runs them to their ends, prints what it took
    "$JR_BIN/bench-controller" load --kubeconfig="$DIR/admin.conf" --namespace="$1" --jobs="$2" --pods-each="$3"
}

# writes FROM: the user's writes in the audit log from that byte on, as "RESOURCE DONE REFUSED" lines
writes() {
    tail -c "+$(($1 + 1))" "$DIR/audit.log" | jq -r --arg user "$KCM_USER" '
        select(.user.username == $user and (.verb | IN("create", "update", "patch", "delete"))) |
        "\(.objectRef.resource) \(.responseStatus.code)"' |
        awk '{ n[$1]++; if ($2 >= 400) bad++ } END { printf "%d\t%d\t%d\t%d\n", n["pods"], n["jobs"], n["events"], bad }'
}

# audit_quiet: the log has not grown for a moment
audit_quiet() {
    local size
    size=$(stat -c %s "$DIR/audit.log")
    sleep 0.3
    [ "$size" = "$(stat -c %s "$DIR/audit.log")" ]
}

# measure ours|peer JOBS PODS_EACH: a line of runs.tsv
measure() {
    local line from ticks hwm
    start_controller "$1"
    load warm 1 1 > /dev/null # its caches are synced, its connections stand
    empty warm
    from=$(stat -c %s "$DIR/audit.log")
    ticks=$(cpu_ticks "$1")
    line=$(load bench "$2" "$3")
    ticks=$(($(cpu_ticks "$1") - ticks))
    hwm=$(status_kb "$1" VmHWM)
    await 120 "the audit log" audit_quiet
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(word "$line" us)" "$ticks" "$hwm" "$(writes "$from")" >> "$OUT/runs.tsv"
    proc_stop "$1"
    empty bench
    say "$1 $2x$3: $(awk -v us="$(word "$line" us)" -v t="$ticks" -v hz="$(getconf CLK_TCK)" -v kb="$hwm" \
        'BEGIN { printf "%.1f s, %.2f CPU s, %.1f MB", us / 1e6, t / hz, kb / 1024 }')"
}

compare() {
    local r size name
    cluster
    : > "$OUT/runs.tsv"
    for ((r = 1; r <= ROUNDS; r++)); do
        say "round $r of $ROUNDS, load average $(cut -d ' ' -f 1 /proc/loadavg)"
        for size in $SIZES; do
            for name in $(in_turn "$r" ours peer); do
                measure "$name" "${size%x*}" "${size#*x}"
            done
        done
    done
    "$ROOT/tests/e2e/cluster.sh" down "$DIR" > /dev/null
    for form in txt md; do
        awk -f "$ROOT/tests/bench/median.awk" -f "$HERE/table.awk" -v form=$form -v hz="$(getconf CLK_TCK)" -v results="$DIR/results" "$OUT/runs.tsv" > "$OUT/table.$form"
    done
    awk -f "$ROOT/tests/bench/median.awk" -f "$HERE/plot.awk" -v hz="$(getconf CLK_TCK)" "$OUT/runs.tsv" > "$OUT/plot.svg"
    echo
    cat "$OUT/table.txt"
    echo
    evaluate
    echo "the same as $OUT/table.md, drawn in $OUT/plot.svg; all runs: $OUT/runs.tsv"
}

# A line of DIR/results: SIZE THROUGHPUT CPU RSS PODS JOBS EVENTS, ours divided by the peer's
evaluate() {
    local size throughput cpu rss pods jobs events
    while read -r size throughput cpu rss pods jobs events; do
        result "$size: jobs/s and pods/s $throughput of upstream's (at least 0.9)" at_least "$throughput" 0.9
        result "$size: CPU seconds $cpu of upstream's (at most 0.4)" at_most "$cpu" 0.4
        result "$size: peak RSS $rss of upstream's (at most 0.2)" at_most "$rss" 0.2
        # events are folded and held back by time, so their number differs from run to run
        result "$size: writes of Pods $pods, of Jobs $jobs, of Events $events of upstream's (at most 1, 1, 1.1)" \
            eval "at_most $pods 1 && at_most $jobs 1 && at_most $events 1.1"
    done < "$DIR/results"
}
