#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes X.Y/go.mod and X.Y/go.sum: cmd/validate, and the programs of a test cluster (tests/e2e/build.sh kubernetes X.Y), with the patch of
# Kubernetes X.Y that common/schema/releases.h names, and the modules that this Kubernetes itself is built with. For a new patch: change it there, then update.sh X.Y.
# Of a preview only what cmd/validate needs.
#   update.sh X.Y...
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export GOFLAGS=-buildvcs=false GOTOOLCHAIN=local GOWORK=off

# Modules of Kubernetes' own that module proxies don't have at that patch: the patch before. None of them is validation, or the Job controller.
OLDER='{
    "v1.31.14": {"k8s.io/endpointslice": "v0.31.13", "k8s.io/kube-controller-manager": "v0.31.13", "k8s.io/kube-scheduler": "v0.31.13"},
    "v1.32.13": {"k8s.io/endpointslice": "v0.32.12"}
}'
# The same of modules of others.
OTHERS='{
    "v1.38.0-beta.0": {"sigs.k8s.io/structured-merge-diff/v7": "v7.0.0"}
}'

fail() {
    echo "update.sh: $*" >&2
    exit 1
}

# go_mod RELEASE: Go's version and its settings as upstream's; what upstream has beside it is a module of its own there
go_mod() {
    local staging=v0.${1#v1.} upstream
    upstream=$(go mod download -json "k8s.io/kubernetes@$1" | jq -r .GoMod)
    go mod edit -json "$upstream" | jq -r --arg release "$1" --arg staging "$staging" --argjson older "$OLDER" --argjson others "$OTHERS" '
        "module jobreeve.dev/tests/bench/upstream", "go \(.Go)", (.GoDebug[]? | "godebug \(.Key)=\(.Value)"),
        "replace (", (.Replace[] | select(.New.Path | startswith("./staging/")) | "\(.Old.Path) => \(.Old.Path) \($older[$release][.Old.Path] // $staging)"),
        ($others[$release] // {} | to_entries[] | "\(.key) => \(.key) \(.value)"), ")",
        "require (", "k8s.io/kubernetes \($release)",
        ("api", "apimachinery", "apiserver", "component-base" | "k8s.io/\(.) \($staging)"), ")"'
}

update() {
    local release programs
    release=$(../../../support/releases.sh | awk -v minor="$1" '$1 == minor { print $2 }')
    [ -n "$release" ] || fail "Kubernetes '$1': expected a minor version that common/schema/releases.h has"
    mkdir -p "$1"
    go_mod "$release" > "$1/go.mod"
    : > "$1/go.sum"
    # Module proxies don't have all modules that the servers of a prerelease are made of.
    case $release in
    *-*) programs=() ;;
    *) programs=(k8s.io/kubernetes/cmd/{kube-apiserver,kube-controller-manager,kubectl}) ;;
    esac
    (cd .. && go list -deps -mod=mod -modfile="versions/$1/go.mod" -tags="$(seq -s , -f kube%g 31 "${1#1.}")" ./cmd/validate "${programs[@]}" > /dev/null)
    echo "$1: $release, $(wc -l < "$1/go.sum") checksums"
}

[ $# -gt 0 ] || fail "expected versions: update.sh X.Y..."
command -v jq > /dev/null || fail "needs jq"
for minor in "$@"; do
    update "$minor"
done
