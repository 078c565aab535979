#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gates of the devcluster: the objects of gang scheduling are served where a gate is on, as each version has them. gates.sh BIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1
. "$here/../../support/scene.sh"
scene devcluster-gates

# served VERSION LIST FLAG...: LIST has the API's versions of which Workloads and PodGroups are served
served() {
    local version=$1 want=$2 v kind have=""
    shift 2
    rm -f "$DIR/kubeconfig"
    devcluster --kubernetes-version "$version" "$@"
    for v in v1alpha1 v1alpha2 v1beta1; do
        for kind in workloads podgroups; do
            if gone "/apis/scheduling.k8s.io/$v/$kind"; then continue; fi
            api GET "/apis/scheduling.k8s.io/$v/$kind" > /dev/null
            have="$have $v/$kind"
        done
    done
    proc_stop devcluster
    [ "$have" = "$want" ] || { echo "$version $*: served are \"$have\", not \"$want\"" >&2 && return 1; }
}
served 1.36 ""
served 1.36 " v1alpha2/workloads v1alpha2/podgroups" --feature-gates GenericWorkload=true
served 1.37 " v1beta1/workloads v1beta1/podgroups" --feature-gates GenericWorkload=true
served 1.35 "" --feature-gates GenericWorkload=true
echo "ok    gang scheduling's objects, by version and gate"

# refused WORDS FLAG...
refused() {
    local words=$1 code=0
    shift
    timeout 60 "$bin/jobreeve-devcluster" --data-dir "$DIR" "$@" 2> "$DIR/err" || code=$?
    [ $code = 2 ] && grep -qF -- "$words" "$DIR/err" || { echo "exit code $code: $(cat "$DIR/err")" >&2 && return 1; }
}
refused '--feature-gates: Kubernetes 1.34 has no feature gate "GenericWorkload" that concerns Jobs' --kubernetes-version 1.34 --feature-gates GenericWorkload=true
refused '--feature-gates: expected Name=true or Name=false, not "GenericWorkload"' --feature-gates GenericWorkload
echo "ok    a gate that the version hasn't is refused"
