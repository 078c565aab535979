#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Generated Jobs, updates and status updates, validated by the API server (by dry run, no webhook registered) and by us:
# result, errors, warnings and the object that would be stored are the same. Twice: with the rules as a library, and
# with the offline's commands, `jobreeve check` and `default`. Then again beside an API server with other feature gates, for the rules that
# these switch. What is not compared is listed below, case by case, and nothing else may be.
# JR_CASES, JR_SEED: how many, and which. The first ones break each rule once.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
NS=t40
CASES=${JR_CASES:-1200}
SEED=${JR_SEED:-40}
GATES=ClusterTrustBundle=true,ClusterTrustBundleProjection=true,ContainerStopSignals=true,EnvFiles=false,GenericWorkload=true
GATES=$GATES,PodCertificateRequest=true,RestartAllContainersOnContainerExits=false,SELinuxMount=true,TaintTolerationComparisonOperators=true
FAULTS=tests/vectors/faults
since 1.33 || GATES=$GATES,SELinuxChangePolicy=true # alpha then, and SELinuxMount does nothing without it
since 1.37 && GATES=$GATES,WorkloadWithJob=true
GATES=$(gates_known "$GATES") # others are unknown, or can't be changed
CASE_UID=8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de # as the generator has it

admission() {
    local tool=$1
    shift
    "$JR_BIN/admission-$tool" "$@"
}

# storable: leaves out the updates of what the API server drops when it is made, so that there is nothing to update: volumes of images before
# 1.35, resizePolicy before 1.33
storable() {
    local n lost='any(.old? // {} | .. | objects | .volumes? // empty | arrays[]; try has("image") catch false)'
    if since 1.35; then return; fi
    since 1.33 || lost+=' or any(.old? // {} | .. | objects; has("resizePolicy"))'
    jq "$lost" "$WORK/cases" > "$WORK/lost"
    awk 'NR == FNR { lost[NR] = $0; next } lost[FNR] != "true"' "$WORK/lost" "$WORK/cases" > "$WORK/left"
    n=$(grep -c true "$WORK/lost" || true)
    mv "$WORK/left" "$WORK/cases"
    skipped "updates of $n Jobs with volumes of images, or with resizePolicy before 1.33" "Kubernetes is $KUBE: they are dropped when the Job is made"
    check_more "updates left out are at most 5" 6 "$n"
}

# ask_server URL GATES: the cases, and its answers
ask_server() {
    admission cases --server "$NS" --kubernetes-version "$KUBE" --gates "$2" "$CASES" "$SEED" > "$WORK/cases"
    storable
    admission server --server "$1" --ca "$DIR/pki/ca.crt" --cert "$DIR/pki/admin.crt" --key "$DIR/pki/admin.key" \
        --namespace "$NS" < "$WORK/cases" > "$WORK/server"
}

# check_op OP ARGS...: the report of check on all new objects of that operation. It ends with 1 where it finds errors.
check_op() {
    local op=$1 status=0
    shift
    "$JR_BIN/jobreeve" check -v -o json "$@" "$WORK/$op" > "$WORK/$op.json" || status=$?
    [ "$status" -le 1 ]
}

# ask_desk GATES
ask_desk() {
    local f flags=(--kubernetes-version "$KUBE") g
    for g in ${1//,/ }; do flags+=(--feature-gate "$g"); done
    admission offline split "$WORK" < "$WORK/cases"
    check_op create "${flags[@]}"
    check_op update --old "$WORK/update.old.json" "${flags[@]}"
    check_op updateStatus --old "$WORK/updateStatus.old.json" --subresource status "${flags[@]}"
    mkdir "$WORK/default"
    # default refuses what is no Job at all; of a status update the server stores the old spec
    for f in "$WORK"/create/*.json "$WORK"/update/*.json; do
        "$JR_BIN/jobreeve" default -o json --uid "$CASE_UID" "${flags[@]}" "$f" > "$WORK/default/${f##*/}" 2> /dev/null || true
    done
    if since 1.37; then without_labels; fi
    admission offline join "$WORK" < "$WORK/cases" > "$WORK/offline"
}

# without_labels: From 1.37 on an update may take a generated label away. default is about new Jobs and puts it back: taken off again.
without_labels() {
    local f n=0
    while read -r f; do
        jq -c --slurpfile update "$f" '.spec.template.metadata.labels |= with_entries(select(.key | in($update[0].spec.template.metadata.labels // {})))' \
            "$WORK/default/${f##*/}" > "$WORK/without" || continue
        mv "$WORK/without" "$WORK/default/${f##*/}"
        n=$((n + 1))
    done < <(jq -r 'select(try (.kind == "Job" and .spec.manualSelector != true and (["job-name", "controller-uid", "batch.kubernetes.io/job-name",
        "batch.kubernetes.io/controller-uid"] - (.spec.template.metadata.labels // {} | keys)) != []) catch false) | input_filename' "$WORK"/update/*.json)
    echo "$n updates lack a generated label"
}

# agree NAME ANSWERS ARGS...: the two sides agree; what they don't agree on, and the counts, are printed. LAST is the
# last line, which has the totals; EXCLUDED the lines about what was not compared.
agree() {
    local name=$1 answers=$2 status=0
    shift 2
    admission compare -s -r "$@" "$WORK/cases" "$WORK/server" "$answers" > "$answers.out" || status=$?
    LAST=$(tail -n 1 "$answers.out")
    EXCLUDED=$(sed -nE '/^(skipped|cut|left to a schema|not validated): /p' "$answers.out")
    # disagreements at length, the rules' counts in columns
    sed -E '/^ +[0-9]+ [a-z0-9-]+$/d' "$answers.out" | cut -c 1-1000
    check "$name: all agree" "$status" 0
}

# excluded NAME SKIPPED: what was left out. Skipped are the cases with these names, "op rule" a line, and no others. Nothing is unvalidated. A cut
# connection may agree with our refusal only for the two reasons for which API servers are known to panic (docs/differences.md). Types within
# Pod templates are the schema's to check, and compared with the offline's commands.
excluded() {
    check "$1: skipped" "$(sed -nE 's/^skipped: case [0-9]+, ([^:]*):.*/\1/p' <<< "$EXCLUDED" | sort)" "$2"
    check "$1: not validated" "$(sed -n '/^not validated: /p' <<< "$EXCLUDED")" ""
    check "$1: cut for another reason" "$(awk '/^cut: / && !/: .*[ :](indexed-completions-required|huge-pages-multiple)( |$)/' <<< "$EXCLUDED")" ""
    check_more "$1: left to a schema are at most 12" 13 "$(awk '/^left to a schema: /{ n++ } END { print n + 0 }' <<< "$EXCLUDED")"
}

# pass NAME URL GATES SKIPPED: all of it, in WORK
pass() {
    WORK=$DIR/admission-$1
    rm -rf "$WORK"
    mkdir "$WORK"
    ask_server "$2" "$3"
    admission validate --kubernetes-version "$KUBE" < "$WORK/cases" > "$WORK/validate"
    agree "$1: the rules" "$WORK/validate" -l
    excluded "$1: the rules" "$4"
    ask_desk "$3"
    agree "$1: check and default" "$WORK/offline" -d
    excluded "$1: check and default" "$4"
    enough "$1"
}

# Rules that no request can break, whatever the gates; the tables have the reasons.
unasked() {
    jq -r '.[] | select(length == 2)[0]' $FAULTS/unasked-*.json
    jq -r '.[][0]' $FAULTS/prepared-*.json $FAULTS/cron-prepared-*.json
}

# hits: of each rule, in both passes, by the library
hits() {
    cat "$DIR"/admission-*/validate.out | awk '/^ +[0-9]+ [a-z0-9-]+$/ { n[$2] += $1 } END { for (r in n) printf "%8d %s\n", n[r], r }' | sort -k 2
}

never_hit() {
    hits | awk '$1 == 0 { print $2 }' | sort
}

print_hits() {
    echo "hits of each rule:"
    hits | paste -d ' ' - - - - | sed 's/^/  /'
}

enough() {
    local creates updates refused
    read -r creates updates refused <<< "$(sed -E 's/^([0-9]+) creates, ([0-9]+) updates.*\(([0-9]+) %\).*/\1 \2 \3/' <<< "$LAST")"
    check_more "$1: creates and updates" $((creates + updates)) 599
    check_more "$1: percent refused" "$refused" 59
}

# Finalizers hold what was deleted.
release_jobs() {
    local j
    for j in $(k get jobs -n "$NS" -o jsonpath='{range .items[?(@.metadata.finalizers)]}{.metadata.name}{"\n"}{end}'); do
        k patch job "$j" -n "$NS" --type=merge -p '{"metadata":{"finalizers":null}}' > /dev/null
    done
}

cd "$E2E/../.." || exit
for t in cases server validate offline compare; do
    [ -x "$JR_BIN/admission-$t" ] || {
        echo "no $JR_BIN/admission-$t: build it first" >&2
        exit 1
    }
done
release_jobs # of a run that was ended early
fresh_namespace $NS
pass default "$SERVER" "" ""
release_jobs
fresh_namespace $NS
free_port
SPAWNED="$SPAWNED gated-apiserver"
JR_E2E_GATES=$GATES JR_E2E_APIS=$(scheduling_api) "$E2E/cluster.sh" beside "$DIR" gated-apiserver "$PORT"
# What these rows begin with can't be stored, with the gate either. Before 1.33 there is no such gate, and nobody is asked.
UNSTORED="update stop-signal
update stop-signal
update stop-signal-os"
since 1.33 || UNSTORED=
pass gated "https://127.0.0.1:$PORT" "$GATES" "$UNSTORED"
proc_stop gated-apiserver
print_hits
check_more "rules" "$(hits | wc -l)" 500
if [ "${KUBE%.*}" = 1.36 ]; then
    check "rules that were never hit, and could have been" "$(comm -23 <(never_hit) <(unasked | sort) | xargs)" ""
    check "rules that were never hit" "$(never_hit | wc -l)" 22
else
    skipped "that each rule was hit" "Kubernetes is $KUBE: $(never_hit | wc -l) were not, and the tables of those that no request can break are of 1.36"
fi
release_jobs
k delete namespace "$NS" --wait=false > /dev/null
