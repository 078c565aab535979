# SPDX-License-Identifier: Apache-2.0
# What a namespace holds in the end, without what differs from run to run: times (see order.jq, and the step "holds"), uids, versions, made-up name endings.
# Input, slurped: lists of Jobs, Pods and Events, and of others that a Job has. $prefix: of the namespaces. Output: for each of them one object.

# (A long name has its ending after 58 bytes.)
def ending:
    gsub("-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])"; "-xxxxx")
    | gsub("(?<begin>[-a-z0-9]{58})[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])"; "\(.begin)xxxxx");
# $names: what stands for each uid; $made: names that are made of one, {name, for}, the longest first
def texts($names; $made; $namespace):
    walk(if type == "string" then
            if $names[.] then $names[.]
            elif test("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$") then "uid of one that is gone"
            else reduce $made[] as $m (.; split($m.name) | join($m.for))
                | gsub("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*Z"; "TIME") | gsub("\\b" + $namespace + "/"; "NAMESPACE/") | ending end
         else . end);
def meta:
    .metadata |= (del(.uid, .resourceVersion, .managedFields, .creationTimestamp, .namespace)
        | if .generateName then .name = .generateName + "xxxxx" else . end);
def is_other: .kind != null and (.kind | IN("Job", "Pod") | not);
# A refused creation is tried again: how often is a matter of time.
def event:
    if .reason == "FailedCreate" then .count = "some" else . end
    | {type, reason, message, count, source, reportingComponent,
     involvedObject: (.involvedObject | del(.uid, .resourceVersion, .namespace))};

(.[0].items | map(.kind = "Job")) as $jobs | (.[1].items | map(.kind = "Pod")) as $pods | .[2].items as $events
| (.[3:] | map((.kind | rtrimstr("List")) as $k | .items[] | .kind = $k)) as $others
| [$jobs[], $pods[], $events[], $others[]] | map(select(.metadata.namespace | startswith($prefix)))
| group_by(.metadata.namespace)[]
| .[0].metadata.namespace as $namespace
| (map(select(is_other) | {name: .metadata.name, for: "NAME OF A \(.kind)"})
    | sort_by(.name | -length)) as $made
| (reduce (.[] | select(.kind)) as $o ({}; .[$o.metadata.uid] = "uid of \($o.kind) \(if $o.kind | IN("Job", "Pod") then $o.metadata.name | ending else "" end)")) as $names
| {namespace: $namespace,
   jobs: map(select(.kind == "Job") | meta | texts($names; $made; $namespace)) | sort,
   pods: map(select(.kind == "Pod") | meta | texts($names; $made; $namespace)) | sort,
   others: map(select(is_other) | meta | texts($names; $made; $namespace)) | sort,
   events: (map(select(.kind == null and .involvedObject.kind == "Job") | event | texts($names; $made; $namespace))
        | map(select(.count != "some")) + (map(select(.count == "some")) | unique) | sort)}
