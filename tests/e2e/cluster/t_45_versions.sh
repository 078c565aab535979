#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An upgrade to the next version and the roll-back from it, by helm, under a stream of Job creations. No admission fails, no Job is lost, none is counted
# wrong, and all Pods of ours are of the version that was asked for.
# JR_FROM: the folder of a release (./dev release), which is upgraded to this tree. Without it, or where this tree has the release's version, the
# chart and the image of this tree get the next one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t45
. "$CLUSTER/stream.sh"
ROOT=$(cd "$CLUSTER/../../.." && pwd)
chart_version() { sed -n 's/^version: //p' "$1/Chart.yaml"; }
IMAGE=${JR_IMAGE:-$ROOT/build/image/jobreeve-$(chart_version "$CHART").oci.tar}

# loaded VERSION ARCHIVE: the image in the node, under that version's name
loaded() {
    "$ROOT/image/join.py" "$WORK/image.oci.tar" "localhost/jobreeve:$1" "$2" > "$WORK/digest"
    "$CLUSTER/load.sh" "$WORK/image.oci.tar" > "$DIR/log/t45-load.log"
}

from=$CHART to=$CHART
if [ -n "${JR_FROM:-}" ]; then
    mkdir "$WORK/from"
    tar -x -C "$WORK/from" -f "$JR_FROM/$(basename "$(echo "$JR_FROM"/jobreeve-[0-9]*.tgz)")"
    from=$WORK/from/jobreeve
    loaded "$(chart_version "$from")" "$JR_FROM/jobreeve-$(chart_version "$from")-linux-$(dpkg --print-architecture).oci.tar"
fi
FROM=$(chart_version "$from") TO=$(chart_version "$to")
if [ "$FROM" = "$TO" ]; then
    TO=${FROM%.*}.$((${FROM##*.} + 1))
    cp -r "$CHART" "$WORK/next"
    to=$WORK/next
    sed -i -e "s/^version: .*/version: $TO/" -e "s/^appVersion: .*/appVersion: \"$TO\"/" "$to/Chart.yaml"
    loaded "$TO" "$IMAGE"
fi

# images: of all Pods of ours that stay
images() {
    k get pods -n "$SYSTEM" -l app.kubernetes.io/name=jobreeve -o json |
        jq -r '[.items[] | select(.metadata.deletionTimestamp == null) | .spec.containers[].image] | unique | join(" ")'
}
are_of() { [ "$(images)" = "localhost/jobreeve:$1" ]; }
labelled() { field "deployment/$RELEASE-$1" '.metadata.labels.app\.kubernetes\.io/version' -n "$SYSTEM"; }

upgraded() { CHART=$to release upgrade --reset-then-reuse-values; }
rolled_back() { helm rollback "$RELEASE" --wait --timeout 5m >> "$DIR/log/helm.log" 2>&1; }

CHART=$from stream_begins
check "installed is $FROM" "$(images)" "localhost/jobreeve:$FROM"
fault "upgrade from $FROM to $TO" upgraded
check_await "all Pods are of $TO" 60 are_of "$TO"
check "so are the Deployments" "$(labelled webhook) $(labelled keeper) $(labelled controller)" "$TO $TO $TO"
check_await "the webhook guards" 60 guarded
flows 60
fault "roll-back from $TO to $FROM" rolled_back
check_await "all Pods are of $FROM" 60 are_of "$FROM"
check_await "the webhook guards then" 60 guarded
fault "and up again" upgraded
check_await "all Pods are of $TO again" 60 are_of "$TO"
stream_ends
