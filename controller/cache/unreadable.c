/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that can't be read, sorted by resource, namespace and name. */
#include "controller/cache/unreadable.h"

#include "common/base/memory.h"

struct entry {
    struct jr_unreadable x;
    struct jr_arena arena; /* of what x points at */
};

struct jr_unreadables {
    struct jr_metrics *metrics;
    struct entry *v[JR_UNREADABLE_MAX]; /* by resource, namespace and name */
    size_t n;
};

static const struct jr_metric_desc total = JR_METRIC(
    COUNTER, "jobreeve_unreadable_objects_total",
    "Objects of the API server that could not be read, each version once.", "resource", NULL);
static const struct jr_metric_desc standing =
    JR_METRIC(GAUGE, "jobreeve_unreadable_objects", "Objects of the API server that can't be read.",
              "resource", NULL);

struct jr_unreadables *jr_unreadables_new(struct jr_metrics *metrics)
{
    struct jr_unreadables *u = jr_xcalloc(1, sizeof(*u));

    u->metrics = metrics;
    return u;
}

static void entry_free(struct entry *e)
{
    jr_arena_done(&e->arena);
    free(e);
}

void jr_unreadables_free(struct jr_unreadables *u)
{
    if (u == NULL)
        return;
    for (size_t i = 0; i < u->n; i++)
        entry_free(u->v[i]);
    free(u);
}

void jr_unreadables_declare(struct jr_unreadables *u, const char *resource)
{
    jr_metrics_declare(u->metrics, &total, &resource);
    jr_metrics_declare(u->metrics, &standing, &resource);
}

static void show_count(const struct jr_unreadables *u, const char *resource)
{
    size_t n = 0;

    for (size_t i = 0; i < u->n; i++)
        n += strcmp(u->v[i]->x.resource, resource) == 0;
    jr_metrics_set(u->metrics, &standing, &resource, (double)n);
}

static void log_unreadable(const struct jr_unreadables *u, const char *resource,
                           const struct jr_object_id *id, const struct jr_error *why,
                           struct jr_log *log)
{
    jr_metrics_add(u->metrics, &total, &resource, 1);
    jr_err(log, "object not understood", JR_CSTR("resource", resource),
           JR_STR("namespace", id->namespace), JR_STR("name", id->name), JR_STR("uid", id->uid),
           JR_STR("resourceVersion", id->resource_version), JR_ERR(why));
}

/** Where the object of that name stands, or has to. */
static size_t find_place(const struct jr_unreadables *u, const char *resource,
                         struct jr_str namespace, struct jr_str name, bool *ret_there)
{
    size_t lo = 0, hi = u->n;

    *ret_there = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct jr_unreadable *x = &u->v[mid]->x;
        int c = strcmp(x->resource, resource);

        if (c == 0)
            c = jr_str_cmp(x->id.namespace, namespace);
        if (c == 0)
            c = jr_str_cmp(x->id.name, name);
        if (c == 0) {
            *ret_there = true;
            return mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/** A copy; of an absent text none. */
static struct jr_str keep_text(struct entry *e, struct jr_str s)
{
    return s.p == NULL ? s : jr_xarena_str(&e->arena, s);
}

static struct entry *entry_new(const char *resource, const struct jr_object_id *id,
                               const struct jr_error *why, bool hidden)
{
    struct entry *e = jr_xcalloc(1, sizeof(*e));

    jr_arena_init(&e->arena, 0);
    e->x =
        (struct jr_unreadable){ .resource = resource,
                                .id = { .namespace = keep_text(e, id->namespace),
                                        .name = keep_text(e, id->name),
                                        .uid = keep_text(e, id->uid),
                                        .resource_version = keep_text(e, id->resource_version),
                                        .controller_name = keep_text(e, id->controller_name),
                                        .controller_uid = keep_text(e, id->controller_uid) },
                                .why = jr_xarena_text(&e->arena, "%s%s%s", why->path,
                                                      why->path[0] == '\0' ? "" : ": ", why->msg),
                                .hidden = hidden,
                                .seen = true };
    return e;
}

static void take_out(struct jr_unreadables *u, size_t at)
{
    entry_free(u->v[at]);
    u->n--;
    memmove(u->v + at, u->v + at + 1, (u->n - at) * sizeof(struct entry *));
}

static bool is_same(const struct jr_object_id *a, const struct jr_object_id *b)
{
    return jr_str_eq(a->uid, b->uid) && jr_str_eq(a->resource_version, b->resource_version);
}

void jr_unreadables_add(struct jr_unreadables *u, const char *resource,
                        const struct jr_object_id *id, const struct jr_error *why, bool hidden,
                        struct jr_log *log)
{
    bool there;
    size_t at = find_place(u, resource, id->namespace, id->name, &there);

    if (there && (id->name.n == 0 || is_same(&u->v[at]->x.id, id))) {
        u->v[at]->x.seen = true;
        u->v[at]->x.hidden = hidden;
        return;
    }
    log_unreadable(u, resource, id, why, log);
    if (!there && u->n == JR_UNREADABLE_MAX)
        return;
    if (there) {
        entry_free(u->v[at]);
    } else {
        memmove(u->v + at + 1, u->v + at, (u->n - at) * sizeof(struct entry *));
        u->n++;
    }
    u->v[at] = entry_new(resource, id, why, hidden);
    show_count(u, resource);
}

const struct jr_unreadable *jr_unreadables_get(const struct jr_unreadables *u, const char *resource,
                                               struct jr_str namespace, struct jr_str name)
{
    bool there;
    size_t at = find_place(u, resource, namespace, name, &there);

    return there ? &u->v[at]->x : NULL;
}

void jr_unreadables_remove(struct jr_unreadables *u, const char *resource, struct jr_str namespace,
                           struct jr_str name)
{
    bool there;
    size_t at = find_place(u, resource, namespace, name, &there);

    if (!there)
        return;
    take_out(u, at);
    show_count(u, resource);
}

static bool is_in(const struct jr_unreadable *x, const char *resource, struct jr_str namespace)
{
    return strcmp(x->resource, resource) == 0 &&
           (namespace.p == NULL || x->id.name.n == 0 || jr_str_eq(x->id.namespace, namespace));
}

void jr_unreadables_begin(struct jr_unreadables *u, const char *resource, struct jr_str namespace)
{
    for (size_t i = 0; i < u->n; i++) {
        if (is_in(&u->v[i]->x, resource, namespace))
            u->v[i]->x.seen = false;
    }
}

void jr_unreadables_sweep(struct jr_unreadables *u, const char *resource, struct jr_str namespace,
                          void (*fn)(void *ctx, const struct jr_unreadable *x), void *ctx)
{
    for (size_t i = u->n; i-- > 0;) {
        if (u->v[i]->x.seen || !is_in(&u->v[i]->x, resource, namespace))
            continue;
        fn(ctx, &u->v[i]->x);
        take_out(u, i);
    }
    show_count(u, resource);
}

/** Whether it is the Job, or controlled by it. */
static bool is_of(const struct jr_unreadable *x, const struct jr_object_key *key)
{
    if (!jr_str_eq(x->id.namespace, key->namespace))
        return false;
    if (strcmp(x->resource, "jobs") == 0)
        return jr_str_eq(x->id.name, key->name);
    return strcmp(x->resource, "pods") == 0 && jr_str_eq(x->id.controller_name, key->name) &&
           (key->uid.n == 0 || jr_str_eq(x->id.controller_uid, key->uid));
}

void jr_unreadables_each_of(const struct jr_unreadables *u, const struct jr_object_key *key,
                            void (*fn)(void *ctx, const struct jr_unreadable *x), void *ctx)
{
    for (size_t i = 0; i < u->n; i++) {
        if (is_of(&u->v[i]->x, key))
            fn(ctx, &u->v[i]->x);
    }
}

bool jr_unreadables_hold(const struct jr_unreadables *u, const struct jr_object_key *key)
{
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        const struct jr_unreadable *x = &u->v[i]->x;

        if (is_of(x, key) && (x->hidden || strcmp(x->resource, "jobs") == 0))
            return true;
    }
    return false;
}

bool jr_unreadables_has_job(const struct jr_unreadables *u, struct jr_str namespace,
                            struct jr_str uid)
{
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        const struct jr_unreadable *x = &u->v[i]->x;

        if (strcmp(x->resource, "jobs") == 0 && jr_str_eq(x->id.uid, uid) &&
            jr_str_eq(x->id.namespace, namespace))
            return true;
    }
    return false;
}
