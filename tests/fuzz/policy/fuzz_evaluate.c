/* SPDX-License-Identifier: Apache-2.0 */
/* "POLICY NL JOB NL OLD": a policy compiled, set and evaluated on what a tenant sent. The old Job
 * may be left out: then it is created. */
#include <stdlib.h>

#include "common/job/defaults.h"
#include "common/job/object.h"
#include "common/policy/evaluate.h"
#include "tests/fuzz/fuzz.h"

#define OBJECT JR_CLEANUP(jr_object_done) struct jr_object

static struct jr_doc *parse(struct jr_str text)
{
    struct jr_doc *doc = NULL;

    return jr_doc_parse(text, &JR_READER_STRICT, &doc, NULL) == JR_OK ? doc : NULL;
}

/** Defaulted, and with what an API server would refuse left out of it. */
static bool open_job(struct jr_doc *doc, const struct jr_profile *profile, struct jr_object *ret)
{
    struct jr_error err;

    if (jr_node_kind(jr_doc_root(doc)) != JR_OBJECT ||
        jr_node_kind(jr_get(jr_doc_root(doc), "spec")) != JR_OBJECT)
        return false;
    MUST(jr_job_default(jr_doc_root(doc), profile) == JR_OK);
    return jr_object_open(&jr_schema_job, jr_doc_root(doc), 36, ret, &err) == JR_OK;
}

static struct jr_policy_job side(const struct jr_object *o)
{
    return (struct jr_policy_job){ o->root, &o->job->spec, &o->job->meta.labels, NULL };
}

static void check_findings(const struct jr_policy_findings *f, struct jr_arena *arena)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct jr_policy_finding *at = &f->v[i];
        struct jr_str text;

        MUST(at->rule.n > 0 && at->message.n > 0);
        MUST(jr_str_starts(at->field, JR_S("spec")) || jr_str_starts(at->field, JR_S("metadata")));
        MUST(!at->denies || (at->leniency == JR_LENIENCY_NONE && !at->warns));
        MUST(jr_policy_finding_text(at, arena, &text) == JR_OK && text.n > at->message.n);
    }
}

/** A second time nothing is left to be set, and what was set the policy's own limits allow. */
static void check_defaults(const struct jr_policy_context *c, struct jr_doc *job,
                           struct jr_arena *arena)
{
    struct jr_policy_defaulted first, second;

    MUST(jr_policy_set_defaults(c, jr_doc_root(job), arena, &first) == JR_OK);
    MUST(jr_policy_set_defaults(c, jr_doc_root(job), arena, &second) == JR_OK);
    MUST(second.n_set == 0);
}

static void evaluate(const struct jr_policy_context *c, struct jr_doc *doc, struct jr_doc *old_doc,
                     struct jr_arena *arena)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    struct jr_policy_request r = { .context = c, .spec = &spec };
    struct jr_policy_findings f;
    OBJECT job = { .root = NULL };
    OBJECT old = { .root = NULL };

    if (!open_job(doc, &profile, &job))
        return;
    r.job = side(&job);
    if (old_doc != NULL && open_job(old_doc, &profile, &old)) {
        r.update = true;
        r.old = side(&old);
    }
    MUST(jr_policy_evaluate(&r, arena, &f) == JR_OK);
    check_findings(&f, arena);
    /* What stays as it is is never found fault with. */
    r.update = true;
    r.old = r.job;
    MUST(jr_policy_evaluate(&r, arena, &f) == JR_OK);
    MUST(f.n == 0);
}

static struct jr_job_policy *compile(const struct jr_doc *doc, struct jr_arena *arena)
{
    struct jr_warnings warnings = { .arena = arena };
    struct jr_job_policy *p = NULL;
    struct jr_errlist errs;

    jr_errlist_init(&errs, arena);
    MUST(jr_job_policy_compile(jr_doc_root_const(doc), jr_time_s(1772366400), &errs, &warnings,
                               &p) == JR_OK);
    MUST((errs.n > 0) == (p->unusable.n > 0));
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str rest = view_of(data, size), text[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    struct jr_job_policy *policy;
    struct jr_policy_set set;
    struct jr_policy_context c = { .namespace = JR_S("team-a"),
                                   .namespace_known = true,
                                   .now = jr_time_s(1772366400) };
    JR_ARENA arena = { 0 };

    for (size_t i = 0; i < JR_ARRAY_SIZE(text) && jr_str_cut(&rest, '\n', &text[i]); i++)
        continue;
    DOC *p = parse(text[0]), *job = parse(text[1]), *old = parse(text[2]);
    if (p == NULL)
        return 0;
    jr_arena_init(&arena, 0);
    policy = compile(p, &arena);
    set = (struct jr_policy_set){ &policy, 1 };
    c.set = &set;
    if (job != NULL) {
        check_defaults(&c, job, &arena);
        evaluate(&c, job, old, &arena);
    }
    jr_job_policy_free(policy);
    return 0;
}
