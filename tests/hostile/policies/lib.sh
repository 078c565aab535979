# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the policies' hostile tests, first of all: an API server (apiserver.py) whose objects nobody has looked at, neither a schema nor a
# webhook, a webhook and a controller of the release build with --policies, and reviews that are sent as an API server sends them. The
# devcluster would not do: it decodes JobPolicies by their type, as no API server does.
#
#   cluster             the API server; SERVER is its address
#   webhook [FLAG...]   with --policies; WEBHOOK, HEALTH and METRICS are its addresses
#   apply NAME SPEC     a policy
#   unharmed WHAT       the checks that hold after each attack
. "$(dirname "${BASH_SOURCE[0]}")/../../support/checks.sh"
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
: "${JR_BIN:?the folder with our programs}"
WORK=$DIR/$TEST
# Memory for all requests together, which is what tenants can make the webhook spend.
REQUEST_MB=64
mkdir -p "$WORK"

# ---- the API server

cluster() {
    spawn "apiserver-$TEST" python3 "$(dirname "${BASH_SOURCE[0]}")/apiserver.py" 0
    ALIVE=apiserver-$TEST await 60 "the API server" apiserver_port
    SERVER=http://127.0.0.1:$(apiserver_port)
    printf '{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"%s"}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
        "users":[{"name":"u","user":{"token":"t"}}],"current-context":"c"}\n' "$SERVER" > "$WORK/kubeconfig"
}
apiserver_port() { log_since_start "apiserver-$TEST" | sed -n 's/^listening on //p' | grep .; }

# served RESOURCE KEY [FILE]: the object of that key is what the file (standard input) has, as it is
served() { send PUT "/raw/$1/$2" --data-binary @"${3:--}" > /dev/null; }
gone() { send DELETE "/raw/$1/$2" > /dev/null; }

# send METHOD PATH [CURL-ARGUMENT]...: prints the answer, fails unless it is a good one
send() {
    curl -sS --fail-with-body --max-time 60 -H 'Content-Type: application/json' -X "$1" "$SERVER$2" "${@:3}"
}
seen() { send GET "/seen?$(jq -rn --arg r "$1" '$r | @uri')"; } # seen REGEX: how many requests were such
slow() { printf '%s\n' "$@" | send PUT /slow --data-binary @- > /dev/null; } # slow "SECONDS REGEX"...
empty() { { [ $# = 0 ] || printf '%s\n' "$@"; } | send PUT /empty --data-binary @- > /dev/null; } # empty REGEX...
namespace() { # namespace NAME [LABELS] [RESOURCE]
    printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s","labels":{%s}}}' "$1" "${2:-}" | served "${3:-namespaces}" "$1"
}

# policy NAME SPEC [GENERATION]: its document, in JSON; SPEC for jq to evaluate
policy() {
    jq -nc --arg name "$1" --argjson generation "${3:-1}" '{apiVersion: "policy.jobreeve.dev/v1alpha1", kind: "JobPolicy",
        metadata: {name: $name, uid: $name, generation: $generation, resourceVersion: "@"}, spec: ('"$2"')}'
}

# apply NAME SPEC [GENERATION]: made, or written over
apply() { policy "$@" | served jobpolicies "${KEY:-$1}"; }

# ---- our programs

certificate() {
    [ -s "$DIR/tls-$TEST.crt" ] || self_signed "$DIR/tls-$TEST" localhost
}

# webhook FLAG...: in the place of the one before
webhook() {
    proc_stop webhook
    certificate
    spawn webhook "$JR_BIN/jobreeve-webhook" --kubeconfig "$WORK/kubeconfig" --policies --bind-address=127.0.0.1 --port=0 --threads=2 \
        --shutdown-delay-duration=0s --tls-cert-file="$DIR/tls-$TEST.crt" --tls-private-key-file="$DIR/tls-$TEST.key" \
        --health-probe-bind-address=127.0.0.1:0 --metrics-bind-address=127.0.0.1:0 --max-request-memory=${REQUEST_MB}Mi "$@"
    ALIVE=webhook await 60 "the webhook" listener webhook metrics
    HEALTH=$(listener webhook health) METRICS=$(listener webhook metrics)
    ALIVE=webhook await 60 "the webhook being ready" is_ready
    WEBHOOK=$(listener webhook webhook) # it listens once it knows the policies
    PID=$(proc_pid webhook)
}
is_ready() { http_get "$HEALTH" /readyz; }

# controller FLAG...: one that runs nobody's Jobs, so that all it does is to audit
controller() {
    spawn controller "$JR_BIN/jobreeve-controller" --kubeconfig "$WORK/kubeconfig" --controller-name example.com/nobody --leader-elect=false \
        --policies --audit-interval 1s --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0 "$@"
    ALIVE=controller await 60 "the controller" listener controller metrics
    # shellcheck disable=SC2034
    CONTROLLER_PID=$(proc_pid controller)
}

# exposed ADDRESS SERIES: its value, or the sum of its values
exposed() {
    metric "$(http_get "$1" /metrics)" "$2"
}
in_force() { # in_force N: so many policies are
    [ "$(http_get "$METRICS" /metrics | grep -c '^jobreeve_policy_generation{')" = "$1" ]
}
says() { # says TEXT: a line of the webhook's metrics
    http_get "$METRICS" /metrics | grep -qxF -- "$1"
}

# ---- reviews

# job SPEC [METADATA-MEMBERS]: a Job as an API server has it once it has set its defaults, in JSON
job() {
    jq -c --argjson spec "$1" --argjson meta "{${2:-}}" '.request.object | .metadata += $meta | .spec += $spec' \
        "$ROOT/tests/vectors/wire/reviews/002-validate-CREATE-jobs.json"
}

# review NAMESPACE JOB: a review of its creation
review() {
    jq -c --arg ns "$1" --slurpfile job <(printf '%s\n' "$2") '.request.namespace = $ns | .request.object = ($job[0] | .metadata.namespace = $ns)' \
        "$ROOT/tests/vectors/wire/reviews/002-validate-CREATE-jobs.json"
}

# ask FILE [PATH]: POSTs it; prints the HTTP status, 000 where there is no answer. The answer is in FILE.answer.
ask() {
    rm -f "$1.answer"
    curl -sS -o "$1.answer" -w '%{http_code}' --max-time 120 --cacert "$DIR/tls-$TEST.crt" -H 'Content-Type: application/json' \
        --data-binary @"$1" "https://$WEBHOOK${2:-/validate-batch-v1-job}" 2> "$WORK/curl.err" || true
}

# outcome FILE [PATH]: "allowed", "denied: MESSAGE", or the status where it isn't 200
outcome() {
    local code
    code=$(ask "$@")
    if [ "$code" = 200 ]; then
        jq -r 'if .response.allowed then "allowed" else "denied: " + .response.status.message end' "$1.answer"
    else
        printf '%s %s\n' "$code" "$(head -c 300 "$1.answer" 2> /dev/null || true)"
    fi
}

# outcome_is FILE WANTED
outcome_is() { [ "$(outcome "$1")" = "$2" ]; }

# control: two reviews, of a Job that the policy "control" refuses and of one that it takes
control() {
    namespace control
    apply control '{match: {namespaces: ["control"]}, limits: {parallelism: {max: 2}}}'
    review control "$(job '{"parallelism":3}')" > "$WORK/bad.json"
    review control "$(job '{"parallelism":2}')" > "$WORK/good.json"
}
answers_rightly() {
    [ "$(outcome "$WORK/bad.json")" = 'denied: policy "control": spec.parallelism: is 3, at most 2 allowed' ] &&
        [ "$(outcome "$WORK/good.json")" = allowed ]
}

# ---- after each attack

rss_mb() { # rss_mb PID
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" | awk '{ print int($1 / 1024) }'
}

# at_rest NAME: it takes less than a fifth of a core, over a second
at_rest() {
    local before
    before=$(proc_ticks "$1")
    sleep 1
    [ $(($(proc_ticks "$1") - before)) -lt 20 ]
}

# unharmed WHAT [MB]: it is the same process, ready, right, at rest and no larger than MB (the default: what all requests may take, and as much
# again for libraries, threads, policies and what malloc keeps)
unharmed() {
    check "$1: the process is the same" "$(proc_pid webhook)" "$PID"
    check_await "$1: it is ready" 60 is_ready
    check_await "$1: it answers rightly" 60 answers_rightly
    check_await "$1: it comes to rest" 120 at_rest webhook
    check_more "$1: memory in MB, which is less than" "$((${2:-$((2 * REQUEST_MB))} + 1))" "$(rss_mb "$PID")"
}
