/* SPDX-License-Identifier: Apache-2.0 */
/* The completion script for bash. */
#include "cli/completion_parts.h"

static void flags_of(const struct jr_completion_item *i)
{
    struct jr_buf *out = i->out;

    (void)jr_buf_adds(out, "    '");
    jr_completion_name(i);
    (void)jr_buf_adds(out, "') echo '");
    for (const struct jr_flag *f = i->command->flags->table; f->name != NULL; f++) {
        if (f->letter != 0)
            (void)jr_buf_addf(out, "-%c ", f->letter);
        (void)jr_buf_addf(out, "--%s ", f->name);
    }
    (void)jr_buf_adds(out, "-h --help --version' ;;\n");
}

static void value_of(const struct jr_completion_item *i, const struct jr_flag *f)
{
    const enum jr_value_kind kind = jr_completion_value(f);
    struct jr_buf *out = i->out;

    if (kind == JR_VALUE_NONE)
        return;
    (void)jr_buf_adds(out, "    '");
    jr_completion_name(i);
    (void)jr_buf_addf(out, " --%s'", f->name);
    if (f->letter != 0) {
        (void)jr_buf_adds(out, " | '");
        jr_completion_name(i);
        (void)jr_buf_addf(out, " -%c'", f->letter);
    }
    (void)jr_buf_adds(out, ") echo '");
    if (kind == JR_VALUE_WORDS && f->type == JR_FLAG_LIST)
        (void)jr_buf_adds(out, "<list> ");
    if (kind == JR_VALUE_WORDS)
        jr_completion_words(f->choices, out);
    else
        (void)jr_buf_adds(out, kind == JR_VALUE_FILE     ? "<files>"
                               : kind == JR_VALUE_FOLDER ? "<folders>"
                                                         : "<text>");
    (void)jr_buf_adds(out, "' ;;\n");
}

static void arguments_of(const struct jr_completion_item *i)
{
    const enum jr_cli_takes takes = i->command->takes;

    if (takes == JR_TAKES_NOTHING)
        return;
    (void)jr_buf_adds(i->out, "    '");
    jr_completion_name(i);
    (void)jr_buf_adds(i->out, " ') echo '");
    if (takes == JR_TAKES_FILES)
        (void)jr_buf_adds(i->out, "<files>");
    else if (takes == JR_TAKES_SHELL)
        jr_completion_words(jr_shell_names, i->out);
    else if (takes == JR_TAKES_POLICY)
        jr_completion_policies(i->out);
    else
        jr_completion_commands(i->commands, i->out);
    (void)jr_buf_adds(i->out, "' ;;\n");
}

static void values_of(const struct jr_completion_item *i)
{
    for (const struct jr_flag *f = i->command->flags->table; f->name != NULL; f++)
        value_of(i, f);
    arguments_of(i);
}

static void commands_of(const char *name, const struct jr_cli_command *commands, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "    '%s') echo '", name);
    jr_completion_commands(commands, out);
    (void)jr_buf_adds(out, "' ;;\n");
}

/* readline breaks words at '=', so that what stands before it must not be in the answers; the words
 * are read from the line for the same reason. */
static const char body[] =
    "_jobreeve() {\n"
    "    local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} words=() cur flag values before=''\n"
    "    local command group='' first=2\n"
    "    COMPREPLY=()\n"
    "    read -ra words <<< \"$line\"\n"
    "    [[ $line != *[[:space:]] ]] || words+=('')\n"
    "    cur=${words[-1]}\n"
    "    command=${words[1]-}\n"
    "    if ((${#words[@]} > 2)) && [[ -n $command && -n $(_jobreeve_commands \"$command\") ]]; "
    "then\n"
    "        group=$command\n"
    "        command+=\" ${words[2]}\"\n"
    "        first=3\n"
    "    fi\n"
    "    if ((${#words[@]} <= first)); then\n"
    "        values=\"$(_jobreeve_commands \"$group\") -h --help --version\"\n"
    "    else\n"
    "        flag=${words[-2]}\n"
    "        if [[ $cur == -*=* ]]; then\n"
    "            flag=${cur%%=*}\n"
    "            cur=${cur#*=}\n"
    "        fi\n"
    "        values=$(_jobreeve_values \"$command\" \"$flag\")\n"
    "        if [[ -z $values && $cur == -* ]]; then\n"
    "            values=$(_jobreeve_flags \"$command\")\n"
    "        elif [[ -z $values ]]; then\n"
    "            values=$(_jobreeve_values \"$command\" '')\n"
    "        fi\n"
    "    fi\n"
    "    if [[ $values == '<list> '* ]]; then\n"
    "        values=${values#<list> }\n"
    "        [[ $cur != *,* ]] || before=${cur%,*},\n"
    "    fi\n"
    "    case $values in\n"
    "    '' | '<text>') return ;;\n"
    "    '<files>') compopt -o filenames 2> /dev/null || :; mapfile -t COMPREPLY < <(compgen -f -- "
    "\"$2\") ;;\n"
    "    '<folders>') compopt -o filenames 2> /dev/null || :; mapfile -t COMPREPLY < <(compgen -d "
    "-- "
    "\"$2\") ;;\n"
    "    *)\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$values\" -- "
    "\"${cur#\"$before\"}\")\n"
    "        if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
    "            COMPREPLY=(\"${COMPREPLY[@]#\"${cur%=*}=\"}\")\n"
    "        fi\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _jobreeve jobreeve\n";

void jr_completion_bash(const struct jr_cli_command *commands, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "# bash completion for jobreeve, made by: jobreeve completion bash\n\n"
                           "# Without a command all of them; its subcommands, if it has some.\n"
                           "_jobreeve_commands() { # [COMMAND]\n    case $1 in\n");
    commands_of("", commands, out);
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        if (c->subs != NULL)
            commands_of(c->name, c->subs, out);
    }
    (void)jr_buf_adds(out, "    esac\n}\n\n_jobreeve_flags() { # COMMAND\n    case $1 in\n");
    jr_completion_each(commands, out, flags_of);
    (void)jr_buf_adds(out, "    esac\n}\n\n"
                           "# What the flag's value may be, or without a flag the command's "
                           "arguments; nothing: there is none.\n"
                           "_jobreeve_values() { # COMMAND FLAG\n    case \"$1 $2\" in\n");
    jr_completion_each(commands, out, values_of);
    (void)jr_buf_adds(out, "    esac\n}\n\n");
    (void)jr_buf_adds(out, body);
}
