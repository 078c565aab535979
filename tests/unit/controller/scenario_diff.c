/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/controller/scenario_diff.h"

#include <stdio.h>

#include "tests/support/metrics_each.h"

#define TEXT_MAX ((size_t)8 << 20)

enum jr_status scenario_want(const struct jr_node *row, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_of(jr_get(row, "expect"), &doc);

    for (const struct jr_node *f = jr_first(jr_get(row, "expectFixed")); st == JR_OK && f != NULL;
         f = jr_next(f)) {
        if (jr_node_kind(f) == JR_NULL)
            jr_remove(jr_doc_root(doc), jr_key(f), NULL);
        else
            st = jr_set_copy(jr_doc_root(doc), jr_key(f), f, NULL);
    }
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

/* ---- forms ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum jr_status print_all(const struct jr_node *array, char **texts)
{
    size_t i = 0, n;

    for (const struct jr_node *e = jr_first(array); e != NULL; e = jr_next(e), i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, TEXT_MAX);
        if (jr_node_print(e, &out) != JR_OK || jr_buf_take(&out, &texts[i], &n) != JR_OK)
            return JR_NOMEM;
    }
    return JR_OK;
}

enum jr_status scenario_sort(struct jr_node *array)
{
    size_t n = jr_size(array);
    char **texts = calloc(n + 1, sizeof(*texts));
    JR_CLEANUP(jr_doc_freep) struct jr_doc *sorted = NULL;
    JR_BUF out = { 0 };
    enum jr_status st;

    jr_buf_init(&out, TEXT_MAX);
    if (texts == NULL)
        return JR_NOMEM;
    st = print_all(array, texts);
    if (st == JR_OK)
        qsort(texts, n, sizeof(*texts), by_text);
    (void)jr_buf_adds(&out, "[");
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_addf(&out, "%s%s", i == 0 ? "" : ",", texts[i] == NULL ? "" : texts[i]);
        free(texts[i]);
    }
    (void)jr_buf_adds(&out, "]");
    free(texts);
    if (st == JR_OK && n > 0)
        st = jr_doc_parse(jr_buf_str(&out), &JR_READER_STRICT, &sorted, NULL);
    return st == JR_OK && n > 0 ? jr_node_assign(array, jr_doc_root(sorted)) : st;
}

enum jr_status scenario_status(struct jr_node *status)
{
    static const char *const counters[] = { "active", "succeeded", "failed" };
    struct jr_node *lists = jr_get(status, "uncountedTerminatedPods");
    enum jr_status st = JR_OK;

    if (jr_node_kind(status) != JR_OBJECT)
        return JR_OK;
    for (size_t i = 0; i < JR_ARRAY_SIZE(counters); i++) {
        if (jr_node_i64_or(jr_get(status, counters[i]), 1) == 0)
            jr_remove(status, jr_str(counters[i]), NULL);
    }
    for (struct jr_node *l = jr_first(lists); st == JR_OK && l != NULL; l = jr_next(l)) {
        if (jr_node_kind(l) == JR_ARRAY)
            st = scenario_sort(l);
    }
    return st;
}

enum jr_status scenario_count(struct jr_node *got, const struct jr_node *want, const char *key)
{
    char name[64];
    size_t n = jr_size(jr_get(got, key));

    (void)snprintf(name, sizeof(name), "%sCount", key);
    if (jr_get(want, name) == NULL || jr_get(got, key) == NULL)
        return JR_OK;
    jr_remove(got, jr_str(key), NULL);
    return jr_set_i64(got, name, (int64_t)n);
}

/* ---- what is remembered ---- */

enum jr_status scenario_expectations(struct world *w, const struct jr_object_key *key,
                                     struct jr_node *got)
{
    struct jr_expect_counts counts = jr_expectations_get(w->state.expectations, key);
    struct jr_strs uids;
    struct jr_node *after, *list;
    enum jr_status st = jr_set_object(got, "expectationsAfter", &after);

    if (st == JR_OK)
        st = jr_set_i64(after, "add", counts.add);
    if (st == JR_OK)
        st = jr_set_i64(after, "del", counts.del);
    if (st == JR_OK)
        st = jr_set_array(got, "finalizerExpectationsAfter", &list);
    uids = jr_expectations_awaited(w->state.expectations, key, false, &w->arena);
    for (size_t i = 0; st == JR_OK && i < uids.n; i++)
        st = jr_push_str(list, uids.v[i]);
    return st == JR_OK ? scenario_sort(list) : st;
}

/* ---- metrics ---- */

#define LABELS_MAX 6

struct metrics {
    struct jr_node *out;
    enum jr_status st;
};

static int by_str(const void *a, const void *b)
{
    return jr_str_cmp(*(const struct jr_str *)a, *(const struct jr_str *)b);
}

/** {b="x",a="y"} as {a=y,b=x}. */
static void add_labels(struct jr_str labels, struct jr_buf *out)
{
    struct jr_str v[LABELS_MAX];
    size_t n = 0;

    labels = labels.n < 2 ? JR_S("") : (struct jr_str){ labels.p + 1, labels.n - 2 };
    while (n < LABELS_MAX && jr_str_cut(&labels, ',', &v[n]))
        n++;
    qsort(v, n, sizeof(v[0]), by_str);
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_addc(out, i == 0 ? '{' : ',');
        for (size_t k = 0; k < v[i].n; k++) {
            if (v[i].p[k] != '"')
                (void)jr_buf_addc(out, v[i].p[k]);
        }
    }
    if (n > 0)
        (void)jr_buf_addc(out, '}');
}

static void add_metric(void *ctx, const char *name, const char *labels, double v)
{
    const struct jr_str prefix = JR_S("job_controller_");
    struct metrics *m = ctx;
    JR_BUF key = { 0 };

    jr_buf_init(&key, 1024);
    if (v == 0 || !jr_str_starts(jr_str(name), prefix) || m->st != JR_OK)
        return;
    (void)jr_buf_adds(&key, name + prefix.n);
    add_labels(jr_str(labels), &key);
    m->st = key.failed != JR_OK ? key.failed : jr_set_i64(m->out, key.p, (int64_t)v);
}

enum jr_status scenario_metrics(struct world *w, struct jr_node *got)
{
    struct metrics m = { .st = JR_OK };
    enum jr_status st = jr_set_object(got, "metrics", &m.out);

    if (st != JR_OK)
        return st;
    metrics_each(w->metrics, add_metric, &m);
    return m.st;
}

/* ---- differences ---- */

static bool is_empty(const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_NULL:
    case JR_FALSE:
        return true;
    case JR_NUMBER:
        return jr_node_i64_or(n, 1) == 0;
    case JR_STRING:
        return jr_node_str(n).n == 0;
    case JR_ARRAY:
        return jr_size(n) == 0;
    case JR_OBJECT:
        for (const struct jr_node *m = jr_first(n); m != NULL; m = jr_next(m)) {
            if (!is_empty(m))
                return false;
        }
        return true;
    case JR_TRUE:
        break;
    }
    return false;
}

static void print_side(const char *side, const struct jr_node *n)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, TEXT_MAX);
    if (n == NULL)
        (void)jr_buf_adds(&out, "(absent)");
    else if (jr_node_print(n, &out) != JR_OK)
        return;
    (void)printf("    %s %.*s\n", side, JR_P(jr_buf_str(&out)));
}

static bool same(struct jr_str key, const struct jr_node *want, const struct jr_node *got)
{
    if (jr_node_equal(want, got))
        return true;
    if (want != NULL && got != NULL)
        return false;
    return !jr_str_is(key, "backoffRecordAfter") && is_empty(want) && is_empty(got);
}

static void report(const char *name, struct jr_str key, const struct jr_node *want,
                   const struct jr_node *got)
{
    (void)printf("%s: %.*s\n", name, JR_P(key));
    print_side("-", want);
    print_side("+", got);
}

bool scenario_equal(const char *name, const struct jr_node *want, const struct jr_node *got)
{
    bool equal = true;

    for (const struct jr_node *m = jr_first(want); m != NULL; m = jr_next(m)) {
        if (!same(jr_key(m), m, jr_getn(got, jr_key(m)))) {
            report(name, jr_key(m), m, jr_getn(got, jr_key(m)));
            equal = false;
        }
    }
    for (const struct jr_node *m = jr_first(got); m != NULL; m = jr_next(m)) {
        if (jr_getn(want, jr_key(m)) == NULL && !same(jr_key(m), NULL, m)) {
            report(name, jr_key(m), NULL, m);
            equal = false;
        }
    }
    return equal;
}
