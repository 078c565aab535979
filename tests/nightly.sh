#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too slow for the gate, in named parts, in two lanes beside each other; at most three hours on two cores. ./dev nightly builds first
# and calls this.
#   nightly.sh [--again] [PART...]   the parts named, or all of tonight; one that has passed on this commit is not run again, unless --again
#   nightly.sh --list                names the parts
# Where all would take longer a sample is drawn by the date, or by JR_NIGHTLY_SEED. Logs and results: build/nightly/COMMIT.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- || commit+=-dirty
seed=${JR_NIGHTLY_SEED:-$(date +%Y%m%d)}
out=$PWD/build/nightly/$commit
bin=build/release/bin

# part_NAME() { # what it does
part_sanitizers() { # each integration test in full length under the address and undefined-behaviour sanitizers
    JR_LONG=1 ./dev test asan
}
part_e2e() { # all tests on a real API server, t_65 with 90 kills, drawn by the date
    SEED=$seed JR_LONG=1 ./dev e2e
}
part_e2e_1_33() { # the same with API server, controller manager and kubectl of 1.33; every other night
    JR_LONG=1 ./dev e2e --kubernetes 1.33
}
part_e2e_1_37() { # the same of 1.37, in the other nights
    JR_LONG=1 ./dev e2e --kubernetes 1.37
}
part_why() { # what jobreeve why says, on 1.35, and on the version whose e2e tests wait for another night
    ./dev e2e --kubernetes 1.35 t_55 && ./dev e2e --kubernetes "1.3$((seed % 2 ? 3 : 7))" t_55 t_56
}
part_upgrade() { # API servers of 1.35 are replaced by those of 1.36 and 1.37, under load
    ./dev e2e --upgrade
}
part_cluster() { # all tests on a real node, with the chart's own timeouts
    JR_CHART_TIMEOUTS=1 ./dev e2e --cluster
}
part_hostile() { # all of tests/hostile
    ./dev hostile
}
part_chart() { # all tests of the chart
    ./dev chart
}
part_image() { # the image, read as runtimes read it, built twice
    ./dev image --test
}
part_release() { # all that is released, for amd64 and arm64, whose programs run under qemu-user
    ./dev release --test
}
part_packages() { # the Debian packages on a machine with systemd
    ./dev package --test
}
part_debian13() { # build and tests in a Debian 13 root
    ./dev debian13 test
}
part_sim() { # 50,000 worlds that no run has seen
    "$bin/sim" --seeds "${seed}00000-${seed}49999" --jobs "$(nproc)"
}
part_facts() { # what Jobs may come to, beside 100,000 runs that no test has seen, and 30,000 with a hostile tenant; all small Jobs reach their bounds
    JR_FACTS_FIRST="${seed}00000" JR_BUDGET_WORLDS=30000 build/release/tests/test_reconcile_budgets &&
        JR_FACTS_FIRST="${seed}00000" JR_FACTS_WORLDS=100000 JR_FACTS_SHAPES=1 build/release/tests/test_reconcile_facts
}
part_mutants() { # a mutant of the controller at a time: the simulation notices each
    ./dev sim --mutants
}
part_machine_mutants() { # 60 machine-made mutants of controller, webhook and rules, drawn by the date: of all nine of ten are noticed
    ./dev mutants --seed "$seed" 60
}
part_compare() { # 20,000 generated cases, and the tables of types, beside Kubernetes' own packages, of all versions
    tests/schema/compare.sh && tests/schema/openapi.sh && tests/schema/gates.sh && tests/bench/upstream/compare.sh 20000 "$seed" &&
        tests/admission/versions.sh build/release/bin --upstream && tests/bench/upstream/hits.sh 20000 "$seed" &&
        tests/podsecurity/compare.sh 2000 "$seed"
}
part_fuzz() { # each fuzz target for half a minute
    ./dev build fuzz || return 1
    local target bad=0
    for target in $(tests/fuzz/run.sh); do
        ./dev fuzz "$target" 30 > "$out/fuzz-$target.log" 2>&1 || { tail -n 20 "$out/fuzz-$target.log"; bad=1; }
        echo "$target: $(grep -ac '^#' "$out/fuzz-$target.log") lines of progress"
    done
    return "$bad"
}
part_stutter() { # a sample of the tests whose processes are halted at random
    local tests
    mapfile -t tests < <(ctest --test-dir build/release -N | sed -n 's/^ *Test *#[0-9]*: //p' | grep -v '^sim' | shuf -n 20 --random-source=<(yes "$seed"))
    printf '%s\n' "${tests[@]}"
    tests/support/stutter.sh 2 ctest --test-dir build/release --output-on-failure -j 2 -R "^($(IFS='|'; echo "${tests[*]}"))\$" || return 1
    tests/support/stutter.sh 3 ./dev e2e t_20 t_62
}
part_instructions() { # what the controller executes for a Job and the webhook for a review, counted by valgrind
    ./dev bench instructions
}
part_bench() { # webhook and controller beside their peers, five rounds each
    local bad=0
    ./dev bench webhook --rounds 5 || bad=1
    ./dev bench controller --rounds 5 || bad=1
    return "$bad"
}

# Beside each other: most that the second list waits for is not a processor. A lane whose list is done goes on with the other's, from its
# end. What is measured comes last, alone.
busy="machine_mutants sanitizers compare mutants facts debian13 fuzz sim stutter packages image release instructions"
waiting="cluster e2e e2e_1_33 e2e_1_37 why upgrade hostile chart"
reversed() { tac <<< "${1// /$'\n'}"; }

parts() { sed -n 's/^part_\([a-z0-9_]*\)() { # \(.*\)$/\1\t\2/p' "$0"; }

run() { # run PART: prints one line when it has passed, and the end of its log when it has not
    local start=$SECONDS status=0
    rm -f "$out/$1.passed"
    "part_$1" > "$out/$1.log" 2>&1 < /dev/null || status=$?
    {
        flock 9
        if [ $status = 0 ]; then
            printf '%s s: %s\n' $((SECONDS - start)) "$(grep -av '^ *$' "$out/$1.log" | tail -n 1 | cut -c 1-100)" > "$out/$1.passed"
            printf '%-17s passed, %s\n' "$1" "$(cat "$out/$1.passed")"
        else
            printf '%-17s FAILED, %s s; the end of %s:\n' "$1" $((SECONDS - start)) "$out/$1.log"
            tail -n 30 "$out/$1.log" | sed 's/^/    /'
        fi
    } 9> "$out/lock"
}

lanes=()
lane() { # lane N PART...: those of them that are to run and that no lane has taken, one after the other, in the background; with ports of its own
    local p
    set -m # a lane is a process group, so that all it has started ends with it
    (
        export JR_LANE=$1
        for p in "${@:2}"; do
            case " $todo " in *" $p "*) ;; *) continue ;; esac
            ! mkdir "$taken/$p" 2> /dev/null || run "$p"
        done
    ) &
    set +m
    lanes+=(-$!)
}
taken=$(mktemp -d)
ended() { kill -- "${lanes[@]}" 2> /dev/null; wait; rm -rf "$taken"; }
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

again=
case ${1:-} in
--list)
    parts | expand -t 18
    exit
    ;;
--again)
    again=1
    shift
    ;;
esac
not_tonight=e2e_1_3$((seed % 2 ? 3 : 7))
[ $# -gt 0 ] || mapfile -t all < <(parts | cut -f 1 | grep -vx "$not_tonight")
[ $# -gt 0 ] || set -- "${all[@]}"
for p in "$@"; do
    declare -F "part_$p" > /dev/null || { echo "nightly.sh: no part '$p': --list names them" >&2; exit 2; }
    case " $busy $waiting bench " in *" $p "*) ;; *) echo "nightly.sh: part '$p' is in no lane" >&2; exit 2 ;; esac
done

mkdir -p "$out"
echo "nightly of $commit, seed $seed, logs in $out"
todo=
for p in "$@"; do
    if [ -z "$again" ] && [ -e "$out/$p.passed" ]; then
        printf '%-17s passed before: %s\n' "$p" "$(cat "$out/$p.passed")"
    else
        todo+=" $p"
        rm -f "$out/$p.passed"
    fi
done
# shellcheck disable=SC2046,SC2086 # names of parts
{
    lane 1 $busy $(reversed "$waiting")
    lane 2 $waiting $(reversed "$busy")
    for pid in "${lanes[@]#-}"; do wait "$pid"; done
}
case " $todo " in *" bench "*) run bench ;; esac
failed=
for p in "$@"; do [ -e "$out/$p.passed" ] || failed+=" $p"; done
[ -z "$failed" ] || { echo "the nightly: FAILED after $SECONDS s:$failed"; exit 1; }
echo "the nightly: ok in $SECONDS s, $# parts"
