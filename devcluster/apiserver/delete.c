#include "devcluster/apiserver/delete.h"

#include "common/json/write.h"
#include "devcluster/apiserver/strategy.h"

#define ORPHAN "orphan"
#define FOREGROUND "foregroundDeletion"

void jr_dev_deleted_done(struct jr_dev_deleted *d)
{
    jr_dev_object_unref(d->object);
    d->object = NULL;
}

/* ---- what a deletion does to an object ---- */

/* A deletion under way. */
struct deletion {
    const struct jr_dev_object *object;
    const struct jr_dev_delete_options *options;
    struct jr_node *root;
    struct jr_node *meta;
    struct jr_time now;
    bool pending;    /* it is being deleted already, and nothing changes */
    bool graceful;   /* the grace period is written down */
    int64_t grace_s; /* that */
};

static enum jr_status set_deletion(struct deletion *d, struct jr_time when, int64_t grace_s)
{
    char text[JR_TIME_MAX];
    enum jr_status st =
        jr_set_str(d->meta, "deletionTimestamp", jr_str(jr_time_format(when, text)));

    return st == JR_OK ? jr_set_i64(d->meta, "deletionGracePeriodSeconds", grace_s) : st;
}

static enum jr_status raise_generation(struct deletion *d)
{
    if (d->object->meta.generation == 0)
        return JR_OK;
    return jr_set_i64(d->meta, "generation", d->object->meta.generation + 1);
}

/* A deletion that was asked for before: its grace period may only become shorter. */
static enum jr_status shorten(struct deletion *d)
{
    const struct jr_meta *meta = &d->object->meta;
    int64_t had = jr_i64_or(meta->deletion_grace_period_s, 0);
    int64_t want = d->options->grace_s.v;

    if (had == 0)
        return JR_OK;
    if (want < 0)
        want = 1;
    if (!d->options->grace_s.set || want >= had) {
        d->pending = true;
        return JR_OK;
    }
    d->graceful = true;
    d->grace_s = want;
    return set_deletion(d, jr_time_later_s(meta->deletion_timestamp, want - had), want);
}

/* The grace period of a Pod. */
static int64_t pod_grace(const struct deletion *d)
{
    const struct jr_node *spec = jr_get(d->root, "spec");
    struct jr_str phase = jr_get_str(jr_get(d->root, "status"), "phase");
    int64_t s = d->options->grace_s.set
                    ? d->options->grace_s.v
                    : jr_node_i64_or(jr_get(spec, "terminationGracePeriodSeconds"), 0);

    if (jr_get_str(spec, "nodeName").n == 0 || jr_str_is(phase, "Succeeded") ||
        jr_str_is(phase, "Failed"))
        return 0;
    return s < 0 ? 1 : s;
}

static enum jr_status begin_grace(struct deletion *d)
{
    enum jr_status st;

    if (!d->object->res->graceful)
        return JR_OK;
    if (jr_dev_object_dying(d->object))
        return shorten(d);
    d->graceful = true;
    d->grace_s = pod_grace(d);
    st = set_deletion(d, jr_time_later_s(d->now, d->grace_s), d->grace_s);
    return st == JR_OK ? raise_generation(d) : st;
}

/* ---- finalizers of the garbage collector ---- */

static bool orphans(const struct deletion *d)
{
    const struct jr_dev_delete_options *o = d->options;

    if (o->orphan.set)
        return o->orphan.v;
    if (o->policy.n > 0)
        return jr_str_is(o->policy, "Orphan");
    for (size_t i = 0; i < d->object->meta.finalizers.n; i++) {
        if (jr_str_is(d->object->meta.finalizers.v[i], ORPHAN))
            return true;
        if (jr_str_is(d->object->meta.finalizers.v[i], FOREGROUND))
            return false;
    }
    return d->object->res->orphans;
}

static bool foreground(const struct deletion *d)
{
    const struct jr_dev_delete_options *o = d->options;

    if (o->orphan.set)
        return false;
    if (o->policy.n > 0)
        return jr_str_is(o->policy, "Foreground");
    return jr_dev_object_has_finalizer(d->object, FOREGROUND);
}

static enum jr_status set_finalizers(struct deletion *d)
{
    static const char *const ours[] = { ORPHAN, FOREGROUND };
    const bool want[] = { orphans(d), foreground(d) };
    enum jr_status st = JR_OK;

    for (size_t k = 0; k < JR_ARRAY_SIZE(ours) && st == JR_OK; k++) {
        bool has = jr_dev_object_has_finalizer(d->object, ours[k]);
        struct jr_node *list = jr_get(d->meta, "finalizers");

        if (has && !want[k]) {
            size_t i = 0;
            for (const struct jr_node *f = jr_first(list);
                 f != NULL && !jr_str_is(jr_node_str(f), ours[k]); f = jr_next(f))
                i++;
            jr_remove_at(list, i);
            if (jr_size(list) == 0)
                jr_remove(d->meta, JR_S("finalizers"), NULL);
        } else if (!has && want[k]) {
            st = jr_ensure_array(d->meta, "finalizers", &list);
            if (st == JR_OK)
                st = jr_push_str(list, jr_str(ours[k]));
        }
    }
    return st;
}

/* Deletion without grace, but with finalizers. */
static enum jr_status mark(struct deletion *d)
{
    struct jr_time when = d->object->meta.deletion_timestamp;
    enum jr_status st = JR_OK;

    if (!jr_time_set(when))
        st = raise_generation(d);
    if (!jr_time_set(when) || jr_time_cmp(when, d->now) > 0)
        when = d->now;
    return st == JR_OK ? set_deletion(d, when, 0) : st;
}

/* A namespace waits for what is in it. */
static enum jr_status mark_namespace(struct deletion *d)
{
    char text[JR_TIME_MAX];
    struct jr_node *status;
    enum jr_status st;

    if (jr_dev_object_dying(d->object))
        return JR_OK;
    st = jr_set_str(d->meta, "deletionTimestamp", jr_str(jr_time_format(d->now, text)));
    if (st == JR_OK)
        st = jr_ensure_object(d->root, "status", &status);
    return st == JR_OK ? jr_set_str(status, "phase", JR_S("Terminating")) : st;
}

/* Changes the tree; *ret_remove: it can go now. */
static enum jr_status prepare(struct deletion *d, bool *ret_remove)
{
    enum jr_status st;
    bool held;

    *ret_remove = false;
    if (d->object->res->id == JR_DEV_NAMESPACES)
        return mark_namespace(d);
    st = begin_grace(d);
    if (st != JR_OK || d->pending)
        return st;
    st = set_finalizers(d);
    if (st != JR_OK)
        return st;
    held = jr_size(jr_get(d->meta, "finalizers")) > 0;
    if (held && !d->graceful)
        return mark(d);
    *ret_remove = !held && (!d->graceful || d->grace_s == 0);
    return JR_OK;
}

/* ---- carrying it out ---- */

/* Writes the changed tree, unless it is the same. */
static enum jr_status keep(struct jr_dev_store *s, struct jr_dev_object *o, struct deletion *d,
                           bool dry_run, struct jr_dev_deleted *ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *before = NULL;
    enum jr_status st = jr_dev_object_open(o, &before);

    if (st != JR_OK)
        return JR_NOMEM;
    if (jr_node_equal(d->root, jr_doc_root(before))) {
        ret->object = jr_dev_object_ref(o);
        return JR_OK;
    }
    if (dry_run)
        return jr_dev_object_new(o->res, d->root, o->revision, d->now, &ret->object, NULL);
    st = jr_dev_replace(s, o, d->root, d->now, &ret->object, NULL);
    if (st != JR_OK)
        return JR_NOMEM;
    (void)jr_dev_object_ref(ret->object);
    ret->wrote = true;
    return JR_OK;
}

enum jr_status jr_dev_delete_object(struct jr_dev_store *s, struct jr_dev_object *o,
                                    const struct jr_dev_delete_options *options, bool dry_run,
                                    struct jr_time now, struct jr_dev_deleted *ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct deletion d = { .object = o, .options = options, .now = jr_time_trunc_s(now) };
    bool remove = false;
    enum jr_status st = jr_dev_object_open(o, &doc);

    *ret = (struct jr_dev_deleted){ .removed = false };
    if (st != JR_OK)
        return JR_NOMEM;
    d.root = jr_doc_root(doc);
    d.meta = jr_get(d.root, "metadata");
    st = prepare(&d, &remove);
    if (st != JR_OK)
        return JR_NOMEM;
    /* What has grace shows its deletion before it goes. */
    if (!remove || d.graceful) {
        st = keep(s, o, &d, dry_run, ret);
        if (st != JR_OK)
            return JR_NOMEM;
    } else {
        ret->object = jr_dev_object_ref(o);
    }
    ret->removed = remove;
    if (!remove || dry_run)
        return JR_OK;
    ret->wrote = true;
    return jr_dev_erase(s, ret->object, &ret->revision);
}

static void remove_values(struct jr_node *list, const char *member, struct jr_str value)
{
    size_t i = 0;
    struct jr_node *next;

    for (struct jr_node *n = jr_first(list); n != NULL; n = next) {
        struct jr_str v = member == NULL ? jr_node_str(n) : jr_get_str(n, member);

        next = jr_next(n);
        if (jr_str_eq(v, value))
            jr_remove_at(list, i);
        else
            i++;
    }
}

enum jr_status jr_dev_release(struct jr_dev_store *s, struct jr_dev_object *o,
                              const char *finalizer, const struct jr_strs *owners,
                              struct jr_time now)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_opt_i64 grace = o->meta.deletion_grace_period_s;
    enum jr_status st = jr_dev_object_open(o, &doc);
    struct jr_node *meta;

    if (st != JR_OK)
        return JR_NOMEM;
    meta = jr_get(jr_doc_root(doc), "metadata");
    if (finalizer != NULL)
        remove_values(jr_get(meta, "finalizers"), NULL, jr_str(finalizer));
    for (size_t i = 0; owners != NULL && i < owners->n; i++)
        remove_values(jr_get(meta, "ownerReferences"), "uid", owners->v[i]);
    if (jr_size(jr_get(meta, "ownerReferences")) == 0)
        jr_remove(meta, JR_S("ownerReferences"), NULL);
    if (jr_size(jr_get(meta, "finalizers")) == 0) {
        jr_remove(meta, JR_S("finalizers"), NULL);
        if (jr_dev_object_dying(o) && grace.set && grace.v == 0)
            return jr_dev_erase(s, o, NULL);
    }
    return jr_dev_replace(s, o, jr_doc_root(doc), now, NULL, NULL) == JR_OK ? JR_OK : JR_NOMEM;
}
