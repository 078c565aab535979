#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ShellCheck over all shell scripts, also those that are sourced (# shellcheck shell=bash).
#   shell.sh [FILE...]     FILE: instead of all
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Variables are set in one file and used in another, which it doesn't follow (SC2034, SC2154).
check=(shellcheck -S warning -e "SC2034,SC2154")
if printf 'cd /nowhere\nrm file\n' | "${check[@]}" -s bash - > /dev/null; then
    echo "ShellCheck finds nothing where there is something" >&2
    exit 1
fi
files=("$@")
if [ $# = 0 ]; then
    mapfile -t files < <(git ls-files -co --exclude-standard -z | xargs -0 awk '
        FNR == 1 && /^#!.*sh$/ || FNR <= 3 && /^# shellcheck shell=/ { print FILENAME; nextfile } FNR > 3 { nextfile }' | sort -u)
    [ ${#files[@]} -gt 180 ] || { echo "only ${#files[@]} scripts were found" >&2; exit 1; }
fi
"${check[@]}" -f gcc "${files[@]}"
echo "${#files[@]} scripts"
