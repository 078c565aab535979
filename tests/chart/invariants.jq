# SPDX-License-Identifier: Apache-2.0
# What holds of every rendering, whatever the values: prints a line for each thing that doesn't. $ns: the release's namespace;
# $tls: tls.type; $restricted: false where the values ask for more than the restricted Pod security standard.
include "prelude";

def id: "\(.kind)/\(.metadata.name)";
def hook: .metadata.annotations["helm.sh/hook"];

def empties: . as $o | [paths(. == null or . == {} or . == [] or . == "")] | map(map(tostring) | join("."))
    | map(select(
        (IN("spec.selfSigned", "spec.versions.0.subresources.status") | not) # the one way to say it
        and (test("(apiGroups|apiVersions)[.][0-9]+$|collapsed|[.]panels[.]") | not)))
    | .[] | "\($o | id): \(.) is null or empty";

def labelled: select((.metadata.labels // {}) as $l
    | ["app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component", "app.kubernetes.io/version",
       "app.kubernetes.io/managed-by", "app.kubernetes.io/part-of", "helm.sh/chart"] | any(in($l) | not))
    | "\(id): lacks a label";

def cluster_scoped: IN("ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration", "PriorityLevelConfiguration", "FlowSchema", "CustomResourceDefinition",
    "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "JobPolicy");
def placed: select((.kind | cluster_scoped) == (.metadata.namespace != null))
    | "\(id): a namespace where there is none, or none where there is";

def restricted_pod: id as $id | podspec
    | (select($restricted and (.hostNetwork or .hostPID or .hostIPC
            or (.securityContext | .runAsNonRoot != true or .seccompProfile.type != "RuntimeDefault" or .runAsUser == 0 or .fsGroup == 0)))
        | "\($id): the Pod isn't restricted"),
      (containers[] | select(.securityContext | .allowPrivilegeEscalation != false or .readOnlyRootFilesystem != true
            or .capabilities.drop != ["ALL"] or .capabilities.add or .privileged)
        | "\($id): container \(.name) isn't restricted"),
      (containers[] | select((.resources.requests.cpu and .resources.requests.memory and .resources.limits.memory) | not)
        | "\($id): container \(.name) has no resources"),
      (containers[] | select((.command | length) != 1 or (.command[0] | startswith("/usr/bin/jobreeve-") | not))
        | "\($id): container \(.name) runs something else"),
      (select(.serviceAccountName == null or .serviceAccountName == "default" or .automountServiceAccountToken == null)
        | "\($id): the account isn't its own, or whether it gets a token is not said"),
      (select(any(.volumes[]?; .hostPath)) | "\($id): a hostPath");

def small_rights: select(.rules) | id as $id | .rules[]
    | (select((.verbs + .resources + .apiGroups) | index("*")) | "\($id): a wildcard"),
      (select((.resources | index("secrets")) and (.verbs - ["create"] != []) and (.resourceNames | not))
        | "\($id): Secrets without names"),
      (select((.verbs | any(IN("escalate", "bind", "impersonate", "deletecollection")))) | "\($id): \(.verbs)"),
      (select((.apiGroups | index("admissionregistration.k8s.io")) and (.resourceNames | not))
        | "\($id): webhook configurations without names"),
      (select((.apiGroups | index("policy.jobreeve.dev")) and (.verbs - ["get", "list", "watch"] != [])
          and (.resources != ["jobpolicies/status"] or .verbs != ["patch"])) | "\($id): may write JobPolicies"),
      (select(.apiGroups | index("apiextensions.k8s.io")) | "\($id): a right to CustomResourceDefinitions"),
      (select(.nonResourceURLs and (.nonResourceURLs != ["/metrics"] or .verbs != ["get"])) | "\($id): more than to get /metrics");

def not_aggregated: select(.kind == "ClusterRole")
    | select(.aggregationRule or any(.metadata.labels | keys[]; startswith("rbac.authorization.k8s.io/")))
    | "\(id): aggregated";

def good_entry: select(.kind | test("WebhookConfiguration$")) | id as $id | .webhooks[]?
    | (select(.sideEffects != "None" or .matchPolicy != "Equivalent" or .admissionReviewVersions != ["v1"])
        | "\($id) \(.name): sideEffects, matchPolicy or versions"),
      (select(any(.rules[]; .resources | any(contains("/") or . == "*"))) | "\($id) \(.name): subresources"),
      (select(any(.rules[]; .operations | any(IN("CREATE", "UPDATE") | not))) | "\($id) \(.name): operations"),
      (select(.timeoutSeconds > 10) | "\($id) \(.name): a long timeout"),
      (select(any(.rules[]; .scope != "Cluster"))
        | select([.namespaceSelector.matchExpressions[] | select(.key == "kubernetes.io/metadata.name" and .operator == "NotIn")
            | .values | (index("kube-system") != null and index($ns) != null)] != [true])
        | "\($id) \(.name): kube-system or the release's namespace isn't exempt"),
      (select((.clientConfig.caBundle != null) and ($tls | IN("self", "certManager"))) | "\($id) \(.name): caBundle in mode \($tls)"),
      (select(any(.rules[]; .operations | index("UPDATE"))
            and ([.matchConditions[].name] | contains(["not-being-deleted", "spec-changed"]) or contains(["changed"]) | not))
        | "\($id) \(.name): updates without conditions"),
      (.name as $name | .matchConditions[]? | select(.name == "changed") | select(.expression
            | startswith("request.operation != 'UPDATE' || object.spec != oldObject.spec") | not) | "\($id) \($name): not by the spec"),
      (.name as $name | .matchConditions[]? | select(.name == "changed") | select((.expression | contains("metadata"))
            and (.expression | contains("(!has(object.metadata.deletionTimestamp) && (has(object.metadata.annotations)") | not)) | "\($id) \($name): annotations of what is being deleted"),
      (.name as $name | .matchConditions[]? | select(.name == "changed") | select((.expression | contains("metadata"))
            and (.expression | contains("|| (has(object.metadata.labels)") | not)) | "\($id) \($name): not by the labels of what is being deleted");

# The right to write webhook configurations is held by accounts of processes that nobody can call: the keeper's, and for an uninstall
# the pre-delete Pod's.
def keeper_alone: . as $all | [.[] | select(.kind == "ClusterRole" or .kind == "Role")
        | select(any(.rules[]; (.apiGroups | index("admissionregistration.k8s.io")) and (.verbs - ["get", "list", "watch"] != [])))
        | .metadata.name] as $strong
    | ([.[] | select((.kind | test("RoleBinding$")) and (.roleRef.name | IN($strong[]))) | .subjects[].name] | unique) as $accounts
    | ($accounts[] | select(test("-(keeper|pre-delete)$") | not) | "\(.): may write webhook configurations"),
      ($all[] | id as $id | podspec | select(.serviceAccountName | IN($accounts[])) | containers[]
        | (select(.ports) | "\($id): may write webhook configurations, and has ports"),
          (.args[] | select(test("^--(health-probe|metrics)-bind-address=") and (endswith("=0") | not))
            | "\($id): may write webhook configurations, and listens: \(.)"));

# Nothing is refused before a replica answers; what is assigned fails closed, in namespaces that are labelled for it.
def open_first: (any(.[]; .kind == "Deployment" and (.metadata.name | endswith("-keeper")))) as $kept
    | .[] | select($kept and (.kind | test("WebhookConfiguration$"))) | id as $id | .webhooks[]?
    | select(.failurePolicy != "Ignore" and .name != "assign-controller.jobreeve.dev") | "\($id) \(.name): fails closed from the first moment on";

# Who has broken a policy can repair it while the webhook is away.
def policies_open: .[] | select(.kind | test("WebhookConfiguration$")) | id as $id | .webhooks[]?
    | select(any(.rules[]; .apiGroups | index("policy.jobreeve.dev")) and .failurePolicy != "Ignore") | "\($id) \(.name): JobPolicies can't be repaired";

# The library's policies leave alone who has to repair the cluster.
def policies_exempt: .[] | select(.kind == "JobPolicy" or .kind == "ValidatingAdmissionPolicyBinding") | id as $id
    | (.spec.match.excludeNamespaces // (.spec.matchResources.namespaceSelector.matchExpressions[]?
        | select(.key == "kubernetes.io/metadata.name" and .operator == "NotIn") | .values) // [])
    | select((index("kube-system") != null and index($ns) != null) | not) | "\($id): kube-system or the release's namespace isn't left out";

# A policy that denies nothing denies nothing by being broken either.
def policies_open_too: (reduce (.[] | select(.kind == "ValidatingAdmissionPolicyBinding")) as $b ({}; .[$b.spec.policyName] = $b.spec.validationActions)) as $actions
    | .[] | select(.kind == "JobPolicy" or .kind == "ValidatingAdmissionPolicy")
    | select(.spec.failurePolicy != (if (.spec.validationActions // $actions[.metadata.name] // []) | index("Deny") then "Fail" else "Ignore" end))
    | "\(id): failurePolicy and actions don't go together";

def selectors: [.[] | select(.kind == "Deployment") | .spec.template.metadata.labels] as $pods
    | .[] | select(.kind == "Service" or .kind == "PodDisruptionBudget" or .kind == "Deployment")
    | id as $id | (.spec.selector.matchLabels // .spec.selector) as $want
    | select([$pods[] | select(contains($want))] | length != 1) | "\($id): selects not just one Deployment's Pods";

# $accounts: those that are there before, if any.
def accounts: ([.[] | select(.kind == "ServiceAccount") | .metadata.name] + ($ARGS.named.accounts // [])) as $there
    | .[] | id as $id | (podspec.serviceAccountName, .subjects[]?.name) | select(IN($there[]) | not)
    | "\($id): there is no account \(.)";

# Ordinary objects name no object of a hook but by the controller's own role.
def hooks: .[] | select(hook) | select((.metadata.annotations["helm.sh/hook-delete-policy"] // "") | contains("before-hook-creation") | not)
    | "\(id): a second try would find it";

def twice: group_by([.kind, .metadata.namespace, .metadata.name])[] | select(length > 1) | "\(.[0] | id): \(length) times";

selectors, accounts, hooks, twice, keeper_alone, open_first,
policies_open, policies_exempt, policies_open_too,
(.[] | empties, labelled, placed, restricted_pod, small_rights, not_aggregated, good_entry)
