#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What action.yml runs: gets jobreeve without shared libraries from a release of the action's repository, compares its checksum, and checks manifests with it.
# All input comes by environment variables, which action.yml sets. Exit codes: those of jobreeve check; 2, too, where there is no program to run.
set -eu -o pipefail

fail() { # fail WORDS: an annotation, with what a workflow command wants escaped
    local words=$*
    words=${words//'%'/%25}
    words=${words//$'\r'/%0D}
    printf '::error title=jobreeve::%s\n' "${words//$'\n'/%0A}"
    exit 2
}

case ${RUNNER_OS:-$(uname -s)} in
Linux) ;;
*) fail "this action runs on Linux, not on ${RUNNER_OS:-$(uname -s)}" ;;
esac
case ${RUNNER_ARCH:-$(uname -m)} in
X64 | x86_64) arch=amd64 ;;
ARM64 | aarch64) arch=arm64 ;;
*) fail "there is no jobreeve for ${RUNNER_ARCH:-$(uname -m)}: X64 and ARM64 are known" ;;
esac

# What the action is used at, in a workflow's `uses: OWNER/NAME@REF`. Runners promise the folder, in which they have it as _actions/OWNER/NAME/REF, but for
# composite actions not the other two.
path=${ACTION_PATH:-}
at=${path#*/_actions/}
if [ "$at" != "$path" ] && [ -z "${ACTION_REPOSITORY:-}" ]; then
    ACTION_REPOSITORY=$(cut -d / -f 1,2 <<< "$at")
    ACTION_REF=$(cut -d / -f 3- <<< "$at")
fi
version=${INPUT_VERSION:-${ACTION_REF:-}}
version=${version#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
    fail "version: '$version' is no release: set the input 'version', or use the action at a release's tag"
# Empty where a workflow uses the action of its own checkout (uses: ./).
repository=${ACTION_REPOSITORY:-${GITHUB_REPOSITORY:-}}
[[ $repository =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] || fail "the action's repository is not known: '$repository'"

flags=(--output=github)
[ -z "${INPUT_KUBERNETES_VERSION:-}" ] || flags+=("--kubernetes-version=$INPUT_KUBERNETES_VERSION")
case ${INPUT_STRICT:-false} in
true) flags+=(--strict) ;;
false) ;;
*) fail "strict: '$INPUT_STRICT': expected true or false" ;;
esac
# One a line, so that each may have blanks in it. Nothing is expanded.
take_lines() { # take_lines ARRAY TEXT
    local -n into=$1
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        line=${line#"${line%%[![:blank:]]*}"}
        line=${line%"${line##*[![:blank:]]}"}
        [ -z "$line" ] || into+=("$line")
    done <<< "$2"
}
files=()
take_lines flags "${INPUT_ARGS:-}"
take_lines files "${INPUT_FILES:-}"
[ ${#files[@]} -gt 0 ] || fail "files: expected files or folders, one a line"

work=$(mktemp -d "${RUNNER_TEMP:-/tmp}/jobreeve.XXXXXX")
trap 'rm -rf "$work"' EXIT
from=${GITHUB_SERVER_URL:-https://github.com}/$repository/releases/download/v$version
name=jobreeve-$version-linux-$arch-static
get() { # get FILE
    curl --silent --show-error --fail --location --proto-redir =https --retry 3 --max-time 300 --output "$work/$1" "$from/$1" 2> "$work/curl" ||
        fail "$from/$1: $(cat "$work/curl")"
}
get SHA256SUMS
wanted=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$work/SHA256SUMS")
[[ $wanted =~ ^[0-9a-f]{64}$ ]] || fail "$from/SHA256SUMS doesn't name $name.tar.gz"
get "$name.tar.gz"
got=$(sha256sum < "$work/$name.tar.gz")
[ "${got%% *}" = "$wanted" ] || fail "$name.tar.gz: its SHA-256 is ${got%% *}, SHA256SUMS says $wanted"
tar -x -z -C "$work" -f "$work/$name.tar.gz" "$name/bin/jobreeve"

code=0
"$work/$name/bin/jobreeve" check "${flags[@]}" -- "${files[@]}" || code=$?
exit "$code"
