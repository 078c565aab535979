#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The JobPolicies of the chart's library, rendered with their default settings, by their suites in tests/policies; that each setting does what it
# says; that helm installs them with their definition, keeps them in place, and takes them away.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
SUITES=$HERE/../policies
WORK=$DIR/t25
mkdir -p "$WORK"

rendered() { # rendered FILE ARGS...: of the library, where policies that deny are on
    render --set policies.enforce=true -s templates/policies/library.yaml "${@:2}" > "$1"
}

# ---- what holds of all renderings: t_10_matrix.sh has no definition of JobPolicies
prepare
with_definition

for actions in Warn Deny; do
    render --set "policies.enforce=true,policies.actions={$actions},policies.settings.image-registries.registries={registry.example.com}" \
        --set "policies.enabled={$(cd "$CHART/files/policies" && echo *.yaml | sed 's/\.yaml//g; s/ /,/g')}" | objects > "$WORK/all.json"
    check "all, $actions: invariants" "$(jq -r -L "$HERE" --arg ns "$CHART_NS" --argjson restricted true --arg tls self -f "$HERE/invariants.jq" "$WORK/all.json")" ""
done

# ---- the same by the program, which leaves out kube-system alone

spec() { objects | jq -Sc 'if .[0].kind == "JobPolicy" then .[0].spec.match.excludeNamespaces -= ["jobreeve-system"] else map(.spec)
    | .[1].matchResources.namespaceSelector.matchExpressions[0].values -= ["jobreeve-system"] end | map(.spec? // .)'; }
compared=0
for name in $("$JR_BIN/jobreeve" policy library | cut -d' ' -f1); do
    own=() set=()
    [ "$name" != image-registries ] || { own=(--set 'registries=[registry.example.com]') set=(--set 'policies.settings.image-registries.registries={registry.example.com}'); }
    rendered "$WORK/one.yaml" --set "policies.enabled={$name},policies.actions={Deny,Audit}" "${set[@]}"
    check "$name: jobreeve policy library" "$("$JR_BIN/jobreeve" policy library "$name" --set 'actions=[Deny, Audit]' "${own[@]}" | spec)" "$(spec < "$WORK/one.yaml")"
    compared=$((compared + 1))
done
check "all of them" "$compared" "$(find "$CHART/files/policies" -name '*.yaml' | wc -l)"

# ---- suites

for suite in "$SUITES"/*/suite.yaml; do
    name=$(basename "$(dirname "$suite")")
    mkdir -p "$WORK/$name"
    cp "$suite" "$WORK/$name"
    rendered "$WORK/$name/policy.yaml" --set "policies.enabled={$name},policies.actions={Deny},policies.settings.image-registries.registries={registry.example}"
    status=0
    "$JR_BIN/jobreeve" policy test "$WORK/$name" > "$WORK/out" 2>&1 || status=$?
    check "$name: its suite" "$status $([ $status = 0 ] || cat "$WORK/out")" "0 "
    check_has "$name: each rule is violated and met" "$(cat "$WORK/out")" "0 never violated, 0 never met"
done
check "each JobPolicy has a suite" "$(cd "$SUITES" && echo */suite.yaml | sed "s|/suite.yaml||g")" \
    "$(cd "$CHART/files/policies" && grep -l '^kind: JobPolicy$' ./*.yaml | sed 's|^./||; s|.yaml$||' | paste -sd ' ')"

# ---- settings

# setting NAME ARGS EXPRESSION WANTED: what the policy then says, by jq
setting() {
    local flags
    read -r -a flags <<< "$2"
    rendered "$WORK/one.yaml" --set "policies.enabled={$1}" "${flags[@]}"
    check "$1: $2" "$(objects < "$WORK/one.yaml" | jq -c ".[0].spec | $3")" "$4"
}
while IFS= read -r row; do
    name=${row%% ;; *} row=${row#* ;; }
    args=${row%% ;; *} row=${row#* ;; }
    setting "$name" "${args//S./policies.settings.$name.}" "${row%% ;; *}" "${row##* ;; }"
done << 'T'
require-ttl ;; --set S.maxSeconds=2000000,S.defaultSeconds=1000000 ;; [.limits, .defaults] ;; [{"ttlSecondsAfterFinished":{"max":2000000,"required":true}},{"ttlSecondsAfterFinished":1000000}]
require-deadline ;; --set S.maxSeconds=2000000,S.defaultSeconds=1000000 ;; [.limits, .defaults] ;; [{"activeDeadlineSeconds":{"max":2000000,"required":true}},{"activeDeadlineSeconds":1000000}]
require-deadline ;; --set S.actions={Deny} ;; [.validationActions, .failurePolicy, .defaults] ;; [["Deny"],"Fail",null]
require-deadline ;; --set S.excludeNamespaces={ci} ;; [.match, .validationActions, .failurePolicy] ;; [{"excludeNamespaces":["kube-system","jobreeve-system","ci"]},["Warn","Audit"],"Ignore"]
bounded-retries ;; --set S.backoffLimit=0,S.backoffLimitPerIndex=0,S.podsEver=2000000000,S.disruptions=Counted ;; [.limits, .budget] ;; [{"backoffLimit":{"max":0},"backoffLimitPerIndex":{"max":0}},{"disruptions":"Counted","podsEver":2000000000}]
ceiling-per-job ;; --set S.podsAtOnce=0,S.podsEver=2000000,S.runtime=,S.requestsAtOnce.cpu=null,S.requestsAtOnce.memory=null,S.resourceHours.cpu=2000000 ;; .budget ;; {"podsAtOnce":0,"podsEver":2000000,"resourceHours":{"cpu":2000000}}
gpu-budget ;; --set S.requestsAtOnce.amd\.com/*=null,S.resourceHours=null ;; .budget ;; {"requestsAtOnce":{"deviceclass.resource.kubernetes.io/*":"8","nvidia.com/*":"8"}}
gpu-budget ;; --set S.exceptions[0].namespaces={a},S.exceptions[0].reason=r,S.exceptions[0].until=2027-03-31T00:00:00Z,S.exceptions[0].budget.requestsAtOnce.amd\.com/*=9 ;; .exceptions ;; [{"budget":{"requestsAtOnce":{"amd.com/*":9}},"namespaces":["a"],"reason":"r","until":"2027-03-31T00:00:00Z"}]
require-requests ;; --set S.resources={memory} ;; .limits ;; {"template":{"requests":{"memory":{"required":true}}}}
image-registries ;; --set S.registries={registry.example.com,registry.example.com:5000/team} ;; .limits.template.images.values ;; ["registry.example.com/*","registry.example.com:5000/team/*"]
owner-label ;; --set S.key=example.com/owner ;; .limits ;; {"labels":{"example.com/owner":{"required":true}}}
pod-security ;; --set S.level=restricted,S.version=v1.36 ;; .podSecurity ;; {"level":"restricted","version":"v1.36"}
cronjob-hygiene ;; --set S.concurrencyPolicies=null,S.startingDeadline=false,S.timeZone=false,S.historyLimit=2000000,S.shortestInterval= ;; .limits ;; {"cronJob":{"failedJobsHistoryLimit":{"max":2000000},"successfulJobsHistoryLimit":{"max":2000000}}}
queued-only ;; --set S.label= ;; .limits ;; {"suspend":"Required"}
no-latest-tag ;; --set S.exceptions[0].namespaces={a},S.exceptions[0].reason=r,S.exceptions[0].until=2027-03-31T00:00:00Z,S.exceptions[0].lift={limits.template.images} ;; .exceptions ;; [{"lift":["limits.template.images"],"namespaces":["a"],"reason":"r","until":"2027-03-31T00:00:00Z"}]
T
# ---- helm install

release() { # release ARGS...: the release t25; what helm says is in FILE
    helm upgrade --install t25 "$CHART" --namespace "$CHART_NS" -f "$IMAGE" --set policies.enforce=true,crds.keep=false,webhook.validating.failurePolicy=Ignore \
        "$@" > "$WORK/helm" 2>&1
}
there() { names jobpolicy -l app.kubernetes.io/instance=t25 | sed 's|.*/||' | paste -sd ' '; }
uid() { field jobpolicy/require-ttl .metadata.uid; }

without_definition
two='policies.enabled={require-ttl,gpu-budget}'
# Without --wait it is a race: the API server needs a moment to serve a new type.
release --set "$two" || check_has "without --wait the first install says what it lacks" "$(cat "$WORK/helm")" 'no matches for kind "JobPolicy"'
await 60 "JobPolicies being served" k get jobpolicies
release --set "$two"
check "without --wait the next one has them" "$(there)" "gpu-budget require-ttl"
helm uninstall t25 --namespace "$CHART_NS" --no-hooks > /dev/null
await 60 "the definition's end" definition_gone

# With --wait: the Deployments' Pods are ready, which is what this test says of them, since there is no node.
ready_pods() {
    local pod
    for pod in $(k get pods -n "$CHART_NS" -l app.kubernetes.io/instance=t25 -o name); do
        k patch "$pod" -n "$CHART_NS" --subresource=status --type merge \
            -p '{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}' > /dev/null 2>&1 || true
    done
    ! kill -0 "$HELM" 2> /dev/null
}
release_waits() {
    release --wait --timeout 180s "$@" &
    HELM=$!
    await 180 "helm's end" ready_pods
    wait "$HELM" || cat "$WORK/helm"
}
release_waits --set "$two"
check "with --wait the first install has the definition and the policies" "$(there)" "gpu-budget require-ttl"
first=$(uid)
release --set "$two,policies.settings.require-ttl.maxSeconds=60" || cat "$WORK/helm"
check "an upgrade changes them in place" "$(uid) $(field jobpolicy/require-ttl .spec.limits.ttlSecondsAfterFinished.max)" "$first 60"
release --set 'policies.enabled={require-ttl}' || cat "$WORK/helm"
check "who leaves the list goes" "$(there)" require-ttl
helm rollback t25 1 --namespace "$CHART_NS" > "$WORK/helm" 2>&1 || cat "$WORK/helm"
check "a rollback to the first revision has them" "$(there)" "gpu-budget require-ttl"
release --set "crds.keep=true,$two" || cat "$WORK/helm"
helm uninstall t25 --namespace "$CHART_NS" --no-hooks > /dev/null
check "helm uninstall takes them, and leaves the definition" "$(there) $(names crd "$DEFINITION")" " customresourcedefinition.apiextensions.k8s.io/$DEFINITION"
without_definition
