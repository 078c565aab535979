# SPDX-License-Identifier: Apache-2.0
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

# chart_values CHARTDIR: {values, renamed}, what its values.yaml and files/renamed.yaml have, by a chart that prints them, since helm is what reads YAML here
chart_values() {
    rm -rf "$DIR/values-chart"
    mkdir -p "$DIR/values-chart/templates"
    cp "$1/values.yaml" "$1/files/renamed.yaml" "$DIR/values-chart/"
    printf 'apiVersion: v2\nname: values\nversion: 0.0.0\n' > "$DIR/values-chart/Chart.yaml"
    echo '{{ dict "values" .Values "renamed" (.Files.Get "renamed.yaml" | fromYamlArray) | toJson }}' > "$DIR/values-chart/templates/values.yaml"
    helm template "$DIR/values-chart" | sed '/^---/d; /^#/d'
}

# schema_faults CHARTDIR: what its schema knows that is neither a value nor the old name of one, and what is wrong with old names
schema_faults() {
    chart_values "$1" | jq -r --slurpfile schema "$1/values.schema.json" '
        .values as $v | .renamed as $renamed | $schema[0] as $root
        | def deref: if .["$ref"] then .["$ref"] as $r | $root.definitions[$r | ltrimstr("#/definitions/")] else . end;
        def walk($p): deref | (.properties // {}) | to_entries[] | (($p + [.key]) as $q | $q, (.value | walk($q)));
        def at($p): reduce $p[] as $k ($root; deref | .properties[$k]);
        def value: split(".") as $p | $v | try (getpath($p[:-1]) | has($p[-1])) catch false;
        ([$root | walk([])] | .[] | . as $p
            | select(($v | try (getpath($p[:-1]) | if type == "object" and . != {} then has($p[-1]) else true end) catch true) | not)
            | join(".") | select(IN($renamed[].from) | not)),
        ($renamed[]
            | (select(.from | value) | "\(.from): a value still"),
              (select(.to | value | not) | "\(.from): renamed \(.to), which is no value"),
              (select(.from as $f | try (at($f | split(".")) != {}) catch true) | "\(.from): the schema lacks it"))'
}
