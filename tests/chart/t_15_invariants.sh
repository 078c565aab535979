#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# That the invariants of t_10_matrix.sh notice what they are for: the chart's objects, each time with one fault.
#   rows: NAME ;; what is changed, by jq ;; WORDS of the complaint
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare
with_definition
render --set "policies.enforce=true,policies.enabled={require-ttl,retry-safe}" | objects > "$DIR/t15.json"
without_definition

complaints() { # complaints EXPRESSION: what they say when the objects were changed by it
    jq -L "$HERE" "include \"prelude\"; $1" "$DIR/t15.json" |
        jq -r -L "$HERE" --arg ns "$CHART_NS" --argjson restricted true --arg tls self -f "$HERE/invariants.jq"
}

check "nothing is said against the chart" "$(complaints .)" ""
while IFS= read -r row; do
    expression=${row#* ;; }
    check_has "noticed: ${row%% ;; *}" "$(complaints "${expression% ;; *}")" "${row##* ;; }"
done << 'T'
a null annotation ;; .[0].metadata.annotations = null ;; metadata.annotations is null or empty
an empty map ;; .[0].metadata.annotations = {} ;; metadata.annotations is null or empty
an empty text ;; map(if .kind == "Service" then .spec.clusterIP = "" else . end) ;; spec.clusterIP is null or empty
a label that is missing ;; del(.[0].metadata.labels["app.kubernetes.io/part-of"]) ;; lacks a label
a Role nowhere ;; map(if .kind == "Role" then del(.metadata.namespace) else . end) ;; a namespace where there is none, or none where there is
root ;; map(if .kind == "Deployment" then .spec.template.spec.securityContext.runAsUser = 0 else . end) ;; the Pod isn't restricted
the host's network ;; map(if .kind == "Deployment" then .spec.template.spec.hostNetwork = true else . end) ;; the Pod isn't restricted
no seccomp ;; map(if .kind == "Pod" then del(.spec.securityContext.seccompProfile) else . end) ;; the Pod isn't restricted
a capability ;; map(if .kind == "Pod" then .spec.containers[0].securityContext.capabilities.add = ["NET_ADMIN"] else . end) ;; isn't restricted
a writable root ;; map(if .kind == "Pod" then .spec.initContainers[0].securityContext.readOnlyRootFilesystem = false else . end) ;; isn't restricted
no requests ;; map(if .kind == "Deployment" then del(.spec.template.spec.containers[0].resources.requests.memory) else . end) ;; has no resources
a shell ;; map(if .kind == "Pod" then .spec.containers[0].command = ["/bin/sh"] else . end) ;; runs something else
a host's folder ;; map(if .kind == "Deployment" then .spec.template.spec.volumes = [{name: "x", hostPath: {path: "/"}}] else . end) ;; a hostPath
the default account ;; map(if .kind == "Pod" then .spec.serviceAccountName = "default" else . end) ;; the account isn't its own
an account that is missing ;; map(select(.kind != "ServiceAccount")) ;; there is no account
a wildcard ;; map(if .kind == "ClusterRole" then .rules[0].verbs = ["*"] else . end) ;; a wildcard
all Secrets ;; map(if .kind == "Role" then .rules += [{apiGroups: [""], resources: ["secrets"], verbs: ["get"]}] else . end) ;; Secrets without names
all configurations ;; map(if .kind == "ClusterRole" then del(.rules[0].resourceNames) else . end) ;; webhook configurations without names
escalation ;; map(if .kind == "ClusterRole" then .rules[0].verbs += ["bind"] else . end) ;; "bind"]
a caBundle ;; map(if .webhooks then .webhooks[0].clientConfig.caBundle = "eA==" else . end) ;; caBundle in mode self
the status ;; map(if .webhooks then .webhooks[0].rules[0].resources += ["jobs/status"] else . end) ;; subresources
deletes ;; map(if .webhooks then .webhooks[1].rules[0].operations += ["DELETE"] else . end) ;; operations
half a minute ;; map(if .webhooks then .webhooks[1].timeoutSeconds = 30 else . end) ;; a long timeout
side effects ;; map(if .webhooks then .webhooks[1].sideEffects = "Some" else . end) ;; sideEffects, matchPolicy or versions
kube-system ;; map(if .webhooks then .webhooks[1].namespaceSelector.matchExpressions[0].values -= ["kube-system"] else . end) ;; isn't exempt
our own namespace ;; map(if .webhooks then .webhooks[1].namespaceSelector.matchExpressions[0].values -= ["jobreeve-system"] else . end) ;; isn't exempt
all updates ;; map(if .webhooks then del(.webhooks[0].matchConditions[1]) else . end) ;; updates without conditions
all validated updates ;; map(if .kind == "ValidatingWebhookConfiguration" then del(.webhooks[0].matchConditions[0]) else . end) ;; updates without conditions
not by the spec ;; map(if .kind == "ValidatingWebhookConfiguration" then .webhooks[0].matchConditions[0].expression = "true" else . end) ;; not by the spec
finalizers ;; map(if .kind == "ValidatingWebhookConfiguration" then .webhooks[0].matchConditions[0].expression |= sub("!has\\(object.metadata.deletionTimestamp\\) && "; "") else . end) ;; annotations of what is being deleted
labels ;; map(if .kind == "ValidatingWebhookConfiguration" then .webhooks[0].matchConditions[0].expression |= sub("\\|\\| \\(has\\(object.metadata.labels"; "|| false && (has(object.metadata.labels") else . end) ;; not by the labels of what is being deleted
a Service for both ;; map(if .kind == "Service" then del(.spec.selector["app.kubernetes.io/component"]) else . end) ;; selects not just one Deployment's Pods
a budget for nobody ;; map(if .kind == "PodDisruptionBudget" then .spec.selector.matchLabels.x = "y" else . end) ;; selects not just one Deployment's Pods
a hook that stays ;; map(if .kind == "Pod" then .metadata.annotations["helm.sh/hook-delete-policy"] = "hook-succeeded" else . end) ;; a second try would find it
the webhook may patch ;; map(if .kind == "ClusterRoleBinding" and (.metadata.name | endswith("keeper")) then .subjects += [.subjects[0] | .name = "jr-jobreeve-webhook"] else . end) ;; jr-jobreeve-webhook: may write webhook configurations
the keeper has a port ;; map(if .kind == "Deployment" and (.metadata.name | endswith("keeper")) then .spec.template.spec.containers[0].ports = [{containerPort: 1}] else . end) ;; may write webhook configurations, and has ports
the keeper listens ;; map(if .kind == "Deployment" and (.metadata.name | endswith("keeper")) then .spec.template.spec.containers[0].args += ["--metrics-bind-address=:8080"] else . end) ;; may write webhook configurations, and listens: --metrics-bind-address=:8080
Fail from the start ;; map(if .webhooks then .webhooks[0].failurePolicy = "Fail" else . end) ;; fails closed from the first moment on
policies may be written ;; map(if .kind == "ClusterRole" and (.metadata.name | endswith("-webhook")) then .rules[1].verbs += ["update"] else . end) ;; may write JobPolicies
the definition ;; map(if .kind == "ClusterRole" and (.metadata.name | endswith("-webhook")) then .rules += [{apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"]}] else . end) ;; a right to CustomResourceDefinitions
all paths ;; map(if .kind == "ClusterRole" and .rules[0].nonResourceURLs then .rules[0].nonResourceURLs = ["/debug/pprof"] else . end) ;; more than to get /metrics
an aggregated role ;; map(if .kind == "ClusterRole" then .metadata.labels["rbac.authorization.k8s.io/aggregate-to-edit"] = "true" else . end) ;; aggregated
policies that fail closed ;; map(if .webhooks then .webhooks[-1].failurePolicy = "Fail" else . end) ;; JobPolicies can't be repaired
a JobPolicy for all ;; map(if .kind == "JobPolicy" then .spec.match.excludeNamespaces -= ["kube-system"] else . end) ;; isn't left out
a binding for all ;; map(if .kind == "ValidatingAdmissionPolicyBinding" then .spec.matchResources.namespaceSelector.matchExpressions[0].values -= ["jobreeve-system"] else . end) ;; isn't left out
a binding without a selector ;; map(if .kind == "ValidatingAdmissionPolicyBinding" then del(.spec.matchResources) else . end) ;; isn't left out
a JobPolicy that fails closed ;; map(if .kind == "JobPolicy" then .spec.failurePolicy = "Fail" else . end) ;; don't go together
a policy that fails closed ;; map(if .kind == "ValidatingAdmissionPolicy" then .spec.failurePolicy = "Fail" else . end) ;; don't go together
a binding that denies ;; map(if .kind == "ValidatingAdmissionPolicyBinding" then .spec.validationActions = ["Deny"] else . end) ;; don't go together
the same twice ;; . + [.[0]] ;; 2 times
T
