/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tests/unit/controller/scenario_diff.h"
#include "tests/unit/controller/scenario_rows.h"

static bool put_jobs(struct world *w)
{
    bool ok = true;

    for (const struct jr_node *j = jr_first(jr_get(w->row, "cachedJobs")); ok && j != NULL;
         j = jr_next(j))
        ok = world_put_job(w, j);
    return ok;
}

/* ---- handlers ---- */

/** The row's expectationsKey, with the uid of the Job that bears it. */
static struct jr_object_key row_key(struct world *w)
{
    struct jr_str rest = jr_get_str(w->row, "expectationsKey");
    struct jr_object_key key = { 0 };
    const struct jr_job *job;

    if (jr_str_cut(&rest, '/', &key.namespace))
        key.name = rest;
    job = jr_store_job(w->state.store, key.namespace, key.name);
    if (job != NULL)
        key.uid = job->meta.uid;
    return key;
}

static enum jr_status call_pod_handler(struct world *w, struct jr_str handler)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = world_pod(w, jr_get(w->row, "pod"));
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *old = NULL;

    if (pod == NULL)
        return JR_INVALID;
    if (jr_str_is(handler, "addPod")) {
        jr_on_pod_add(&w->state, pod, w->now);
        return JR_OK;
    }
    if (jr_str_is(handler, "deletePod")) {
        jr_on_pod_delete(&w->state, pod, true, w->now);
        return JR_OK;
    }
    old = world_pod(w, jr_get(w->row, "oldPod"));
    if (old == NULL)
        return JR_INVALID;
    jr_on_pod_update(&w->state, old, pod, w->now);
    return JR_OK;
}

static enum jr_status call_job_handler(struct world *w, struct jr_str handler)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = world_job(w, jr_get(w->row, "job"));
    JR_CLEANUP(jr_job_unrefp) struct jr_job *old = NULL;

    if (job == NULL)
        return JR_INVALID;
    if (jr_str_is(handler, "addJob")) {
        jr_on_job_add(&w->state, job, w->now);
        return JR_OK;
    }
    if (jr_str_is(handler, "deleteJob")) {
        jr_on_job_delete(&w->state, job, w->now);
        return JR_OK;
    }
    old = world_job(w, jr_get(w->row, "oldJob"));
    if (old == NULL)
        return JR_INVALID;
    jr_on_job_update(&w->state, old, job, w->now);
    return JR_OK;
}

static enum jr_status push_add(struct jr_node *list, struct jr_str key, int64_t after_s)
{
    struct jr_node *e;
    enum jr_status st = jr_push_object(list, &e);

    if (st == JR_OK)
        st = jr_set_i64(e, "afterSeconds", after_s);
    return st == JR_OK ? jr_set_str(e, "key", key) : st;
}

/** The queue's contents. Any key that was asked for is among those of the row's Jobs. */
static enum jr_status observe_queue(struct world *w, struct jr_node *got)
{
    struct jr_node *list;
    enum jr_status st = jr_set_array(got, "queueAdds", &list);

    for (const struct jr_node *j = jr_first(jr_get(w->row, "cachedJobs")); st == JR_OK && j != NULL;
         j = jr_next(j)) {
        char text[JR_OBJECT_KEY_MAX];
        struct jr_queue_state q;

        (void)snprintf(text, sizeof(text), "%.*s/%.*s",
                       JR_P(jr_get_str(jr_get(j, "metadata"), "namespace")),
                       JR_P(jr_get_str(jr_get(j, "metadata"), "name")));
        q = jr_queue_look(w->state.jobs, jr_str(text));
        if (q.waiting)
            st = push_add(list, jr_str(text), 0);
        if (st == JR_OK && q.delayed)
            st = push_add(list, jr_str(text), (q.due.ns - w->now.mono.ns) / JR_SEC);
    }
    return st == JR_OK ? scenario_sort(list) : st;
}

/** The file shows every call; the queue keeps of equal keys one immediate and the earliest delayed
 * add. */
static enum jr_status tidy_queue(struct jr_node *want)
{
    struct jr_node *list = jr_get(want, "queueAdds"), *next;
    bool immediate = false;
    size_t i = 0;

    for (struct jr_node *e = jr_first(list); e != NULL; e = next) {
        next = jr_next(e);
        if (jr_node_i64_or(jr_get(e, "afterSeconds"), 0) > 0) {
            i++;
        } else if (immediate) {
            jr_remove_child(list, jr_at(list, i));
        } else {
            immediate = true;
            i++;
            if (jr_set_i64(e, "afterSeconds", 0) != JR_OK)
                return JR_NOMEM;
        }
    }
    return scenario_sort(list);
}

static enum jr_status push_orphan(struct jr_node *list, const struct jr_orphan *o)
{
    struct jr_node *e;
    char text[JR_OBJECT_KEY_MAX];
    enum jr_status st = jr_push_object(list, &e);

    if (o->job != NULL)
        (void)snprintf(text, sizeof(text), "%.*s=%.*s",
                       JR_P(o->job->spec.selector.match_labels.v[0].key),
                       JR_P(o->job->spec.selector.match_labels.v[0].value));
    if (st == JR_OK)
        st = jr_set_str(e, "kind", o->job != NULL ? JR_S("selector") : JR_S("name"));
    if (st == JR_OK)
        st = jr_set_str(e, "namespace", o->namespace);
    return st == JR_OK ? jr_set_str(e, "value", o->job != NULL ? jr_str(text) : o->name) : st;
}

static enum jr_status observe_orphans(struct world *w, struct jr_node *got)
{
    struct jr_orphan o;
    struct jr_node *list;
    enum jr_status st = jr_set_array(got, "orphanQueueAdds", &list);

    while (st == JR_OK && jr_orphans_get(w->state.orphans, w->now.mono, &o) == JR_OK) {
        st = push_orphan(list, &o);
        jr_orphans_done(w->state.orphans, &o, false, w->now.mono);
    }
    return st;
}

static bool compare_handler(struct world *w, const struct jr_object_key *key)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *got = NULL;
    struct jr_node *root;

    if (scenario_want(w->row, &want) != JR_OK || jr_doc_new(&got) != JR_OK)
        return false;
    root = jr_doc_root(got);
    if (tidy_queue(jr_doc_root(want)) != JR_OK || observe_queue(w, root) != JR_OK ||
        observe_orphans(w, root) != JR_OK || scenario_metrics(w, root) != JR_OK ||
        scenario_expectations(w, key, root) != JR_OK)
        return false;
    return scenario_equal(jr_get_str(w->row, "name").p, jr_doc_root(want), root);
}

bool scenario_handler(const struct jr_node *row)
{
    struct jr_str handler = jr_get_str(row, "handler");
    struct world w;
    bool ok = world_init(&w, row, false) && put_jobs(&w);

    if (ok) {
        enum jr_status st;

        w.key = row_key(&w);
        world_set_state(&w);
        st = jr_str_ends(handler, JR_S("Pod")) ? call_pod_handler(&w, handler)
                                               : call_job_handler(&w, handler);
        ok = st == JR_OK && compare_handler(&w, &w.key);
    }
    world_done(&w);
    return ok;
}

/* ---- orphans ---- */

/** A Job that has nothing but the selector KEY=VALUE. */
static struct jr_job *selecting_job(struct world *w, struct jr_str selector)
{
    struct jr_str value = selector, key;
    struct jr_job *job = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *meta, *spec, *sel, *labels;

    if (!jr_str_cut(&value, '=', &key) || jr_doc_new(&doc) != JR_OK ||
        jr_set_object(jr_doc_root(doc), "metadata", &meta) != JR_OK ||
        jr_set_str(meta, "name", JR_S("gone")) != JR_OK ||
        jr_set_str(meta, "namespace", JR_S("ns1")) != JR_OK ||
        jr_set_str(meta, "uid", JR_S("gone-uid")) != JR_OK ||
        jr_set_object(jr_doc_root(doc), "spec", &spec) != JR_OK ||
        jr_set_object(spec, "selector", &sel) != JR_OK ||
        jr_set_object(sel, "matchLabels", &labels) != JR_OK ||
        jr_set_strn(labels, key, value) != JR_OK)
        return NULL;
    job = world_job(w, jr_doc_root(doc));
    return job;
}

static enum jr_status add_orphan(struct world *w)
{
    const struct jr_node *key = jr_get(w->row, "key");
    struct jr_str value = jr_get_str(key, "value");
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;

    if (jr_str_is(jr_get_str(key, "kind"), "name")) {
        jr_orphans_add_pod(w->state.orphans, jr_get_str(key, "namespace"), value, w->now.mono);
        return JR_OK;
    }
    job = selecting_job(w, value);
    if (job == NULL)
        return JR_INVALID;
    jr_orphans_add_job(w->state.orphans, job, w->now.mono);
    return JR_OK;
}

static bool compare_orphan(struct world *w)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *got = NULL;
    struct jr_node *list;
    struct jr_str name;

    if (scenario_want(w->row, &want) != JR_OK || jr_doc_new(&got) != JR_OK ||
        jr_set_array(jr_doc_root(got), "finalizerRemovals", &list) != JR_OK)
        return false;
    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        enum world_call class = world_classify(jr_scripted_call_at(w->api, i), &name);

        if (jr_push_str(list, class == CALL_UNFINALIZE ? name : JR_S("(another call)")) != JR_OK)
            return false;
    }
    return scenario_sort(list) == JR_OK &&
           scenario_equal(jr_get_str(w->row, "name").p, jr_doc_root(want), jr_doc_root(got));
}

bool scenario_orphan(const struct jr_node *row)
{
    struct jr_orphan orphan;
    struct world w;
    bool ok = world_init(&w, row, false) && put_jobs(&w) && world_put_pods(&w, jr_get(row, "pods"));

    if (ok) {
        ok = add_orphan(&w) == JR_OK &&
             jr_orphans_get(w.state.orphans, w.now.mono, &orphan) == JR_OK;
        if (ok) {
            jr_orphan_worker_start(w.orphan_worker, &orphan);
            world_run(&w);
            ok = w.over && !w.broken && compare_orphan(&w);
        }
    }
    world_done(&w);
    return ok;
}
