#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of the test cluster, built from their Go modules: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl; helm,
# which installs the chart; and what validates SARIF, with its schema.
#   build.sh           builds what is missing or was built from other inputs
#   build.sh helm      builds helm alone
#   build.sh krew      builds krew's check of plugin manifests alone
#   build.sh node      builds these and what a node needs: kubelet, kube-proxy
#   build.sh kubernetes X.Y  the cluster's programs with those of the newest patch of that Kubernetes, into a folder of its own
#   build.sh kubectl X.Y  builds that kubectl alone, into the same folder
#   build.sh upstream  builds the commands of tests/bench/upstream, as upstream-NAME, into the same folder
#   build.sh podsecurity  builds tests/podsecurity/upstream, and links Pod Security admission's own test data, into the same folder
#   build.sh schedules  builds tests/schedules/upstream, into the same folder
#   build.sh upstream X.Y  builds its validate with the newest patch of that Kubernetes, into a folder of its own
#   build.sh --where [kubernetes X.Y | upstream X.Y]  prints the folder they go to
#   build.sh --go [upstream X.Y]  prints the Go that builds them
# Versions: k8s/go.mod, etcd/go.mod, helm/go.mod and krew/go.mod; of X.Y ../bench/upstream/versions. The first build takes about six minutes on two cores, 2.5 GiB of memory and
# 5 GiB of disk for Go's caches. With no Go of at least 1.26, one is fetched as a Go module, see find_go.
set -eu -o pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
K8S_VERSION=$(sed -n 's#^.*k8s\.io/kubernetes \(v1\.[0-9.]*\)$#\1#p' "$HERE/k8s/go.mod")
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve
OUT=$CACHE/bin-$K8S_VERSION
LOCK=$OUT/lock # of all folders
K8S_MOD=$HERE/k8s/go.mod

# The Go that is needed, the one that is fetched where there is none, and its checksums, as the public checksum database has them.
# shellcheck disable=SC2034
needs_go_1_26() {
    GO_NEEDED=1.26 GO_FETCHED=go1.26.8
    GO_SUM_amd64=h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=
    GO_SUM_arm64=h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=
}
# shellcheck disable=SC2034
needs_go_1_27() { # Kubernetes 1.38
    GO_NEEDED=1.27 GO_FETCHED=go1.27.4
    GO_SUM_amd64=h1:8Tl0rBb7KdISSdPkZBjlpZxsUBb+004GI/SM2XbmSqI=
    GO_SUM_arm64=h1:vCmfNA8b+T0RfElhx3mNdgu1UrIuyzZCgTrRiUWLnOI=
}
needs_go_1_26

say() {
    printf '%s %s\n' "$(date +%T)" "$*"
}

fail() {
    printf 'build.sh: %s\n' "$@" >&2
    exit 1
}

releases() { "$HERE/../support/releases.sh"; }

where="" go=""
case ${1:-} in
--where) where=1 && shift ;;
--go) go=1 && shift ;;
esac
MINOR=""
COMMON=$OUT # for what all versions share
if { [ "${1:-}" = upstream ] && [ $# -gt 1 ]; } || [ "${1:-}" = kubernetes ] || [ "${1:-}" = kubectl ]; then
    MINOR=${2:-}
    RELEASE=$(releases | awk -v minor="$MINOR" '$1 == minor { print $2 }')
    [ -n "$RELEASE" ] || fail "Kubernetes '$MINOR': expected one of common/schema/releases.h: $(releases | cut -d ' ' -f 1 | paste -sd ' ')"
    case $1-$RELEASE in
    kube*-*-*) fail "Kubernetes $MINOR: $RELEASE is a preview, whose servers can't be built: module proxies don't have all their modules" ;;
    esac
    case $1 in
    upstream) OUT=$CACHE/upstream-$RELEASE ;;
    *) OUT=$CACHE/bin-$RELEASE ;;
    esac
    [ "${MINOR#1.}" -lt 38 ] || needs_go_1_27
fi
[ -z "$where" ] || { echo "$OUT" && exit; }

# ---- Go

# go_version PROGRAM: like "1.26", empty when it does not run
go_version() {
    (cd / && GOTOOLCHAIN=local "$1" version 2> /dev/null) | sed -n 's/^go version go\([0-9]*\.[0-9]*\).*/\1/p'
}

new_enough() {
    local v
    v=$(go_version "$1")
    [ -n "$v" ] && [ "$(printf '%s\n' "$GO_NEEDED" "$v" | sort -V | head -n 1)" = "$GO_NEEDED" ]
}

# Any Go can fetch a newer one, since each release is a Go module too. Newer ones do so by themselves (GOTOOLCHAIN), but
# Debian 12's 1.19 doesn't know that yet; so one way for all of them.
find_go() {
    local g any=""
    for g in "$(command -v go || true)" /usr/local/go/bin/go "$CACHE/$GO_FETCHED/bin/go" /usr/lib/go-*/bin/go; do
        [ -x "$g" ] || continue
        if new_enough "$g"; then
            GO=$g
            return
        fi
        any=$g
    done
    [ -n "$any" ] || install_old_go
    fetch_go "${any:-/usr/lib/go-1.19/bin/go}"
}

install_old_go() {
    local sudo="" hint="install Go $GO_NEEDED or newer and put it into PATH"
    command -v apt-get > /dev/null || fail "no Go found: $hint"
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2> /dev/null || fail "no Go found: $hint, or run 'sudo apt-get install golang-1.19-go', which can fetch it"
        sudo="sudo -n"
    fi
    say "no Go found: installing Debian's golang-1.19-go to fetch $GO_FETCHED with"
    { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
        --no-install-recommends golang-1.19-go ca-certificates; } > "$OUT/apt.log" 2>&1 || {
        tail -n 5 "$OUT/apt.log" >&2
        fail "apt-get cannot install golang-1.19-go: $hint"
    }
}

# fetch_go OLD: the release as a module by OLD, its checksum verified
fetch_go() {
    local old=$1 arch sum got module tmp hint="install Go $GO_NEEDED or newer and put it into PATH"
    arch=$(cd / && "$old" env GOARCH)
    module=golang.org/toolchain@v0.0.1-$GO_FETCHED.linux-$arch
    sum=GO_SUM_$arch
    [ -n "${!sum:-}" ] || fail "$old is too old ($(go_version "$old")), and no checksum of $module is known: $hint"
    say "$old is $(go_version "$old"), $GO_NEEDED is needed: fetching $module"
    tmp=$CACHE/toolchain.tmp
    rm -rf "$tmp"
    mkdir -p "$tmp"
    (cd "$tmp" && GO111MODULE=on GOFLAGS=-modcacherw GOMODCACHE=$tmp/mod GOTOOLCHAIN=local \
        "$old" mod download -json "$module") > "$tmp/download.json" 2> "$tmp/download.log" || {
        tail -n 5 "$tmp/download.json" "$tmp/download.log" >&2
        fail "cannot fetch $module by $old: $hint, or set GOPROXY"
    }
    got=$(sed -n 's/.*"Sum": "\(.*\)".*/\1/p' "$tmp/download.json")
    [ "$got" = "${!sum}" ] || fail "$module has checksum $got instead of ${!sum}"
    # what the go command does when it takes a toolchain into use: modules carry no execute bits and no inner go.mod
    (
        cd "$tmp/mod/$module"
        chmod -R u+w .
        chmod +x bin/* pkg/tool/*/*
        cp src/_go.mod src/go.mod
    )
    rm -rf "${CACHE:?}/$GO_FETCHED"
    mv "$tmp/mod/$module" "$CACHE/$GO_FETCHED"
    rm -rf "$tmp"
    GO=$CACHE/$GO_FETCHED/bin/go
    new_enough "$GO" || fail "$GO does not run: $hint"
}

[ -z "$go" ] || { mkdir -p "$OUT" && find_go >&2 && echo "$GO" && exit; }

# ---- programs

# own_sources DIR: those of a module that has packages of its own; the cluster's modules only name others
own_sources() {
    find "$1" -mindepth 2 -name '*.go' -print0 | LC_ALL=C sort -z | xargs -0 -r cat
}

# compile MODULE OUT PACKAGE LDFLAGS [MODFILE [TAGS]]: unless it is there, built from the same inputs
compile() {
    local dir=$HERE/$1 out=$OUT/$2 package=$3 ldflags=$4 mod=${5:-} tags=${6:-} stamp start=$SECONDS
    [ -n "$mod" ] || mod=$dir/go.mod
    stamp=$({ cat "$mod" "${mod%.mod}.sum" - <<< "$package $ldflags${tags:+ $tags}" && own_sources "$dir"; } | sha256sum)
    [ -x "$out" ] && [ "$(cat "$out.stamp" 2> /dev/null)" = "$stamp" ] && return
    [ -n "$GO" ] || find_go
    say "building $2 of $mod by $("$GO" env GOVERSION)"
    # These flags decide what Go's cache can share: the same as in other builds of these modules.
    (cd "$dir" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOTOOLCHAIN=local GOWORK=off \
        exec nice -n 10 "$GO" build -v -mod=readonly -modfile="$mod" -tags="$tags" -ldflags "-s -w $ldflags" -o "$out.new" "$package") \
        > "$OUT/$2.log" 2>&1 &
    COMPILER=$!
    heartbeat "$2" "$start"
    wait "$COMPILER" || {
        tail -n 15 "$OUT/$2.log" >&2
        fail "cannot build $2: log in $OUT/$2.log"
    }
    COMPILER=""
    mv "$out.new" "$out"
    printf '%s\n' "$stamp" > "$out.stamp"
    say "built $2 in $((SECONDS - start)) s, $(($(stat -c %s "$out") >> 20)) MiB"
}

# heartbeat WHAT START: a line every 30 s until the compiler has ended, so that a long build is seen to go on
heartbeat() {
    local next=$((SECONDS + 30))
    while kill -0 "$COMPILER" 2> /dev/null; do
        if [ "$SECONDS" -ge "$next" ]; then
            say "building $1: $((SECONDS - $2)) s, $(wc -l < "$OUT/$1.log") packages compiled or modules fetched"
            next=$((SECONDS + 30))
        fi
        sleep 0.5
    done
}

# sarif_schema: the schema of SARIF 2.1.0, out of the module that sarif/go.mod pins
sarif_schema() {
    local out=$OUT/sarif-schema.json module=github.com/owenrumney/go-sarif/v3 folder
    [ "$out" -nt "$OUT/sarif" ] && return
    [ -n "$GO" ] || find_go
    folder=$(cd "$HERE/sarif" && export GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOWORK=off && "$GO" mod download "$module" &&
        "$GO" list -m -f '{{.Dir}}' "$module")
    "$OUT/sarif" extract "$folder" > "$out.new"
    mv "$out.new" "$out"
}

# kubernetes PROGRAM...: commands of Kubernetes K8S_VERSION, by K8S_MOD
kubernetes() {
    local flags="" p minor=${K8S_VERSION#v1.}
    # Without these the server calls itself v0.0.0-master+$Format:%H$, which clients cannot parse.
    for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags="$flags -X $p.gitVersion=$K8S_VERSION -X $p.gitMajor=1 -X $p.gitMinor=${minor%%.*}"
    done
    for p; do
        compile k8s "$p" "k8s.io/kubernetes/cmd/$p" "${flags# }" "$K8S_MOD"
    done
}

# podsecurity: the checks of Pod Security admission, and its Pods
podsecurity() {
    local module=../podsecurity/upstream data=$OUT/podsecurity-testdata
    compile $module podsecurity ./cmd/podsecurity ""
    [ "$data" -nt "$HERE/$module/go.mod" ] && return
    [ -n "$GO" ] || find_go
    ln -sfn "$(cd "$HERE/$module" && GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOWORK=off "$GO" list -m -f '{{.Dir}}' k8s.io/pod-security-admission)/test/testdata" "$data"
}

helm() {
    local version
    # What helm calls itself, else v4 without numbers; charts can ask for it.
    version=$(sed -n 's#^.*helm\.sh/helm/v4 \(v4\.[0-9.]*\)$#\1#p' "$HERE/helm/go.mod")
    compile helm helm helm.sh/helm/v4/cmd/helm "-X helm.sh/helm/v4/internal/version.version=$version"
}

# same_for_all: what doesn't go by the version of Kubernetes
same_for_all() {
    compile etcd etcd go.etcd.io/etcd/server/v3 ""
    helm
    compile sarif sarif ./cmd/sarif ""
    sarif_schema
}

# pinned: K8S_MOD and K8S_VERSION of MINOR
pinned() {
    K8S_MOD=$(cd "$HERE/../bench/upstream/versions" && pwd)/$MINOR/go.mod
    K8S_VERSION=$RELEASE
    grep -q "k8s\.io/kubernetes $RELEASE\$" "$K8S_MOD" ||
        fail "$K8S_MOD isn't for $RELEASE, which common/schema/releases.h names: tests/bench/upstream/versions/update.sh $MINOR"
}

COMPILER=""
trap '[ -z "$COMPILER" ] || kill "$COMPILER" 2> /dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$OUT" "${LOCK%/*}"
exec 9>> "$LOCK"
flock -n 9 || {
    holder=$(cat "$LOCK")
    say "waiting for another build.sh, process ${holder:-unknown}:$(sed -n 's/^State:\t/ /p' "/proc/${holder:-none}/status" 2> /dev/null)"
    flock 9
}
echo $$ > "$LOCK"
GO=""
[ -n "$K8S_VERSION" ] || fail "no version of k8s.io/kubernetes in k8s/go.mod"

[ -z "$MINOR" ] || pinned
case ${1:-} in
upstream)
    if [ -n "$MINOR" ]; then
        # The tag kube37 is set for 1.37 and later ones.
        compile ../bench/upstream validate ./cmd/validate "" "$K8S_MOD" "$(seq -s , -f kube%g 31 "${MINOR#1.}")"
        say "$OUT/validate is built"
        exit
    fi
    for d in "$HERE"/../bench/upstream/cmd/*/; do
        compile ../bench/upstream "upstream-$(basename "$d")" "./cmd/$(basename "$d")" ""
    done
    ;;
helm) helm ;;
krew) compile krew validate-krew-manifest sigs.k8s.io/krew/cmd/validate-krew-manifest "" ;;
podsecurity) podsecurity ;;
schedules) compile ../schedules/upstream schedules ./cmd/schedules "" ;;
kubectl) kubernetes kubectl ;;
kubernetes)
    kubernetes kube-apiserver kube-controller-manager kube-scheduler kubectl
    own=$OUT OUT=$COMMON
    same_for_all
    OUT=$own
    for p in etcd helm sarif sarif-schema.json; do ln -sfn "$COMMON/$p" "$OUT/$p"; done
    ;;
*)
    kubernetes kube-apiserver kube-controller-manager kubectl
    same_for_all
    cat "$HERE"/k8s/go.mod "$HERE"/k8s/node.mod > "$OUT/node.mod"
    cat "$HERE"/k8s/go.sum "$HERE"/k8s/node.sum > "$OUT/node.sum"
    K8S_MOD=$OUT/node.mod
    kubernetes kube-scheduler
    [ "${1:-}" != node ] || kubernetes kubelet kube-proxy
    ;;
esac
say "programs are in $OUT"
