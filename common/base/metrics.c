/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of metrics: series by their labels, and Prometheus' text. */
#include "common/base/metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/metrics_process.h"
#include "common/base/utf8.h"
#include "common/base/vec.h"

/** What families and series begin with: the text that they are found and sorted by. */
struct row {
    const char *text;
};
struct rows {
    struct row **v;
    size_t n;
    size_t cap;
};

/** One combination of label values; its text is {a="b",c="d"}, or "". */
struct series {
    struct row row;
    char *labels;       /* owns that text */
    double value;       /* counter, gauge; the sum of a histogram */
    uint64_t count;     /* histogram */
    uint64_t buckets[]; /* histogram: observations up to each bound, not yet summed up */
};

/** A metric of one name, which is its text. */
struct family {
    struct row row;
    const struct jr_metric_desc *desc;
    struct rows series;
};

struct jr_metrics {
    pthread_mutex_t mutex;
    struct rows families;
    struct jr_buf labels; /* that are looked for: each sample has some */
    struct series *dropped;
    bool process;
};

static const struct jr_metric_desc dropped_desc =
    JR_METRIC(COUNTER, "jobreeve_metrics_dropped_total",
              "Samples that were dropped for want of memory or because they were malformed.", NULL);

/* ---- rendering of labels and numbers ---- */

/** Adds s escaped for a label value or, without quotes, for a help text. Bytes that are no UTF-8
 * would make Prometheus refuse the whole page. */
static void add_text(struct jr_buf *b, struct jr_str s, bool quotes)
{
    while (s.n > 0) {
        uint32_t cp;
        bool bad;
        size_t n = 0;

        while (n < s.n && s.p[n] >= ' ' && s.p[n] < 0x7f && s.p[n] != '"' && s.p[n] != '\\')
            n++;
        if (n > 0) {
            (void)jr_buf_add(b, jr_str_head(s, n));
            s = jr_str_from(s, n);
            continue;
        }
        n = jr_utf8_next(s, &cp, &bad);
        if (bad)
            (void)jr_buf_add(b, JR_UTF8_BAD_S);
        else if (cp == '\n')
            (void)jr_buf_adds(b, "\\n");
        else if (cp == '\\' || (cp == '"' && quotes))
            (void)jr_buf_addf(b, "\\%c", (char)cp);
        else
            (void)jr_buf_add(b, jr_str_head(s, n));
        s = jr_str_from(s, n);
    }
}

/** Appends {a="b",c="d"}; false where there are not as many values as labels. */
static bool add_labels(struct jr_buf *b, const struct jr_metric_desc *d, const char *const *values)
{
    for (size_t i = 0; d->labels != NULL && d->labels[i] != NULL; i++) {
        if (values == NULL || values[i] == NULL)
            return false;
        (void)jr_buf_addc(b, i == 0 ? '{' : ',');
        (void)jr_buf_adds(b, d->labels[i]);
        (void)jr_buf_adds(b, "=\"");
        add_text(b, jr_str(values[i]), true);
        (void)jr_buf_addc(b, '"');
    }
    if (b->n > 0)
        (void)jr_buf_addc(b, '}');
    return b->failed == JR_OK;
}

/** A number as Prometheus reads it: the shortest text that gives v again, integers without fraction
 * or exponent. */
static void add_number(struct jr_buf *b, double v)
{
    char text[40];

    if (isnan(v)) {
        (void)jr_buf_adds(b, "NaN");
    } else if (isinf(v)) {
        (void)jr_buf_adds(b, v > 0 ? "+Inf" : "-Inf");
    } else if (fabs(v) < 1e15 && v == trunc(v)) {
        (void)jr_buf_add_i64(b, (int64_t)v);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(text, sizeof(text), "%.*g", digits, v);
            if (strtod(text, NULL) == v)
                break;
        }
        (void)jr_buf_adds(b, text);
    }
}

/* ---- families and series ---- */

/** The row of that text; NULL: there is none, *ret_at is where it would be. */
static struct row *find_row(const struct rows *r, const char *text, size_t *ret_at)
{
    size_t low = 0, high = r->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int cmp = strcmp(r->v[mid]->text, text);

        if (cmp == 0)
            return r->v[mid];
        if (cmp < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_at = low;
    return NULL;
}

static bool insert_row(struct rows *r, size_t at, struct row *row)
{
    struct row **v = jr_vec_room(r->v, r->n, &r->cap, sizeof(struct row *));

    if (v == NULL)
        return false;
    r->v = v;
    memmove(v + at + 1, v + at, (r->n - at) * sizeof(struct row *));
    v[at] = row;
    r->n++;
    return true;
}

static struct family *family_at(const struct jr_metrics *m, size_t i)
{
    return (struct family *)m->families.v[i];
}

static struct series *series_at(const struct family *f, size_t i)
{
    return (struct series *)f->series.v[i];
}

static size_t count_labels(const struct jr_metric_desc *d)
{
    size_t n = 0;

    while (d->labels != NULL && d->labels[n] != NULL)
        n++;
    return n;
}

static bool same_shape(const struct jr_metric_desc *a, const struct jr_metric_desc *b)
{
    if (a->kind != b->kind || count_labels(a) != count_labels(b))
        return false;
    return a->kind != JR_HISTOGRAM || a->n_buckets == b->n_buckets;
}

/** The family of d's name, made if there is none; NULL without memory, or if the name is taken by
 * another shape. */
static struct family *family_of(struct jr_metrics *m, const struct jr_metric_desc *d)
{
    size_t at;
    struct family *f = (struct family *)find_row(&m->families, d->name, &at);

    if (f != NULL)
        return f->desc == d || same_shape(f->desc, d) ? f : NULL;
    f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    f->row.text = d->name;
    f->desc = d;
    if (insert_row(&m->families, at, &f->row))
        return f;
    free(f);
    return NULL;
}

static struct series *add_series(struct family *f, size_t at, const char *labels)
{
    const size_t n = f->desc->kind == JR_HISTOGRAM ? f->desc->n_buckets : 0;
    struct series *s = calloc(1, sizeof(*s) + n * sizeof(s->buckets[0]));

    if (s == NULL)
        return NULL;
    s->labels = strdup(labels);
    s->row.text = s->labels;
    if (s->labels != NULL && insert_row(&f->series, at, &s->row))
        return s;
    free(s->labels);
    free(s);
    return NULL;
}

/** The series with these values; where there is none it is made if `make`. */
static struct series *series_of(struct jr_metrics *m, struct family *f, const char *const *values,
                                bool make)
{
    const char *text;
    struct series *s;
    size_t at;

    jr_buf_reset(&m->labels);
    if (!add_labels(&m->labels, f->desc, values))
        return NULL;
    text = m->labels.n == 0 ? "" : m->labels.p;
    s = (struct series *)find_row(&f->series, text, &at);
    return s == NULL && make ? add_series(f, at, text) : s;
}

/* ---- the registry ---- */

enum jr_status jr_metrics_new(struct jr_metrics **ret)
{
    struct jr_metrics *m = calloc(1, sizeof(*m));
    struct family *f;

    if (m == NULL)
        return JR_NOMEM;
    if (pthread_mutex_init(&m->mutex, NULL) != 0) {
        free(m);
        return JR_NOMEM;
    }
    jr_buf_init(&m->labels, JR_BUF_BY_INPUT);
    /* Made now, since it is needed when there is no memory. */
    f = family_of(m, &dropped_desc);
    m->dropped = f == NULL ? NULL : series_of(m, f, NULL, true);
    if (m->dropped == NULL) {
        jr_metrics_free(m);
        return JR_NOMEM;
    }
    *ret = m;
    return JR_OK;
}

static void drop_series(struct family *f)
{
    for (size_t k = 0; k < f->series.n; k++) {
        free(series_at(f, k)->labels);
        free(series_at(f, k));
    }
    f->series.n = 0;
}

void jr_metrics_free(struct jr_metrics *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->families.n; i++) {
        struct family *f = family_at(m, i);

        drop_series(f);
        free(f->series.v);
        free(f);
    }
    free(m->families.v);
    jr_buf_done(&m->labels);
    (void)pthread_mutex_destroy(&m->mutex);
    free(m);
}

void jr_metrics_declare(struct jr_metrics *m, const struct jr_metric_desc *d,
                        const char *const *values)
{
    struct family *f;

    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    f = family_of(m, d);
    /* Values that aren't known yet: the family alone, its help and type. */
    if (f == NULL ||
        ((values != NULL || count_labels(f->desc) == 0) && series_of(m, f, values, true) == NULL))
        m->dropped->value++;
    (void)pthread_mutex_unlock(&m->mutex);
}

enum change { CHANGE_ADD, CHANGE_SET, CHANGE_OBSERVE };

/** False: that can't be done to a metric of this kind. */
static bool change(struct series *s, const struct jr_metric_desc *d, enum change how, double v)
{
    size_t i = 0;

    if ((d->kind == JR_HISTOGRAM) != (how == CHANGE_OBSERVE))
        return false;
    if (how == CHANGE_SET) {
        s->value = v;
        return true;
    }
    if (how == CHANGE_ADD ? d->kind == JR_COUNTER && !(v >= 0) : isnan(v))
        return false; /* a counter never goes down */
    s->value += v;
    if (how == CHANGE_ADD)
        return true;
    while (i < d->n_buckets && v > d->buckets[i])
        i++;
    if (i < d->n_buckets)
        s->buckets[i]++;
    s->count++;
    return true;
}

static void sample(struct jr_metrics *m, const struct jr_metric_desc *d, const char *const *values,
                   enum change how, double v)
{
    struct family *f;
    struct series *s;

    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    f = family_of(m, d);
    s = f == NULL ? NULL : series_of(m, f, values, true);
    if (s == NULL || !change(s, d, how, v))
        m->dropped->value++;
    (void)pthread_mutex_unlock(&m->mutex);
}

void jr_metrics_add(struct jr_metrics *m, const struct jr_metric_desc *d, const char *const *values,
                    double by)
{
    sample(m, d, values, CHANGE_ADD, by);
}

void jr_metrics_set(struct jr_metrics *m, const struct jr_metric_desc *d, const char *const *values,
                    double to)
{
    sample(m, d, values, CHANGE_SET, to);
}

void jr_metrics_observe(struct jr_metrics *m, const struct jr_metric_desc *d,
                        const char *const *values, double v)
{
    sample(m, d, values, CHANGE_OBSERVE, v);
}

void jr_metrics_clear(struct jr_metrics *m, const struct jr_metric_desc *d)
{
    struct family *f;

    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    f = family_of(m, d);
    if (f == NULL)
        m->dropped->value++;
    else
        drop_series(f);
    (void)pthread_mutex_unlock(&m->mutex);
}

double jr_metrics_get(struct jr_metrics *m, const char *name, const char *const *values)
{
    struct series *s = NULL;
    struct family *f;
    double v = 0;
    size_t at;

    if (m == NULL)
        return 0;
    (void)pthread_mutex_lock(&m->mutex);
    f = (struct family *)find_row(&m->families, name, &at);
    if (f != NULL)
        s = series_of(m, f, values, false);
    if (s != NULL)
        v = f->desc->kind == JR_HISTOGRAM ? (double)s->count : s->value;
    (void)pthread_mutex_unlock(&m->mutex);
    return v;
}

void jr_metrics_process(struct jr_metrics *m)
{
    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    m->process = true;
    (void)pthread_mutex_unlock(&m->mutex);
}

/* ---- the exposition ---- */

static void add_bucket(struct jr_buf *out, const char *name, const char *labels, double le,
                       uint64_t count)
{
    size_t n = strlen(labels);

    (void)jr_buf_addf(out, "%s_bucket", name);
    if (n == 0) {
        (void)jr_buf_adds(out, "{le=\"");
    } else {
        (void)jr_buf_add(out, (struct jr_str){ labels, n - 1 });
        (void)jr_buf_adds(out, ",le=\"");
    }
    add_number(out, le);
    (void)jr_buf_addf(out, "\"} %llu\n", (unsigned long long)count);
}

static void render_histogram(struct jr_buf *out, const struct jr_metric_desc *d,
                             const struct series *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < d->n_buckets; i++) {
        sum += s->buckets[i];
        add_bucket(out, d->name, s->labels, d->buckets[i], sum);
    }
    add_bucket(out, d->name, s->labels, (double)INFINITY, s->count);
    (void)jr_buf_addf(out, "%s_sum%s ", d->name, s->labels);
    add_number(out, s->value);
    (void)jr_buf_addf(out, "\n%s_count%s %llu\n", d->name, s->labels, (unsigned long long)s->count);
}

static void render_family(struct jr_buf *out, const struct family *f)
{
    static const char *const kinds[] = {
        [JR_COUNTER] = "counter", [JR_GAUGE] = "gauge", [JR_HISTOGRAM] = "histogram"
    };
    const struct jr_metric_desc *d = f->desc;

    (void)jr_buf_addf(out, "# HELP %s ", d->name);
    add_text(out, jr_str(d->help), false);
    (void)jr_buf_addf(out, "\n# TYPE %s %s\n", d->name, kinds[d->kind]);
    for (size_t i = 0; i < f->series.n; i++) {
        const struct series *s = series_at(f, i);

        if (d->kind == JR_HISTOGRAM) {
            render_histogram(out, d, s);
            continue;
        }
        (void)jr_buf_addf(out, "%s%s ", d->name, s->labels);
        add_number(out, s->value);
        (void)jr_buf_addc(out, '\n');
    }
}

enum jr_status jr_metrics_render(struct jr_metrics *m, struct jr_buf *out)
{
    bool process;

    if (m == NULL)
        return out->failed;
    (void)pthread_mutex_lock(&m->mutex);
    process = m->process;
    (void)pthread_mutex_unlock(&m->mutex);
    if (process)
        jr_metrics_sample_process(m);
    (void)pthread_mutex_lock(&m->mutex);
    for (size_t i = 0; i < m->families.n; i++)
        render_family(out, family_at(m, i));
    (void)pthread_mutex_unlock(&m->mutex);
    return out->failed;
}
