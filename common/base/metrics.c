#include "common/base/metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

/* Without memory uthash must leave the table as it was, not end the process. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) (oom = true)
#include "common/base/table.h"

#include "common/base/metrics_process.h"
#include "common/base/utf8.h"

#define MAX_LABELS 16

/** One combination of label values. */
struct series {
    UT_hash_handle hh; /* in its family, by key */
    char *labels;      /* rendered: {a="b",c="d"}, or "" */
    double value;      /* counter, gauge; the sum of a histogram */
    uint64_t count;    /* histogram */
    uint64_t *buckets; /* histogram: observations up to each bound, not yet summed up */
    size_t n_key;
    char key[]; /* the values, each with its NUL */
};

struct family {
    UT_hash_handle hh; /* by name */
    const struct jr_metric_desc *desc;
    size_t n_labels;
    struct series *series;
    struct series *only; /* the series of a family without labels */
};

/** Finds a family by the address of its description: no string is hashed where metrics are hot. */
struct desc_ref {
    UT_hash_handle hh;
    const struct jr_metric_desc *desc;
    struct family *family;
};

struct jr_metrics {
    pthread_mutex_t mutex;
    struct family *families;
    struct desc_ref *refs;
    struct series *dropped;
    bool process;
};

static const struct jr_metric_desc dropped_desc = {
    .name = "jobreeve_metrics_dropped_total",
    .help = "Samples that were dropped for want of memory or because they were malformed.",
    .kind = JR_COUNTER,
};

/* ---- rendering of labels and numbers ---- */

/** Adds s escaped for a label value or, without quotes, for a help text. Bytes that are no UTF-8
 * would make Prometheus refuse the whole page. */
static void add_text(struct jr_buf *b, struct jr_str s, bool quotes)
{
    while (s.n > 0) {
        uint32_t cp;
        bool bad;
        size_t n = jr_utf8_next(s, &cp, &bad);

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

static enum jr_status render_labels(const struct family *f, const char *const *values, char **ret)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < f->n_labels; i++) {
        (void)jr_buf_addf(&b, "%s%s=\"", i == 0 ? "{" : ",", f->desc->labels[i]);
        add_text(&b, jr_str(values[i]), true);
        (void)jr_buf_addc(&b, '"');
    }
    if (f->n_labels > 0)
        (void)jr_buf_addc(&b, '}');
    return jr_buf_take(&b, ret, NULL);
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

static size_t count_labels(const struct jr_metric_desc *d)
{
    size_t n = 0;

    while (d->labels != NULL && d->labels[n] != NULL)
        n++;
    return n;
}

static bool same_shape(const struct family *f, const struct jr_metric_desc *d)
{
    if (f->desc->kind != d->kind || f->n_labels != count_labels(d))
        return false;
    return d->kind != JR_HISTOGRAM || f->desc->n_buckets == d->n_buckets;
}

static void family_free(struct family *f)
{
    struct series *s, *next;

    HASH_ITER(hh, f->series, s, next)
    {
        HASH_DEL(f->series, s);
        free(s->labels);
        free(s->buckets);
        free(s);
    }
    free(f);
}

/** The family of d's name, made if there is none; NULL without memory, or if the name is taken by
 * another shape. */
static struct family *family_by_name(struct jr_metrics *m, const struct jr_metric_desc *d)
{
    bool oom = false;
    struct family *f;

    HASH_FIND_STR(m->families, d->name, f);
    if (f != NULL)
        return same_shape(f, d) ? f : NULL;
    if (count_labels(d) > MAX_LABELS)
        return NULL;
    f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    f->desc = d;
    f->n_labels = count_labels(d);
    HASH_ADD_KEYPTR(hh, m->families, d->name, strlen(d->name), f);
    if (oom) {
        free(f);
        return NULL;
    }
    return f;
}

static struct family *family_of(struct jr_metrics *m, const struct jr_metric_desc *d)
{
    bool oom = false;
    struct desc_ref *r;

    HASH_FIND_PTR(m->refs, &d, r);
    if (r != NULL)
        return r->family;
    r = calloc(1, sizeof(*r));
    if (r == NULL)
        return NULL;
    r->desc = d;
    r->family = family_by_name(m, d);
    if (r->family != NULL)
        HASH_ADD_PTR(m->refs, desc, r);
    if (r->family == NULL || oom) {
        free(r);
        return NULL;
    }
    return r->family;
}

static struct series *series_new(const struct family *f, const char *const *values, const char *key,
                                 size_t n_key)
{
    struct series *s = calloc(1, sizeof(*s) + n_key);

    if (s == NULL)
        return NULL;
    s->n_key = n_key;
    if (n_key > 0)
        memcpy(s->key, key, n_key);
    if (f->desc->kind == JR_HISTOGRAM && f->desc->n_buckets > 0)
        s->buckets = calloc(f->desc->n_buckets, sizeof(*s->buckets));
    if ((f->desc->kind == JR_HISTOGRAM && f->desc->n_buckets > 0 && s->buckets == NULL) ||
        render_labels(f, values, &s->labels) != JR_OK) {
        free(s->buckets);
        free(s);
        return NULL;
    }
    return s;
}

/** Finds the series with this key, or makes it if `values` is given. */
static struct series *series_by_key(struct family *f, const char *const *values, const char *key,
                                    size_t n_key)
{
    bool oom = false;
    struct series *s;

    HASH_FIND(hh, f->series, key, n_key, s);
    if (s != NULL || values == NULL)
        return s;
    s = series_new(f, values, key, n_key);
    if (s == NULL)
        return NULL;
    HASH_ADD_KEYPTR(hh, f->series, s->key, n_key, s);
    if (oom) {
        free(s->labels);
        free(s->buckets);
        free(s);
        return NULL;
    }
    return s;
}

/** The series with these values; where there is none it is made if `make`. */
static struct series *series_of(struct family *f, const char *const *values, bool make)
{
    static const char *const no_values[] = { NULL };
    size_t len[MAX_LABELS], n = 0;
    JR_FREE char *big = NULL;
    char small[256];
    char *key = small, *p;

    if (f->only != NULL)
        return f->only;
    if (f->n_labels == 0)
        return f->only = series_by_key(f, make ? no_values : NULL, "", 0);
    if (values == NULL)
        return NULL;
    for (size_t i = 0; i < f->n_labels; i++) {
        if (values[i] == NULL)
            return NULL;
        len[i] = strlen(values[i]) + 1;
        n += len[i];
    }
    if (n > sizeof(small)) {
        key = big = malloc(n);
        if (big == NULL)
            return NULL;
    }
    p = key;
    for (size_t i = 0; i < f->n_labels; i++)
        p = mempcpy(p, values[i], len[i]);
    return series_by_key(f, make ? values : NULL, key, n);
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
    /* Made now, since it is needed when there is no memory. */
    f = family_of(m, &dropped_desc);
    m->dropped = f == NULL ? NULL : series_of(f, NULL, true);
    if (m->dropped == NULL) {
        jr_metrics_free(m);
        return JR_NOMEM;
    }
    *ret = m;
    return JR_OK;
}

void jr_metrics_free(struct jr_metrics *m)
{
    struct family *f, *next_family;
    struct desc_ref *r, *next_ref;

    if (m == NULL)
        return;
    HASH_ITER(hh, m->refs, r, next_ref)
    {
        HASH_DEL(m->refs, r);
        free(r);
    }
    HASH_ITER(hh, m->families, f, next_family)
    {
        HASH_DEL(m->families, f);
        family_free(f);
    }
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
    if (f == NULL || ((values != NULL || f->n_labels == 0) && series_of(f, values, true) == NULL))
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
    s = f == NULL ? NULL : series_of(f, values, true);
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

double jr_metrics_get(struct jr_metrics *m, const char *name, const char *const *values)
{
    struct series *s = NULL;
    struct family *f;
    double v = 0;

    if (m == NULL)
        return 0;
    (void)pthread_mutex_lock(&m->mutex);
    HASH_FIND_STR(m->families, name, f);
    if (f != NULL)
        s = series_of(f, values, false);
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

static int by_name(const struct family *a, const struct family *b)
{
    return strcmp(a->desc->name, b->desc->name);
}

static int by_labels(const struct series *a, const struct series *b)
{
    return strcmp(a->labels, b->labels);
}

/** With the mutex held. Sorting what is sorted already is one pass. */
static void prepare(struct jr_metrics *m)
{
    HASH_SORT(m->families, by_name);
    for (struct family *f = m->families; f != NULL; f = f->hh.next)
        HASH_SORT(f->series, by_labels);
}

void jr_metrics_each(struct jr_metrics *m,
                     void (*fn)(void *ctx, const char *name, const char *labels, double v),
                     void *ctx)
{
    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    prepare(m);
    for (const struct family *f = m->families; f != NULL; f = f->hh.next) {
        if (f->desc->kind == JR_HISTOGRAM)
            continue;
        for (const struct series *s = f->series; s != NULL; s = s->hh.next)
            fn(ctx, f->desc->name, s->labels, s->value);
    }
    (void)pthread_mutex_unlock(&m->mutex);
}

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
    for (const struct series *s = f->series; s != NULL; s = s->hh.next) {
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
    prepare(m);
    for (const struct family *f = m->families; f != NULL; f = f->hh.next)
        render_family(out, f);
    (void)pthread_mutex_unlock(&m->mutex);
    return out->failed;
}
