/* SPDX-License-Identifier: Apache-2.0 */
/* A report as text for people. */
#include "cli/output.h"
#include "common/base/show.h"
#include "common/base/utf8.h"

#define BOLD "\x1b[1m"
#define RED "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"
#define CYAN "\x1b[36m"
#define PLAIN "\x1b[0m"

/** A source line: a character stays a character, or the caret would miss. */
static void add_source(struct jr_str s, struct jr_buf *out)
{
    while (s.n > 0) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(s, &c, &bad);

        if (bad || (jr_is_hidden(c) && c != '\t'))
            (void)jr_buf_add(out, JR_UTF8_BAD_S);
        else
            (void)jr_buf_add(out, jr_str_head(s, n));
        s = jr_str_from(s, n);
    }
}

static void add_caret(const struct jr_finding *f, const struct jr_output_style *style,
                      struct jr_buf *out)
{
    struct jr_str s = f->source;

    (void)jr_buf_addf(out, "%5u | ", f->line);
    add_source(s, out);
    (void)jr_buf_adds(out, "\n      | ");
    for (unsigned i = 0; i < f->caret; i++) {
        uint32_t c = ' ';
        bool bad;
        size_t n = s.n == 0 ? 0 : jr_utf8_next(s, &c, &bad);

        (void)jr_buf_addc(out, c == '\t' ? '\t' : ' ');
        s = jr_str_from(s, n);
    }
    (void)jr_buf_addf(out, "%s^%s\n", style->color ? RED : "", style->color ? PLAIN : "");
}

static const char *const colors[] = {
    [JR_LEVEL_ERROR] = RED, [JR_LEVEL_WARNING] = YELLOW, [JR_LEVEL_NOTE] = CYAN
};

static void add_finding(const struct jr_checked *o, const struct jr_finding *f,
                        const struct jr_output_style *style, struct jr_buf *out)
{
    const char *bold = style->color ? BOLD : "", *plain = style->color ? PLAIN : "";

    (void)jr_buf_adds(out, bold);
    jr_show(o->file, out);
    (void)jr_buf_addf(out, ":%u:%u:%s ", f->line, f->column, plain);
    if (f->level != JR_LEVEL_ERROR)
        (void)jr_buf_addf(out, "%s%s:%s ", style->color ? colors[f->level] : "",
                          jr_level_name(f->level), plain);
    jr_finding_write_versions(f, out);
    if (!jr_finding_says_field(f)) {
        (void)jr_buf_adds(out, style->color ? CYAN : "");
        jr_show(f->field, out);
        (void)jr_buf_addf(out, ":%s ", plain);
    }
    jr_show(f->message, out);
    if (f->hint.n > 0) {
        (void)jr_buf_adds(out, " (");
        jr_show(f->hint, out);
        (void)jr_buf_addc(out, ')');
    }
    (void)jr_buf_addc(out, '\n');
    if (style->source && f->source.p != NULL)
        add_caret(f, style, out);
}

void jr_output_text(const struct jr_report *r, const struct jr_output_style *style,
                    struct jr_buf *out)
{
    for (size_t i = 0; i < r->objects.n; i++) {
        const struct jr_checked *o = &r->objects.v[i];

        for (size_t k = 0; k < o->n; k++)
            add_finding(o, &o->v[k], style, out);
    }
}

void jr_output_unreadable(const struct jr_unreadable *u, struct jr_buf *out)
{
    jr_show(u->file, out);
    if (u->line > 0)
        (void)jr_buf_addf(out, ":%u:%u", u->line, u->column);
    (void)jr_buf_adds(out, ": ");
    jr_show(u->message, out);
    (void)jr_buf_addc(out, '\n');
}

void jr_output_all_unreadable(const struct jr_report *r, struct jr_buf *out)
{
    for (size_t i = 0; i < r->unreadable.n; i++)
        jr_output_unreadable(&r->unreadable.v[i], out);
}

static const char *s_of(size_t n)
{
    return n == 1 ? "" : "s";
}

static size_t count_updates(const struct jr_report *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->objects.n; i++)
        n += strcmp(r->objects.v[i].operation, "create") != 0;
    return n;
}

/** How many objects the version refuses. */
static size_t count_refused(const struct jr_report *r, size_t version)
{
    size_t n = 0;

    for (size_t i = 0; i < r->objects.n; i++) {
        const struct jr_checked *o = &r->objects.v[i];
        bool refused = false;

        for (size_t k = 0; k < o->n; k++)
            refused |= o->v[k].refuses && (o->v[k].versions >> version & 1) != 0;
        n += refused;
    }
    return n;
}

/** "; 2 refused by 1.31, 1.33; 3 refused by 1.32": the versions that refuse as many are named
 * together. */
static void add_refused(const struct jr_report *r, struct jr_buf *out)
{
    size_t counts[JR_VERSIONS_MAX];
    unsigned told = 0;

    for (size_t i = 0; i < r->versions.n; i++)
        counts[i] = count_refused(r, i);
    for (size_t i = 0; i < r->versions.n; i++) {
        unsigned same = 0;

        if (counts[i] == 0 || (told >> i & 1) != 0)
            continue;
        for (size_t k = i; k < r->versions.n; k++)
            same |= (unsigned)(counts[k] == counts[i]) << k;
        (void)jr_buf_addf(out, "; %zu refused by ", counts[i]);
        jr_versions_write(&r->versions, same, out);
        told |= same;
    }
}

void jr_output_summary(const struct jr_report *r, struct jr_buf *out)
{
    const bool several = r->versions.n > 1;
    size_t n = r->objects.n;
    size_t updates = r->compared ? count_updates(r) : 0;

    (void)jr_buf_addf(out, "%zu object%s in %zu file%s", n, s_of(n), r->files, s_of(r->files));
    if (r->compared)
        (void)jr_buf_addf(out, ", %zu update%s", updates, s_of(updates));
    if (several) {
        (void)jr_buf_adds(out, ", by Kubernetes ");
        jr_versions_write(&r->versions, jr_versions_all(&r->versions), out);
    }
    (void)jr_buf_addf(out, ": %zu error%s, %zu warning%s", r->errors, s_of(r->errors), r->warnings,
                      s_of(r->warnings));
    if (several)
        add_refused(r, out);
    if (r->others > 0)
        (void)jr_buf_addf(out, "; %zu of other kinds passed over", r->others);
    if (r->excepted > 0)
        (void)jr_buf_addf(out, "; %zu by an exception of a policy", r->excepted);
    if (r->unmatched > 0)
        (void)jr_buf_addf(out, "; no policy matches %zu", r->unmatched);
    if (r->not_evaluated > 0)
        (void)jr_buf_addf(out, "; %zu ValidatingAdmissionPolic%s not evaluated", r->not_evaluated,
                          r->not_evaluated == 1 ? "y" : "ies");
    if (r->unreadable.n > 0)
        (void)jr_buf_addf(out, "; %zu unreadable", r->unreadable.n);
    (void)jr_buf_addc(out, '\n');
}
