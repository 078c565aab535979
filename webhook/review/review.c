/* SPDX-License-Identifier: Apache-2.0 */
/* An AdmissionReview, from the request's body to the answer's: which endpoint, which kind, what it
 * costs. */
#include "webhook/review/review.h"

#include "webhook/review/assign_controller.h"
#include "webhook/review/mutate.h"
#include "webhook/review/policy_annotations.h"
#include "webhook/review/self_test_refusal.h"
#include "webhook/review/validate.h"
#include "webhook/review/validate_policy.h"

/* The bytes that answering takes at the most, measured by tests/hostile/webhook/t_45_reserved.sh. A
 * value is a node of a tree, and of its copy where it is changed; an object may be given defaults
 * (a port, a volume's source), most of all a container, and these are in the patch, too; a byte of
 * text is copied as often. */
#define COST_PER_VALUE 128
#define COST_PER_OBJECT 560
#define COST_PER_ELEMENT 320
#define COST_PER_CONTAINER 704 /* beside that of an element */
#define COST_PER_BYTE 8
#define COST_BASE 393216

/* A policy's defaults, noted and set; whether it matches. */
#define COST_PER_POLICY 4096

/* Text of errors in a denial: it is there three times, in the list, in the causes and in the
 * message, and so is the one error that goes beyond. */
#define ERROR_BYTES 49152
#define ERROR_BYTES_MORE 262144 /* no more for large bodies */
/* Of a string that is shown as a value. */
#define VALUE_MAX ((size_t)8 << 10)

static const struct {
    const char *path;
    const struct jr_admission_kind *kind;
    bool mutates;
} endpoints[] = {
    [JR_ENDPOINT_MUTATE_JOB] = { "/mutate-batch-v1-job", &jr_admission_job, true },
    [JR_ENDPOINT_VALIDATE_JOB] = { "/validate-batch-v1-job", &jr_admission_job, false },
    [JR_ENDPOINT_MUTATE_CRON_JOB] = { "/mutate-batch-v1-cronjob", &jr_admission_cron_job, true },
    [JR_ENDPOINT_VALIDATE_CRON_JOB] = { "/validate-batch-v1-cronjob", &jr_admission_cron_job,
                                        false },
    [JR_ENDPOINT_ASSIGN_CONTROLLER] = { "/assign-controller-batch-v1-job", &jr_admission_job,
                                        true },
    /* Of no kind of batch/v1. */
    [JR_ENDPOINT_VALIDATE_POLICY] = { "/validate-policy-jobreeve-dev-v1alpha1-jobpolicy", NULL,
                                      false },
};

/** What an endpoint is about. */
struct about {
    struct jr_gvk kind;
    const char *resource;
};

static struct about about_of(enum jr_endpoint e)
{
    const struct jr_admission_kind *kind = endpoints[e].kind;

    if (kind == NULL)
        return (
            struct about){ { JR_S(JR_POLICY_GROUP), JR_S(JR_POLICY_VERSION), JR_S(JR_POLICY_KIND) },
                           JR_POLICY_RESOURCE };
    return (struct about){ { JR_S("batch"), JR_S("v1"), jr_str(kind->kind) }, kind->resource };
}

const char *jr_endpoint_path(enum jr_endpoint e)
{
    return endpoints[e].path;
}

bool jr_endpoint_mutates(enum jr_endpoint e)
{
    return endpoints[e].mutates;
}

enum jr_endpoint jr_endpoint_find(const char *path)
{
    for (unsigned e = 0; e < JR_ENDPOINT_COUNT; e++) {
        if (strcmp(path, endpoints[e].path) == 0)
            return (enum jr_endpoint)e;
    }
    return JR_ENDPOINT_COUNT;
}

/* ---- reading ---- */

static enum jr_status bad_body(struct jr_error *err, enum jr_status st, const char *what)
{
    if (err != NULL)
        err->http = st == JR_NOMEM ? 500 : 400;
    return jr_wrap(err, st, "%s", what);
}

static enum jr_status check_review(const struct jr_admission_review *r, struct jr_error *err)
{
    if (!jr_str_is(r->kind, "AdmissionReview"))
        return jr_fail_http(err, JR_TYPE, 400, "expected kind AdmissionReview, not \"%.*s\"",
                            JR_P(jr_str_head(r->kind, 100)));
    if (!jr_str_is(r->api_version, "admission.k8s.io/v1") &&
        !jr_str_is(r->api_version, "admission.k8s.io/v1beta1"))
        return jr_fail_http(
            err, JR_TYPE, 400,
            "expected apiVersion admission.k8s.io/v1 or admission.k8s.io/v1beta1, not \"%.*s\"",
            JR_P(jr_str_head(r->api_version, 100)));
    if (!r->request.set)
        return jr_fail_http(err, JR_TYPE, 400, "the AdmissionReview has no request");
    if (r->request.uid.n == 0)
        return jr_fail_http(err, JR_TYPE, 400, "the AdmissionReview's request has no uid");
    return JR_OK;
}

enum jr_status jr_review_read(struct jr_str body, struct jr_arena *arena,
                              struct jr_admission_review *ret, struct jr_error *err)
{
    enum jr_status st = jr_admission_review_decode(body, arena, ret, err);

    if (st != JR_OK)
        return bad_body(err, st,
                        st == JR_TYPE ? "the body is no AdmissionReview"
                                      : "the body is no JSON that an API server sends");
    return check_review(ret, err);
}

/* ---- admission ---- */

static const char *known_operation(struct jr_str s)
{
    static const char *const all[] = { "CREATE", "UPDATE", "DELETE", "CONNECT" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(all); i++) {
        if (jr_str_is(s, all[i]))
            return all[i];
    }
    return "other";
}

static bool is_about(const struct jr_admission_review *r, const struct about *about)
{
    const struct jr_gvk *kind = &r->request.kind;
    const struct jr_gvr *resource = &r->request.resource;

    return jr_str_eq(kind->group, about->kind.group) &&
           jr_str_eq(kind->version, about->kind.version) &&
           jr_str_eq(kind->kind, about->kind.kind) &&
           jr_str_eq(resource->group, about->kind.group) &&
           jr_str_eq(resource->version, about->kind.version) &&
           jr_str_is(resource->resource, about->resource);
}

/** A request that should not have been sent here: a wrong rule in a webhook configuration must be
 * seen at once. */
static enum jr_status deny_stranger(const struct jr_admission_review *r, const struct about *about,
                                    struct jr_admission_result *result)
{
    const struct jr_gvr *gvr = &r->request.resource;
    const struct jr_gvk *gvk = &r->request.kind;

    return jr_admission_refuse(
        result, 400, "BadRequest",
        "this webhook validates %.*s in %.*s/%.*s (resource %s), not %.*s in "
        "%.*s/%.*s (resource %.*s): check the rules of the webhook configuration",
        JR_P(about->kind.kind), JR_P(about->kind.group), JR_P(about->kind.version), about->resource,
        JR_P(jr_str_head(gvk->kind, 80)), JR_P(jr_str_head(gvk->group, 80)),
        JR_P(jr_str_head(gvk->version, 40)), JR_P(jr_str_head(gvr->resource, 80)));
}

static enum jr_status admit(enum jr_endpoint endpoint, const struct jr_admission_review *r,
                            const struct jr_review_settings *settings,
                            struct jr_admission_result *result, struct jr_buf *patch,
                            struct jr_error *err)
{
    const struct jr_admission_kind *kind;
    struct about about;
    enum jr_status st;

    if (endpoint >= JR_ENDPOINT_COUNT)
        return jr_fail(err, JR_USAGE, NULL, "no such endpoint");
    kind = endpoints[endpoint].kind;
    about = about_of(endpoint);
    if (!is_about(r, &about))
        return deny_stranger(r, &about, result);
    if (strcmp(known_operation(r->request.operation), "other") == 0)
        return jr_admission_refuse(
            result, 400, "BadRequest",
            "expected operation CREATE, UPDATE, DELETE or CONNECT, not \"%.*s\"",
            JR_P(jr_str_head(r->request.operation, 80)));
    if (endpoint == JR_ENDPOINT_ASSIGN_CONTROLLER)
        return jr_review_assign_controller(kind, r, settings, result, patch, err);
    if (endpoint == JR_ENDPOINT_VALIDATE_POLICY)
        return jr_review_validate_policy(r, settings, result, err);
    if (r->request.dry_run) {
        st = jr_review_refuse_self_test(
            r, endpoints[endpoint].mutates ? JR_SELF_TEST_MUTATE : JR_SELF_TEST_VALIDATE, result);
        if (st != JR_OK || result->refused)
            return st;
    }
    if (endpoints[endpoint].mutates)
        return jr_review_mutate(kind, r, settings, result, patch, err);
    return jr_review_validate(kind, r, settings, result, err);
}

/* ---- answering ---- */

static enum jr_status write_answer(const struct jr_admission_review *r,
                                   const struct jr_admission_result *result, struct jr_str patch,
                                   struct jr_buf *out)
{
    const bool denied = jr_admission_denied(result);
    struct jr_label notes[2 + JR_REVIEW_POLICY_NOTES];
    size_t n_policy_notes = 0;
    enum jr_status st;
    struct jr_admission_review_response a = {
        .api_version = r->api_version,
        .uid = r->request.uid,
        .allowed = !denied,
        .patch = denied ? (struct jr_str){ NULL, 0 } : patch,
        .status = denied ? &result->status : NULL,
        .warnings = result->warnings.list,
        .audit_annotations.v = notes,
    };

    if (result->exempt != NULL)
        notes[a.audit_annotations.n++] =
            (struct jr_label){ JR_S("exempt"), jr_str(result->exempt) };
    if (!denied && result->defaulted.n > 0)
        notes[a.audit_annotations.n++] = (struct jr_label){ JR_S("defaulted"), result->defaulted };
    st = jr_review_policy_notes(result, notes + a.audit_annotations.n, &n_policy_notes);
    a.audit_annotations.n += n_policy_notes;
    return st == JR_OK ? jr_admission_review_write(&a, out) : st;
}

/** All reasons of a Status are constant texts. */
static const char *reason_of(const struct jr_admission_result *result)
{
    if (!jr_admission_denied(result))
        return "";
    return result->denied_by_policy ? "Policy" : result->status.reason.p;
}

static struct jr_review_outcome outcome(const struct jr_admission_review *r,
                                        const struct jr_admission_result *result, bool patched)
{
    const struct jr_field_error *first = result->errs.n > 0 ? result->errs.v : NULL;
    const bool denied = jr_admission_denied(result);
    const struct jr_policy_finding *finding = jr_review_policy_denial(&result->policies);
    struct jr_review_outcome o = {
        .operation = known_operation(r->request.operation),
        .allowed = !denied,
        .patched = patched && !denied,
        .code = denied ? result->status.code : 0,
        .reason = reason_of(result),
        .n_causes = denied ? result->status.details.causes.n : 0,
        .exempt = result->exempt,
        .field = first == NULL ? (struct jr_str){ NULL, 0 } : first->field,
        .rule = first == NULL ? NULL : first->rule,
        .dry_run = r->request.dry_run,
        .uid = r->request.uid,
        .kind = r->request.kind.kind,
        .namespace = r->request.namespace,
        .name = r->request.name.n > 0 || !denied ? r->request.name : result->name,
        .user = r->request.username,
        .policies = result->policies,
        .policies_ns = result->policies_ns,
    };

    if (result->denied_by_policy && finding != NULL) {
        o.field = finding->field;
        o.rule = finding->rule.p;
        o.policy = finding->policy->name;
    }
    return o;
}

static size_t error_bytes(const struct jr_admission_review *r)
{
    return ERROR_BYTES + (r->bytes < ERROR_BYTES_MORE ? r->bytes : ERROR_BYTES_MORE);
}

enum jr_status jr_review_answer_for(enum jr_endpoint endpoint, const struct jr_admission_review *r,
                                    const struct jr_review_settings *settings,
                                    struct jr_arena *arena, struct jr_buf *out,
                                    struct jr_review_outcome *ret, struct jr_error *err)
{
    JR_BUF patch = { 0 };
    struct jr_admission_result result;
    enum jr_status st;

    jr_admission_result_init(&result, arena);
    result.errs.deadline = settings->deadline;
    result.errs.max_bytes = error_bytes(r);
    result.errs.max_value_bytes = VALUE_MAX;
    jr_buf_init(&patch, jr_review_answer_max(r, settings->policies) / 2);
    st = admit(endpoint, r, settings, &result, &patch, err);
    if (st == JR_OK)
        st = patch.failed;
    if (st == JR_OK)
        st = write_answer(r, &result, jr_buf_str(&patch), out);
    if (st == JR_OK && jr_deadline_over(settings->deadline))
        st = JR_TIMEOUT;
    if (st == JR_TIMEOUT)
        return jr_fail_http(err, st, 504, "the request's time was over while it was validated");
    if (st == JR_LIMIT)
        return jr_fail_http(err, st, 413, "the answer would be longer than what is allowed");
    if (st != JR_OK)
        return jr_fail_http(err, st, 500, "the review could not be answered: %s",
                            jr_status_text(st));
    if (ret != NULL)
        *ret = outcome(r, &result, patch.n > 0);
    return JR_OK;
}

/* ---- bounds ---- */

size_t jr_review_read_cost(size_t n)
{
    return COST_BASE + n * COST_PER_BYTE;
}

size_t jr_review_cost(const struct jr_admission_review *r,
                      const struct jr_review_policies *policies)
{
    const struct jr_reader_counts *n = &r->counts;
    const size_t containers = r->request.object.containers + r->request.old_object.containers;
    const size_t trees = n->values * COST_PER_VALUE + n->members * COST_PER_OBJECT +
                         n->elements * COST_PER_ELEMENT + containers * COST_PER_CONTAINER;
    const size_t cost = trees + 3 * (error_bytes(r) - ERROR_BYTES);

    if (policies == NULL || policies->set->n == 0)
        return cost;
    /* A CronJob is evaluated as the Job that it would make: a copy, with defaults. */
    return cost + policies->findings_cost + policies->set->n * COST_PER_POLICY +
           (jr_str_is(r->request.kind.kind, "CronJob") ? trees + r->bytes * COST_PER_BYTE : 0);
}

size_t jr_review_answer_max(const struct jr_admission_review *r,
                            const struct jr_review_policies *policies)
{
    return ((size_t)4 << 20) + r->bytes * 8 + (policies == NULL ? 0 : policies->findings_cost);
}
