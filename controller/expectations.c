#include "controller/expectations.h"

#include "common/base/hash.h"
#include "common/base/map.h"

/* What is known of a Pod's finalizer. */
enum removal {
    NONE,    /* nothing: the Pod is kept because it was adopted */
    AWAITED, /* its removal is under way, or not yet in the cache */
    COUNTED  /* nothing is under way, and the Pod isn't to be counted again: the server has lost it,
                the cache not yet, or an old patch may give it its finalizer back */
};

struct awaited {
    struct jr_link link;
    enum removal removal;
    bool adopted;
    size_t n;
    char uid[];
};

struct record {
    struct jr_link link;
    struct jr_expect_counts counts;
    uint64_t serial;
    struct jr_mono since;
    struct jr_map awaited;
    struct jr_map spared; /* of struct awaited as well */
    size_t namespace_n, name_n, uid_n;
    char text[]; /* namespace, name, uid */
};

struct jr_expectations {
    struct jr_map records;
    uint64_t serial; /* of the last setting */
};

static struct jr_str namespace_of(const struct record *r)
{
    return (struct jr_str){ r->text, r->namespace_n };
}

static struct jr_str name_of(const struct record *r)
{
    return (struct jr_str){ r->text + r->namespace_n, r->name_n };
}

static struct jr_str uid_of(const struct record *r)
{
    return (struct jr_str){ r->text + r->namespace_n + r->name_n, r->uid_n };
}

static struct record *find_name(const struct jr_expectations *e, struct jr_str namespace,
                                struct jr_str name)
{
    struct jr_link *l = jr_map_first(&e->records, jr_map_hash2(namespace, name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct record *r = jr_of(l, struct record, link);

        if (jr_str_eq(name_of(r), name) && jr_str_eq(namespace_of(r), namespace))
            return r;
    }
    return NULL;
}

static struct record *find(const struct jr_expectations *e, const struct jr_job_key *key)
{
    struct record *r = find_name(e, key->namespace, key->name);

    return r != NULL && jr_str_eq(uid_of(r), key->uid) ? r : NULL;
}

static struct awaited *find_uid(const struct jr_map *m, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(m, jr_hash(uid));

    for (; l != NULL; l = jr_map_again(l)) {
        struct awaited *a = jr_of(l, struct awaited, link);

        if (jr_str_eq((struct jr_str){ a->uid, a->n }, uid))
            return a;
    }
    return NULL;
}

static void free_uids(struct jr_map *m)
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(m, NULL); l != NULL; l = next) {
        next = jr_map_next(m, l);
        free(jr_of(l, struct awaited, link));
    }
    jr_map_done(m);
}

static void free_record(struct record *r)
{
    free_uids(&r->awaited);
    free_uids(&r->spared);
    free(r);
}

/** The Job's record, made where it is missing; one of an older Job of this name goes. */
static struct record *need(struct jr_expectations *e, const struct jr_job_key *key)
{
    struct record *r = find_name(e, key->namespace, key->name);
    char *to;

    if (r != NULL && jr_str_eq(uid_of(r), key->uid))
        return r;
    jr_expectations_drop(e, key->namespace, key->name);
    r = calloc(1, sizeof(*r) + key->namespace.n + key->name.n + key->uid.n);
    if (r == NULL)
        return NULL;
    r->namespace_n = key->namespace.n;
    r->name_n = key->name.n;
    r->uid_n = key->uid.n;
    to = r->text;
    to = key->namespace.n == 0 ? to : mempcpy(to, key->namespace.p, key->namespace.n);
    to = key->name.n == 0 ? to : mempcpy(to, key->name.p, key->name.n);
    if (key->uid.n > 0)
        memcpy(to, key->uid.p, key->uid.n);
    if (jr_map_add(&e->records, &r->link, jr_map_hash2(key->namespace, key->name)) != JR_OK) {
        free(r);
        return NULL;
    }
    return r;
}

enum jr_status jr_expectations_new(struct jr_expectations **ret)
{
    struct jr_expectations *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return JR_NOMEM;
    *ret = e;
    return JR_OK;
}

void jr_expectations_free(struct jr_expectations *e)
{
    struct jr_link *next;

    if (e == NULL)
        return;
    for (struct jr_link *l = jr_map_next(&e->records, NULL); l != NULL; l = next) {
        next = jr_map_next(&e->records, l);
        free_record(jr_of(l, struct record, link));
    }
    jr_map_done(&e->records);
    free(e);
}

enum jr_status jr_expectations_set(struct jr_expectations *e, const struct jr_job_key *key,
                                   int32_t add, int32_t del, struct jr_mono now)
{
    struct record *r = need(e, key);

    if (r == NULL)
        return JR_NOMEM;
    r->counts = (struct jr_expect_counts){ true, add, del };
    r->serial = ++e->serial;
    r->since = now;
    return JR_OK;
}

/** Every update of a terminating Pod is one deletion more: stop at the end of the type. */
static int32_t minus(int32_t a, int32_t b)
{
    int32_t v;

    return __builtin_sub_overflow(a, b, &v) ? INT32_MIN : v;
}

void jr_expectations_lower(struct jr_expectations *e, const struct jr_job_key *key, int32_t add,
                           int32_t del)
{
    struct record *r = find(e, key);

    if (r == NULL || !r->counts.set)
        return;
    r->counts.add = minus(r->counts.add, add);
    r->counts.del = minus(r->counts.del, del);
}

int64_t jr_expectations_left(const struct jr_expectations *e, const struct jr_job_key *key,
                             struct jr_mono now)
{
    const struct record *r = find(e, key);
    int64_t age;

    if (r == NULL || !r->counts.set || (r->counts.add <= 0 && r->counts.del <= 0))
        return 0;
    age = now.ns - r->since.ns;
    return age > JR_EXPECTATIONS_TIMEOUT_NS ? 0 : JR_EXPECTATIONS_TIMEOUT_NS - age + 1;
}

bool jr_expectations_satisfied(const struct jr_expectations *e, const struct jr_job_key *key,
                               struct jr_mono now)
{
    return jr_expectations_left(e, key, now) == 0;
}

struct jr_expect_counts jr_expectations_get(const struct jr_expectations *e,
                                            const struct jr_job_key *key)
{
    const struct record *r = find(e, key);

    return r == NULL ? (struct jr_expect_counts){ 0 } : r->counts;
}

uint64_t jr_expectations_serial(const struct jr_expectations *e, const struct jr_job_key *key)
{
    const struct record *r = find(e, key);

    return r == NULL ? 0 : r->serial;
}

void jr_expectations_clear(struct jr_expectations *e, const struct jr_job_key *key, uint64_t serial)
{
    struct record *r = find(e, key);

    if (r != NULL && r->serial == serial)
        r->counts = (struct jr_expect_counts){ 0 };
}

/** The Pod's entry, made where it is missing. */
static struct awaited *need_uid(struct jr_map *m, struct jr_str pod_uid)
{
    struct awaited *a = find_uid(m, pod_uid);

    if (a != NULL)
        return a;
    a = calloc(1, sizeof(*a) + pod_uid.n);
    if (a == NULL)
        return NULL;
    a->n = pod_uid.n;
    if (pod_uid.n > 0)
        memcpy(a->uid, pod_uid.p, pod_uid.n);
    if (jr_map_add(m, &a->link, jr_hash(pod_uid)) == JR_OK)
        return a;
    free(a);
    return NULL;
}

static enum jr_status keep_uid(struct jr_map *m, struct jr_str pod_uid, enum removal removal)
{
    struct awaited *a = need_uid(m, pod_uid);

    if (a == NULL)
        return JR_NOMEM;
    a->removal = removal;
    return JR_OK;
}

static void drop_uid(struct jr_map *m, struct jr_str pod_uid)
{
    struct awaited *a = find_uid(m, pod_uid);

    if (a == NULL)
        return;
    jr_map_remove(m, &a->link);
    free(a);
    if (m->n == 0)
        jr_map_done(m);
}

static enum jr_status copy_uids(const struct jr_map *m, bool with_gone, struct jr_arena *arena,
                                struct jr_strs *ret)
{
    struct jr_strs out = { 0 };

    if (m->n > 0) {
        out.v = jr_arena_calloc(arena, m->n, sizeof(*out.v));
        if (out.v == NULL)
            return JR_NOMEM;
    }
    for (struct jr_link *l = jr_map_next(m, NULL); l != NULL; l = jr_map_next(m, l)) {
        const struct awaited *a = jr_of(l, struct awaited, link);

        if (a->removal == NONE || (a->removal == COUNTED && !with_gone))
            continue;
        if (!jr_arena_str(arena, (struct jr_str){ a->uid, a->n }, &out.v[out.n++]))
            return JR_NOMEM;
    }
    *ret = out;
    return JR_OK;
}

static struct awaited *find_awaited(const struct jr_expectations *e, const struct jr_job_key *key,
                                    struct jr_str pod_uid)
{
    const struct record *r = find(e, key);

    return r == NULL ? NULL : find_uid(&r->awaited, pod_uid);
}

enum jr_status jr_expectations_await(struct jr_expectations *e, const struct jr_job_key *key,
                                     struct jr_str pod_uid)
{
    struct record *r = need(e, key);

    return r == NULL ? JR_NOMEM : keep_uid(&r->awaited, pod_uid, AWAITED);
}

enum jr_status jr_expectations_gone(struct jr_expectations *e, const struct jr_job_key *key,
                                    struct jr_str pod_uid)
{
    struct record *r = need(e, key);

    return r == NULL ? JR_NOMEM : keep_uid(&r->awaited, pod_uid, COUNTED);
}

enum jr_status jr_expectations_adopted(struct jr_expectations *e, const struct jr_job_key *key,
                                       struct jr_str pod_uid)
{
    struct record *r = need(e, key);
    struct awaited *a = r == NULL ? NULL : need_uid(&r->awaited, pod_uid);

    if (a == NULL)
        return JR_NOMEM;
    a->adopted = true;
    return JR_OK;
}

void jr_expectations_lost(struct jr_expectations *e, const struct jr_job_key *key,
                          struct jr_str pod_uid)
{
    struct record *r = find(e, key);

    if (r != NULL)
        drop_uid(&r->awaited, pod_uid);
}

bool jr_expectations_awaits(const struct jr_expectations *e, const struct jr_job_key *key,
                            struct jr_str pod_uid)
{
    const struct awaited *a = find_awaited(e, key, pod_uid);

    return a != NULL && a->removal == AWAITED;
}

void jr_expectations_unawait(struct jr_expectations *e, const struct jr_job_key *key,
                             struct jr_str pod_uid)
{
    struct awaited *a = find_awaited(e, key, pod_uid);

    if (a == NULL || !a->adopted)
        jr_expectations_lost(e, key, pod_uid);
    else if (a->removal == AWAITED)
        a->removal = NONE;
}

void jr_expectations_removed(struct jr_expectations *e, const struct jr_job_key *key,
                             struct jr_str pod_uid)
{
    struct awaited *a = find_awaited(e, key, pod_uid);

    if (a != NULL && a->adopted && a->removal == AWAITED)
        a->removal = COUNTED;
    else
        jr_expectations_unawait(e, key, pod_uid);
}

enum jr_status jr_expectations_awaited(const struct jr_expectations *e,
                                       const struct jr_job_key *key, bool with_gone,
                                       struct jr_arena *arena, struct jr_strs *ret)
{
    static const struct jr_map none;
    const struct record *r = find(e, key);

    return copy_uids(r == NULL ? &none : &r->awaited, with_gone, arena, ret);
}

enum jr_status jr_expectations_spare(struct jr_expectations *e, const struct jr_job_key *key,
                                     struct jr_str pod_uid)
{
    struct record *r = need(e, key);

    return r == NULL ? JR_NOMEM : keep_uid(&r->spared, pod_uid, AWAITED);
}

void jr_expectations_unspare(struct jr_expectations *e, const struct jr_job_key *key,
                             struct jr_str pod_uid)
{
    struct record *r = find(e, key);

    if (r != NULL)
        drop_uid(&r->spared, pod_uid);
}

enum jr_status jr_expectations_spared(const struct jr_expectations *e, const struct jr_job_key *key,
                                      struct jr_arena *arena, struct jr_strs *ret)
{
    static const struct jr_map none;
    const struct record *r = find(e, key);

    return copy_uids(r == NULL ? &none : &r->spared, false, arena, ret);
}

void jr_expectations_drop(struct jr_expectations *e, struct jr_str namespace, struct jr_str name)
{
    struct record *r = find_name(e, namespace, name);

    if (r == NULL)
        return;
    jr_map_remove(&e->records, &r->link);
    free_record(r);
}

void jr_expectations_trim(struct jr_expectations *e, const struct jr_job_key *key)
{
    struct record *r = find(e, key);

    if (r == NULL || r->counts.add > 0 || r->counts.del > 0 || r->awaited.n > 0)
        return;
    jr_map_remove(&e->records, &r->link);
    free_record(r);
}

size_t jr_expectations_count(const struct jr_expectations *e)
{
    return e->records.n;
}
