/* SPDX-License-Identifier: Apache-2.0 */
/* A report as workflow commands of GitHub Actions. */
#include "cli/output.h"
#include "common/base/show.h"

void jr_output_github_escape(struct jr_str s, bool property, struct jr_buf *out)
{
    const char *special = property ? "%\r\n:," : "%\r\n";

    while (s.n > 0) {
        size_t n = 0;

        while (n < s.n && (s.p[n] == '\0' || strchr(special, s.p[n]) == NULL))
            n++;
        jr_show(jr_str_head(s, n), out);
        if (n < s.n)
            (void)jr_buf_addf(out, "%%%02X", (unsigned)(unsigned char)s.p[n]);
        s = jr_str_from(s, n + (n < s.n));
    }
}

static const char *command_of(enum jr_level level)
{
    return level == JR_LEVEL_NOTE ? "notice" : jr_level_name(level);
}

static void begin_command(const char *command, struct jr_str file, unsigned line, unsigned column,
                          struct jr_buf *out)
{
    (void)jr_buf_addf(out, "::%s file=", command);
    jr_output_github_escape(file, true, out);
    if (line > 0)
        (void)jr_buf_addf(out, ",line=%u,col=%u", line, column);
}

static void add_finding(const struct jr_checked *o, const struct jr_finding *f, struct jr_buf *out)
{
    JR_BUF text = { 0 };

    begin_command(command_of(f->level), o->file, f->line, f->column, out);
    (void)jr_buf_adds(out, ",title=");
    jr_output_github_escape(o->kind, true, out);
    if (o->name.n + o->generate_name.n > 0)
        (void)jr_buf_addc(out, ' ');
    jr_output_github_escape(o->name.n > 0 ? o->name : o->generate_name, true, out);
    (void)jr_buf_adds(out, "::");
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_finding_write(f, &text);
    jr_output_github_escape(jr_buf_str(&text), false, out);
    (void)jr_buf_addc(out, '\n');
}

void jr_output_github(const struct jr_report *r, struct jr_buf *out)
{
    for (size_t i = 0; i < r->objects.n; i++) {
        const struct jr_checked *o = &r->objects.v[i];

        for (size_t k = 0; k < o->n; k++)
            add_finding(o, &o->v[k], out);
    }
    for (size_t i = 0; i < r->unreadable.n; i++) {
        const struct jr_unreadable *u = &r->unreadable.v[i];

        begin_command("error", u->file, u->line, u->column, out);
        (void)jr_buf_adds(out, "::");
        jr_output_github_escape(u->message, false, out);
        (void)jr_buf_addc(out, '\n');
    }
}
