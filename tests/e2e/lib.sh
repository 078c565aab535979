# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by each t_*.sh: talking to the cluster in DIR. From outside: DIR (required), BIN (the cluster's programs),
# JR_BIN (ours). Checks, and processes that end with the test: ../support/checks.sh.
E2E=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${DIR:?the folder that cluster.sh was started with}"
. "$E2E/pki.sh"
. "$DIR/env"
: "${JR_BIN:=$(cd "$E2E/../.." && pwd)/build/release/bin}"
. "$E2E/../support/checks.sh"
mkdir -p "$DIR/pki"

# ---- the version of Kubernetes

KUBE=$("$BIN/kube-apiserver" --version)
KUBE=${KUBE#Kubernetes v} # like 1.36.0

# since X.Y[.Z]: Kubernetes is of that version, or of a later one
since() {
    [ "$(printf '%s\n' "$1" "$KUBE" | sort -V | head -n 1)" = "$1" ]
}

# only_since X.Y WHY: the rest of this test is skipped where Kubernetes is older
only_since() {
    since "$1" && return
    skipped "$TEST" "Kubernetes is $KUBE: $2"
    exit 0
}

# gates_known LIST: those of the gates Name=true|false,... that the API server names as alpha or beta; an unknown one would keep it from starting
gates_known() {
    local all g known=()
    all=$("$BIN/kube-apiserver" --help) || return 1
    for g in ${1//,/ }; do
        case $all in *":${g%=*}=true|false "*) known+=("$g") ;; esac
    done
    (IFS=, && echo "${known[*]}")
}

# scheduling_api: the version of scheduling.k8s.io with Workloads, for --runtime-config; nothing where there is none
scheduling_api() {
    case ${KUBE%.*} in
    1.35) echo scheduling.k8s.io/v1alpha1=true ;;
    1.36) echo scheduling.k8s.io/v1alpha2=true ;;
    1.37) echo scheduling.k8s.io/v1beta1=true ;;
    esac
}

# ---- the cluster

# k ARGS...: kubectl as admin
k() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}

# field OBJECT JSONPATH [ARGS...]: like field job/pi .spec.parallelism -n test; maps come as JSON with sorted keys
field() {
    local object=$1 path=$2
    shift 2
    k get "$object" -o jsonpath="{$path}" "$@"
}

# field_or_no_answer OBJECT JSONPATH [ARGS...]: for checks that nothing is there: where kubectl can't say, that is no absence
field_or_no_answer() {
    field "$@" || echo "no answer"
}

# names ARGS...: what kubectl get finds, a name a line; "no answer" where it can't say, which is no absence
names() {
    k get "$@" --ignore-not-found -o name || echo "no answer"
}

# count_names PATTERN ARGS...: how many of them match; "no answer" likewise
count_names() {
    local all
    all=$(names "${@:2}")
    case $all in
    *"no answer"*) echo "no answer" ;;
    *) awk -v p="$1" '$0 ~ p { n++ } END { print n + 0 }' <<< "$all" ;;
    esac
}

# fresh_namespace NAME: empty, with its default service account (no Pod is admitted without)
fresh_namespace() {
    k delete namespace "$1" --ignore-not-found --timeout=60s > /dev/null
    k create namespace "$1" > /dev/null
    await 60 "the service account of $1" k get serviceaccount default -n "$1"
}

# account NAME: DIR/NAME.conf, a kubeconfig with a token of that account of jobreeve-system
account() {
    local name=$1 token
    token=$(k create token "$name" -n jobreeve-system --duration=2h)
    (
        umask 077
        cat > "$DIR/$name.conf" << Y
apiVersion: v1
kind: Config
current-context: e2e
contexts: [{name: e2e, context: {cluster: e2e, user: $name}}]
clusters: [{name: e2e, cluster: {server: "$SERVER", certificate-authority-data: $(pki_data "$DIR/pki/ca.crt")}}]
users: [{name: $name, user: {token: $token}}]
Y
    )
}

# kubeconfig_with USER: prints the admin's kubeconfig with another user, in YAML flow style
kubeconfig_with() {
    sed '/^users:/,$d' "$DIR/admin.conf"
    printf 'users:\n- name: %s\n  user: {%s}\n' "$(sed -n 's/^- name: //p' "$DIR/admin.conf")" "$1"
}

# user NAME RBACFILE: the ServiceAccount jobreeve-system/NAME with the rights of that file (which names it), and
# DIR/NAME.conf, a kubeconfig with its token
user() {
    local name=$1 file=$2
    k create namespace jobreeve-system --dry-run=client -o yaml | k apply -f - > /dev/null
    k apply -f "$file" > /dev/null
    k get serviceaccount "$name" -n jobreeve-system > /dev/null
    await 120 "the rights of $name" may_first_rules "$name" "$file"
    account "$name"
}

# The authorizer learns of roles by watching: shown by the first rule of each kind in the file.
may_first_rules() {
    local kind rules rule verb resource group namespace name path
    for kind in ClusterRole Role; do
        rules=$(k get -f "$2" -o jsonpath="{range .items[?(@.kind==\"$kind\")]}{.rules[0].verbs[0]}|{.rules[0].resources[0]}|{.rules[0].apiGroups[0]}|{.metadata.namespace}|{.rules[0].resourceNames[0]}|{.rules[0].nonResourceURLs[0]}{\"\n\"}{end}") || return 1
        while IFS= read -r rule; do
            [ -n "$rule" ] || continue
            IFS='|' read -r verb resource group namespace name path <<< "$rule"
            resource=${path:-$resource${group:+.$group}${name:+/$name}}
            k auth can-i "$verb" "$resource" ${namespace:+-n "$namespace"} --as="system:serviceaccount:jobreeve-system:$1" || return 1
        done <<< "$rules"
    done
}

# audited PATTERN...: how many lines of the API server's audit log match all of the patterns. The server writes a line
# right after it has answered, so wait for a number to be reached.
audited() {
    local lines p
    lines=$(cat "$DIR/audit.log")
    for p in "$@"; do
        lines=$(grep -E -- "$p" <<< "$lines") || { echo 0; return; }
    done
    wc -l <<< "$lines"
}

# tells_all FILE: the watch in that file has told of each resource version that is read
tells_all() {
    local version
    while read -r version; do
        grep -q "\"resourceVersion\":\"$version\"" <(whole_lines "$1") || return 1
    done
}

# ---- our webhook

# serving_cert NAME: DIR/pki/NAME-ca.crt, and NAME.crt and NAME.key for 127.0.0.1 signed by it
serving_cert() {
    pki_ca "$DIR/pki" "$1-ca"
    pki_cert "$DIR/pki" "$1-ca" "$1" "/CN=$1" serverAuth IP:127.0.0.1,DNS:localhost
}

no_answer() {
    ! k get --raw /livez > /dev/null 2>&1
}

# end_apiserver SIGNAL: in good order it says GOAWAY, and waits a minute for watches to end; a second signal ends that
end_apiserver() {
    proc_signal kube-apiserver "$1"
    await 60 "the API server's end" no_answer
    proc_signal kube-apiserver "$1"
    proc_gone 60 kube-apiserver
}

# webhook_calls NAME: how often the API server has called the webhook, whatever came of it
webhook_calls() {
    local m
    m=$(k get --raw /metrics) || return 1
    awk -v n="name=\"$1\"" 'index($0, "apiserver_admission_webhook_admission_duration_seconds_count{") == 1 &&
        index($0, n) { sum += $NF } END { printf "%d\n", sum }' <<< "$m"
}

# webhook_of VERB KIND PORT CA: one entry of a webhook configuration, for jobs or cronjobs
webhook_of() {
    cat << Y
- name: $1.$2s.jobreeve.dev
  clientConfig: {url: "https://127.0.0.1:$3/$1-batch-v1-$2", caBundle: $4}
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [$2s], operations: [CREATE, UPDATE], scope: Namespaced}]
  admissionReviewVersions: [v1]
  sideEffects: None
  matchPolicy: Equivalent
  failurePolicy: Fail
  timeoutSeconds: 10
Y
}

# webhook_register PORT CAFILE: both webhooks for both kinds, by URL; waits until the API server calls them
webhook_register() {
    local ca w verb
    ca=$(pki_data "$2")
    for w in Mutating Validating; do
        [ "$w" = Mutating ] && verb=mutate || verb=validate
        k apply -f - > /dev/null << Y
apiVersion: admissionregistration.k8s.io/v1
kind: ${w}WebhookConfiguration
metadata: {name: jobreeve}
webhooks:
$(webhook_of $verb job "$1" "$ca")
$(webhook_of $verb cronjob "$1" "$ca")
Y
    done
    MUTATE_CALLS=$(webhook_calls mutate.jobs.jobreeve.dev)
    VALIDATE_CALLS=$(webhook_calls validate.jobs.jobreeve.dev)
    await 60 "the API server calling the webhooks" webhooks_called
}

webhook_unregister() {
    k delete mutatingwebhookconfiguration,validatingwebhookconfiguration jobreeve --ignore-not-found > /dev/null
    await 60 "the API server leaving the webhooks alone" webhooks_not_called
}

# A Job that is only tried (dry run), to see whether the API server calls the webhooks for it.
probe_job() {
    k create job probe --image=probe -n default --dry-run=server
}

webhooks_called() {
    probe_job || true # whether it is admitted is not the question
    [ "$(webhook_calls mutate.jobs.jobreeve.dev)" -gt "$MUTATE_CALLS" ] &&
        [ "$(webhook_calls validate.jobs.jobreeve.dev)" -gt "$VALIDATE_CALLS" ]
}

webhooks_not_called() {
    local before after
    before=$(both_calls) || return 1
    probe_job || return 1 # the webhook is stopped, or is still asked and may refuse
    after=$(both_calls) || return 1
    [ "$before" = "$after" ]
}

both_calls() {
    webhook_calls mutate.jobs.jobreeve.dev && webhook_calls validate.jobs.jobreeve.dev
}
