#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jobreeve logs in to a real API server as kubectl does with the same kubeconfig: a credential plugin that gives a certificate, impersonation, a tenant who
# may see one namespace, and credentials that the server doesn't take.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t52
WORK=$DIR/t52
mkdir -p "$WORK"
k create namespace $NS > /dev/null
k label namespace $NS pool=cpu > /dev/null
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: p}\nspec: {limits: {parallelism: {max: 2}}}\n' > "$WORK/p.yaml"
k create -n $NS -f - > /dev/null << 'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: wide}
spec: {suspend: true, parallelism: 5, template: {spec: {restartPolicy: Never, containers: [{name: c, image: example.com/i}]}}}
Y

# with_user NAME USER: WORK/NAME.conf
with_user() {
    kubeconfig_with "$2" > "$WORK/$1.conf"
}
audit() { # audit NAME ARGUMENT...: sets CODE; what it prints is in WORK/NAME.out and .err
    CODE=0
    timeout 120 "$JR_BIN/jobreeve" audit --policy "$WORK/p.yaml" --kubeconfig "$WORK/$1.conf" "${@:2}" > "$WORK/$1.out" 2> "$WORK/$1.err" || CODE=$?
}
both() { # both NAME CODE: jobreeve and kubectl, by the same kubeconfig
    audit "$1" -n $NS -o json
    check "$1: exit code" "$CODE" "$2"
    CODE=0
    "$BIN/kubectl" --kubeconfig "$WORK/$1.conf" --cache-dir "$WORK/cache" get jobs -n $NS -o name > "$WORK/$1.kubectl" 2>&1 || CODE=$?
    check "$1: kubectl" "$CODE" "$((${2} > 1))"
}
cert=$(sed -n 's/^ *client-certificate-data: //p' "$DIR/admin.conf" | head -n 1) key=$(sed -n 's/^ *client-key-data: //p' "$DIR/admin.conf" | head -n 1)

cat > "$WORK/plugin.sh" << P
#!/bin/sh
echo run >> "$WORK/runs"
jq -n --arg c "\$(echo '$cert' | base64 -d)" --arg k "\$(echo '$key' | base64 -d)" \\
    '{apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: {clientCertificateData: \$c, clientKeyData: \$k}}'
P
chmod +x "$WORK/plugin.sh"
with_user plugin 'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh, interactiveMode: Never}'
both plugin 1
check "plugin: what it finds" "$(jq -c '[.objects, .policies[0].worst[0].name]' "$WORK/plugin.out")" '[1,"wide"]'

as_admin="client-certificate-data: $cert, client-key-data: $key"
with_user nobody "$as_admin, as: t52-nobody"
both nobody 2
check_more "nobody: is named, with what is missing" "$(grep -c 'User "t52-nobody" cannot .*(403)' "$WORK/nobody.err")" 0
k create role tenant -n $NS --verb=list --resource=jobs.batch,cronjobs.batch > /dev/null
k create rolebinding tenant -n $NS --role=tenant --group=t52-tenants > /dev/null
with_user tenant "$as_admin, as: t52-anna, as-groups: [t52-tenants]"
both tenant 1
check "tenant: what is found without a right to read the Namespace" "$(jq -c '[.objects, .policies[0].worst[0].name]' "$WORK/tenant.out")" '[1,"wide"]'
check_more "tenant: the Namespace is said" "$(grep -c "Namespace $NS can't be read" "$WORK/tenant.err")" 0
audit tenant
check "tenant: all namespaces" "$CODE" 2
check_more "tenant: the right to all of them is said" "$(grep -c 'User "t52-anna" cannot list' "$WORK/tenant.err")" 0

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$WORK/other.key" -out "$WORK/other.crt" -days 2 -subj /CN=other 2> /dev/null
with_user stranger 'client-certificate: other.crt, client-key: other.key'
both stranger 2
check_more "stranger: the certificate is said" "$(grep -c 'user.client-certificate: ' "$WORK/stranger.err")" 0
with_user token 'token: wrong'
both token 2
check_more "token: is said" "$(grep -c 'user.token: .*(401)' "$WORK/token.err")" 0
with_user anonymous 'username: ""'
both anonymous 2
check_more "anonymous: is said" "$(grep -c '(40[13])' "$WORK/anonymous.err")" 0
k delete namespace $NS --wait=false > /dev/null
