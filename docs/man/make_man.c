/* SPDX-License-Identifier: Apache-2.0 */
/* Fills up a manual page: make-man PAGE.in PAGE DATE. A line of the input that is @SYNOPSIS
 * PROGRAM@ or @OPTIONS PROGRAM@ becomes that part of the program's flag table, @COMMANDS@ the list
 * of jobreeve's commands, and anywhere @VERSION@ the version and @DATE@ the date. */
#include <errno.h>
#include <stdio.h>

#include "cli/commands.h"
#include "controller/app/options.h"
#include "devcluster/commands.h"
#include "docs/man/flags_man.h"
#include "webhook/app/flags.h"

#define PAGE_MAX ((size_t)1 << 20)

/** The flags of one of the commands, or of their subcommands; NULL if there is none of that name.
 */
static const struct jr_flags *find_command(const struct jr_cli_command *in, struct jr_str program)
{
    for (const struct jr_cli_command *c = in; c->name != NULL; c++) {
        const struct jr_flags *found = c->flags;

        if (jr_str_is(program, c->flags->program))
            return found;
        found = c->subs == NULL ? NULL : find_command(c->subs, program);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/** The flags of a program or of one of its commands; NULL if there is none of that name. */
static const struct jr_flags *find(struct jr_str program)
{
    static const struct jr_flags *const programs[] = {
        &jr_webhook_flags, &jr_controller_flags,  &jr_dev_serve_flags,
        &jr_dev_up_flags,  &jr_dev_kubelet_flags, &jr_dev_certs_flags,
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(programs); i++) {
        if (jr_str_is(program, programs[i]->program))
            return programs[i];
        for (const struct jr_flags *const *c = programs[i]->commands; c != NULL && *c != NULL; c++)
            if (jr_str_is(program, (*c)->program))
                return *c;
    }
    return find_command(jr_cli_commands, program);
}

static void add_commands(const struct jr_cli_command *in, struct jr_buf *out)
{
    for (const struct jr_cli_command *c = in; c->name != NULL; c++) {
        if (c->subs != NULL) {
            add_commands(c->subs, out);
            continue;
        }
        (void)jr_buf_addf(out, ".TP\n\\fB%s\\fR", c->flags->program);
        if (c->flags->args != NULL) {
            (void)jr_buf_adds(out, " \\fI");
            jr_man_text(jr_str(c->flags->args), out);
            (void)jr_buf_adds(out, "\\fR");
        }
        (void)jr_buf_addc(out, '\n');
        jr_man_text(jr_str(c->what), out);
        (void)jr_buf_addc(out, '\n');
    }
}

/** The line with its marks replaced. */
static enum jr_status add_plain(struct jr_str line, const char *date, struct jr_buf *out)
{
    const struct {
        const char *mark, *text;
    } marks[] = { { "@VERSION@", JR_VERSION }, { "@DATE@", date } };

    while (line.n > 0) {
        size_t i = 0;

        while (i < JR_ARRAY_SIZE(marks) && !jr_str_starts(line, jr_str(marks[i].mark)))
            i++;
        if (i < JR_ARRAY_SIZE(marks))
            (void)jr_buf_adds(out, marks[i].text);
        else
            (void)jr_buf_addc(out, line.p[0]);
        line = jr_str_from(line, i < JR_ARRAY_SIZE(marks) ? strlen(marks[i].mark) : 1);
    }
    return jr_buf_addc(out, '\n');
}

/** One line of the input. */
static enum jr_status add_line(struct jr_str line, const char *date, struct jr_buf *out,
                               struct jr_error *err)
{
    const bool marked = line.n > 2 && line.p[0] == '@' && line.p[line.n - 1] == '@';
    struct jr_str program = jr_str_from(jr_str_head(line, line.n - (marked ? 1 : 0)), 1), what;
    const struct jr_flags *flags;

    if (!marked)
        return add_plain(line, date, out);
    if (jr_str_is(line, "@COMMANDS@")) {
        add_commands(jr_cli_commands, out);
        return out->failed;
    }
    if (!jr_str_cut(&program, ' ', &what) || (flags = find(program)) == NULL)
        return jr_fail(err, JR_NOTFOUND, NULL, "no such flags: %.*s", JR_P(line));
    if (jr_str_is(what, "SYNOPSIS"))
        return jr_flags_man_synopsis(flags, out);
    if (jr_str_is(what, "OPTIONS"))
        return jr_flags_man_options(flags, out);
    return jr_fail(err, JR_NOTFOUND, NULL, "no such part: %.*s", JR_P(line));
}

static enum jr_status read_page(const char *path, struct jr_buf *page, struct jr_error *err)
{
    char chunk[65536];
    FILE *f = fopen(path, "re");
    size_t n;

    if (f == NULL)
        return jr_fail_errno(err, errno, path, "can't open");
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        (void)jr_buf_add(page, (struct jr_str){ chunk, n });
    if (ferror(f) != 0)
        page->failed = JR_IO;
    (void)fclose(f);
    return page->failed == JR_OK ? JR_OK : jr_fail(err, page->failed, path, "can't read");
}

static enum jr_status write_page(const char *path, const struct jr_buf *page, struct jr_error *err)
{
    FILE *f = fopen(path, "we");
    bool ok;

    if (f == NULL)
        return jr_fail_errno(err, errno, path, "can't write");
    ok = fwrite(page->p, 1, page->n, f) == page->n;
    if (fclose(f) != 0 || !ok)
        return jr_fail(err, JR_IO, path, "can't write");
    return JR_OK;
}

static enum jr_status make(const char *from, const char *to, const char *date, struct jr_error *err)
{
    JR_BUF in = { 0 };
    JR_BUF out = { 0 };
    struct jr_str rest, line;
    enum jr_status st;

    jr_buf_init(&in, PAGE_MAX);
    jr_buf_init(&out, PAGE_MAX);
    st = read_page(from, &in, err);
    rest = jr_buf_str(&in);
    while (st == JR_OK && jr_str_cut(&rest, '\n', &line)) {
        st = add_line(line, date, &out, err);
        if (st != JR_OK)
            jr_error_in(err, from);
    }
    return st == JR_OK ? write_page(to, &out, err) : st;
}

int main(int argc, char **argv)
{
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];

    if (argc != 4) {
        (void)fputs("usage: make-man PAGE.in PAGE DATE\n", stderr);
        return 2;
    }
    if (make(argv[1], argv[2], argv[3], &err) == JR_OK)
        return 0;
    (void)fprintf(stderr, "make-man: %s\n", jr_error_text(&err, text, sizeof(text)));
    return 1;
}
