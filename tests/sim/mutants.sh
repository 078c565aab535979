#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that the simulation has teeth: each mutant, one line of the controller made wrong, must be caught within 1,000 seeds, and by
# the invariant that its patch names: what fails by another one is no proof that this one binds.
#   tests/sim/mutants.sh [NAME...]     prints a table; exit 1 if one is not caught
# A patch begins with a line that says what is wrong, then `invariant NAME` (more than one: any of them), and `seeds A-B` where another
# thousand shows it. One that no world in 100,000 shows names a unit test instead, `test NAME`, which must fail by it and pass without.
# They are built one after the other, and run JOBS at a time (as many as there are cores).
set -eu -o pipefail
cd "$(dirname "$0")/../.."
root=$PWD
seeds=${SEEDS:-1-1000}
jobs=${JOBS:-$(nproc)}
export TMPDIR=${TMPDIR:-/tmp}

work=$(mktemp -d "$TMPDIR/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/bin" "$work/told"
git ls-files -co --exclude-standard -z | tar -c --null --files-from=- | tar -x -C "$work/tree"
build=$work/tree/build/release # as deep as usual, so that a compiler cache knows the files
export CCACHE_BASEDIR=$work/tree CCACHE_NOHASHDIR=1
cmake -S "$work/tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

build() { # build NAME: the program as it is now
    cmake --build "$build" --target sim > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }
    cp "$build/bin/sim" "$work/bin/$1"
}

said() { # said NAME WORD: what its patch says before the difference
    sed -n "/^---/q; s/^$2 //p" "$root/tests/sim/mutants/$1.patch"
}
told_of() { # told_of NAME: the invariants that are to show it, or the test
    said "$1" invariant
    said "$1" test
}
range_of() { # range_of NAME: the seeds that are to show it
    local own
    own=$(said "$1" seeds)
    echo "${own:-$seeds}"
}

run() { # run PROGRAM SEEDS FLAG...: the lines of the seeds that fail
    "$work/bin/$1" --seeds "$2" --minimise=false "${@:3}" 2>&1 | grep -a '^seed ' || true
}

clean() { # clean RANGE: without a mutant none of these seeds may fail
    run clean "$1" --max-failures 1 > "$work/told/clean.$1"
}

evaluate() { # evaluate NAME
    local until=() invariant
    while IFS= read -r invariant; do until+=(--until "$invariant"); done < <(said "$1" invariant)
    run "$1" "$(range_of "$1")" "${until[@]}" > "$work/told/$1"
    rm "$work/bin/$1"
}

unit() { # unit TEST OUTPUT: as a line of a seed that fails, if the test does
    cmake --build "$build" --target "$1" > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }
    : > "$2"
    "$build/tests/$1" > "$work/log" 2>&1 || echo "seed -: $1: $(grep -a -m 1 'FAILED' "$work/log")" > "$2"
}

beside() { # beside COMMAND...: as one of so many
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    "$@" &
}

tell() { # tell NAME: its row; 1: not caught
    local found="" line invariant
    while IFS= read -r invariant; do
        line=$(awk -v want="$invariant: " '{ seed = $2; rest = substr($0, index($0, ": ") + 2) }
            index(rest, want) == 1 { sub(/:$/, "", seed); print seed "\t" rest; exit }' "$work/told/$1")
        [ -z "$line" ] || found=$line
    done < <(told_of "$1")
    if [ -n "$found" ]; then
        printf '%-28s %6s  %s\n' "$1" "${found%%$'\t'*}" "$(cut -c 1-110 <<< "${found#*$'\t'}")"
        return 0
    fi
    printf '%-28s %6s  %s\n' "$1" - "NOT CAUGHT by what it names: $(head -n 1 "$root/tests/sim/mutants/$1.patch")"
    cut -d : -f 2 "$work/told/$1" | sort | uniq -c | sort -rn | sed 's/^/                             but by /'
    return 1
}

if [ $# -eq 0 ]; then
    for p in "$root"/tests/sim/mutants/*.patch; do set -- "$@" "$(basename "$p" .patch)"; done
fi

build clean
for range in $(for name in "$@"; do range_of "$name"; done | sort -u); do beside clean "$range"; done
for test in $(for name in "$@"; do said "$name" test; done | sort -u); do unit "$test" "$work/told/clean.$test"; done
for name in "$@"; do
    [ -n "$(told_of "$name")" ] || { echo "$name names neither an invariant nor a test" >&2; exit 1; }
    test=$(said "$name" test)
    patch -s -p1 -d "$work/tree" < "$root/tests/sim/mutants/$name.patch"
    if [ -n "$test" ]; then unit "$test" "$work/told/$name"; else build "$name"; fi
    patch -s -R -p1 -d "$work/tree" < "$root/tests/sim/mutants/$name.patch"
    [ -n "$test" ] || beside evaluate "$name"
done
wait
found=$(cat "$work"/told/clean.* | head -n 1)
[ -z "$found" ] || { echo "without any mutant this fails: $found" >&2; exit 1; }

missed=0
printf '%-28s %6s  %s\n' mutant seed invariant
for name in "$@"; do tell "$name" || missed=$((missed + 1)); done
echo "$# mutants, $missed not caught"
[ "$missed" = 0 ]
