/* SPDX-License-Identifier: Apache-2.0 */
/* Writes docs/reference/flags.md: every flag of every program, from the tables that the programs
 * read their flags with: make-flags > flags.md */
#include <stdio.h>

#include "cli/commands.h"
#include "controller/app/options.h"
#include "devcluster/commands.h"
#include "webhook/app/flags.h"

#define PAGE_MAX ((size_t)1 << 20)

static const char head[] =
    "# Flags\n\n"
    "This page lists every flag of every program, with its default. It is generated from the "
    "tables that the programs read their\n"
    "flags with (`docs/reference/make_flags.c`); `PROGRAM --help` and the manual pages say the "
    "same.\n\n"
    "A flag is written `--name=value` or `--name value`, with one dash or two. A switch is "
    "`--name` or `--name=false`. Times are `10s`, "
    "`1m30s`,\n"
    "`500ms`; bytes `65536`, `64Ki`, `7Mi`; lists have commas, or the flag is given again. Every "
    "program has `--help` and `--version`.\n"
    "A wrong flag or value ends the program with exit code 2 and a line that names the flag.\n\n"
    "`jobreeve-controller` also takes these settings from a file: see "
    "[operations](../operations.md#settings-from-a-file).\n";

/** Text of a table's cell: one line, with what Markdown would take for markup escaped. */
static void add_text(struct jr_str s, struct jr_buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\n')
            (void)jr_buf_addc(out, ' ');
        else if (strchr("|*<>", s.p[i]) != NULL)
            (void)jr_buf_addf(out, "\\%c", s.p[i]);
        else
            (void)jr_buf_addc(out, s.p[i]);
    }
}

static void add_value(const struct jr_flag *f, struct jr_buf *out)
{
    if (f->type == JR_FLAG_BOOL) {
        (void)jr_buf_adds(out, "switch");
    } else if (f->type == JR_FLAG_ENUM) {
        for (size_t i = 0; f->choices[i] != NULL; i++)
            (void)jr_buf_addf(out, "%s`%s`", i == 0 ? "" : ", ", f->choices[i]);
    } else {
        add_text(jr_flag_value_word(f), out);
    }
}

static void add_flag(const struct jr_flag *f, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "| ");
    if (f->letter != 0)
        (void)jr_buf_addf(out, "`-%c`, ", f->letter);
    (void)jr_buf_addf(out, "`--%s` | ", f->name);
    add_value(f, out);
    (void)jr_buf_adds(out, " | ");
    if (f->initial != NULL && f->initial[0] != '\0')
        (void)jr_buf_addf(out, "`%s`", f->initial);
    (void)jr_buf_adds(out, " | ");
    add_text(jr_str(f->help), out);
    (void)jr_buf_adds(out, " |\n");
}

static void add_program(const struct jr_flags *f, struct jr_buf *out)
{
    if (f->table->name == NULL)
        return;
    (void)jr_buf_addf(out, "\n## %s\n\n`%s [flags]", f->program, f->program);
    if (f->args != NULL)
        (void)jr_buf_addf(out, " %s", f->args);
    (void)jr_buf_adds(
        out, "`\n\n| flag | value | default | what it does |\n| --- | --- | --- | --- |\n");
    for (const struct jr_flag *row = f->table; row->name != NULL; row++)
        add_flag(row, out);
    for (const struct jr_flags *const *c = f->commands; c != NULL && *c != NULL; c++)
        add_program(*c, out);
}

/** Those of all commands and their subcommands. */
static void add_commands(const struct jr_cli_command *in, struct jr_buf *out)
{
    for (const struct jr_cli_command *c = in; c->name != NULL; c++) {
        if (c->subs != NULL)
            add_commands(c->subs, out);
        else
            add_program(c->flags, out);
    }
}

int main(void)
{
    static const struct jr_flags *const programs[] = {
        &jr_webhook_flags, &jr_controller_flags,  &jr_dev_serve_flags,
        &jr_dev_up_flags,  &jr_dev_kubelet_flags, &jr_dev_certs_flags,
    };
    JR_BUF out = { 0 };

    jr_buf_init(&out, PAGE_MAX);
    (void)jr_buf_adds(&out, head);
    for (size_t i = 0; i < 2; i++)
        add_program(programs[i], &out);
    add_commands(jr_cli_commands, &out);
    for (size_t i = 2; i < JR_ARRAY_SIZE(programs); i++)
        add_program(programs[i], &out);
    if (out.failed != JR_OK || !jr_buf_print(&out, stdout)) {
        (void)fputs("make-flags: the page can't be written\n", stderr);
        return 1;
    }
    return 0;
}
