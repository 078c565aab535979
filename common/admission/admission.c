/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline's steps, in their order. */
#include "common/admission/admission.h"

#include "common/admission/policies.h"
#include "common/admission/manifest.h"
#include "common/pod/canonical.h"
#include "common/pod/prepare.h"
#include "common/schema/round_trip.h"
#include "common/schema/unknown_fields.h"

static bool is_late(const struct jr_admission_result *ret)
{
    return jr_deadline_over(ret->errs.deadline);
}

/* ---- decode ---- */

/** Refuses the object with what failed as it was decoded. */
static enum jr_status refuse(const struct jr_admission_request *r, enum jr_status st,
                             const struct jr_error *why, struct jr_admission_result *ret,
                             struct jr_error *err)
{
    char text[sizeof(why->path) + sizeof(why->msg) + 8];

    if (st == JR_NOMEM)
        return jr_fail(err, st, NULL, "the object");
    return st == JR_OK
               ? st
               : jr_admission_refuse_object(ret, r->kind, jr_error_text(why, text, sizeof(text)));
}

enum jr_status jr_admission_decode(const struct jr_admission_request *r,
                                   struct jr_admission_result *ret, struct jr_error *err)
{
    const struct jr_schema_type *schema = r->kind->schema;
    const unsigned minor = r->profile->version.minor;
    struct jr_error why = { .status = JR_OK };
    struct jr_type_error wrong = { .why = NULL };
    enum jr_status st = JR_OK;

    if (r->source == JR_ADMISSION_SERVED) {
        /* What an API server has decoded is looked at only where we read it. */
        st = jr_object_check(schema, r->object, 0, &why);
        return refuse(r, st, &why, ret, err);
    }
    if (r->old != NULL)
        st = jr_schema_type_error(schema, r->old, minor, ret->arena, &wrong);
    if (st == JR_OK && wrong.why != NULL)
        return jr_fail(err, JR_INVALID, wrong.field.p, "%s", wrong.why);
    if (st == JR_OK)
        st = jr_schema_type_error(schema, r->object, minor, ret->arena, &ret->wrong);
    if (st == JR_OK && ret->wrong.why != NULL)
        st = jr_admission_refuse_object(ret, r->kind, ret->wrong.why);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "the object");
    jr_schema_prune(schema, r->object, minor);
    jr_schema_prune(schema, r->old, minor);
    return JR_OK;
}

/* ---- default ---- */

static enum jr_status apply_defaults(const struct jr_admission_request *r,
                                     struct jr_admission_result *ret)
{
    enum jr_status (*set_defaults)(struct jr_node *, const struct jr_profile *) =
        r->source == JR_ADMISSION_SERVED ? r->kind->default_sent : r->kind->set_defaults;
    enum jr_status st = set_defaults(r->object, r->profile);

    if (st == JR_OK && r->old != NULL)
        st = is_late(ret) ? JR_TIMEOUT : set_defaults(r->old, r->profile);
    return st == JR_OK && is_late(ret) ? JR_TIMEOUT : st;
}

bool jr_admission_shares_labels(const struct jr_admission_kind *kind, const struct jr_node *object)
{
    const struct jr_node *meta = jr_get(object, "metadata");

    return kind == &jr_admission_job && jr_size(jr_get(meta, "labels")) == 0 &&
           jr_get_str(meta, "name").n > 0 &&
           jr_size(jr_path(object, "spec.template.metadata.labels")) > 0;
}

enum jr_status jr_admission_share_labels(struct jr_node *object)
{
    return jr_set_copy(jr_get(object, "metadata"), JR_S("labels"),
                       jr_path(object, "spec.template.metadata.labels"), NULL);
}

/** Keeps what was noted. */
static enum jr_status keep_log(struct jr_defaulting_log *log, struct jr_admission_result *ret)
{
    struct jr_str text;
    enum jr_status st = jr_defaulting_log_text(log, &text);

    if (st == JR_OK && text.n > 0 && !jr_arena_str(ret->arena, text, &ret->defaulted))
        st = JR_NOMEM;
    return st;
}

static enum jr_status complete_served(const struct jr_admission_request *r, size_t max_note_bytes,
                                      struct jr_admission_result *ret)
{
    JR_CLEANUP(jr_defaulting_log_done) struct jr_defaulting_log log = { .omitted = 0 };
    enum jr_status st;

    jr_defaulting_log_init(&log, max_note_bytes);
    if (is_late(ret))
        return JR_TIMEOUT;
    st = r->kind->complete_sent(r->object, r->profile, &log);
    if (st == JR_OK && is_late(ret))
        st = JR_TIMEOUT;
    return st == JR_OK ? keep_log(&log, ret) : st;
}

static enum jr_status complete_manifest(const struct jr_admission_request *r)
{
    const bool shared = jr_admission_shares_labels(r->kind, r->object);
    struct jr_node *meta, *template;
    enum jr_status st = jr_schema_round_trip(r->kind->schema, r->object, r->profile->version.minor);

    if (st == JR_OK && r->uid.n > 0)
        st = jr_ensure_object(r->object, "metadata", &meta);
    if (st == JR_OK && r->uid.n > 0)
        st = jr_set_str(meta, "uid", r->uid);
    if (st == JR_OK)
        st = r->kind->complete(r->object, r->profile, NULL);
    if (st == JR_OK && shared)
        st = jr_admission_share_labels(r->object);
    if (st != JR_OK)
        return st;
    r->kind->drop_gated(r->object, NULL, r->profile);
    template = jr_field_find(r->object, r->kind->template);
    st = jr_pod_template_prepare(template, NULL, r->profile);
    return st == JR_OK ? jr_pod_spec_canonicalize(jr_get(template, "spec")) : st;
}

enum jr_status jr_admit_defaults(const struct jr_admission_request *r, size_t max_note_bytes,
                                 struct jr_admission_result *ret, struct jr_error *err)
{
    enum jr_status st = jr_admission_decode(r, ret, err);

    if (st != JR_OK || ret->refused)
        return st;
    st = r->source == JR_ADMISSION_SERVED ? complete_served(r, max_note_bytes, ret)
                                          : complete_manifest(r);
    if (st == JR_OK)
        st = jr_admission_default_by_policies(r, ret);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "defaulting");
}

/* ---- prepare ---- */

enum jr_status jr_admission_prepare(const struct jr_admission_request *r)
{
    switch (r->operation) {
    case JR_ADMISSION_CREATE:
        return r->kind->prepare_create(r->object, r->profile);
    case JR_ADMISSION_UPDATE:
        return r->kind->prepare_update(r->object, r->old, r->profile);
    case JR_ADMISSION_STATUS:
        break;
    }
    return r->kind->prepare_status(r->object, r->old);
}

/** A manifest, from how it was written to what its strategy makes of it. */
static enum jr_status prepare_manifest(const struct jr_admission_request *r,
                                       struct jr_admission_result *ret)
{
    const bool create = r->operation == JR_ADMISSION_CREATE;
    const bool shared = create && jr_admission_shares_labels(r->kind, r->object);
    enum jr_status st = jr_manifest_begin(r);

    if (st == JR_OK)
        st = apply_defaults(r, ret);
    if (st == JR_OK && !create)
        st = jr_manifest_complete(r);
    if (st == JR_OK)
        st = jr_admission_prepare(r);
    if (st == JR_OK && shared)
        st = jr_admission_share_labels(r->object);
    /* A server has shared the labels by the time that it calls webhooks. */
    return st == JR_OK ? jr_admission_default_by_policies(r, ret) : st;
}

/* ---- validate ---- */

static void apply_rules(const struct jr_admission_request *r, const struct jr_object *object,
                        const struct jr_object *old, struct jr_errlist *errs)
{
    switch (r->operation) {
    case JR_ADMISSION_CREATE:
        r->kind->validate_create(object, r->profile, errs);
        break;
    case JR_ADMISSION_UPDATE:
        r->kind->validate_update(object, old, r->profile, errs);
        break;
    case JR_ADMISSION_STATUS:
        if (r->kind->validate_status != NULL)
            r->kind->validate_status(object, old, r->profile, errs);
        break;
    }
}

/* ---- warnings ---- */

static enum jr_status add_warnings(const struct jr_admission_request *r,
                                   const struct jr_object *object, const struct jr_object *old,
                                   struct jr_admission_result *ret)
{
    if (is_late(ret))
        return JR_TIMEOUT;
    if (r->operation != JR_ADMISSION_STATUS)
        r->kind->warnings(object, r->operation == JR_ADMISSION_CREATE ? NULL : old, r->profile,
                          &ret->warnings);
    return ret->warnings.failed;
}

/* ---- the pipeline ---- */

enum jr_status jr_admission_validate(const struct jr_admission_request *r,
                                     struct jr_admission_result *ret, struct jr_error *err)
{
    JR_OBJECT_OPEN object = { .root = NULL };
    JR_OBJECT_OPEN old = { .root = NULL };
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = jr_object_open(r->kind->schema, r->object, 0, &object, &why);

    if (st == JR_OK && r->old != NULL)
        st = jr_object_open(r->kind->schema, r->old, 0, &old, &why);
    if (st != JR_OK)
        return refuse(r, st, &why, ret, err);
    apply_rules(r, &object, &old, &ret->errs);
    if (r->exempt != NULL && ret->errs.failed != JR_TIMEOUT)
        r->exempt(r, ret);
    st = jr_admission_conclude(ret, r->kind, r->object);
    if (st == JR_OK && !jr_admission_denied(ret))
        st = is_late(ret) ? JR_TIMEOUT : jr_admission_evaluate_policies(r, &object, &old, ret);
    if (st == JR_OK && !jr_admission_denied(ret))
        st = add_warnings(r, &object, &old, ret);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "can't validate it");
}

enum jr_status jr_admit(const struct jr_admission_request *r, struct jr_admission_result *ret,
                        struct jr_error *err)
{
    enum jr_status st = JR_OK;

    if (r->source == JR_ADMISSION_MANIFEST)
        st = jr_admission_decode(r, ret, err);
    if (st != JR_OK || ret->refused)
        return st;
    st = r->source == JR_ADMISSION_MANIFEST ? prepare_manifest(r, ret) : apply_defaults(r, ret);
    return st == JR_OK ? jr_admission_validate(r, ret, err)
                       : jr_fail(err, st, NULL, "can't prepare it");
}
