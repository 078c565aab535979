# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by each t_*.sh: what ../lib.sh and ../jobs.sh have, the node's daemons, and our release on it. From outside: DIR; JR_IMAGE, the
# image in the node (default: that of ./dev image).
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$CLUSTER/daemons.sh"
. "$CLUSTER/../lib.sh"
. "$CLUSTER/../jobs.sh"
CHART=$(cd "$CLUSTER/../../.." && pwd)/charts/jobreeve
SYSTEM=jobreeve-system RELEASE=jobreeve
export HELM_CACHE_HOME=$DIR/helm/cache HELM_CONFIG_HOME=$DIR/helm/config HELM_DATA_HOME=$DIR/helm/data

helm() {
    "$BIN/helm" --kubeconfig="$DIR/admin.conf" -n "$SYSTEM" "$@"
}

# release VERB ARGUMENT...: helm install or upgrade, with the image that was loaded; its output goes to DIR/log/helm.log. A webhook that a busy
# machine keeps from answering is waited for longer than the chart has it, unless JR_CHART_TIMEOUTS is set (nightly, with nothing beside it).
release() {
    local verb=$1 patient=(--set "webhook.mutating.timeoutSeconds=10,webhook.validating.timeoutSeconds=10")
    shift
    [ -z "${JR_CHART_TIMEOUTS:-}" ] || patient=()
    helm "$verb" "$RELEASE" "$CHART" --create-namespace --set image.repository=localhost/jobreeve \
        --set webhook.validating.failurePolicy=Fail "${patient[@]}" --wait --timeout 5m "$@" \
        >> "$DIR/log/helm.log" 2>&1 || {
        tail -n 5 "$DIR/log/helm.log"
        return 1
    }
}

uninstall() {
    helm uninstall "$RELEASE" --wait --timeout 5m >> "$DIR/log/helm.log" 2>&1
}

# configurations: how many of ours the API server has
configurations() {
    count_names jobreeve mutatingwebhookconfigurations,validatingwebhookconfigurations
}

# installed ARGUMENT...: the release of this test, whatever the one before has left
installed() {
    removed
    release install "$@"
    AUDITED=$(wc -l < "$DIR/audit.log")
    await 60 "the API server calling the webhook" guarded
}

# removed: by force, whatever state it is in; nobody is left then to let our Pods go
removed() {
    local namespace pod
    ! helm status "$RELEASE" > /dev/null 2>&1 || helm uninstall "$RELEASE" --no-hooks --wait >> "$DIR/log/helm.log" 2>&1
    while read -r namespace pod; do
        k patch pod "$pod" -n "$namespace" --type=merge -p '{"metadata":{"finalizers":null}}' > /dev/null || true
    done < <(k get pods -A -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name} {.metadata.finalizers}{"\n"}{end}' |
        sed -n 's#^\([^ ]* [^ ]*\) .*jobreeve.dev/job-tracking.*#\1#p')
    k delete mutatingwebhookconfiguration,validatingwebhookconfiguration "$RELEASE" --ignore-not-found > /dev/null
    k delete pods --all -n "$SYSTEM" --grace-period=0 --force > /dev/null 2>&1 || true
    k delete namespace "$SYSTEM" --ignore-not-found --timeout=120s > /dev/null
}

# The keeper has found a replica that answers, and raised failurePolicy, as release asks for.
closed() {
    [ "$(field validatingwebhookconfiguration/$RELEASE '.webhooks[0].failurePolicy')" = Fail ]
}

# guarded: the API server asks both of our webhooks about Jobs, and gets its answer
guarded() {
    local m v open
    m=$(webhook_calls mutate.job.jobreeve.dev) v=$(webhook_calls validate.job.jobreeve.dev) open=$(failed_open_count)
    probe_job && [ "$(webhook_calls mutate.job.jobreeve.dev)" -gt "$m" ] &&
        [ "$(webhook_calls validate.job.jobreeve.dev)" -gt "$v" ] && [ "$(failed_open_count)" = "$open" ]
}

failed_open_count() {
    metric "$(k get --raw /metrics | grep -F 'name="mutate.job.jobreeve.dev"')" apiserver_admission_webhook_fail_open_count
}

# assigned NAMESPACE: a Job that is made there is ours
assigned() {
    [ "$(k create job probe --image=probe -n "$1" --dry-run=server -o jsonpath='{.spec.managedBy}')" = jobreeve.dev/controller ]
}

# controllers LIST: kube-controller-manager anew, with these controllers
controllers() {
    proc_stop kube-controller-manager
    start_kcm "$1"
    fresh_account() { k create namespace probe-kcm && await 60 "its controllers" k get serviceaccount default -n probe-kcm; }
    fresh_account > /dev/null
    k delete namespace probe-kcm > /dev/null
}

# pods_of_ours COMPONENT: the release's, less those that go
pods_of_ours() {
    k get pods -n "$SYSTEM" -l "app.kubernetes.io/component=$1" \
        -o go-template='{{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}}{{"\n"}}{{end}}{{end}}'
}

# task NAME [ARGUMENT...]: a Pod template (flow style) whose container is exitwith
task() {
    local a list=""
    for a; do list="$list${list:+, }\"$a\""; done
    printf '{spec: {restartPolicy: Never, containers: [{name: main, image: "localhost/exitwith:1", args: [%s]}]}}' "$list"
}

# job NAME SPEC [ARGUMENT...]: as YAML; SPEC in flow style, without braces, ending in a comma where it isn't empty
job() {
    local name=$1 spec=$2
    shift 2
    printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {%s template: %s}\n' "$name" "$spec" "$(task "$@")"
}

# nothing_forbidden [FILTER...]: what our programs have asked for since they were ready was never refused for want of a right. (Right after an
# account was made the API server may not know of its roles yet.) FILTER gets lines that begin with milliseconds.
nothing_forbidden() {
    local lines ours
    ours=$(tail -n +$((AUDITED + 1)) "$DIR/audit.log" | sed -nE "/\"username\":\"system:serviceaccount:$SYSTEM:$RELEASE-(webhook|controller)\"/p")
    check_more "our requests are in the audit log" "$(grep -c '"code":20[01]' <<< "$ours")" 0
    lines=$(grep '"code":403' <<< "$ours" | grep -v 'is being terminated' |
        jq -r '"\(.requestReceivedTimestamp[:19] + "Z" | fromdateiso8601)000 \(.user.username) \(.verb) \(.requestURI) \(.responseStatus.message)"' |
        "${@:-cat}") || true
    check "no request of ours was forbidden" "$lines" ""
}

# dry_runs_begin: Jobs are sent to $NS one after the other, by dry run, each of which has to be answered. dry_runs_end: says whether they were.
dry_runs_begin() {
    rm -f "$DIR/enough" "$DIR/dry_runs.refused" "$DIR/dry_runs.log"
    touch "$DIR/dry_runs.refused"
    job dry-run "parallelism: 1," > "$DIR/dry_run.yaml"
    dry_runs &
    DRY_RUNS=$!
}

dry_runs() {
    local n=0
    until [ -e "$DIR/enough" ]; do
        k create -n "$NS" --dry-run=server -f "$DIR/dry_run.yaml" >> "$DIR/dry_runs.log" 2>&1 || tail -n 1 "$DIR/dry_runs.log" >> "$DIR/dry_runs.refused"
        n=$((n + 1))
    done
    echo $n > "$DIR/dry_runs.sent"
}

dry_runs_end() {
    touch "$DIR/enough"
    wait "$DRY_RUNS"
    check "Jobs that were refused meanwhile" "$(cat "$DIR/dry_runs.refused")" ""
    check_more "Jobs that were sent meanwhile" "$(cat "$DIR/dry_runs.sent")" 10
}
