#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages: well formed, and each flag and command of --help is in them. Usage: man.sh PROGRAMS PAGES
set -eu -o pipefail
programs=$1
pages=$2
failed=0
flags=0
fault() { echo "$1" >&2; failed=1; }

flags_of() { # flags_of COMMAND...: the flags that its --help lists
    "$@" --help | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
}

covers() { # covers PAGE COMMAND...
    local page=$1 flag
    shift
    [ -f "$page" ] || { fault "no page $page"; return; }
    for flag in $(flags_of "$programs/$1" "${@:2}"); do
        flags=$((flags + 1))
        # As roff has it, and not as the beginning of a longer one.
        grep -qE -- "${flag//-/\\\\-}(\\\\f|\$)" "$page" || fault "$page: no $flag"
    done
}

covers "$pages/man8/jobreeve-webhook.8" jobreeve-webhook
covers "$pages/man8/jobreeve-webhook.8" jobreeve-webhook remove
covers "$pages/man8/jobreeve-webhook.8" jobreeve-webhook self-test
covers "$pages/man8/jobreeve-controller.8" jobreeve-controller
covers "$pages/man8/jobreeve-controller.8" jobreeve-controller decommission
covers "$pages/man1/jobreeve-devcluster.1" jobreeve-devcluster
covers "$pages/man1/jobreeve-devcluster.1" jobreeve-devcluster up
covers "$pages/man1/jobreeve-devcluster.1" jobreeve-devcluster kubelet
covers "$pages/man1/jobreeve-devcluster.1" jobreeve-devcluster certs
commands_of() { # commands_of COMMAND...: the commands that its --help lists
    "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p'
}
for command in $(commands_of "$programs/jobreeve"); do
    grep -qF "jobreeve $command" "$pages/man1/jobreeve.1" || fault "jobreeve.1: no $command"
    case $command in
    completion | version | help) ;; # have no flags of their own
    *) covers "$pages/man1/jobreeve-$command.1" jobreeve "$command" ;;
    esac
    # Subcommands are in their command's page.
    for sub in $(commands_of "$programs/jobreeve" "$command"); do
        grep -qF "jobreeve $command $sub" "$pages/man1/jobreeve.1" || fault "jobreeve.1: no $command $sub"
        covers "$pages/man1/jobreeve-$command.1" jobreeve "$command" "$sub"
    done
done
[ "$flags" -gt 60 ] || fault "only $flags flags were looked for"

for page in "$pages"/man*/*; do
    case $(cat "$page") in
    *@*) fault "$page: something was not filled in" ;;
    esac
    if command -v groff > /dev/null; then
        said=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
        [ -z "$said" ] || fault "$page: $said"
    fi
    if command -v mandoc > /dev/null; then
        mandoc -T lint -W warning "$page" || fault "$page: mandoc is not content"
    fi
done
command -v groff > /dev/null || echo "no groff here: the pages were not set by it"
command -v mandoc > /dev/null || echo "no mandoc here: the pages were not looked at by it"

[ "$failed" = 0 ] && echo "$flags flags"
exit "$failed"
