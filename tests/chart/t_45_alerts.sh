#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each alert fires when it should and is silent when it should be, as Prometheus' own promtool checks. alerts.txt says:
#   = ALERT: WORDS      a case begins; WORDS say what happens
#   SERIES VALUES       a series, and its values minute by minute as promtool writes them: 1x10 is eleven times 1, 0+2x5 counts up by two,
#                       stale is its end. @w1 @w2 @c1 @c2 are labels of Pods: two of the webhook, two of the controller.
#   > MINUTE firing     what the alert does then, or: silent
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
PROMTOOL=$("$HERE/promtool.sh")

prepare team-a
render -f "$HERE/values/everything.yaml" --set webhook.replicas=2 > "$DIR/t45.yaml"
objects < "$DIR/t45.yaml" > "$DIR/t45.json"
jq '[.[] | select(.kind == "PrometheusRule")][0].spec' "$DIR/t45.json" > "$DIR/t45.rules.json"
check_has "promtool takes the rules" "$("$PROMTOOL" check rules "$DIR/t45.rules.json" 2>&1)" SUCCESS

pod() { printf 'namespace="jobreeve-system",pod="jr-jobreeve-%s"' "$1"; }

SERIES="[]"
series() { # series LINE: adds to SERIES
    local line=$1
    line=${line//@w1/$(pod webhook-7c9d-aaaaa)} line=${line//@w2/$(pod webhook-7c9d-bbbbb)}
    line=${line//@c1/$(pod controller-5f4b-ccccc)} line=${line//@c2/$(pod controller-5f4b-ddddd)}
    SERIES=$(jq -c --arg s "${line%%\} *}}" --arg v "${line#*\} }" '. + [{series: $s, values: $v}]' <<< "$SERIES")
}

declare -A SEEN
evaluate() { # evaluate ALERT WORDS MINUTE firing|silent
    local samples="[]"
    [ "$4" != firing ] || samples='[{"labels": "{}", "value": 1}]'
    jq -n --argjson series "$SERIES" --argjson want "$samples" --arg at "$3m" --arg alert "$1" '{
        rule_files: ["t45.rules.json"], evaluation_interval: "1m",
        tests: [{interval: "1m", input_series: $series, promql_expr_test: [{eval_time: $at, exp_samples: $want,
            expr: "group(ALERTS{alertname=\"\($alert)\",alertstate=\"firing\"})"}]}]}' > "$DIR/t45.test.json"
    check_has "$1: $2: $4" "$("$PROMTOOL" test rules "$DIR/t45.test.json" 2>&1)" SUCCESS
    SEEN[$1]="${SEEN[$1]:-} $4"
}

while IFS= read -r line; do
    case $line in
    '' | '#'*) ;;
    '= '*) alert=${line#= } words=${line#*: } SERIES="[]" && alert=${alert%%:*} ;;
    '> '*)
        read -r minute state <<< "${line#> }"
        evaluate "$alert" "$words" "$minute" "$state"
        ;;
    *) series "$line" ;;
    esac
done < "$HERE/alerts.txt"

while IFS= read -r alert; do
    check_has "$alert has a case in which it fires" "${SEEN[$alert]:-}" firing
    check_has "$alert has a case in which it is silent" "${SEEN[$alert]:-}" silent
done < <(ask "$DIR/t45.json" 'alerts[].alert' | jq -r .)
