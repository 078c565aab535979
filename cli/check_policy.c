/* SPDX-License-Identifier: Apache-2.0 */
/* Documents about policies as findings: by the compiler of JobPolicies and the reader of suites. */
#include "cli/check_policy.h"

#include "cli/suite.h"
#include "common/base/memory.h"

/* Bounds a value that an error quotes: what is said behind it must not be lost. */
#define VALUE_MAX ((size_t)8 << 10)

static void check_job_policy(struct jr_checking *c, const struct jr_manifest *m)
{
    struct jr_warnings warnings = { .arena = &c->report->arena };
    struct jr_job_policy *policy = NULL;
    const char *unknown = NULL;
    struct jr_errlist errs;

    jr_errlist_init(&errs, &c->report->arena);
    errs.max_value_bytes = VALUE_MAX;
    jr_findings_strict(c, &jr_schema_job_policy, &unknown);
    if (jr_job_policy_compile(m->node, c->options->now, &errs, &warnings, &policy) != JR_OK)
        jr_report_full(c->report);
    jr_job_policy_free(policy);
    jr_findings_errors(c, &errs);
    jr_findings_warnings(c, &warnings, 0);
}

static void add_problem(void *ctx, const struct jr_suite_problem *p)
{
    struct jr_checking *c = ctx;
    const struct jr_str text = jr_report_keep(c->report, p->message);

    jr_finding_add(c, p->place,
                   (struct jr_finding){
                       .type = JR_S("FieldValueInvalid"),
                       .field = jr_report_keep(c->report, p->field),
                       .detail = text,
                       .message = text,
                       .rule = JR_S("policy-test"),
                   });
}

static void check_suite(struct jr_checking *c, const struct jr_manifest *m)
{
    JR_CLEANUP(jr_suite_done) struct jr_suite suite = { .n = 0 };
    const struct jr_suite_sink sink = { add_problem, c };

    (void)jr_suite_read(&suite, c->file, m, JR_SUITE_ALONE, &sink);
}

bool jr_check_policy(struct jr_checking *c, const struct jr_manifest *m)
{
    const struct jr_cli_profiles *profiles = &c->options->profiles;
    const bool is_suite = jr_str_is(m->kind, JR_POLICY_TEST_KIND);

    if (!jr_str_is(m->api_version, JR_POLICY_API_VERSION) ||
        (!is_suite && !jr_str_is(m->kind, JR_POLICY_KIND)))
        return false;
    c->versions = jr_versions_all(&c->report->versions);
    c->profile = &profiles->v[profiles->n - 1];
    c->strict = true;
    if (is_suite)
        check_suite(c, m);
    else
        check_job_policy(c, m);
    c->strict = c->options->strict;
    return true;
}
