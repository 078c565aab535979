#!/usr/bin/env bash
# What is too slow for the gate, in named parts, one after the other; some two hours on two cores. ./dev nightly builds first and calls this.
#   nightly.sh [--again] [PART...]   the parts named, or all; one that has passed on this commit is not run again, unless --again
#   nightly.sh --list                names the parts
# Where all would take longer a sample is drawn by the date, or by JR_NIGHTLY_SEED. Logs and results: build/nightly/COMMIT.
set -u -o pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- || commit+=-dirty
seed=${JR_NIGHTLY_SEED:-$(date +%Y%m%d)}
out=$PWD/build/nightly/$commit
bin=build/release/bin

# part_NAME() { # what it does
part_sanitizers() { # each integration test in full length under the address and undefined-behaviour sanitizers
    JR_LONG=1 ./dev test asan
}
part_e2e() { # all tests on a real API server, t_65 with each write
    JR_LONG=1 ./dev e2e
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
part_packages() { # the Debian packages on a machine with systemd
    ./dev package --test
}
part_debian13() { # build and tests in a Debian 13 root
    ./dev debian13 test
}
part_sim() { # 50,000 worlds that no run has seen
    "$bin/sim" --seeds "${seed}00000-${seed}49999" --jobs "$(nproc)"
}
part_mutants() { # a mutant of the controller at a time: the simulation notices each
    ./dev sim --mutants
}
part_machine_mutants() { # 240 machine-made mutants of the controller's library: nine of ten are noticed
    ./dev mutants
}
part_compare() { # 20,000 generated cases beside Kubernetes' own packages
    tests/bench/upstream/compare.sh 20000 "$seed"
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
part_bench() { # webhook and controller beside their peers, one round each
    ./dev bench webhook --rounds 1 && ./dev bench controller --rounds 1
}

parts() { sed -n 's/^part_\([a-z0-9_]*\)() { # \(.*\)$/\1\t\2/p' "$0"; }

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
[ $# -gt 0 ] || mapfile -t all < <(parts | cut -f 1)
[ $# -gt 0 ] || set -- "${all[@]}"
for p in "$@"; do
    declare -F "part_$p" > /dev/null || { echo "nightly.sh: no part '$p': --list names them" >&2; exit 2; }
done

mkdir -p "$out"
echo "nightly of $commit, seed $seed, logs in $out"
passed=0 failed=0
for p in "$@"; do
    if [ -z "$again" ] && [ -e "$out/$p.passed" ]; then
        printf '%-17s passed before: %s\n' "$p" "$(cat "$out/$p.passed")"
        passed=$((passed + 1))
        continue
    fi
    rm -f "$out/$p.passed"
    start=$SECONDS
    if "part_$p" > "$out/$p.log" 2>&1 < /dev/null; then
        last=$(grep -av '^ *$' "$out/$p.log" | tail -n 1 | cut -c 1-100)
        printf '%s s: %s\n' $((SECONDS - start)) "$last" > "$out/$p.passed"
        printf '%-17s passed, %s\n' "$p" "$(cat "$out/$p.passed")"
        passed=$((passed + 1))
    else
        printf '%-17s FAILED, %s s; the end of %s:\n' "$p" $((SECONDS - start)) "$out/$p.log"
        tail -n 30 "$out/$p.log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
