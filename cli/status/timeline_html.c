/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines as a page of HTML: a picture, and the same in words. Patterns and marks tell what
 * colors tell. */
#include "cli/status/timeline_words.h"
#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/job/facts.h"

/* In units of the picture: a character of its font takes 7.2 in breadth. */
#define WIDTH 1080
#define LABEL_COLUMNS 30
#define BAR_X 230
#define BAR_W 540
#define NOTE_X 850
#define NOTE_COLUMNS 20
#define CODE_COLUMNS 8
#define CODE_W 34
#define TOP 24
#define ROW 22
#define TICKS 5
#define DRAWN_MAX 100 /* tries of a line, the last ones */
#define LISTED_MAX 10 /* likewise, in words */

#define STYLE                                                                                    \
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--dim:#57606a;--grid:#d0d7de;"         \
    "--done:#1a7f37;--runs:#0969da;--bad:#cf222e}\n"                                             \
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#8b949e;"          \
    "--grid:#30363d;--done:#3fb950;--runs:#58a6ff;--bad:#ff7b72}}\n"                             \
    "body{margin:1rem auto;max-width:75rem;padding:0 1rem;background:var(--bg);color:var(--fg);" \
    "font:14px/1.5 system-ui,sans-serif}\n"                                                      \
    "h1{font-size:1.3rem}\n"                                                                     \
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--grid);"         \
    "padding-left:1rem}\n"                                                                       \
    ".chart{display:block;width:100%;height:auto;font:12px ui-monospace,monospace}\n"            \
    "text{fill:var(--fg)}\n"                                                                     \
    ".grid{stroke:var(--grid)}\n"                                                                \
    ".tick{fill:var(--dim)}\n"                                                                   \
    ".waits{fill:url(#p-waits);stroke:var(--dim)}\n"                                             \
    ".starts{fill:url(#p-starts);stroke:var(--dim)}\n"                                           \
    ".ends{fill:url(#p-ends);stroke:var(--dim)}\n"                                               \
    ".runs{fill:var(--runs);stroke:var(--runs)}\n"                                               \
    ".runs.done{fill:var(--done);stroke:var(--done)}\n"                                          \
    ".runs.bad{fill:var(--bad);stroke:var(--bad)}\n"                                             \
    ".folded{fill:none;stroke:var(--grid)}\n"                                                    \
    ".p{fill:none;stroke:var(--dim)}\n"                                                          \
    ".mark{fill:none;stroke:var(--fg);stroke-width:2}\n"                                         \
    ".halo{fill:none;stroke:var(--bg);stroke-width:5}\n"                                         \
    ".code{stroke:var(--bg);stroke-width:3px;paint-order:stroke;font-size:11px}\n"               \
    "text.done{fill:var(--done)}text.bad{fill:var(--bad)}text.run{fill:var(--runs)}"             \
    "text.wait{fill:var(--dim)}\n"                                                               \
    ".key{width:24px;height:12px;margin:0 .4em 0 1em}\n"                                         \
    "table{border-collapse:collapse}caption{text-align:left;font-weight:bold}\n"                 \
    "th,td{border:1px solid var(--grid);padding:.2em .6em;text-align:left;vertical-align:top;"   \
    "overflow-wrap:anywhere}\n"

#define PATTERNS                                                                         \
    "<defs>\n"                                                                           \
    "<pattern id=\"p-waits\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"  \
    "<path class=\"p\" d=\"M2 3h2\"/></pattern>\n"                                       \
    "<pattern id=\"p-starts\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">" \
    "<path class=\"p\" d=\"M0 6L6 0\"/></pattern>\n"                                     \
    "<pattern id=\"p-ends\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"   \
    "<path class=\"p\" d=\"M0 0L6 6M0 6L6 0\"/></pattern>\n"                             \
    "</defs>\n"

#define CROSS "5l8 8m0-8l-8 8"
#define TICK "10l3 3l5-8"

/* ---- texts ---- */

/** Appends ours or what jr_show has shown. */
static void add_escaped(struct jr_str s, struct jr_buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '<':
            (void)jr_buf_adds(out, "&lt;");
            break;
        case '>':
            (void)jr_buf_adds(out, "&gt;");
            break;
        case '&':
            (void)jr_buf_adds(out, "&amp;");
            break;
        case '"':
            (void)jr_buf_adds(out, "&quot;");
            break;
        case '\'':
            (void)jr_buf_adds(out, "&#39;");
            break;
        default:
            (void)jr_buf_addc(out, s.p[i]);
        }
    }
}

/** Appends text of others, at most so many columns of it; 0: all. */
static void add_text(struct jr_str s, size_t columns, struct jr_buf *out)
{
    JR_BUF shown = { 0 };

    jr_buf_init(&shown, JR_BUF_BY_INPUT);
    jr_page_cut(s, columns, &shown);
    jr_must(shown.failed);
    add_escaped(jr_buf_str(&shown), out);
}

/** Appends text of several lines. */
static void add_lines(struct jr_str s, struct jr_buf *out)
{
    struct jr_str line;

    while (jr_str_cut(&s, '\n', &line)) {
        JR_BUF shown = { 0 };

        jr_buf_init(&shown, JR_BUF_BY_INPUT);
        jr_show(line, &shown);
        jr_must(shown.failed);
        add_escaped(jr_buf_str(&shown), out);
        (void)jr_buf_addc(out, '\n');
    }
}

static void add_time(struct jr_time at, struct jr_buf *out)
{
    char text[JR_TIME_MAX];

    (void)jr_buf_adds(out, jr_time_format(at, text));
}

static const char *span_words(enum jr_span_kind kind)
{
    static const char *const words[] = { "waits", "starts", "runs", "ends" };

    return words[kind];
}

/** Returns the class of a state's color. */
static const char *color_of(enum jr_try_state state)
{
    static const char *const colors[] = { "wait", "run", "done", "bad" };

    return colors[state];
}

static void add_label(const struct jr_timeline_line *line, size_t columns, struct jr_buf *out)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    jr_timeline_label(line, JR_LABEL_WORDS, columns, &b);
    jr_must(b.failed);
    add_escaped(jr_buf_str(&b), out);
}

static void add_end(const struct jr_timeline *t, const struct jr_try *try, struct jr_buf *out)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    jr_timeline_end(t, try, 0, &b);
    jr_must(b.failed);
    add_escaped(jr_buf_str(&b), out);
}

static void add_note(const struct jr_timeline *t, const struct jr_timeline_line *line,
                     size_t columns, struct jr_buf *out)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    jr_timeline_note(t, line, columns, &b);
    jr_must(b.failed);
    add_escaped(jr_buf_str(&b), out);
}

/* ---- the picture ---- */

static int x_of(const struct jr_timeline *t, struct jr_time at)
{
    const double all = (double)jr_time_diff(t->to, t->from);
    const double part = (double)jr_time_diff(at, t->from);

    return BAR_X + (all > 0 ? (int)(part / all * BAR_W) : 0);
}

static void add_axis(const struct jr_timeline *t, struct jr_buf *out)
{
    static const char *const anchors[TICKS] = { "start", "middle", "middle", "middle", "end" };
    const bool days = jr_timeline_seconds(t->from, t->to) > JR_TIMELINE_DAY_S;
    const size_t first = days ? 5 : 11, end = days ? 16 : 19; /* there is no room for both */
    const double all = (double)jr_time_diff(t->to, t->from);

    for (size_t i = 0; i < TICKS; i++) {
        const double share = (double)i / (TICKS - 1);
        const int x = BAR_X + (int)(share * BAR_W);
        const struct jr_time at =
            i + 1 == TICKS ? t->to : jr_time_later(t->from, (int64_t)(all * share));
        char text[JR_TIME_MAX];

        (void)jr_time_format(at, text);
        text[10] = ' ';
        (void)jr_buf_addf(out,
                          "<path class=\"grid\" d=\"M%d.5 %dV%zu\"/><text class=\"tick\" x=\"%d\" "
                          "y=\"14\" text-anchor=\"%s\">%.*s</text>\n",
                          x, TOP - 4, TOP + t->n * ROW, x, anchors[i], (int)(end - first),
                          text + first);
    }
}

static void add_span(const struct jr_timeline *t, const struct jr_try *try,
                     const struct jr_span *span, struct jr_buf *out)
{
    const int x = x_of(t, span->from), to = x_of(t, span->to);

    (void)jr_buf_addf(out,
                      "<rect class=\"%s %s\" x=\"%d\" y=\"5\" width=\"%d\" height=\"12\"><title>",
                      span_words(span->kind), color_of(try->state), x, to > x + 2 ? to - x : 2);
    add_text(try->pod, 0, out);
    (void)jr_buf_addf(out, " %s from ", span_words(span->kind));
    add_time(span->from, out);
    (void)jr_buf_adds(out, " to ");
    add_time(span->to, out);
    (void)jr_buf_adds(out, " (");
    jr_seconds_write(jr_timeline_seconds(span->from, span->to), out);
    (void)jr_buf_adds(out, ")</title></rect>");
}

static int end_of(const struct jr_timeline *t, const struct jr_try *try)
{
    return x_of(t, try->spans[try->n_spans - 1].to);
}

/** Appends how a try ended, beside its bar; its code where there is room. */
static void add_mark(const struct jr_timeline *t, const struct jr_try *try, bool room,
                     struct jr_buf *out)
{
    const int x = end_of(t, try) + 4;
    const char *shape = try->state == JR_TRY_FAILED ? CROSS : TICK;

    if (try->state != JR_TRY_FAILED && try->state != JR_TRY_SUCCEEDED)
        return;
    (void)jr_buf_addf(out, "<path class=\"halo\" d=\"M%d %s\"/><path class=\"mark\" d=\"M%d %s\"/>",
                      x, shape, x, shape);
    if (try->mark.n == 0 || !room)
        return;
    (void)jr_buf_addf(out, "<text class=\"code\" x=\"%d\" y=\"15\">", x + 12);
    add_text(try->mark, CODE_COLUMNS, out);
    (void)jr_buf_adds(out, "</text>");
}

static void add_tries(const struct jr_timeline *t, const struct jr_timeline_line *line,
                      struct jr_buf *out)
{
    const size_t first = line->n_tries > DRAWN_MAX ? line->n_tries - DRAWN_MAX : 0;

    for (size_t i = first; i < line->n_tries; i++) {
        for (size_t k = 0; k < line->tries[i].n_spans; k++)
            add_span(t, &line->tries[i], &line->tries[i].spans[k], out);
    }
    for (size_t i = first; i < line->n_tries; i++) {
        const struct jr_try *try = &line->tries[i];
        const bool last = i + 1 == line->n_tries;

        add_mark(t, try, last || end_of(t, &line->tries[i + 1]) - end_of(t, try) >= CODE_W, out);
    }
}

/** Appends in place of the bar what is folded, or why there is none. */
static void add_no_bar(const struct jr_timeline *t, const struct jr_timeline_line *line,
                       struct jr_buf *out)
{
    if (line->folded > 0)
        (void)jr_buf_addf(out,
                          "<rect class=\"folded\" x=\"%d\" y=\"3\" width=\"%d\" height=\"16\"/>",
                          BAR_X, BAR_W);
    (void)jr_buf_addf(out, "<text class=\"%s\" x=\"%d\" y=\"15\">",
                      line->folded > 0 ? color_of(line->state) : "tick", BAR_X + 8);
    if (line->folded > 0)
        add_note(t, line, 0, out);
    else
        (void)jr_buf_adds(out, jr_timeline_no_bar(t, line));
    (void)jr_buf_adds(out, "</text>");
}

static void add_row(const struct jr_timeline *t, size_t i, struct jr_buf *out)
{
    const struct jr_timeline_line *line = &t->lines[i];

    (void)jr_buf_addf(out, "<g transform=\"translate(0 %zu)\"><text x=\"0\" y=\"15\">",
                      TOP + i * ROW);
    add_label(line, LABEL_COLUMNS, out);
    (void)jr_buf_adds(out, "<title>");
    add_label(line, 0, out);
    (void)jr_buf_adds(out, "</title></text>");
    if (line->n_tries > 0)
        add_tries(t, line, out);
    else
        add_no_bar(t, line, out);
    if (line->folded == 0) {
        (void)jr_buf_addf(out, "<text class=\"%s\" x=\"%d\" y=\"15\">", color_of(line->state),
                          NOTE_X);
        add_note(t, line, NOTE_COLUMNS, out);
        (void)jr_buf_adds(out, "</text>");
    }
    (void)jr_buf_adds(out, "</g>\n");
}

static void add_picture(const struct jr_timeline *t, struct jr_buf *out)
{
    (void)jr_buf_addf(
        out,
        "<svg class=\"chart\" viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"Pods over "
        "time; the table below says the same\">\n" PATTERNS,
        WIDTH, TOP + t->n * ROW + 4);
    add_axis(t, out);
    for (size_t i = 0; i < t->n; i++)
        add_row(t, i, out);
    (void)jr_buf_adds(out, "</svg>\n");
}

static void add_legend(struct jr_buf *out)
{
    static const struct {
        const char *shape, *words;
    } keys[] = {
        { "<rect class=\"waits\" x=\"1\" y=\"1\" width=\"22\" height=\"10\"/>",
          "waits for a node" },
        { "<rect class=\"starts\" x=\"1\" y=\"1\" width=\"22\" height=\"10\"/>", "starts" },
        { "<rect class=\"runs\" x=\"1\" y=\"1\" width=\"22\" height=\"10\"/>", "runs" },
        { "<rect class=\"ends\" x=\"1\" y=\"1\" width=\"22\" height=\"10\"/>", "is being deleted" },
        { "<path class=\"mark\" d=\"M8 2l8 8m0-8l-8 8\"/>",
          "failed, with the exit code or reason" },
        { "<path class=\"mark\" d=\"M8 7l3 3l5-8\"/>", "succeeded" },
    };

    (void)jr_buf_adds(out, "<p>");
    for (size_t i = 0; i < JR_ARRAY_SIZE(keys); i++)
        (void)jr_buf_addf(
            out, "<svg class=\"key\" viewBox=\"0 0 24 12\" aria-hidden=\"true\">%s</svg>%s\n",
            keys[i].shape, keys[i].words);
    (void)jr_buf_adds(out, "</p>\n");
}

/* ---- the table ---- */

static void add_try_words(const struct jr_timeline *t, const struct jr_try *try, struct jr_buf *out)
{
    add_text(try->pod, 0, out);
    for (size_t i = 0; i < try->n_spans; i++) {
        (void)jr_buf_addf(out, "%s %s from ", i == 0 ? ":" : ",", span_words(try->spans[i].kind));
        add_time(try->spans[i].from, out);
    }
    (void)jr_buf_adds(out, " to ");
    add_time(try->spans[try->n_spans - 1].to, out);
    (void)jr_buf_adds(out, "; ");
    add_end(t, try, out);
    if (try->restarts > 0)
        (void)jr_buf_addf(out, ", %lld %s", (long long)try->restarts,
                          try->restarts == 1 ? "restart" : "restarts");
}

static void add_table(const struct jr_timeline *t, struct jr_buf *out)
{
    (void)jr_buf_addf(
        out,
        "<table><caption>The same in words</caption>\n<tr><th scope=\"col\">%s</th><th "
        "scope=\"col\">State</th><th scope=\"col\">Pods</th></tr>\n",
        t->indexed ? "Index" : "Pod");
    for (size_t i = 0; i < t->n; i++) {
        const struct jr_timeline_line *line = &t->lines[i];
        const size_t first = line->n_tries > LISTED_MAX ? line->n_tries - LISTED_MAX : 0;

        (void)jr_buf_adds(out, "<tr><th scope=\"row\">");
        add_label(line, 0, out);
        (void)jr_buf_adds(out, "</th><td>");
        add_note(t, line, 0, out);
        (void)jr_buf_adds(out, "</td><td>");
        if (first > 0)
            (void)jr_buf_addf(out, "%zu before, and<br>", first);
        for (size_t k = first; k < line->n_tries; k++) {
            (void)jr_buf_adds(out, k > first ? "<br>" : "");
            add_try_words(t, &line->tries[k], out);
        }
        (void)jr_buf_adds(out, "</td></tr>\n");
    }
    (void)jr_buf_adds(out, "</table>\n");
}

/* ---- the page ---- */

static void add_head(const struct jr_timeline *t, struct jr_buf *out)
{
    (void)jr_buf_adds(out,
                      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<title>job/");
    add_text(t->name, 0, out);
    (void)jr_buf_adds(out, "</title>\n<style>\n" STYLE "</style>\n</head>\n<body>\n<h1>job/");
    add_text(t->name, 0, out);
    (void)jr_buf_adds(out, "</h1>\n<p>In namespace ");
    add_text(t->namespace, 0, out);
    (void)jr_buf_adds(out, ", from ");
    add_time(t->from, out);
    (void)jr_buf_adds(out, " to ");
    add_time(t->to, out);
    (void)jr_buf_adds(out, " (");
    jr_seconds_write(jr_timeline_seconds(t->from, t->to), out);
    (void)jr_buf_adds(out, t->ended ? "). Times are in UTC.</p>\n"
                                    : " so far). Times are in UTC.</p>\n");
}

void jr_timeline_html(const struct jr_timeline *t, struct jr_str why, struct jr_buf *out)
{
    add_head(t, out);
    (void)jr_buf_adds(out, "<pre>");
    add_lines(why, out);
    (void)jr_buf_adds(out, "</pre>\n");
    if (t->n == 0) {
        (void)jr_buf_adds(out, "<p>There are no Pods.</p>\n");
    } else {
        add_picture(t, out);
        add_legend(out);
        add_table(t, out);
    }
    (void)jr_buf_adds(out, "</body>\n</html>\n");
}
