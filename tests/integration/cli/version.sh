#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What --version of each program says: version.sh BIN. Its lines, and that it names the libraries it links, and no other.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
bin=$1
. ./project.env
# Line by line: the name there, and how the linker knows it.
libraries="cjson libcjson
libyaml libyaml-0
libcurl libcurl
openssl libcrypto
libmicrohttpd libmicrohttpd
gnutls libgnutls"
bad=0
fault() { echo "FAIL $1" >&2; bad=1; }

for program in jobreeve jobreeve-webhook jobreeve-controller jobreeve-devcluster; do
    said=$("$bin/$program" --version)
    want="$program $VERSION
commit: *
platform: linux/*
kubernetes: 1.*.*"
    linked=$(readelf -d "$bin/$program" | sed -n 's/.*(NEEDED).*\[\([^]]*\)\.so.*/\1/p')
    while read -r name file; do
        if grep -qx -- "$file" <<< "$linked"; then want+=$'\n'"$name: [0-9]*.*"; fi
    done <<< "$libraries"
    # Of OpenSSL's two one is named; the C library and the sanitizers' are the compiler's.
    unnamed=$(grep -vxE 'libssl|lib(c|m|gcc_s|asan|ubsan|tsan)|ld-linux.*' <<< "$linked" | grep -vxF "$(cut -d " " -f 2 <<< "$libraries")" || true)
    [ -z "$unnamed" ] || fault "$program links what its --version doesn't know: $unnamed"
    # shellcheck disable=SC2053 # a pattern
    [[ $said == $want ]] || fault "$program: expected"$'\n'"$want"$'\nnot\n'"$said"
    [ "$(wc -l <<< "$said")" = "$(wc -l <<< "$want")" ] || fault "$program: $(wc -l <<< "$said") lines"
done
[ "$("$bin/jobreeve" version)" = "$("$bin/jobreeve" --version)" ] || fault "jobreeve version and --version differ"
[ "$("$bin/jobreeve" check --version | head -n 1)" = "jobreeve check $VERSION" ] || fault "a command's --version"
case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
*) arch='*' ;;
esac
# shellcheck disable=SC2053 # a pattern
[[ $("$bin/jobreeve" version | sed -n 's/^platform: //p') == linux/$arch ]] || fault "the platform"
if "$bin/jobreeve" version > /dev/full 2> /dev/null; then fault "a version that can't be written"; fi
[ "$bad" = 0 ] && echo "four programs say their versions"
exit "$bad"
