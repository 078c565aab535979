#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How jobreeve logs in to a cluster, from outside: login.sh BIN
#   kubeconfigs that are wrong in one thing: one line that names file, field and context, and no wait; credential plugins: what they are told, when they
#   are asked again, each way in which they fail
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene login
devcluster --node ''
good=$DIR/kubeconfig
token=$(sed -n 's/^ *token: //p' "$good")
printf 'apiVersion: policy.jobreeve.dev/v1alpha1\nkind: JobPolicy\nmetadata: {name: p}\nspec: {limits: {parallelism: {max: 2}}}\n' > "$DIR/p.yaml"

audit() { # audit CODE KUBECONFIG ARGUMENT...: what it prints is in DIR/out and DIR/err
    local code=0 want=$1 file=$2
    shift 2
    timeout 120 "$bin/jobreeve" audit --policy "$DIR/p.yaml" --kubeconfig "$file" "$@" > "$DIR/out" 2> "$DIR/err" < /dev/null || code=$?
    [ "$code" = "$want" ] || { echo "exit code $code, not $want: $file" >&2 && cat "$DIR/out" "$DIR/err" >&2 && return 1; }
}
says() { # says PATTERN: the last line, which is the only one but for what a plugin says itself
    tail -n 1 "$DIR/err" | grep -q -- "$1" || { echo "not said: $1" >&2 && cat "$DIR/err" >&2 && return 1; }
    ! grep -q 'trying again' "$DIR/err" || { cat "$DIR/err" >&2 && return 1; }
}
audit 0 "$good"

# wrong NAME SED-SCRIPT PATTERN: a kubeconfig that is wrong in this
wrong() {
    sed "$2" "$good" > "$DIR/$1.conf"
    cmp -s "$good" "$DIR/$1.conf" && echo "$1 is as it was" >&2 && return 1
    audit 2 "$DIR/$1.conf"
    says "$DIR/$1.conf: $3 (context \"devcluster\")\$"
}
cluster='clusters\[devcluster\].cluster' user='users\[devcluster\].user'
wrong token 's/token: .*/token: wrong/' "$user.token: .*(401)"
wrong nobody 's/^    token: .*/    namespace: none/' "$user: there are no credentials.*(401)"
wrong host 's/127.0.0.1/no-such-host.invalid/' "$cluster.server: .*Could not resolve host: no-such-host.invalid"
wrong port 's/\(server: .*\):[0-9]*/\1:1/' "$cluster.server: .*connect to 127.0.0.1 port 1 .*"
self_signed "$DIR/other" other
wrong ca 's/certificate-authority-data: .*/certificate-authority: other.crt/' "$cluster.certificate-authority: .*not trusted by the certificate-authority .*other.crt.*"
wrong system 's/certificate-authority-data: .*/disable-compression: true/' "$cluster.certificate-authority-data: .*not trusted.*"
wrong name 's/\( *\)server: .*/&\n\1tls-server-name: another.example/' "$cluster.tls-server-name: .*'another.example'"
wrong proxy 's/\( *\)server: .*/&\n\1proxy-url: http:\/\/127.0.0.1:1/' "$cluster.proxy-url: .*connect to 127.0.0.1 port 1 .*"
sed 's/127.0.0.1/no-such-host.invalid/' "$good" > "$DIR/behind.conf"
HTTPS_PROXY=http://127.0.0.1:1 NO_PROXY='' no_proxy='' audit 2 "$DIR/behind.conf"
says '^jobreeve audit: HTTPS_PROXY: .*connect to 127.0.0.1 port 1'
echo "ok    one line for each fault"

sed 's/^    token: .*/&\n    as: anna/' "$good" > "$DIR/as.conf"
audit 0 "$DIR/as.conf"
for more in 'as-groups: [g1, g2]' 'as-uid: "7"' 'as-user-extra: {reason: [test]}'; do
    sed "s/^    as: .*/&\n    $more/" "$DIR/as.conf" > "$DIR/more.conf"
    audit 2 "$DIR/more.conf"
    says "the devcluster's users have names alone: of impersonation it serves Impersonate-User (--as)"
done
echo "ok    impersonation"

# plugin NAME LINE...: a kubeconfig NAME.conf whose plugin is NAME.sh beside it; each run adds a line to NAME.runs
plugin() {
    local name=$1
    shift
    {
        printf '#!/bin/bash\necho run >> "%s/%s.runs"\n' "$DIR" "$name"
        printf '%s\n' "$@"
    } > "$DIR/$name.sh"
    chmod +x "$DIR/$name.sh"
    : > "$DIR/$name.runs"
    sed "s#^    token: .*#    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./$name.sh, args: [one, 'two three'], interactiveMode: ${MODE:-IfAvailable}, provideClusterInfo: true, env: [{name: FROM_FILE, value: given}], installHint: \"Get it\\\\nfrom example.com\"}#" "$good" > "$DIR/$name.conf"
}
credential() { # credential STATUS: the command that prints it
    printf "echo '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": \"ExecCredential\", \"status\": %s}'" "$1"
}
runs() { # runs NAME N: how often it has run
    [ "$(wc -l < "$DIR/$1.runs")" -eq "$2" ] || { echo "$1 has run $(wc -l < "$DIR/$1.runs") times, not $2" >&2 && return 1; }
}
plugin good 'echo "$KUBERNETES_EXEC_INFO" > "${0%.sh}.info"; echo "$FROM_FILE $# $2" >> "${0%.sh}.info"; cat >> "${0%.sh}.info"' "$(credential "{\"token\": \"$token\", \"expirationTimestamp\": \"2999-01-01T00:00:00Z\"}")"
audit 0 "$DIR/good.conf"
runs good 1
[ "$(head -n 1 "$DIR/good.info" | jq -c '[.kind, .apiVersion, .spec.interactive, .spec.cluster.server, (.spec.cluster["certificate-authority-data"] | length > 100)]')" = "[\"ExecCredential\",\"client.authentication.k8s.io/v1\",false,\"$(sed -n 's/^ *server: //p' "$good")\",true]" ]
[ "$(tail -n +2 "$DIR/good.info")" = 'given 2 two three' ] # and nothing on its standard input
plugin expires "$(credential "{\"token\": \"$token\", \"expirationTimestamp\": \"2001-01-01T00:00:00Z\"}")"
audit 0 "$DIR/expires.conf"
[ "$(wc -l < "$DIR/expires.runs")" -gt 1 ]
plugin renews 'if [ "$(wc -l < "${0%.sh}.runs")" = 1 ]; then' "$(credential '{"token": "old"}')" 'else' "$(credential "{\"token\": \"$token\"}")" 'fi'
audit 0 "$DIR/renews.conf"
runs renews 2
echo "ok    plugins: told of the cluster, asked when the credential expires, and once after a 401"

# fails NAME PATTERN LINE...: a plugin that gives no credential
fails() {
    local name=$1 pattern=$2
    shift 2
    plugin "$name" "$@"
    audit 2 "$DIR/$name.conf"
    says "^jobreeve audit: $DIR/$name.conf: $user.exec: $pattern (context \"devcluster\")\$"
}
fails refused 'the server doesn.t take this credential (401)' "$(credential '{"token": "wrong"}')"
runs refused 2
fails exits '.*/exits.sh failed with exit code 3' 'echo "log in first" >&2; exit 3'
grep -qx 'log in first' "$DIR/err"
runs exits 1
fails killed '.*/killed.sh was ended by signal 9' 'kill -9 $$'
fails garbage 'what .*/garbage.sh printed: .*' 'echo "{token"'
fails silent 'what .*/silent.sh printed: no object of JSON or YAML' ':'
fails binary 'what .*/binary.sh printed: .*' 'head -c 4096 /dev/urandom'
fails endless '.*/endless.sh \(was ended by signal 13\|printed more than 1048576 bytes\)' 'head -c 3000000 /dev/zero'
fails kind 'what .*/kind.sh printed: kind: expected ExecCredential' "echo '{\"kind\": \"Pod\"}'"
fails version 'what .*/version.sh printed: apiVersion: .*/v1, and this is .*/v1alpha1' "echo '{\"kind\": \"ExecCredential\", \"apiVersion\": \"client.authentication.k8s.io/v1alpha1\"}'"
fails empty 'what .*/empty.sh printed: status: there is no token.*' "$(credential '{}')"
fails half 'what .*/half.sh printed: status: of clientCertificateData and clientKeyData only one is there' "$(credential '{"clientCertificateData": "x"}')"
fails line 'what .*/line.sh printed: status: token: has characters.*' "$(credential '{"token": "a\nb"}')"
MODE=Always fails terminal '.*/terminal.sh needs a terminal .*' ':'
runs terminal 0
plugin gone ':'
rm "$DIR/gone.sh"
audit 2 "$DIR/gone.conf"
says "$user.exec: .*/gone.sh isn't installed: Get it from example.com (context"
plugin hangs 'echo $$ > "${0%.sh}.pid"; trap "" TERM; while :; do sleep 1; done'
audit 2 "$DIR/hangs.conf" --timeout 12s
grep -q "hangs.conf: $user.exec: .*/hangs.sh has not ended for 10 s; waiting for it" "$DIR/err"
if kill -0 "$(cat "$DIR/hangs.pid")" 2> /dev/null; then
    echo "the plugin outlives its command" >&2
    exit 1
fi
echo "ok    plugins that fail, each in one line; one that hangs is named, and ended with the command"
