/* SPDX-License-Identifier: Apache-2.0 */
/* The completion script for zsh. */
#include "cli/completion_parts.h"

/* Inside of single quotes and of _arguments' own syntax. */
#define ESCAPE "':[]\\"

static void value(const struct jr_flag *f, struct jr_buf *out)
{
    struct jr_str word = jr_flag_value_word(f);
    const enum jr_value_kind kind = jr_completion_value(f);

    if (kind == JR_VALUE_NONE)
        return;
    (void)jr_buf_addc(out, ':');
    for (size_t i = 0; i < word.n; i++)
        (void)jr_buf_addf(out, "%s%c", strchr(ESCAPE, word.p[i]) != NULL ? "\\" : "", word.p[i]);
    (void)jr_buf_addc(out, ':');
    if (kind == JR_VALUE_WORDS && f->type == JR_FLAG_LIST) {
        (void)jr_buf_adds(out, "_sequence compadd - ");
        jr_completion_words(f->choices, out);
    } else if (kind == JR_VALUE_WORDS) {
        (void)jr_buf_addc(out, '(');
        jr_completion_words(f->choices, out);
        (void)jr_buf_addc(out, ')');
    } else if (kind != JR_VALUE_TEXT) {
        (void)jr_buf_adds(out, kind == JR_VALUE_FILE ? "_files" : "_files -/");
    }
}

/** '(-o --output)'{-o,--output=}'[What it does]:format:(same yaml json)' */
static void flag(const struct jr_flag *f, struct jr_buf *out)
{
    const char *eq = jr_completion_value(f) == JR_VALUE_NONE ? "" : "=";

    (void)jr_buf_adds(out, "                ");
    if (f->letter != 0 && f->type == JR_FLAG_LIST)
        (void)jr_buf_addf(out, "'*'{-%c,--%s%s}'", f->letter, f->name, eq);
    else if (f->letter != 0)
        (void)jr_buf_addf(out, "'(-%c --%s)'{-%c,--%s%s}'", f->letter, f->name, f->letter, f->name,
                          eq);
    else
        (void)jr_buf_addf(out, "'%s--%s%s", f->type == JR_FLAG_LIST ? "*" : "", f->name, eq);
    (void)jr_buf_addc(out, '[');
    jr_completion_brief(f->help, ESCAPE, out);
    (void)jr_buf_addc(out, ']');
    value(f, out);
    (void)jr_buf_adds(out, "' \\\n");
}

static void command(const struct jr_cli_command *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "        %s)\n            _arguments \\\n", c->name);
    for (const struct jr_flag *f = c->flags->table; f->name != NULL; f++)
        flag(f, out);
    (void)jr_buf_adds(out, "                '(- *)'{-h,--help}'[Print help]' \\\n"
                           "                '(- *)--version[Print the version]'");
    if (c->takes == JR_TAKES_FILES)
        (void)jr_buf_adds(out, " \\\n                '*:file:_files'");
    if (c->takes == JR_TAKES_COMMAND)
        (void)jr_buf_adds(out, " \\\n                '1:command:{_describe command commands}'");
    if (c->takes == JR_TAKES_SHELL) {
        (void)jr_buf_adds(out, " \\\n                '1:shell:(");
        jr_completion_words(jr_shell_names, out);
        (void)jr_buf_adds(out, ")'");
    }
    if (c->takes == JR_TAKES_POLICY) {
        (void)jr_buf_adds(out, " \\\n                '1:policy:(");
        jr_completion_policies(out);
        (void)jr_buf_adds(out, ")'");
    }
    (void)jr_buf_adds(out, "\n            ;;\n");
}

/** The words of an array that _describe takes. */
static void describe(const struct jr_cli_command *commands, struct jr_buf *out)
{
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        (void)jr_buf_addf(out, "        '%s:", c->name);
        jr_completion_brief(c->what, "'\\", out);
        (void)jr_buf_adds(out, "'\n");
    }
}

/** The same one word further on. */
static void group(const struct jr_cli_command *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "        %s)\n        commands=(\n", c->name);
    describe(c->subs, out);
    (void)jr_buf_adds(out, "        )\n"
                           "        if ((CURRENT == 2)); then\n"
                           "            _arguments \\\n"
                           "                '(- *)'{-h,--help}'[Print help]' \\\n"
                           "                '(- *)--version[Print the version]' \\\n"
                           "                '1:command:{_describe command commands}'\n"
                           "            return\n"
                           "        fi\n"
                           "        shift words\n"
                           "        ((CURRENT--))\n"
                           "        case $words[1] in\n");
    for (const struct jr_cli_command *sub = c->subs; sub->name != NULL; sub++)
        command(sub, out);
    (void)jr_buf_adds(out, "        esac\n            ;;\n");
}

void jr_completion_zsh(const struct jr_cli_command *commands, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "#compdef jobreeve\n"
                           "# zsh completion for jobreeve, made by: jobreeve completion zsh\n\n"
                           "_jobreeve() {\n"
                           "    local curcontext=$curcontext state line\n"
                           "    local -A opt_args\n"
                           "    local -a commands=(\n");
    describe(commands, out);
    (void)jr_buf_adds(out, "    )\n\n"
                           "    _arguments -C \\\n"
                           "        '(- *)'{-h,--help}'[Print help]' \\\n"
                           "        '(- *)--version[Print the version]' \\\n"
                           "        '1:command:->command' \\\n"
                           "        '*::argument:->argument' && return\n"
                           "    case $state in\n"
                           "    command) _describe command commands ;;\n"
                           "    argument)\n"
                           "        case $words[1] in\n");
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++)
        (c->subs == NULL ? command : group)(c, out);
    /* Autoloaded, the file itself is the function. */
    (void)jr_buf_adds(out, "        esac\n"
                           "        ;;\n"
                           "    esac\n"
                           "}\n\n"
                           "if [[ $funcstack[1] == _jobreeve ]]; then\n"
                           "    _jobreeve \"$@\"\n"
                           "else\n"
                           "    compdef _jobreeve jobreeve\n"
                           "fi\n");
}
