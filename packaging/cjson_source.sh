#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Debian's sources of cJSON, of which Debian has no static archive: cjson_source.sh FOLDER   (./dev cli, in the Debian 13)
# Prints the folder, below FOLDER, with cJSON.c as Debian's package of the version that is installed was built from it. apt verifies what it fetches. Its own
# lists of packages, which know no sources, stay as they are.
set -eu -o pipefail
mkdir -p "$1"
to=$(cd "$1" && pwd)
wanted=$(dpkg-query -W -f '${source:Package}=${source:Version}\n' libcjson-dev | sort -u)
made=$to/${wanted/=/-}
if [ ! -e "$made/cJSON.c" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u > "$work/sources.list"
    apt() {
        apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/none" -o Dir::State::lists="$work/lists" \
            -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Retries=5 "$@" >&2
    }
    apt update
    (cd "$work" && apt source --download-only "$wanted" && dpkg-source --no-check -x ./*.dsc "$work/unpacked" >&2)
    rm -rf "$made"
    mv "$work/unpacked" "$made"
fi
echo "$made"
