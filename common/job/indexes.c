/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of completion indexes: sorted intervals, operations on them, and their text. */
#include "common/job/indexes.h"

#include "common/api/field_error.h"
#include "common/base/num.h"

void jr_indexes_done(struct jr_indexes *s)
{
    free(s->v);
    *s = (struct jr_indexes){ 0 };
}

/** Where i is, or the interval behind the place where it would be. */
static size_t find_interval(const struct jr_indexes *s, int32_t i)
{
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->v[mid].last < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool jr_indexes_has(const struct jr_indexes *s, int32_t i)
{
    size_t at = find_interval(s, i);

    return at < s->n && s->v[at].first <= i;
}

int64_t jr_indexes_count(const struct jr_indexes *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += (int64_t)s->v[i].last - s->v[i].first + 1;
    return n;
}

static enum jr_status reserve(struct jr_indexes *s, size_t n)
{
    struct jr_interval *v;
    size_t cap = s->cap == 0 ? 8 : s->cap * 2;

    if (n <= s->cap)
        return JR_OK;
    if (cap < n)
        cap = n;
    v = reallocarray(s->v, cap, sizeof(*v));
    if (v == NULL)
        return JR_NOMEM;
    s->v = v;
    s->cap = cap;
    return JR_OK;
}

/** Adds first..last; joins every interval that it overlaps or touches. */
static enum jr_status add_interval(struct jr_indexes *s, int32_t first, int32_t last)
{
    size_t from = first == INT32_MIN ? 0 : find_interval(s, first - 1);
    size_t to = from;
    enum jr_status st;

    while (to < s->n && (int64_t)s->v[to].first <= (int64_t)last + 1) {
        if (s->v[to].first < first)
            first = s->v[to].first;
        if (s->v[to].last > last)
            last = s->v[to].last;
        to++;
    }
    if (from == to) {
        st = reserve(s, s->n + 1);
        if (st != JR_OK)
            return st;
    }
    if (from + 1 != to && s->n > to)
        memmove(s->v + from + 1, s->v + to, (s->n - to) * sizeof(*s->v));
    s->n = s->n - (to - from) + 1;
    s->v[from] = (struct jr_interval){ first, last };
    return JR_OK;
}

enum jr_status jr_indexes_add(struct jr_indexes *s, int32_t i)
{
    return add_interval(s, i, i);
}

/** Appends an interval that does not start before the last one. */
static void append_sorted(struct jr_indexes *s, struct jr_interval i)
{
    struct jr_interval *last = s->n == 0 ? NULL : &s->v[s->n - 1];

    if (s->n == 0 || (int64_t)last->last + 1 < i.first)
        s->v[s->n++] = i;
    else if (last->last < i.last)
        last->last = i.last;
}

enum jr_status jr_indexes_merge(struct jr_indexes *s, const struct jr_indexes *other)
{
    struct jr_indexes out = { 0 };
    size_t a = 0, b = 0;

    if (other->n == 0)
        return JR_OK;
    out.cap = s->n + other->n;
    out.v = reallocarray(NULL, out.cap, sizeof(*out.v));
    if (out.v == NULL)
        return JR_NOMEM;
    while (a < s->n || b < other->n) {
        bool mine = b >= other->n || (a < s->n && s->v[a].first <= other->v[b].first);

        append_sorted(&out, mine ? s->v[a++] : other->v[b++]);
    }
    jr_indexes_done(s);
    *s = out;
    return JR_OK;
}

int32_t jr_indexes_common(const struct jr_indexes *a, const struct jr_indexes *b)
{
    size_t i = 0, k = 0;

    while (i < a->n && k < b->n) {
        const struct jr_interval x = a->v[i], y = b->v[k];

        if (x.first <= y.last && y.first <= x.last)
            return x.first > y.first ? x.first : y.first;
        if (x.last < y.last)
            i++;
        else
            k++;
    }
    return -1;
}

enum jr_status jr_indexes_write(const struct jr_indexes *s, struct jr_buf *out)
{
    for (size_t i = 0; i < s->n && out->failed == JR_OK; i++) {
        const struct jr_interval v = s->v[i];

        if (i > 0)
            (void)jr_buf_addc(out, ',');
        (void)jr_buf_add_i64(out, v.first);
        if (v.last == v.first)
            continue;
        (void)jr_buf_addc(out, (int64_t)v.last - v.first == 1 ? ',' : '-');
        (void)jr_buf_add_i64(out, v.last);
    }
    return out->failed;
}

/** One part as the controller reads it; false: to be passed over. */
static bool read_part(struct jr_str part, int64_t completions, int64_t *ret_first,
                      int64_t *ret_last)
{
    struct jr_str limit;

    if (!jr_str_cut(&part, '-', &limit) || jr_parse_go_int(limit, ret_first) != JR_OK)
        return false;
    *ret_last = *ret_first;
    if (*ret_first >= completions || !jr_str_cut(&part, '-', &limit))
        return true;
    if (jr_parse_go_int(limit, ret_last) != JR_OK)
        return false;
    if (*ret_last >= completions)
        *ret_last = completions - 1;
    return *ret_last >= *ret_first;
}

enum jr_status jr_indexes_read(struct jr_str text, int32_t completions, struct jr_indexes *ret)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes s = { 0 };
    struct jr_str part;
    int64_t first, last;

    while (text.n > 0 && jr_str_cut(&text, ',', &part)) {
        enum jr_status st;

        if (!read_part(part, completions, &first, &last))
            continue;
        if (first >= completions)
            break;
        st = add_interval(&s, (int32_t)first, (int32_t)last);
        if (st != JR_OK)
            return st;
    }
    jr_indexes_done(ret);
    *ret = s;
    s = (struct jr_indexes){ 0 };
    return JR_OK;
}

/* ---- as validation reads it ---- */

/** Writes "WORDS "TEXT"" and is JR_INVALID. */
static enum jr_status refuse_text(struct jr_buf *why, const char *words, struct jr_str text)
{
    if (why == NULL)
        return JR_INVALID;
    (void)jr_buf_adds(why, words);
    if (jr_field_quote(text, why) != JR_OK)
        return why->failed;
    return JR_INVALID;
}

static enum jr_status refuse_order(struct jr_buf *why, int64_t previous, int64_t current)
{
    if (why == NULL)
        return JR_INVALID;
    (void)jr_buf_addf(why, "non-increasing order, previous: %lld, current: %lld",
                      (long long)previous, (long long)current);
    return why->failed == JR_OK ? JR_INVALID : why->failed;
}

static enum jr_status parse_limit(struct jr_str text, int64_t completions, int64_t *ret,
                                  struct jr_buf *why)
{
    if (jr_parse_go_int(text, ret) != JR_OK)
        return refuse_text(why, "cannot convert string to integer for index: ", text);
    if (*ret >= completions || *ret > INT32_MAX)
        return refuse_text(why, "too large index: ", text);
    return JR_OK;
}

enum jr_status jr_interval_parse(struct jr_str text, int64_t completions, struct jr_interval *ret,
                                 struct jr_buf *why)
{
    ptrdiff_t dash = jr_str_find(text, '-');
    struct jr_str left = dash < 0 ? text : jr_str_head(text, (size_t)dash);
    struct jr_str right = dash < 0 ? text : jr_str_from(text, (size_t)dash + 1);
    int64_t first, last;
    enum jr_status st;

    if (dash >= 0 && jr_str_find(right, '-') >= 0) {
        st = refuse_text(why, "the fragment ", text);
        if (why != NULL && st == JR_INVALID)
            (void)jr_buf_adds(why, " violates the requirement that an index interval can have at "
                                   "most two parts separated by '-'");
        return why == NULL || why->failed == JR_OK ? st : why->failed;
    }
    st = parse_limit(left, completions, &first, why);
    if (st != JR_OK)
        return st;
    last = first;
    if (dash >= 0) {
        st = parse_limit(right, completions, &last, why);
        if (st == JR_OK && first >= last)
            st = refuse_order(why, first, last);
    }
    if (st == JR_OK)
        *ret = (struct jr_interval){ (int32_t)first, (int32_t)last };
    return st;
}

enum jr_status jr_indexes_check(struct jr_str text, int64_t completions, int64_t *ret_count,
                                struct jr_buf *why)
{
    int64_t previous = -1, n = 0;
    bool more = text.n > 0;

    while (more) {
        ptrdiff_t comma = jr_str_find(text, ',');
        struct jr_interval i = { 0, 0 };
        enum jr_status st;

        more = comma >= 0; /* not jr_str_cut: "1," has a second, empty part */
        st =
            jr_interval_parse(more ? jr_str_head(text, (size_t)comma) : text, completions, &i, why);
        if (st == JR_OK && i.first <= previous)
            st = refuse_order(why, previous, i.first);
        if (st != JR_OK)
            return st;
        n += (int64_t)i.last - i.first + 1;
        previous = i.last;
        text = jr_str_from(text, (size_t)comma + 1);
    }
    if (ret_count != NULL)
        *ret_count = n;
    return JR_OK;
}
