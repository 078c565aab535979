#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tables of common/schema beside what Kubernetes' own OpenAPI documents say (tests/vectors/openapi-fields.txt), of each version from 1.31 to 1.38:
# every field of every type that a kind reaches, its type, what kind of list it is, and by what key patches merge it.
# JR_BIN: the folder with our programs (default: build/release/bin).
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
JR_BIN=${JR_BIN:-$PWD/build/release/bin}
FACTS=tests/vectors/openapi-fields.txt
FIELDS_MIN=750 # what is compared of each version, at least
# Fields of the newest version that no program of ours knows yet. Each has to be there upstream.
UNKNOWN=()
NEWEST=$(tests/support/releases.sh --minors | tail -n 1)
# Gates that drop no field by its row: not in our profile, or on for good; PodLevelResources and DynamicResourceAllocation drop by common/pod/prepare.c;
# SecurityProfileOCI drops nothing, what it guards is refused.
NO_ROWS="CoordinatedLeaderElection CrossNamespaceVolumeDataSource DynamicResourceAllocation
    InPlacePodVerticalScalingSchedulerPreemption ProbeTerminationGracePeriod PodLevelResources SecurityProfileOCI"
WORK=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-fields.XXXXXX")
trap 'rm -rf "$WORK"' EXIT

bad=0
for minor in $(tests/support/releases.sh --minors); do
    # Since 1.38 the types of spec.scheduling are those of v1: the same fields, by other names.
    "$JR_BIN/schema-dump" "$minor" | if [ "$minor" -lt 38 ]; then cat; else
        sed 's/v1alpha3\.TopologyConstraint/v1.WorkloadTopologyConstraint/; s/v1alpha3\.Workload/v1.Workload/g'
    fi | sort > "$WORK/ours"
    awk -v minor="$minor" '/^#/ || $3 == "gate" { next }
        { split($3, in_, "-"); at = $1 " " $2; $1 = $2 = $3 = ""; sub(/^ +/, "") } in_[1] <= minor && minor <= in_[2] { print at, $0 }' "$FACTS" > "$WORK/upstream"
    for field in "${UNKNOWN[@]}"; do
        [ "$minor" = "$NEWEST" ] || continue
        grep -q "^$field " "$WORK/upstream" || { echo "1.$NEWEST has no $field: what is left out is not there"; bad=1; }
        ! grep -q "^$field " "$WORK/ours" || { echo "the tables know $field: take it out of UNKNOWN"; bad=1; }
        sed -i "/^$field /d" "$WORK/upstream"
    done
    # Of upstream only the types that the tables reach, and "any" where the tables say so.
    awk 'NR == FNR { types[$1] = 1; if ($3 == "any") any[$1, $2] = 1; next }
         $1 in types { rest = $0; sub(/^[^ ]+ [^ ]+ /, "", rest); print $1, $2, (($1, $2) in any ? "any" : rest) }' \
        "$WORK/ours" "$WORK/upstream" | sort > "$WORK/want"
    diff -U0 --label "upstream 1.$minor" --label common/schema "$WORK/want" "$WORK/ours" || bad=1
    n=$(wc -l < "$WORK/ours")
    echo "1.$minor: $n fields of $(cut -d ' ' -f 1 "$WORK/ours" | sort -u | wc -l) types"
    [ "$n" -ge "$FIELDS_MIN" ] || { echo "only $n fields were compared, $FIELDS_MIN at least were expected"; bad=1; }
done
# What a field's description asks for is its row's GATE, or GATE_ON_CREATE.
"$JR_BIN/schema-dump" gates | sort > "$WORK/gates"
while read -r type field _ gate; do
    [[ " ${NO_ROWS//[[:space:]]/ } " != *" $gate "* && " ${UNKNOWN[*]} " != *" $type $field "* ]] || continue
    grep -qx "$type $field gate $gate" "$WORK/gates" || { echo "$type $field has no GATE($gate)"; bad=1; }
done < <(grep -v '^#' "$FACTS" | grep ' gate ')
exit "$bad"
