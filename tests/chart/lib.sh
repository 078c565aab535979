# shellcheck shell=bash
# Sourced by each t_*.sh of the chart: rendering it, and asking what came out. From outside: DIR, as in tests/e2e/lib.sh.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$HERE/../e2e/lib.sh"
CHART=$(cd "$HERE/../../charts/jobreeve" && pwd)
CHART_NS=jobreeve-system

# helm ARGS...: as admin of the cluster in DIR, with nothing of the caller's own settings
helm() {
    HELM_CACHE_HOME=$DIR/helm HELM_CONFIG_HOME=$DIR/helm HELM_DATA_HOME=$DIR/helm KUBECONFIG=$DIR/admin.conf "$BIN/helm" "$@"
}

# render ARGS...: the chart as release RELEASE in CHART_NS, as YAML; with an image, which has no default
RELEASE=jr
IMAGE=$HERE/image.yaml
render() {
    helm template "$RELEASE" "$CHART" --namespace "$CHART_NS" -f "$IMAGE" "$@"
}

# objects: YAML on stdin to a JSON array, as it was written: null and empty members are kept
objects() {
    k create --dry-run=client --validate=false -o json -f - | jq -s .
}

# ask OBJECTSFILE EXPRESSION: by jq, with what prelude.jq defines
ask() {
    jq -c -L "$HERE" "include \"prelude\"; $2" "$1"
}

# What the chart's objects need to be tried on the API server: types of others, and namespaces.
prepare() {
    k apply -f "$HERE/crds.yaml" > /dev/null
    await 60 "the types of others" k wait --for=condition=Established --timeout=1s -f "$HERE/crds.yaml"
    local n
    for n in "$CHART_NS" "$@"; do
        k create namespace "$n" --dry-run=client -o yaml | k apply -f - > /dev/null
        await 60 "the service account of $n" k get serviceaccount default -n "$n"
    done
}

# The chart's own type, without the chart: kubectl reads no JobPolicy before it is there. Who calls with_definition calls without_definition in the end:
# helm installs no definition that it hasn't made.
DEFINITION=jobpolicies.policy.jobreeve.dev
with_definition() {
    render -s templates/crds/jobpolicies.yaml | k apply -f - > /dev/null
    await 60 "JobPolicies being served" k get jobpolicies
}
without_definition() {
    k delete crd $DEFINITION --ignore-not-found > /dev/null
    await 60 "the definition's end" definition_gone
}
definition_gone() {
    [ -z "$(names crd $DEFINITION)" ]
}
