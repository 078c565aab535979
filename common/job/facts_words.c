/* SPDX-License-Identifier: Apache-2.0 */
/* How the facts of a Job come about, in words. */
#include "common/job/facts.h"

static void add_count(struct jr_buf *out, int64_t n, const char *one, const char *many)
{
    (void)jr_buf_addf(out, "%lld %s", (long long)n, n == 1 ? one : many);
}

static void add_pods(struct jr_buf *out, int64_t n)
{
    add_count(out, n, "Pod", "Pods");
}

static void add_parallelism(const struct jr_job_facts *f, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "%lld in parallel", (long long)f->parallelism);
}

static void add_completions(const struct jr_job_facts *f, struct jr_buf *out)
{
    add_count(out, f->completions, "completion", "completions");
}

static void add_width(const struct jr_job_facts *f, struct jr_buf *out)
{
    if (f->pods_at_once.basis == JR_BASIS_COMPLETIONS)
        add_completions(f, out);
    else
        add_parallelism(f, out);
}

static void add_rest(const struct jr_job_facts *f, struct jr_buf *out)
{
    (void)jr_buf_adds(out, ", ");
    add_count(out, f->retries, "retry", "retries");
}

static void add_indexes(const struct jr_job_facts *f, struct jr_buf *out)
{
    add_count(out, f->completions, "index", "indexes");
    (void)jr_buf_adds(out, " with ");
    add_count(out, f->spec->backoff_limit_per_index.v, "retry", "retries");
    if (f->completions != 1)
        (void)jr_buf_adds(out, " each");
}

static void add_success(const struct jr_job_facts *f, struct jr_buf *out)
{
    add_count(out, f->before_success, "completion", "completions");
    (void)jr_buf_addf(out, " before successPolicy.rules[%td] is met, ", f->success_rule);
    add_parallelism(f, out);
}

/* ---- time ---- */

void jr_seconds_write(int64_t s, struct jr_buf *out)
{
    const long long h = s / 3600, m = s / 60 % 60;

    if (h > 0)
        (void)jr_buf_addf(out, "%lldh", h);
    if (m > 0 || (h > 0 && s % 60 > 0))
        (void)jr_buf_addf(out, "%lldm", m);
    if (s % 60 > 0 || s == 0)
        (void)jr_buf_addf(out, "%llds", (long long)s % 60);
}

static void add_deadline(const struct jr_job_facts *f, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "activeDeadlineSeconds %lld, ", (long long)f->spec->active_deadline_s.v);
    jr_seconds_write(f->grace_s, out);
    (void)jr_buf_adds(out, " of grace");
}

static int64_t sum_s(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void add_pods_for(struct jr_buf *out, int64_t pods, int64_t seconds)
{
    add_pods(out, pods);
    (void)jr_buf_adds(out, " for ");
    jr_seconds_write(seconds, out);
}

static void add_pod_seconds(const struct jr_job_facts *f, struct jr_buf *out)
{
    const int64_t deadline = f->spec->active_deadline_s.v;

    if (f->pod_seconds.basis == JR_BASIS_TEMPLATE_SECONDS) {
        add_pods_for(out, f->pods_ever.v, sum_s(f->pod_deadline.v, f->grace_s));
        return;
    }
    if (f->pod_seconds.basis == JR_BASIS_REPLACED) {
        add_pods_for(out, f->width, sum_s(deadline, f->grace_s));
        return;
    }
    add_pods_for(out, f->width, deadline);
    (void)jr_buf_adds(out, " and ");
    add_pods_for(out, f->pods_ever.v, f->grace_s);
}

/* ---- why there is no bound ---- */

void jr_unbounded_explain(const struct jr_job_facts *f, enum jr_unbounded reason,
                          struct jr_buf *out)
{
    switch (reason) {
    case JR_UNBOUNDED_EXTERNAL:
        (void)jr_buf_addf(out, "managedBy is %.*s", JR_P(f->spec->managed_by));
        break;
    case JR_UNBOUNDED_IGNORED:
        (void)jr_buf_addf(out, "podFailurePolicy.rules[%td] ignores failures", f->ignoring_rule);
        break;
    case JR_UNBOUNDED_DEADLINE:
        (void)jr_buf_adds(out, "activeDeadlineSeconds is not set");
        break;
    case JR_UNBOUNDED_CLAIMS:
        (void)jr_buf_adds(out, "template.spec.resourceClaims is set");
        break;
    case JR_UNBOUNDED_QUANTITY:
        (void)jr_buf_adds(out, "the requests can't be added up");
        break;
    }
}

static void add_reasons(const struct jr_job_facts *f, unsigned reasons, struct jr_buf *out)
{
    const char *separator = "";

    for (unsigned bit = 1; bit < 1u << JR_UNBOUNDED_MAX; bit <<= 1) {
        if ((reasons & bit) == 0)
            continue;
        (void)jr_buf_adds(out, separator);
        jr_unbounded_explain(f, (enum jr_unbounded)bit, out);
        separator = ", ";
    }
}

/* ---- a fact ---- */

/** Whether the bound goes by how many Pods are made. */
static bool counts_all_pods(enum jr_fact_basis basis)
{
    switch (basis) {
    case JR_BASIS_RETRIES:
    case JR_BASIS_QUEUE:
    case JR_BASIS_INDEXES:
    case JR_BASIS_SUCCESS:
    case JR_BASIS_HELD:
    case JR_BASIS_TERMINATING:
    case JR_BASIS_TEMPLATE_SECONDS:
        return true;
    case JR_BASIS_NONE:
    case JR_BASIS_ZERO:
    case JR_BASIS_PARALLELISM:
    case JR_BASIS_COMPLETIONS:
    case JR_BASIS_DEADLINE:
    case JR_BASIS_REPLACED:
        break;
    }
    return false;
}

static void explain(const struct jr_job_facts *f, const struct jr_fact *fact, struct jr_buf *out)
{
    switch (fact->basis) {
    case JR_BASIS_NONE:
        add_reasons(f, fact->reasons, out);
        break;
    case JR_BASIS_ZERO:
        (void)jr_buf_addf(out, "%s is 0",
                          f->spec->completions.set && f->spec->completions.v == 0 ? "completions"
                                                                                  : "parallelism");
        break;
    case JR_BASIS_PARALLELISM:
        add_parallelism(f, out);
        break;
    case JR_BASIS_COMPLETIONS:
        add_completions(f, out);
        break;
    case JR_BASIS_RETRIES:
        add_completions(f, out);
        add_rest(f, out);
        break;
    case JR_BASIS_QUEUE:
        add_parallelism(f, out);
        add_rest(f, out);
        break;
    case JR_BASIS_INDEXES:
        add_indexes(f, out);
        break;
    case JR_BASIS_SUCCESS:
        add_success(f, out);
        add_rest(f, out);
        break;
    case JR_BASIS_HELD:
        add_width(f, out);
        add_rest(f, out);
        break;
    case JR_BASIS_DEADLINE:
        add_deadline(f, out);
        break;
    case JR_BASIS_REPLACED:
    case JR_BASIS_TERMINATING:
    case JR_BASIS_TEMPLATE_SECONDS:
        add_pod_seconds(f, out);
        break;
    }
}

void jr_fact_explain(const struct jr_job_facts *f, const struct jr_fact *fact, struct jr_buf *out)
{
    explain(f, fact, out);
    if (f->disruptions_aside && counts_all_pods(fact->basis))
        (void)jr_buf_adds(out, ", disruptions aside");
}

void jr_resource_fact_explain(const struct jr_job_facts *f, const struct jr_resource_fact *fact,
                              struct jr_buf *out)
{
    if (fact->reasons != 0) {
        add_reasons(f, fact->reasons, out);
        return;
    }
    if (fact->of == &f->pods_held)
        add_pods(out, fact->of->v);
    else
        explain(f, fact->of, out);
    (void)jr_buf_adds(out, " of ");
    if (jr_quantity_write(&fact->each, out) != JR_OK)
        return; /* out->failed says it */
    if (f->disruptions_aside && counts_all_pods(fact->of->basis))
        (void)jr_buf_adds(out, ", disruptions aside");
}

void jr_hours_write(const struct jr_quantity *seconds, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "%.6g", jr_quantity_double(seconds) / 3600);
}
