#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A value that was renamed is refused by its old name, with the new one, also where an upgrade brings it from the release. No value was renamed yet, so
# this is asked of a copy of the chart in which webhook.standby was webhook.second before.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
WORK=$DIR/t07
OLD=$WORK/old NEW=$WORK/new
mkdir -p "$WORK"
rm -rf "$OLD" "$NEW"
cp -r "$CHART" "$OLD"
cp -r "$CHART" "$NEW"

add_second() { # add_second CHARTDIR SCHEMA
    jq --argjson schema "$2" '.properties.webhook.properties.second = $schema' "$1/values.schema.json" > "$WORK/schema"
    cp "$WORK/schema" "$1/values.schema.json"
}
rename() { # rename TABLE: of the new chart
    printf '%s\n' "$1" > "$NEW/files/renamed.yaml"
}
row='- {from: webhook.second, to: webhook.standby, in: "0.2.0"}'

render_new() { # render_new ARGS...: what helm says
    { CHART=$NEW render "$@" > /dev/null; } 2>&1 || true
}

rename "$row"
check_has "without a place in the schema the old name is just unknown" "$(render_new --set webhook.second.enabled=false)" \
    "additional properties 'second' not allowed"
check "which is noticed" "$(schema_faults "$NEW")" "webhook.second: the schema lacks it"
add_second "$NEW" '{}'
check "with one there is nothing to say" "$(schema_faults "$NEW")" ""
check_has "the old name is refused with the new one" "$(render_new --set webhook.second.enabled=false)" \
    "webhook.second: renamed webhook.standby in 0.2.0. Set that one; where the values of the release are kept, also --set webhook.second=null"
check_has "so it is with a value that is empty" "$(render_new --set webhook.second=)" "webhook.second: renamed webhook.standby"
check "null is not set" "$(render_new --set webhook.second=null)" ""
check "the new name is taken" "$(render_new --set webhook.standby.enabled=false)" ""
check "a name is not a part of another" "$(render_new --set webhook.podLabels.second=x)" ""
rename '- {from: webhook.second.enabled, to: webhook.standby.enabled, in: "0.2.0"}'
check_has "a name within" "$(render_new --set webhook.second.enabled=false)" "webhook.second.enabled: renamed webhook.standby.enabled in 0.2.0"
check "a name within what is no map" "$(render_new --set webhook.second=x)" ""

rename '- {from: webhook.second, to: webhook.third, in: "0.2.0"}'
check "a new name that is no value is noticed" "$(schema_faults "$NEW")" "webhook.second: renamed webhook.third, which is no value"
rename '- {from: webhook.replicas, to: webhook.standby, in: "0.2.0"}'
check "an old name that is a value is noticed" "$(schema_faults "$NEW")" "webhook.second
webhook.replicas: a value still
webhook.replicas: the schema lacks it"
rename "[]"
check "an old name that is in no row is noticed" "$(schema_faults "$NEW")" "webhook.second"

# ---- an upgrade

prepare
add_second "$OLD" '{"type": "object"}'
rename "$row"
upgrade() { # upgrade CHARTDIR ARGS...: what helm says, where it fails
    { helm upgrade --install t07 "$1" --namespace "$CHART_NS" "${@:2}" > /dev/null; } 2>&1 || true
}
check "the release before" "$(upgrade "$OLD" -f "$IMAGE" --set crds.install=false,webhook.second.enabled=false)" ""
check_has "its values are kept, and one has an old name" "$(upgrade "$NEW" --reset-then-reuse-values)" "webhook.second: renamed webhook.standby in 0.2.0"
check "it is taken back" "$(upgrade "$NEW" --reset-then-reuse-values --set webhook.second=null,webhook.standby.enabled=false)" ""
check "the next upgrade has nothing to say" "$(upgrade "$NEW" --reset-then-reuse-values)" ""
check "and what was set is kept" "$(helm get values t07 --namespace "$CHART_NS" -o json | jq -c .webhook)" '{"standby":{"enabled":false}}'
helm uninstall t07 --namespace "$CHART_NS" --no-hooks > /dev/null
