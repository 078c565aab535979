/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: which features go together, and the manifest. */
#include "common/json/write.h"
#include "tests/sim/plan_draw.h"

#define MANIFEST_MAX_BYTES (64 << 10)
#define OTHER_MANAGER "example.com/other"
#define HUGE_PER_MILLE 3
#define HUGE_PODS 530
#define GANG_PERCENT 60 /* of the Jobs where there is spec.scheduling */

/* How often a feature is tried, and with which it can't go. */
static const struct chance {
    enum sim_feature feature;
    unsigned percent;
    uint32_t needs;
    uint32_t excludes;
} chances[] = {
#define BIT(name) (1u << SIM_FEATURE_##name)
    { SIM_FEATURE_PER_INDEX, 45, BIT(INDEXED), 0 },
    { SIM_FEATURE_MAX_FAILED_INDEXES, 50, BIT(PER_INDEX), 0 },
    { SIM_FEATURE_SUCCESS_POLICY, 35, BIT(INDEXED), 0 },
    { SIM_FEATURE_FAILURE_POLICY, 35, 0, 0 },
    { SIM_FEATURE_ON_FAILURE, 25, 0, BIT(PER_INDEX) | BIT(FAILURE_POLICY) },
    { SIM_FEATURE_REPLACE_FAILED, 25, 0, 0 },
    { SIM_FEATURE_BACKOFF_LIMIT, 45, 0, 0 },
    { SIM_FEATURE_SUSPENDED, 14, 0, 0 },
    { SIM_FEATURE_DEADLINE, 18, 0, 0 },
    { SIM_FEATURE_TTL, 15, 0, 0 },
    { SIM_FEATURE_MANUAL_SELECTOR, 12, 0, 0 },
    { SIM_FEATURE_SLOW_DEATH, 25, 0, 0 },
    { SIM_FEATURE_NEVER_READY, 12, 0, 0 },
    { SIM_FEATURE_EXTERNAL, 5, 0, 0 },
};

static void draw_size(const struct sim_drawing *d, struct sim_shape *s)
{
    bool big = sim_percent(d, SIM_FOR_SIZE, s->job, 3);
    int parallelism = 1 + (int)sim_draw(d, SIM_FOR_PARALLELISM, s->job, big ? 12 : 6);
    int completions = big ? 30 : 1 + (int)sim_draw(d, SIM_FOR_COMPLETIONS, s->job, 10);
    uint64_t special = sim_draw(d, SIM_FOR_SIZE, of_job(s->job, 1), 100);

    s->parallelism = parallelism;
    s->completions = sim_has(s, SIM_FEATURE_WORK_QUEUE) ? -1 : completions;
    if (sim_has(s, SIM_FEATURE_HUGE)) {
        s->parallelism = s->completions = HUGE_PODS;
        return;
    }
    if (sim_has(s, SIM_FEATURE_INDEXED) && special < 40) {
        s->elastic = true;
        s->completions = parallelism;
    } else if (sim_has(s, SIM_FEATURE_FIXED) && special < 15) {
        s->parallelism = -1;
        s->completions = -1; /* both by default: 1 and 1 */
    } else if (!sim_has(s, SIM_FEATURE_WORK_QUEUE) && special > 97) {
        s->completions = 0;
    }
}

void sim_shape_draw(const struct sim_drawing *d, size_t job, struct sim_shape *ret)
{
    static const enum sim_feature kinds[] = {
        SIM_FEATURE_FIXED,      SIM_FEATURE_FIXED,   SIM_FEATURE_FIXED,   SIM_FEATURE_WORK_QUEUE,
        SIM_FEATURE_WORK_QUEUE, SIM_FEATURE_INDEXED, SIM_FEATURE_INDEXED, SIM_FEATURE_INDEXED,
    };

    *ret = (struct sim_shape){ .job = job };
    ret->features = 1u << kinds[sim_draw(d, SIM_FOR_KIND, job, JR_ARRAY_SIZE(kinds))];
    for (size_t i = 0; i < JR_ARRAY_SIZE(chances); i++) {
        const struct chance *c = &chances[i];

        if ((ret->features & c->needs) == c->needs && (ret->features & c->excludes) == 0 &&
            sim_percent(d, SIM_FOR_FEATURE, of_job(job, c->feature), c->percent))
            ret->features |= 1u << c->feature;
    }
    if (sim_draw(d, SIM_FOR_HUGE, job, 1000) < HUGE_PER_MILLE)
        ret->features = BIT(HUGE) | (ret->features & BIT(INDEXED) ? BIT(INDEXED) : BIT(FIXED));
    draw_size(d, ret);
    if (ret->completions == 0)
        ret->features &= ~BIT(SUCCESS_POLICY); /* there is no index that it could name */
    if (sim_has(ret, SIM_FEATURE_FAILURE_POLICY))
        ret->features |= BIT(REPLACE_FAILED); /* by default, and nothing else is valid */
    if (sim_has(ret, SIM_FEATURE_DEADLINE))
        ret->deadline_s =
            2 + (int64_t)sim_draw(d, SIM_FOR_VALUE, of_job(job, SIM_FEATURE_DEADLINE), 60);
    ret->side = sim_percent(d, SIM_FOR_CONTAINERS, job, 20);
}

/* ---- the manifest ---- */

static uint64_t value(const struct sim_drawing *d, const struct sim_shape *s, enum sim_feature f,
                      uint64_t n)
{
    return sim_draw(d, SIM_FOR_VALUE, of_job(s->job, f), n);
}

static void write_container(struct jr_writer *w, const char *name)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", jr_str(name));
    jr_w_kstr(w, "image", JR_S("x:1"));
    jr_w_object_end(w);
}

static void write_pod_spec(const struct sim_drawing *d, const struct sim_shape *s,
                           struct jr_writer *w)
{
    bool on_failure = sim_has(s, SIM_FEATURE_ON_FAILURE);

    jr_w_key(w, "spec");
    jr_w_object(w);
    jr_w_kstr(w, "restartPolicy", on_failure ? JR_S("OnFailure") : JR_S("Never"));
    if (sim_percent(d, SIM_FOR_CONTAINERS, of_job(s->job, 1), 12)) {
        jr_w_key(w, "initContainers");
        jr_w_array(w);
        write_container(w, "first");
        jr_w_array_end(w);
    }
    jr_w_key(w, "containers");
    jr_w_array(w);
    write_container(w, "main");
    if (s->side)
        write_container(w, "side");
    jr_w_array_end(w);
    jr_w_object_end(w);
}

static void write_label(struct jr_writer *w, const char *key, const char *name)
{
    jr_w_key(w, key);
    jr_w_object(w);
    jr_w_kstr(w, "app", jr_str(name));
    jr_w_object_end(w);
}

/** matchExpressions that exclude nobody, and that are so many that a bounded cache drops them. */
static void write_long_expression(struct jr_writer *w)
{
    jr_w_karray(w, "matchExpressions");
    jr_w_object(w);
    jr_w_kstr(w, "key", JR_S("app"));
    jr_w_kstr(w, "operator", JR_S("NotIn"));
    jr_w_karray(w, "values");
    for (const char *v = "abcdefghi"; *v != '\0'; v++)
        jr_w_str(w, (struct jr_str){ v, 1 });
    jr_w_array_end(w);
    jr_w_object_end(w);
    jr_w_array_end(w);
}

static void write_template(const struct sim_drawing *d, const struct sim_shape *s,
                           const struct sim_job *job, struct jr_writer *w)
{
    jr_w_key(w, "template");
    jr_w_object(w);
    jr_w_key(w, "metadata");
    jr_w_object(w);
    write_label(w, "labels", job->name);
    jr_w_key(w, "annotations");
    sim_pod_plan_write(d, s, w);
    jr_w_object_end(w);
    write_pod_spec(d, s, w);
    jr_w_object_end(w);
}

static void write_limits(const struct sim_drawing *d, const struct sim_shape *s,
                         struct jr_writer *w)
{
    if (sim_has(s, SIM_FEATURE_BACKOFF_LIMIT))
        jr_w_ki64(w, "backoffLimit", (int64_t)value(d, s, SIM_FEATURE_BACKOFF_LIMIT, 4));
    if (sim_has(s, SIM_FEATURE_PER_INDEX))
        jr_w_ki64(w, "backoffLimitPerIndex", (int64_t)value(d, s, SIM_FEATURE_PER_INDEX, 3));
    if (sim_has(s, SIM_FEATURE_MAX_FAILED_INDEXES))
        jr_w_ki64(
            w, "maxFailedIndexes",
            (int64_t)value(d, s, SIM_FEATURE_MAX_FAILED_INDEXES, (uint64_t)s->completions / 2 + 1));
    if (sim_has(s, SIM_FEATURE_DEADLINE))
        jr_w_ki64(w, "activeDeadlineSeconds", s->deadline_s);
    if (sim_has(s, SIM_FEATURE_TTL))
        jr_w_ki64(w, "ttlSecondsAfterFinished", (int64_t)value(d, s, SIM_FEATURE_TTL, 20));
}

static void write_policies(const struct sim_drawing *d, const struct sim_shape *s,
                           struct jr_writer *w)
{
    bool failed = sim_has(s, SIM_FEATURE_REPLACE_FAILED);
    /* What is the default may be left out. */
    bool said = failed != sim_has(s, SIM_FEATURE_FAILURE_POLICY) ||
                value(d, s, SIM_FEATURE_REPLACE_FAILED, 100) < 30;

    if (sim_has(s, SIM_FEATURE_FAILURE_POLICY))
        sim_failure_policy_write(d, s, w);
    if (sim_has(s, SIM_FEATURE_SUCCESS_POLICY))
        sim_success_policy_write(d, s, w);
    if (said)
        jr_w_kstr(w, "podReplacementPolicy", failed ? JR_S("Failed") : JR_S("TerminatingOrFailed"));
}

/** A gang of all Pods that run at a time. */
static void write_scheduling(const struct sim_drawing *d, const struct sim_shape *s,
                             struct jr_writer *w)
{
    if (d->gang_api != JR_SCHEDULING_V1BETA1 ||
        !sim_percent(d, SIM_FOR_SCHEDULING, of_job(s->job, 1), GANG_PERCENT))
        return;
    jr_w_key(w, "scheduling");
    jr_w_raw(w, JR_S("{\"schedulingPolicy\":{\"gang\":{}}}"));
}

static void write_spec(const struct sim_drawing *d, const struct sim_shape *s,
                       const struct sim_job *job, struct jr_writer *w)
{
    jr_w_key(w, "spec");
    jr_w_object(w);
    if (s->parallelism >= 0)
        jr_w_ki64(w, "parallelism", s->parallelism);
    if (s->completions >= 0)
        jr_w_ki64(w, "completions", s->completions);
    if (sim_has(s, SIM_FEATURE_INDEXED))
        jr_w_kstr(w, "completionMode", JR_S("Indexed"));
    if (sim_has(s, SIM_FEATURE_SUSPENDED))
        jr_w_kbool(w, "suspend", true);
    write_limits(d, s, w);
    write_policies(d, s, w);
    write_scheduling(d, s, w);
    if (sim_has(s, SIM_FEATURE_EXTERNAL))
        jr_w_kstr(w, "managedBy", JR_S(OTHER_MANAGER));
    else if (d->managed)
        jr_w_kstr(w, "managedBy", JR_S("jobreeve.dev/controller"));
    else if (sim_percent(d, SIM_FOR_MANAGER, s->job, 10))
        jr_w_kstr(w, "managedBy", JR_S("kubernetes.io/job-controller"));
    if (sim_has(s, SIM_FEATURE_MANUAL_SELECTOR)) {
        jr_w_kbool(w, "manualSelector", true);
        jr_w_key(w, "selector");
        jr_w_object(w);
        write_label(w, "matchLabels", job->name);
        if (sim_percent(d, SIM_FOR_SELECTOR, s->job, 50))
            write_long_expression(w);
        jr_w_object_end(w);
    }
    write_template(d, s, job, w);
    jr_w_object_end(w);
}

static void write_job(const struct sim_drawing *d, const struct sim_shape *s,
                      const struct sim_job *job, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "apiVersion", JR_S("batch/v1"));
    jr_w_kstr(w, "kind", JR_S("Job"));
    jr_w_key(w, "metadata");
    jr_w_object(w);
    jr_w_kstr(w, "namespace", jr_str(job->namespace));
    jr_w_kstr(w, "name", jr_str(job->name));
    jr_w_object_end(w);
    write_spec(d, s, job, w);
    jr_w_object_end(w);
}

enum jr_status sim_job_draw(const struct sim_drawing *d, const struct sim_shape *shape,
                            struct sim_job *ret)
{
    static const char *const names[] = { "anna", "berta", "carla", "dora" };
    JR_BUF text = { 0 };
    struct jr_writer w = jr_writer_on(&text);
    struct sim_job job = {
        .namespace = sim_percent(d, SIM_FOR_NAMESPACE, shape->job, 20) ? "team" : "default",
        .name = names[shape->job % JR_ARRAY_SIZE(names)],
        .at_ns = (int64_t)sim_draw(d, SIM_FOR_JOB_TIME, shape->job, 15000) * JR_MSEC,
        .features = shape->features,
    };

    if (d->managed)
        job.features |= BIT(MANAGED);
    if (d->narrow && strcmp(job.namespace, "default") != 0)
        job.features |= BIT(OUTSIDE);
    jr_buf_init(&text, MANIFEST_MAX_BYTES);
    write_job(d, shape, &job, &w);
    if (text.failed != JR_OK || !jr_arena_str(d->arena, jr_buf_str(&text), &job.manifest))
        return JR_NOMEM;
    *ret = job;
    return JR_OK;
}
