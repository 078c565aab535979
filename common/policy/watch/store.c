/* SPDX-License-Identifier: Apache-2.0 */
/* The store of policies: an object cache for each origin, and the snapshot that is in force. */
#include "common/policy/watch/store.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/memory.h"
#include "common/kube/object_cache.h"

/* Texts of a finding beside what the policy's author wrote: numbers, the object's values, and why a
 * fact is what it is. They are there three times: in the finding, the cause and the message. */
#define FINDING_COST 2048
/* A whole request's messages, likewise. */
#define MESSAGES_COST (3 * JR_POLICY_MESSAGES_MAX)
/* Facts of a Job, counted with or without disruptions: of the new and of the old one. */
#define FACTS_COST 4096
/* A label that is set, beside its text. */
#define LABEL_COST 1024

enum { RESULT_PASS, RESULT_FAIL, RESULT_LENIENT, RESULT_EXCEPTED, N_RESULTS };
static const char *const results[N_RESULTS] = { "pass", "fail", "lenient", "excepted" };

static const struct jr_metric_desc generation_desc = JR_METRIC(
    GAUGE, "jobreeve_policy_generation",
    "The generation of each JobPolicy that is in force; 0: it comes from a file.", "policy", NULL);
static const struct jr_metric_desc unusable_desc =
    JR_METRIC(GAUGE, "jobreeve_policy_unusable",
              "1 for a JobPolicy that has faults: by its failurePolicy it denies all or nothing.",
              "policy", NULL);
static const struct jr_metric_desc exception_desc =
    JR_METRIC(GAUGE, "jobreeve_policy_exception_end_timestamp_seconds",
              "When the next of a JobPolicy's exceptions ends, in Unix time.", "policy", NULL);
static const struct jr_metric_desc evaluations_desc =
    JR_METRIC(COUNTER, "jobreeve_policy_evaluations_total",
              "Objects that a JobPolicy matched, by its actions and what they came to.", "action",
              "policy", "result", NULL);

/** What a policy's evaluations came to; it outlives changes of the policy. */
struct counts {
    atomic_uint refs;
    atomic_uint_fast64_t n[JR_POLICY_ACTIONS][N_RESULTS];
};

/** A policy, as snapshots share it. */
struct jr_policy_entry {
    atomic_uint refs;
    struct jr_job_policy *policy;
    enum jr_policy_origin origin;
    /* Bytes at most */
    size_t findings_cost; /* of all findings */
    size_t finding_cost;  /* of one, beside its message */
    size_t other_cost;    /* of facts and labels */
    struct counts *counts;
};

/** The policies of one origin, as struct jr_policy_entry. */
struct origin {
    struct jr_cache cache;
    struct jr_cache_round list;
    bool keep; /* the list has shown one without a name, which may be any of them */
};

struct jr_policy_store {
    struct origin origins[JR_POLICY_ORIGINS];
    bool changed;
    pthread_mutex_t lock; /* of what is below */
    struct jr_policy_snapshot *now;
};

/* ---- counted ---- */

static void counts_unref(struct counts *c)
{
    if (atomic_fetch_sub(&c->refs, 1) == 1)
        free(c);
}

static void entry_unref(struct jr_policy_entry *e)
{
    if (e == NULL || atomic_fetch_sub(&e->refs, 1) != 1)
        return;
    jr_job_policy_free(e->policy);
    counts_unref(e->counts);
    free(e);
}

static struct jr_object_key entry_key(const void *object)
{
    return jr_object_key_of_text(((const struct jr_policy_entry *)object)->policy->name);
}

static void *entry_ref(const void *object)
{
    struct jr_policy_entry *e = (struct jr_policy_entry *)(uintptr_t)object; /* its count changes */

    (void)atomic_fetch_add(&e->refs, 1);
    return e;
}

static void entry_unref_object(void *object)
{
    entry_unref(object);
}

static const struct jr_cache_kind kind = {
    .key = entry_key,
    .ref = entry_ref,
    .unref = entry_unref_object,
    .entry_size = sizeof(struct jr_cache_entry),
};

struct jr_policy_snapshot *jr_policy_snapshot_ref(struct jr_policy_snapshot *snapshot)
{
    (void)atomic_fetch_add(&snapshot->refs, 1);
    return snapshot;
}

void jr_policy_snapshot_unref(struct jr_policy_snapshot *snapshot)
{
    if (snapshot == NULL || atomic_fetch_sub(&snapshot->refs, 1) != 1)
        return;
    for (size_t i = 0; i < snapshot->set.n; i++)
        entry_unref(snapshot->entries[i]);
    free(snapshot->entries);
    free(snapshot->set.v);
    free(snapshot);
}

/* ---- memory ---- */

/** Bytes of s as messages show it. */
static size_t quoted(struct jr_str s)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_must(jr_field_quote(s, &text));
    return text.n;
}

/** Returns what naming all that is allowed takes. */
static size_t values_cost(const struct jr_strs *values)
{
    size_t cost = 0;

    for (size_t i = 0; i < values->n; i++)
        cost += 3 * (quoted(values->v[i]) + 2);
    return cost;
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

/** A value has one fault, so that one of the lists is told. */
static size_t limit_cost(const struct jr_limit *l)
{
    return jr_limit_findings_max(l) * greater(values_cost(&l->values), values_cost(&l->excluded));
}

/** Returns what the messages take that are made of what the author wrote. */
static size_t messages_cost(const struct jr_policy_rules *rules)
{
    size_t cost = 0;

    for (size_t i = 0; i < rules->limits.n; i++)
        cost += limit_cost(rules->limits.v[i]);
    if (rules->pod_security.set)
        cost += (size_t)JR_POD_SECURITY_FAULTS * 3 * JR_POD_SECURITY_DETAIL_MAX;
    for (size_t i = 0; i < rules->budget.n; i++)
        cost += 3 * (rules->budget.v[i].text.n + rules->budget.v[i].resource.n);
    return cost;
}

/** Returns what setting them takes: a note, the tree, the patch and the answer. */
static size_t labels_cost(const struct jr_labels *labels)
{
    size_t cost = labels->n * LABEL_COST;

    for (size_t i = 0; i < labels->n; i++)
        cost += 8 * (labels->v[i].key.n + labels->v[i].value.n);
    return cost;
}

/** Counts the findings that there may be at most: refused changes of a Job are three, its end is
 * one. */
static size_t findings_of(const struct jr_policy_rules *rules)
{
    size_t n = rules->budget.n + (rules->refuses_changes ? 3 : 1) +
               (rules->pod_security.set ? JR_POD_SECURITY_FAULTS : 0);

    for (size_t i = 0; i < rules->limits.n; i++)
        n += jr_limit_findings_max(rules->limits.v[i]);
    return n;
}

/** Returns the bytes of the longest name of a rule. */
static size_t longest_name(const struct jr_policy_rules *rules)
{
    size_t n = 0;

    for (size_t i = 0; i < rules->limits.n; i++)
        n = greater(n, rules->limits.v[i]->of.text.n);
    return n;
}

/** Works out what a policy may take: by its own rules, or by those of an exception. Its name and
 * its message are in each text. */
static void entry_cost(struct jr_policy_entry *e)
{
    const struct jr_job_policy *p = e->policy;
    size_t messages = messages_cost(&p->rules), n = findings_of(&p->rules),
           name = longest_name(&p->rules), facts = p->rules.budget.n;

    for (size_t i = 0; i < p->exceptions.n; i++) {
        const struct jr_policy_rules *rules = &p->exceptions.v[i].rules;

        messages = greater(messages, messages_cost(rules));
        n = greater(n, findings_of(rules));
        name = greater(name, longest_name(rules));
        facts = greater(facts, rules->budget.n);
    }
    e->finding_cost = FINDING_COST + 3 * (name + p->name.n + p->message.n);
    e->findings_cost = (n + 1) * e->finding_cost + messages + 3 * quoted(p->unusable);
    e->other_cost = facts > 0 ? FACTS_COST : 0;
    if (p->unusable.n == 0)
        e->other_cost +=
            labels_cost(&p->defaults.labels) + labels_cost(&p->defaults.template_labels);
}

/* ---- changes ---- */

static struct jr_policy_entry *find_entry(const struct jr_policy_store *s,
                                          enum jr_policy_origin origin, struct jr_str name)
{
    const void *e = jr_cache_get(&s->origins[origin].cache, (struct jr_str){ NULL, 0 }, name);

    return (struct jr_policy_entry *)(uintptr_t)e;
}

/** Returns the counts of all policies of that name, a reference. */
static struct counts *take_counts(const struct jr_policy_store *s, struct jr_str name)
{
    struct counts *c;

    for (unsigned i = 0; i < JR_POLICY_ORIGINS; i++) {
        const struct jr_policy_entry *e = find_entry(s, i, name);

        if (e == NULL)
            continue;
        (void)atomic_fetch_add(&e->counts->refs, 1);
        return e->counts;
    }
    c = jr_xcalloc(1, sizeof(*c));
    atomic_init(&c->refs, 1);
    return c;
}

void jr_policy_store_put(struct jr_policy_store *s, enum jr_policy_origin origin,
                         struct jr_job_policy *policy)
{
    struct jr_policy_entry *e = jr_xcalloc(1, sizeof(*e));

    atomic_init(&e->refs, 1);
    e->policy = policy;
    e->origin = origin;
    entry_cost(e);
    e->counts = take_counts(s, policy->name);
    jr_cache_apply(&s->origins[origin].cache, e, NULL, NULL);
    entry_unref(e);
    s->changed = true;
}

bool jr_policy_store_remove(struct jr_policy_store *s, enum jr_policy_origin origin,
                            struct jr_str name)
{
    const struct jr_policy_entry *e = find_entry(s, origin, name);

    if (e == NULL)
        return false;
    jr_cache_remove(&s->origins[origin].cache, e, NULL, NULL);
    s->changed = true;
    return true;
}

const struct jr_job_policy *jr_policy_store_find(const struct jr_policy_store *s,
                                                 enum jr_policy_origin origin, struct jr_str name)
{
    const struct jr_policy_entry *e = find_entry(s, origin, name);

    return e == NULL ? NULL : e->policy;
}

/* ---- lists ---- */

void jr_policy_store_begin(struct jr_policy_store *s, enum jr_policy_origin origin)
{
    struct origin *o = &s->origins[origin];

    o->list = jr_cache_begin(&o->cache, (struct jr_str){ NULL, 0 });
    o->keep = false;
}

void jr_policy_store_see(struct jr_policy_store *s, enum jr_policy_origin origin,
                         struct jr_str name)
{
    struct origin *o = &s->origins[origin];

    o->keep |= name.n == 0;
    (void)jr_cache_see(&o->cache, (struct jr_str){ NULL, 0 }, name);
}

static void on_gone(void *log, const void *object)
{
    const struct jr_policy_entry *e = object;

    jr_info(log, "JobPolicy deleted", JR_STR("policy", e->policy->name));
}

void jr_policy_store_sweep(struct jr_policy_store *s, enum jr_policy_origin origin,
                           struct jr_log *log)
{
    static const struct jr_cache_events events = { .gone = on_gone };
    struct origin *o = &s->origins[origin];
    const size_t before = o->cache.map.n;

    if (!o->keep)
        jr_cache_sweep(&o->cache, &o->list, &events, log);
    s->changed |= o->cache.map.n != before;
}

size_t jr_policy_store_count(const struct jr_policy_store *s, enum jr_policy_origin origin)
{
    return s->origins[origin].cache.map.n;
}

/* ---- snapshots ---- */

static int by_name(const void *a, const void *b)
{
    const struct jr_policy_entry *const *x = a, *const *y = b;

    return jr_str_cmp((*x)->policy->name, (*y)->policy->name);
}

/** Adds the origin's policies, but for those of the API server that a file's policy hides. */
static void add_entries(const struct jr_policy_store *s, enum jr_policy_origin origin,
                        struct jr_policy_snapshot *snapshot)
{
    const struct jr_cache *c = &s->origins[origin].cache;

    for (const struct jr_cache_entry *at = jr_cache_next(c, NULL); at != NULL;
         at = jr_cache_next(c, at)) {
        const struct jr_policy_entry *e = at->object;

        if (origin == JR_POLICY_OF_FILE ||
            find_entry(s, JR_POLICY_OF_FILE, e->policy->name) == NULL)
            snapshot->entries[snapshot->set.n++] = entry_ref(e);
    }
}

/** Sums up what all policies may take, within what is told of one request. */
static size_t cost_of_all(const struct jr_policy_snapshot *snapshot)
{
    size_t all = 0, other = 0, longest = 0, told = MESSAGES_COST;

    for (size_t i = 0; i < snapshot->set.n; i++) {
        const struct jr_policy_entry *e = snapshot->entries[i];

        all += e->findings_cost;
        other += e->other_cost;
        longest = greater(longest, e->finding_cost);
        told += 2 * (e->finding_cost + 3 * JR_POLICY_SHORT);
    }
    told += JR_POLICY_FINDINGS_MAX * longest;
    return other + (snapshot->set.n > 0 ? JR_POLICY_KNOWN_MAX : 0) + (all < told ? all : told);
}

static struct jr_policy_snapshot *take_snapshot(const struct jr_policy_store *s)
{
    struct jr_policy_snapshot *snapshot = jr_xcalloc(1, sizeof(*snapshot));
    const size_t max =
        jr_policy_store_count(s, JR_POLICY_OF_API) + jr_policy_store_count(s, JR_POLICY_OF_FILE);

    atomic_init(&snapshot->refs, 1);
    snapshot->entries = jr_xcalloc(max, sizeof(struct jr_policy_entry *));
    snapshot->set.v = jr_xcalloc(max, sizeof(struct jr_job_policy *));
    add_entries(s, JR_POLICY_OF_FILE, snapshot);
    add_entries(s, JR_POLICY_OF_API, snapshot);
    qsort(snapshot->entries, snapshot->set.n, sizeof(struct jr_policy_entry *), by_name);
    for (size_t i = 0; i < snapshot->set.n; i++) {
        struct jr_job_policy *p = snapshot->entries[i]->policy;

        snapshot->set.v[i] = p;
        snapshot->selects_namespaces |= jr_policy_selects_namespaces(p);
    }
    snapshot->findings_cost = cost_of_all(snapshot);
    return snapshot;
}

void jr_policy_store_publish(struct jr_policy_store *s)
{
    struct jr_policy_snapshot *next, *old;

    if (!s->changed)
        return;
    s->changed = false;
    next = take_snapshot(s);
    (void)pthread_mutex_lock(&s->lock);
    old = s->now;
    s->now = next;
    (void)pthread_mutex_unlock(&s->lock);
    jr_policy_snapshot_unref(old);
}

struct jr_policy_snapshot *jr_policy_store_get(struct jr_policy_store *s)
{
    struct jr_policy_snapshot *snapshot;

    (void)pthread_mutex_lock(&s->lock);
    snapshot = s->now;
    (void)atomic_fetch_add(&snapshot->refs, 1);
    (void)pthread_mutex_unlock(&s->lock);
    return snapshot;
}

struct jr_policy_store *jr_policy_store_new(void)
{
    struct jr_policy_store *s = jr_xcalloc(1, sizeof(*s));

    (void)pthread_mutex_init(&s->lock, NULL);
    for (size_t i = 0; i < JR_POLICY_ORIGINS; i++)
        s->origins[i].cache.kind = &kind;
    s->now = take_snapshot(s);
    return s;
}

void jr_policy_store_free(struct jr_policy_store *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < JR_POLICY_ORIGINS; i++)
        jr_cache_done(&s->origins[i].cache);
    jr_policy_snapshot_unref(s->now);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- what policies came to ---- */

static void count_policy(struct jr_policy_entry *e, const struct jr_policy_finding *v, size_t n,
                         bool excepted)
{
    unsigned failed = 0;

    for (size_t i = 0; i < n; i++)
        failed |= JR_ACTION_WARN | JR_ACTION_AUDIT | (v[i].denies ? JR_ACTION_DENY : 0);
    for (size_t a = 0; a < JR_POLICY_ACTIONS; a++) {
        unsigned result = n > 0 ? RESULT_LENIENT : excepted ? RESULT_EXCEPTED : RESULT_PASS;

        if ((e->policy->actions & jr_policy_actions[a].bit) == 0)
            continue;
        if ((failed & jr_policy_actions[a].bit) != 0)
            result = RESULT_FAIL;
        (void)atomic_fetch_add_explicit(&e->counts->n[a][result], 1, memory_order_relaxed);
    }
}

void jr_policy_snapshot_count(const struct jr_policy_snapshot *snapshot,
                              const struct jr_policy_findings *findings)
{
    size_t from = 0;

    for (size_t i = 0; i < findings->n_matches; i++) {
        const struct jr_policy_match *m = &findings->matches[i];
        struct jr_policy_entry *e = snapshot->entries[m->at];
        const size_t n = jr_policy_findings_of(findings, from, e->policy);

        count_policy(e, findings->v + from, n, m->exception != NULL);
        from += n;
    }
}

static void set_counts(struct jr_metrics *metrics, const char *name,
                       const struct jr_policy_entry *e)
{
    for (size_t a = 0; a < JR_POLICY_ACTIONS; a++) {
        for (size_t i = 0; i < N_RESULTS; i++) {
            const char *const values[] = { jr_policy_actions[a].name, name, results[i], NULL };
            const uint_fast64_t n = atomic_load(&e->counts->n[a][i]);

            if (n > 0 || (i <= RESULT_FAIL && (e->policy->actions & jr_policy_actions[a].bit) != 0))
                jr_metrics_set(metrics, &evaluations_desc, values, (double)n);
        }
    }
}

void jr_policy_store_metrics(struct jr_policy_store *s, struct jr_time now,
                             struct jr_metrics *metrics)
{
    jr_metrics_clear(metrics, &generation_desc);
    jr_metrics_clear(metrics, &exception_desc);
    jr_metrics_clear(metrics, &unusable_desc);
    jr_metrics_clear(metrics, &evaluations_desc);
    for (size_t i = 0; i < s->now->set.n; i++) {
        const struct jr_policy_entry *e = s->now->entries[i];
        const struct jr_job_policy *p = e->policy;
        JR_FREE char *name = jr_xstrndup(p->name);
        const char *const values[] = { name, NULL };
        const struct jr_time end = jr_policy_next_end(p, now);

        jr_metrics_set(metrics, &generation_desc, values,
                       e->origin == JR_POLICY_OF_FILE ? 0 : (double)p->generation);
        jr_metrics_set(metrics, &unusable_desc, values, p->unusable.n > 0);
        if (jr_time_set(end))
            jr_metrics_set(metrics, &exception_desc, values, (double)end.ns / (double)JR_SEC);
        set_counts(metrics, name, e);
    }
}
