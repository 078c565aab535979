# SPDX-License-Identifier: Apache-2.0
# About an array of objects.

# The one object of that kind whose name is that, or ends in -NAME; fails unless it is one.
def one($kind; $name): [.[] | select(.kind == $kind and (.metadata.name == $name or (.metadata.name | endswith("-" + $name))))]
    | if length == 1 then .[0] else error("\(length) objects \($kind) \($name)") end;
def count($kind): [.[] | select(.kind == $kind)] | length;
def names($kind): [.[] | select(.kind == $kind) | .metadata.name] | sort;

# Specs of Pods, wherever they are.
def podspec: if .kind == "Pod" then .spec elif .kind == "Deployment" then .spec.template.spec else empty end;
def podspecs: [.[] | podspec];
def containers: (.containers // []) + (.initContainers // []);
def webhook: one("Deployment"; "webhook").spec.template.spec;
def keeper: one("Deployment"; "keeper").spec.template.spec;
def controller: one("Deployment"; "controller").spec.template.spec;
def predelete: one("Pod"; "pre-delete").spec;

# The value of a flag in a container's arguments: null if it isn't there, true if it has none.
def flag($name): [.args[] | select(. == "--" + $name or startswith("--" + $name + "="))
    | if contains("=") then .[($name | length) + 3:] else true end] | if length > 1 then error("twice: \($name)") else .[0] end;

def configurations: [.[] | select(.kind | test("^(Mut|Valid)atingWebhookConfiguration$"))];
def entries: [configurations[].webhooks[]?];
def entry($name): [entries[] | select(.name == $name)] | if length == 1 then .[0] else error("\(length) webhooks \($name)") end;

# All rules of roles that are bound to a ServiceAccount, by the role's namespace (null: all).
def rights($account):
    . as $all | [.[] | select(.kind == "RoleBinding" or .kind == "ClusterRoleBinding")
        | select(any(.subjects[]; .name | endswith($account)))
        | .metadata.namespace as $ns | .roleRef as $ref
        | $all[] | select(.kind == $ref.kind and .metadata.name == $ref.name)
        | select(.kind == "ClusterRole" or .metadata.namespace == $ns)
        | .rules[] | . + {namespace: $ns}];

# Lines "GROUP/RESOURCE VERB,VERB [NAMES] [in NAMESPACE]" or "/PATH VERB,VERB" of rights, sorted.
def right_lines: [.[] | . as $r | (.resources // .nonResourceURLs)[]
    | ($r.apiGroups[0] // "" | if . == "" then "" else . + "/" end) + . + " " + ($r.verbs | join(","))
      + (if $r.resourceNames then " " + ($r.resourceNames | join(",")) else "" end)
      + (if $r.namespace then " in " + $r.namespace else "" end)] | sort;

def alerts: [.[] | select(.kind == "PrometheusRule") | .spec.groups[].rules[]];
def alert($name): [alerts[] | select(.alert == $name)][0];
