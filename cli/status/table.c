/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as wide as what they hold, names cut where a terminal is narrow. */
#include "cli/status/table.h"

#include <stdlib.h>

#include "common/base/memory.h"

#define BAR 10
#define NAME_MIN 12
#define REASONS_MAX 12

struct jr_status_row jr_status_row(const struct jr_job *job, const struct jr_diagnosis *d,
                                   struct jr_arena *arena)
{
    const struct jr_job_status *s = &job->status;

    return (struct jr_status_row){
        .namespace = job->meta.namespace,
        .name = job->meta.name,
        .done = s->succeeded,
        .wanted = job->spec.completions.set ? job->spec.completions.v : -1,
        .active = s->active,
        .failed = s->failed,
        .created = job->meta.creation_timestamp,
        .verdict = d->verdict,
        .is_failed = jr_job_condition_true(&s->conditions, "Failed"),
        .reason = d->causes[0].id,
        .cause = jr_xarena_str(arena, d->causes[0].text),
    };
}

/* ---- cells ---- */

enum column { COL_NAMESPACE, COL_NAME, COL_PROGRESS, COL_ACTIVE, COL_FAILED, COL_AGE, COL_COUNT };

static const char *const titles[] = { "NAMESPACE", "NAME", "PROGRESS", "ACTIVE", "FAILED", "AGE" };

static enum jr_page_color color_of(const struct jr_status_row *r)
{
    switch (r->verdict) {
    case JR_VERDICT_HAND:
    case JR_VERDICT_NEVER:
        return JR_PAGE_RED;
    case JR_VERDICT_UNKNOWN:
        return JR_PAGE_PLAIN;
    case JR_VERDICT_MOVES:
        return JR_PAGE_BLUE;
    case JR_VERDICT_OVER:
        return r->is_failed ? JR_PAGE_RED : JR_PAGE_DIM;
    }
    return JR_PAGE_PLAIN;
}

/** Appends an age as kubectl does: the two largest units. */
static void add_age(struct jr_time from, struct jr_time now, struct jr_buf *out)
{
    static const struct {
        int64_t s;
        char name;
    } units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
    int64_t left = jr_time_diff(now, from) / JR_SEC;
    size_t shown = 0;

    left = left < 0 ? 0 : left;
    for (size_t i = 0; i < JR_ARRAY_SIZE(units) && shown < 2; i++) {
        const int64_t n = left / units[i].s;

        left %= units[i].s;
        if (n == 0 && (shown > 0 || units[i].s > 1)) {
            shown += shown > 0;
            continue;
        }
        (void)jr_buf_addf(out, "%lld%c", (long long)n, units[i].name);
        shown++;
    }
}

static void add_progress(const struct jr_status_row *r, const struct jr_page *page,
                         struct jr_buf *out)
{
    if (page->drawing && r->wanted > 0) {
        const int64_t full = r->done >= r->wanted ? BAR : r->done * BAR / r->wanted;

        for (int64_t i = 0; i < BAR; i++)
            (void)jr_buf_adds(out, i < full ? "\u2588" : "\u2591");
        (void)jr_buf_addc(out, ' ');
    }
    (void)jr_buf_addf(out, "%lld", (long long)r->done);
    if (r->wanted >= 0)
        (void)jr_buf_addf(out, "/%lld", (long long)r->wanted);
    else
        (void)jr_buf_adds(out, " done");
}

/** Appends a cell, all but names. */
static void add_cell(const struct jr_status_table *t, const struct jr_status_row *r, enum column c,
                     const struct jr_page *page, struct jr_buf *out)
{
    switch (c) {
    case COL_PROGRESS:
        add_progress(r, page, out);
        break;
    case COL_ACTIVE:
        (void)jr_buf_addf(out, "%lld", (long long)r->active);
        break;
    case COL_FAILED:
        (void)jr_buf_addf(out, "%lld", (long long)r->failed);
        break;
    case COL_AGE:
        add_age(r->created, t->now, out);
        break;
    case COL_NAMESPACE:
        jr_page_cell(r->namespace, 0, out);
        break;
    case COL_NAME:
        jr_page_cell(r->name, 0, out);
        break;
    case COL_COUNT:
        break;
    }
}

/* ---- the table ---- */

struct widths {
    size_t v[COL_COUNT];
};

/** Finds how wide the columns are; a name gets what the page leaves. */
static struct widths measure(const struct jr_status_table *t, const struct jr_page *page)
{
    struct widths w = { { 0 } };
    size_t used = 0, reason = strlen("REASON");
    JR_BUF cell = { 0 };

    jr_buf_init(&cell, JR_BUF_BY_INPUT);
    for (enum column c = t->namespaces ? COL_NAMESPACE : COL_NAME; c < COL_COUNT; c++) {
        w.v[c] = strlen(titles[c]);
        for (size_t i = 0; i < t->n; i++) {
            const size_t before = w.v[c];
            size_t n;

            jr_buf_reset(&cell);
            add_cell(t, &t->rows[i], c, page, &cell);
            n = jr_page_columns(jr_buf_str(&cell));
            w.v[c] = n > before ? n : before;
        }
        used += w.v[c] + 2;
    }
    jr_must(cell.failed);
    for (size_t i = 0; i < t->n; i++)
        reason = strlen(t->rows[i].reason) > reason ? strlen(t->rows[i].reason) : reason;
    used += reason;
    for (enum column c = COL_NAMESPACE; c <= COL_NAME && used > page->width; c++) {
        const size_t less = used - page->width;
        const size_t width = w.v[c] > NAME_MIN + less ? w.v[c] - less : NAME_MIN;

        if (w.v[c] <= NAME_MIN)
            continue;
        used -= w.v[c] - width;
        w.v[c] = width;
    }
    return w;
}

static void add_row(const struct jr_status_table *t, const struct jr_status_row *r,
                    const struct widths *w, const struct jr_page *page, struct jr_buf *out)
{
    JR_BUF cell = { 0 };

    jr_buf_init(&cell, JR_BUF_BY_INPUT);
    for (enum column c = t->namespaces ? COL_NAMESPACE : COL_NAME; c < COL_COUNT; c++) {
        if (c == COL_NAMESPACE || c == COL_NAME) {
            jr_page_cell(c == COL_NAME ? r->name : r->namespace, w->v[c], out);
        } else {
            jr_buf_reset(&cell);
            add_cell(t, r, c, page, &cell);
            jr_must(cell.failed);
            jr_page_cell(jr_buf_str(&cell), w->v[c], out);
        }
        (void)jr_buf_adds(out, "  ");
    }
    jr_page_add(page, color_of(r), jr_str(r->reason), out);
    (void)jr_buf_addc(out, '\n');
}

void jr_status_rows(const struct jr_status_table *t, const struct jr_page *page, bool head,
                    struct jr_buf *out)
{
    const struct widths w = measure(t, page);

    for (enum column c = t->namespaces ? COL_NAMESPACE : COL_NAME; head && c < COL_COUNT; c++) {
        jr_page_cell(jr_str(titles[c]), w.v[c], out);
        (void)jr_buf_adds(out, "  ");
    }
    if (head)
        (void)jr_buf_adds(out, "REASON\n");
    for (size_t i = 0; i < t->n; i++)
        add_row(t, &t->rows[i], &w, page, out);
}

/* ---- the summary ---- */

/** A reason, and how many Jobs have it. */
struct reason {
    const struct jr_status_row *first;
    size_t n;
};

static int compare_reasons(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;
    const bool x_over = x->first->verdict == JR_VERDICT_OVER,
               y_over = y->first->verdict == JR_VERDICT_OVER;

    if (x_over != y_over)
        return x_over ? 1 : -1;
    if (x->first->verdict != y->first->verdict)
        return x->first->verdict > y->first->verdict ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return strcmp(x->first->reason, y->first->reason);
}

/** Counts the reasons into v, which has room for all; returns how many there are. */
static size_t count_reasons(const struct jr_status_table *t, struct reason *v)
{
    size_t n = 0, k;

    for (size_t i = 0; i < t->n; i++) {
        const struct jr_status_row *r = &t->rows[i];

        for (k = 0; k < n; k++) {
            if (strcmp(v[k].first->reason, r->reason) == 0 && v[k].first->verdict == r->verdict)
                break;
        }
        if (k == n)
            v[n++] = (struct reason){ .first = r };
        v[k].n++;
    }
    qsort(v, n, sizeof(*v), compare_reasons);
    return n;
}

/** Appends "12 Jobs: 2 need a hand, 7 go on, 3 are over". */
static void add_counts(const struct jr_status_table *t, struct jr_buf *out)
{
    static const struct {
        enum jr_verdict verdict;
        const char *one, *many;
    } words[] = { { JR_VERDICT_NEVER, "can't succeed any more", "can't succeed any more" },
                  { JR_VERDICT_HAND, "needs a hand", "need a hand" },
                  { JR_VERDICT_UNKNOWN, "isn't clear", "aren't clear" },
                  { JR_VERDICT_MOVES, "goes on", "go on" },
                  { JR_VERDICT_OVER, "is over", "are over" } };
    const char *between = ": ";

    (void)jr_buf_addf(out, "%zu %s", t->n, t->n == 1 ? "Job" : "Jobs");
    for (size_t i = 0; i < JR_ARRAY_SIZE(words); i++) {
        size_t n = 0;

        for (size_t k = 0; k < t->n; k++)
            n += t->rows[k].verdict == words[i].verdict;
        if (n == 0)
            continue;
        (void)jr_buf_addf(out, "%s%zu %s", between, n, n == 1 ? words[i].one : words[i].many);
        between = ", ";
    }
    (void)jr_buf_addc(out, '\n');
}

/** Appends how many Jobs have the reason, and the cause of the first of them. */
static void add_reason(const struct jr_status_table *t, const struct reason *r, size_t width,
                       const struct jr_page *page, struct jr_buf *out)
{
    const struct jr_status_row *first = r->first;
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_page_cell(jr_str(first->reason), width, &text);
    jr_must(text.failed);
    (void)jr_buf_addf(out, "%6zu  ", r->n);
    jr_page_add(page, color_of(first), jr_buf_str(&text), out);
    if (page->width > width + 30) {
        jr_buf_reset(&text);
        if (t->namespaces)
            (void)jr_buf_addf(&text, "%.*s/", JR_P(first->namespace));
        (void)jr_buf_addf(&text, "%.*s: %.*s", JR_P(first->name), JR_P(first->cause));
        jr_must(text.failed);
        (void)jr_buf_adds(out, "  ");
        jr_page_cell(jr_buf_str(&text), page->width - width - 10, out);
    }
    while (out->n > 0 && out->p[out->n - 1] == ' ')
        out->n--;
    (void)jr_buf_addc(out, '\n');
}

void jr_status_summary(const struct jr_status_table *t, const struct jr_page *page,
                       struct jr_buf *out)
{
    JR_FREE struct reason *v = jr_xcalloc(t->n + 1, sizeof(*v));
    const size_t n = count_reasons(t, v);
    size_t width = 0;

    add_counts(t, out);
    for (size_t i = 0; i < n && i < REASONS_MAX; i++)
        width = strlen(v[i].first->reason) > width ? strlen(v[i].first->reason) : width;
    for (size_t i = 0; i < n && i < REASONS_MAX; i++)
        add_reason(t, &v[i], width, page, out);
    if (n > REASONS_MAX)
        (void)jr_buf_addf(out, "        and %zu more reasons\n", n - REASONS_MAX);
}
