#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Machine-made mutants of the controller, the Jobs' and the policies' rules and the webhook: which share of them do their tests notice?
# ./dev mutants calls this.
#   run.sh [--seed SEED] [N]                N mutants (default 240), all in one build (make.py)
#   run.sh [--seed SEED] --only NUMBER...   these of them, with what they print
# A mutant is caught by the first that fails of the tests that concern its folder (concerns, below): unit tests, scenario rows and vectors, and
# the webhook's integration tests, under the address and undefined-behaviour sanitizers, which notice what is freed too early or never; for the
# controller 2,000 seeds of the simulation, too. Fails where less than 90 % are caught; of a
# sample that a SEED draws, where that can't be chance. Without a SEED the sample is always the same: one of it
# that survives has to be explained in survivors.txt, "DESCRIPTION <tab> WHY", as one that changes nothing that can be seen, or gets a check;
# that too fails, and an explanation that has nobody left to explain.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
wanted=240 must=90 seed=
only=()
[ "${1:-}" != --seed ] || { seed=$2; shift 2; }
case ${1:-} in
--only) only=("${@:2}") ;;
'') ;;
*) wanted=$1 ;;
esac
seeds=${SEEDS:-1-2000} # those of the gate
work=$(mktemp -d "${TMPDIR:-/tmp}/jobreeve-mutants.XXXXXX")
trap 'kill $(jobs -p) 2> /dev/null || true; wait; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

git ls-files -co --exclude-standard -z | tar -c --null --files-from=- | tar -x -C "$work"
# The folders app/ wire a process: only integration tests run that, most of them longer than a minute. They are what is left out.
mapfile -t files < <(cd "$work" && find controller common/audit common/job common/policy common/kube/keyed.c common/kube/object_cache.c webhook -name '*.c' -not -path '*/app/*' | sort)
checked=$work/build/asan release=$work/build/release
configure() { # configure DIRECTORY SANITIZERS
    cmake -S "$work" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DJR_SANITIZE="$2"
}
loud() { "$@" > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }; }
loud configure "$checked" address,undefined
"$here/make.py" "$work" "$checked" "$wanted" "$seed" "${files[@]}" > "$work/list"
# Only these are compiled with the mutants in them and without warnings: all others have the flags of ./dev test asan, and come from its ccache.
cut -f 2 "$work/list" | cut -d ' ' -f 1 | sort -u | while read -r f; do
    echo "set_source_files_properties(${f##*/} PROPERTIES COMPILE_OPTIONS \"-w;-include;$work/tests/mutants/mutant.h\")" >> "$work/${f%/*}/CMakeLists.txt"
done
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
export JR_FACTS_WORLDS=2000 # test_reconcile_facts; more would take minutes of each mutant that survives so far
build() { # build DIRECTORY SANITIZERS TARGET...: with the mutants in it
    [ -e "$1/build.ninja" ] || configure "$1" "$2"
    cmake --build "$1" --target "${@:3}"
}
loud build "$checked" address,undefined controller-scenarios admission-vectors admission-cases admission-validate jobreeve jobreeve-webhook jobreeve-devcluster
# test_webhook_long_values takes a minute to look at memory alone.
mapfile -t units < <(cd "$checked" && ctest -N | sed -n 's/^ *Test *#[0-9]*: \(test_\(controller\|reconcile\|job\|policy\|cli\|webhook\)_.*\)$/\1/p' |
    grep -v '^test_webhook_long_values$')
loud build "$checked" address,undefined "${units[@]}"
loud build "$release" '' sim

# concerns FILE STEP: whether the step may notice a mutant of that file
concerns() {
    case $1,$2 in
    controller/policy/*,test_policy_* | common/audit/*,test_policy_*) ;;
    common/kube/*,scenarios | common/kube/*,*seeds | common/kube/*,test_controller_* | common/kube/*,test_policy_*) ;;
    controller/policy/*) return 1 ;;
    controller/*,scenarios | controller/*,*seeds | controller/*,test_controller_* | controller/*,test_reconcile_*) ;;
    common/job/facts*,test_reconcile_facts) ;;
    common/job/*,test_reconcile_facts) return 1 ;; # a minute, and of these files it runs facts alone
    common/job/*,scenarios | common/job/*,few-seeds | common/job/*,admission* | common/job/*,cli_policy) ;;
    common/job/*,test_job_* | common/job/*,test_policy_* | common/job/*,test_reconcile_* | common/job/*,test_cli_*) ;;
    common/job/*,test_webhook_vectors | common/job/*,test_webhook_cron | common/job/*,test_webhook_idempotent) ;;
    common/policy/*,test_policy_* | common/policy/*,test_cli_* | common/policy/*,cli_policy | common/policy/*,test_webhook_policies) ;;
    webhook/*,test_webhook_* | webhook/*,webhook_*) ;;
    *) return 1 ;;
    esac
}

# step NAME: one of the tests, with what it has to say. What doesn't end fails, by its processor time, which a busy machine doesn't use up;
# where it only waits, by the time of day.
declare -A seconds waits # how long each may take; without an entry it is not known yet
step() (
    ulimit -c 0 -t "${seconds[$1]:-600}"
    case $1 in
    scenarios)
        "$checked/bin/controller-scenarios" tests/vectors/controller-scenarios.json &&
            exec "$checked/bin/controller-scenarios" tests/unit/controller/version-scenarios.json
        exit
        ;;
    test_*) exec timeout -k 5 "${waits[$1]:-600}" "$checked/tests/$1" ;;
    admission* | cli_* | webhook_*) exec ctest --test-dir "$checked" --timeout "${waits[$1]:-600}" --output-on-failure -R "^$1\$" ;;
    esac
    ulimit -v 4000000
    [ "$1" = seeds ] || seeds=1-100
    exec "$release/bin/sim" --seeds "$seeds" --max-failures 1 --minimise=false
)
# caught NUMBER FILE: prints by which, and in what words; or nothing.
caught() (
    out=$work/out.$1 s=
    export JR_MUTANT=$1 ASAN_OPTIONS=hard_rss_limit_mb=2000 TMPDIR=$work/tmp
    cd "$work"
    for s in "${steps[@]}"; do
        if [ "$1" != 0 ] && ! concerns "$2" "$s"; then continue; fi
        step "$s" > "$out" 2>&1 && continue
        case $s in
        scenarios) echo "scenarios: $(head -n 1 "$out" | cut -c 1-80)" ;;
        *seeds) echo "simulation: $(grep -a -m 1 '^seed ' "$out" | cut -c 1-90 || tail -n 1 "$out")" ;;
        *) echo "$s" ;;
        esac
        exit
    done
)

# Each step passes without any mutant; the quick ones go first, all seeds last. One that takes five times as long won't end.
mkdir "$work/tmp"
: > "$work/times"
for s in scenarios few-seeds admission-vectors admission_versions cli_policy webhook_{own_certs,clients,ca_file,self_test,remove} "${units[@]}" seeds; do
    start=$(date +%s%N) steps=("$s")
    why=$(caught 0 '')
    [ -z "$why" ] || { echo "a test fails without any mutant: $why" >&2; cat "$work/out.0" >&2; exit 1; }
    took=$(($(date +%s%N) - start))
    seconds[$s]=$((5 + 5 * took / 1000000000)) waits[$s]=$((60 + 10 * took / 1000000000))
    [ "$s" = seeds ] || printf '%s %s\n' "$took" "$s" >> "$work/times"
done
mapfile -t steps < <(sort -n "$work/times" | cut -d ' ' -f 2; echo seeds)
echo "$(wc -l < "$work/list") mutants in $(wc -l < <(cut -f 2 "$work/list" | cut -d ' ' -f 1 | sort -u)) files; built, and ${#steps[@]} tests pass without any, after $SECONDS s"
lane() { # takes one mutant after the other from its input, a pipe, which all lanes share
    local number description
    while IFS=$'\t' read -r number description; do
        printf '%s\t%s\t%s\n' "$number" "$(caught "$number" "${description%% *}" < /dev/null)" "$description" >> "$work/results"
    done
}
: > "$work/results"
exec 3< <(if [ ${#only[@]} = 0 ]; then cat "$work/list"; else awk -F '\t' -v only=" ${only[*]} " 'index(only, " " $1 " ")' "$work/list"; fi)
for ((i = 0; i < $(nproc); i++)); do lane <&3 & done
wait
sort -n "$work/results" | awk -F '\t' '{ printf "%4d  %-60s  %s\n", $1, $2 == "" ? "SURVIVED" : $2, $3 }'
[ ${#only[@]} = 0 ] || exit 0

all=$(wc -l < "$work/results")
awk -F '\t' '$2 == "" { print $3 }' "$work/results" | sort > "$work/survivors"
survived=$(wc -l < "$work/survivors")
sed '/^#/d; /^$/d' "$here/survivors.txt" | cut -f 1 | sort > "$work/explained"
bad=0
if [ -z "$seed" ]; then
    unexplained=$(comm -23 "$work/survivors" "$work/explained")
    [ -z "$unexplained" ] || { printf 'survived, and survivors.txt has no explanation:\n%s\n' "$unexplained"; bad=1; }
fi
if [ -z "$seed" ] && [ "$wanted" = 240 ]; then
    # A change of the sources may take one out of the sample; else a test notices it now.
    cut -f 2 "$work/list" | sort > "$work/sample"
    comm -13 "$work/survivors" "$work/explained" > "$work/idle"
    gone=$(comm -23 "$work/idle" "$work/sample") noticed=$(comm -12 "$work/idle" "$work/sample")
    [ -z "$gone" ] || { printf 'explained in survivors.txt, but no longer in the sample, so the row goes:\n%s\n' "$gone"; bad=1; }
    [ -z "$noticed" ] || { printf 'explained in survivors.txt, but caught:\n%s\n' "$noticed"; bad=1; }
fi
share=$((100 * (all - survived) / all))
# What a seed draws is a sample: it fails where it is 99 % certain that of all mutants fewer than so many are caught.
enough=$(awk -v n="$all" -v p="0.$must" -v deviations="${seed:+2.33}" 'BEGIN { print int(n * p - deviations * sqrt(n * p * (1 - p))) }')
[ "$((all - survived))" -ge "$enough" ] || bad=1
echo "$all machine-made mutants, $((all - survived)) caught ($share %, at least $enough are to be), $survived survived, in $SECONDS s"
exit $bad
