# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced behind scene.sh by the integration tests of the webhook: its configurations on the devcluster, and a Job for it.
# shellcheck disable=SC2034
secrets=/api/v1/namespaces/default/secrets
admission=/apis/admissionregistration.k8s.io/v1
jobs=/apis/batch/v1/namespaces/default/jobs

# hook NAME URL [FAILURE-POLICY [RESOURCE]]: an entry of a configuration, for creations of jobs unless it says otherwise
hook() {
    cat << Y
- name: $1
  clientConfig: {url: "$2"}
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [${4:-jobs}], operations: [CREATE]}]
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: ${3:-Fail}
Y
}

# configuration Mutating|Validating NAME ENTRY...: made anew
configuration() {
    local entries
    entries=$(printf '%s\n' "${@:3}")
    api POST "$admission/${1,,}webhookconfigurations" -H 'Content-Type: application/yaml' --data-binary @- > /dev/null << Y
apiVersion: admissionregistration.k8s.io/v1
kind: ${1}WebhookConfiguration
metadata: {name: $2}
webhooks:
$entries
Y
}

# job_hooks MUTATING-ADDRESS VALIDATING-ADDRESS: both configurations as the chart has them, for Jobs, failing closed
job_hooks() {
    configuration Mutating jobreeve "$(hook mutate.job.jobreeve.dev "https://$1/mutate-batch-v1-job")"
    configuration Validating jobreeve "$(hook validate.job.jobreeve.dev "https://$2/validate-batch-v1-job")"
}

# bundle Mutating|Validating [NAME [INDEX]]: what callers of that entry trust
bundle() {
    api GET "$admission/${1,,}webhookconfigurations/${2:-jobreeve}" | jq -r ".webhooks[${3:-0}].clientConfig.caBundle // empty" | base64 -d
}

# create NAME [QUERY]: a Job that is suspended; the answer is in DIR/answer
create() {
    api POST "$jobs${2:-}" -H 'Content-Type: application/yaml' --data-binary @- > "$DIR/answer" << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/main:1"}]}}}
Y
}

# one_shot COMMAND FLAG...: runs that command of the webhook; what it says is in DIR/log/COMMAND.log. Again, for a minute at most, where nothing
# had answered within its time: such a run shows only how busy the machine is.
one_shot() {
    local command=$1 code until=$(($(now_ms) + 60000))
    shift
    while :; do
        code=0
        "$bin/jobreeve-webhook" "$command" --kubeconfig "$DIR/kubeconfig" "$@" 2> "$DIR/log/$command.log" || code=$?
        grep -q 'given up.*has not answered yet' "$DIR/log/$command.log" && [ "$(now_ms)" -lt $until ] || return $code
    done
}

# keeper NAME FLAG...: a keeper of the Secret own and of the configurations jobreeve, for replicas that are called by 127.0.0.1
keeper() {
    proc_start "$1" "$bin/jobreeve-webhook" --keeper --kubeconfig "$DIR/kubeconfig" --tls-secret own --tls-secret-namespace default \
        --tls-names 127.0.0.1 --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0 "${@:2}"
}
