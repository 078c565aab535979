/* SPDX-License-Identifier: Apache-2.0 */
/* Gang scheduling: a Workload and a PodGroup for each eligible Job, as Kubernetes 1.36 has it
 * (KEP-4671, alpha); 1.37 makes them another way, see gang_v1beta1.c. */
#include "controller/reconcile/gang_parts.h"

#include <stdio.h>

#include "common/rules/names.h"
#include "controller/reconcile/pod_patches.h"

#define NAME_MAX_BYTES ((size_t)253) /* a DNS subdomain */

/* ---- names ---- */

static uint32_t fnv1a(uint32_t h, struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT32_C(16777619);
    return h;
}
#define FNV_START UINT32_C(2166136261)

#define HASH_TEXT_MAX 12
/** In decimal, each digit replaced by a letter or digit that makes no words (apimachinery's
 * SafeEncodeString). */
static void encode(uint32_t h, char out[HASH_TEXT_MAX])
{
    static const char safe[] = "bcdfghjklmnpqrstvwxz2456789";

    (void)snprintf(out, HASH_TEXT_MAX, "%u", (unsigned)h);
    for (char *c = out; *c != '\0'; c++)
        *c = safe[(unsigned char)*c % (sizeof(safe) - 1)];
}

struct jr_str jr_gang_workload_name(struct jr_arena *a, const struct jr_job *job)
{
    char hash[HASH_TEXT_MAX];
    struct jr_str name = job->meta.name;

    /* upstream hashes the uid as fmt prints it with its type */
    encode(fnv1a(fnv1a(FNV_START, JR_S("(types.UID)")), job->meta.uid), hash);
    if (name.n > NAME_MAX_BYTES - strlen(hash) - 1)
        name = jr_str_head(name, NAME_MAX_BYTES - strlen(hash) - 1);
    return jr_xarena_text(a, "%.*s-%s", JR_P(name), hash);
}

struct jr_str jr_gang_template_name(struct jr_arena *a, const struct jr_job *job)
{
    return jr_xarena_text(a, "%.*s-pgt-0", JR_P(job->meta.name));
}

struct jr_str jr_gang_pod_group_name(struct jr_arena *a, struct jr_str workload,
                                     struct jr_str template)
{
    char hash[HASH_TEXT_MAX];
    size_t room, half;

    encode(fnv1a(fnv1a(FNV_START, workload), template), hash);
    room = NAME_MAX_BYTES - strlen(hash) - 2;
    half = room / 2;
    if (workload.n + template.n > room) {
        /* who needs less than half leaves the rest to the other */
        if (workload.n <= half)
            template.n = room - workload.n;
        else if (template.n <= half)
            workload.n = room - template.n;
        else {
            workload.n = room - half;
            template.n = half;
        }
    }
    return jr_xarena_text(a, "%.*s-%.*s-%s", JR_P(workload), JR_P(template), hash);
}

/* ---- what both versions share ---- */

bool jr_gang_is_new(const struct jr_sync *s)
{
    const struct jr_job_status *st = &s->job->status;

    /* A Pod whose creation had no answer counts: without it the gang would never be whole. */
    return s->snap.expectations_satisfied && s->n_pods == 0 && !jr_time_set(st->start_time) &&
           st->succeeded == 0 && st->failed == 0 &&
           jr_job_condition_get(&st->conditions, "Suspended") == NULL;
}

bool jr_gang_refers_to(const struct jr_gang_object *workload, struct jr_str group,
                       struct jr_str kind, struct jr_str name)
{
    const struct jr_local_ref *ref = &workload->controller_ref;

    return ref->set && jr_str_eq(ref->api_group, group) && jr_str_eq(ref->kind, kind) &&
           jr_str_eq(ref->name, name);
}

bool jr_gang_is_controlled(const struct jr_sync *s, const struct jr_gang_object *o)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&o->meta);

    return owner != NULL && jr_str_eq(owner->uid, s->job->meta.uid);
}

bool jr_gang_can_be_named(const struct jr_sync *s)
{
    JR_ARENA a = { 0 };

    jr_arena_init(&a, 0);
    return jr_name_dns_label(jr_gang_template_name(&a, s->job)).n == 0;
}

void jr_gang_write_head(struct jr_sync *s, struct jr_writer *w, const char *kind,
                        struct jr_str name)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", jr_str(jr_scheduling_api_version(s->snap.gang_api)));
    jr_w_kstr(w, "kind", jr_str(kind));
    jr_w_kobject(w, "metadata");
    jr_w_kstr(w, "name", name);
    jr_w_kstr(w, "namespace", s->snap.namespace);
    jr_w_karray(w, "ownerReferences");
    jr_owner_write(s->job, w);
}

void jr_gang_write_workload_owner(struct jr_sync *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", jr_str(jr_scheduling_api_version(s->snap.gang_api)));
    jr_w_kstr(w, "kind", JR_S("Workload"));
    jr_w_kstr(w, "name", s->gang.workload);
    jr_w_kstr(w, "uid", s->gang.workload_uid);
    jr_w_object_end(w);
}

void jr_gang_write_controller(struct jr_sync *s, struct jr_writer *w)
{
    jr_w_kobject(w, "controllerRef");
    jr_w_kstr(w, "apiGroup", JR_S("batch"));
    jr_w_kstr(w, "kind", JR_S("Job"));
    jr_w_kstr(w, "name", s->job->meta.name);
    jr_w_object_end(w);
}

const struct jr_stage *jr_gang_send(struct jr_sync *s, enum jr_op_kind kind, struct jr_str name,
                                    void (*write)(struct jr_sync *s, struct jr_writer *w),
                                    jr_resume_fn *resume)
{
    JR_BUF body = { .max = JR_BUF_BY_INPUT };
    struct jr_writer w = jr_writer_on(&body);
    struct jr_op *op = jr_stage_ops(s, 1);

    write(s, &w);
    *op = (struct jr_op){ .kind = kind,
                          .body = jr_stage_body(s, &body),
                          .name = name,
                          .api = s->snap.gang_api,
                          .after = -1 };
    return jr_emit(s, JR_STAGE_GANG, JR_MODE_SEQUENCE, op, 1, resume);
}

const struct jr_stage *jr_gang_fail(struct jr_sync *s, struct jr_str why)
{
    return jr_emit_done(s, jr_xarena_text(jr_stage_arena(s),
                                          "ensuring Workload and PodGroup for Job %.*s/%.*s: %.*s",
                                          JR_P(s->snap.namespace), JR_P(s->snap.name), JR_P(why)));
}

/* ---- who is eligible ---- */

static bool is_eligible(const struct jr_sync *s)
{
    const struct jr_job_spec *spec = &s->job->spec;

    return s->indexed && jr_i32_or(spec->parallelism, 1) > 1 &&
           jr_i32_or(spec->parallelism, 1) == s->completions && !spec->template.scheduling_group;
}

/* ---- bodies ---- */

static void write_policy(const struct jr_sync *s, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kobject(w, "gang");
    jr_w_ki64(w, "minCount", s->completions);
    jr_w_object_end(w);
    jr_w_object_end(w);
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
    jr_w_key(w, "schedulingPolicy");
    write_policy(s, w);
    jr_w_object_end(w);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void write_pod_group(struct jr_sync *s, struct jr_writer *w)
{
    jr_gang_write_head(s, w, "PodGroup", s->gang.pod_group_name);
    jr_gang_write_workload_owner(s, w);
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_kobject(w, "spec");
    jr_w_kobject(w, "podGroupTemplateRef");
    jr_w_kobject(w, "workload");
    jr_w_kstr(w, "workloadName", s->gang.workload);
    jr_w_kstr(w, "podGroupTemplateName", s->gang.template.name);
    jr_w_object_end(w);
    jr_w_object_end(w);
    jr_w_key(w, "schedulingPolicy");
    if (s->gang.template.policy.n > 0)
        jr_w_raw(w, s->gang.template.policy);
    else
        write_policy(s, w);
    jr_w_object_end(w);
    jr_w_object_end(w);
}

/* ---- the PodGroup ---- */

static const struct jr_stage *after_pod_group(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    if (res->outcome != JR_OP_OK)
        return jr_gang_fail(s, jr_result_message(res));
    s->gang.pod_group = s->gang.pod_group_name;
    return NULL;
}

static const struct jr_stage *ensure_pod_group(struct jr_sync *s)
{
    const struct jr_gang_object *found = NULL;
    size_t n = 0;

    for (size_t i = 0; i < s->snap.n_pod_groups; i++) {
        if (!jr_str_eq(s->snap.pod_groups[i]->workload_name, s->gang.workload))
            continue;
        found = s->snap.pod_groups[i];
        n++;
    }
    if (n == 1 && jr_gang_is_controlled(s, found))
        s->gang.pod_group = found->meta.name;
    if (n > 0)
        return NULL;
    s->gang.pod_group_name =
        jr_gang_pod_group_name(&s->keep, s->gang.workload, s->gang.template.name);
    return jr_gang_send(s, JR_OP_CREATE_POD_GROUP, JR_S(""), write_pod_group, after_pod_group);
}

/* ---- the Workload ---- */

static const struct jr_stage *after_workload(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    if (res->outcome != JR_OP_OK)
        return jr_gang_fail(s, jr_result_message(res));
    s->gang.workload_uid = jr_xarena_str(&s->keep, res->uid);
    jr_emit_event(s, "Normal", "WorkloadCreated", "Created Workload ",
                  jr_xarena_text(jr_stage_arena(s), "%.*s for Job %.*s", JR_P(s->gang.workload),
                                 JR_P(s->job->meta.name)));
    return ensure_pod_group(s);
}

static const struct jr_stage *create_workload(struct jr_sync *s)
{
    s->gang.workload = jr_gang_workload_name(&s->keep, s->job);
    s->gang.template.name = jr_gang_template_name(&s->keep, s->job);
    return jr_gang_send(s, JR_OP_CREATE_WORKLOAD, JR_S(""), write_workload, after_workload);
}

static const struct jr_stage *gang_v1alpha2(struct jr_sync *s)
{
    const struct jr_gang_object *found = NULL;
    size_t n = 0;

    if (!is_eligible(s))
        return NULL;
    for (size_t i = 0; i < s->snap.n_workloads; i++) {
        if (!jr_gang_refers_to(s->snap.workloads[i], JR_S("batch"), JR_S("Job"), s->job->meta.name))
            continue;
        found = s->snap.workloads[i];
        n++;
    }
    if (n == 0)
        return jr_gang_is_new(s) && jr_gang_can_be_named(s) ? create_workload(s) : NULL;
    if (n > 1 || !jr_gang_is_controlled(s, found) || found->templates.n != 1)
        return NULL;
    s->gang.workload = found->meta.name;
    s->gang.workload_uid = found->meta.uid;
    s->gang.template = found->templates.v[0];
    return ensure_pod_group(s);
}

const struct jr_stage *jr_gang(struct jr_sync *s)
{
    if (s->snap.gang_api != JR_SCHEDULING_NONE && s->job->template_dropped)
        return jr_need_template(s); /* the owners and annotations that decide, too */
    switch (s->snap.gang_api) {
    case JR_SCHEDULING_V1ALPHA2:
        return gang_v1alpha2(s);
    case JR_SCHEDULING_V1BETA1:
        return jr_gang_v1beta1(s);
    case JR_SCHEDULING_NONE:
        break;
    }
    return NULL;
}
