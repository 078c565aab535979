/* SPDX-License-Identifier: Apache-2.0 */
/* The informers' handler: the same for all kinds, but for who writes a Job's status. */
#include "controller/intake/feed.h"

#include "common/base/num.h"
#include "controller/reconcile/sync.h"
#include "controller/work/run.h"

static struct jr_cache *cache_of(const struct jr_feed *f)
{
    return jr_store_cache(f->state->store, f->kind);
}

static const char *resource_of(const struct jr_feed *f)
{
    return cache_of(f)->kind->resource;
}

/** Whoever had to wait for it need not any more. */
static void release_waiting(void *ctx, const struct jr_unreadable *x)
{
    const struct jr_feed *f = ctx;

    if (f->kind <= JR_STORE_PODS && x->id.controller_name.n > 0)
        jr_state_enqueue(f->state, x->id.namespace, x->id.controller_name, 0,
                         jr_loop_mono(f->loop));
}

/** It can be read, or is gone. */
static void forget_unreadable(struct jr_feed *f, struct jr_str namespace, struct jr_str name)
{
    struct jr_unreadables *u = f->state->unreadables;
    const struct jr_unreadable *x = jr_unreadables_get(u, resource_of(f), namespace, name);

    if (x == NULL)
        return;
    release_waiting(f, x);
    jr_unreadables_remove(u, resource_of(f), namespace, name);
}

/** An object that can't be read costs only itself: the stream goes on. What the cache has of it
 * stays as it was last, as if nothing had come since: a Pod that were taken for gone would be
 * counted, or another made in its place; a Job that were taken for gone would lose its Pods. A
 * Job that can't be read isn't synced (jr_unreadables_hold): what it was may not be what it is.
 * One whose name can't be read either is none that the cache has: all that was ever stored has a
 * name, and keeps it. */
static void add_unreadable(struct jr_feed *f, const struct jr_object_id *id, bool gone,
                           const struct jr_error *why)
{
    struct jr_cache *c = cache_of(f);
    const void *cached = jr_cache_get(c, id->namespace, id->name);
    struct jr_str had = { NULL, 0 };
    bool known = false;

    if (cached != NULL)
        had = c->kind->key(cached).uid;
    if (gone || (had.n > 0 && id->uid.n > 0 && !jr_str_eq(had, id->uid))) {
        if (cached != NULL)
            jr_handle_gone(f->state, f->kind, cached, jr_now_of(f->loop));
    } else {
        known = jr_cache_see(c, id->namespace, id->name);
    }
    if (gone)
        forget_unreadable(f, id->namespace, id->name);
    else
        jr_unreadables_add(f->state->unreadables, resource_of(f), id, why, !known, f->log);
}

/** Finds out whether another has written the status of a Job that is ours. object: its new text. To
 * be called while the store still has the old one. */
static void watch_writers(const struct jr_feed *f, const struct jr_job *job, struct jr_str object)
{
    const struct jr_state *s = f->state;
    const struct jr_job *old = jr_store_job(s->store, job->meta.namespace, job->meta.name);
    struct jr_object_key key = jr_object_key_of(&job->meta);
    struct jr_record rec;
    uint64_t sum;

    if (old == NULL || !jr_str_eq(old->meta.uid, job->meta.uid) ||
        !jr_job_is_ours(job, &s->options) ||
        jr_str_eq(old->meta.resource_version, job->meta.resource_version))
        return;
    if (!jr_status_counts_differ(job->status.raw, old->status.raw))
        return;
    sum = jr_status_sum(object);
    rec = jr_records_get(s->records, &key);
    if (!jr_status_changed(&rec.status_writes, sum)) {
        jr_records_put(s->records, &key, &rec);
        return;
    }
    jr_status_foreign(s->metrics, f->log, &key, 1, object);
}

/** Says of a new Job that names this controller that it won't run: to its author it looks like one
 * that is. */
static void say_left_alone(const struct jr_feed *f, const struct jr_job *job)
{
    const struct jr_state *s = f->state;

    if (s->options.replace_builtin && jr_str_eq(job->spec.managed_by, s->options.managed_by) &&
        jr_store_job(s->store, job->meta.namespace, job->meta.name) == NULL)
        jr_info(f->log,
                "left alone: with --replace-builtin only Jobs that name no controller are run",
                JR_OBJECT("Job", job->meta.namespace, job->meta.name),
                JR_STR("managedBy", job->spec.managed_by));
}

/** Tells whether a Job is older than the cached one: a list shows it of a server that has fallen
 * behind. A Job whose end is known would run again by it, as its record is no more. */
static bool is_older(const struct jr_feed *f, const struct jr_job *job)
{
    const struct jr_job *known = jr_store_job(f->state->store, job->meta.namespace, job->meta.name);
    uint64_t is, was;

    return known != NULL && !f->restored && jr_str_eq(known->meta.uid, job->meta.uid) &&
           jr_parse_u64(job->meta.resource_version, &is) == JR_OK &&
           jr_parse_u64(known->meta.resource_version, &was) == JR_OK && is < was;
}

static void add_object(struct jr_feed *f, const void *object, struct jr_str text, bool gone)
{
    const struct jr_object_key key = cache_of(f)->kind->key(object);
    struct jr_now now = jr_now_of(f->loop);

    forget_unreadable(f, key.namespace, key.name);
    if (gone) {
        jr_handle_gone(f->state, f->kind, object, now);
        return;
    }
    if (f->kind == JR_STORE_JOBS) {
        if (is_older(f, object)) {
            (void)jr_cache_see(cache_of(f), key.namespace, key.name);
            return;
        }
        watch_writers(f, object, text);
        say_left_alone(f, object);
    }
    jr_handle(f->state, f->kind, object, now);
}

static void take_event(struct jr_feed *f, struct jr_str text, bool gone)
{
    const struct jr_cache_kind *kind = cache_of(f)->kind;
    struct jr_error why = { 0 };
    void *object = NULL;
    enum jr_status st = kind->decode(text, &object, &why);

    if (st == JR_OK && kind->key(object).name.n == 0)
        st = jr_fail(&why, JR_INVALID, "metadata.name", "expected a name");
    if (st == JR_OK) {
        add_object(f, object, text, gone);
    } else {
        const struct jr_object_id id = jr_object_identify(text);

        add_unreadable(f, &id, gone, &why);
    }
    kind->unref(object);
    f->on_changed(f->ctx);
}

static void on_begin(void *ctx)
{
    struct jr_feed *f = ctx;

    f->round = jr_cache_begin(cache_of(f), f->namespace);
    f->restored = false;
    jr_unreadables_begin(f->state->unreadables, resource_of(f), f->namespace);
}

static void on_restored(void *ctx)
{
    struct jr_feed *f = ctx;

    f->restored = true;
}

static void on_item(void *ctx, struct jr_str object)
{
    take_event(ctx, object, false);
}

static void on_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;

    jr_store_progress(f->state->store, f->kind, f->namespace, resource_version);
}

static void on_end(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;

    on_progress(f, resource_version);
    jr_handle_sweep(f->state, f->kind, &f->round, jr_now_of(f->loop));
    jr_unreadables_sweep(f->state->unreadables, resource_of(f), f->namespace, release_waiting, f);
    f->on_changed(f->ctx);
    f->on_listed(f->ctx, f->kind, f->namespace);
}

static void on_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    take_event(ctx, object, type == JR_EV_DELETED);
}

/** What is no event may be a deletion, of which nothing but the next list can tell. */
static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    const struct jr_object_id id = jr_event_identify(line);
    struct jr_feed *f = ctx;

    (void)jr_need(why->status);
    add_unreadable(f, &id, false, why);
    f->on_changed(f->ctx);
}

struct jr_informer_handler jr_feed_handler(struct jr_feed *f)
{
    return (struct jr_informer_handler){ .on_replace_begin = on_begin,
                                         .on_restored = on_restored,
                                         .on_replace_item = on_item,
                                         .on_replace_end = on_end,
                                         .on_event = on_event,
                                         .on_unread = on_unread,
                                         .on_progress = on_progress,
                                         .ctx = f };
}
