/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines as text: bars of characters, at least as many as two times of the axis need. */
#include "cli/status/timeline_words.h"
#include "common/job/facts.h"

#define WIDTH_MAX 400   /* of terminals */
#define WIDTH_PAPER 120 /* of what has no width, as a pipe */
#define BAR_MIN 17
#define NOTE_MIN 3
#define NOTE_MAX 40
#define LABEL_MIN 5
#define TICKS_MAX 5

enum mark {
    MARK_NONE,
    MARK_WAITS,
    MARK_STARTS,
    MARK_RUNS,
    MARK_ENDS,
    MARK_FAILED,
    MARK_SUCCEEDED,
    MARK_COUNT
};

static const struct {
    const char *ascii, *drawn, *words;
    enum jr_page_color color; /* in the legend */
} marks[] = {
    [MARK_NONE] = { " ", " ", "", JR_PAGE_PLAIN },
    [MARK_WAITS] = { ".", "\u00b7", "waits for a node", JR_PAGE_DIM },
    [MARK_STARTS] = { ":", "\u2591", "starts", JR_PAGE_DIM },
    [MARK_RUNS] = { "#", "\u2588", "runs", JR_PAGE_BLUE },
    [MARK_ENDS] = { "~", "\u2592", "is being deleted", JR_PAGE_DIM },
    [MARK_FAILED] = { "x", "\u2717", "failed", JR_PAGE_RED },
    [MARK_SUCCEEDED] = { "+", "\u2713", "succeeded", JR_PAGE_GREEN },
};

static const enum jr_page_color colors[] = { [JR_TRY_WAITS] = JR_PAGE_DIM,
                                             [JR_TRY_RUNS] = JR_PAGE_BLUE,
                                             [JR_TRY_SUCCEEDED] = JR_PAGE_GREEN,
                                             [JR_TRY_FAILED] = JR_PAGE_RED };

struct sheet {
    const struct jr_timeline *t;
    struct jr_page page;
    enum jr_label_form form; /* the shorter ones stand under the word "index" */
    size_t label, bar, note; /* columns */
    bool seen[MARK_COUNT];
    struct jr_buf *out;
};

/* ---- texts ---- */

static bool takes_days(const struct jr_timeline *t)
{
    return jr_timeline_seconds(t->from, t->to) > JR_TIMELINE_DAY_S;
}

/** Appends the characters first to last of "2026-03-01 10:00:00". */
static void add_clock(struct jr_time at, size_t first, size_t last, struct jr_buf *out)
{
    char text[JR_TIME_MAX];
    struct jr_str s = jr_str(jr_time_format(at, text));

    text[10] = ' ';
    (void)jr_buf_add(out, jr_str_head(jr_str_from(s, first), last - first + 1));
}

/** Pieces of text one behind the other, in as many lines as they need. */
struct flow {
    const struct sheet *sheet;
    size_t at; /* column */
};

static void flow_add(struct flow *f, const char *gap, enum jr_page_color color, struct jr_str piece)
{
    const struct sheet *s = f->sheet;
    const size_t columns = jr_page_columns(piece);

    if (f->at > 0 && f->at + strlen(gap) + columns > s->page.width) {
        (void)jr_buf_addc(s->out, '\n');
        f->at = 0;
    } else if (f->at > 0) {
        (void)jr_buf_adds(s->out, gap);
        f->at += strlen(gap);
    }
    jr_page_add(&s->page, color, piece, s->out);
    f->at += columns;
}

static void add_title(const struct sheet *s)
{
    const struct jr_timeline *t = s->t;
    const size_t first = takes_days(t) ? 0 : 11;
    struct flow f = { .sheet = s };
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&b, "job/");
    jr_page_cut(t->name, s->page.width - 4, &b);
    flow_add(&f, "", JR_PAGE_PLAIN, jr_buf_str(&b));
    jr_buf_reset(&b);
    (void)jr_buf_adds(&b, "in namespace ");
    jr_page_cut(t->namespace, s->page.width - 14, &b);
    (void)jr_buf_addc(&b, ':');
    flow_add(&f, " ", JR_PAGE_PLAIN, jr_buf_str(&b));
    jr_buf_reset(&b);
    add_clock(t->from, first, 18, &b);
    flow_add(&f, " ", JR_PAGE_PLAIN, jr_buf_str(&b));
    jr_buf_reset(&b);
    (void)jr_buf_adds(&b, "to ");
    add_clock(t->to, first, 18, &b);
    flow_add(&f, " ", JR_PAGE_PLAIN, jr_buf_str(&b));
    jr_buf_reset(&b);
    (void)jr_buf_addc(&b, '(');
    jr_seconds_write(jr_timeline_seconds(t->from, t->to), &b);
    (void)jr_buf_adds(&b, t->ended ? ")" : " so far)");
    flow_add(&f, " ", JR_PAGE_PLAIN, jr_buf_str(&b));
    (void)jr_buf_addc(s->out, '\n');
}

/* ---- columns ---- */

/** Returns how many columns the longest label takes. */
static size_t label_columns(const struct sheet *s, enum jr_label_form form, bool indexes_only)
{
    size_t most = LABEL_MIN;
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < s->t->n; i++) {
        size_t n;

        if (indexes_only && s->t->lines[i].first < 0)
            continue;
        jr_buf_reset(&b);
        jr_timeline_label(&s->t->lines[i], form, 0, &b);
        jr_must(b.failed);
        n = jr_page_columns(jr_buf_str(&b));
        most = n > most ? n : most;
    }
    return most;
}

/** Returns how many columns the longest note takes, if it has so many at most. */
static size_t note_columns(const struct sheet *s, size_t columns)
{
    size_t most = NOTE_MIN;
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < s->t->n; i++) {
        size_t n;

        if (s->t->lines[i].folded > 0)
            continue;
        jr_buf_reset(&b);
        jr_timeline_note(s->t, &s->t->lines[i], columns, &b);
        jr_must(b.failed);
        n = jr_page_columns(jr_buf_str(&b));
        most = n > most ? n : most;
    }
    return most;
}

/** Shares the columns: names get a third, the notes what they need as long as bars have enough. */
static void set_columns(struct sheet *s)
{
    const size_t third = s->page.width / 3;
    size_t room;

    while (s->form != JR_LABEL_SHORT && label_columns(s, s->form, true) > third)
        s->form = s->form == JR_LABEL_WORDS ? JR_LABEL_COUNTED : JR_LABEL_SHORT;
    s->label = label_columns(s, s->form, false);
    s->label = s->label > third ? third : s->label;
    room = s->page.width - s->label - 2;
    s->note = note_columns(s, room - BAR_MIN < NOTE_MAX ? room - BAR_MIN : NOTE_MAX);
    s->bar = room - s->note;
}

/* ---- the axis ---- */

/** Appends the axis: times whose middle stands over their column, but the first and the last. */
static void add_axis(const struct sheet *s)
{
    static const struct {
        size_t first, last;
    } forms[] = { { 5, 18 }, { 5, 15 }, { 11, 18 } };
    size_t form = takes_days(s->t) ? 0 : JR_ARRAY_SIZE(forms) - 1, n, columns, at = 0;
    JR_BUF head = { 0 };

    while (form + 1 < JR_ARRAY_SIZE(forms) &&
           2 * (forms[form].last - forms[form].first + 1) + 1 > s->bar)
        form++;
    columns = forms[form].last - forms[form].first + 1;
    n = s->bar / (columns + 6);
    n = n < 2 ? 2 : n;
    n = n > TICKS_MAX ? TICKS_MAX : n;
    jr_buf_init(&head, JR_BUF_BY_INPUT);
    jr_page_cell(s->form == JR_LABEL_WORDS ? JR_S(" ") : JR_S("index"), s->label + 1, &head);
    for (size_t i = 0; i < n; i++) {
        const double share = (double)i / (double)(n - 1);
        const double ns = (double)jr_time_diff(s->t->to, s->t->from) * share;
        size_t to = (s->bar - columns) * i / (n - 1);

        for (; at < to; at++)
            (void)jr_buf_addc(&head, ' ');
        add_clock(i + 1 == n ? s->t->to : jr_time_later(s->t->from, (int64_t)ns), forms[form].first,
                  forms[form].last, &head);
        at += columns;
    }
    (void)jr_buf_adds(&head, " UTC");
    jr_page_add(&s->page, JR_PAGE_DIM, jr_buf_str(&head), s->out);
    (void)jr_buf_addc(s->out, '\n');
}

/* ---- bars ---- */

struct cell {
    enum mark mark;
    enum jr_page_color color;
};

/** Returns the column of a time: bar, of the end. */
static size_t column_of(const struct sheet *s, struct jr_time at)
{
    const double all = (double)jr_time_diff(s->t->to, s->t->from);
    const double part = (double)jr_time_diff(at, s->t->from);
    const size_t column = all > 0 ? (size_t)(part / all * (double)s->bar) : 0;

    return column > s->bar ? s->bar : column;
}

/** Draws a try; returns the column of its end. */
static size_t draw(const struct sheet *s, const struct jr_try *try, struct cell *cells)
{
    static const enum mark of[] = { [JR_SPAN_WAITS] = MARK_WAITS,
                                    [JR_SPAN_STARTS] = MARK_STARTS,
                                    [JR_SPAN_RUNS] = MARK_RUNS,
                                    [JR_SPAN_ENDS] = MARK_ENDS };
    size_t end = 0;

    for (size_t i = 0; i < try->n_spans; i++) {
        const struct jr_span *span = &try->spans[i];
        const bool runs = span->kind == JR_SPAN_RUNS;
        size_t from = column_of(s, span->from), to = column_of(s, span->to);

        from = from == s->bar ? from - 1 : from;
        to = to > from ? to : from + 1; /* the shortest one shows */
        for (size_t at = from; at < to; at++)
            cells[at] = (struct cell){ of[span->kind], runs ? colors[try->state] : JR_PAGE_DIM };
        end = to - 1;
    }
    return end;
}

/** Draws all tries, and over them how they ended. */
static void draw_all(const struct sheet *s, const struct jr_timeline_line *line, struct cell *cells)
{
    size_t ends[WIDTH_MAX] = { 0 }; /* the try that ended in that column last, and one */

    for (size_t i = 0; i < line->n_tries; i++)
        ends[draw(s, &line->tries[i], cells)] = i + 1;
    for (size_t at = 0; at < s->bar; at++) {
        const enum jr_try_state state =
            ends[at] > 0 ? line->tries[ends[at] - 1].state : JR_TRY_WAITS;

        if (state == JR_TRY_FAILED)
            cells[at] = (struct cell){ MARK_FAILED, JR_PAGE_RED };
        else if (state == JR_TRY_SUCCEEDED)
            cells[at] = (struct cell){ MARK_SUCCEEDED, JR_PAGE_GREEN };
    }
}

static void add_bar(struct sheet *s, const struct jr_timeline_line *line)
{
    struct cell cells[WIDTH_MAX] = { { .mark = MARK_NONE } };
    JR_BUF same = { 0 }; /* of one color */

    draw_all(s, line, cells);
    jr_buf_init(&same, JR_BUF_BY_INPUT);
    for (size_t at = 0; at < s->bar; at++) {
        const enum mark mark = cells[at].mark;

        s->seen[mark] = true;
        (void)jr_buf_adds(&same, s->page.drawing ? marks[mark].drawn : marks[mark].ascii);
        if (at + 1 < s->bar && cells[at].color == cells[at + 1].color)
            continue;
        jr_page_add(&s->page, cells[at].color, jr_buf_str(&same), s->out);
        jr_buf_reset(&same);
    }
}

static void add_line(struct sheet *s, const struct jr_timeline_line *line)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    jr_timeline_label(line, s->form, 0, &b);
    jr_must(b.failed);
    jr_page_cell(jr_buf_str(&b), s->label, s->out);
    (void)jr_buf_addc(s->out, ' ');
    jr_buf_reset(&b);
    if (line->n_tries > 0) {
        add_bar(s, line);
    } else if (line->folded == 0) {
        jr_page_cell(jr_str(jr_timeline_no_bar(s->t, line)), s->bar, &b);
        jr_page_add(&s->page, JR_PAGE_DIM, jr_buf_str(&b), s->out);
        jr_buf_reset(&b);
    }
    if (line->folded == 0)
        (void)jr_buf_addc(s->out, ' ');
    jr_timeline_note(s->t, line, line->folded > 0 ? 0 : s->note, &b);
    jr_must(b.failed);
    jr_page_add(&s->page, colors[line->state], jr_buf_str(&b), s->out);
    (void)jr_buf_addc(s->out, '\n');
}

static void add_legend(const struct sheet *s)
{
    struct flow f = { .sheet = s };
    JR_BUF b = { 0 };

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    for (size_t i = MARK_WAITS; i < MARK_COUNT; i++) {
        if (!s->seen[i])
            continue;
        jr_buf_reset(&b);
        (void)jr_buf_addf(&b, "%s %s", s->page.drawing ? marks[i].drawn : marks[i].ascii,
                          marks[i].words);
        flow_add(&f, "  ", marks[i].color, jr_buf_str(&b));
    }
    if (f.at > 0)
        (void)jr_buf_addc(s->out, '\n');
}

void jr_timeline_text(const struct jr_timeline *t, const struct jr_page *page, struct jr_buf *out)
{
    struct sheet s = { .t = t, .page = *page, .out = out };

    if (page->width > WIDTH_MAX)
        s.page.width = WIDTH_PAPER;
    add_title(&s);
    if (t->n == 0) {
        (void)jr_buf_adds(out, "There are no Pods.\n");
        return;
    }
    set_columns(&s);
    add_axis(&s);
    for (size_t i = 0; i < t->n; i++)
        add_line(&s, &t->lines[i]);
    add_legend(&s);
}
