#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration: an API server in memory, the webhook and the controller, and six Jobs from submission to their end. Ends 0
# only if each came out as announced. --all: five more, one for each policy of a Job. --keep leaves it running.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/build/release/bin
keep='' all=''
for flag; do
    case $flag in
    --keep) keep=1 ;;
    --all) all=1 ;;
    *) echo "usage: ./dev demo [--all] [--keep]" >&2 && exit 2 ;;
    esac
done

work=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-demo.XXXXXX")
pids=()
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' off=$'\e[0m'; else bold='' dim='' red='' green='' off=''; fi

stop() {
    local p
    for p in "${pids[@]}"; do kill -TERM "$p" 2> /dev/null || true; done
    for p in "${pids[@]}"; do wait "$p" 2> /dev/null || true; done
    pids=()
}
finish() {
    local code=$?
    trap - EXIT INT TERM
    stop
    if [ $code = 0 ]; then
        rm -rf "$work"
    else
        echo "${red}The demo failed ($code); logs are in $work:${off}" >&2
        tail -n 5 "$work"/log.txt "$work"/log/*.log >&2 || true
    fi
    exit $code
}
trap finish EXIT
trap 'exit 130' INT TERM

title() { printf '\n%s%s%s\n' "$bold" "$*" "$off"; }
fail() { echo "${red}$*${off}" >&2; exit 1; }
await() { # await SECONDS WHAT CMD...
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" > /dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "gave up waiting for $what"
        sleep 0.1
    done
}

api() { # api METHOD PATH [CURL-ARGUMENT]...
    local method=$1 path=$2
    shift 2
    curl -sS --max-time 30 --cacert "$work/ca.crt" -H "Authorization: Bearer $token" -X "$method" "$server$path" "$@"
}
jobs=/apis/batch/v1/namespaces/default/jobs
job() { api GET "$jobs/$1"; }
submit() { api POST "$jobs" -H 'Content-Type: application/yaml' --data-binary @"docs/examples/$1"; }
condition() { job "$1" | jq -e --arg t "$2" 'any(.status.conditions[]?; .type == $t and .status == "True")'; }

. docs/demo/policies.sh

begin=$SECONDS
title "Starting an API server in memory, the webhook and the controller"
"$bin/jobreeve-devcluster" up --data-dir "$work" > "$work/log.txt" 2>&1 &
pids+=($!)
await 60 "jobreeve-devcluster up" test -s "$work/kubeconfig"
server=$(sed -n 's/^ *server: //p' "$work/kubeconfig")
token=$(sed -n 's/^ *token: //p' "$work/kubeconfig")
echo "$dim$(head -n 2 "$work/log.txt")$off"

title "A Job with nothing but a template, as it was sent and as it is stored"
submit pi.yaml > "$work/pi.json"
jq -e '.metadata.uid' "$work/pi.json" > /dev/null || fail "pi was refused: $(cat "$work/pi.json")"
uid=$(jq -r .metadata.uid "$work/pi.json")
"$bin/jobreeve" default --diff --uid "$uid" docs/examples/pi.yaml
# What the desk says is what the cluster stored.
"$bin/jobreeve" default -o json --uid "$uid" docs/examples/pi.yaml | jq -S .spec > "$work/desk.json"
jq -S .spec "$work/pi.json" | cmp -s - "$work/desk.json" || fail "pi was stored otherwise: $(jq -c .spec "$work/pi.json")"

title "A Job that is wrong in several ways is refused, with all of them"
submit bad.yaml > "$work/bad.json"
jq -r '"HTTP \(.code) \(.reason)", (.details.causes[] | "  \(.field): \(.message)")' "$work/bad.json"
jq -e '.code == 422 and (.details.causes | length) >= 6' "$work/bad.json" > /dev/null || fail "the refusal is not as announced"

title "Four more Jobs"
for f in indexed failing suspended generate-name; do
    submit $f.yaml > "$work/$f.json"
    jq -e '.metadata.uid' "$work/$f.json" > /dev/null || fail "$f was refused: $(cat "$work/$f.json")"
    jq -r '"  \(.metadata.name)  \(.spec.completionMode), \(.spec.completions) completions, \(.spec.parallelism) at a time\(if .spec.suspend then ", suspended" else "" end)"' "$work/$f.json"
done
generated=$(jq -r .metadata.name "$work/generate-name.json")
[ "$(jq -r '.spec.template.metadata.labels["job-name"]' "$work/generate-name.json")" = "$generated" ] ||
    fail "the generated name is not in the labels"

# NAME EXPECTED-CONDITION SUCCEEDED FAILED
announced=("pi Complete 1 0" "frames Complete 5 0" "$generated Complete 1 0" "flaky Failed 0 2" "nightly Complete 2 0")

title "Progress (succeeded/wanted, active, failed), until each has ended"
resumed=
last=
end=$((SECONDS + 120))
while :; do
    api GET "$jobs" > "$work/jobs.json"
    line=$(jq -r '[.items[] | "\(.metadata.name) \(.status.succeeded // 0)/\(.spec.completions)" +
        (if (.status.active // 0) > 0 then " +\(.status.active)" else "" end) +
        (if (.status.failed // 0) > 0 then " !\(.status.failed)" else "" end) +
        (first(.status.conditions[]? | select(.status == "True" and (.type | IN("Complete", "Failed", "Suspended"))) | " " + .type) // "")]
        | join("   ")' "$work/jobs.json")
    [ "$line" = "$last" ] || printf '  %s\n' "$line"
    last=$line
    if [ -z "$resumed" ] && condition nightly Suspended > /dev/null; then
        api PATCH "$jobs/nightly" -H 'Content-Type: application/merge-patch+json' --data '{"spec":{"suspend":false}}' > /dev/null
        echo "  ${dim}nightly is suspended; resuming it${off}"
        resumed=1
    fi
    if jq -e '[.items[] | select(any(.status.conditions[]?; .status == "True" and (.type == "Complete" or .type == "Failed")) | not)] | length == 0' \
        "$work/jobs.json" > /dev/null; then break; fi
    [ $SECONDS -lt $end ] || fail "not every Job has ended"
    sleep 0.3
done

title "As announced?"
for a in "${announced[@]}"; do
    read -r name type succeeded failed <<< "$a"
    job "$name" > "$work/job.json"
    jq -e --arg t "$type" --argjson s "$succeeded" --argjson f "$failed" '
        any(.status.conditions[]; .type == $t and .status == "True") and (.status.succeeded // 0) == $s and (.status.failed // 0) == $f
        and (.status.active // 0) == 0 and (.status.uncountedTerminatedPods // {}) == {}' "$work/job.json" > /dev/null ||
        fail "$name is not $type with $succeeded succeeded and $failed failed: $(jq -c .status "$work/job.json")"
    printf '  %s%-14s%s %s, %s succeeded, %s failed\n' "$green" "$name" "$off" "$type" "$succeeded" "$failed"
done
api GET /api/v1/namespaces/default/pods > "$work/pods.json"
jq -e '[.items[] | select(.metadata.finalizers // [] | length > 0)] | length == 0' "$work/pods.json" > /dev/null ||
    fail "a finished Pod still has its finalizer"
[ "$(jq '.items | length' "$work/pods.json")" = 11 ] || fail "expected 11 Pods, got $(jq '.items | length' "$work/pods.json")"

title "Events"
# The recorder sends them on its own time.
enough() { api GET /api/v1/namespaces/default/events > "$work/events.json" && jq -e '
    [.items[].reason] as $r | ["Completed", "SuccessfulCreate", "BackoffLimitExceeded", "Suspended", "Resumed"] | all(. as $x | $r | index($x))' "$work/events.json"; }
await 30 "the events" enough
jq -r '.items | sort_by(.lastTimestamp, .metadata.name)[] | "  \(.type)\t\(.reason)\tjob/\(.involvedObject.name)\t\(.message)\(if (.count // 1) > 1 then " (x\(.count))" else "" end)"' \
    "$work/events.json" | expand -t 2,12,36,54

if [ -n "$all" ]; then
    title "Five more, one for each policy of a Job"
    submit_policy_examples || fail "an example was refused"
    show_policy_examples
fi

if [ -n "$keep" ]; then
    title "Left running; end it with Ctrl-C"
    cat <<EOF
  export KUBECONFIG=$work/kubeconfig
  kubectl get jobs,pods
  kubectl create job hello --image=busybox -- echo hello
  kubectl apply -f docs/examples/indexed.yaml
  kubectl create -f docs/examples/bad.yaml
  $bin/jobreeve wait job/frames
  kubectl describe job pi
  kubectl delete job pi
EOF
    wait
fi
title "Stopping"
stop
echo "${green}All as announced${off}, in $((SECONDS - begin)) s"
