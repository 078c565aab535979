#include "controller/feed.h"

#include "common/rules/selector.h"
#include "controller/reconcile/sync.h"
#include "controller/run.h"

/* As the API server names our writes in metadata.managedFields: by our User-Agent. */
#define JR_FIELD_MANAGER "jobreeve-controller"

/** What a handler returned: NOMEM is the end, and stops the stream. */
static enum jr_status told(struct jr_feed *f, enum jr_status st, struct jr_error *err)
{
    if (st == JR_OK) {
        f->on_told(f->ctx);
        return JR_OK;
    }
    (void)jr_fail(err, st, NULL, "the cache");
    f->on_broken(f->ctx, &(struct jr_error){ .status = st, .msg = "the cache" });
    return st;
}

/** An object that can't be read is passed over: the stream goes on, and the object is not taken for
 * gone. */
static enum jr_status unread(struct jr_feed *f, const struct jr_error *why, struct jr_error *err)
{
    if (why->status == JR_NOMEM)
        return told(f, JR_NOMEM, err);
    f->partial = true;
    jr_err(f->log, "object not understood",
           JR_CSTR("resource", f->kind == JR_STORE_JOBS ? "jobs" : "pods"), JR_ERR(why));
    return JR_OK;
}

/** Finds out whether another has written the status of a Job that is ours. object: its new text. To
 * be called while the store still has the old one. */
static enum jr_status watch_writers(const struct jr_feed *f, const struct jr_job *job,
                                    struct jr_str object)
{
    const struct jr_state *s = f->state;
    const struct jr_job *old = jr_store_job(s->store, job->meta.namespace, job->meta.name);
    struct jr_job_key key = jr_job_key_of(job);
    struct jr_record rec;
    JR_ARENA arena = { 0 };
    struct jr_str manager;
    uint64_t sum;
    bool foreign;

    if (old == NULL || !jr_str_eq(old->meta.uid, job->meta.uid) ||
        !jr_job_is_ours(job, &s->options) ||
        jr_str_eq(old->meta.resource_version, job->meta.resource_version))
        return JR_OK;
    sum = jr_status_sum(object);
    if (sum == jr_status_sum(old->raw))
        return JR_OK;
    rec = jr_records_get(s->records, &key);
    foreign = jr_status_changed(&rec.status_writes, sum);
    if (!foreign)
        return jr_records_put(s->records, &key, &rec);
    jr_arena_init(&arena, 0);
    manager = jr_status_manager(object, JR_FIELD_MANAGER, &arena);
    jr_status_foreign(s->metrics, f->log, &key, 1, JR_STR(manager.n > 0 ? "manager" : "", manager));
    return JR_OK;
}

static enum jr_status take_job(struct jr_feed *f, struct jr_str object, bool gone,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_now now = jr_now_of(f->loop);
    struct jr_error why = { 0 };

    if (jr_job_decode(object, &job, &why) != JR_OK)
        return unread(f, &why, err);
    if (jr_selector_prepare(&job->spec.selector, &job->arena) != JR_OK)
        return told(f, JR_NOMEM, err);
    if (!gone && watch_writers(f, job, object) != JR_OK)
        return told(f, JR_NOMEM, err);
    return told(
        f, gone ? jr_handle_job_gone(f->state, job, now) : jr_handle_job(f->state, job, now), err);
}

static enum jr_status take_pod(struct jr_feed *f, struct jr_str object, bool gone,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct jr_now now = jr_now_of(f->loop);
    struct jr_error why = { 0 };

    if (jr_pod_decode(object, &pod, &why) != JR_OK)
        return unread(f, &why, err);
    return told(
        f, gone ? jr_handle_pod_gone(f->state, pod, now) : jr_handle_pod(f->state, pod, now), err);
}

static enum jr_status take(struct jr_feed *f, struct jr_str object, bool gone, struct jr_error *err)
{
    return f->kind == JR_STORE_JOBS ? take_job(f, object, gone, err)
                                    : take_pod(f, object, gone, err);
}

static void on_begin(void *ctx)
{
    struct jr_feed *f = ctx;

    f->partial = false;
    f->round = jr_store_begin(f->state->store, f->namespace);
}

static enum jr_status on_item(void *ctx, struct jr_str object, struct jr_error *err)
{
    return take(ctx, object, false, err);
}

static void on_end(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;

    jr_store_progress(f->state->store, f->kind, f->namespace, resource_version);
    if (!f->partial &&
        told(f, jr_handle_sweep(f->state, f->kind, &f->round, jr_now_of(f->loop)), NULL) != JR_OK)
        return;
    f->on_listed(f->ctx, f->kind, f->namespace);
}

static enum jr_status on_event(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    return take(ctx, object, type == JR_EV_DELETED, err);
}

static void on_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;

    jr_store_progress(f->state->store, f->kind, f->namespace, resource_version);
}

struct jr_informer_handler jr_feed_handler(struct jr_feed *f)
{
    return (struct jr_informer_handler){ .on_replace_begin = on_begin,
                                         .on_replace_item = on_item,
                                         .on_replace_end = on_end,
                                         .on_event = on_event,
                                         .on_progress = on_progress,
                                         .ctx = f };
}
