#include "cli/linediff.h"

#define CONTEXT 3
/* Beyond so many differing lines the middle is replaced as a whole: time and memory are quadratic
 * in it. */
#define DIFFERENCES_MAX 2000

struct lines {
    struct jr_str *v;
    size_t n;
};

void jr_linediff_init(struct jr_linediff *d)
{
    *d = (struct jr_linediff){ .n = 0 };
    jr_arena_init(&d->arena, 0);
}

void jr_linediff_done(struct jr_linediff *d)
{
    jr_arena_done(&d->arena);
    *d = (struct jr_linediff){ .n = 0 };
}

static bool split(struct jr_str text, struct jr_arena *arena, struct lines *ret)
{
    size_t n = 1;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    ret->v = jr_arena_calloc(arena, n, sizeof(*ret->v));
    ret->n = 0;
    if (ret->v == NULL)
        return false;
    while (text.n > 0) {
        ptrdiff_t end = jr_str_find(text, '\n');

        ret->v[ret->n++] = end < 0 ? text : jr_str_head(text, (size_t)end);
        text = end < 0 ? jr_str_from(text, text.n) : jr_str_from(text, (size_t)end + 1);
    }
    return true;
}

static enum jr_status put(struct jr_linediff *d, char op, struct jr_str text)
{
    if (d->n == d->cap) {
        size_t cap = d->cap == 0 ? 256 : d->cap * 2;
        struct jr_diff_line *v = jr_arena_calloc(&d->arena, cap, sizeof(*v));

        if (v == NULL)
            return JR_NOMEM;
        if (d->n > 0)
            memcpy(v, d->v, d->n * sizeof(*v));
        d->v = v;
        d->cap = cap;
    }
    d->v[d->n++] = (struct jr_diff_line){ op, text };
    return JR_OK;
}

static enum jr_status put_all(struct jr_linediff *d, char op, const struct jr_str *v, size_t n)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < n && st == JR_OK; i++)
        st = put(d, op, v[i]);
    return st;
}

/* ---- Myers' greedy algorithm ---- */

/** The furthest reaching paths: rows[d][k + d] is how far into a the path with d differences on
 * diagonal k (= x - y) comes. */
struct search {
    struct lines a;
    struct lines b;
    int32_t **rows;
    int32_t found; /* the number of differences; -1: too many */
};

static int32_t step(const struct search *s, int32_t d, int32_t k)
{
    const int32_t *row = d == 0 ? NULL : s->rows[d - 1];
    int32_t x;

    if (d == 0)
        x = 0;
    else if (k == -d || (k != d && row[k - 1 + d - 1] < row[k + 1 + d - 1]))
        x = row[k + 1 + d - 1]; /* down: a line of b is inserted */
    else
        x = row[k - 1 + d - 1] + 1; /* right: a line of a is deleted */
    while (x < (int32_t)s->a.n && x - k < (int32_t)s->b.n && x - k >= 0 &&
           jr_str_eq(s->a.v[x], s->b.v[x - k]))
        x++;
    return x;
}

static enum jr_status search(struct search *s, struct jr_arena *arena)
{
    size_t max = s->a.n + s->b.n;

    if (max > DIFFERENCES_MAX)
        max = DIFFERENCES_MAX;
    s->found = -1;
    s->rows = jr_arena_calloc(arena, max + 1, sizeof(*s->rows));
    if (s->rows == NULL)
        return JR_NOMEM;
    for (int32_t d = 0; d <= (int32_t)max; d++) {
        s->rows[d] = jr_arena_calloc(arena, 2 * (size_t)d + 1, sizeof(**s->rows));
        if (s->rows[d] == NULL)
            return JR_NOMEM;
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t x = step(s, d, k);

            s->rows[d][k + d] = x;
            if (x >= (int32_t)s->a.n && x - k >= (int32_t)s->b.n) {
                s->found = d;
                return JR_OK;
            }
        }
    }
    return JR_OK;
}

/** The path, from its end to its start, into ops (from the back). Returns where it starts. */
static size_t trace(const struct search *s, struct jr_diff_line *ops, size_t end)
{
    int32_t x = (int32_t)s->a.n, y = (int32_t)s->b.n;

    for (int32_t d = s->found; d > 0; d--) {
        const int32_t *row = s->rows[d - 1];
        int32_t k = x - y;
        bool down = k == -d || (k != d && row[k - 1 + d - 1] < row[k + 1 + d - 1]);
        int32_t from_k = down ? k + 1 : k - 1;
        int32_t from_x = row[from_k + d - 1], from_y = from_x - from_k;

        for (; x > from_x + (down ? 0 : 1) && y > from_y + (down ? 1 : 0); x--, y--)
            ops[--end] = (struct jr_diff_line){ ' ', s->a.v[x - 1] };
        ops[--end] = down ? (struct jr_diff_line){ '+', s->b.v[y - 1] }
                          : (struct jr_diff_line){ '-', s->a.v[x - 1] };
        x = from_x;
        y = from_y;
    }
    for (; x > 0; x--)
        ops[--end] = (struct jr_diff_line){ ' ', s->a.v[x - 1] };
    return end;
}

static enum jr_status put_middle(struct jr_linediff *d, struct lines a, struct lines b)
{
    JR_ARENA scratch = { 0 };
    struct search s = { .a = a, .b = b };
    struct jr_diff_line *ops;
    size_t max = a.n + b.n, at;
    enum jr_status st;

    jr_arena_init(&scratch, 0);
    st = search(&s, &scratch);
    if (st != JR_OK)
        return st;
    if (s.found < 0) {
        st = put_all(d, '-', a.v, a.n);
        return st == JR_OK ? put_all(d, '+', b.v, b.n) : st;
    }
    ops = jr_arena_calloc(&scratch, max, sizeof(*ops));
    if (ops == NULL)
        return JR_NOMEM;
    for (at = trace(&s, ops, max); at < max && st == JR_OK; at++)
        st = put(d, ops[at].op, ops[at].text);
    return st;
}

enum jr_status jr_linediff_add(struct jr_linediff *d, struct jr_str a, struct jr_str b)
{
    struct lines la, lb, ma, mb;
    size_t front = 0, back = 0;
    enum jr_status st;

    if (!split(a, &d->arena, &la) || !split(b, &d->arena, &lb))
        return JR_NOMEM;
    while (front < la.n && front < lb.n && jr_str_eq(la.v[front], lb.v[front]))
        front++;
    while (back < la.n - front && back < lb.n - front &&
           jr_str_eq(la.v[la.n - 1 - back], lb.v[lb.n - 1 - back]))
        back++;
    ma = (struct lines){ la.v + front, la.n - front - back };
    mb = (struct lines){ lb.v + front, lb.n - front - back };
    st = put_all(d, ' ', la.v, front);
    if (st == JR_OK)
        st = put_middle(d, ma, mb);
    return st == JR_OK ? put_all(d, ' ', la.v + la.n - back, back) : st;
}

/* ---- printing ---- */

/** The first changed line at or after i; d->n if there is none. */
static size_t next_change(const struct jr_linediff *d, size_t i)
{
    while (i < d->n && d->v[i].op == ' ')
        i++;
    return i;
}

/** The end of the hunk that begins with the change at i: after its last change and the context. */
static size_t hunk_end(const struct jr_linediff *d, size_t i)
{
    for (;;) {
        size_t next;

        while (i < d->n && d->v[i].op != ' ')
            i++;
        next = next_change(d, i);
        if (next == d->n || next - i > (size_t)2 * CONTEXT)
            return d->n - i < CONTEXT ? d->n : i + CONTEXT;
        i = next;
    }
}

static void put_range(struct jr_buf *out, char sign, size_t start, size_t count)
{
    /* an empty range stands after the line that it names */
    (void)jr_buf_addf(out, " %c%zu", sign, count == 0 ? start : start + 1);
    if (count != 1)
        (void)jr_buf_addf(out, ",%zu", count);
}

enum jr_status jr_linediff_write(const struct jr_linediff *d, const char *label_a,
                                 const char *label_b, struct jr_buf *out)
{
    size_t line_a = 0, line_b = 0, done = 0;
    size_t change = next_change(d, 0);

    if (change == d->n)
        return JR_OK;
    (void)jr_buf_addf(out, "--- %s\n+++ %s\n", label_a, label_b);
    for (; change < d->n && out->failed == JR_OK; change = next_change(d, done)) {
        size_t from = change - done < CONTEXT ? done : change - CONTEXT;
        size_t to = hunk_end(d, change), in_a = 0, in_b = 0;

        line_a += from - done; /* what lies between hunks is unchanged */
        line_b += from - done;
        for (size_t i = from; i < to; i++) {
            in_a += d->v[i].op != '+';
            in_b += d->v[i].op != '-';
        }
        (void)jr_buf_adds(out, "@@");
        put_range(out, '-', line_a, in_a);
        put_range(out, '+', line_b, in_b);
        (void)jr_buf_adds(out, " @@\n");
        for (size_t i = from; i < to; i++)
            (void)jr_buf_addf(out, "%c%.*s\n", d->v[i].op, JR_P(d->v[i].text));
        line_a += in_a;
        line_b += in_b;
        done = to;
    }
    return out->failed;
}
