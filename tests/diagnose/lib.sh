# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by make.sh: what a case is made of. A case sets NS by `in_namespace`, makes objects, and ends with `dump` and `expect`. K: the Kubernetes whose
# words and shape it has.
CORPUS=$HERE/corpus

k() {
    "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" --cache-dir="$DIR/kubectl-cache" "$@"
}

# make JQ: the object that the program says
make() {
    jq -n "$1" | k create -f - > /dev/null
}

# in_namespace NAME [JQ]: a new one, with its default service account. The program edits it.
in_namespace() {
    NS=$1
    if k get namespace "$NS" > /dev/null 2>&1; then
        # No kubelet ends the Pods of the run before.
        k delete namespace "$NS" --wait=false > /dev/null
        k delete pods --all -n "$NS" --force --grace-period=0 --wait=false > /dev/null 2>&1
        k get pods -n "$NS" -o name | xargs -r -n 1 "$BIN/kubectl" --kubeconfig="$DIR/admin.conf" patch -n "$NS" --type=merge -p '{"metadata": {"finalizers": null}}' > /dev/null 2>&1 || true
        k delete namespace "$NS" --ignore-not-found > /dev/null
    fi
    make "{apiVersion: \"v1\", kind: \"Namespace\", metadata: {name: \"$NS\"}} | ${2:-.}"
    await 60 "the service account of $NS" k get serviceaccount default -n "$NS"
}

# TEMPLATE: what a Job's template has where the case says nothing else. In the programs `c` is its container.
JOB_JQ='def c: (.spec.jobTemplate // .).spec.template.spec.containers[0];
    def p: (.spec.jobTemplate // .).spec.template.spec;
    def template($name): {metadata: {}, spec: {restartPolicy: "Never", containers: [{name: "main", image: "registry.example.com/batch/\($name):1.4.2", command: ["/app/run"]}]}};'

# job NAME [JQ]: makes a Job, edited by the program
job() {
    make "$JOB_JQ {apiVersion: \"batch/v1\", kind: \"Job\", metadata: {name: \"$1\", namespace: \"$NS\"}, spec: {template: (template(\"$1\") | del(.metadata))}} | ${2:-.}"
}

# cronjob NAME SCHEDULE [JQ]
cronjob() {
    make "$JOB_JQ {apiVersion: \"batch/v1\", kind: \"CronJob\", metadata: {name: \"$1\", namespace: \"$NS\"}, spec: {schedule: \"$2\", jobTemplate: {spec: {template: (template(\"$1\") | del(.metadata))}}}} | ${3:-.}"
}

# due CRONJOB SECONDS: it has not started anything for so long, which its controller makes up for; sets JOB
due() {
    set_status "cronjob/$1" ".status.lastScheduleTime = (now - $2 | floor | todate)"
    await 90 "the Job of $1" started "$1"
    JOB=$(k get job -n "$NS" -o jsonpath='{.items[-1].metadata.name}')
}
started() {
    [ -n "$(k get job -n "$NS" -o name)" ]
}

# crd GROUP VERSION KIND PLURAL: for owners and queues, without a schema
crd() {
    k get crd "$4.$1" > /dev/null 2>&1 || make "{apiVersion: \"apiextensions.k8s.io/v1\", kind: \"CustomResourceDefinition\", metadata: {name: \"$4.$1\"},
        spec: {group: \"$1\", scope: (if \"$3\" == \"ClusterQueue\" then \"Cluster\" else \"Namespaced\" end), names: {kind: \"$3\", plural: \"$4\", singular: (\"$3\" | ascii_downcase)},
        versions: [{name: \"$2\", served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: \"object\", \"x-kubernetes-preserve-unknown-fields\": true}}}]}}"
}

# owner KIND.GROUP/NAME: its reference, as a controller, in JSON
owner() {
    k get "$1" -n "$NS" -o json | jq -c '{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}'
}

# set_status KIND/NAME JQ: the program edits the object, whose status is stored
set_status() {
    local path
    case $1 in
    pod/*) path=/api/v1/namespaces/$NS/pods/${1#*/}/status ;;
    node/*) path=/api/v1/nodes/${1#*/}/status ;;
    cronjob/*) path=/apis/batch/v1/namespaces/$NS/cronjobs/${1#*/}/status ;;
    job/*) path=/apis/batch/v1/namespaces/$NS/jobs/${1#*/}/status ;;
    *) k get "$1" -n "$NS" -o json | jq -L "$HERE" "include \"kubelet\"; $2" | k replace --subresource=status -f - > /dev/null && return ;;
    esac
    # Others write it, too.
    for _ in 1 2 3 4 5; do
        k get "$1" -n "$NS" -o json | jq -L "$HERE" "include \"kubelet\"; $2" | k replace --raw "$path" -f - > /dev/null && return
    done
    return 1
}

# pods JOB N: awaits so many, and sets P to their names, the oldest first
pods() {
    await "${WAIT:-60}" "$2 Pods of $1" pods_are "$1" "$2"
    mapfile -t P < <(k get pod -n "$NS" -l "batch.kubernetes.io/job-name=$1" -o json |
        jq -r '.items | sort_by(.metadata.creationTimestamp, (.metadata.annotations["batch.kubernetes.io/job-completion-index"] // "0" | tonumber), .metadata.name)[].metadata.name')
}
pods_are() {
    [ "$(k get pod -n "$NS" -l "batch.kubernetes.io/job-name=$1" -o name | wc -l)" -ge "$2" ]
}

# bind POD NODE: what the scheduler does at its end
bind() {
    jq -n "{apiVersion: \"v1\", kind: \"Binding\", metadata: {name: \"$1\"}, target: {apiVersion: \"v1\", kind: \"Node\", name: \"$2\"}}" |
        k create --raw "/api/v1/namespaces/$NS/pods/$1/binding" -f - > /dev/null
}

# age POD: seconds since it was made
age() {
    jq -n "now - ($(k get pod "$1" -n "$NS" -o json | jq .metadata.creationTimestamp) | fromdate) | floor"
}

# event KIND/NAME TYPE REASON MESSAGE FROM [FIRST [LAST [COUNT]]]: as the old API has it; FIRST and LAST are seconds after the object was made. FROM: a
# component, or kubelet:NODE. CONTAINER: which one it is about, where it is about one.
event() {
    local first=${6:-2} from=${5%%:*} host=""
    [ "$from" = "$5" ] || host=${5#*:}
    EVENTS=$((EVENTS + 1))
    k get "$1" ${NS:+-n "$NS"} -o json | jq --arg type "$2" --arg reason "$3" --arg message "$4" --arg from "$from" --arg host "$host" --arg c "${CONTAINER:-}" \
        --argjson first "$first" --argjson last "${7:-$first}" --argjson count "${8:-1}" --argjson n "$EVENTS" --arg ns "${NS:-default}" '
        (.metadata.creationTimestamp | fromdate) as $t |
        (if $c != "" then "spec.containers{\($c)}" elif .kind == "Pod" and $from == "kubelet" and ($reason | test("^(Pull|Created|Started|Failed$|BackOff|Killing|Unhealthy)")) then "spec.containers{\(.spec.containers[0].name)}" else null end) as $path |
        {apiVersion: "v1", kind: "Event", metadata: {name: "\(.metadata.name).\(.metadata.uid[24:])\($n + 4096)", namespace: $ns},
            involvedObject: ({apiVersion, kind, name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid, resourceVersion: .metadata.resourceVersion} + if $path then {fieldPath: $path} else {} end),
            type: $type, reason: $reason, message: $message, source: ({component: $from} + if $host != "" then {host: $host} else {} end), reportingComponent: $from, reportingInstance: $host,
            firstTimestamp: ($t + $first | todate), lastTimestamp: ($t + $last | todate), count: $count}' | k create -f - > /dev/null
}

# new_event KIND/NAME TYPE REASON ACTION MESSAGE FROM FIRST [LAST COUNT]: as the new API has it, like the scheduler's
new_event() {
    EVENTS=$((EVENTS + 1))
    k get "$1" -n "$NS" -o json | jq --arg type "$2" --arg reason "$3" --arg action "$4" --arg note "$5" --arg from "$6" --argjson first "$7" --argjson last "${8:-$7}" --argjson count "${9:-1}" --argjson n "$EVENTS" --arg ns "$NS" '
        (.metadata.creationTimestamp | fromdate) as $t | def micro: todate | rtrimstr("Z") + ".482913Z";
        {apiVersion: "events.k8s.io/v1", kind: "Event", metadata: {name: "\(.metadata.name).\(.metadata.uid[24:])\($n + 4096)", namespace: $ns},
            regarding: {apiVersion, kind, name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid, resourceVersion: .metadata.resourceVersion},
            type: $type, reason: $reason, action: $action, note: $note, reportingController: $from, reportingInstance: "\($from)-control-plane-1",
            eventTime: ($t + $first | micro)} + if $count > 1 then {series: {count: $count, lastObservedTime: ($t + $last | micro)}} else {} end' | k create -f - > /dev/null
}

# unschedulable POD MESSAGE [LAST COUNT]: its condition, and the scheduler's event
unschedulable() {
    set_status "pod/$1" ".status.conditions = [condition(\"PodScheduled\"; \"False\"; 0) + {reason: \"Unschedulable\", message: $(jq -n --arg m "$2" '$m')}] | .status.phase = \"Pending\""
    new_event "pod/$1" Warning FailedScheduling Scheduling "$2" default-scheduler 0 "${3:-0}" "${4:-1}"
}

# scheduled POD NODE [AT]
scheduled() {
    bind "$1" "$2"
    new_event "pod/$1" Normal Scheduled Binding "Successfully assigned $NS/$1 to $2" default-scheduler "${3:-0}"
}

# began POD NODE AT: the kubelet's events of a container that starts from an image that was there
began() {
    local image name
    read -r image name < <(k get pod "$1" -n "$NS" -o jsonpath='{.spec.containers[0].image} {.spec.containers[0].name}{"\n"}')
    case $K in
    1.33) event "pod/$1" Normal Pulled "Container image \"$image\" already present on machine" "kubelet:$2" "$3" && event "pod/$1" Normal Created "Created container: $name" "kubelet:$2" "$3" && event "pod/$1" Normal Started "Started container $name" "kubelet:$2" "$3" ;;
    *) event "pod/$1" Normal Pulled "Container image \"$image\" already present on machine and can be accessed by the pod" "kubelet:$2" "$3" && event "pod/$1" Normal Created "Container created" "kubelet:$2" "$3" && event "pod/$1" Normal Started "Container started" "kubelet:$2" "$3" ;;
    esac
}

# dump KINDS [KIND/NAME...]: those of the namespace, and others by name. POST edits it.
dump() {
    {
        k get "$1" -n "$NS" -o json
        for o in "${@:2}"; do k get "$o" -n "$NS" -o json; done
    } | jq -s '{apiVersion: "v1", kind: "List", items: map(.items // [.] | .[]) , metadata: {resourceVersion: ""}}' |
        jq -L "$HERE" --indent 1 --arg k "$K" "include \"dump\"; as_of(\$k) | scheduled_when_made | $POST" > "$CORPUS/$NAME.json.new"
    mv "$CORPUS/$NAME.json.new" "$CORPUS/$NAME.json"
}

# expect JQ: the program gives the answer, with the dump as its input
expect() {
    jq -L "$HERE" --arg k "$K" --arg ns "$NS" "include \"dump\"; {now: null, kubernetes: \$k, ask: null, verdict: null, verdict_ok: [], when: null, who: \"nobody\", first_cause: null,
        must_mention: [], must_not_say: [], next_accept: [], next_reject: [], next_example: null, source: null} + ($1) | .ask += \" -n \\(\$ns)\"" "$CORPUS/$NAME.json" > "$CORPUS/$NAME.expected"
}

# node NAME CPU MEMORY [JQ]
node() {
    k get node "$1" > /dev/null 2>&1 && return
    make "{apiVersion: \"v1\", kind: \"Node\", metadata: {name: \"$1\", labels: {\"kubernetes.io/hostname\": \"$1\", \"kubernetes.io/os\": \"linux\", \"kubernetes.io/arch\": \"amd64\", \"topology.kubernetes.io/zone\": \"zone-a\"}}, spec: {}} | ${4:-.}"
    # Admission taints new nodes until their kubelet is ready.
    k get node "$1" -o json | jq '.spec.taints |= map(select(.key != "node.kubernetes.io/not-ready"))' | k replace -f - > /dev/null
    NS="" set_status "node/$1" '.status.capacity = {cpu: "'"$2"'", memory: "'"$3"'", pods: "110", "ephemeral-storage": "103079200Ki"} | .status.allocatable = .status.capacity
        | .status.conditions = [("MemoryPressure", "DiskPressure", "PIDPressure") as $t | {type: $t, status: "False", reason: "KubeletHasNo\($t)", message: "kubelet has no such pressure", lastHeartbeatTime: (now | todate), lastTransitionTime: (now | todate)}]
            + [{type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status", lastHeartbeatTime: (now | todate), lastTransitionTime: (now | todate)}]
        | .status.addresses = [{type: "Hostname", address: "'"$1"'"}]'
}

# prepare: what the cases share
prepare() {
    local n
    for n in 1 2 3; do node worker-$n 4 16Gi; done
    for n in 1 2; do node ml-$n 16 64Gi '.spec.taints = [{key: "dedicated", value: "ml", effect: "NoSchedule"}] | .metadata.labels["example.com/pool"] = "ml"'; done
    node control-1 4 8Gi '.spec.taints = [{key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule"}]'
    crd kueue.x-k8s.io v1beta2 Workload workloads
    crd kueue.x-k8s.io v1beta2 LocalQueue localqueues
    crd kueue.x-k8s.io v1beta2 ClusterQueue clusterqueues
    crd jobset.x-k8s.io v1alpha2 JobSet jobsets
    crd argoproj.io v1alpha1 Workflow workflows
    crd argoproj.io v1alpha1 Application applications
    crd repo-manager.pulpproject.org v1 Pulp pulps
    pki_ca "$DIR/pki" deny-ca
    pki_cert "$DIR/pki" deny-ca deny /CN=deny serverAuth IP:127.0.0.1,DNS:localhost
    proc_alive deny || proc_start_writing "$DIR/deny.port" deny "$HERE/deny.py" "$DIR/pki/deny.crt" "$DIR/pki/deny.key" "$DIR/deny.port"
    await 60 "the kinds of owners" k get pulps.repo-manager.pulpproject.org,workflows.argoproj.io,jobsets.jobset.x-k8s.io -A
}
