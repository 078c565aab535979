/* SPDX-License-Identifier: Apache-2.0 */
/* The completion script for fish. */
#include "cli/completion_parts.h"

static void brief(const char *help, struct jr_buf *out)
{
    (void)jr_buf_adds(out, " -d '");
    jr_completion_brief(help, "'\\", out);
    (void)jr_buf_adds(out, "'\n");
}

static void begin_completion(const struct jr_completion_item *i)
{
    (void)jr_buf_adds(i->out, "complete -c jobreeve -n '");
    if (i->group != NULL)
        (void)jr_buf_addf(i->out, "__fish_seen_subcommand_from %s; and ", i->group->name);
    (void)jr_buf_addf(i->out, "__fish_seen_subcommand_from %s'", i->command->name);
}

static void flag(const struct jr_completion_item *i, const struct jr_flag *f)
{
    struct jr_buf *out = i->out;

    begin_completion(i);
    (void)jr_buf_addf(out, " -l %s", f->name);
    if (f->letter != 0)
        (void)jr_buf_addf(out, " -s %c", f->letter);
    switch (jr_completion_value(f)) {
    case JR_VALUE_NONE:
        break;
    case JR_VALUE_WORDS:
        (void)jr_buf_adds(out, f->type == JR_FLAG_LIST ? " -x -a '(__jobreeve_list " : " -x -a '");
        jr_completion_words(f->choices, out);
        (void)jr_buf_adds(out, f->type == JR_FLAG_LIST ? ")'" : "'");
        break;
    case JR_VALUE_FILE:
        (void)jr_buf_adds(out, " -r -F");
        break;
    case JR_VALUE_FOLDER:
        (void)jr_buf_adds(out, " -x -a '(__fish_complete_directories)'");
        break;
    case JR_VALUE_TEXT:
        (void)jr_buf_adds(out, " -x");
        break;
    }
    brief(f->help, out);
}

static void arguments(const struct jr_completion_item *i)
{
    const enum jr_cli_takes takes = i->command->takes;

    if (takes == JR_TAKES_NOTHING)
        return;
    begin_completion(i);
    if (takes == JR_TAKES_FILES) {
        (void)jr_buf_adds(i->out, " -F\n");
        return;
    }
    (void)jr_buf_adds(i->out, " -a '");
    if (takes == JR_TAKES_SHELL)
        jr_completion_words(jr_shell_names, i->out);
    else if (takes == JR_TAKES_POLICY)
        jr_completion_policies(i->out);
    else
        jr_completion_commands(i->commands, i->out);
    (void)jr_buf_adds(i->out, "'\n");
}

static void item(const struct jr_completion_item *i)
{
    for (const struct jr_flag *f = i->command->flags->table; f->name != NULL; f++)
        flag(i, f);
    arguments(i);
}

static void subcommands(const struct jr_cli_command *c, struct jr_buf *out)
{
    for (const struct jr_cli_command *sub = c->subs; sub != NULL && sub->name != NULL; sub++) {
        (void)jr_buf_addf(out,
                          "complete -c jobreeve -n '__fish_seen_subcommand_from %s; and not "
                          "__fish_seen_subcommand_from ",
                          c->name);
        jr_completion_commands(c->subs, out);
        (void)jr_buf_addf(out, "' -a %s", sub->name);
        brief(sub->what, out);
    }
}

void jr_completion_fish(const struct jr_cli_command *commands, struct jr_buf *out)
{
    (void)jr_buf_adds(out,
                      "# fish completion for jobreeve, made by: jobreeve completion fish\n\n"
                      "# A list's words, behind those that are there.\n"
                      "function __jobreeve_list\n"
                      "    set -l token (string replace -r -- '^--?[^=]*=' '' (commandline -ct))\n"
                      "    printf '%s\\n' (string match -r -- '^.*,' $token; or echo)$argv\n"
                      "end\n\n"
                      "complete -c jobreeve -f\n"
                      "complete -c jobreeve -s h -l help -d 'Print help'\n"
                      "complete -c jobreeve -l version -d 'Print the version'\n");
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        (void)jr_buf_addf(out, "complete -c jobreeve -n __fish_use_subcommand -a %s", c->name);
        brief(c->what, out);
    }
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++)
        subcommands(c, out);
    jr_completion_each(commands, out, item);
}
