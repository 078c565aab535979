/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of waiting, as text, workflow commands and Markdown. */
#include "cli/wait_report.h"

#include <ctype.h>

#include "cli/output.h"
#include "common/base/show.h"

/** Shows text as jr_show does, but for tabs, which a log may have. */
static void show_line(struct jr_str text, struct jr_buf *out)
{
    while (text.n > 0) {
        const ptrdiff_t tab = jr_str_find(text, '\t');
        const size_t n = tab < 0 ? text.n : (size_t)tab;

        jr_show(jr_str_head(text, n), out);
        if (tab >= 0)
            (void)jr_buf_addc(out, '\t');
        text = jr_str_from(text, n + 1);
    }
}

/** A format of failures. */
struct format {
    void (*begin_failure)(struct jr_str title, const char *token, struct jr_buf *out);
    void (*line)(struct jr_str text, struct jr_buf *out);
    void (*end_failure)(const char *token, struct jr_buf *out);
};

/* ---- failures ---- */

static void write_lines(const struct jr_wait_failure *f, const struct format *to,
                        struct jr_buf *out)
{
    struct jr_str rest = jr_str(f->lines), line;

    if (f->lines == NULL)
        to->line(jr_str(f->no_lines == NULL ? "its log was not read in time" : f->no_lines), out);
    else if (rest.n == 0)
        to->line(JR_S("it wrote nothing"), out);
    while (jr_str_cut(&rest, '\n', &line))
        to->line(line, out);
}

static void write_failure(const struct jr_wait_failure *f, const struct format *to,
                          const char *token, struct jr_buf *out)
{
    JR_BUF title = { 0 };

    jr_buf_init(&title, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&title, "Pod %s", f->pod);
    if (f->container != NULL)
        (void)jr_buf_addf(&title, ", container %s", f->container);
    (void)jr_buf_addf(&title, ": %s", f->what);
    jr_must(title.failed);
    to->begin_failure(jr_buf_str(&title), token, out);
    write_lines(f, to, out);
    to->end_failure(token, out);
}

static void write_failures(const struct jr_wait_jobs *jobs, const struct format *to,
                           const char *token, struct jr_buf *out)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct jr_wait_failure *f;

        if (jobs->v[i]->end == JR_WAIT_COMPLETE)
            continue;
        STAILQ_FOREACH(f, &jobs->v[i]->failures, link)
        {
            write_failure(f, to, token, out);
        }
    }
}

/* ---- Jobs ---- */

/** A Job's name, and how it stands. */
struct job_texts {
    struct jr_buf name, words;
};

static void job_texts_done(struct job_texts *t)
{
    jr_buf_done(&t->name);
    jr_buf_done(&t->words);
}
#define JOB_TEXTS JR_CLEANUP(job_texts_done) struct job_texts

static struct job_texts job_texts(const struct jr_wait_jobs *jobs, const struct jr_wait_job *j,
                                  struct jr_time now)
{
    struct job_texts t;

    jr_buf_init(&t.name, JR_BUF_BY_INPUT);
    jr_buf_init(&t.words, JR_BUF_BY_INPUT);
    jr_wait_job_name(jobs, j, &t.name);
    jr_wait_job_words(j, now, &t.words);
    if (j->end == JR_WAIT_FAILED && j->n_failures == 0 && j->job->status.failed > 0)
        (void)jr_buf_adds(&t.words, " (none of its failed Pods was seen)");
    jr_must(t.name.failed);
    jr_must(t.words.failed);
    return t;
}

static void job_line(const struct job_texts *t, struct jr_buf *out)
{
    jr_show(jr_buf_str(&t->name), out);
    (void)jr_buf_adds(out, ": ");
    jr_show(jr_buf_str(&t->words), out);
    (void)jr_buf_addc(out, '\n');
}

/** Appends how many Jobs have come to what: "198 Complete, 2 Failed". */
static void sums(const struct jr_wait_jobs *jobs, struct jr_buf *out)
{
    static const char *const words[] = { [JR_WAIT_COMPLETE] = "Complete",
                                         [JR_WAIT_FAILED] = "Failed",
                                         [JR_WAIT_GONE] = "deleted",
                                         [JR_WAIT_STUCK] = "stuck",
                                         [JR_WAIT_MOVES] = "not over" };
    static const enum jr_wait_end order[] = { JR_WAIT_COMPLETE, JR_WAIT_FAILED, JR_WAIT_GONE,
                                              JR_WAIT_STUCK, JR_WAIT_MOVES };
    size_t n[JR_ARRAY_SIZE(words)] = { 0 };
    const char *comma = "";

    for (size_t i = 0; i < jobs->n; i++)
        n[jobs->v[i]->end]++;
    for (size_t i = 0; i < JR_ARRAY_SIZE(order); i++) {
        if (n[order[i]] == 0)
            continue;
        (void)jr_buf_addf(out, "%s%zu %s", comma, n[order[i]], words[order[i]]);
        comma = ", ";
    }
}

/* ---- text ---- */

static void text_begin(struct jr_str title, const char *token, struct jr_buf *out)
{
    (void)token;
    jr_show(title, out);
    (void)jr_buf_addc(out, '\n');
}

static void text_line(struct jr_str text, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "    ");
    show_line(text, out);
    (void)jr_buf_addc(out, '\n');
}

static void text_end(const char *token, struct jr_buf *out)
{
    (void)token;
    (void)out;
}

void jr_wait_report_text(const struct jr_wait_jobs *jobs, struct jr_time now, struct jr_buf *out)
{
    static const struct format text = { text_begin, text_line, text_end };

    write_failures(jobs, &text, NULL, out);
    for (size_t i = 0; i < jobs->n; i++) {
        JOB_TEXTS t = job_texts(jobs, jobs->v[i], now);

        job_line(&t, out);
    }
    if (jobs->n > 1) {
        sums(jobs, out);
        (void)jr_buf_addc(out, '\n');
    }
}

/* ---- workflow commands ---- */

static void github_begin(struct jr_str title, const char *token, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "::group::");
    jr_output_github_escape(title, false, out);
    (void)jr_buf_addf(out, "\n::stop-commands::%s\n", token);
}

static void github_end(const char *token, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "::%s::\n::endgroup::\n", token);
}

void jr_wait_report_github(const struct jr_wait_jobs *jobs, struct jr_time now, const char *token,
                           struct jr_buf *out)
{
    static const struct format commands = { github_begin, text_line, github_end };

    (void)jr_buf_addf(out, "::%s::\n", token);
    write_failures(jobs, &commands, token, out);
    for (size_t i = 0; i < jobs->n; i++) {
        JOB_TEXTS t = job_texts(jobs, jobs->v[i], now);

        if (jobs->v[i]->end == JR_WAIT_COMPLETE) {
            job_line(&t, out);
            continue;
        }
        (void)jr_buf_adds(out, "::error title=");
        jr_output_github_escape(jr_buf_str(&t.name), true, out);
        (void)jr_buf_adds(out, "::");
        jr_output_github_escape(jr_buf_str(&t.words), false, out);
        (void)jr_buf_addc(out, '\n');
    }
}

/* ---- Markdown ---- */

/** Appends text that means nothing to Markdown and HTML: all marks as numbers. */
static void add_plain(struct jr_str s, struct jr_buf *out)
{
    JR_BUF shown = { 0 };

    jr_buf_init(&shown, JR_BUF_BY_INPUT);
    show_line(s, &shown);
    jr_must(shown.failed);
    for (size_t i = 0; i < shown.n; i++) {
        const unsigned char c = (unsigned char)shown.p[i];

        if (c < 0x80 && !isalnum(c) && strchr(" ,.-/", c) == NULL)
            (void)jr_buf_addf(out, "&#%u;", c);
        else
            (void)jr_buf_addc(out, (char)c);
    }
}

static void markdown_begin(struct jr_str title, const char *token, struct jr_buf *out)
{
    (void)token;
    (void)jr_buf_adds(out, "\n<details><summary>");
    add_plain(title, out);
    (void)jr_buf_adds(out, "</summary>\n\n<pre>\n");
}

static void markdown_line(struct jr_str text, struct jr_buf *out)
{
    add_plain(text, out);
    (void)jr_buf_addc(out, '\n');
}

static void markdown_end(const char *token, struct jr_buf *out)
{
    (void)token;
    (void)jr_buf_adds(out, "</pre>\n\n</details>\n");
}

void jr_wait_report_markdown(const struct jr_wait_jobs *jobs, struct jr_time now,
                             struct jr_buf *out)
{
    static const struct format markdown = { markdown_begin, markdown_line, markdown_end };

    (void)jr_buf_adds(out, "### Jobs: ");
    sums(jobs, out);
    (void)jr_buf_adds(out, "\n\n| Job | Result |\n| --- | --- |\n");
    for (size_t i = 0; i < jobs->n; i++) {
        JOB_TEXTS t = job_texts(jobs, jobs->v[i], now);

        (void)jr_buf_adds(out, "| ");
        add_plain(jr_buf_str(&t.name), out);
        (void)jr_buf_adds(out, " | ");
        add_plain(jr_buf_str(&t.words), out);
        (void)jr_buf_adds(out, " |\n");
    }
    write_failures(jobs, &markdown, NULL, out);
}

/* ---- logs ---- */

void jr_wait_log_line(struct jr_str pod, const char *container, struct jr_str text,
                      struct jr_buf *out)
{
    if (jr_str_ends(text, JR_S("\r")))
        text.n--;
    (void)jr_buf_addc(out, '[');
    jr_show(pod, out);
    if (container != NULL) {
        (void)jr_buf_addc(out, '/');
        jr_show(jr_str(container), out);
    }
    (void)jr_buf_adds(out, "] ");
    show_line(text, out);
    (void)jr_buf_addc(out, '\n');
}
