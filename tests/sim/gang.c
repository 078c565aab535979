/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/gang.h"

#include <stdio.h>

#include "common/json/doc.h"

#define NAME_MAX_BYTES 300
#define INVARIANT "its gang"

/* ---- what there is ---- */

static enum jr_dev_resource_id workloads_of(const struct sim_gangs *g)
{
    return g->api == JR_SCHEDULING_V1BETA1 ? JR_DEV_WORKLOADS_V1BETA1 : JR_DEV_WORKLOADS;
}

static enum jr_dev_resource_id pod_groups_of(const struct sim_gangs *g)
{
    return g->api == JR_SCHEDULING_V1BETA1 ? JR_DEV_POD_GROUPS_V1BETA1 : JR_DEV_POD_GROUPS;
}

static bool is_controlled(const struct jr_dev_object *o, struct jr_str uid)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&o->meta);

    return owner != NULL && jr_str_eq(owner->uid, uid);
}

/** How many of these are the Job's; *ret: one of them. */
static size_t count_of(const struct jr_dev_store *store, enum jr_dev_resource_id id,
                       const struct sim_seen_job *j, const struct jr_dev_object **ret)
{
    const struct jr_dev_objects *l = &store->lists[id];
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (!is_controlled(l->v[i], j->thing.life.uid))
            continue;
        *ret = l->v[i];
        n++;
    }
    return n;
}

/** Its dependents go before it or after it, and one may be made late. */
static bool is_going(const struct sim_seen_job *j)
{
    return !sim_thing_stands(&j->thing) || jr_time_set(j->now->meta.deletion_timestamp);
}

/** 1.37: every Job that nobody controls, a gang or not. */
static bool wants_gang(const struct sim_gangs *g, const struct sim_seen_job *j,
                       const struct sim_wish *w)
{
    if (g->api == JR_SCHEDULING_V1BETA1)
        return true;
    return jr_str_is(j->now->spec.completion_mode, "Indexed") && w->parallelism > 1 &&
           w->parallelism == w->completions;
}

/** Whether it was to have a gang from the beginning on. */
static bool always_wanted(const struct sim_gangs *g, const struct sim_seen_job *j)
{
    for (size_t i = 0; i < j->n_wishes; i++) {
        if (!wants_gang(g, j, &j->wishes[i]))
            return false;
    }
    return true;
}

/** The Pods that a Job's gang waits for. */
static int64_t gang_of(int32_t parallelism)
{
    return parallelism > 1 ? parallelism : 1;
}

/** Whether there was to be a gang of so many Pods; -1: none, but a policy that is basic. */
static bool ever_wanted(const struct sim_gangs *g, const struct sim_seen_job *j, int64_t min_count)
{
    if (g->api == JR_SCHEDULING_V1BETA1 && !j->now->spec.scheduling)
        return min_count < 0;
    for (size_t i = 0; i < j->n_wishes; i++) {
        const int64_t parallelism = j->wishes[i].parallelism;

        if (wants_gang(g, j, &j->wishes[i]) && min_count == (parallelism > 1 ? parallelism : 1))
            return true;
    }
    return false;
}

/* ---- what is made ---- */

static bool owner_is_whole(const struct jr_dev_object *o, const struct sim_seen_job *j)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&o->meta);

    return jr_str_is(owner->api_version, "batch/v1") && jr_str_is(owner->kind, "Job") &&
           jr_str_eq(owner->name, j->thing.name) && owner->block_owner_deletion.set &&
           owner->block_owner_deletion.v;
}

static int64_t min_count(const struct jr_node *policy)
{
    int64_t v;

    return jr_node_i64(jr_path(policy, "schedulingPolicy.gang.minCount"), &v) == JR_OK ? v : -1;
}

static const char *wrong_with_workload(const struct sim_gangs *g, const struct sim_seen_job *j,
                                       const struct jr_node *spec)
{
    const struct jr_node *ref = jr_get(spec, "controllerRef");
    const struct jr_node *templates = jr_get(spec, "podGroupTemplates");
    char name[NAME_MAX_BYTES];

    (void)snprintf(name, sizeof(name), "%.*s-pgt-0", JR_P(j->thing.name));
    if (!jr_str_is(jr_get_str(ref, "apiGroup"), "batch") ||
        !jr_str_is(jr_get_str(ref, "kind"), "Job") ||
        !jr_str_eq(jr_get_str(ref, "name"), j->thing.name))
        return "is not about its Job";
    if (jr_size(templates) != 1 || !jr_str_is(jr_get_str(jr_first(templates), "name"), name))
        return "has not the one template that it has to have";
    if (!ever_wanted(g, j, min_count(jr_first(templates))))
        return "wants a number of Pods that the Job never asked for";
    return NULL;
}

/** How a PodGroup names its Workload and the template there. */
struct reference {
    const char *path, *workload, *template;
};
static const struct reference references[] = {
    [JR_SCHEDULING_V1ALPHA2] = { "podGroupTemplateRef.workload", "workloadName",
                                 "podGroupTemplateName" },
    [JR_SCHEDULING_V1BETA1] = { "workloadRef", "workloadName", "templateName" },
};

static const char *wrong_with_group(const struct sim_gangs *g, const struct sim_seen_job *j,
                                    const struct jr_node *spec,
                                    const struct jr_dev_object *workload)
{
    const struct reference *names = &references[g->api];
    const struct jr_node *ref = jr_path(spec, names->path), *template;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    if (jr_doc_parse(workload->text, &JR_READER_LENIENT, &doc, NULL) != JR_OK)
        return "refers to what can't be read";
    template = jr_first(jr_path(jr_doc_root(doc), "spec.podGroupTemplates"));
    if (!jr_str_eq(jr_get_str(ref, names->workload), workload->meta.name) ||
        !jr_str_eq(jr_get_str(ref, names->template), jr_get_str(template, "name")))
        return "refers to another Workload or template";
    /* in 1.37 both follow the Job, one after the other */
    if (g->api == JR_SCHEDULING_V1BETA1 ? !ever_wanted(g, j, min_count(spec))
                                        : min_count(spec) != min_count(template))
        return "has another policy than its template";
    return NULL;
}

/** Whether it refers to the Workload as to an owner, too. */
static bool names_owner(const struct sim_gangs *g, const struct jr_dev_object *o,
                        const struct jr_dev_object *workload)
{
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        const struct jr_owner_ref *ref = &o->meta.owner_refs.v[i];

        if (jr_str_eq(ref->uid, workload->meta.uid) && jr_str_is(ref->kind, "Workload") &&
            jr_str_is(ref->api_version, jr_scheduling_api_version(g->api)))
            return true;
    }
    return false;
}

/** One that has gone leaves no trace until a status tells of it: the Job is new again (10). */
static bool has_pods(const struct sim_seen_job *j)
{
    for (size_t i = 0; i < j->n_pods; i++) {
        if (sim_thing_stands(&j->pods[i]->thing) && sim_controls(j, j->pods[i]))
            return true;
    }
    return false;
}

static void check_workload(const struct sim_gangs *g, const struct sim_seen_job *j,
                           const struct jr_dev_object *o, const struct jr_node *root, bool knows)
{
    const char *wrong = wrong_with_workload(g, j, jr_get(root, "spec"));

    sim_rule(g->report, SIM_RULE_GANG_WORKLOAD);
    if (wrong == NULL && knows && has_pods(j))
        wrong = "was made for a Job that has Pods";
    if (wrong != NULL)
        sim_fail(g->report, INVARIANT, "Workload %.*s %s", JR_P(o->meta.name), wrong);
}

static void check_group(const struct sim_gangs *g, const struct sim_seen_job *j,
                        const struct jr_dev_object *o, const struct jr_node *root)
{
    const struct jr_dev_object *workload = NULL;
    const char *wrong = NULL;

    sim_rule(g->report, SIM_RULE_GANG_GROUP);
    if (count_of(g->store, workloads_of(g), j, &workload) == 0)
        wrong = "was made without a Workload";
    else if (!names_owner(g, o, workload))
        wrong = "is not its Workload's";
    else
        wrong = wrong_with_group(g, j, jr_get(root, "spec"), workload);
    if (wrong != NULL)
        sim_fail(g->report, INVARIANT, "PodGroup %.*s %s", JR_P(o->meta.name), wrong);
}

void sim_gang_made(const struct sim_gangs *g, const struct jr_dev_object *o, bool knows)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&o->meta);
    const struct sim_seen_job *j = owner == NULL ? NULL : sim_book_job(g->book, owner->uid);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_dev_object *one = NULL;

    if (o->res->id != workloads_of(g) && o->res->id != pod_groups_of(g))
        return;
    if (j == NULL || !owner_is_whole(o, j) ||
        jr_doc_parse(o->text, &JR_READER_LENIENT, &doc, NULL) != JR_OK) {
        sim_fail(g->report, INVARIANT, "%s %.*s belongs to no Job as it should", o->res->kind,
                 JR_P(o->meta.name));
        return;
    }
    if (is_going(j))
        return; /* it comes late, and the garbage collector takes it */
    if (count_of(g->store, o->res->id, j, &one) > 1)
        sim_fail(g->report, INVARIANT, "%s %.*s is the second one of its Job", o->res->kind,
                 JR_P(o->meta.name));
    if (o->res->id == workloads_of(g))
        check_workload(g, j, o, jr_doc_root(doc), knows);
    else
        check_group(g, j, o, jr_doc_root(doc));
}

/* ---- Pods ---- */

/** Reasons for an eligible Job to have none: Pods that were there before it was begun, or an older
 * Job of its name whose Workload stands in the way. */
static bool may_lack_gang(const struct sim_gangs *g, const struct sim_seen_job *j)
{
    const struct sim_book *b = g->book;

    for (size_t i = 0; i < j->n_pods; i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *made = NULL;

        if (jr_pod_decode(j->pods[i]->thing.life.versions[0].text, &made, NULL) != JR_OK ||
            !made->controller.set)
            return true;
    }
    for (size_t i = 0; i < b->n_jobs; i++) {
        const struct sim_seen_job *o = b->jobs[i];

        if (o != j && jr_str_eq(o->thing.name, j->thing.name) &&
            jr_str_eq(o->thing.namespace, j->thing.namespace))
            return true;
    }
    return !always_wanted(g, j);
}

/** Tells whether it was told of the Job's Workload: a Job that has Pods, and no Workload that is
 * known, is an old one without a gang. */
static bool is_told(const struct sim_gangs *g, const struct sim_seen_job *j,
                    const struct sim_hand *hand)
{
    const struct jr_dev_object *workload = NULL;

    if (count_of(g->store, workloads_of(g), j, &workload) == 0 ||
        sim_rv(workload->meta.resource_version) <= hand->workloads)
        return true;
    sim_excuse(g->report, SIM_EXCUSE_UNTOLD_GANG);
    return false;
}

void sim_gang_pod(const struct sim_gangs *g, const struct sim_seen_job *j,
                  const struct sim_seen_pod *p, bool knows, const struct sim_hand *hand)
{
    const struct jr_dev_object *group = NULL;
    size_t n = count_of(g->store, pod_groups_of(g), j, &group);
    struct sim_report *r = g->report;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_str name;

    if (is_going(j) ||
        jr_doc_parse(p->thing.life.versions[0].text, &JR_READER_LENIENT, &doc, NULL) != JR_OK)
        return;
    name = jr_get_str(jr_path(jr_doc_root(doc), "spec.schedulingGroup"), "podGroupName");
    if (name.n > 0) {
        sim_rule(r, SIM_RULE_GANG_POD);
        if (n == 0 || !jr_str_eq(name, group->meta.name))
            sim_fail(r, INVARIANT, "Pod %.*s is in the PodGroup %.*s, which is not its Job's",
                     JR_P(p->thing.name), JR_P(name));
    } else if (knows && !may_lack_gang(g, j) && is_told(g, j, hand)) {
        sim_fail(r, INVARIANT, "Pod %.*s is in no PodGroup, its Job has %zu", JR_P(p->thing.name),
                 n);
    }
}

/* ---- the end ---- */

/** In 1.37: whether its PodGroup waits for as many Pods as the Job runs. A Job that has finished is
 * left as it is. */
static bool has_followed(const struct sim_gangs *g, const struct sim_seen_job *j,
                         const struct jr_dev_object *o)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    int64_t count;

    if (g->api != JR_SCHEDULING_V1BETA1 || is_going(j) || jr_job_finished(&j->now->status) ||
        jr_doc_parse(o->text, &JR_READER_LENIENT, &doc, NULL) != JR_OK)
        return true;
    count = min_count(jr_get(jr_doc_root(doc), "spec"));
    return count < 0 || count == gang_of(jr_i32_or(j->now->spec.parallelism, 1));
}

bool sim_gang_at_rest(const struct sim_gangs *g, struct jr_buf *why)
{
    const enum jr_dev_resource_id ids[] = { workloads_of(g), pod_groups_of(g) };

    for (size_t k = 0; k < JR_ARRAY_SIZE(ids); k++) {
        const struct jr_dev_objects *l = &g->store->lists[ids[k]];

        for (size_t i = 0; i < l->n; i++) {
            const struct jr_owner_ref *owner = jr_meta_controller(&l->v[i]->meta);
            const struct sim_seen_job *j = owner == NULL ? NULL : sim_book_job(g->book, owner->uid);
            const char *wrong = NULL;

            if (j == NULL)
                continue;
            if (!sim_thing_stands(&j->thing))
                wrong = "outlives its Job";
            else if (k == 1 && !has_followed(g, j, l->v[i]))
                wrong = "has another minCount than its Job's parallelism";
            if (wrong == NULL)
                continue;
            (void)jr_buf_addf(why, "%s %.*s %s", l->v[i]->res->kind, JR_P(l->v[i]->meta.name),
                              wrong);
            return false;
        }
    }
    return true;
}
