# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by each t_*.sh here: one real kube-apiserver with tenants A and B, the simulated kubelet and our controller. What A does must not
# keep a Job of B from its end. Each test makes tenants of its own and takes them away, so that no test depends on another, nor on an order.
. "$(dirname "${BASH_SOURCE[0]}")/../../e2e/lib.sh"
. "$E2E/jobs.sh"
LABEL=${TEST#t_}
A=${LABEL//_/-}-a B=${LABEL//_/-}-b
NS=$B # whose Jobs the helpers of jobs.sh look at

# tenants: the namespaces A and B, empty; gone when the test is over, with whatever keeps their Pods
tenants() {
    trap 'tenants_gone; finish' EXIT
    fresh_namespace "$A"
    fresh_namespace "$B"
}

tenants_gone() {
    local status=$? n p
    set +e
    for n in "$A" "$B"; do
        k delete jobs --all -n "$n" --cascade=orphan --timeout=30s
        for p in $(k get pods -n "$n" -o json | jq -r '.items[] | select(.metadata.finalizers) | .metadata.name'); do
            k patch pod "$p" -n "$n" --type merge -p '{"metadata":{"finalizers":null}}'
        done
        k delete --raw "/api/v1/namespaces/$n/pods?gracePeriodSeconds=0" # all of them by one request
        k delete namespace "$n" --wait=false
    done > /dev/null 2>&1
    k delete node nowhere --ignore-not-found > /dev/null 2>&1
    return $status
}

# controller [FLAG...]: ours, in the place of the built-in one
controller() {
    start_controller controller-replace --replace-builtin "$@"
}

# controller_again [FLAG...]: another process, which lists everything anew
# shellcheck disable=SC2120 # the tests give them
controller_again() {
    proc_stop controller
    controller "$@"
}

# raw NAMESPACE RESOURCE FILE: creates the object of that JSON as it stands there; no client looks at it
raw() {
    local api=/api/v1
    [ "$2" != jobs ] || api=/apis/batch/v1
    k create --raw "$api/namespaces/$1/$2" -f "$3"
}

# job NAME [POD-ANNOTATIONS] [POD-SPEC]: a Job of two Pods, in JSON; members of the template's annotations and of its spec, in JSON too
job() {
    local annotations=${2:-'"kubelet.jobreeve.dev/duration":"200ms"'}
    cat << J
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"$1"},"spec":{"completions":2,"parallelism":2,"template":{"metadata":{
"annotations":{$annotations}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.36"}]${3:+,$3}}}}}
J
}

# completes NAMESPACE NAME: a Job of two Pods is made there and ends as it should
completes() {
    job "$2" > "$DIR/$1-$2.json"
    raw "$1" jobs "$DIR/$1-$2.json" > /dev/null
    NS=$1 outcome "$2" Complete 60 2 "" CompletionsReached
}

# unharmed [WHAT]: B's Jobs run while A's poison is there, also those of a controller that starts beside it; WHAT: part of their names
unharmed() {
    completes "$B" "beside${1:+-$1}"
    controller_again
    completes "$B" "restarted${1:+-$1}"
}

# bare FROM TO [NAME] [LABELS]: Pods that nobody controls and no kubelet runs, whose names begin with NAME; labels in JSON
bare() {
    local name=${3:-bare} labels=${4:-}
    seq "$1" "$2" | awk -v name="$name" -v labels="$labels" 'BEGIN { printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" }
        { printf "%s{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s-%06d\",\"labels\":{%s}},\"spec\":{", (NR == 1 ? "" : ","), name, $1, labels
          printf "\"nodeName\":\"nowhere\",\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"main\",\"image\":\"busybox:1.36\"}]}}\n" }
        END { print "]}" }'
}

# crowd NAMESPACE N [NAME] [LABELS]: makes so many of these. Their node is there, lest they be collected.
crowd() {
    local i parts=4 pids=() pid
    printf '{"apiVersion":"v1","kind":"Node","metadata":{"name":"nowhere"}}' | k apply -f - > /dev/null
    for ((i = 0; i < parts; i++)); do
        bare $((i * $2 / parts + 1)) $(((i + 1) * $2 / parts)) "${@:3}" > "$DIR/crowd-$i.json"
        k create -n "$1" -f "$DIR/crowd-$i.json" > /dev/null 2> "$DIR/log/crowd-$i.log" & # it is warned of long names
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    check "$1 has its Pods" "$(k get pods -n "$1" -o name | wc -l)" "$2"
}

# ---- the API server by way of a proxy

# proxy CA [PORT]: the API server by way of faulty_proxy.py, whose certificate is of that CA (made here); PROXY is its port
proxy() {
    pki_ca "$DIR/pki" "$1"
    pki_cert "$DIR/pki" "$1" "$1-serving" "/CN=$1-serving" serverAuth IP:127.0.0.1
    [ -f "$DIR/$TEST.rules" ] || : > "$DIR/$TEST.rules"
    proc_stop proxy
    spawn proxy python3 "$(dirname "${BASH_SOURCE[0]}")/faulty_proxy.py" "${2:-0}" "$DIR/pki/$1-serving.crt" "$DIR/pki/$1-serving.key" \
        "$SERVER" "$DIR/pki/ca.crt" "$DIR/$TEST.rules"
    ALIVE=proxy await 60 "the proxy" proxy_port
    PROXY=$(proxy_port)
}

proxy_port() {
    log_since_start proxy | sed -n 's/^listening on //p' | grep .
}

# faults [RULE]...: the proxy goes by these from now on
faults() {
    [ $# = 0 ] || printf '%s\n' "$@" > "$DIR/$TEST.rules.new"
    [ $# != 0 ] || : > "$DIR/$TEST.rules.new"
    mv "$DIR/$TEST.rules.new" "$DIR/$TEST.rules"
}

# proxied REGEX: how many answers of the proxy fit: "STATUS METHOD PATH", "!" behind the status of a fault
proxied() {
    log_since_start proxy | grep -cE -- "$1" || true
}

# proxied_conf CAFILE [USER]: DIR/proxied.conf, by which that user (controller-replace) asks the proxy, with its usual rights
proxied_conf() {
    local user=${2:-controller-replace}
    user "$user" "$E2E/rbac/$user.yaml"
    sed "s|server: \"[^\"]*\"|server: \"https://127.0.0.1:$PROXY\"|;s|certificate-authority-data: [^}]*|certificate-authority: \"$1\"|" \
        "$DIR/$user.conf" > "$DIR/proxied.conf"
}

# exposed SERIES: its value, or the sum of its values
exposed() {
    metric "$(http_get "$METRICS" /metrics)" "$1"
}
