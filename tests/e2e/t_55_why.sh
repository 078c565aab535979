#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve why and dump on a real control plane with a real scheduler, for a user who may only read Jobs, Pods and events: nine Jobs in trouble, each
# with its verdict and its cause, the requests that they cost, and the same answer from a dump.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$E2E/jobs.sh"
NS=t55
PKI=$DIR/pki

# ---- the cluster: a scheduler, a node that answers, and one that doesn't any more

# node NAME POOL: with a lease, as kubelets have one
node() {
    k create -f - > /dev/null << Y
apiVersion: v1
kind: Node
metadata: {name: $1, labels: {kubernetes.io/hostname: $1, kubernetes.io/os: linux, pool: $2}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: $1, namespace: kube-node-lease}
spec: {holderIdentity: $1, leaseDurationSeconds: 40, renewTime: "$(date -u +%FT%T.000000Z)"}
Y
    k patch "node/$1" --subresource=status --type=merge -p '{"status": {"capacity": {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"},
        "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status", "lastHeartbeatTime": "'"$(date -u +%FT%TZ)"'", "lastTransitionTime": "'"$(date -u +%FT%TZ)"'"}]}}' > /dev/null
}
node_free() { # node_free NAME: admission taints new nodes until they are ready
    [ -z "$(field "node/$1" .spec.taints)" ]
}
heartbeats() { # one that fails is made up for by the next; that they came is checked at the end
    while :; do
        k patch lease/t55-up -n kube-node-lease --type=merge -p '{"spec": {"renewTime": "'"$(date -u +%FT%T.000000Z)"'"}}' > /dev/null || true
        sleep 4
    done
}
for n in $(k get nodes -o name); do k delete "$n" > /dev/null; done # of the tests before, whose kubelets have ended
node t55-up live
node t55-lost lost
heartbeats &
pki_cert "$PKI" ca scheduler /CN=system:kube-scheduler clientAuth
pki_kubeconfig "$PKI" ca scheduler "$SERVER" "$DIR/scheduler.conf"
spawn scheduler "$BIN/kube-scheduler" --kubeconfig="$DIR/scheduler.conf" --leader-elect=false --secure-port=0
start_builtin
await 60 "t55-up has no taint" node_free t55-up
await 60 "t55-lost has no taint" node_free t55-lost

# ---- the user, who goes by several names, so that the audit log tells requests apart

k create clusterrole t55-tenant --verb=get,list,watch --resource=jobs.batch,pods,events > /dev/null
# space NAME [LABEL]: a namespace that the user may read
space() {
    fresh_namespace "$1"
    [ -z "${2:-}" ] || k label namespace "$1" "$2" > /dev/null
    k create rolebinding tenant -n "$1" --clusterrole=t55-tenant --group=t55-tenants > /dev/null
}
# user_conf NAME: DIR/NAME.conf
user_conf() {
    kubeconfig_with "client-certificate-data: $(pki_data "$PKI/admin.crt"), client-key-data: $(pki_data "$PKI/admin.key"), as: $1, as-groups: [t55-tenants]" > "$DIR/$1.conf"
}

# ---- nine Jobs

# job NAMESPACE NAME [SPEC [POD-SPEC [CONTAINER]]]: in YAML's flow style, the specs with a comma behind, the container's fields with one before
job() {
    k create -n "$1" -f - > /dev/null << Y
apiVersion: batch/v1
kind: Job
metadata: {name: $2}
spec: {${3:-} template: {spec: {${4:-} restartPolicy: Never, containers: [{name: main, image: "registry.example.com/batch/main:1.4"${5:-}}]}}}
Y
}
counts_quota() { [ -n "$(field "quota/$1" .status.used -n "$2")" ]; }

space $NS
job $NS evicted 'podReplacementPolicy: Failed,' 'nodeSelector: {pool: lost}, terminationGracePeriodSeconds: 1, tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 0}],'
placed() { [ "$(field "pod" '.items[*].spec.nodeName' -n $NS -l batch.kubernetes.io/job-name=evicted)" = t55-lost ]; }
check_await "the scheduler places a Pod" 60 placed
evicted=$(k get pods -n $NS -l batch.kubernetes.io/job-name=evicted -o name)
k patch "$evicted" -n $NS --subresource=status --type=merge -p '{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "'"$(date -u +%FT%TZ)"'"}],
    "containerStatuses": [{"name": "main", "image": "i", "imageID": "i@sha256:0", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "'"$(date -u +%FT%TZ)"'"}}}]}}' > /dev/null
job $NS gate '' 'schedulingGates: [{name: example.com/data-staged}],'
job $NS selector '' 'nodeSelector: {example.com/gpu: a100},'
job $NS memory '' '' ', resources: {requests: {memory: 512Gi}}'
k create -n $NS -f - > /dev/null << 'Y'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: scratch}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 10Gi}}}
Y
job $NS claim '' 'volumes: [{name: s, persistentVolumeClaim: {claimName: scratch}}],' ', volumeMounts: [{name: s, mountPath: /s}]'

space t55-quota
k create quota compute -n t55-quota --hard=pods=1 > /dev/null
await 60 "the quota" counts_quota compute t55-quota
job t55-quota first '' 'nodeSelector: {pool: live},'
first() { [ -n "$(k get pods -n t55-quota -l batch.kubernetes.io/job-name=first -o name)" ]; }
await 60 "the Pod of first" first
job t55-quota quota

space t55-specify
k create quota limits -n t55-specify --hard=limits.memory=8Gi > /dev/null
await 60 "the quota of limits" counts_quota limits t55-specify
job t55-specify specify

space t55-security pod-security.kubernetes.io/enforce=restricted
job t55-security security

space t55-webhook t55=webhook
serving_cert t55-deny
proc_start_writing "$DIR/t55-deny.port" t55-deny "$E2E/../diagnose/deny.py" "$PKI/t55-deny.crt" "$PKI/t55-deny.key" "$DIR/t55-deny.port"
SPAWNED+=" t55-deny"
k create -f - > /dev/null << Y
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: t55-images}
webhooks:
- name: images.t55.example.com
  clientConfig: {url: "https://127.0.0.1:$(cat "$DIR/t55-deny.port")/images-have-to-come-from-mirror.example.com", caBundle: $(pki_data "$PKI/t55-deny-ca.crt")}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
  namespaceSelector: {matchLabels: {t55: webhook}}
  admissionReviewVersions: [v1]
  sideEffects: None
Y
denies() { grep -q "denied the request" <(k run probe -n t55-webhook --image=i --dry-run=server 2>&1); }
await 60 "the webhook refuses" denies
job t55-webhook webhook

# ---- what the user is told

# jobreeve_as USER COMMAND ARGUMENT...
jobreeve_as() {
    timeout 60 "$JR_BIN/jobreeve" "$2" --kubeconfig "$DIR/$1.conf" "${@:3}"
}
answers() { # answers NAMESPACE NAME VERDICT ID: as JSON, in ANSWER
    ANSWER=$(jobreeve_as t55-anna why -n "$1" -o json "job/$2") && [ "$(jq -r '"\(.verdict) \(.causes[0].id)"' <<< "$ANSWER")" = "$3 $4" ]
}
# requests USER [PATTERN...]: pages of a list but the first aren't counted
requests() {
    audited "\"impersonatedUser\":{\"username\":\"$1\"" '"userAgent":"jobreeve/' '"stage":"ResponseComplete"' '"requestURI":"[^"]*(/[a-z0-9.-]+|\?limit=[0-9]+(\\u0026labelSelector=[^"\\]*)?)"' "${@:2}"
}
changes=$DIR/t55-changes
: > "$changes"

# told SECONDS NAMESPACE NAME VERDICT ID WHO PATTERN: the cause matches the pattern
told() {
    local now n user=t55-asks-$3 why
    if ! await "$1" "$3" answers "$2" "$3" "$4" "$5"; then
        failed "$3: the answer" "$(jq -c '[.verdict, .who, .causes]' <<< "$ANSWER")" "$4 $5"
        return
    fi
    passed "$3: $4, $5"
    check "$3: whose move" "$(jq -r .who <<< "$ANSWER")" "$6"
    why=$(jq -r '.causes[0].text' <<< "$ANSWER")
    if grep -qE -- "$7" <<< "$why"; then passed "$3: $why"; else failed "$3: the cause" "$why" "$7"; fi
    jq -r '.next[] | select(.grade != "looks") | .command' <<< "$ANSWER" >> "$changes"

    user_conf "$user"
    jobreeve_as "$user" why -n "$2" "job/$3" > /dev/null
    read_by_user() { [ "$(requests "$user")" -ge 3 ]; }
    check_await "$3: the Job, its Pods and events are read" 60 read_by_user
    n=$(requests "$user")
    if [ "$n" -le 8 ]; then passed "$3: $n requests"; else failed "$3: requests" "$n" "at most 8"; fi
    check "$3: none over all namespaces" "$(requests "$user" '"requestURI":"/(api/v1|apis/batch/v1)/(jobs|cronjobs|pods|events|persistentvolumeclaims)')" 0

    jobreeve_as t55-anna dump -n "$2" "job/$3" > "$DIR/t55-$3.json" 2> "$DIR/t55-$3.err"
    now=$(jq -r '.metadata.annotations["jobreeve.dev/read-at"]' "$DIR/t55-$3.json")
    check "$3: the same from a dump" "$("$JR_BIN/jobreeve" why -f - -n "$2" "job/$3" < "$DIR/t55-$3.json")" "$(jobreeve_as t55-anna why --now "$now" -n "$2" "job/$3")"
}

user_conf t55-anna
refused "the user may not read nodes" k get nodes --as=t55-anna --as-group=t55-tenants
told 60 t55-quota quota moves quota-exceeded nobody 'The quota compute is used up.*pods=1'
told 60 t55-specify specify hand quota-must-specify author 'The quota limits refuses all Pods.*must specify limits.memory'
told 60 t55-security security hand pod-security author 'enforces Pod Security "restricted:latest".*allowPrivilegeEscalation'
told 60 t55-webhook webhook hand webhook-denied author 'the admission webhook images.t55.example.com: images have to come from mirror.example.com'
told 60 $NS gate hand scheduling-gate author 'example.com/data-staged'
told 60 $NS selector hand selector author 'example.com/gpu'
told 60 $NS memory hand too-large author '512Gi'
told 60 $NS claim hand claim-unbound admin 'scratch'
told 300 $NS evicted hand node-lost admin 'The node t55-lost does not answer, and Pod evicted-'

# ---- the commands that change something

sort -u -o "$changes" "$changes"
while IFS= read -r command; do
    if OUT=$(PATH=$BIN:$PATH KUBECONFIG=$DIR/admin.conf bash -c "$command --dry-run=server" 2>&1); then passed "is accepted: $command"; else failed "is accepted: $command" "$OUT" "what it changed"; fi
done < "$changes"
check_more "commands that change something" "$(wc -l < "$changes")" 0

check "t55-up has answered to the end" "$(field node/t55-up '.status.conditions[?(@.type=="Ready")].status')" True
for n in t55-up t55-lost; do k delete "node/$n" > /dev/null; done
k delete validatingwebhookconfiguration/t55-images clusterrole/t55-tenant > /dev/null
