/* SPDX-License-Identifier: Apache-2.0 */
/* Gang scheduling as Kubernetes 1.37 has it (KEP-5547, scheduling.k8s.io/v1beta1): a Job without a
 * controller is a root, and gets a Workload and a PodGroup made of its spec.scheduling; one whose
 * controller has delegated its Pod group gets a PodGroup of its controller's Workload. Source:
 * docs/reference/versions.md. */
#include "controller/reconcile/gang_parts.h"

#include "common/json/doc.h"

#define TEMPLATE_ANNOTATION "scheduling.k8s.io/group-template-name"

/* ---- what spec.scheduling comes to ---- */

/** The Job as a tree; NULL: it can't be read. */
static struct jr_doc *parse(const struct jr_job *job)
{
    struct jr_doc *doc = NULL;

    return jr_need(jr_doc_parse(job->raw, &JR_READER_LENIENT, &doc, NULL)) == JR_OK ? doc : NULL;
}

/** The minCount of a gang; unset where the policy is basic: of both members basic counts, and of
 * none, too. */
static struct jr_opt_i32 wanted_count(const struct jr_job *job)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = job->spec.scheduling ? parse(job) : NULL;
    const struct jr_node *policy =
        doc == NULL ? NULL : jr_path(jr_doc_root_const(doc), "spec.scheduling.schedulingPolicy");
    const struct jr_node *count = jr_path(policy, "gang.minCount");
    const int32_t parallelism = jr_i32_or(job->spec.parallelism, 1);

    if (!jr_unset(jr_get(policy, "basic")) || jr_unset(jr_get(policy, "gang")))
        return (struct jr_opt_i32){ .set = false };
    if (!jr_unset(count))
        return JR_I32((int32_t)jr_node_i64_or(count, 1));
    return JR_I32(parallelism > 1 ? parallelism : 1);
}

/** The block's text, kept as long as the sync; {NULL, 0} where `within` it (NULL: it) is empty. */
static struct jr_str block(struct jr_sync *s, const struct jr_node *scheduling, const char *name,
                           const char *within)
{
    const struct jr_node *b = jr_get(scheduling, name);
    JR_BUF text = { .max = JR_BUF_BY_INPUT };

    if (jr_size(within == NULL ? b : jr_get(b, within)) == 0)
        return (struct jr_str){ NULL, 0 };
    jr_must(jr_node_print(b, &text));
    return jr_xarena_str(&s->keep, jr_buf_str(&text));
}

static struct jr_str policy_text(struct jr_sync *s)
{
    if (!s->gang.min_count.set)
        return JR_S("{\"basic\":{}}");
    return jr_xarena_text(&s->keep, "{\"gang\":{\"minCount\":%d}}", (int)s->gang.min_count.v);
}

static struct jr_pod_group_template compile(struct jr_sync *s)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(s->job);
    const struct jr_node *spec = doc == NULL ? NULL : jr_get(jr_doc_root_const(doc), "spec");
    const struct jr_node *scheduling = jr_get(spec, "scheduling");

    return (struct jr_pod_group_template){
        .name = jr_gang_template_name(&s->keep, s->job),
        .policy = policy_text(s),
        .constraints = block(s, scheduling, "schedulingConstraints", "topology"),
        .claims = block(s, scheduling, "resourceClaims", NULL),
        .disruption = block(s, scheduling, "disruptionMode", NULL),
        .priority_class =
            jr_xarena_str(&s->keep, jr_node_str(jr_path(spec, "template.spec.priorityClassName"))),
    };
}

/* ---- bodies ---- */

static void write_block(struct jr_writer *w, const char *key, struct jr_str text)
{
    if (text.n == 0)
        return;
    jr_w_key(w, key);
    jr_w_raw(w, text);
}

/** What a template and the PodGroups made of it have in common. */
static void write_blocks(const struct jr_pod_group_template *t, struct jr_writer *w)
{
    write_block(w, "schedulingPolicy", t->policy);
    write_block(w, "schedulingConstraints", t->constraints);
    write_block(w, "resourceClaims", t->claims);
    write_block(w, "disruptionMode", t->disruption);
    jr_w_opt_kstr(w, "priorityClassName", t->priority_class);
    jr_w_opt_ki32(w, "priority", t->priority);
}

static void write_workload(struct jr_sync *s, struct jr_writer *w)
{
    jr_gang_write_head(s, w, "Workload", s->gang.workload);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_kobject(w, "spec");
    jr_gang_write_controller(s, w);
    jr_w_karray(w, "podGroupTemplates");
    jr_w_object(w);
    jr_w_kstr(w, "name", s->gang.template.name);
    write_blocks(&s->gang.template, w);
    jr_w_object_end(w);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void write_pod_group(struct jr_sync *s, struct jr_writer *w)
{
    jr_gang_write_head(s, w, "PodGroup", s->gang.pod_group_name);
    if (!s->gang.delegated)
        jr_gang_write_workload_owner(s, w);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_kobject(w, "spec");
    jr_w_kobject(w, "workloadRef");
    jr_w_kstr(w, "workloadName", s->gang.workload);
    jr_w_kstr(w, "templateName", s->gang.template.name);
    jr_w_object_end(w);
    write_blocks(&s->gang.template, w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void write_count(struct jr_sync *s, struct jr_writer *w)
{
    jr_w_kobject(w, "schedulingPolicy");
    jr_w_kobject(w, "gang");
    jr_w_ki64(w, "minCount", s->gang.min_count.v);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void write_workload_patch(struct jr_sync *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kobject(w, "spec");
    jr_w_karray(w, "podGroupTemplates");
    jr_w_object(w);
    jr_w_kstr(w, "name", s->gang.template.name);
    write_count(s, w);
    jr_w_object_end(w);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void write_pod_group_patch(struct jr_sync *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kobject(w, "spec");
    write_count(s, w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

/* ---- the number of Pods that a gang waits for ---- */

static bool differs(const struct jr_sync *s, struct jr_opt_i32 count)
{
    return s->gang.min_count.set && count.set && count.v != s->gang.min_count.v;
}

static const struct jr_stage *after_pod_group_patch(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    return res->outcome == JR_OP_OK ? NULL : jr_gang_fail(s, jr_result_message(res));
}

static const struct jr_stage *sync_pod_group_count(struct jr_sync *s)
{
    if (s->gang.pod_group.n == 0 || !differs(s, s->gang.pod_group_count))
        return NULL;
    return jr_gang_send(s, JR_OP_PATCH_POD_GROUP, s->gang.pod_group, write_pod_group_patch,
                        after_pod_group_patch);
}

static const struct jr_stage *after_workload_patch(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    return res->outcome == JR_OP_OK ? sync_pod_group_count(s)
                                    : jr_gang_fail(s, jr_result_message(res));
}

/** A root's Workload follows its Job, and a PodGroup its template. */
static const struct jr_stage *sync_count(struct jr_sync *s)
{
    if (s->gang.delegated || !differs(s, jr_gang_min_count(s->gang.template.policy)))
        return sync_pod_group_count(s);
    return jr_gang_send(s, JR_OP_PATCH_WORKLOAD, s->gang.workload, write_workload_patch,
                        after_workload_patch);
}

/* ---- the PodGroup ---- */

static const struct jr_stage *after_pod_group(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    if (res->outcome != JR_OP_OK)
        return jr_gang_fail(s, jr_result_message(res));
    s->gang.pod_group = s->gang.pod_group_name;
    s->gang.pod_group_count = jr_gang_min_count(s->gang.template.policy);
    jr_emit_event(s, "Normal", "PodGroupCreated", "Created PodGroup ",
                  jr_xarena_text(jr_stage_arena(s), "%.*s for Job %.*s", JR_P(s->gang.pod_group),
                                 JR_P(s->job->meta.name)));
    return sync_count(s);
}

/** The PodGroups of the Workload that the Job controls; *ret: the first one. */
static size_t own_pod_groups(const struct jr_sync *s, const struct jr_gang_object **ret)
{
    size_t n = 0;

    for (size_t i = s->snap.n_pod_groups; i > 0; i--) {
        const struct jr_gang_object *o = s->snap.pod_groups[i - 1];

        if (!jr_str_eq(o->workload_name, s->gang.workload) || !jr_gang_is_controlled(s, o))
            continue;
        *ret = o;
        n++;
    }
    return n;
}

static const struct jr_stage *ensure_pod_group(struct jr_sync *s)
{
    const struct jr_gang_object *found = NULL;
    const size_t n = own_pod_groups(s, &found);

    if (n == 1 || (n > 1 && s->gang.delegated)) {
        s->gang.pod_group = found->meta.name;
        s->gang.pod_group_count = jr_gang_min_count(found->policy);
    }
    if (n > 0 || !jr_gang_is_new(s))
        return sync_count(s);
    s->gang.pod_group_name =
        jr_gang_pod_group_name(&s->keep, s->gang.workload, s->gang.template.name);
    return jr_gang_send(s, JR_OP_CREATE_POD_GROUP, JR_S(""), write_pod_group, after_pod_group);
}

/* ---- the Workload ---- */

/** What the server has stored goes into the PodGroup: it may have set more than was sent. */
static void take_stored(struct jr_sync *s, struct jr_str body)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;
    struct jr_pod_group_template *t = &s->gang.template;

    if (jr_need(jr_gang_object_decode(body, &o, NULL)) != JR_OK || o->templates.n != 1)
        return;
    *t = o->templates.v[0];
    t->name = jr_xarena_str(&s->keep, t->name);
    t->policy = jr_xarena_str(&s->keep, t->policy);
    t->constraints = jr_xarena_str(&s->keep, t->constraints);
    t->claims = jr_xarena_str(&s->keep, t->claims);
    t->disruption = jr_xarena_str(&s->keep, t->disruption);
    t->priority_class = jr_xarena_str(&s->keep, t->priority_class);
}

static const struct jr_stage *after_workload(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    const struct jr_str why = jr_result_message(res);

    if (res->outcome != JR_OP_OK) {
        if (!res->held_back)
            jr_emit_event(s, "Warning", "FailedWorkloadCreate",
                          "Failed to create Workload for Job ",
                          jr_xarena_text(jr_stage_arena(s), "%.*s: %.*s", JR_P(s->job->meta.name),
                                         JR_P(why)));
        return jr_gang_fail(s, why);
    }
    s->gang.workload_uid = jr_xarena_str(&s->keep, res->uid);
    take_stored(s, res->body);
    jr_emit_event(s, "Normal", "WorkloadCreated", "Created Workload ",
                  jr_xarena_text(jr_stage_arena(s), "%.*s for Job %.*s", JR_P(s->gang.workload),
                                 JR_P(s->job->meta.name)));
    return ensure_pod_group(s);
}

static const struct jr_stage *create_workload(struct jr_sync *s)
{
    s->gang.workload = jr_gang_workload_name(&s->keep, s->job);
    s->gang.template = compile(s);
    return jr_gang_send(s, JR_OP_CREATE_WORKLOAD, JR_S(""), write_workload, after_workload);
}

static const struct jr_stage *use_workload(struct jr_sync *s, const struct jr_gang_object *workload,
                                           const struct jr_pod_group_template *template)
{
    s->gang.workload = workload->meta.name;
    s->gang.workload_uid = workload->meta.uid;
    s->gang.template = *template;
    return ensure_pod_group(s);
}

/* ---- a root, and one whose controller has delegated its Pod group ---- */

static const struct jr_stage *root_gang(struct jr_sync *s)
{
    const struct jr_gang_object *found = NULL;
    size_t n = 0;

    for (size_t i = 0; i < s->snap.n_workloads; i++) {
        const struct jr_gang_object *w = s->snap.workloads[i];

        if (!jr_gang_refers_to(w, JR_S("batch"), JR_S("Job"), s->job->meta.name) ||
            !jr_gang_is_controlled(s, w))
            continue;
        found = w;
        n++;
    }
    if (n > 1)
        return NULL;
    s->gang.min_count = wanted_count(s->job);
    if (n == 0)
        return jr_gang_is_new(s) && jr_gang_can_be_named(s) ? create_workload(s) : NULL;
    if (found->templates.n != 1)
        return jr_gang_fail(
            s, jr_xarena_text(jr_stage_arena(s),
                              "workload %.*s/%.*s for job %.*s/%.*s has %zu PodGroupTemplates, "
                              "want exactly 1",
                              JR_P(s->snap.namespace), JR_P(found->meta.name),
                              JR_P(s->snap.namespace), JR_P(s->snap.name), found->templates.n));
    return use_workload(s, found, &found->templates.v[0]);
}

static const struct jr_pod_group_template *template_of(const struct jr_gang_object *workload,
                                                       struct jr_str name)
{
    for (size_t i = 0; i < workload->templates.n; i++) {
        if (name.n == 0 || jr_str_eq(workload->templates.v[i].name, name))
            return &workload->templates.v[i];
    }
    return NULL;
}

static const struct jr_stage *delegated_gang(struct jr_sync *s, const struct jr_owner_ref *owner,
                                             struct jr_str template)
{
    const ptrdiff_t slash = jr_str_find(owner->api_version, '/');
    const struct jr_str group = jr_str_head(owner->api_version, slash < 0 ? 0 : (size_t)slash);

    for (size_t i = 0; i < s->snap.n_workloads; i++) {
        const struct jr_gang_object *w = s->snap.workloads[i];
        const struct jr_pod_group_template *t;

        if (!jr_gang_refers_to(w, group, owner->kind, owner->name))
            continue;
        t = template_of(w, template);
        if (t == NULL)
            return NULL;
        s->gang.delegated = true;
        s->gang.min_count = jr_gang_min_count(t->policy);
        return use_workload(s, w, t);
    }
    return NULL;
}

const struct jr_stage *jr_gang_v1beta1(struct jr_sync *s)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&s->job->meta);
    const struct jr_str template =
        jr_labels_get(&s->job->meta.annotations, JR_S(TEMPLATE_ANNOTATION));

    if (s->job->spec.template.scheduling_group)
        return NULL;
    if (owner != NULL)
        return template.p == NULL ? NULL : delegated_gang(s, owner, template);
    if (s->snap.options->gangs_only_asked && !s->job->spec.scheduling)
        return NULL;
    return root_gang(s);
}
