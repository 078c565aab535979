#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the sources of the tree, in parallel. A file that was clean is not looked at again until its preprocessed text, the
# checks or clang-tidy itself change: stamps are kept in ${XDG_CACHE_HOME:-~/.cache}/jobreeve/tidy.
#   tidy.sh BUILD-FOLDER [FILE...]     BUILD-FOLDER: configured, with compile_commands.json; FILE: instead of all sources
set -eu -o pipefail
build=$1
shift
# The compilation database is gcc's, so clang meets flags that it doesn't know. The analyzer runs in its shallow mode: deep
# mode takes ten times as long and, blind to what our functions promise, adds little but false alarms.
tidy=(clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument
    --extra-arg=-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang)
for a in -Xclang -analyzer-config -Xclang mode=shallow; do tidy+=("--extra-arg=$a"); done

cache=${XDG_CACHE_HOME:-$HOME/.cache}/jobreeve/tidy
log=$build/tidy.log
mkdir -p "$cache"
find "$cache" -type f -mtime +30 -delete
checks=$({ clang-tidy --version; cat .clang-tidy; printf '%s\n' "${tidy[@]:3}"; } | sha256sum)

# one FILE COMMAND: the compiler's command tells what clang-tidy will see. Comments count (-C): NOLINT is one.
one() {
    local file=$1 command=$2 key out=$log.$BASHPID
    # shellcheck disable=SC2086
    key=$({ printf '%s\n' "$checks" "$file"; $command -E -P -C; } | sha256sum)
    key=${key%% *}
    [ -e "$cache/$key" ] && return
    if "${tidy[@]}" "$file" > "$out" 2> "$out.stderr"; then
        : > "$cache/$key"
    else
        cat "$out"
        [ -s "$out" ] || cat "$out.stderr"
        return 1
    fi
}

# commands: "FILE<tab>COMMAND" of each source, without what names input and output; what no build knows is plain C
commands() {
    {
        jq -r --arg root "$PWD/" '.[] | [(.file | ltrimstr($root)),
            (.command | sub(" -o [^ ]+"; "") | sub(" -c [^ ]+$"; "") | sub("^[^ ]*ccache "; ""))] | @tsv' "$build/compile_commands.json"
        git ls-files -co --exclude-standard '*.c' | sed 's/$/\tcc -std=gnu17/'
    } | grep -v '^tests/fuzz/' | sort -s -u -t $'\t' -k 1,1
}

# lane N: each second file
lane() {
    local n=0 file command bad=0
    while IFS=$'\t' read -r file command; do
        n=$((n + 1))
        [ $((n % lanes)) = "$1" ] || continue
        one "$file" "$command $file" || bad=1
    done
    return $bad
}

lanes=$(nproc)
list=$(commands)
[ $# = 0 ] || list=$(grep -E "^($(printf '%s\n' "$@" | paste -sd '|'))"$'\t' <<< "$list") || { echo "tidy.sh: no such source" >&2; exit 2; }
bad=0
pids=()
for ((i = 0; i < lanes; i++)); do
    lane "$i" <<< "$list" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || bad=1; done
echo "$(wc -l <<< "$list") sources"
rm -f "$log".*
exit $bad
