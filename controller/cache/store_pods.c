/* SPDX-License-Identifier: Apache-2.0 */
/* The store's indexes of Pods. */
#include "common/rules/selector.h"
#include "controller/cache/store_parts.h"

struct jr_pod_entry {
    struct jr_cache_entry entry;
    struct jr_owner *owner;             /* NULL: an orphan without the label */
    TAILQ_ENTRY(jr_pod_entry) of_owner; /* owned, or an orphan that bears the label */
    TAILQ_ENTRY(jr_pod_entry) in_space; /* of the orphans; tqe_prev is NULL for others */
};
/* There are a hundred thousand of them: one word more takes 16 bytes each of malloc's. */
_Static_assert(sizeof(struct jr_pod_entry) <= 72, "an entry of the cache has grown");

/** Pods that belong to a uid, by owner reference or, without any, by the label that a generated
 * selector asks for. */
struct jr_owner {
    struct jr_keyed keyed;
    struct jr_pod_entries owned;
    struct jr_pod_entries labelled;
};

/* ---- lists of Pods ---- */

void jr_pod_list_add(struct jr_pod_list *l, const struct jr_pod *pod)
{
    l->v = jr_xvec_room(l->v, l->n, &l->cap, sizeof(struct jr_pod *));
    l->v[l->n++] = jr_pod_ref(pod);
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
    const struct jr_object_key key = jr_object_key_of_text(uid);

    return jr_keyed_find(&s->owners, &key);
}

static struct jr_owner *need_owner(struct jr_store *s, struct jr_str uid)
{
    const struct jr_object_key key = jr_object_key_of_text(uid);
    struct jr_owner *o = find_owner(s, uid);

    if (o != NULL)
        return o;
    o = jr_keyed_need(&s->owners, sizeof(*o), &key);
    TAILQ_INIT(&o->owned);
    TAILQ_INIT(&o->labelled);
    return o;
}

static void drop_owner(struct jr_store *s, struct jr_owner *o)
{
    if (TAILQ_EMPTY(&o->owned) && TAILQ_EMPTY(&o->labelled))
        jr_keyed_drop(&s->owners, o);
}

/* ---- Pods ---- */

JR_CACHE_TYPE(pod)

static struct jr_object_key pod_key(const void *object)
{
    const struct jr_pod *pod = object;

    return (struct jr_object_key){ pod->namespace, pod->name, pod->uid };
}

bool jr_store_wants(const struct jr_store *s, const struct jr_pod *pod)
{
    return !pod->controller.set || jr_pod_controller_is(pod, "Job") ||
           jr_pod_has_finalizer(pod, s->finalizer);
}

static const void *choose_pod(const struct jr_cache *c, const void *known, const void *new)
{
    (void)known;
    return jr_store_wants(c->owner, new) ? new : NULL;
}

const struct jr_pod *jr_store_pod(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name)
{
    return jr_cache_get(&s->caches[JR_STORE_PODS], namespace, name);
}

/** The uid under which the Pod stands in the index; n = 0: under none. */
static struct jr_str owner_uid(const struct jr_pod *pod)
{
    return pod->controller.set ? jr_pod_str(pod, pod->controller.uid)
                               : jr_pod_label(pod, JR_S(JR_LABEL_CONTROLLER_UID));
}

static bool is_orphan(const struct jr_pod_entry *e)
{
    return e->in_space.tqe_prev != NULL;
}

static void unindex_pod(struct jr_store *s, struct jr_pod_entry *e, const struct jr_pod *pod)
{
    if (e->owner != NULL) {
        TAILQ_REMOVE(is_orphan(e) ? &e->owner->labelled : &e->owner->owned, e, of_owner);
        drop_owner(s, e->owner);
    }
    if (is_orphan(e)) {
        struct jr_space *sp = jr_store_find_space(s, pod->namespace);

        TAILQ_REMOVE(&sp->orphans, e, in_space);
        jr_store_drop_space(s, sp);
    }
    e->owner = NULL;
    e->in_space.tqe_prev = NULL;
}

static void index_pod(struct jr_cache *c, struct jr_cache_entry *entry, const void *before)
{
    struct jr_pod_entry *e = jr_of(entry, struct jr_pod_entry, entry);
    const struct jr_pod *pod = entry->object, *old = before;
    struct jr_store *s = c->owner;

    if (old != NULL && pod != NULL && pod->controller.set == old->controller.set &&
        jr_str_eq(owner_uid(pod), owner_uid(old)))
        return;
    if (old != NULL)
        unindex_pod(s, e, old);
    if (pod == NULL)
        return;
    if (!pod->controller.set)
        TAILQ_INSERT_TAIL(&jr_store_need_space(s, pod->namespace)->orphans, e, in_space);
    if (owner_uid(pod).n > 0) {
        e->owner = need_owner(s, owner_uid(pod));
        TAILQ_INSERT_TAIL(is_orphan(e) ? &e->owner->labelled : &e->owner->owned, e, of_owner);
    }
}

const struct jr_cache_kind jr_store_pods_kind = { .resource = "pods",
                                                  JR_CACHE_FUNCTIONS(pod),
                                                  .key = pod_key,
                                                  .entry_size = sizeof(struct jr_pod_entry),
                                                  .choose = choose_pod,
                                                  .index = index_pod };

static void add_if_matching(struct jr_pod_list *out, const struct jr_cache_entry *e,
                            struct jr_str namespace, const struct jr_selector *sel)
{
    const struct jr_pod *pod = e->object;

    if (jr_str_eq(pod->namespace, namespace) && jr_selector_matches_pod(sel, pod))
        jr_pod_list_add(out, pod);
}

/** Appends those of a uid's Pods that are in the namespace and match. */
static void add_of_owner(struct jr_pod_list *out, const struct jr_pod_entries *of,
                         struct jr_str namespace, const struct jr_selector *sel)
{
    const struct jr_pod_entry *e;

    TAILQ_FOREACH(e, of, of_owner)
    {
        add_if_matching(out, &e->entry, namespace, sel);
    }
}

/** Those Pods without a controller that the Job's selector can match. */
static void add_orphans(const struct jr_store *s, const struct jr_job *job,
                        const struct jr_owner *o, struct jr_pod_list *out)
{
    const struct jr_selector *sel = &job->spec.selector;
    const struct jr_space *sp;
    const struct jr_pod_entry *e;

    if (!jr_selector_valid(sel))
        return;
    if (jr_str_eq(jr_store_generated_uid(sel), job->meta.uid)) {
        if (o != NULL)
            add_of_owner(out, &o->labelled, job->meta.namespace, sel);
        return;
    }
    sp = jr_store_find_space(s, job->meta.namespace);
    if (sp == NULL)
        return;
    TAILQ_FOREACH(e, &sp->orphans, in_space)
    {
        add_if_matching(out, &e->entry, job->meta.namespace, sel);
    }
}

void jr_store_candidates(const struct jr_store *s, const struct jr_job *job,
                         struct jr_pod_list *out)
{
    const struct jr_owner *o = find_owner(s, job->meta.uid);
    const struct jr_pod_entry *e = o == NULL ? NULL : TAILQ_FIRST(&o->owned);

    for (; e != NULL; e = TAILQ_NEXT(e, of_owner)) {
        const struct jr_pod *pod = e->entry.object;

        if (jr_str_eq(pod->namespace, job->meta.namespace))
            jr_pod_list_add(out, pod);
    }
    add_orphans(s, job, o, out);
}

void jr_store_select(const struct jr_store *s, struct jr_str namespace,
                     const struct jr_selector *selector, struct jr_pod_list *out)
{
    const struct jr_cache *pods = &s->caches[JR_STORE_PODS];
    struct jr_str uid = jr_store_generated_uid(selector);

    if (!jr_selector_valid(selector))
        return;
    if (uid.n > 0) {
        const struct jr_owner *o = find_owner(s, uid);

        if (o == NULL)
            return;
        add_of_owner(out, &o->owned, namespace, selector);
        add_of_owner(out, &o->labelled, namespace, selector);
        return;
    }
    for (const struct jr_cache_entry *e = jr_cache_next(pods, NULL); e != NULL;
         e = jr_cache_next(pods, e))
        add_if_matching(out, e, namespace, selector);
}
