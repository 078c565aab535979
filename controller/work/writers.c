/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of status texts, and whose they are. */
#include "controller/work/writers.h"

#include "common/base/hash.h"
#include "common/base/memory.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/* As the API server names our writes in metadata.managedFields: by our User-Agent. */
#define FIELD_MANAGER "jobreeve-controller"
/* API servers beside each other write the times of managedFields by clocks of their own. */
#define CLOCKS_APART_NS (10 * JR_SEC)

const struct jr_metric_desc jr_metric_foreign_writes = JR_METRIC(
    COUNTER, "jobreeve_job_status_foreign_writes_total",
    "Changes that another made to the counts or conditions of a status that is ours.", NULL);

/* ---- a Job's text ---- */

enum { N_COUNTED = 10 };

/** One entry of metadata.managedFields. */
struct managed {
    struct jr_str manager;
    struct jr_str subresource;
    struct jr_time time;
};
struct looked_at {
    struct jr_str counted[N_COUNTED]; /* source texts */
    struct {
        struct managed *v;
        size_t n;
    } managed;
};

#define COUNTED(name, i) ANY(name, AT(struct looked_at, counted[i]))

/** All of a status but startTime, which who stops a Job clears (Kueue does, to be allowed to change
 * the template's scheduling directives), and which only we set. */
TYPE(counted, "JobStatus", COUNTED("conditions", 0), COUNTED("completionTime", 1),
     COUNTED("active", 2), COUNTED("succeeded", 3), COUNTED("failed", 4), COUNTED("terminating", 5),
     COUNTED("completedIndexes", 6), COUNTED("failedIndexes", 7),
     COUNTED("uncountedTerminatedPods", 8), COUNTED("ready", 9));

TYPE(status_only, "Job", STRUCT("status", counted, FLAT));

TYPE_WITH(entry, "ManagedFieldsEntry", DECODED(struct managed),
    STRING("manager", AT(struct managed, manager)),
    TIME_PTR("time", AT(struct managed, time)),
    STRING("subresource", AT(struct managed, subresource)));

TYPE(meta, "ObjectMeta", LIST("managedFields", entry, AT(struct looked_at, managed)));

TYPE(managers_only, "Job", STRUCT("metadata", meta, FLAT));

static uint64_t sum_by(const struct jr_schema_type *type, struct jr_str text)
{
    struct looked_at x = { 0 };
    JR_ARENA arena = { 0 };
    uint64_t sum = 0;

    jr_arena_init(&arena, 0);
    if (jr_need(jr_decode_lenient(text, &arena, false, jr_schema_decode, type, &x, NULL)) ==
        JR_OK) {
        for (size_t i = 0; i < N_COUNTED; i++)
            sum = jr_hash_more(sum, x.counted[i]);
    }
    return sum == 0 ? 1 : sum;
}

uint64_t jr_status_sum(struct jr_str job)
{
    return sum_by(&status_only, job);
}

bool jr_status_counts_differ(struct jr_str a, struct jr_str b)
{
    return !jr_str_eq(a, b) && sum_by(&counted, a) != sum_by(&counted, b);
}

struct jr_str jr_status_manager(struct jr_str job, const char *own, struct jr_arena *arena)
{
    const struct managed *last = NULL;
    struct looked_at x = { 0 };
    struct jr_time own_time = { INT64_MIN };

    if (jr_need(jr_decode_lenient(job, arena, true, jr_schema_decode, &managers_only, &x, NULL)) !=
        JR_OK)
        return (struct jr_str){ NULL, 0 };
    for (size_t i = 0; i < x.managed.n; i++) {
        const struct managed *m = &x.managed.v[i];

        if (!jr_str_is(m->subresource, "status"))
            continue;
        if (jr_str_is(m->manager, own))
            own_time = m->time;
        else if (last == NULL || m->time.ns >= last->time.ns)
            last = m;
    }
    if (last == NULL || jr_time_cmp(jr_time_later(last->time, CLOCKS_APART_NS), own_time) < 0)
        return (struct jr_str){ NULL, 0 };
    return last->manager;
}

/* ---- writes ---- */

static bool is_own(const struct jr_status_writes *w, uint64_t sum)
{
    for (size_t i = 0; i < JR_STATUS_WRITES_KEPT; i++) {
        if (w->own[i] == sum)
            return true;
    }
    return false;
}

static void keep_sum(struct jr_status_writes *w, uint64_t sum)
{
    for (size_t i = JR_STATUS_WRITES_KEPT - 1; i > 0; i--)
        w->own[i] = w->own[i - 1];
    w->own[0] = sum;
}

void jr_status_sent(struct jr_status_writes *w)
{
    w->under_way = true;
    w->n_seen = 0;
}

unsigned jr_status_answered(struct jr_status_writes *w, const struct jr_op_result *r)
{
    unsigned others = w->n_seen;
    uint64_t sum;

    w->under_way = false;
    if (r->outcome == JR_OP_OK && r->body.n > 0) {
        sum = jr_status_sum(r->body);
        keep_sum(w, sum);
        for (unsigned i = 0; i < w->n_seen && i < JR_ARRAY_SIZE(w->seen); i++)
            others -= w->seen[i] == sum;
    } else if (r->outcome == JR_OP_REFUSED && !r->ambiguous) {
        return others;
    } else if (w->n_seen > 0) { /* one of them may be it */
        others--;
    } else {
        w->ambiguous = true;
    }
    return others;
}

bool jr_status_changed(struct jr_status_writes *w, uint64_t sum)
{
    if (is_own(w, sum))
        return false;
    if (w->under_way) {
        if (w->n_seen < JR_ARRAY_SIZE(w->seen))
            w->seen[w->n_seen] = sum;
        w->n_seen++;
        return false;
    }
    if (w->ambiguous) {
        w->ambiguous = false;
        keep_sum(w, sum);
        return false;
    }
    return true;
}

/* ---- others' ---- */

void jr_status_foreign(struct jr_metrics *m, struct jr_log *log, const struct jr_object_key *key,
                       unsigned n, struct jr_str job)
{
    JR_ARENA arena = { 0 };
    struct jr_str manager;

    jr_arena_init(&arena, 0);
    manager = jr_status_manager(job, FIELD_MANAGER, &arena);
    jr_metrics_add(m, &jr_metric_foreign_writes, NULL, n);
    jr_warn(log, "another writes the status of a job that is ours",
            JR_OBJECT("Job", key->namespace, key->name), JR_INT("writes", n),
            JR_STR(manager.n > 0 ? "manager" : "", manager));
}
