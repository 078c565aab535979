#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completion scripts in their shells, and names out of a cluster: completion.sh FOLDER BIN PLUGIN
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scripts=$1 bin=$2 plugin=$3
. "$here/../../support/scene.sh"
scene completion
devcluster
export PATH=$bin:$PATH KUBECONFIG=$DIR/kubeconfig
dir=$DIR/words
mkdir "$dir"
cd "$dir"
create() { # create PATH KIND NAME
    api POST "$1" -H 'Content-Type: application/yaml' --data-binary "{kind: $2, metadata: {name: $3}, spec: {suspend: true, schedule: '0 3 * * *', template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}},
        jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}" > /dev/null
}
for i in nightly nights fit; do create /apis/batch/v1/namespaces/default/jobs Job $i; done
create /apis/batch/v1/namespaces/default/cronjobs CronJob nightly
api POST /api/v1/namespaces -H 'Content-Type: application/yaml' --data-binary '{kind: Namespace, metadata: {name: other}}' > /dev/null
create /apis/batch/v1/namespaces/other/jobs Job far
: > old.yaml
: > 'with blank.yaml'
mkdir folder
failed=0
checks=0

expect() { # expect SHELL LINE WANT GOT: words with blanks between
    checks=$((checks + 1))
    [ "$3" = "$4" ] || { echo "$1: \"$2\": got \"$4\", not \"$3\"" >&2; failed=1; }
}

has() { # has SHELL LINE WORD GOT
    checks=$((checks + 1))
    case " $4 " in
    *" $3 "*) ;;
    *) echo "$1: \"$2\": no \"$3\" in \"$4\"" >&2; failed=1 ;;
    esac
}

# The lines that every shell is asked, and what it must answer.
ask() { # ask SHELL FUNCTION: the function prints the candidates for a line in one line, sorted
    local shell=$1 of=$2
    expect "$shell" 'jobreeve conv' 'convert' "$("$of" 'jobreeve conv')"
    has "$shell" 'jobreeve ' 'default' "$("$of" 'jobreeve ')"
    has "$shell" 'jobreeve convert --' '--output' "$("$of" 'jobreeve convert --')"
    has "$shell" 'jobreeve convert --' '--diff' "$("$of" 'jobreeve convert --')"
    expect "$shell" 'jobreeve default --ui' '--uid' "$("$of" 'jobreeve default --ui' | sed 's/=$//')"
    expect "$shell" 'jobreeve convert --output ' 'json same yaml' "$("$of" 'jobreeve convert --output ')"
    expect "$shell" 'jobreeve convert -o y' 'yaml' "$("$of" 'jobreeve convert -o y')"
    expect "$shell" 'jobreeve completion ' 'bash fish zsh' "$("$of" 'jobreeve completion ')"
    has "$shell" 'jobreeve help ' 'convert' "$("$of" 'jobreeve help ')"
    expect "$shell" 'jobreeve convert --diff ol' 'old.yaml' "$("$of" 'jobreeve convert --diff ol')"
    expect "$shell" 'jobreeve policy ' 'facts library test' "$("$of" 'jobreeve policy ' | tr ' ' '\n' | sed '/^-/d' | paste -sd ' ')"
    expect "$shell" 'jobreeve policy te' 'test' "$("$of" 'jobreeve policy te')"
    has "$shell" 'jobreeve policy facts --' '--trusted-controllers' "$("$of" 'jobreeve policy facts --' | sed 's/=//g')"
    expect "$shell" 'jobreeve policy facts -o ' 'json text' "$("$of" 'jobreeve policy facts -o ')"
    expect "$shell" 'jobreeve policy library gp' 'gpu-budget' "$("$of" 'jobreeve policy library gp')"
    expect "$shell" 'jobreeve policy test -v ol' 'old.yaml' "$("$of" 'jobreeve policy test -v ol')"
    # Of a list what is there may stay in front of the words, by the shell.
    has "$shell" 'jobreeve check --kubernetes-version ' '1.31' "$("$of" 'jobreeve check --kubernetes-version ')"
    expect "$shell" 'jobreeve check --kubernetes-version 1.36,1.35,1.37' '1.37' "$("$of" 'jobreeve check --kubernetes-version 1.36,1.35,1.37' | sed 's/.*,//')"
    expect "$shell" 'jobreeve check -o json,s' 'sarif' "$("$of" 'jobreeve check -o json,s' | sed 's/.*,//')"
    expect "$shell" 'jobreeve check --feature-gate JobManagedBy=true,Gang' 'GangScheduling=false GangScheduling=true' \
        "$("$of" 'jobreeve check --feature-gate JobManagedBy=true,Gang' | sed 's/JobManagedBy=true,//g; s/^true,\| true,/ /g; s/^ //')"
    expect "$shell" 'jobreeve why job/ni' 'job/nightly job/nights' "$("$of" 'jobreeve why job/ni')"
    expect "$shell" 'jobreeve status ' 'job/fit job/nightly job/nights' "$("$of" 'jobreeve status ')"
    expect "$shell" 'jobreeve dump cr' 'cronjob/nightly' "$("$of" 'jobreeve dump cr')"
    expect "$shell" 'jobreeve wait -n other job/' 'job/far' "$("$of" 'jobreeve wait -n other job/')"
    expect "$shell" 'jobreeve wait --namespace ot' 'other' "$("$of" 'jobreeve wait --namespace ot')"
    expect "$shell" 'jobreeve default --feature-gate Gang' 'GangScheduling=false GangScheduling=true' "$("$of" 'jobreeve default --feature-gate Gang')"
}

# shellcheck source=/dev/null
. "$scripts/jobreeve"
answer() { # answer WORD...: what jobreeve __complete says of them, blanks for line feeds
    jobreeve __complete "$@" | sed 's/\t.*//' | paste -sd ' '
}
expect __complete 'no cluster' ':4' "$(KUBECONFIG=$DIR/none answer why job/)"
expect __complete 'no right' ':4' "$(api PUT /devcluster/faults -d '{"rules": [{"userAgent": "jobreeve/", "action": "status", "status": 403}]}' > /dev/null && answer why job/)"
api DELETE /devcluster/faults > /dev/null
expect __complete 'an object that is not there' ':4' "$(answer why job/zz)"
expect __complete 'a status wants no CronJob' ':4' "$(answer status cron)"
expect __complete 'a pod' ':4' "$(answer why pod/)"
expect __complete 'a value behind =' 'other :4' "$(answer wait --namespace=o)"
expect __complete 'a namespace behind =' 'job/far :4' "$(answer why --namespace=other job/)"
expect __complete 'nothing' ':4' "$(answer nothing at all)"
ln -s "$bin/jobreeve" "$dir/kubectl-jobreeve"
expect kubectl 'the plugin' 'job/nightly job/nights :4' "$(PATH=$dir:$PATH "$plugin" why job/ni | paste -sd ' ')"

registered=$(complete -p jobreeve)
expect bash 'complete -p' 'complete -F _jobreeve jobreeve' "$registered"

of_bash() { # of_bash LINE
    COMP_LINE=$1
    COMP_POINT=${#1}
    COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
    COMPREPLY=()
    _jobreeve jobreeve "${1##* }" ''
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}
ask bash of_bash
# Behind a '=' readline replaces only what follows it.
expect bash '--output=' 'json same yaml' "$(of_bash 'jobreeve convert --output=')"
expect bash '--output=j' 'json' "$(of_bash 'jobreeve convert --output=j')"
expect bash 'a gate' 'true' "$(of_bash 'jobreeve default --feature-gate GangScheduling=t')"
expect bash 'a list behind =' '1.36,1.37' "$(of_bash 'jobreeve check --kubernetes-version=1.36,1.37')"
expect bash 'no jobreeve' '' "$(of_bash 'nothing-like-it ' 2>&1)"
expect bash '--uid' '' "$(of_bash 'jobreeve default --uid ')"
expect bash 'a command without arguments' '' "$(of_bash 'jobreeve version ')"
expect bash 'no such command' '' "$(of_bash 'jobreeve chekc ')"
expect bash 'no such subcommand' '' "$(of_bash 'jobreeve policy chekc ')"
COMP_LINE='jobreeve default ' COMP_POINT=17
_jobreeve jobreeve 'with' ''
expect bash 'a file with a blank' 'with blank.yaml' "${COMPREPLY[*]}"

if command -v fish > fish.path; then
    of_fish() { # of_fish LINE; HOME: fish writes there. Behind what begins with the word fish 4 offers what has its letters somewhere.
        HOME=$dir fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scripts/jobreeve.fish" "$1" |
            cut -f 1 | awk -v word="${1##* }" 'index($0, word) == 1' | sort | paste -sd ' '
    }
    ask fish of_fish
    expect fish '--output=j' '--output=json' "$(of_fish 'jobreeve convert --output=j')"
    expect fish 'a list behind =' '--kubernetes-version=1.36,1.37' "$(of_fish 'jobreeve check --kubernetes-version=1.36,1.37')"
else
    echo "no fish here, so its script can't be tried: ./dev test installs it" >&2
    failed=1
fi

if command -v zsh > zsh.path; then
    # In a terminal of zsh's own making: what one Tab inserts, or a list of what it could.
    cat > ask.zsh << 'END'
zmodload zsh/zpty
fpath=($1 $fpath)
zpty asked zsh -f -i
say() { zpty -w asked "$1" }
say "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -d $PWD/zcompdump; PS1= RPS1="
say "zstyle ':completion:*' list-grouped false; zstyle ':completion:*' insert-tab false; unsetopt list_packed; LISTMAX=0"
say 'report() { print -r -- "BEGIN"; print -rl -- $seen; print -r -- "END" }'
# Every candidate goes through compadd.
say 'compadd() { if [[ ${@[(I)-(O|A|D)]} -gt 0 ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -O hits "$@"; seen+=($hits); builtin compadd "$@" }'
say 'ask() { typeset -ga seen=(); zle complete-word; report; zle kill-buffer; zle send-break }'
say 'zle -C complete-word complete-word _main_complete; zle -N ask; bindkey "^X" ask; print -r READY'
zpty -r -m asked text '*READY*READY*'
zpty -w -n asked "$2"$'\x18'
zpty -r -m asked text '*BEGIN*END*'
text=${text##*BEGIN}
print -r -- ${text%%END*}
zpty -d asked
END
    of_zsh() { # of_zsh LINE
        TERM=dumb COLUMNS=200 timeout 60 zsh -f ask.zsh "$scripts" "$1" | tr -d '\r' | tr -s ' \n' '\n\n' | sed '/^$/d' | sort -u |
            paste -sd ' '
    }
    ask zsh of_zsh
else
    echo "no zsh here, so its script can't be tried: ./dev test installs it" >&2
    failed=1
fi

[ "$failed" = 0 ] && echo "$checks answers"
exit "$failed"
