#include "controller/store_parts.h"

#include "common/base/hash.h"
#include "common/base/vec.h"
#include "common/rules/selector.h"

/* ---- lists of Pods ---- */

enum jr_status jr_pod_list_add(struct jr_pod_list *l, const struct jr_pod *pod)
{
    struct jr_pod **v = jr_vec_room(l->v, l->n, &l->cap, sizeof(struct jr_pod *));

    if (v == NULL)
        return JR_NOMEM;
    l->v = v;
    l->v[l->n++] = jr_pod_ref(pod);
    return JR_OK;
}

void jr_pod_list_done(struct jr_pod_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        jr_pod_unref(l->v[i]);
    free(l->v);
    *l = (struct jr_pod_list){ 0 };
}

/* ---- owners ---- */

static struct jr_owner *find_owner(const struct jr_store *s, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&s->owners, jr_hash(uid));

    for (; l != NULL; l = jr_map_again(l)) {
        struct jr_owner *o = jr_of(l, struct jr_owner, link);

        if (jr_str_eq((struct jr_str){ o->uid, o->uid_n }, uid))
            return o;
    }
    return NULL;
}

static struct jr_owner *need_owner(struct jr_store *s, struct jr_str uid)
{
    struct jr_owner *o = find_owner(s, uid);

    if (o != NULL)
        return o;
    o = malloc(sizeof(*o) + uid.n);
    if (o == NULL)
        return NULL;
    TAILQ_INIT(&o->owned);
    TAILQ_INIT(&o->labelled);
    o->uid_n = uid.n;
    memcpy(o->uid, uid.p, uid.n);
    if (jr_map_add(&s->owners, &o->link, jr_hash(uid)) != JR_OK) {
        free(o);
        return NULL;
    }
    return o;
}

static void drop_owner(struct jr_store *s, struct jr_owner *o)
{
    if (o == NULL || !TAILQ_EMPTY(&o->owned) || !TAILQ_EMPTY(&o->labelled))
        return;
    jr_map_remove(&s->owners, &o->link);
    free(o);
}

/* ---- Pods ---- */

static struct jr_pod_entry *find_pod(const struct jr_store *s, struct jr_str namespace,
                                     struct jr_str name)
{
    struct jr_link *l = jr_map_first(&s->pods, jr_map_hash2(namespace, name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct jr_pod_entry *e = jr_of(l, struct jr_pod_entry, by_key);

        if (jr_str_eq(e->pod->name, name) && jr_str_eq(e->pod->namespace, namespace))
            return e;
    }
    return NULL;
}

bool jr_store_wants(const struct jr_store *s, const struct jr_pod *pod)
{
    return !pod->controller.set || jr_pod_controller_is(pod, "Job") ||
           jr_pod_has_finalizer(pod, s->finalizer);
}

const struct jr_pod *jr_store_pod(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name)
{
    const struct jr_pod_entry *e = find_pod(s, namespace, name);

    return e == NULL ? NULL : e->pod;
}

/** The uid under which the Pod stands in the index; n = 0: under none. */
static struct jr_str owner_uid(const struct jr_pod *pod)
{
    return pod->controller.set ? pod->controller.uid
                               : jr_pod_label(pod, JR_S(JR_LABEL_CONTROLLER_UID));
}

static bool is_orphan(const struct jr_pod_entry *e)
{
    return e->in_space.tqe_prev != NULL;
}

static void unindex_pod(struct jr_store *s, struct jr_pod_entry *e)
{
    if (e->owner != NULL) {
        if (is_orphan(e))
            TAILQ_REMOVE(&e->owner->labelled, e, of_owner);
        else
            TAILQ_REMOVE(&e->owner->owned, e, of_owner);
        drop_owner(s, e->owner);
        e->owner = NULL;
    }
    if (is_orphan(e)) {
        struct jr_space *sp = jr_store_find_space(s, e->pod->namespace);

        if (sp != NULL)
            TAILQ_REMOVE(&sp->orphans, e, in_space);
        jr_store_drop_space(s, sp);
        e->in_space.tqe_prev = NULL;
    }
}

static enum jr_status index_pod(struct jr_store *s, struct jr_pod_entry *e)
{
    const struct jr_pod *pod = e->pod;
    struct jr_str uid = owner_uid(pod);

    e->owner = NULL;
    e->in_space.tqe_prev = NULL;
    if (uid.n > 0) {
        e->owner = need_owner(s, uid);
        if (e->owner == NULL)
            return JR_NOMEM;
    }
    if (!pod->controller.set) {
        struct jr_space *sp = jr_store_need_space(s, pod->namespace);

        if (sp == NULL) {
            drop_owner(s, e->owner);
            e->owner = NULL;
            return JR_NOMEM;
        }
        TAILQ_INSERT_TAIL(&sp->orphans, e, in_space);
    }
    if (e->owner != NULL && is_orphan(e))
        TAILQ_INSERT_TAIL(&e->owner->labelled, e, of_owner);
    else if (e->owner != NULL)
        TAILQ_INSERT_TAIL(&e->owner->owned, e, of_owner);
    return JR_OK;
}

static enum jr_status add_pod(struct jr_store *s, const struct jr_pod *pod)
{
    struct jr_pod_entry *e = calloc(1, sizeof(*e));

    if (e == NULL)
        return JR_NOMEM;
    e->pod = jr_pod_ref(pod);
    e->by_key.seen = s->round;
    if (index_pod(s, e) == JR_OK) {
        if (jr_map_add(&s->pods, &e->by_key, jr_map_hash2(pod->namespace, pod->name)) == JR_OK)
            return JR_OK;
        unindex_pod(s, e);
    }
    jr_pod_unref(e->pod);
    free(e);
    return JR_NOMEM;
}

static struct jr_pod *take_pod(struct jr_store *s, struct jr_pod_entry *e)
{
    struct jr_pod *pod = e->pod;

    unindex_pod(s, e);
    jr_map_remove(&s->pods, &e->by_key);
    free(e);
    return pod;
}

bool jr_store_see_pod(struct jr_store *s, struct jr_str namespace, struct jr_str name)
{
    struct jr_pod_entry *e = find_pod(s, namespace, name);

    if (e != NULL)
        e->by_key.seen = s->round;
    return e != NULL;
}

enum jr_status jr_store_each_pod(const struct jr_store *s,
                                 enum jr_status (*fn)(void *ctx, const struct jr_pod *pod),
                                 void *ctx)
{
    enum jr_status st = JR_OK;

    for (struct jr_link *l = jr_map_next(&s->pods, NULL); st == JR_OK && l != NULL;
         l = jr_map_next(&s->pods, l))
        st = fn(ctx, jr_of(l, struct jr_pod_entry, by_key)->pod);
    return st;
}

enum jr_status jr_store_put_pod(struct jr_store *s, const struct jr_pod *pod,
                                struct jr_pod **ret_old)
{
    struct jr_pod_entry *e = find_pod(s, pod->namespace, pod->name);

    *ret_old = NULL;
    if (e == NULL)
        return add_pod(s, pod);
    *ret_old = e->pod;
    if (pod->controller.set == e->pod->controller.set &&
        jr_str_eq(owner_uid(pod), owner_uid(e->pod))) {
        e->pod = jr_pod_ref(pod);
        e->by_key.seen = s->round;
        return JR_OK;
    }
    unindex_pod(s, e);
    e->pod = jr_pod_ref(pod);
    e->by_key.seen = s->round;
    if (index_pod(s, e) == JR_OK)
        return JR_OK;
    jr_map_remove(&s->pods, &e->by_key);
    jr_pod_unref(e->pod);
    free(e);
    return JR_NOMEM;
}

void jr_store_remove_pod(struct jr_store *s, struct jr_str namespace, struct jr_str name,
                         struct jr_pod **ret_old)
{
    struct jr_pod_entry *e = find_pod(s, namespace, name);

    *ret_old = e == NULL ? NULL : take_pod(s, e);
}

/** Appends those of a chain, from e on, that are in the namespace and match. */
static enum jr_status add_matching(struct jr_pod_list *out, const struct jr_pod_entry *e,
                                   bool by_owner, struct jr_str namespace,
                                   const struct jr_selector *sel)
{
    enum jr_status st = JR_OK;

    if (!jr_selector_valid(sel))
        return JR_OK;
    while (st == JR_OK && e != NULL) {
        if (jr_str_eq(e->pod->namespace, namespace) && jr_selector_matches_pod(sel, e->pod))
            st = jr_pod_list_add(out, e->pod);
        e = by_owner ? TAILQ_NEXT(e, of_owner) : TAILQ_NEXT(e, in_space);
    }
    return st;
}

enum jr_status jr_store_candidates(const struct jr_store *s, const struct jr_job *job,
                                   struct jr_pod_list *out)
{
    const struct jr_selector *sel = &job->spec.selector;
    const struct jr_owner *o = find_owner(s, job->meta.uid);
    const struct jr_pod_entry *e = o == NULL ? NULL : TAILQ_FIRST(&o->owned);
    const struct jr_space *sp;
    enum jr_status st = JR_OK;

    for (; st == JR_OK && e != NULL; e = TAILQ_NEXT(e, of_owner)) {
        if (jr_str_eq(e->pod->namespace, job->meta.namespace))
            st = jr_pod_list_add(out, e->pod);
    }
    if (st != JR_OK)
        return st;
    if (jr_str_eq(jr_store_generated_uid(sel), job->meta.uid))
        return o == NULL
                   ? JR_OK
                   : add_matching(out, TAILQ_FIRST(&o->labelled), true, job->meta.namespace, sel);
    sp = jr_store_find_space(s, job->meta.namespace);
    return sp == NULL
               ? JR_OK
               : add_matching(out, TAILQ_FIRST(&sp->orphans), false, job->meta.namespace, sel);
}

enum jr_status jr_store_select(const struct jr_store *s, struct jr_str namespace,
                               const struct jr_selector *selector, struct jr_pod_list *out)
{
    struct jr_str uid = jr_store_generated_uid(selector);
    enum jr_status st = JR_OK;

    if (uid.n > 0) {
        const struct jr_owner *o = find_owner(s, uid);

        if (o == NULL)
            return JR_OK;
        st = add_matching(out, TAILQ_FIRST(&o->owned), true, namespace, selector);
        return st != JR_OK
                   ? st
                   : add_matching(out, TAILQ_FIRST(&o->labelled), true, namespace, selector);
    }
    if (!jr_selector_valid(selector))
        return JR_OK;
    for (struct jr_link *l = jr_map_next(&s->pods, NULL); st == JR_OK && l != NULL;
         l = jr_map_next(&s->pods, l)) {
        const struct jr_pod *pod = jr_of(l, struct jr_pod_entry, by_key)->pod;

        if (jr_str_eq(pod->namespace, namespace) && jr_selector_matches_pod(selector, pod))
            st = jr_pod_list_add(out, pod);
    }
    return st;
}

enum jr_status jr_store_sweep_pods(struct jr_store *s, const struct jr_store_round *round,
                                   enum jr_status (*fn)(void *ctx, const struct jr_pod *pod),
                                   void *ctx)
{
    enum jr_status st = JR_OK;
    struct jr_link *next;

    if (round->pods == 0) /* nothing can be missed */
        return JR_OK;
    for (struct jr_link *l = jr_map_next(&s->pods, NULL); st == JR_OK && l != NULL; l = next) {
        struct jr_pod_entry *e = jr_of(l, struct jr_pod_entry, by_key);

        next = jr_map_next(&s->pods, l);
        if (jr_store_missed(round, e->pod->namespace, e->by_key.seen)) {
            struct jr_pod *pod = take_pod(s, e);

            st = fn(ctx, pod);
            jr_pod_unref(pod);
        }
    }
    return st;
}
