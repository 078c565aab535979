/* SPDX-License-Identifier: Apache-2.0 */
/* Myers' algorithm on lines. */
#include "cli/diff.h"

#include "common/base/memory.h"

#define CONTEXT 3
#define MAX_LINES 100000
#define MAX_DIFFERENCES 5000

struct lines {
    struct jr_str *v;
    size_t n;
};

/* The script: for each step whether a line is kept, removed from a or added from b. */
struct script {
    char *ops; /* ' ', '-', '+' */
    size_t n;
};

static struct lines split_lines(struct jr_str text)
{
    struct lines lines = { NULL, 0 };
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n' || i + 1 == text.n;
    lines.v = jr_xcalloc(n, sizeof(*lines.v));
    while (lines.n < n && jr_str_cut(&text, '\n', &lines.v[lines.n]))
        lines.n++;
    return lines;
}

/* Myers' greedy algorithm: the furthest points reached with d differences, a row per d, to walk
 * back along. */
struct search {
    const struct lines *a, *b;
    int32_t *rows; /* row d has 2d + 1 entries and begins at d * d */
    int32_t d;
};

static int32_t *row(const struct search *s, int32_t d)
{
    return s->rows + (size_t)d * (size_t)d + d; /* index 0 is diagonal 0 */
}

static int32_t follow_diagonal(const struct search *s, int32_t x, int32_t k)
{
    int32_t y = x - k;

    while ((size_t)x < s->a->n && (size_t)y < s->b->n && jr_str_eq(s->a->v[x], s->b->v[y])) {
        x++;
        y++;
    }
    return x;
}

/* Where diagonal k is entered with d differences: down from k + 1 (a line added) or right from k -
 * 1 (one removed). */
static bool enters_down(const int32_t *before, int32_t d, int32_t k)
{
    return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

/** Whether the texts differ in few enough lines. */
static bool find_script(struct search *s)
{
    int32_t n = (int32_t)s->a->n, m = (int32_t)s->b->n;

    for (int32_t d = 0; d <= MAX_DIFFERENCES; d++) {
        size_t need = ((size_t)d + 1) * ((size_t)d + 1);
        s->rows = jr_must_have(reallocarray(s->rows, need, sizeof(*s->rows)));
        s->d = d;
        int32_t *here = row(s, d);
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t x = 0;
            if (d > 0) {
                const int32_t *before = row(s, d - 1);
                x = enters_down(before, d, k) ? before[k + 1] : before[k - 1] + 1;
            }
            /* Out of either text: no way on from here. */
            here[k] = x > n || x - k > m || x - k < 0 ? -1 - n - m : follow_diagonal(s, x, k);
            if (here[k] == n && n - k == m)
                return true;
        }
    }
    return false;
}

/* Walks back from the end, so the script comes out reversed and is turned round. */
static void walk(const struct search *s, struct script *ret)
{
    int32_t x = (int32_t)s->a->n, y = (int32_t)s->b->n;

    for (int32_t d = s->d; d > 0; d--) {
        int32_t k = x - y;
        const int32_t *before = row(s, d - 1);
        bool down = enters_down(before, d, k);
        int32_t from = down ? before[k + 1] : before[k - 1] + 1; /* x right after the step */
        for (; x > from; x--, y--)
            ret->ops[ret->n++] = ' ';
        ret->ops[ret->n++] = down ? '+' : '-';
        if (down)
            y--;
        else
            x--;
    }
    for (; x > 0; x--)
        ret->ops[ret->n++] = ' ';
    for (size_t i = 0; i < ret->n / 2; i++) {
        char c = ret->ops[i];
        ret->ops[i] = ret->ops[ret->n - 1 - i];
        ret->ops[ret->n - 1 - i] = c;
    }
}

static void replace_all(const struct lines *a, const struct lines *b, struct script *ret)
{
    memset(ret->ops, '-', a->n);
    memset(ret->ops + a->n, '+', b->n);
    ret->n = a->n + b->n;
}

static struct script compare(const struct lines *a, const struct lines *b)
{
    struct script script = { jr_xcalloc(a->n + b->n, 1), 0 };
    struct search s = { .a = a, .b = b };

    if (a->n <= MAX_LINES && b->n <= MAX_LINES && find_script(&s))
        walk(&s, &script);
    else
        replace_all(a, b, &script);
    free(s.rows);
    return script;
}

/* One hunk: steps from..to of the script, which begins at line x of a and y of b. */
static void write_hunk(const struct lines *a, const struct lines *b, const struct script *s,
                       size_t from, size_t to, size_t x, size_t y, struct jr_buf *out)
{
    size_t in_a = 0, in_b = 0;

    for (size_t i = from; i < to; i++) {
        in_a += s->ops[i] != '+';
        in_b += s->ops[i] != '-';
    }
    (void)jr_buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", x + (in_a > 0), in_a, y + (in_b > 0), in_b);
    for (size_t i = from; i < to; i++) {
        struct jr_str line = s->ops[i] == '+' ? b->v[y] : a->v[x];
        (void)jr_buf_addf(out, "%c%.*s\n", s->ops[i], JR_P(line));
        x += s->ops[i] != '+';
        y += s->ops[i] != '-';
    }
}

/* The end of the hunk that begins with the change at i: where no change follows within twice the
 * context. */
static size_t hunk_end(const struct script *s, size_t i)
{
    size_t last = i;

    for (size_t j = i; j < s->n && j <= last + 2 * (size_t)CONTEXT; j++) {
        if (s->ops[j] != ' ')
            last = j;
    }
    return last + 1 + CONTEXT < s->n ? last + 1 + CONTEXT : s->n;
}

static void write_hunks(const struct lines *a, const struct lines *b, const struct script *s,
                        struct jr_buf *out)
{
    size_t x = 0, y = 0;

    for (size_t i = 0; i < s->n;) {
        if (s->ops[i] == ' ') {
            i++;
            x++;
            y++;
            continue;
        }
        size_t lead = i < CONTEXT ? i : CONTEXT;
        size_t end = hunk_end(s, i);
        /* The lines before a change are kept ones, hunks being further apart than their contexts.
         */
        write_hunk(a, b, s, i - lead, end, x - lead, y - lead, out);
        for (; i < end; i++) {
            x += s->ops[i] != '+';
            y += s->ops[i] != '-';
        }
    }
}

enum jr_status jr_diff_write(struct jr_str a, const char *name_a, struct jr_str b,
                             const char *name_b, struct jr_buf *out)
{
    struct lines la, lb;
    struct script s;

    if (jr_str_eq(a, b))
        return JR_OK;
    la = split_lines(a);
    lb = split_lines(b);
    s = compare(&la, &lb);
    (void)jr_buf_addf(out, "--- %s\n+++ %s\n", name_a, name_b);
    write_hunks(&la, &lb, &s, out);
    free(la.v);
    free(lb.v);
    free(s.ops);
    return jr_need(out->failed);
}
