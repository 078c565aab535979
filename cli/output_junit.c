/* SPDX-License-Identifier: Apache-2.0 */
/* A report as JUnit XML. */
#include "cli/output.h"
#include "common/base/show.h"
#include "common/base/utf8.h"

/** Text between tags and in attributes: hidden characters as references, and U+FFFD for what
 * XML 1.0 has no way to write. */
static void add_xml(struct jr_str s, struct jr_buf *out)
{
    while (s.n > 0) {
        uint32_t c;
        bool bad;
        size_t n = jr_utf8_next(s, &c, &bad);

        if (c == '&')
            (void)jr_buf_adds(out, "&amp;");
        else if (c == '<')
            (void)jr_buf_adds(out, "&lt;");
        else if (c == '>')
            (void)jr_buf_adds(out, "&gt;");
        else if (c == '"')
            (void)jr_buf_adds(out, "&quot;");
        else if (bad || (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0xfffe ||
                 c == 0xffff)
            (void)jr_buf_add(out, JR_UTF8_BAD_S);
        else if (jr_is_hidden(c))
            (void)jr_buf_addf(out, "&#%u;", (unsigned)c);
        else
            (void)jr_buf_add(out, jr_str_head(s, n));
        s = jr_str_from(s, n);
    }
}

static void add_line(const struct jr_checked *o, const struct jr_finding *f, struct jr_buf *out)
{
    JR_BUF text = { 0 };

    add_xml(o->file, out);
    (void)jr_buf_addf(out, ":%u:%u: ", f->line, f->column);
    if (f->level != JR_LEVEL_ERROR)
        (void)jr_buf_addf(out, "%s: ", jr_level_name(f->level));
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_finding_write(f, &text);
    add_xml(jr_buf_str(&text), out);
    (void)jr_buf_addc(out, '\n');
}

static size_t count(const struct jr_checked *o, bool errors)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++)
        n += (o->v[i].level == JR_LEVEL_ERROR) == errors;
    return n;
}

static void add_lines(const struct jr_checked *o, bool errors, struct jr_buf *out)
{
    for (size_t i = 0; i < o->n; i++) {
        if ((o->v[i].level == JR_LEVEL_ERROR) == errors)
            add_line(o, &o->v[i], out);
    }
}

/** "Job default/pi", and where that is not all: "Job default/pi-* (document 2)". */
static void add_name(const struct jr_checked *o, struct jr_buf *out)
{
    add_xml(o->kind, out);
    (void)jr_buf_addc(out, ' ');
    add_xml(o->namespace, out);
    (void)jr_buf_adds(out, o->namespace.n > 0 ? "/" : "");
    add_xml(o->name.n > 0 ? o->name : o->generate_name, out);
    if (o->name.n > 0)
        return;
    (void)jr_buf_addf(out, "%s (document %zu%s", o->generate_name.n > 0 ? "*" : "", o->document,
                      o->path.n > 0 ? ", " : "");
    add_xml(o->path, out);
    (void)jr_buf_addc(out, ')');
}

static void add_case(const struct jr_checked *o, struct jr_buf *out)
{
    const size_t errors = count(o, true), rest = count(o, false);

    (void)jr_buf_adds(out, "    <testcase classname=\"");
    add_xml(o->file, out);
    (void)jr_buf_adds(out, "\" name=\"");
    add_name(o, out);
    (void)jr_buf_adds(out, errors + rest == 0 ? "\"/>\n" : "\">\n");
    if (errors > 0) {
        (void)jr_buf_addf(out, "      <failure type=\"invalid\" message=\"%zu error%s\">", errors,
                          errors == 1 ? "" : "s");
        add_lines(o, true, out);
        (void)jr_buf_adds(out, "</failure>\n");
    }
    if (rest > 0) {
        (void)jr_buf_adds(out, "      <system-out>");
        add_lines(o, false, out);
        (void)jr_buf_adds(out, "</system-out>\n");
    }
    if (errors + rest > 0)
        (void)jr_buf_adds(out, "    </testcase>\n");
}

/** A suite of the objects from *at on that are of one file; *at moves behind them. */
static void add_suite(const struct jr_report *r, size_t *at, struct jr_buf *out)
{
    const struct jr_checked *v = r->objects.v;
    const size_t first = *at;
    size_t failures = 0, end = first;

    for (; end < r->objects.n && jr_str_eq(v[end].file, v[first].file); end++)
        failures += count(&v[end], true) > 0;
    (void)jr_buf_adds(out, "  <testsuite name=\"");
    add_xml(v[first].file, out);
    (void)jr_buf_addf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", end - first,
                      failures);
    for (size_t i = first; i < end; i++)
        add_case(&v[i], out);
    (void)jr_buf_adds(out, "  </testsuite>\n");
    *at = end;
}

static void add_unreadable(const struct jr_unreadable *u, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "    <testcase classname=\"");
    add_xml(u->file, out);
    (void)jr_buf_adds(out, "\" name=\"is readable\">\n      <error type=\"unreadable\" message=\"");
    add_xml(u->message, out);
    (void)jr_buf_adds(out, "\">");
    add_xml(u->file, out);
    if (u->line > 0)
        (void)jr_buf_addf(out, ":%u:%u", u->line, u->column);
    (void)jr_buf_adds(out, "</error>\n    </testcase>\n");
}

void jr_output_junit(const struct jr_report *r, struct jr_buf *out)
{
    size_t failures = 0, n = r->unreadable.n;

    for (size_t i = 0; i < r->objects.n; i++)
        failures += count(&r->objects.v[i], true) > 0;
    (void)jr_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    (void)jr_buf_addf(out,
                      "<testsuites name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                      r->command, r->objects.n + n, failures, n);
    for (size_t at = 0; at < r->objects.n;)
        add_suite(r, &at, out);
    if (n > 0)
        (void)jr_buf_addf(
            out, "  <testsuite name=\"unreadable\" tests=\"%zu\" failures=\"0\" errors=\"%zu\">\n",
            n, n);
    for (size_t i = 0; i < n; i++)
        add_unreadable(&r->unreadable.v[i], out);
    if (n > 0)
        (void)jr_buf_adds(out, "  </testsuite>\n");
    (void)jr_buf_adds(out, "</testsuites>\n");
}
