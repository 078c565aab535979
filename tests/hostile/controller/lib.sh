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
        for p in $(k get pods -n "$n" -o name); do
            k patch "$p" -n "$n" --type merge -p '{"metadata":{"finalizers":null}}'
        done
        k delete pods --all -n "$n" --force --grace-period=0 --timeout=30s
        k delete namespace "$n" --wait=false
    done > /dev/null 2>&1
    return $status
}

# controller [FLAG...]: ours, in the place of the built-in one
controller() {
    start_controller controller-replace --replace-builtin "$@"
}

# controller_again [FLAG...]: another process, which lists everything anew
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

# exposed SERIES: its value, or the sum of its values
exposed() {
    metric "$(http_get "$METRICS" /metrics)" "$1"
}
