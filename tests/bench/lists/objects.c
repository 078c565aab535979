/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that the controller keeps or reads: objects by name, uids, selectors, members of
 * objects that pass by. */
#include <stdlib.h>

#include "common/apply/strategic.h"
#include "common/base/metrics.h"
#include "common/json/doc.h"
#include "common/pod/requests.h"
#include "common/rules/selector.h"
#include "controller/cache/store.h"
#include "controller/work/expectations.h"
#include "controller/work/queue.h"
#include "controller/work/records.h"
#include "tests/bench/lists/lists.h"

JR_DEFINE_CLEANUP(struct jr_expectations *, jr_expectations_free)
JR_DEFINE_CLEANUP(struct jr_metrics *, jr_metrics_free)
JR_DEFINE_CLEANUP(struct jr_queue *, jr_queue_free)
JR_DEFINE_CLEANUP(struct jr_records *, jr_records_free)
JR_DEFINE_CLEANUP(struct jr_store *, jr_store_free)

static void must(bool ok, const char *kind)
{
    if (!ok)
        lists_die(kind, "failed");
}

/** The text of an object, out of a kind's parts. */
static struct jr_buf text_of(const struct kind *k, const struct members *m)
{
    struct jr_buf b;

    jr_buf_init(&b, (size_t)1 << 30);
    (void)jr_buf_adds(&b, k->before);
    for (size_t i = 0; i < m->n; i++) {
        if (i > 0)
            (void)jr_buf_addc(&b, ',');
        for (const char *p = k->item; *p != '\0'; p++) {
            if (p[0] == '%' && p[1] == 's')
                (void)jr_buf_adds(&b, m->v[i]), p++;
            else
                (void)jr_buf_addc(&b, *p);
        }
    }
    (void)jr_buf_adds(&b, k->after);
    must(b.failed == JR_OK, k->name);
    return b;
}

static void *prepare_text(const struct kind *k, const struct members *m)
{
    struct jr_buf *b = calloc(1, sizeof(*b));

    must(b != NULL, k->name);
    *b = text_of(k, m);
    return b;
}

static void done_text(void *prepared)
{
    jr_buf_done(prepared);
    free(prepared);
}

static void decode_pod(void *prepared)
{
    struct jr_pod *pod = NULL;

    if (jr_pod_decode(jr_buf_str(prepared), &pod, NULL) == JR_OK) {
        (void)jr_pod_label(pod, JR_S("nothing"));
        (void)jr_pod_has_finalizer(pod, JR_S("nothing"));
        (void)jr_pod_ready(pod);
        jr_pod_unref(pod);
    }
}

/** Reads a Job, asks of a hundred Pods whether they match, and writes its status. */
static void decode_job(void *prepared)
{
    static const char pod_text[] =
        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"labels\":{\"a\":\"b\",\"c\":\"d\"}}}";
    struct jr_job *job = NULL;
    struct jr_pod *pod = NULL;
    JR_BUF out = { 0 };

    must(jr_pod_decode(jr_str(pod_text), &pod, NULL) == JR_OK, "Pod");
    if (jr_job_decode(jr_buf_str(prepared), &job, NULL) == JR_OK) {
        must(jr_selector_prepare(&job->spec.selector, &job->arena) == JR_OK, "selector");
        for (int i = 0; i < 100; i++)
            (void)jr_selector_matches_pod(&job->spec.selector, pod);
        jr_buf_init(&out, (size_t)1 << 30);
        must(jr_job_write_with_status(job, &job->status, (struct jr_str){ NULL, 0 }, &out) == JR_OK,
             "status");
        jr_job_unref(job);
    }
    jr_pod_unref(pod);
}

/* ---- tables ---- */

static void *prepare_members(const struct kind *k, const struct members *m)
{
    struct members *mine = calloc(1, sizeof(*mine));

    must(mine != NULL, k->name);
    mine->v = calloc(m->n, sizeof(*mine->v));
    must(mine->v != NULL, k->name);
    memcpy(mine->v, m->v, m->n * sizeof(*mine->v));
    mine->n = m->n;
    return mine;
}

static void done_members(void *prepared)
{
    members_free(prepared);
    free(prepared);
}

/** Queued, taken, failed, taken again and done with. */
static void work_queue(void *prepared)
{
    const struct members *m = prepared;
    const struct jr_mono soon = { JR_SEC }, late = { 1000 * JR_SEC };
    JR_CLEANUP(jr_queue_freep) struct jr_queue *q = NULL;
    JR_CLEANUP(jr_metrics_freep) struct jr_metrics *metrics = NULL;
    struct jr_str key;

    must(jr_metrics_new(&metrics) == JR_OK, "queue");
    q = jr_queue_new("q", &JR_QUEUE_LIMITS_JOB, metrics);
    for (size_t i = 0; i < m->n; i++)
        jr_queue_add(q, jr_str(m->v[i]), soon);
    while (jr_queue_get(q, soon, &key) == JR_OK) {
        jr_queue_add_limited(q, key, JR_S("why"), soon);
        jr_queue_done(q, key, soon);
    }
    while (jr_queue_get(q, late, &key) == JR_OK) {
        jr_queue_forget(q, key);
        jr_queue_done(q, key, late);
    }
}

static void work_expectations(void *prepared)
{
    const struct members *m = prepared;
    const struct jr_object_key key = { JR_S("ns"), JR_S("job"), JR_S("uid") };
    JR_CLEANUP(jr_expectations_freep) struct jr_expectations *e = NULL;
    JR_ARENA arena = { 0 };

    e = jr_expectations_new();
    for (size_t i = 0; i < m->n; i++)
        jr_expectations_await(e, &key, jr_str(m->v[i]));
    (void)jr_expectations_awaited(e, &key, true, &arena);
    for (size_t i = 0; i < m->n; i++)
        jr_expectations_unawait(e, &key, jr_str(m->v[i]));
}

static void work_records(void *prepared)
{
    const struct members *m = prepared;
    JR_CLEANUP(jr_records_freep) struct jr_records *r = NULL;
    const struct jr_record rec = { .finished_mark = true };

    r = jr_records_new();
    for (size_t i = 0; i < m->n; i++) {
        const struct jr_object_key key = { JR_S("ns"), jr_str(m->v[i]), JR_S("uid") };

        jr_records_put(r, &key, &rec);
        (void)jr_records_get(r, &key);
    }
    for (size_t i = 0; i < m->n; i++)
        jr_records_drop(r, JR_S("ns"), jr_str(m->v[i]));
}

/** Each member is a label's value. */
static void work_metrics(void *prepared)
{
    static const char *const labels[] = { "a", NULL };
    static const struct jr_metric_desc desc = {
        .name = "a_total", .help = "a", .kind = JR_COUNTER, .labels = labels
    };
    const struct members *m = prepared;
    JR_CLEANUP(jr_metrics_freep) struct jr_metrics *metrics = NULL;

    must(jr_metrics_new(&metrics) == JR_OK, "metrics");
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < m->n; i++) {
            const char *value = m->v[i];

            jr_metrics_add(metrics, &desc, &value, 1);
        }
    }
}

static struct jr_pod *pod_of(const char *name, const char *owner)
{
    struct jr_pod *pod = NULL;
    JR_BUF b = { 0 };

    jr_buf_init(&b, 4096);
    (void)jr_buf_addf(
        &b, "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"%s\"%s%s%s}}", name,
        name, owner == NULL ? "" : ",\"ownerReferences\":[{\"uid\":\"", owner == NULL ? "" : owner,
        owner == NULL ? "" : "\",\"kind\":\"Job\",\"name\":\"a\",\"controller\":true}]");
    must(jr_pod_decode(jr_buf_str(&b), &pod, NULL) == JR_OK, "Pod");
    return pod;
}

static void use_store(const struct members *m, bool owned)
{
    JR_CLEANUP(jr_store_freep) struct jr_store *s = NULL;
    struct jr_cache *pods;

    s = jr_store_new(JR_S("f"));
    pods = jr_store_cache(s, JR_STORE_PODS);
    for (size_t i = 0; i < m->n; i++) {
        struct jr_pod *pod = pod_of(m->v[i], owned ? m->v[i] : NULL);

        jr_cache_apply(pods, pod, NULL, NULL);
        jr_pod_unref(pod);
    }
    for (size_t i = 0; i < m->n; i++)
        (void)jr_store_pod(s, JR_S("ns"), jr_str(m->v[i]));
    for (size_t i = 0; i < m->n; i++) {
        const struct jr_pod *pod = jr_store_pod(s, JR_S("ns"), jr_str(m->v[i]));

        if (pod != NULL)
            jr_cache_remove(pods, pod, NULL, NULL);
    }
}

static void work_pods(void *prepared)
{
    use_store(prepared, false);
}

static void work_owners(void *prepared)
{
    use_store(prepared, true);
}

/** Sums what a Pod asks for of each resource, as a budget on "example.com/..*" does. */
static void sum_requests(void *prepared)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *spec = NULL;
    JR_ARENA arena = { 0 };
    struct jr_pod_requests r;
    struct jr_strs names;
    struct jr_quantity q;

    must(jr_doc_parse(jr_buf_str(prepared), &JR_READER_LENIENT, &spec, NULL) == JR_OK, "PodSpec");
    must(jr_pod_requests_init(&r, jr_doc_root(spec), &arena) == JR_OK &&
             jr_pod_requests_names(&r, &arena, &names) == JR_OK,
         "requests");
    for (size_t i = 0; i < names.n; i++)
        must(jr_pod_requests_get(&r, names.v[i], &q), "requests");
}

/** Applies a Pod's manifest over itself with another value for each variable, as `check --old`
 * does.
 */
static void apply_again(void *prepared)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *live = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *now = NULL;
    const struct jr_str text = jr_buf_str(prepared);

    must(jr_doc_parse(text, &JR_READER_LENIENT, &live, NULL) == JR_OK &&
             jr_doc_parse(text, &JR_READER_LENIENT, &now, NULL) == JR_OK,
         "Pod");
    for (struct jr_node *e =
             jr_first(jr_get(jr_first(jr_path(jr_doc_root(now), "spec.containers")), "env"));
         e != NULL; e = jr_next(e))
        must(jr_set_str(e, "value", JR_S("w")) == JR_OK, "value");
    jr_strategic_forget(&jr_schema_pod, jr_doc_root(live), jr_doc_root(now), jr_doc_root(now));
    jr_strategic_prune(&jr_schema_pod, jr_doc_root(live), jr_doc_root(now));
    must(jr_strategic_apply(&jr_schema_pod, jr_doc_root(live), jr_doc_root(now), NULL) == JR_OK,
         "merge");
}

/** PodGroups of the member's name, which refer to a Workload of that name: equal members are those
 * of one Workload. */
static void work_gangs(void *prepared)
{
    const struct members *m = prepared;
    JR_CLEANUP(jr_store_freep) struct jr_store *s = jr_store_new(JR_S("f"));
    struct jr_cache *groups = jr_store_cache(s, JR_STORE_POD_GROUPS);
    struct jr_cache_round round;

    for (size_t i = 0; i < m->n; i++) {
        struct jr_gang_object *o = NULL;
        JR_BUF b = { 0 };

        jr_buf_init(&b, 4096);
        (void)jr_buf_addf(
            &b,
            "{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"ns\",\"uid\":\"%zu\"},"
            "\"spec\":{\"podGroupTemplateRef\":{\"workload\":{\"workloadName\":\"%s\"}}}}",
            i, i, m->v[i]);
        must(jr_gang_object_decode(jr_buf_str(&b), &o, NULL) == JR_OK, "gangs");
        jr_cache_apply(groups, o, NULL, NULL);
    }
    round = jr_cache_begin(groups, (struct jr_str){ NULL, 0 });
    jr_cache_sweep(groups, &round, NULL, NULL);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): these are pieces of strings, and of initialisers */
#define POD(NAME, BEFORE, ITEM, AFTER)                                                        \
    {                                                                                         \
        .name = "Pod " NAME, .prepare = prepare_text, .work = decode_pod, .done = done_text,  \
        .before = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\"," BEFORE, .item = ITEM, \
        .after = AFTER                                                                        \
    }
#define JOB(NAME, BEFORE, ITEM, AFTER)                                                       \
    {                                                                                        \
        .name = "Job " NAME, .prepare = prepare_text, .work = decode_job, .done = done_text, \
        .before = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\"" BEFORE, .item = ITEM, \
        .after = AFTER                                                                       \
    }
#define SUMS(NAME, BEFORE, AFTER)                                                       \
    {                                                                                   \
        .name = NAME, .prepare = prepare_text, .work = sum_requests, .done = done_text, \
        .before = BEFORE, .item = "\"hugepages-%s\":\"2Mi\"", .after = AFTER            \
    }
#define APPLIED(NAME, BEFORE, ITEM, AFTER)                                             \
    {                                                                                  \
        .name = NAME, .prepare = prepare_text, .work = apply_again, .done = done_text, \
        .before = BEFORE, .item = ITEM, .after = AFTER                                 \
    }
#define TABLE(NAME, WORK)                                                            \
    {                                                                                \
        .name = NAME, .prepare = prepare_members, .work = WORK, .done = done_members \
    } /* NOLINTEND(bugprone-macro-parentheses) */

const struct kind object_kinds[] = {
    POD("labels", "\"labels\":{", "\"%s\":\"v\"", "}}}"),
    POD("annotations", "\"annotations\":{", "\"%s\":\"v\"", "}}}"),
    POD("finalizers", "\"finalizers\":[", "\"%s\"", "]}}"),
    POD("ownerReferences", "\"ownerReferences\":[", "{\"uid\":\"%s\",\"name\":\"%s\"}", "]}}"),
    POD("containerStatuses", "\"uid\":\"u\"},\"status\":{\"containerStatuses\":[",
        "{\"name\":\"%s\",\"state\":{\"terminated\":{\"exitCode\":1}}}", "]}}"),
    POD("conditions", "\"uid\":\"u\"},\"status\":{\"conditions\":[",
        "{\"type\":\"%s\",\"status\":\"True\"}", "]}}"),
    JOB("labels", ",\"labels\":{", "\"%s\":\"v\"", "}}}"),
    JOB("managedFields", ",\"managedFields\":[", "{\"manager\":\"%s\"}", "]}}"),
    JOB("selector labels", "},\"spec\":{\"selector\":{\"matchLabels\":{", "\"%s\":\"v\"", "}}}}"),
    JOB("selector keys", "},\"spec\":{\"selector\":{\"matchExpressions\":[",
        "{\"key\":\"%s\",\"operator\":\"DoesNotExist\"}", "]}}}"),
    JOB("selector values",
        "},\"spec\":{\"selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\","
        "\"values\":[",
        "\"%s\"", "]}]}}}"),
    JOB("selector requirements on one key", "},\"spec\":{\"selector\":{\"matchExpressions\":[",
        "{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"%s\"]}", "]}}}"),
    JOB("uncounted uids", "},\"status\":{\"uncountedTerminatedPods\":{\"succeeded\":[", "\"%s\"",
        "]}}}"),
    JOB("conditions", "},\"status\":{\"conditions\":[", "{\"type\":\"%s\",\"status\":\"True\"}",
        "]}}"),
    JOB("unknown status members", "},\"status\":{", "\"%s\":1", "}}"),
    SUMS("Pod's overhead, summed", "{\"overhead\":{", "}}"),
    SUMS("Pod's own requests, summed", "{\"resources\":{\"requests\":{", "}}}"),
    SUMS("Pod's own limits, summed", "{\"resources\":{\"limits\":{", "}}}"),
    APPLIED("env, applied again", "{\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[",
            "{\"name\":\"%s\",\"value\":\"v\"}", "]}]}}"),
    APPLIED("finalizers, applied again", "{\"metadata\":{\"finalizers\":[", "\"%s\"", "]}}"),
    TABLE("store: Pods by name", work_pods),
    TABLE("store: Pods by owner", work_owners),
    TABLE("work queue", work_queue),
    TABLE("expectations: uids", work_expectations),
    TABLE("records by name", work_records),
    TABLE("gangs by Workload", work_gangs),
    TABLE("metrics: label values", work_metrics),
};
const size_t n_object_kinds = JR_ARRAY_SIZE(object_kinds);
