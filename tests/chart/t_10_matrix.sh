#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each file of values: helm lint, the same twice, what holds of all renderings, flags that the programs know, and a real API
# server that takes it all, with Pods checked by the restricted Pod security standard where the file doesn't say otherwise.
# values/NAME.yaml: first lines may be "# namespaces: A B" or "# accounts: A B" (that have to be there), "# not restricted"
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

flags_of() { # flags_of webhook|controller [COMMAND]: each behind its command
    "$JR_BIN/jobreeve-$1" "${@:2}" --help | sed -n "s/^  \(--[a-z0-9-]*\).*/${2:+$2 }\1/p"
}
for p in webhook controller; do
    flags_of "$p" > "$DIR/flags-$p"
    for c in $("$JR_BIN/jobreeve-$p" --help | sed -n '/^Commands:/,/^See /s/^  \([a-z-]*\) .*/\1/p'); do flags_of "$p" "$c"; done >> "$DIR/flags-$p"
    check_more "jobreeve-$p tells its flags" "$(wc -l < "$DIR/flags-$p")" 10
done

unknown_flags() { # unknown_flags OBJECTSFILE: flags in a rendering that the program doesn't have
    local p
    for p in webhook controller; do
        { ask "$1" "podspecs[] | containers[] | select(.command == [\"/usr/bin/jobreeve-$p\"]) | .args" |
            jq -r '(if .[0] | startswith("-") then "" else .[0] + " " end) as $command | .[if $command == "" then 0 else 1 end:][] |
                $command + sub("=.*"; "")' || echo "no answer"; } | sort -u | grep -vxF -f "$DIR/flags-$p" || [ $? = 1 ]
    done
}

# tried YAML: what the API server says against it; warnings, too. Accounts have to be there before Pods.
tried() {
    { k apply --dry-run=server -f "$1" > /dev/null; } 2>&1 || true
}

# Pods are refused where their account isn't there: accounts OBJECTSFILE makes those that are new, and notes them in ACCOUNTS.
ACCOUNTS=""
accounts() {
    local names
    names=$(jq -r '.[] | select(.kind == "ServiceAccount") | .metadata.name' "$1" | sort | paste -sd ' ')
    case "$ACCOUNTS;" in *";$names;"*) return ;; esac
    ACCOUNTS="$ACCOUNTS;$names"
    jq '.[] | select(.kind == "ServiceAccount")' "$1" | k apply -f - > /dev/null 2>&1
}

# The restricted standard has to be met by Pods and by templates of Pods alike: the latter give warnings.
LEVEL=""
security() { # security enforced|off
    local level=restricted
    [ "$1" = enforced ] || level=privileged
    [ "$LEVEL" != "$level" ] || return 0
    LEVEL=$level
    k label --overwrite namespace "$CHART_NS" "pod-security.kubernetes.io/enforce=$level" "pod-security.kubernetes.io/warn=$level" > /dev/null
    [ "$level" = restricted ] || await 60 "the API server knowing the label" unrestricted
}

unrestricted() {
    k run probe --image=probe -n "$CHART_NS" --dry-run=server --overrides='{"spec": {"hostNetwork": true}}'
}

evaluate() { # evaluate FILE
    local file=$1 name out yaml=$DIR/rendered.yaml json=$DIR/rendered.json restricted=true n again=() own
    name=$(basename "$file" .yaml)
    for n in $(sed -n 's/^# namespaces: //p' "$file"); do
        k create namespace "$n" --dry-run=client -o yaml | k apply -f - > /dev/null
    done
    own=$(sed -n 's/^# accounts: //p' "$file")
    for n in $own; do k create serviceaccount "$n" -n "$CHART_NS" > /dev/null; done
    ! grep -q '^# not restricted' "$file" || restricted=false
    out=$(helm lint --strict --quiet --namespace "$CHART_NS" -f "$IMAGE" -f "$file" "$CHART" 2>&1) || true
    check "$name: lint" "$out" ""
    render -f "$file" > "$yaml"
    objects < "$yaml" > "$json"
    check "$name: invariants" "$(jq -r -L "$HERE" --arg ns "$CHART_NS" --argjson restricted $restricted \
        --argjson accounts "$(jq -nc --arg own "$own" '$own | split(" ")')" \
        --arg tls "$(ask "$json" 'if any(.[]; .kind == "Certificate") then "certManager"
            elif any(podspecs[] | containers[] | select(.name == "webhook"); flag("tls-secret")) then "self" else "other" end' | jq -r .)" \
        -f "$HERE/invariants.jq" "$json")" ""
    check "$name: flags" "$(unknown_flags "$json")" ""
    if ! grep -q 'type: helm' "$file"; then # whose keys are random: see t_30_install.sh
        differs=$(render -f "$file" | cmp - "$yaml" 2>&1) || true
        check "$name: rendered twice" "$differs" ""
    fi
    if $restricted; then security enforced; else security off; fi
    accounts "$json"
    check "$name: the API server" "$(tried "$yaml")" ""
}

prepare
for f in "$HERE"/values/*.yaml; do evaluate "$f"; done
security off
check_more "files of values" "$(find "$HERE/values" -name '*.yaml' | wc -l)" 43
k delete serviceaccount --all -n "$CHART_NS" > /dev/null # helm takes nothing that it hasn't made
