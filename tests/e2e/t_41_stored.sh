#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is stored with our webhooks is what is stored without them: generated Jobs and CronJobs are made on a real API server, in one namespace
# before the webhooks are registered and in another one afterwards, by POST and by server-side apply. The whole objects are compared as they are
# read back, managedFields too. None is a dry run: what etcd has is what counts.
# Those made by POST and apply are also read as protobuf, with objects of the other kinds that clients send so.
# 600 of them; JR_LONG=1: 2,000. JR_SEED: which.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
OBJECTS=600
[ -z "${JR_LONG:-}" ] || OBJECTS=2000
SEED=${JR_SEED:-41}
BARE=t41-bare WITH=t41-with KINDS=t41-kinds
WORK=$DIR/stored

stored() {
    python3 "$E2E/stored/stored.py" "$@"
}

# made NAMESPACE: all of them are made there, and read back into WORK/NAMESPACE
made() {
    fresh_namespace "$1"
    check "$1: all are made" "$(stored create "$SERVER" "$DIR/pki" "$1" < "$WORK/objects" | sed 's/ .*//')" "$(printf 'apply:\ncreate:')"
    stored list "$SERVER" "$DIR/pki" "$1" > "$WORK/$1"
    check "$1: all are stored" "$(wc -l < "$WORK/$1")" "$OBJECTS"
}

# differences: between the two, at most five objects at length
differences() {
    paste -d '\n' "$WORK/$BARE" "$WORK/$WITH" | awk 'NR % 2 { bare = $0; next } bare != $0 { n++; if (n <= 5) print bare "\n" $0 }
        END { if (n) print n " objects differ" > "/dev/stderr" }' | while IFS= read -r bare && IFS= read -r with; do
        diff -U 2 --label without --label with <(jq . <<< "$bare") <(jq . <<< "$with") || true
    done
}

cd "$E2E/../.." || exit
mkdir -p "$WORK"
"$JR_BIN/admission-cases" --server $BARE --kubernetes-version "$KUBE" 8000 "$SEED" > "$WORK/cases"
"$JR_BIN/admission-validate" --kubernetes-version "$KUBE" < "$WORK/cases" > "$WORK/answers"
stored make "$WORK/cases" "$WORK/answers" "$OBJECTS" "$SEED" > "$WORK/objects"
check "all shapes are there" "$(jq -r '.object | [.kind, has("metadata") and (.metadata | has("generateName")), .spec.manualSelector == true] | @csv' "$WORK/objects" |
    sort -u | tr '\n' ' ')" '"CronJob",false,false "CronJob",true,false "Job",false,false "Job",false,true "Job",true,false "Job",true,true '

made $BARE

# The decoder of protobuf reads from what the API server writes what that writes as JSON. Where Go writes null, the decoder may leave out.
fresh_namespace $KINDS
python3 "$E2E/stored/protobuf.py" create "$SERVER" "$DIR/pki" $KINDS 40 "$SEED"
python3 "$E2E/stored/protobuf.py" list "$SERVER" "$DIR/pki" "$WORK"
"$JR_BIN/schema-protobuf" < "$WORK/protobuf" | jq -cS 'del(.. | nulls)' > "$WORK/decoded"
check_more "objects as protobuf" "$(wc -l < "$WORK/decoded")" $((OBJECTS + 239))
jq -cS 'del(.. | nulls)' "$WORK/json" > "$WORK/as-json"
diff "$WORK/decoded" "$WORK/as-json" > "$WORK/diff" || true
check "they are the objects as JSON" "$(head -n 6 "$WORK/diff")" ""

start_webhook
made $WITH
check_more "the mutating webhooks were asked" $(($(webhook_calls mutate.jobs.jobreeve.dev) + $(webhook_calls mutate.cronjobs.jobreeve.dev))) $((OBJECTS - 1))
check "what is stored is the same" "$(differences 2>&1)" ""

k create job plain --image=busybox -n $WITH > /dev/null
check "kubectl create job: found by the label controller-uid" \
    "$(k get jobs -n $WITH -l "controller-uid=$(field job/plain .metadata.uid -n $WITH)" -o name)" job.batch/plain
webhook_unregister
k delete namespace $BARE $WITH $KINDS --wait=false > /dev/null
