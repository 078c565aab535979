/* SPDX-License-Identifier: Apache-2.0 */
/* The expectations by Job, and the uids of its Pods of which something is awaited. */
#include "controller/work/expectations.h"

#include "common/kube/keyed.h"

/* What is known of a Pod's finalizer. */
enum removal {
    NONE,    /* nothing: the Pod is kept because it was adopted */
    AWAITED, /* its removal is under way, or not yet in the cache */
    COUNTED  /* nothing is under way, and the Pod isn't to be counted again: the server has lost it,
                the cache not yet, or an old patch may give it its finalizer back */
};

/** A Pod, by its uid. */
struct awaited {
    struct jr_keyed keyed;
    enum removal removal;
    bool adopted;
    bool succeeded; /* its index is recorded, and its finalizer couldn't be removed */
};

struct record {
    struct jr_keyed keyed;
    struct jr_expect_counts counts;
    uint64_t serial;
    struct jr_mono since;
    struct jr_map awaited;
    struct jr_map finalizer_lost; /* of struct awaited as well */
};

struct jr_expectations {
    struct jr_map records;
    uint64_t serial; /* of the last setting */
};

static struct record *find_record(const struct jr_expectations *e, const struct jr_object_key *key)
{
    return jr_keyed_find_uid(&e->records, key);
}

static void free_uids(void *record)
{
    struct record *r = record;

    jr_keyed_done(&r->awaited, NULL);
    jr_keyed_done(&r->finalizer_lost, NULL);
}

static void drop_record(struct jr_expectations *e, struct record *r)
{
    free_uids(r);
    jr_keyed_drop(&e->records, r);
}

/** The Job's record, made where it is missing; one of an older Job of this name goes. */
static struct record *need_record(struct jr_expectations *e, const struct jr_object_key *key)
{
    struct record *r = find_record(e, key);

    if (r != NULL)
        return r;
    jr_expectations_drop(e, key->namespace, key->name);
    return jr_keyed_need(&e->records, sizeof(*r), key);
}

struct jr_expectations *jr_expectations_new(void)
{
    return jr_xcalloc(1, sizeof(struct jr_expectations));
}

void jr_expectations_free(struct jr_expectations *e)
{
    if (e == NULL)
        return;
    jr_keyed_done(&e->records, free_uids);
    free(e);
}

void jr_expectations_set(struct jr_expectations *e, const struct jr_object_key *key, int32_t add,
                         int32_t del, struct jr_mono now)
{
    struct record *r = need_record(e, key);

    r->counts = (struct jr_expect_counts){ true, add, del };
    r->serial = ++e->serial;
    r->since = now;
}

/** Every update of a terminating Pod is one deletion more: stop at the end of the type. */
static int32_t minus(int32_t a, int32_t b)
{
    int32_t v;

    return __builtin_sub_overflow(a, b, &v) ? INT32_MIN : v;
}

void jr_expectations_lower(struct jr_expectations *e, const struct jr_object_key *key, int32_t add,
                           int32_t del)
{
    struct record *r = find_record(e, key);

    if (r == NULL || !r->counts.set)
        return;
    r->counts.add = minus(r->counts.add, add);
    r->counts.del = minus(r->counts.del, del);
}

int64_t jr_expectations_left(const struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_mono now)
{
    const struct record *r = find_record(e, key);
    int64_t age;

    if (r == NULL || !r->counts.set || (r->counts.add <= 0 && r->counts.del <= 0))
        return 0;
    age = now.ns - r->since.ns;
    return age > JR_EXPECTATIONS_TIMEOUT_NS ? 0 : JR_EXPECTATIONS_TIMEOUT_NS - age + 1;
}

bool jr_expectations_satisfied(const struct jr_expectations *e, const struct jr_object_key *key,
                               struct jr_mono now)
{
    return jr_expectations_left(e, key, now) == 0;
}

struct jr_expect_counts jr_expectations_get(const struct jr_expectations *e,
                                            const struct jr_object_key *key)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? (struct jr_expect_counts){ 0 } : r->counts;
}

uint64_t jr_expectations_serial(const struct jr_expectations *e, const struct jr_object_key *key)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? 0 : r->serial;
}

void jr_expectations_clear(struct jr_expectations *e, const struct jr_object_key *key,
                           uint64_t serial)
{
    struct record *r = find_record(e, key);

    if (r != NULL && r->serial == serial)
        r->counts = (struct jr_expect_counts){ 0 };
}

/* ---- Pods ---- */

static struct awaited *find_pod(const struct jr_map *m, struct jr_str pod_uid)
{
    const struct jr_object_key key = jr_object_key_of_text(pod_uid);

    return jr_keyed_find(m, &key);
}

static struct awaited *need_pod(struct jr_map *m, struct jr_str pod_uid)
{
    const struct jr_object_key key = jr_object_key_of_text(pod_uid);

    return jr_keyed_need(m, sizeof(struct awaited), &key);
}

static void drop_pod(struct jr_map *m, struct jr_str pod_uid)
{
    struct awaited *a = find_pod(m, pod_uid);

    if (a == NULL)
        return;
    jr_keyed_drop(m, a);
    if (m->n == 0)
        jr_map_done(m);
}

static bool is_awaited(const struct awaited *a)
{
    return a->removal == AWAITED;
}

static bool is_awaited_or_gone(const struct awaited *a)
{
    return a->removal != NONE;
}

static bool has_succeeded(const struct awaited *a)
{
    return a->succeeded;
}

static struct jr_strs copy_uids(const struct jr_map *m, bool (*test)(const struct awaited *a),
                                struct jr_arena *arena)
{
    struct jr_strs out = { NULL, 0 };

    if (m->n == 0)
        return out;
    out.v = jr_xarena_calloc(arena, m->n, sizeof(*out.v));
    for (struct jr_link *l = jr_map_next(m, NULL); l != NULL; l = jr_map_next(m, l)) {
        const struct awaited *a = jr_of(l, struct awaited, keyed.link);

        if (test(a))
            out.v[out.n++] = jr_xarena_str(arena, jr_keyed_key(a).name);
    }
    return out;
}

static struct awaited *find_awaited(const struct jr_expectations *e,
                                    const struct jr_object_key *key, struct jr_str pod_uid)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? NULL : find_pod(&r->awaited, pod_uid);
}

void jr_expectations_await(struct jr_expectations *e, const struct jr_object_key *key,
                           struct jr_str pod_uid)
{
    need_pod(&need_record(e, key)->awaited, pod_uid)->removal = AWAITED;
}

void jr_expectations_gone(struct jr_expectations *e, const struct jr_object_key *key,
                          struct jr_str pod_uid)
{
    need_pod(&need_record(e, key)->awaited, pod_uid)->removal = COUNTED;
}

void jr_expectations_adopted(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid)
{
    need_pod(&need_record(e, key)->awaited, pod_uid)->adopted = true;
}

void jr_expectations_lost(struct jr_expectations *e, const struct jr_object_key *key,
                          struct jr_str pod_uid)
{
    struct record *r = find_record(e, key);

    if (r != NULL)
        drop_pod(&r->awaited, pod_uid);
}

bool jr_expectations_awaits(const struct jr_expectations *e, const struct jr_object_key *key,
                            struct jr_str pod_uid)
{
    const struct awaited *a = find_awaited(e, key, pod_uid);

    return a != NULL && a->removal == AWAITED;
}

void jr_expectations_unawait(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid)
{
    struct awaited *a = find_awaited(e, key, pod_uid);

    if (a == NULL || !a->adopted)
        jr_expectations_lost(e, key, pod_uid);
    else if (a->removal == AWAITED)
        a->removal = NONE;
}

void jr_expectations_removed(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid)
{
    struct awaited *a = find_awaited(e, key, pod_uid);

    if (a != NULL && a->adopted && a->removal == AWAITED)
        a->removal = COUNTED;
    else
        jr_expectations_unawait(e, key, pod_uid);
}

struct jr_strs jr_expectations_awaited(const struct jr_expectations *e,
                                       const struct jr_object_key *key, bool with_gone,
                                       struct jr_arena *arena)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? (struct jr_strs){ 0 }
                     : copy_uids(&r->awaited, with_gone ? is_awaited_or_gone : is_awaited, arena);
}

void jr_expectations_succeeded(struct jr_expectations *e, const struct jr_object_key *key,
                               struct jr_str pod_uid)
{
    need_pod(&need_record(e, key)->awaited, pod_uid)->succeeded = true;
}

struct jr_strs jr_expectations_all_succeeded(const struct jr_expectations *e,
                                             const struct jr_object_key *key,
                                             struct jr_arena *arena)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? (struct jr_strs){ 0 } : copy_uids(&r->awaited, has_succeeded, arena);
}

void jr_expectations_finalizer_lost(struct jr_expectations *e, const struct jr_object_key *key,
                                    struct jr_str pod_uid)
{
    need_pod(&need_record(e, key)->finalizer_lost, pod_uid)->removal = AWAITED;
}

void jr_expectations_forget_finalizer_lost(struct jr_expectations *e,
                                           const struct jr_object_key *key, struct jr_str pod_uid)
{
    struct record *r = find_record(e, key);

    if (r != NULL)
        drop_pod(&r->finalizer_lost, pod_uid);
}

struct jr_strs jr_expectations_finalizers_lost(const struct jr_expectations *e,
                                               const struct jr_object_key *key,
                                               struct jr_arena *arena)
{
    const struct record *r = find_record(e, key);

    return r == NULL ? (struct jr_strs){ 0 } : copy_uids(&r->finalizer_lost, is_awaited, arena);
}

void jr_expectations_drop(struct jr_expectations *e, struct jr_str namespace, struct jr_str name)
{
    struct record *r =
        jr_keyed_find(&e->records, &(struct jr_object_key){ namespace, name, { 0 } });

    if (r != NULL)
        drop_record(e, r);
}

void jr_expectations_trim(struct jr_expectations *e, const struct jr_object_key *key)
{
    struct record *r = find_record(e, key);

    if (r != NULL && r->counts.add <= 0 && r->counts.del <= 0 && r->awaited.n == 0)
        drop_record(e, r);
}

size_t jr_expectations_count(const struct jr_expectations *e)
{
    return e->records.n;
}
