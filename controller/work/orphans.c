/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of Pods whose finalizer nobody will take off, and of Jobs that let theirs go. */
#include "controller/work/orphans.h"

#include <stdio.h>

#include "common/json/write.h"
#include "common/kube/keyed.h"
#include "common/rules/selector.h"
#include "controller/reconcile/sync.h"

/* Keys: "p/NAMESPACE/NAME" and "j/NAMESPACE/UID". */

/** A Job whose selector is queued, by its uid. */
struct kept {
    struct jr_keyed keyed;
    struct jr_job *job;
};

struct jr_orphans {
    struct jr_queue *queue;
    struct jr_map kept;
};

struct jr_orphans *jr_orphans_new(struct jr_metrics *metrics)
{
    struct jr_orphans *o = jr_xcalloc(1, sizeof(*o));

    o->queue = jr_queue_new("job_orphan_pod", &JR_QUEUE_LIMITS_JOB, metrics);
    return o;
}

static void unref_job(void *kept)
{
    jr_job_unref(((struct kept *)kept)->job);
}

void jr_orphans_free(struct jr_orphans *o)
{
    if (o == NULL)
        return;
    jr_keyed_done(&o->kept, unref_job);
    jr_queue_free(o->queue);
    free(o);
}

static struct kept *find_kept(const struct jr_orphans *o, struct jr_str uid)
{
    const struct jr_object_key key = jr_object_key_of_text(uid);

    return jr_keyed_find(&o->kept, &key);
}

static void drop_kept(struct jr_orphans *o, struct kept *k)
{
    unref_job(k);
    jr_keyed_drop(&o->kept, k);
}

static void add_key(struct jr_orphans *o, char kind, struct jr_str namespace, struct jr_str name,
                    struct jr_mono now)
{
    char text[JR_OBJECT_KEY_MAX];
    int n = snprintf(text, sizeof(text), "%c/%.*s/%.*s", kind, JR_P(namespace), JR_P(name));

    if (n >= 0 && (size_t)n < sizeof(text)) /* no API server has longer names */
        jr_queue_add(o->queue, (struct jr_str){ text, (size_t)n }, now);
}

void jr_orphans_add_pod(struct jr_orphans *o, struct jr_str namespace, struct jr_str name,
                        struct jr_mono now)
{
    add_key(o, 'p', namespace, name, now);
}

void jr_orphans_add_job(struct jr_orphans *o, const struct jr_job *job, struct jr_mono now)
{
    const struct jr_object_key key = jr_object_key_of_text(job->meta.uid);

    if (jr_keyed_find(&o->kept, &key) == NULL) {
        struct kept *k = jr_keyed_need(&o->kept, sizeof(*k), &key);

        k->job = jr_job_ref(job);
    }
    add_key(o, 'j', job->meta.namespace, job->meta.uid, now);
}

enum jr_status jr_orphans_get(struct jr_orphans *o, struct jr_mono now, struct jr_orphan *ret)
{
    struct jr_str rest;
    struct jr_orphan orphan = { 0 };

    if (jr_queue_get(o->queue, now, &orphan.key) != JR_OK)
        return JR_NOTFOUND;
    rest = jr_str_from(orphan.key, 2);
    if (!jr_str_cut(&rest, '/', &orphan.namespace))
        return JR_NOTFOUND;
    if (orphan.key.p[0] == 'j') {
        const struct kept *k = find_kept(o, rest);

        orphan.job = k == NULL ? NULL : k->job;
    } else {
        orphan.name = rest;
    }
    *ret = orphan;
    return JR_OK;
}

void jr_orphans_done(struct jr_orphans *o, const struct jr_orphan *orphan, bool failed,
                     struct jr_mono now)
{
    struct kept *k = orphan->job == NULL ? NULL : find_kept(o, orphan->job->meta.uid);
    char text[JR_OBJECT_KEY_MAX];
    struct jr_str key = { text, orphan->key.n };
    struct jr_queue_state state;

    memcpy(text, orphan->key.p, orphan->key.n); /* the entry goes with its key */
    if (failed)
        jr_queue_add_limited(o->queue, key, JR_S("finalizer not removed"), now);
    else
        jr_queue_forget(o->queue, key);
    jr_queue_done(o->queue, key, now);
    state = jr_queue_look(o->queue, key);
    if (k != NULL && !state.waiting && !state.delayed)
        drop_kept(o, k);
}

struct jr_queue *jr_orphans_queue(struct jr_orphans *o)
{
    return o->queue;
}

/** A selector that can't be read matches nothing; one that was dropped may match. */
static bool claims(const struct jr_job *job, const struct jr_pod *pod)
{
    if (job->selector_dropped)
        return true;
    return jr_selector_matches_pod(&job->spec.selector, pod) &&
           jr_selector_valid(&job->spec.selector);
}

bool jr_orphans_is_ours(const struct jr_state *s, const struct jr_pod *pod,
                        const struct jr_job **ret_job)
{
    *ret_job = NULL;
    if (!jr_pod_has_finalizer(pod, s->options.tracking_finalizer))
        return false;
    if (!pod->controller.set)
        return true;
    if (!jr_pod_controller_is(pod, "Job") ||
        !jr_str_is(jr_pod_str(pod, pod->controller.api_version), "batch/v1"))
        return false;
    *ret_job = jr_store_owner(s->store, pod);
    return *ret_job == NULL || jr_job_is_ours(*ret_job, &s->options);
}

/** The Job has perhaps seen to the Pod just now. One that is being deleted releases no Pod that its
 * selector doesn't match; upstream leaves such a Pod for ever. */
bool jr_orphans_is_target(const struct jr_state *s, const struct jr_pod *pod)
{
    const struct jr_job *job;
    struct jr_object_key key;

    if (!jr_orphans_is_ours(s, pod, &job))
        return false;
    if (job == NULL) /* or there, and can't be read: its Pods are not nobody's */
        return !pod->controller.set ||
               !jr_unreadables_has_job(s->unreadables, pod->namespace,
                                       jr_pod_str(pod, pod->controller.uid));
    key = jr_object_key_of(&job->meta);
    if (jr_expectations_awaits(s->expectations, &key, pod->uid))
        return false;
    if (s->decommissioning && !jr_pod_terminal(pod))
        return true;
    return jr_job_finished(&job->status) ||
           (jr_time_set(job->meta.deletion_timestamp) && !claims(job, pod));
}

static void keep_targets(const struct jr_state *s, struct jr_pod_list *l, size_t from)
{
    size_t n = from;

    for (size_t i = from; i < l->n; i++) {
        if (jr_orphans_is_target(s, l->v[i]))
            l->v[n++] = l->v[i];
        else
            jr_pod_unref(l->v[i]);
    }
    l->n = n;
}

/** Those that the Job controls though its selector doesn't match them (any more), or was dropped.
 */
static void add_unmatched(const struct jr_state *s, const struct jr_job *job,
                          struct jr_pod_list *out)
{
    JR_POD_LIST own = { 0 };

    jr_store_candidates(s->store, job, &own);
    for (size_t i = 0; i < own.n; i++) {
        if (job->selector_dropped || !claims(job, own.v[i]))
            jr_pod_list_add(out, own.v[i]);
    }
}

void jr_orphans_targets(const struct jr_state *s, const struct jr_orphan *orphan,
                        struct jr_pod_list *out)
{
    size_t from = out->n;
    const struct jr_pod *pod;

    if (orphan->job != NULL) {
        jr_store_select(s->store, orphan->namespace, &orphan->job->spec.selector, out);
        add_unmatched(s, orphan->job, out);
        keep_targets(s, out, from);
        return;
    }
    pod = jr_store_pod(s->store, orphan->namespace, orphan->name);
    if (pod != NULL && jr_orphans_is_target(s, pod))
        jr_pod_list_add(out, pod);
}
