/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod's making, and its finalizer (1, 4, 5). */
#include <stdio.h>

#include "common/json/doc.h"
#include "tests/sim/model_step.h"

#define NAME_MAX_BYTES 300
#define INDEXED_NAME_MAX 58

static bool of_job(const struct sim_step *s, const struct jr_pod *p)
{
    return p->controller.set && jr_str_is(jr_pod_str(p, p->controller.kind), "Job") &&
           jr_str_starts(jr_pod_str(p, p->controller.api_version), JR_S("batch/")) &&
           jr_str_is(jr_pod_str(p, p->controller.name), s->plan->name);
}

/* The manifest as posted; what can change of it (completions) is not looked at. */
static bool wants_index(const struct jr_node *manifest)
{
    return jr_str_is(jr_get_str(jr_get(manifest, "spec"), "completionMode"), "Indexed");
}

static bool owner_is_whole(const struct jr_node *pod)
{
    const struct jr_node *refs = jr_path(pod, "metadata.ownerReferences");
    const struct jr_node *ref = jr_first(refs);

    return jr_size(refs) == 1 && jr_str_is(jr_get_str(ref, "apiVersion"), "batch/v1") &&
           jr_node_bool_or(jr_get(ref, "blockOwnerDeletion"), false);
}

static bool has_index_env(const struct jr_node *containers)
{
    for (const struct jr_node *c = jr_first(containers); c != NULL; c = jr_next(c)) {
        bool found = false;

        for (const struct jr_node *e = jr_first(jr_get(c, "env")); e != NULL; e = jr_next(e))
            found = found || jr_str_is(jr_get_str(e, "name"), "JOB_COMPLETION_INDEX");
        if (!found)
            return false;
    }
    return true;
}

static bool index_is_whole(const struct sim_step *s, const struct jr_node *pod,
                           const struct jr_pod *p)
{
    int32_t i = sim_pod_index(p);
    char want[NAME_MAX_BYTES];
    struct jr_str base = jr_get_str(jr_get(pod, "metadata"), "generateName");

    if (i < 0)
        return sim_wrong(s->why, "a Pod of an Indexed Job was made without an index");
    if (!jr_str_eq(jr_pod_label(p, JR_S(JR_COMPLETION_INDEX)), jr_pod_str(p, p->completion_index)))
        return sim_wrong(s->why, "a Pod's index label is not its annotation");
    (void)snprintf(want, sizeof(want), "%s-%d", s->plan->name, i);
    if (!jr_str_is(jr_get_str(jr_get(pod, "spec"), "hostname"), want))
        return sim_wrong(s->why, "a Pod of index %d has not the hostname \"%s\"", i, want);
    (void)snprintf(want, sizeof(want), "%s-%d-", s->plan->name, i);
    if (base.n > INDEXED_NAME_MAX || !jr_str_is(base, want))
        return sim_wrong(s->why, "a Pod of index %d is named after \"%.*s\"", i, JR_P(base));
    if (!has_index_env(jr_path(pod, "spec.containers")) ||
        !has_index_env(jr_path(pod, "spec.initContainers")))
        return sim_wrong(s->why, "a container of index %d has no JOB_COMPLETION_INDEX", i);
    return true;
}

static bool is_made_whole(const struct sim_step *s, const struct jr_pod *p, struct jr_str text)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *pod = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *manifest = NULL;

    if (jr_doc_parse(text, &JR_READER_LENIENT, &pod, NULL) != JR_OK ||
        jr_doc_parse(s->plan->manifest, &JR_READER_LENIENT, &manifest, NULL) != JR_OK)
        return sim_wrong(s->why, "a Pod that can't be read");
    if (!sim_tracked(p))
        return sim_wrong(s->why, "a Pod was made without the tracking finalizer");
    if (!owner_is_whole(jr_doc_root(pod)))
        return sim_wrong(s->why, "a Pod was made with an owner reference that is not whole");
    bool per_index = jr_path(jr_doc_root(manifest), "spec.backoffLimitPerIndex") != NULL;
    if (per_index != (jr_pod_str(p, p->index_failure_count).p != NULL))
        return sim_wrong(s->why, "a Pod was made with%s a failure count", per_index ? "out" : "");
    if (!wants_index(jr_doc_root(manifest)))
        return jr_pod_str(p, p->completion_index).p == NULL ||
               sim_wrong(s->why, "a Pod of a NonIndexed Job was made with an index");
    return index_is_whole(s, jr_doc_root(pod), p);
}

/* From the beginning, or since an older Job let it go. */
static bool was_orphan(const struct sim_step *s, const struct jr_pod *p)
{
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct sim_life *l = &s->pods[i];

        for (size_t k = 0; jr_str_eq(l->uid, p->uid) && k < l->n; k++) {
            JR_CLEANUP(jr_pod_unrefp) struct jr_pod *was = NULL;

            if (jr_pod_decode(l->versions[k].text, &was, NULL) == JR_OK && !was->controller.set)
                return true;
        }
    }
    return false;
}

bool sim_step_of_pod(const struct sim_step *s, const struct jr_pod *prev, const struct jr_pod *next,
                     struct jr_str text)
{
    bool ours = of_job(s, next);

    if (s->external && ours)
        return sim_wrong(s->why, "a Pod was made or adopted for another's Job");
    if (prev == NULL)
        return !ours || is_made_whole(s, next, text);
    if (!ours || !sim_tracked(next) || sim_tracked(prev))
        return true;
    /* A finalizer comes with its owner, never later: a Pod that was counted would count again. One
     * that was adopted may be adopted once more, by a patch that comes late. */
    return !of_job(s, prev) ||
           !jr_str_eq(jr_pod_str(prev, prev->controller.uid),
                      jr_pod_str(next, next->controller.uid)) ||
           was_orphan(s, next) || sim_wrong(s->why, "a Pod got its finalizer back");
}
