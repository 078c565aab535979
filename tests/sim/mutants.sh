#!/usr/bin/env bash
# Shows that the simulation has teeth: each mutant, one line of the controller made wrong, must be caught within 1,000 seeds, and by
# the invariant that its patch names: what fails by another one is no proof that this one binds.
#   tests/sim/mutants.sh [NAME...]     prints a table; exit 1 if one is not caught
# A patch begins with a line that says what is wrong, then `invariant NAME` (more than one: any of them), and `seeds A-B` where another
# thousand shows it.
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

run() { # run SEEDS [--until INVARIANT...]: the lines of the seeds that fail
    local range=$1
    shift
    "$build/bin/sim" --seeds "$range" --minimise=false "$@" > "$work/out" 2>&1 || true
    grep -a '^seed ' "$work/out" || true
}

range_of() { # range_of NAME: the seeds that are to show it
    local own
    own=$(sed -n '/^---/q; s/^seeds //p' "$root/tests/sim/mutants/$1.patch")
    echo "${own:-$seeds}"
}

if [ $# -eq 0 ]; then
    for p in "$root"/tests/sim/mutants/*.patch; do set -- "$@" "$(basename "$p" .patch)"; done
fi

# Without a mutant none of the seeds fails that one of them is to be shown by.
build
for range in $(for name in "$@"; do range_of "$name"; done | sort -u); do
    found=$(run "$range" --max-failures 1 | head -n 1)
    [ -z "$found" ] || { echo "the simulation fails without any mutant: $found" >&2; exit 1; }
done

missed=0
printf '%-28s %6s  %s\n' mutant seed invariant
for name in "$@"; do
    patch=$root/tests/sim/mutants/$name.patch
    until=()
    while IFS= read -r invariant; do until+=(--until "$invariant"); done < <(sed -n '/^---/q; s/^invariant //p' "$patch")
    [ ${#until[@]} -gt 0 ] || { echo "$name names no invariant" >&2; exit 1; }
    patch -s -p1 -d "$work" < "$patch"
    build
    run "$(range_of "$name")" "${until[@]}" > "$work/failed"
    patch -s -R -p1 -d "$work" < "$patch"
    found=
    while IFS= read -r invariant; do
        line=$(awk -v want="$invariant: " '{ seed = $2; rest = substr($0, index($0, ": ") + 2) }
            index(rest, want) == 1 { sub(/:$/, "", seed); print seed "\t" rest; exit }' "$work/failed")
        [ -z "$line" ] || found=$line
    done < <(sed -n '/^---/q; s/^invariant //p' "$patch")
    if [ -n "$found" ]; then
        printf '%-28s %6s  %s\n' "$name" "${found%%$'\t'*}" "$(cut -c 1-110 <<< "${found#*$'\t'}")"
    else
        printf '%-28s %6s  %s\n' "$name" - "NOT CAUGHT by what it names: $(head -n 1 "$patch")"
        cut -d : -f 2 "$work/failed" | sort | uniq -c | sort -rn | sed 's/^/                             but by /'
        missed=$((missed + 1))
    fi
done
echo "$# mutants, $missed not caught"
[ "$missed" = 0 ]
