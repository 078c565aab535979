#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kubectl's own commands, as its documentation writes them, on `jobreeve-devcluster up` and on a real API server: the same exit codes, the same words, and the
# same objects. Most of what `kubectl create` sends comes as protobuf. JR_KUBECTL: another kubectl than the cluster's, as `build.sh kubectl 1.32` builds it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t54
KUBECTL=${JR_KUBECTL:-$BIN/kubectl}
WORK=$DIR/t54
rm -rf "$WORK"
mkdir -p "$WORK"

# on WHERE ARGUMENT...: kubectl, on `real` or on `ours`
on() {
    local config=$DIR/admin.conf
    [ "$1" = real ] || config=$DIR/dc/kubeconfig
    "$KUBECTL" --kubeconfig="$config" --cache-dir="$WORK/cache-$1" "${@:2}"
}

# said WHERE ARGUMENT...: what it prints, and its exit code; not what differs from create to create
said() {
    local code=0
    on "$@" > "$WORK/said" 2>&1 || code=$?
    # The one warning is of ours alone. Suffixes are drawn, ages are told.
    grep -v '^Warning: the devcluster has no ' "$WORK/said" | sed -E 's/\b(hello|manual)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/\1-xxxxx/g' || true
    echo "exit code $code"
}

# both ARGUMENT...: the same on both
both() {
    check "kubectl $*" "$(said ours "$@")" "$(said real "$@")"
}

# objects WHERE KIND...: what is stored, without what a server sets, and without what controllers write
objects() {
    on "$1" get "${@:2}" -n $NS -o json | jq -S '.items[] | del(.metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp, .metadata.managedFields,
        .metadata.generation, .metadata.ownerReferences[]?.uid, .status, .spec.selector.matchLabels?,
        (.metadata, .spec.template?.metadata?).labels?["batch.kubernetes.io/controller-uid", "controller-uid"]) | del(.. | nulls)'
}

# ended_on WHERE: the Job hello
ended_on() {
    [ "$(on "$1" get job hello -n $NS -o jsonpath='{.status.conditions[?(@.type=="Complete")].status}')" = True ]
}

# the client's version is in its first line
echo "kubectl: $("$KUBECTL" version --client | sed -n 1p), API server $KUBE"
spawn up "$JR_BIN/jobreeve-devcluster" up --data-dir "$DIR/dc" --kubernetes-version "${KUBE%.*}"
ALIVE=up await 60 "the devcluster" test -s "$DIR/dc/kubeconfig"
start_builtin
start_kubelet

both create namespace $NS
await 60 "its service account" k get serviceaccount default -n $NS
printf 'one\n' > "$WORK/one.txt"
printf '\001\377\000' > "$WORK/binary"
both create configmap my-config -n $NS --from-literal=key1=config1 --from-literal=key2=config2
both create configmap from-files -n $NS --from-file="$WORK/one.txt" --from-file=raw="$WORK/binary"
both create secret generic my-secret -n $NS --from-literal=key1=supersecret --from-literal=key2=topsecret
both create secret generic ssh -n $NS --from-file=ssh-privatekey="$WORK/binary" --type=kubernetes.io/ssh-auth
both create secret docker-registry my-registry -n $NS --docker-server=registry.example.com --docker-username=u --docker-password=p --docker-email=e@example.com
both create serviceaccount my-service-account -n $NS
both create job hello -n $NS --image=busybox:1.28 -- echo "Hello World"
both create cronjob hello -n $NS --image=busybox:1.28 --schedule="0 0 29 2 *" -- echo "Hello World"
both create job manual --from=cronjob/hello -n $NS
both create job hello -n $NS --image=busybox:1.28
both create job 'Not a name' -n $NS --image=busybox:1.28
both create cronjob wrong -n $NS --image=busybox:1.28 --schedule="at noon"
both create namespace $NS
both label job hello app=greeting -n $NS
both annotate cronjob hello note=first -n $NS
both patch cronjob hello -n $NS -p '{"spec":{"suspend":true}}'
both patch job hello -n $NS --type=json -p '[{"op":"replace","path":"/spec/backoffLimit","value":2}]'
both patch job hello -n $NS -p '{"spec":{"completionMode":"Indexed"}}'
both create configmap dry -n $NS --from-literal=a=b --dry-run=server
both get configmap dry -n $NS
both get cronjob hello -n $NS -o 'jsonpath={.spec.schedule} {.spec.suspend} {.metadata.annotations.note}'
both get jobs -n $NS -l app=greeting -o name
check_await "hello on ours" 60 ended_on ours
check_await "hello on the real one" 60 ended_on real
both wait --for=condition=complete job/hello -n $NS --timeout=30s
both get job hello -n $NS -o 'jsonpath={.status.succeeded}'
both create quota best-effort -n $NS --hard=pods=100 --scopes=BestEffort
both create quota my-quota -n $NS --hard=count/jobs.batch=20,requests.cpu=1.5,memory=1Gi
for kinds in configmaps secrets serviceaccounts resourcequotas cronjobs jobs; do
    objects real $kinds | jq -c 'select(.metadata.name != "kube-root-ca.crt" and .metadata.name != "default")' > "$WORK/real"
    objects ours $kinds | jq -c 'select(.metadata.name != "kube-root-ca.crt" and .metadata.name != "default")' > "$WORK/ours"
    check_more "$kinds there" "$(wc -l < "$WORK/real")" 0
    check "$kinds are the same" "$(diff "$WORK/ours" "$WORK/real")" ""
done
check_has "logs of a Job" "$(on ours logs job/hello -n $NS 2>&1)" 'simulated: '
both delete job hello manual -n $NS
both delete cronjob,secret,quota --all -n $NS
both delete configmap my-config from-files -n $NS
proc_stop up
k delete namespace $NS --wait=false > /dev/null
