#!/usr/bin/env bash
# Shows that the simulation has teeth: each mutant, one line of the controller made wrong, must be caught within 1,000 seeds.
#   tests/sim/mutants.sh [NAME...]     prints a table; exit 1 if one is not caught
set -eu -o pipefail
cd "$(dirname "$0")/../.."
root=$PWD
seeds=${SEEDS:-1-1000}
export TMPDIR=${TMPDIR:-/tmp}

work=$(mktemp -d "$TMPDIR/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
git ls-files -co --exclude-standard -z | tar -c --null --files-from=- | tar -x -C "$work"
build=$work/build/release # as deep as usual, so that a compiler cache knows the files
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
cmake -S "$work" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

build() {
    cmake --build "$build" --target sim > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }
}

run() { # run [SEEDS]: prints the first line that a failing seed gives
    "$build/bin/sim" --seeds "${1:-$seeds}" --max-failures 1 --minimise=false > "$work/out" 2>&1 || true
    grep -a -m 1 '^seed ' "$work/out" || true
}

build
found=$(run)
[ -z "$found" ] || { echo "the simulation fails without any mutant: $found" >&2; exit 1; }

if [ $# -eq 0 ]; then
    for p in "$root"/tests/sim/mutants/*.patch; do set -- "$@" "$(basename "$p" .patch)"; done
fi
missed=0
printf '%-28s %6s  %s\n' mutant seed invariant
for name in "$@"; do
    patch=$root/tests/sim/mutants/$name.patch
    patch -s -p1 -d "$work" < "$patch"
    build
    # What is rare names the thousand in which it shows.
    found=$(run "$(sed -n 's/^seeds //p' "$patch")")
    patch -s -R -p1 -d "$work" < "$patch"
    if [ -n "$found" ]; then
        seed=${found#seed }
        printf '%-28s %6s  %s\n' "$name" "${seed%%:*}" "$(cut -c 1-110 <<< "${seed#*: }")"
    else
        printf '%-28s %6s  %s\n' "$name" - "NOT CAUGHT: $(head -n 1 "$patch")"
        missed=$((missed + 1))
    fi
done
echo "$# mutants, $missed not caught"
[ "$missed" = 0 ]
