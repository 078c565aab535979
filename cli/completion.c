/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts. The last line of an answer is ":" and what is to be done: 0 files, 16 folders, else
 * nothing but the candidates before it. */
#include "cli/completion.h"

#include <stddef.h>

const char *const jr_shell_names[] = { "bash", "zsh", "fish", NULL };

/* readline breaks words at '=' and ':', so that what stands before them must not be in the answers;
 * the words are read from the line for the same reason. */
static const char bash[] =
    "# bash completion for jobreeve, made by: jobreeve completion bash\n\n"
    "_jobreeve() {\n"
    "    local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} words=() lines=() cur done=''\n"
    "    COMPREPLY=()\n"
    "    read -ra words <<< \"$line\"\n"
    "    [[ $line != *[[:space:]] ]] || words+=('')\n"
    "    mapfile -t lines < <(\"${words[0]}\" __complete \"${words[@]:1}\" 2> /dev/null)\n"
    "    ((${#lines[@]} > 0)) || return\n"
    "    cur=${words[-1]}\n"
    "    [[ $cur != -*=* ]] || cur=${cur#*=}\n"
    "    case ${lines[-1]-} in\n"
    "    :0) compopt -o filenames 2> /dev/null || :; mapfile -t COMPREPLY < <(compgen -f -- "
    "\"$2\") ;;\n"
    "    :16) compopt -o filenames 2> /dev/null || :; mapfile -t COMPREPLY < <(compgen -d -- "
    "\"$2\") ;;\n"
    "    :*)\n"
    "        [[ $cur != *[=:]* || $COMP_WORDBREAKS != *[=:]* ]] || done=${cur%\"${cur##*[=:]}\"}\n"
    "        unset 'lines[-1]'\n"
    "        lines=(\"${lines[@]%%$'\\t'*}\")\n"
    "        COMPREPLY=(\"${lines[@]#\"$done\"}\")\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _jobreeve jobreeve\n";

/* Autoloaded, the file itself is the function. */
static const char zsh[] =
    "#compdef jobreeve\n"
    "# zsh completion for jobreeve, made by: jobreeve completion zsh\n\n"
    "_jobreeve() {\n"
    "    local line\n"
    "    local -a lines found\n"
    "    lines=(\"${(@f)$($words[1] __complete \"${(@)words[2,CURRENT]}\" 2> /dev/null)}\")\n"
    "    for line in \"${(@)lines[1,-2]}\"; do\n"
    "        found+=(\"${${line%%$'\\t'*}//:/\\\\:}${${(M)line%%$'\\t'*}/$'\\t'/:}\")\n"
    "    done\n"
    "    [[ $PREFIX != -*=* ]] || compset -P 1 '*='\n"
    "    case ${lines[-1]} in\n"
    "    :0) _files ;;\n"
    "    :16) _files -/ ;;\n"
    "    :*) _describe -t candidates candidate found ;;\n"
    "    esac\n"
    "}\n\n"
    "if [[ $funcstack[1] == _jobreeve ]]; then\n"
    "    _jobreeve \"$@\"\n"
    "else\n"
    "    compdef _jobreeve jobreeve\n"
    "fi\n";

static const char fish[] =
    "# fish completion for jobreeve, made by: jobreeve completion fish\n\n"
    "function __jobreeve_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l before (string match -r -- '^-[^=]*=' $words[-1]; or echo)\n"
    "    set -l lines ($words[1] __complete $words[2..-1] 2> /dev/null)\n"
    "    switch \"$lines[-1]\"\n"
    "        case :0\n"
    "            set lines (__fish_complete_path (string replace -r -- '^-[^=]*=' '' $words[-1])) "
    ":\n"
    "        case :16\n"
    "            set lines (__fish_complete_directories (string replace -r -- '^-[^=]*=' '' "
    "$words[-1])) :\n"
    "    end\n"
    "    set -e lines[-1]\n"
    "    test (count $lines) -gt 0; and printf '%s\\n' $before$lines\n"
    "end\n\n"
    "complete -c jobreeve -f -a '(__jobreeve_complete)'\n";

const char *const jr_completion_scripts[] = { bash, zsh, fish };
