#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The GitHub Action from outside: action.sh BIN. packaging/action.sh as action.yml runs it, on a release that is served from here.
#   the script reads what action.yml sets, and each input is used; the right archive of the version and the architecture; exit codes and annotations are those of
#   jobreeve check; a wrong checksum, an unknown version and an unknown machine run nothing; inputs are words, not code
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
bin=$(realpath "$1")
. "$here/../../support/scene.sh"
scene action
die() { echo "action.sh: $*" >&2; exit 1; }

# action.yml beside the script: a name that one of them has and the other one hasn't does nothing, in silence.
python3 - "$repo/action.yml" "$repo/packaging/action.sh" << 'PY'
import re
import sys

action, script = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
inputs = set(re.findall(r"^  ([a-z-]+):$", action.partition("\ninputs:\n")[2].partition("\nruns:\n")[0], re.M))
env = dict(re.findall(r"^        ([A-Z_]+): \$\{\{ ([a-z_.-]+) \}\}$", action, re.M))
read = set(re.findall(r"\b((?:INPUT|ACTION)_[A-Z_]+)", script))
assert len(inputs) == 5, inputs
assert set(env) == read, set(env) ^ read
assert {of for of in env.values() if of.startswith("inputs.")} == {"inputs." + name for name in inputs}, env
assert all(name == "INPUT_" + of[7:].upper().replace("-", "_") for name, of in env.items() if of.startswith("inputs.")), env
# What a workflow's author writes is never a part of the script: expressions stand in env alone.
assert re.findall(r"^ *- .*\$\{\{|run:.*\$\{\{", action, re.M) == [], "an expression outside of env"
assert action.count("${{") == len(env), "an expression outside of env"
assert "run: '\"$ACTION_PATH/packaging/action.sh\"'" in action
PY
[ -x "$repo/packaging/action.sh" ] || die "packaging/action.sh can't be executed"
"$bin/jobreeve" check --quiet "$repo/action.yml" || die "action.yml is no YAML"

# A release. The program notes that it was run, so that what mustn't run it can be told.
publish() { # publish VERSION
    local to=$DIR/www/owner/jobreeve/releases/download/v$1 name=jobreeve-$1-linux-amd64-static
    mkdir -p "$to" "$DIR/made/$name/bin"
    printf '#!/bin/sh\necho "%s" "$@" >> "%s"\nexec "%s" "$@"\n' "$1" "$DIR/ran" "$bin/jobreeve" > "$DIR/made/$name/bin/jobreeve"
    chmod 755 "$DIR/made/$name/bin/jobreeve"
    tar -c -z -C "$DIR/made" -f "$to/$name.tar.gz" "$name"
    # Beside others, as a release has it.
    (cd "$to" && printf 'notes\n' > notes.md && sha256sum -- * > "$DIR/sums" && mv "$DIR/sums" SHA256SUMS)
}
publish 0.1.0
publish 0.2.0
publish 0.3.0
# Another archive than SHA256SUMS says, which would run as well.
printf '# changed\n' >> "$DIR/made/jobreeve-0.3.0-linux-amd64-static/bin/jobreeve"
tar -c -z -C "$DIR/made" -f "$DIR/www/owner/jobreeve/releases/download/v0.3.0/jobreeve-0.3.0-linux-amd64-static.tar.gz" jobreeve-0.3.0-linux-amd64-static
publish 0.4.0
sed -i '/static/d' "$DIR/www/owner/jobreeve/releases/download/v0.4.0/SHA256SUMS"
proc_start www python3 -u -m http.server --bind 127.0.0.1 --directory "$DIR/www" 0
port() { sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/\1/p' "$DIR/log/www.log" | grep .; }
ALIVE=www await 60 "the server" port

mkdir "$DIR/checkout" "$DIR/temp"
cp "$repo/docs/examples/pi.yaml" "$DIR/checkout/good.yaml"
cp "$repo/docs/examples/broken.yaml" "$DIR/checkout/broken job.yaml"
cp "$repo/docs/examples/versions.yaml" "$DIR/checkout"
sed 's/^spec:/&\n  paralellism: 1/' "$DIR/checkout/good.yaml" > "$DIR/checkout/typo.yaml"

action() { # action CODE VARIABLE=VALUE...: with what a runner sets; what it prints is in DIR/out, what the program was given in DIR/ran
    local want=$1 code=0
    shift
    rm -f "$DIR/ran"
    (cd "$DIR/checkout" && env -i PATH="$PATH" RUNNER_OS=Linux RUNNER_ARCH=X64 RUNNER_TEMP="$DIR/temp" GITHUB_SERVER_URL="http://127.0.0.1:$(port)" \
        GITHUB_REPOSITORY=somebody/else ACTION_PATH="$repo" ACTION_REPOSITORY=owner/jobreeve ACTION_REF=v0.1.0 INPUT_FILES=good.yaml INPUT_KUBERNETES_VERSION='' INPUT_STRICT=false \
        INPUT_ARGS='' INPUT_VERSION='' "$@" "$repo/packaging/action.sh") > "$DIR/out" 2>&1 || code=$?
    [ "$code" = "$want" ] || { cat "$DIR/out" >&2; die "exit code $code, expected $want: $*"; }
    [ -z "$(ls "$DIR/temp")" ] || die "it leaves files: $(ls "$DIR/temp")"
}
ran() { # ran LINE: the program was run once, with these arguments
    [ "$(cat "$DIR/ran")" = "$1" ] || die "ran: $(cat "$DIR/ran"), expected: $1"
}
refused() { # refused WORDS: nothing was run, and an annotation says why
    [ ! -e "$DIR/ran" ] || die "ran: $(cat "$DIR/ran")"
    grep -q "^::error title=jobreeve::.*$1" "$DIR/out" || die "expected '$1', got: $(cat "$DIR/out")"
}

action 0
ran "0.1.0 check --output=github -- good.yaml"
action 1 INPUT_FILES=$'\n  good.yaml\r\n\tbroken job.yaml  \n\n'
ran "0.1.0 check --output=github -- good.yaml broken job.yaml"
[ "$(grep -c '^::error file=broken job.yaml,line=' "$DIR/out")" -gt 5 ] || die "no annotations: $(cat "$DIR/out")"
action 1 INPUT_FILES=.
ran "0.1.0 check --output=github -- ."
action 2 INPUT_FILES=missing.yaml
grep -q '^::error file=missing.yaml' "$DIR/out" || die "a file that isn't there: $(cat "$DIR/out")"
action 0 INPUT_FILES=typo.yaml
grep -q '^::warning file=typo.yaml' "$DIR/out" || die "no warning: $(cat "$DIR/out")"
action 1 INPUT_FILES=typo.yaml INPUT_STRICT=true INPUT_KUBERNETES_VERSION=1.36,1.37 INPUT_ARGS=$'--warnings-as-errors\n--output=json=/dev/null'
ran "0.1.0 check --output=github --kubernetes-version=1.36,1.37 --strict --warnings-as-errors --output=json=/dev/null -- typo.yaml"
echo "ok    the annotations and exit codes of jobreeve check"

action 0 INPUT_VERSION=0.2.0
ran "0.2.0 check --output=github -- good.yaml"
action 0 INPUT_VERSION=v0.2.0 ACTION_REF=main
ran "0.2.0 check --output=github -- good.yaml"
action 0 ACTION_REPOSITORY='' GITHUB_REPOSITORY=owner/jobreeve
ran "0.1.0 check --output=github -- good.yaml"
action 0 ACTION_REPOSITORY='' ACTION_REF='' ACTION_PATH=/home/runner/work/_actions/owner/jobreeve/v0.2.0
ran "0.2.0 check --output=github -- good.yaml"
action 2 INPUT_VERSION=0.3.0
refused 'its SHA-256 is [0-9a-f]\{64\}, SHA256SUMS says'
action 2 INPUT_VERSION=0.4.0
refused "SHA256SUMS doesn't name jobreeve-0.4.0-linux-amd64-static.tar.gz"
action 2 INPUT_VERSION=9.9.9
refused '/v9.9.9/SHA256SUMS: .*404'
action 2 ACTION_REF=main
refused "'main' is no release"
action 2 RUNNER_ARCH=ARM64
refused "SHA256SUMS doesn't name jobreeve-0.1.0-linux-arm64-static.tar.gz"
action 2 RUNNER_ARCH=X86
refused 'no jobreeve for X86'
action 2 RUNNER_OS=Windows
refused 'not on Windows'
action 2 INPUT_FILES=$' \n'
refused 'expected files or folders'
action 2 INPUT_STRICT=yes
refused 'expected true or false'
echo "ok    the release's archive, or nothing"

# Inputs are words: no blanks split, no pattern matches, nothing is run.
# shellcheck disable=SC2016
action 2 INPUT_FILES='$(touch "$PWD/called") `touch called` *.yaml; touch called' INPUT_ARGS='--color=$(touch called)'
[ ! -e "$DIR/checkout/called" ] || die "an input was run"
# shellcheck disable=SC2016
action 2 INPUT_FILES='$(touch "$PWD/called") *.yaml'
# shellcheck disable=SC2016
ran '0.1.0 check --output=github -- $(touch "$PWD/called") *.yaml'
[ ! -e "$DIR/checkout/called" ] || die "an input was run"
action 2 INPUT_FILES=--help
ran "0.1.0 check --output=github -- --help"
action 2 INPUT_VERSION='0.1.0/../../x'
refused 'is no release'
action 2 INPUT_VERSION=$'1\n::warning::x%'
refused "version: '1%0A::warning::x%25' is no release"
if grep -q '^::warning' "$DIR/out"; then die "an input is a workflow command"; fi
proc_stop www
echo "ok    inputs are words"
