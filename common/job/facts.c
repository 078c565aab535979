/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the bounds of a Job from its spec, each with the fields that it comes from. */
#include "common/job/facts.h"

#include "common/api/job.h"
#include "common/job/defaults.h"
#include "common/job/ignored_failures.h"
#include "common/job/indexes.h"
#include "common/pod/defaults.h"

#define INDEXES_WHY_MAX 256

const char *jr_job_kind_text(enum jr_job_kind kind)
{
    static const char *const texts[] = { "NonIndexed", "Indexed", "WorkQueue", "External" };

    return texts[kind];
}

/* ---- arithmetic of what is not negative ---- */

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- what the spec says ---- */

static bool is_per_index(const struct jr_job_facts *f)
{
    return f->spec->backoff_limit_per_index.set;
}

static bool replaces_failed_only(const struct jr_job_facts *f)
{
    return jr_str_is(f->spec->pod_replacement_policy, "Failed");
}

static enum jr_job_kind kind_of(const struct jr_job_spec *spec, const struct jr_facts_options *o)
{
    const struct jr_str by = spec->managed_by;

    if (by.p != NULL && !jr_str_is(by, JR_MANAGED_BY_BUILTIN) && !jr_str_eq(by, o->controller) &&
        !jr_strs_has(&o->trusted, by))
        return JR_JOB_EXTERNAL;
    if (jr_str_is(spec->completion_mode, "Indexed"))
        return JR_JOB_INDEXED;
    return spec->completions.set ? JR_JOB_NON_INDEXED : JR_JOB_WORK_QUEUE;
}

static void read_template(struct jr_job_facts *f)
{
    const struct jr_node *deadline = jr_get(f->pod_spec, "activeDeadlineSeconds");
    int64_t grace =
        jr_node_i64_or(jr_get(f->pod_spec, "terminationGracePeriodSeconds"), JR_DEFAULT_GRACE_S);

    f->grace_s = grace < 0 ? 1 : grace; /* as kubelets read it */
    f->pod_deadline.set = jr_node_i64(deadline, &f->pod_deadline.v) == JR_OK;
}

/** Finds the rule that makes the number of Pods unbounded. One about disruptions alone doesn't
 * where these are left aside. */
static enum jr_status read_ignoring_rule(struct jr_job_facts *f, bool disruptions_aside,
                                         struct jr_arena *a)
{
    ptrdiff_t any;
    enum jr_status st = jr_job_ignoring_rule(f->spec, false, a, &any);

    f->ignoring_rule = any;
    if (st != JR_OK || any < 0 || !disruptions_aside)
        return st;
    f->disruptions_aside = true;
    return jr_job_ignoring_rule(f->spec, true, a, &f->ignoring_rule);
}

/** How many completions leave the rule unmet. */
static int64_t unmet(const struct jr_job_facts *f, const struct jr_success_rule *r)
{
    const int64_t all = f->completions;
    int64_t size = all;
    JR_BUF why = { 0 };

    jr_buf_init(&why, INDEXES_WHY_MAX);
    if (r->succeeded_indexes.p != NULL &&
        (jr_indexes_check(r->succeeded_indexes, all, &size, &why) != JR_OK || size == 0))
        return all; /* it is never met */
    return all - size + least(jr_i32_or(r->succeeded_count, INT32_MAX), size) - 1;
}

/** Which rule of successPolicy is met first at the latest. Per index it bounds nothing: failures of
 * other indexes go on meanwhile. */
static void read_success_policy(struct jr_job_facts *f)
{
    f->success_rule = -1;
    for (size_t i = 0; !is_per_index(f) && i < f->spec->success_policy.rules.n; i++) {
        int64_t n = unmet(f, &f->spec->success_policy.rules.v[i]);

        if (f->success_rule >= 0 && n >= f->before_success)
            continue;
        f->success_rule = (ptrdiff_t)i;
        f->before_success = n < 0 ? 0 : n;
    }
}

/* ---- the bounds ---- */

static struct jr_fact none(unsigned reasons)
{
    return (struct jr_fact){ .reasons = reasons, .basis = JR_BASIS_NONE };
}

static struct jr_fact bound(int64_t v, enum jr_fact_basis basis)
{
    return (struct jr_fact){ .basis = basis, .v = v };
}

static struct jr_fact pods_ever(const struct jr_job_facts *f)
{
    int64_t each, succeeding;

    if (f->width == 0)
        return bound(0, JR_BASIS_ZERO);
    if (f->ignoring_rule >= 0)
        return none(JR_UNBOUNDED_IGNORED);
    if (f->kind == JR_JOB_WORK_QUEUE)
        return bound(plus(f->width, f->retries), JR_BASIS_QUEUE);
    if (is_per_index(f)) {
        each = times(f->completions, plus(f->spec->backoff_limit_per_index.v, 1));
        if (each <= plus(f->completions, f->retries))
            return bound(each, JR_BASIS_INDEXES);
    }
    succeeding = plus(f->before_success, f->parallelism);
    if (f->success_rule >= 0 && succeeding < f->completions)
        return bound(plus(succeeding, f->retries), JR_BASIS_SUCCESS);
    return bound(plus(f->completions, f->retries), JR_BASIS_RETRIES);
}

static struct jr_fact pods_at_once(const struct jr_job_facts *f)
{
    if (f->width == 0)
        return bound(0, JR_BASIS_ZERO);
    return bound(f->width,
                 f->width == f->parallelism ? JR_BASIS_PARALLELISM : JR_BASIS_COMPLETIONS);
}

static struct jr_fact pods_held(const struct jr_job_facts *f)
{
    const int64_t held = plus(f->width, f->retries);

    if (replaces_failed_only(f) || f->width == 0)
        return f->pods_at_once;
    if (f->pods_ever.reasons != 0 || f->pods_ever.v <= held)
        return f->pods_ever;
    return bound(held, JR_BASIS_HELD);
}

static struct jr_fact runtime_s(const struct jr_job_facts *f)
{
    const struct jr_opt_i64 deadline = f->spec->active_deadline_s;

    if (!deadline.set)
        return none(JR_UNBOUNDED_DEADLINE);
    return bound(plus(deadline.v, f->grace_s), JR_BASIS_DEADLINE);
}

static struct jr_fact pod_seconds(const struct jr_job_facts *f)
{
    const struct jr_opt_i64 deadline = f->spec->active_deadline_s;
    const int64_t pods = f->pods_ever.reasons == 0 ? f->pods_ever.v : INT64_MAX;
    struct jr_fact best = none(JR_UNBOUNDED_DEADLINE | f->pods_ever.reasons);
    int64_t v;

    if (f->width == 0)
        return bound(0, JR_BASIS_ZERO);
    if (deadline.set && replaces_failed_only(f))
        best = bound(times(f->width, plus(deadline.v, f->grace_s)), JR_BASIS_REPLACED);
    else if (deadline.set)
        best =
            bound(plus(times(f->width, deadline.v), times(pods, f->grace_s)), JR_BASIS_TERMINATING);
    if (!f->pod_deadline.set || f->pods_ever.reasons != 0)
        return best;
    v = times(pods, plus(f->pod_deadline.v, f->grace_s));
    return best.reasons != 0 || v < best.v ? bound(v, JR_BASIS_TEMPLATE_SECONDS) : best;
}

static void set_external(struct jr_job_facts *f)
{
    const struct jr_fact unknown = none(JR_UNBOUNDED_EXTERNAL);

    f->pods_ever = f->pods_at_once = f->pods_held = f->runtime_s = f->pod_seconds = unknown;
    f->unbounded = JR_UNBOUNDED_EXTERNAL;
}

enum jr_status jr_job_facts_init(struct jr_job_facts *f, const struct jr_job_spec *spec,
                                 const struct jr_node *pod_spec, const struct jr_facts_options *o,
                                 struct jr_arena *a)
{
    *f = (struct jr_job_facts){ .kind = kind_of(spec, o), .spec = spec, .pod_spec = pod_spec };
    if (f->kind == JR_JOB_EXTERNAL) {
        set_external(f);
        return JR_OK;
    }
    if (read_ignoring_rule(f, o->disruptions_aside, a) != JR_OK)
        return JR_NOMEM;
    f->parallelism = jr_i32_or(spec->parallelism, 1);
    f->completions = jr_i32_or(spec->completions, 1);
    f->retries = jr_i32_or(spec->backoff_limit, jr_default_backoff_limit(is_per_index(f)));
    f->width = f->parallelism;
    if (f->kind != JR_JOB_WORK_QUEUE)
        f->width = least(f->width, f->completions);
    read_template(f);
    read_success_policy(f);
    f->retries_per_index = spec->backoff_limit_per_index;
    f->failed_indexes = spec->max_failed_indexes;
    f->pods_ever = pods_ever(f);
    f->pods_at_once = pods_at_once(f);
    f->pods_held = pods_held(f);
    f->runtime_s = runtime_s(f);
    f->pod_seconds = pod_seconds(f);
    f->unbounded = f->pods_ever.reasons | f->runtime_s.reasons;
    if (jr_size(jr_get(pod_spec, "resourceClaims")) > 0)
        f->unbounded |= JR_UNBOUNDED_CLAIMS;
    return JR_OK;
}

/* ---- resources ---- */

static enum jr_status gather(struct jr_job_facts *f, struct jr_arena *a)
{
    if (f->gathered)
        return JR_OK;
    f->gathered = true;
    return jr_pod_requests_init(&f->requests, f->pod_spec, a);
}

/** Gathers the names as well, which only globs and lists need. */
static enum jr_status gather_names(struct jr_job_facts *f, struct jr_arena *a)
{
    enum jr_status st = gather(f, a);

    return st == JR_OK && f->resources.v == NULL
               ? jr_pod_requests_names(&f->requests, a, &f->resources)
               : st;
}

bool jr_resource_is_glob(struct jr_str resource)
{
    return resource.n > 0 && resource.p[resource.n - 1] == '*';
}

bool jr_resource_is_device(struct jr_str resource)
{
    return jr_str_find(resource, '/') >= 0;
}

/** Adds up a Pod's requests of all resources with the prefix. False: more digits than we hold. */
static bool sum_requests(const struct jr_job_facts *f, struct jr_str prefix,
                         struct jr_quantity *ret)
{
    *ret = (struct jr_quantity){ 0 };
    for (size_t i = 0; i < f->resources.n; i++) {
        struct jr_quantity q;

        if (jr_str_starts(f->resources.v[i], prefix) &&
            (!jr_pod_requests_get(&f->requests, f->resources.v[i], &q) ||
             !jr_quantity_add(ret, &q)))
            return false;
    }
    return true;
}

static enum jr_status resource_fact(struct jr_job_facts *f, const struct jr_fact *of,
                                    struct jr_str resource, struct jr_arena *a,
                                    struct jr_resource_fact *ret)
{
    const bool glob = jr_resource_is_glob(resource);
    enum jr_status st = glob ? gather_names(f, a) : gather(f, a);

    *ret = (struct jr_resource_fact){ .of = of, .reasons = of->reasons };
    if (st != JR_OK)
        return st;
    if ((f->unbounded & JR_UNBOUNDED_CLAIMS) != 0 && f->width > 0 &&
        jr_resource_is_device(resource))
        ret->reasons |= JR_UNBOUNDED_CLAIMS;
    if (!(glob ? sum_requests(f, jr_str_head(resource, resource.n - 1), &ret->each)
               : jr_pod_requests_get(&f->requests, resource, &ret->each)))
        ret->reasons |= JR_UNBOUNDED_QUANTITY;
    ret->v = ret->each;
    /* What a Pod doesn't ask for is bounded, however many there are. */
    if (ret->reasons == of->reasons && jr_quantity_sign(&ret->each) == 0)
        ret->reasons &= JR_UNBOUNDED_EXTERNAL;
    else if (ret->reasons == 0 && !jr_quantity_multiply(&ret->v, (uint64_t)of->v))
        ret->reasons |= JR_UNBOUNDED_QUANTITY;
    return JR_OK;
}

enum jr_status jr_job_requests_at_once(struct jr_job_facts *f, struct jr_str resource,
                                       struct jr_arena *a, struct jr_resource_fact *ret)
{
    return resource_fact(f, &f->pods_held, resource, a, ret);
}

enum jr_status jr_job_resource_seconds(struct jr_job_facts *f, struct jr_str resource,
                                       struct jr_arena *a, struct jr_resource_fact *ret)
{
    return resource_fact(f, &f->pod_seconds, resource, a, ret);
}

enum jr_status jr_job_resources(struct jr_job_facts *f, struct jr_arena *a, struct jr_strs *ret)
{
    enum jr_status st = gather_names(f, a);

    *ret = f->resources;
    return st;
}
