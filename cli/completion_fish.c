/* The completion script for fish. */
#include "cli/completion_parts.h"

static void brief(const char *help, struct jr_buf *out)
{
    (void)jr_buf_adds(out, " -d '");
    jr_completion_brief(help, "'\\", out);
    (void)jr_buf_adds(out, "'\n");
}

static void begin_completion(const struct jr_cli_command *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "complete -c jobreeve -n '__fish_seen_subcommand_from %s'", c->name);
}

static void flag(const struct jr_cli_command *c, const struct jr_flag *f, struct jr_buf *out)
{
    begin_completion(c, out);
    (void)jr_buf_addf(out, " -l %s", f->name);
    if (f->letter != 0)
        (void)jr_buf_addf(out, " -s %c", f->letter);
    switch (jr_completion_value(f)) {
    case JR_VALUE_NONE:
        break;
    case JR_VALUE_WORDS:
        (void)jr_buf_adds(out, " -x -a '");
        jr_completion_words(f->choices, out);
        (void)jr_buf_addc(out, '\'');
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

static void arguments(const struct jr_cli_command *c, const struct jr_cli_command *commands,
                      struct jr_buf *out)
{
    if (c->takes == JR_TAKES_NOTHING)
        return;
    begin_completion(c, out);
    if (c->takes == JR_TAKES_FILES) {
        (void)jr_buf_adds(out, " -F\n");
        return;
    }
    (void)jr_buf_adds(out, " -a '");
    if (c->takes == JR_TAKES_SHELL)
        jr_completion_words(jr_shell_names, out);
    else
        jr_completion_commands(commands, out);
    (void)jr_buf_adds(out, "'\n");
}

void jr_completion_fish(const struct jr_cli_command *commands, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "# fish completion for jobreeve, made by: jobreeve completion fish\n\n"
                           "complete -c jobreeve -f\n"
                           "complete -c jobreeve -s h -l help -d 'Print help'\n"
                           "complete -c jobreeve -l version -d 'Print the version'\n");
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        (void)jr_buf_addf(out, "complete -c jobreeve -n __fish_use_subcommand -a %s", c->name);
        brief(c->what, out);
    }
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        for (const struct jr_flag *f = c->flags->table; f->name != NULL; f++)
            flag(c, f, out);
        arguments(c, commands, out);
    }
}
