/* SPDX-License-Identifier: Apache-2.0 */
/* What a deletion does to an object. */
#include "devcluster/apiserver/delete.h"

#include "common/json/write.h"
#include "devcluster/apiserver/strategy.h"

#define ORPHAN JR_DEV_FINALIZER_ORPHAN
#define FOREGROUND JR_DEV_FINALIZER_FOREGROUND

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

static void set_deletion(struct deletion *d, struct jr_time when, int64_t grace_s)
{
    char text[JR_TIME_MAX];

    jr_must(jr_set_str(d->meta, "deletionTimestamp", jr_str(jr_time_format(when, text))));
    jr_must(jr_set_i64(d->meta, "deletionGracePeriodSeconds", grace_s));
}

static void raise_generation(struct deletion *d)
{
    if (d->object->meta.generation != 0)
        jr_must(jr_set_i64(d->meta, "generation", d->object->meta.generation + 1));
}

/* A deletion that was asked for before: its grace period may only become shorter. */
static void shorten(struct deletion *d)
{
    const struct jr_meta *meta = &d->object->meta;
    int64_t had = jr_i64_or(meta->deletion_grace_period_s, 0);
    int64_t want = d->options->grace_s.v < 0 ? 1 : d->options->grace_s.v;

    if (had == 0)
        return;
    d->pending = !d->options->grace_s.set || want >= had;
    if (d->pending)
        return;
    d->graceful = true;
    d->grace_s = want;
    set_deletion(d, jr_time_later_s(meta->deletion_timestamp, want - had), want);
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

static void begin_grace(struct deletion *d)
{
    if (!d->object->res->graceful)
        return;
    if (jr_dev_object_dying(d->object)) {
        shorten(d);
        return;
    }
    d->graceful = true;
    d->grace_s = pod_grace(d);
    set_deletion(d, jr_time_later_s(d->now, d->grace_s), d->grace_s);
    raise_generation(d);
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

/* Takes the elements with this value, or this member of them, out of a list; an empty one goes. */
static void remove_values(struct jr_node *meta, const char *name, const char *member,
                          struct jr_str value)
{
    struct jr_node *list = jr_get(meta, name), *next;

    for (struct jr_node *n = jr_first(list); n != NULL; n = next) {
        next = jr_next(n);
        if (jr_str_eq(member == NULL ? jr_node_str(n) : jr_get_str(n, member), value))
            jr_remove_child(list, n);
    }
    if (jr_size(list) == 0)
        jr_remove(meta, jr_str(name), NULL);
}

static void set_finalizers(struct deletion *d)
{
    static const char *const ours[] = { ORPHAN, FOREGROUND };
    const bool want[] = { orphans(d), foreground(d) };

    for (size_t k = 0; k < JR_ARRAY_SIZE(ours); k++) {
        bool has = jr_dev_object_has_finalizer(d->object, ours[k]);
        struct jr_node *list;

        if (has && !want[k]) {
            remove_values(d->meta, "finalizers", NULL, jr_str(ours[k]));
        } else if (!has && want[k]) {
            jr_must(jr_ensure_array(d->meta, "finalizers", &list));
            jr_must(jr_push_str(list, jr_str(ours[k])));
        }
    }
}

/* Deletion without grace, but with finalizers. */
static void mark_deleted(struct deletion *d)
{
    struct jr_time when = d->object->meta.deletion_timestamp;

    if (!jr_time_set(when))
        raise_generation(d);
    if (!jr_time_set(when) || jr_time_cmp(when, d->now) > 0)
        when = d->now;
    set_deletion(d, when, 0);
}

/* A namespace waits for what is in it. */
static void mark_namespace(struct deletion *d)
{
    char text[JR_TIME_MAX];
    struct jr_node *status;

    if (jr_dev_object_dying(d->object))
        return;
    jr_must(jr_set_str(d->meta, "deletionTimestamp", jr_str(jr_time_format(d->now, text))));
    jr_must(jr_ensure_object(d->root, "status", &status));
    jr_must(jr_set_str(status, "phase", JR_S("Terminating")));
}

/* Changes the tree. Returns whether it can go now. */
static bool prepare_deletion(struct deletion *d)
{
    bool held;

    if (d->object->res->id == JR_DEV_NAMESPACES) {
        mark_namespace(d);
        return false;
    }
    begin_grace(d);
    if (d->pending)
        return false;
    set_finalizers(d);
    held = jr_size(jr_get(d->meta, "finalizers")) > 0;
    if (held && !d->graceful)
        mark_deleted(d);
    return !held && (!d->graceful || d->grace_s == 0);
}

/* ---- carrying it out ---- */

/* Writes the changed tree, unless it is the same. */
static void write_marked(struct jr_dev_store *s, struct jr_dev_object *o, struct deletion *d,
                         bool dry_run, struct jr_dev_deleted *ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *before = jr_dev_object_open(o);

    ret->wrote = !dry_run && !jr_node_equal(d->root, jr_doc_root(before));
    if (ret->wrote)
        ret->object = jr_dev_object_ref(jr_dev_replace(s, o, d->root, d->now));
    else if (dry_run)
        ret->object = jr_dev_object_new(o->res, d->root, o->revision, d->now);
    else
        ret->object = jr_dev_object_ref(o);
}

struct jr_dev_deleted jr_dev_delete_object(struct jr_dev_store *s, struct jr_dev_object *o,
                                           const struct jr_dev_delete_options *options,
                                           bool dry_run, struct jr_time now)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_object_open(o);
    struct deletion d = {
        .object = o,
        .options = options,
        .root = jr_doc_root(doc),
        .meta = jr_get(jr_doc_root(doc), "metadata"),
        .now = jr_time_trunc_s(now),
    };
    struct jr_dev_deleted deleted = { .removed = prepare_deletion(&d) };

    /* What has grace shows its deletion before it goes. */
    if (!deleted.removed || d.graceful)
        write_marked(s, o, &d, dry_run, &deleted);
    else
        deleted.object = jr_dev_object_ref(o);
    if (deleted.removed && !dry_run) {
        deleted.wrote = true;
        deleted.revision = jr_dev_erase(s, deleted.object);
    }
    return deleted;
}

void jr_dev_release(struct jr_dev_store *s, struct jr_dev_object *o, const char *finalizer,
                    const struct jr_strs *owners, struct jr_time now)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_object_open(o);
    const struct jr_opt_i64 grace = o->meta.deletion_grace_period_s;
    struct jr_node *meta = jr_get(jr_doc_root(doc), "metadata");

    if (finalizer != NULL)
        remove_values(meta, "finalizers", NULL, jr_str(finalizer));
    for (size_t i = 0; owners != NULL && i < owners->n; i++)
        remove_values(meta, "ownerReferences", "uid", owners->v[i]);
    if (jr_get(meta, "finalizers") == NULL && jr_dev_object_dying(o) && grace.set && grace.v == 0)
        (void)jr_dev_erase(s, o);
    else
        (void)jr_dev_replace(s, o, jr_doc_root(doc), now);
}
