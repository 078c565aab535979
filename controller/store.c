#include "controller/store_parts.h"

#include <limits.h>

#include "common/base/hash.h"
#include "common/rules/selector.h"

/* ---- namespaces ---- */

struct jr_space *jr_store_find_space(const struct jr_store *s, struct jr_str name)
{
    struct jr_link *l = jr_map_first(&s->spaces, jr_hash(name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct jr_space *sp = jr_of(l, struct jr_space, link);

        if (jr_str_eq((struct jr_str){ sp->name, sp->name_n }, name))
            return sp;
    }
    return NULL;
}

struct jr_space *jr_store_need_space(struct jr_store *s, struct jr_str name)
{
    struct jr_space *sp = jr_store_find_space(s, name);

    if (sp != NULL)
        return sp;
    sp = malloc(sizeof(*sp) + name.n);
    if (sp == NULL)
        return NULL;
    TAILQ_INIT(&sp->irregular);
    TAILQ_INIT(&sp->orphans);
    sp->name_n = name.n;
    if (name.n > 0)
        memcpy(sp->name, name.p, name.n);
    if (jr_map_add(&s->spaces, &sp->link, jr_hash(name)) != JR_OK) {
        free(sp);
        return NULL;
    }
    return sp;
}

void jr_store_drop_space(struct jr_store *s, struct jr_space *sp)
{
    if (sp == NULL || !TAILQ_EMPTY(&sp->irregular) || !TAILQ_EMPTY(&sp->orphans))
        return;
    jr_map_remove(&s->spaces, &sp->link);
    free(sp);
}

struct jr_str jr_store_generated_uid(const struct jr_selector *sel)
{
    if (!sel->set || sel->match_expressions.n != 0 || sel->match_labels.n != 1 ||
        !jr_str_is(sel->match_labels.v[0].key, JR_LABEL_CONTROLLER_UID) ||
        sel->match_labels.v[0].value.n == 0)
        return (struct jr_str){ NULL, 0 };
    return sel->match_labels.v[0].value;
}

/* ---- making and ending ---- */

enum jr_status jr_store_new(struct jr_str finalizer, struct jr_store **ret)
{
    struct jr_store *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return JR_NOMEM;
    s->finalizer = finalizer;
    if (jr_store_split(s, &(struct jr_str){ NULL, 0 }, 1) != JR_OK) {
        free(s);
        return JR_NOMEM;
    }
    *ret = s;
    return JR_OK;
}

static void free_entries(struct jr_store *s)
{
    struct jr_link *l, *next;

    for (l = jr_map_next(&s->jobs, NULL); l != NULL; l = next) {
        struct jr_job_entry *e = jr_of(l, struct jr_job_entry, by_key);

        next = jr_map_next(&s->jobs, l);
        jr_job_unref(e->job);
        free(e);
    }
    for (l = jr_map_next(&s->pods, NULL); l != NULL; l = next) {
        struct jr_pod_entry *e = jr_of(l, struct jr_pod_entry, by_key);

        next = jr_map_next(&s->pods, l);
        jr_pod_unref(e->pod);
        free(e);
    }
}

void jr_store_free(struct jr_store *s)
{
    struct jr_link *l, *next;

    if (s == NULL)
        return;
    free_entries(s);
    for (l = jr_map_next(&s->owners, NULL); l != NULL; l = next) {
        next = jr_map_next(&s->owners, l);
        free(jr_of(l, struct jr_owner, link));
    }
    for (l = jr_map_next(&s->spaces, NULL); l != NULL; l = next) {
        next = jr_map_next(&s->spaces, l);
        free(jr_of(l, struct jr_space, link));
    }
    jr_map_done(&s->jobs);
    jr_map_done(&s->job_uids);
    jr_map_done(&s->pods);
    jr_map_done(&s->owners);
    jr_map_done(&s->spaces);
    free(s->parts);
    free(s);
}

/* ---- Jobs ---- */

static struct jr_job_entry *find_job(const struct jr_store *s, struct jr_str namespace,
                                     struct jr_str name)
{
    struct jr_link *l = jr_map_first(&s->jobs, jr_map_hash2(namespace, name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct jr_job_entry *e = jr_of(l, struct jr_job_entry, by_key);

        if (jr_str_eq(e->job->meta.name, name) && jr_str_eq(e->job->meta.namespace, namespace))
            return e;
    }
    return NULL;
}

static const struct jr_job *job_of_uid(const struct jr_store *s, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&s->job_uids, jr_hash(uid));

    for (; l != NULL; l = jr_map_again(l)) {
        const struct jr_job_entry *e = jr_of(l, struct jr_job_entry, by_uid);

        if (jr_str_eq(e->job->meta.uid, uid))
            return e->job;
    }
    return NULL;
}

const struct jr_job *jr_store_job(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name)
{
    const struct jr_job_entry *e = find_job(s, namespace, name);

    return e == NULL ? NULL : e->job;
}

const struct jr_job *jr_store_owner(const struct jr_store *s, const struct jr_pod *pod)
{
    const struct jr_job *job;

    if (!jr_pod_controller_is(pod, "Job"))
        return NULL;
    job = jr_store_job(s, pod->namespace, pod->controller.name);
    return job != NULL && jr_str_eq(job->meta.uid, pod->controller.uid) ? job : NULL;
}

static void leave_space(struct jr_store *s, struct jr_job_entry *e)
{
    struct jr_space *sp;

    if (!e->irregular)
        return;
    sp = jr_store_find_space(s, e->job->meta.namespace);
    if (sp != NULL)
        TAILQ_REMOVE(&sp->irregular, e, in_space);
    jr_store_drop_space(s, sp);
    e->irregular = false;
}

/** Takes the entry out of the indexes, leaves it in the map by key. */
static void unindex_job(struct jr_store *s, struct jr_job_entry *e)
{
    jr_map_remove(&s->job_uids, &e->by_uid);
    leave_space(s, e);
}

static enum jr_status index_job(struct jr_store *s, struct jr_job_entry *e)
{
    const struct jr_job *job = e->job;

    if (!jr_str_eq(jr_store_generated_uid(&job->spec.selector), job->meta.uid)) {
        struct jr_space *sp = jr_store_need_space(s, job->meta.namespace);

        if (sp == NULL)
            return JR_NOMEM;
        TAILQ_INSERT_TAIL(&sp->irregular, e, in_space);
        e->irregular = true;
    }
    if (jr_map_add(&s->job_uids, &e->by_uid, jr_hash(job->meta.uid)) == JR_OK)
        return JR_OK;
    leave_space(s, e);
    return JR_NOMEM;
}

static enum jr_status add_job(struct jr_store *s, const struct jr_job *job)
{
    struct jr_job_entry *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return JR_NOMEM;
    e->job = jr_job_ref(job);
    e->by_key.seen = s->round;
    if (index_job(s, e) != JR_OK) {
        jr_job_unref(e->job);
        free(e);
        return JR_NOMEM;
    }
    if (jr_map_add(&s->jobs, &e->by_key, jr_map_hash2(job->meta.namespace, job->meta.name)) !=
        JR_OK) {
        unindex_job(s, e);
        jr_job_unref(e->job);
        free(e);
        return JR_NOMEM;
    }
    return JR_OK;
}

static struct jr_job *take_job(struct jr_store *s, struct jr_job_entry *e)
{
    struct jr_job *job = e->job;

    unindex_job(s, e);
    jr_map_remove(&s->jobs, &e->by_key);
    free(e);
    return job;
}

enum jr_status jr_store_put_job(struct jr_store *s, const struct jr_job *job,
                                struct jr_job **ret_old)
{
    struct jr_job_entry *e = find_job(s, job->meta.namespace, job->meta.name);
    struct jr_job *old;

    *ret_old = NULL;
    if (e == NULL)
        return add_job(s, job);
    old = e->job;
    unindex_job(s, e);
    e->job = jr_job_ref(job);
    e->by_key.seen = s->round;
    *ret_old = old;
    if (index_job(s, e) == JR_OK)
        return JR_OK;
    jr_map_remove(&s->jobs, &e->by_key);
    jr_job_unref(e->job);
    free(e);
    return JR_NOMEM;
}

void jr_store_remove_job(struct jr_store *s, struct jr_str namespace, struct jr_str name,
                         struct jr_job **ret_old)
{
    struct jr_job_entry *e = find_job(s, namespace, name);

    *ret_old = e == NULL ? NULL : take_job(s, e);
}

enum jr_status jr_store_each_job(const struct jr_store *s,
                                 enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                 void *ctx)
{
    enum jr_status st = JR_OK;

    for (struct jr_link *l = jr_map_next(&s->jobs, NULL); st == JR_OK && l != NULL;
         l = jr_map_next(&s->jobs, l))
        st = fn(ctx, jr_of(l, struct jr_job_entry, by_key)->job);
    return st;
}

enum jr_status jr_store_each_match(const struct jr_store *s, const struct jr_pod *pod,
                                   enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                   void *ctx)
{
    struct jr_str uid = jr_pod_label(pod, JR_S(JR_LABEL_CONTROLLER_UID));
    const struct jr_job *regular = uid.n == 0 ? NULL : job_of_uid(s, uid);
    const struct jr_space *sp = jr_store_find_space(s, pod->namespace);
    const struct jr_job_entry *e;
    enum jr_status st = JR_OK;

    if (pod->labels.n == 0)
        return JR_OK;
    if (regular != NULL && jr_str_eq(regular->meta.namespace, pod->namespace) &&
        jr_str_eq(jr_store_generated_uid(&regular->spec.selector), uid))
        st = fn(ctx, regular);
    if (sp == NULL)
        return st;
    for (e = TAILQ_FIRST(&sp->irregular); st == JR_OK && e != NULL; e = TAILQ_NEXT(e, in_space)) {
        if (jr_selector_matches_pod(&e->job->spec.selector, pod) &&
            jr_selector_valid(&e->job->spec.selector))
            st = fn(ctx, e->job);
    }
    return st;
}

enum jr_status jr_store_sweep_jobs(struct jr_store *s, const struct jr_store_round *round,
                                   enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                   void *ctx)
{
    enum jr_status st = JR_OK;
    struct jr_link *next;

    if (round->jobs == 0) /* nothing can be missed */
        return JR_OK;
    for (struct jr_link *l = jr_map_next(&s->jobs, NULL); st == JR_OK && l != NULL; l = next) {
        struct jr_job_entry *e = jr_of(l, struct jr_job_entry, by_key);

        next = jr_map_next(&s->jobs, l);
        if (jr_store_missed(round, e->job->meta.namespace, e->by_key.seen)) {
            struct jr_job *job = take_job(s, e);

            st = fn(ctx, job);
            jr_job_unref(job);
        }
    }
    return st;
}

/* ---- relists ---- */

bool jr_store_see(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                  struct jr_str name)
{
    struct jr_job_entry *e;

    if (kind == JR_STORE_PODS)
        return jr_store_see_pod(s, namespace, name);
    e = find_job(s, namespace, name);
    if (e != NULL)
        e->by_key.seen = s->round;
    return e != NULL;
}

struct jr_store_round jr_store_begin(struct jr_store *s, struct jr_str namespace)
{
    return (struct jr_store_round){ namespace, ++s->round, s->jobs.n, s->pods.n };
}

bool jr_store_missed(const struct jr_store_round *round, struct jr_str namespace, unsigned seen)
{
    if (round->namespace.p != NULL && !jr_str_eq(round->namespace, namespace))
        return false;
    return seen - round->began > UINT_MAX / 2; /* earlier, also where the count went round */
}

enum jr_status jr_store_split(struct jr_store *s, const struct jr_str *namespaces, size_t n)
{
    struct jr_store_part *parts = calloc(n, sizeof(*parts));

    if (parts == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < n; i++)
        parts[i].namespace = namespaces[i];
    free(s->parts);
    s->parts = parts;
    s->n_parts = n;
    return JR_OK;
}

/** n_parts: a namespace that nobody watches. */
static size_t part_of(const struct jr_store *s, struct jr_str namespace)
{
    size_t i = 0;

    while (i < s->n_parts && s->parts[i].namespace.p != NULL &&
           !jr_str_eq(s->parts[i].namespace, namespace))
        i++;
    return i;
}

void jr_store_progress(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                       struct jr_str resource_version)
{
    size_t i = part_of(s, namespace);

    if (i < s->n_parts && jr_parse_u64(resource_version, &s->parts[i].version[kind]) != JR_OK)
        s->parts[i].version[kind] = 0;
}

uint64_t jr_store_version(const struct jr_store *s, enum jr_store_kind kind,
                          struct jr_str namespace)
{
    size_t i = part_of(s, namespace);

    return i < s->n_parts ? s->parts[i].version[kind] : 0;
}

size_t jr_store_count(const struct jr_store *s, enum jr_store_kind kind)
{
    return kind == JR_STORE_JOBS ? s->jobs.n : s->pods.n;
}
