/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/man/flags_man.h"

void jr_man_text(struct jr_str s, struct jr_buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        const bool starts_line = i == 0 || s.p[i - 1] == '\n';

        if (starts_line && (s.p[i] == '.' || s.p[i] == '\''))
            (void)jr_buf_adds(out, "\\&");
        if (s.p[i] == '\\')
            (void)jr_buf_adds(out, "\\e");
        else if (s.p[i] == '-')
            (void)jr_buf_adds(out, "\\-");
        else
            (void)jr_buf_addc(out, s.p[i]);
    }
}

static void styled(char font, struct jr_str s, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "\\f%c", font);
    jr_man_text(s, out);
    (void)jr_buf_adds(out, "\\fR");
}

/** What stands in `back quotes` is the value's name. */
static void help_text(const char *help, struct jr_buf *out)
{
    struct jr_str rest = jr_str(help), part;
    bool quoted = false;

    while (jr_str_cut(&rest, '`', &part)) {
        if (quoted)
            styled('I', part, out);
        else
            jr_man_text(part, out);
        quoted = !quoted;
    }
}

static void value(const struct jr_flag *f, struct jr_buf *out)
{
    if (f->type == JR_FLAG_BOOL)
        return;
    (void)jr_buf_addc(out, ' ');
    if (f->type != JR_FLAG_ENUM) {
        styled('I', jr_flag_value_word(f), out);
        return;
    }
    for (size_t i = 0; f->choices[i] != NULL; i++) {
        (void)jr_buf_adds(out, i == 0 ? "" : "|");
        styled('B', jr_str(f->choices[i]), out);
    }
}

static void option(const struct jr_flag *f, struct jr_buf *out)
{
    (void)jr_buf_adds(out, ".TP\n");
    if (f->letter != 0)
        (void)jr_buf_addf(out, "\\fB\\-%c\\fR, ", f->letter);
    (void)jr_buf_adds(out, "\\fB\\-\\-");
    jr_man_text(jr_str(f->name), out);
    (void)jr_buf_adds(out, "\\fR");
    value(f, out);
    (void)jr_buf_addc(out, '\n');
    help_text(f->help, out);
    if (f->initial != NULL && f->initial[0] != '\0') {
        (void)jr_buf_adds(out, "\nThe default is ");
        styled('B', jr_str(f->initial), out);
        (void)jr_buf_addc(out, '.');
    }
    (void)jr_buf_addc(out, '\n');
}

enum jr_status jr_flags_man_synopsis(const struct jr_flags *f, struct jr_buf *out)
{
    styled('B', jr_str(f->program), out);
    (void)jr_buf_adds(out, " [\\fIflags\\fR]");
    if (f->args != NULL) {
        (void)jr_buf_addc(out, ' ');
        styled('I', jr_str(f->args), out);
    }
    return jr_buf_addc(out, '\n');
}

enum jr_status jr_flags_man_options(const struct jr_flags *f, struct jr_buf *out)
{
    for (const struct jr_flag *row = f->table; row->name != NULL; row++)
        option(row, out);
    (void)jr_buf_adds(out, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrints the flags.\n"
                           ".TP\n\\fB\\-\\-version\\fR\nPrints the version, and what the program "
                           "was built of and runs with.\n");
    return out->failed;
}
