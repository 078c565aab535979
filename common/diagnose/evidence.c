/* SPDX-License-Identifier: Apache-2.0 */
/* Objects, by kind and name. */
#include "common/diagnose/evidence.h"

#include "common/base/memory.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

/** An event as it is decoded: with the members of both APIs. */
struct event {
    struct jr_event_view view;
    struct jr_str source; /* v1's component */
    struct jr_time created, first, last, at, repeated;
};

TYPE(event_meta, "ObjectMeta",
    TIME("creationTimestamp", AT(struct event, created)));

TYPE(event_object, "ObjectReference",
    STRING("kind", AT(struct event, view.kind)),
    STRING("namespace", AT(struct event, view.namespace)),
    STRING("name", AT(struct event, view.name)));

TYPE(event_source, "EventSource",
    STRING("component", AT(struct event, source)));

TYPE(event_series, "EventSeries",
    TIME("lastObservedTime", AT(struct event, repeated)));

TYPE(event_type, "Event",
    STRUCT("metadata", event_meta, FLAT),
    STRUCT("involvedObject", event_object, FLAT),
    STRUCT("regarding", event_object, FLAT),
    STRING("reason", AT(struct event, view.reason)),
    STRING("message", AT(struct event, view.message)),
    STRING("note", AT(struct event, view.message)),
    STRUCT("source", event_source, FLAT),
    STRING("reportingComponent", AT(struct event, view.reporter)),
    STRING("reportingController", AT(struct event, view.reporter)),
    TIME("firstTimestamp", AT(struct event, first)),
    TIME("deprecatedFirstTimestamp", AT(struct event, first)),
    TIME("lastTimestamp", AT(struct event, last)),
    TIME("deprecatedLastTimestamp", AT(struct event, last)),
    TIME("eventTime", AT(struct event, at)),
    STRUCT("series", event_series, FLAT));

struct head {
    struct jr_str kind;
};
TYPE(head_type, "Object", STRING("kind", AT(struct head, kind)));

/** An object with the tree that it lies in. */
struct object {
    struct jr_object_view view;
    struct jr_doc *doc;
};

struct jr_evidence {
    struct jr_arena arena; /* of events, and of what is unseen */
    struct {
        struct jr_job **v;
        size_t n, cap;
    } jobs;
    struct {
        struct jr_pod_view **v;
        size_t n, cap;
    } pods;
    struct {
        struct jr_event_view *v;
        size_t n, cap;
    } events;
    struct {
        struct object *v;
        size_t n, cap;
    } objects;
    struct {
        struct jr_unseen *v;
        size_t n, cap;
    } unseen;
    struct {
        struct jr_str *v;
        size_t n, cap;
    } seen; /* kinds of a file that may have no object */
    bool is_file;
};

struct jr_evidence *jr_evidence_new(void)
{
    struct jr_evidence *ev = jr_xcalloc(1, sizeof(*ev));

    jr_arena_init(&ev->arena, 0);
    return ev;
}

void jr_evidence_free(struct jr_evidence *ev)
{
    if (ev == NULL)
        return;
    for (size_t i = 0; i < ev->jobs.n; i++)
        jr_job_unref(ev->jobs.v[i]);
    for (size_t i = 0; i < ev->pods.n; i++)
        jr_pod_view_unref(ev->pods.v[i]);
    for (size_t i = 0; i < ev->objects.n; i++)
        jr_doc_free(ev->objects.v[i].doc);
    free(ev->jobs.v);
    free(ev->pods.v);
    free(ev->events.v);
    free(ev->objects.v);
    free(ev->unseen.v);
    free(ev->seen.v);
    jr_arena_done(&ev->arena);
    free(ev);
}

/* ---- taking in ---- */

#define ROOM(list) \
    ((list)->v = jr_xvec_room((list)->v, (list)->n, &(list)->cap, sizeof(*(list)->v)))

static struct jr_time latest(struct jr_time a, struct jr_time b)
{
    return jr_time_cmp(a, b) >= 0 ? a : b;
}

static enum jr_status add_job(struct jr_evidence *ev, struct jr_str text, struct jr_error *err)
{
    enum jr_status st;

    ROOM(&ev->jobs);
    st = jr_need(jr_job_decode(text, &ev->jobs.v[ev->jobs.n], err));
    ev->jobs.n += st == JR_OK;
    return st;
}

static enum jr_status add_pod(struct jr_evidence *ev, struct jr_str text, struct jr_error *err)
{
    enum jr_status st;

    ROOM(&ev->pods);
    st = jr_need(jr_pod_view_decode(text, &ev->pods.v[ev->pods.n], err));
    ev->pods.n += st == JR_OK;
    return st;
}

static enum jr_status add_event(struct jr_evidence *ev, struct jr_str text, struct jr_error *err)
{
    struct event e = { .source = { NULL, 0 } };
    enum jr_status st =
        jr_need(jr_decode_lenient(text, &ev->arena, true, jr_schema_decode, &event_type, &e, err));

    if (st != JR_OK)
        return st;
    e.view.last = latest(latest(e.last, e.repeated), e.at);
    e.view.last = jr_time_set(e.view.last) ? e.view.last : e.created;
    e.view.first = jr_time_set(e.first) ? e.first : jr_time_set(e.at) ? e.at : e.created;
    e.view.reporter = e.view.reporter.n > 0 ? e.view.reporter : e.source;
    ROOM(&ev->events);
    ev->events.v[ev->events.n++] = e.view;
    return JR_OK;
}

static enum jr_status add_object(struct jr_evidence *ev, struct jr_str kind, struct jr_str text,
                                 struct jr_error *err)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST,
                                         .max_values = JR_OBJECT_VALUES_MAX,
                                         .leave_out = { "metadata", "managedFields" } };
    const struct jr_node *meta;
    struct object o = { .doc = NULL };
    enum jr_status st = jr_need(jr_doc_parse(text, &opts, &o.doc, err));

    if (st != JR_OK)
        return st;
    if (jr_str_is(kind, "Secret")) {
        jr_remove(jr_doc_root(o.doc), JR_S("data"), NULL);
        jr_remove(jr_doc_root(o.doc), JR_S("stringData"), NULL);
    }
    meta = jr_get(jr_doc_root(o.doc), "metadata");
    o.view = (struct jr_object_view){ .kind = jr_xarena_str(&ev->arena, kind),
                                      .namespace = jr_get_str(meta, "namespace"),
                                      .name = jr_get_str(meta, "name"),
                                      .uid = jr_get_str(meta, "uid"),
                                      .root = jr_doc_root(o.doc) };
    ROOM(&ev->objects);
    ev->objects.v[ev->objects.n++] = o;
    return JR_OK;
}

static enum jr_status add(struct jr_evidence *ev, struct jr_str kind, struct jr_str text,
                          struct jr_error *err)
{
    if (jr_str_is(kind, "Job"))
        return add_job(ev, text, err);
    if (jr_str_is(kind, "Pod"))
        return add_pod(ev, text, err);
    if (jr_str_is(kind, "Event"))
        return add_event(ev, text, err);
    return add_object(ev, kind, text, err);
}

enum jr_status jr_evidence_add(struct jr_evidence *ev, const char *kind, struct jr_str text,
                               struct jr_error *err)
{
    struct head head = { { NULL, 0 } };
    JR_ARENA arena = { 0 };
    enum jr_status st;

    if (kind != NULL)
        return add(ev, jr_str(kind), text, err);
    jr_arena_init(&arena, 0);
    st = jr_need(jr_decode_lenient(text, &arena, true, jr_schema_decode, &head_type, &head, err));
    return st == JR_OK ? add(ev, head.kind, text, err) : st;
}

/* ---- what is unseen ---- */

void jr_evidence_note_unseen(struct jr_evidence *ev, const char *kind, struct jr_str why)
{
    ROOM(&ev->unseen);
    ev->unseen.v[ev->unseen.n++] = (struct jr_unseen){ jr_xarena_str(&ev->arena, jr_str(kind)),
                                                       jr_xarena_str(&ev->arena, why) };
}

void jr_evidence_forget_unseen(struct jr_evidence *ev, const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < ev->unseen.n; i++) {
        if (!jr_str_is(ev->unseen.v[i].kind, kind))
            ev->unseen.v[n++] = ev->unseen.v[i];
    }
    ev->unseen.n = n;
}

void jr_evidence_put_job(struct jr_evidence *ev, const struct jr_job *job)
{
    ROOM(&ev->jobs);
    ev->jobs.v[ev->jobs.n++] = jr_job_ref(job);
}

void jr_evidence_put_pod(struct jr_evidence *ev, const struct jr_pod_view *pod)
{
    ROOM(&ev->pods);
    ev->pods.v[ev->pods.n++] = jr_pod_view_ref(pod);
}

void jr_evidence_forget_jobs(struct jr_evidence *ev)
{
    for (size_t i = 0; i < ev->jobs.n; i++)
        jr_job_unref(ev->jobs.v[i]);
    ev->jobs.n = 0;
}

void jr_evidence_forget_pods(struct jr_evidence *ev)
{
    for (size_t i = 0; i < ev->pods.n; i++)
        jr_pod_view_unref(ev->pods.v[i]);
    ev->pods.n = 0;
}

void jr_evidence_is_file(struct jr_evidence *ev)
{
    ev->is_file = true;
}

void jr_evidence_note_seen(struct jr_evidence *ev, struct jr_str kind)
{
    ROOM(&ev->seen);
    ev->seen.v[ev->seen.n++] = jr_xarena_str(&ev->arena, kind);
}

bool jr_evidence_is_unseen(const struct jr_evidence *ev, const char *kind)
{
    for (size_t i = 0; i < ev->unseen.n; i++) {
        if (jr_str_is(ev->unseen.v[i].kind, kind))
            return true;
    }
    return false;
}

bool jr_evidence_lacks(const struct jr_evidence *ev, const char *kind)
{
    if (jr_evidence_is_unseen(ev, kind))
        return true;
    for (size_t i = 0; i < ev->seen.n; i++) {
        if (jr_str_is(ev->seen.v[i], kind))
            return false;
    }
    if (!ev->is_file)
        return false;
    if (ev->seen.n > 0) /* a dump, which says what it has */
        return true;
    if (strcmp(kind, "Event") == 0)
        return ev->events.n == 0;
    if (strcmp(kind, "Pod") == 0)
        return ev->pods.n == 0;
    for (size_t i = 0; i < ev->objects.n; i++) {
        if (jr_str_is(ev->objects.v[i].view.kind, kind))
            return false;
    }
    return true;
}

/* ---- order ---- */

static int by_place(struct jr_str kind_a, struct jr_str ns_a, struct jr_str name_a,
                    struct jr_str kind_b, struct jr_str ns_b, struct jr_str name_b)
{
    int d = jr_str_cmp(kind_a, kind_b);

    d = d != 0 ? d : jr_str_cmp(ns_a, ns_b);
    return d != 0 ? d : jr_str_cmp(name_a, name_b);
}

static int compare_jobs(const void *a, const void *b)
{
    const struct jr_meta *x = &(*(struct jr_job *const *)a)->meta;
    const struct jr_meta *y = &(*(struct jr_job *const *)b)->meta;

    return by_place(JR_S(""), x->namespace, x->name, JR_S(""), y->namespace, y->name);
}

static struct jr_str controller_uid(const struct jr_pod_view *pod)
{
    const struct jr_owner_ref *ref = jr_meta_controller(&pod->meta);

    return ref != NULL ? ref->uid : JR_S("");
}

static int compare_pods(const void *a, const void *b)
{
    const struct jr_pod_view *x = *(struct jr_pod_view *const *)a;
    const struct jr_pod_view *y = *(struct jr_pod_view *const *)b;

    return by_place(controller_uid(x), x->meta.namespace, x->meta.name, controller_uid(y),
                    y->meta.namespace, y->meta.name);
}

/** Compares a Pod of the list with a controller's uid. */
static int compare_controller(const void *pod, const void *uid)
{
    return jr_str_cmp(controller_uid(*(struct jr_pod_view *const *)pod),
                      *(const struct jr_str *)uid);
}

static int compare_events(const void *a, const void *b)
{
    const struct jr_event_view *x = a, *y = b;
    int d = by_place(x->kind, x->namespace, x->name, y->kind, y->namespace, y->name);

    d = d != 0 ? d : jr_time_cmp(y->last, x->last);
    d = d != 0 ? d : jr_str_cmp(x->reason, y->reason);
    return d != 0 ? d : jr_str_cmp(x->message, y->message);
}

static int compare_objects(const void *a, const void *b)
{
    const struct jr_object_view *x = &((const struct object *)a)->view;
    const struct jr_object_view *y = &((const struct object *)b)->view;

    return by_place(x->kind, x->namespace, x->name, y->kind, y->namespace, y->name);
}

#define SORT(list, compare)                                             \
    do {                                                                \
        if ((list)->n > 0)                                              \
            qsort((list)->v, (list)->n, sizeof(*(list)->v), (compare)); \
    } while (0)

/** Drops Pods that came twice. */
static void drop_doubles(struct jr_evidence *ev)
{
    size_t n = 0;

    for (size_t i = 0; i < ev->pods.n; i++) {
        const struct jr_pod_view *p = ev->pods.v[i];

        if (n > 0 && p->meta.uid.n > 0 && jr_str_eq(p->meta.uid, ev->pods.v[n - 1]->meta.uid))
            jr_pod_view_unref(ev->pods.v[i]);
        else
            ev->pods.v[n++] = ev->pods.v[i];
    }
    ev->pods.n = n;
}

void jr_evidence_seal(struct jr_evidence *ev)
{
    SORT(&ev->jobs, compare_jobs);
    SORT(&ev->pods, compare_pods);
    drop_doubles(ev);
    SORT(&ev->events, compare_events);
    SORT(&ev->objects, compare_objects);
}

/* ---- looking up ---- */

/** The first element that isn't before the key. */
static size_t lower_bound(const void *v, size_t n, size_t size, const void *key,
                          int (*compare)(const void *, const void *))
{
    size_t low = 0;

    while (n > 0) {
        const size_t half = n / 2;

        if (compare((const char *)v + (low + half) * size, key) < 0) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

const struct jr_job *jr_evidence_job(const struct jr_evidence *ev, struct jr_str namespace,
                                     struct jr_str name)
{
    for (size_t i = 0; i < ev->jobs.n; i++) {
        const struct jr_meta *m = &ev->jobs.v[i]->meta;

        if (jr_str_eq(m->namespace, namespace) && jr_str_eq(m->name, name))
            return ev->jobs.v[i];
    }
    return NULL;
}

const struct jr_pod_view *jr_evidence_pod(const struct jr_evidence *ev, struct jr_str namespace,
                                          struct jr_str name)
{
    for (size_t i = 0; i < ev->pods.n; i++) {
        const struct jr_meta *m = &ev->pods.v[i]->meta;

        if (jr_str_eq(m->namespace, namespace) && jr_str_eq(m->name, name))
            return ev->pods.v[i];
    }
    return NULL;
}

const struct jr_object_view *jr_evidence_object(const struct jr_evidence *ev, const char *kind,
                                                struct jr_str namespace, struct jr_str name)
{
    const struct object key = { .view = { jr_str(kind), namespace, name, { NULL, 0 }, NULL } };
    const size_t at =
        lower_bound(ev->objects.v, ev->objects.n, sizeof(*ev->objects.v), &key, compare_objects);

    if (at == ev->objects.n || compare_objects(&ev->objects.v[at], &key) != 0)
        return NULL;
    return &ev->objects.v[at].view;
}

const struct jr_object_view *jr_evidence_each(const struct jr_evidence *ev, const char *kind,
                                              struct jr_str namespace, size_t *at)
{
    const struct object key = { .view = {
                                    jr_str(kind), namespace, { NULL, 0 }, { NULL, 0 }, NULL } };
    const struct jr_object_view *o;

    if (*at == 0)
        *at = lower_bound(ev->objects.v, ev->objects.n, sizeof(*ev->objects.v), &key,
                          compare_objects);
    if (*at >= ev->objects.n)
        return NULL;
    o = &ev->objects.v[(*at)++].view;
    return jr_str_is(o->kind, kind) && jr_str_eq(o->namespace, namespace) ? o : NULL;
}

const struct jr_job *jr_evidence_each_job(const struct jr_evidence *ev, size_t *at)
{
    return *at < ev->jobs.n ? ev->jobs.v[(*at)++] : NULL;
}

const struct jr_pod_view *jr_evidence_each_pod(const struct jr_evidence *ev, struct jr_str uid,
                                               size_t *at)
{
    if (*at == 0)
        *at = lower_bound(ev->pods.v, ev->pods.n, sizeof(struct jr_pod_view *), &uid,
                          compare_controller);
    if (*at >= ev->pods.n || !jr_str_eq(controller_uid(ev->pods.v[*at]), uid))
        return NULL;
    return ev->pods.v[(*at)++];
}

const struct jr_event_view *jr_evidence_each_event(const struct jr_evidence *ev, const char *kind,
                                                   struct jr_str namespace, struct jr_str name,
                                                   bool prefix, size_t *at)
{
    const struct jr_event_view key = {
        .kind = jr_str(kind), .namespace = namespace, .name = name, .last = { INT64_MAX }
    };
    const struct jr_event_view *e;

    if (*at == 0)
        *at = lower_bound(ev->events.v, ev->events.n, sizeof(*ev->events.v), &key, compare_events);
    if (*at >= ev->events.n)
        return NULL;
    e = &ev->events.v[(*at)++];
    if (!jr_str_is(e->kind, kind) || !jr_str_eq(e->namespace, namespace))
        return NULL;
    return (prefix ? jr_str_starts(e->name, name) : jr_str_eq(e->name, name)) ? e : NULL;
}

struct jr_time jr_evidence_newest(const struct jr_evidence *ev)
{
    struct jr_time t = { 0 };

    for (size_t i = 0; i < ev->events.n; i++)
        t = latest(t, ev->events.v[i].last);
    for (size_t i = 0; i < ev->jobs.n; i++) {
        const struct jr_job *j = ev->jobs.v[i];

        t = latest(latest(t, j->meta.creation_timestamp), j->status.start_time);
        for (size_t k = 0; k < j->status.conditions.n; k++)
            t = latest(t, j->status.conditions.v[k].last_transition_time);
    }
    for (size_t i = 0; i < ev->pods.n; i++) {
        const struct jr_pod_view *pod = ev->pods.v[i];

        t = latest(t, pod->meta.creation_timestamp);
        for (size_t k = 0; k < pod->conditions.n; k++)
            t = latest(t, pod->conditions.v[k].since);
    }
    for (size_t i = 0; i < ev->objects.n; i++) {
        struct jr_time created;

        if (jr_time_parse_served(
                jr_get_str(jr_get(ev->objects.v[i].view.root, "metadata"), "creationTimestamp"),
                &created) == JR_OK)
            t = latest(t, created);
    }
    return t;
}
