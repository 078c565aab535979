# What a namespace holds in the end, without what differs from run to run: times, uids, versions, made-up name endings.
# Input, slurped: lists of Jobs, Pods and Events. $prefix: of the namespaces. Output: for each of them one object.

# (A long name has its ending after 58 bytes.)
def ending:
    gsub("-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])"; "-xxxxx")
    | gsub("(?<begin>[-a-z0-9]{58})[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])"; "\(.begin)xxxxx");
def texts($names; $namespace): # $names: what stands for each uid
    walk(if type == "string" then
            if $names[.] then $names[.]
            elif test("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$") then "uid of one that is gone"
            else gsub("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*Z"; "TIME") | gsub("\\b" + $namespace + "/"; "NAMESPACE/") | ending end
         else . end);
def meta:
    .metadata |= (del(.uid, .resourceVersion, .managedFields, .creationTimestamp, .namespace)
        | if .generateName then .name = .generateName + "xxxxx" else . end);
def event:
    {type, reason, message, count, source, reportingComponent,
     involvedObject: (.involvedObject | del(.uid, .resourceVersion, .namespace))};

(.[0].items | map(.kind = "Job")) as $jobs | (.[1].items | map(.kind = "Pod")) as $pods | .[2].items as $events
| [$jobs[], $pods[], $events[]] | map(select(.metadata.namespace | startswith($prefix)))
| group_by(.metadata.namespace)[]
| .[0].metadata.namespace as $namespace
| (reduce (.[] | select(.kind)) as $o ({}; .[$o.metadata.uid] = "uid of \($o.kind) \($o.metadata.name | ending)")) as $names
| {namespace: $namespace,
   jobs: map(select(.kind == "Job") | meta | texts($names; $namespace)) | sort,
   pods: map(select(.kind == "Pod") | meta | texts($names; $namespace)) | sort,
   events: map(select(.kind == null and .involvedObject.kind == "Job") | event | texts($names; $namespace)) | sort}
