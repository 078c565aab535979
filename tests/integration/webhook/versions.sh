#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --kubernetes-version from outside, on the devcluster: versions.sh BIN
#   auto: what the API server's version refuses is refused; a server of another version takes its place on the same address, and while both count only what
#   both refuse is; without an API server to ask any known version counts; a version that is given counts alone; a preview is named
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene versions
free_port
address=127.0.0.1:$PORT

start_cluster() { # start_cluster VERSION: with a CA and a token of its own
    rm -f "$DIR/kubeconfig"
    devcluster --node '' --bind-address "$address" --kubernetes-version "$1"
    printf '%s' "$token" > "$DIR/token.new"
    mv "$DIR/token.new" "$DIR/token"
}
replica() { # replica NAME FLAG...: it finds no kubeconfig but that of a flag
    proc_start "$1" env -u KUBECONFIG -u KUBERNETES_SERVICE_HOST HOME="$DIR/nowhere" "$bin/jobreeve-webhook" --bind-address 127.0.0.1 --port 0 \
        --tls-cert-file "$DIR/tls.crt" --tls-private-key-file "$DIR/tls.key" --health-probe-bind-address 127.0.0.1:0 --metrics-bind-address 127.0.0.1:0 \
        --shutdown-delay-duration 0s "${@:2}"
    ALIVE=$1 await 60 "replica $1" listener "$1" webhook
}
info() { # info NAME VERSION...: its metric has these versions, and no others
    local want="" v
    for v in "${@:2}"; do want+="jobreeve_kubernetes_version_info{version=\"$v\",emulated=\"${v%.*}\"} 1"$'\n'; done
    [ "$(curl -sS --fail --max-time 30 "http://$(listener "$1" metrics)/metrics" | grep '^jobreeve_kubernetes_version_info' | sort)" = "${want%$'\n'}" ]
}
# How it knows of the gates, of each version: "1.36.2 server" alone, where the API server says all of them.
gates() { # gates NAME LINE...
    [ "$(curl -sS --fail --max-time 30 "http://$(listener "$1" metrics)/metrics" |
        sed -n 's/^jobreeve_kubernetes_feature_enabled{version="\([^"]*\)".*source="\([a-z]*\)"} [01]$/\1 \2/p' | sort -u)" = "$(printf '%s\n' "${@:2}")" ]
}
# What it sends for validation: a Job, changed by a filter.
ask() { # ask NAME FILTER
    jq "(.request.object.spec.template.spec) |= ($2)" "$here/../../vectors/wire/reviews/002-validate-CREATE-jobs.json" |
        curl -sS --max-time 30 --cacert "$DIR/tls.crt" -H 'Content-Type: application/json' --data-binary @- "https://$(listener "$1" webhook)/validate-batch-v1-job"
}
allowed() { ask "$@" | jq -e .response.allowed > /dev/null; }
refused() { # refused NAME FILTER WORDS
    ask "$1" "$2" | jq -e --arg words "$3" '.response.allowed == false and (.response.status.message | contains($words))' > /dev/null
}
restart='.containers[0].restartPolicy = "Never"'            # 1.36 has it
address_like='.hostAliases = [{ip: "01.2.3.4", hostnames: ["a"]}]' # 1.36 is strict
nothing='del(.containers)'                                  # no version takes it

self_signed "$DIR/tls" localhost
cat > "$DIR/config" << Y
apiVersion: v1
kind: Config
current-context: any
clusters: [{name: any, cluster: {server: "https://$address", insecure-skip-tls-verify: true}}]
users: [{name: any, user: {tokenFile: "$DIR/token"}}]
contexts: [{name: any, context: {cluster: any, user: any}}]
Y
start_cluster 1.33.5
replica auto --kubeconfig "$DIR/config"
ALIVE="devcluster auto"
await 60 "the version" info auto 1.33.5
await 60 "the gates" gates auto "1.33.5 server"
pid=$(proc_pid auto)
allowed auto .
refused auto "$restart" containers[0].restartPolicy
allowed auto "$address_like"
refused auto "$nothing" spec.containers
echo "ok    auto: by the API server's version"

proc_stop devcluster
start_cluster 1.36.2
await 240 "both versions" info auto 1.33.5 1.36.2
await 60 "the gates of both" gates auto "1.33.5 server" "1.36.2 server"
allowed auto .
allowed auto "$restart"
allowed auto "$address_like"
refused auto "$nothing" spec.containers
[ "$(proc_pid auto)" = "$pid" ]
[ "$(grep -c '"the API servers. versions"' "$DIR/log/auto.log")" = 2 ]
grep -q '"the API servers. versions".*"versions":"1.33.5, 1.36.2"' "$DIR/log/auto.log"
echo "ok    another version at the same address: what both refuse is refused, without a restart"

replica given --kubernetes-version 1.36
info given 1.36.3
gates given "1.36.3 default"
allowed given "$restart"
refused given "$address_like" hostAliases[0].ip
replica alone
info alone
allowed alone "$restart"
allowed alone "$address_like"
refused alone "$nothing" spec.containers
grep -q '"flag":"--kubernetes-version"' "$DIR/log/alone.log"
proc_stop given
proc_stop alone
echo "ok    a version that is given counts alone; without an API server all known ones count"

proc_start controller "$bin/jobreeve-controller" --kubeconfig "$DIR/config" --leader-elect=false --health-probe-bind-address 0 --metrics-bind-address 127.0.0.1:0
ALIVE="devcluster controller"
await 60 "the controller's version" info controller 1.36.2
echo "ok    the controller knows it, too"
proc_stop controller
proc_stop auto

proc_stop devcluster
start_cluster 1.38
replica preview --kubeconfig "$DIR/config"
ALIVE="devcluster preview"
await 60 "the preview" info preview 1.38.0
allowed preview .
grep -q '"a version that is known by a prerelease only".*"prerelease":"v1.38' "$DIR/log/preview.log"
[ "$(grep -c 'known by a prerelease' "$DIR/log/auto.log")" = 0 ]
echo "ok    of a preview the log says what is known"
