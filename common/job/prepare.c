/* SPDX-License-Identifier: Apache-2.0 */
/* The preparation of Jobs on create, update and status update. */
#include "common/job/generate.h"
#include "common/job/prepare.h"
#include "common/pod/canonical.h"
#include "common/pod/prepare.h"
#include "common/schema/drop_disabled.h"
#include "common/schema/equal.h"

/** Drops the rules with the action FailIndex, which need a gate. */
static void drop_fail_index_rules(struct jr_node *spec)
{
    struct jr_node *rules = jr_path(spec, "podFailurePolicy.rules");

    for (struct jr_node *r = jr_first(rules), *next; r != NULL; r = next) {
        next = jr_next(r);
        if (jr_str_is(jr_get_str(r, "action"), "FailIndex"))
            jr_remove_child(rules, r);
    }
}

enum jr_status jr_prepare_generation(struct jr_node *job, int64_t generation)
{
    struct jr_node *meta;
    enum jr_status st = jr_ensure_object(job, "metadata", &meta);

    if (st == JR_OK)
        st = jr_set_i64(meta, "generation", generation);
    return st == JR_TYPE ? JR_OK : st;
}

void jr_job_drop_gated(struct jr_node *job, const struct jr_node *old,
                       const struct jr_profile *profile)
{
    struct jr_node *spec = jr_get(job, "spec");

    if (jr_node_kind(spec) != JR_OBJECT)
        return;
    jr_schema_drop_gated_members(&jr_schema_job_spec, spec, jr_get(old, "spec"), profile);
    if (old == NULL && !profile->gates[JR_GATE_JobBackoffLimitPerIndex])
        drop_fail_index_rules(spec);
}

enum jr_status jr_job_prepare_create(struct jr_node *job, const struct jr_profile *profile)
{
    struct jr_node *spec = jr_get(job, "spec");
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = jr_job_generate_as_strategy(job);
    if (st == JR_OK)
        st = jr_set_object(job, "status", NULL);
    if (st == JR_OK)
        st = jr_prepare_generation(job, 1);
    if (st != JR_OK || jr_node_kind(spec) != JR_OBJECT)
        return st;
    jr_job_drop_gated(job, NULL, profile);
    st = jr_pod_template_prepare(jr_get(spec, "template"), NULL, profile);
    return st == JR_OK ? jr_pod_spec_canonicalize(jr_path(spec, "template.spec")) : st;
}

enum jr_status jr_prepare_take_over(struct jr_node *job, const struct jr_node *old, const char *key)
{
    const struct jr_node *from = jr_get(old, key);

    if (from != NULL)
        return jr_set_copy(job, jr_str(key), from, NULL);
    jr_remove(job, jr_str(key), NULL);
    return JR_OK;
}

enum jr_status jr_prepare_meta(struct jr_node *job, const struct jr_node *old, int64_t generation)
{
    const struct jr_node *was = jr_get(old, "metadata");
    struct jr_node *meta;
    enum jr_status st = jr_ensure_object(job, "metadata", &meta);

    if (st == JR_OK)
        st = jr_set_i64(meta, "generation", generation);
    if (st == JR_OK && jr_get_str(meta, "uid").n == 0 && jr_get_str(was, "uid").n > 0)
        st = jr_prepare_take_over(meta, was, "uid");
    if (st == JR_OK && !jr_unset(jr_get(was, "creationTimestamp")))
        st = jr_prepare_take_over(meta, was, "creationTimestamp");
    if (st == JR_OK && !jr_unset(jr_get(was, "deletionTimestamp")))
        st = jr_prepare_take_over(meta, was, "deletionTimestamp");
    if (st == JR_OK && jr_unset(jr_get(meta, "deletionGracePeriodSeconds")) &&
        !jr_unset(jr_get(was, "deletionGracePeriodSeconds")))
        st = jr_prepare_take_over(meta, was, "deletionGracePeriodSeconds");
    return st == JR_TYPE ? JR_OK : st;
}

enum jr_status jr_job_prepare_update(struct jr_node *job, const struct jr_node *old,
                                     const struct jr_profile *profile)
{
    struct jr_node *spec = jr_get(job, "spec");
    const struct jr_node *old_spec = jr_get(old, "spec");
    int64_t generation = jr_node_i64_or(jr_path(old, "metadata.generation"), 0);
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = jr_prepare_take_over(job, old, "status");
    if (st != JR_OK)
        return st;
    if (jr_node_kind(spec) == JR_OBJECT && jr_node_kind(old_spec) == JR_OBJECT) {
        jr_job_drop_gated(job, old, profile);
        st = jr_pod_template_prepare(jr_get(spec, "template"), jr_get(old_spec, "template"),
                                     profile);
    }
    if (st == JR_OK)
        st = jr_pod_spec_canonicalize(jr_path(spec, "template.spec"));
    if (st == JR_OK && !jr_schema_equal(&jr_schema_job, "spec", spec, old_spec))
        generation += generation < INT64_MAX;
    return st == JR_OK ? jr_prepare_meta(job, old, generation) : st;
}

enum jr_status jr_job_prepare_status_update(struct jr_node *job, const struct jr_node *old)
{
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = jr_prepare_take_over(job, old, "spec");
    if (st != JR_OK)
        return st;
    return jr_prepare_meta(job, old, jr_node_i64_or(jr_path(old, "metadata.generation"), 0));
}
