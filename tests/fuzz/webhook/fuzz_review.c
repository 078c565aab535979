/* SPDX-License-Identifier: Apache-2.0 */
/* The whole webhook but for its sockets. The first byte says how the rest is used: a body for the
 * mutating (m) or the validating (v) side; an object that is created (M, V; H: and assigned); or
 * two objects with a newline between, the second one old, of an update (U) or of a status update
 * (S); a JobPolicy that is created (P). With a c before it, it is about CronJobs instead of Jobs;
 * with a p and a JobPolicy and a newline before all of it, that is in force. */
#include <stdint.h>
#include <stdlib.h>

#include "common/api/admission_review.h"
#include "common/base/base64.h"
#include "common/json/patch.h"
#include "common/policy/watch/store.h"
#include "webhook/review/review.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Both sides of a kind. */
struct sides {
    const char *kind;
    const char *resource;
    enum jr_endpoint mutate;
    enum jr_endpoint validate;
    const char *group, *version;               /* NULL: batch, v1 */
    const struct jr_review_policies *policies; /* NULL: there are none */
};
static const struct sides jobs = { .kind = "Job",
                                   .resource = "jobs",
                                   .mutate = JR_ENDPOINT_MUTATE_JOB,
                                   .validate = JR_ENDPOINT_VALIDATE_JOB };
static const struct sides cron_jobs = { .kind = "CronJob",
                                        .resource = "cronjobs",
                                        .mutate = JR_ENDPOINT_MUTATE_CRON_JOB,
                                        .validate = JR_ENDPOINT_VALIDATE_CRON_JOB };

static const struct sides job_policies = { .kind = "JobPolicy",
                                           .resource = "jobpolicies",
                                           .mutate = JR_ENDPOINT_VALIDATE_POLICY,
                                           .validate = JR_ENDPOINT_VALIDATE_POLICY,
                                           .group = "policy.jobreeve.dev",
                                           .version = "v1alpha1" };

static const struct sides assigned = { .kind = "Job",
                                       .resource = "jobs",
                                       .mutate = JR_ENDPOINT_ASSIGN_CONTROLLER,
                                       .validate = JR_ENDPOINT_VALIDATE_JOB };

static void must(bool ok)
{
    if (!ok)
        abort();
}

/** Answers; false where the body is no review. What must hold for every answer is checked. */
static bool answered(enum jr_endpoint e, const struct jr_review_policies *policies,
                     struct jr_str body, struct jr_buf *out, struct jr_review_outcome *o)
{
    const struct jr_profile described = jr_profile_default();
    const struct jr_profiles profiles = jr_profiles_of(&described);
    const struct jr_review_settings settings = { .profiles = &profiles,
                                                 .controller_name = "example.com/jobs",
                                                 .policies = policies };
    const struct jr_reader_opts reader = { .dup = JR_DUP_REJECT };
    JR_ARENA arena = { 0 };
    struct jr_error err = { .status = JR_OK };
    struct jr_admission_review r;
    enum jr_status st;

    jr_arena_init(&arena, 0);
    st = jr_review_read(body, &arena, &r, &err);
    must(arena.used <= jr_review_read_cost(body.n));
    if (st == JR_OK) {
        jr_buf_init(out, jr_review_answer_max(&r, policies));
        st = jr_review_answer_for(e, &r, &settings, &arena, out, o, &err);
        must(arena.used <= jr_review_read_cost(body.n) + jr_review_cost(&r, policies));
    }
    if (st != JR_OK) {
        must(err.http == 400 || err.http == 413);
        must(err.msg[0] != 0);
        return false;
    }
    must(jr_json_check(jr_buf_str(out), &reader, NULL) == JR_OK);
    must(o->allowed == (o->code == 0));
    return true;
}

static void add_object(struct jr_buf *b, const char *key, struct jr_str text)
{
    (void)jr_buf_addf(b, ",\"%s\":", key);
    (void)jr_buf_add(b, text);
}

/** A review about a Job or CronJob, with these objects in it as they are. */
static void make_review(struct jr_buf *b, const struct sides *about, const char *operation,
                        const char *sub, struct jr_str object, struct jr_str old)
{
    const char *group = about->group == NULL ? "batch" : about->group;
    const char *version = about->version == NULL ? "v1" : about->version;

    jr_buf_init(b, object.n + old.n + 1000);
    (void)jr_buf_addf(
        b,
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u\",\"kind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"},"
        "\"resource\":{\"group\":\"%s\",\"version\":\"%s\",\"resource\":\"%s\"},"
        "\"subResource\":\"%s\",\"operation\":\"%s\"",
        group, version, about->kind, group, version, about->resource, sub, operation);
    add_object(b, "object", object);
    if (old.n > 0)
        add_object(b, "oldObject", old);
    (void)jr_buf_adds(b, "}}");
    must(b->failed == JR_OK);
}

/** Applies the answer's patch to the object; false where there is none. */
static bool patched(struct jr_str answer, struct jr_str object, struct jr_buf *ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    const struct jr_reader_opts reader = { .dup = JR_DUP_REJECT };
    struct jr_str b64;
    JR_BUF text = { 0 };

    jr_buf_init(&text, answer.n);
    must(jr_doc_parse(answer, &reader, &doc, NULL) == JR_OK);
    b64 = jr_get_str(jr_get(jr_doc_root_const(doc), "response"), "patch");
    if (b64.p == NULL)
        return false;
    must(jr_base64_decode(b64, &text) == JR_OK);
    must(jr_doc_parse(jr_buf_str(&text), &reader, &patch, NULL) == JR_OK);
    must(jr_doc_parse(object, &reader, &job, NULL) == JR_OK);
    must(jr_patch_apply(job, jr_doc_root_const(patch), NULL) == JR_OK);
    must(jr_node_print(jr_doc_root_const(job), ret) == JR_OK);
    return true;
}

/** Mutated once, an object needs no second mutation. */
static void mutate_twice(const struct sides *about, struct jr_str object)
{
    const struct jr_str none = { NULL, 0 };
    const struct jr_reader_opts reader = { .dup = JR_DUP_REJECT };
    struct jr_review_outcome o;
    JR_BUF body = { 0 };
    JR_BUF again = { 0 };
    JR_BUF out = { 0 };
    JR_BUF out_again = { 0 };
    JR_BUF after = { 0 };

    jr_buf_init(&after, (size_t)1 << 30);
    make_review(&body, about, "CREATE", "", object, none);
    if (!answered(about->mutate, about->policies, jr_buf_str(&body), &out, &o) ||
        jr_json_check(object, &reader, NULL) != JR_OK || /* it may close the review's own braces */
        !patched(jr_buf_str(&out), object, &after))
        return;
    make_review(&again, about, "CREATE", "", jr_buf_str(&after), none);
    must(answered(about->mutate, about->policies, jr_buf_str(&again), &out_again, &o));
    must(o.allowed && !o.patched);
}

static void validate(const struct sides *about, const char *operation, const char *sub,
                     struct jr_str object, struct jr_str old)
{
    struct jr_review_outcome o;
    JR_BUF body = { 0 };
    JR_BUF out = { 0 };

    make_review(&body, about, operation, sub, object, old);
    (void)answered(about->validate, about->policies, jr_buf_str(&body), &out, &o);
}

static void ask(enum jr_endpoint e, const struct jr_review_policies *policies, struct jr_str body)
{
    struct jr_review_outcome o;
    JR_BUF out = { 0 };

    (void)answered(e, policies, body, &out, &o);
}

/** how: the byte that says it. */
static void use(const struct sides *about, char how, struct jr_str rest)
{
    struct jr_str object = { NULL, 0 };

    switch (how) {
    case 'm':
        ask(about->mutate, about->policies, rest);
        break;
    case 'v':
        ask(about->validate, about->policies, rest);
        break;
    case 'M':
        mutate_twice(about, rest);
        break;
    case 'H':
        mutate_twice(&assigned, rest);
        break;
    case 'V':
        validate(about, "CREATE", "", rest, object);
        break;
    case 'P':
        validate(&job_policies, "CREATE", "", rest, object);
        break;
    case 'U':
    case 'S':
        if (jr_str_cut(&rest, '\n', &object))
            validate(about, "UPDATE", how == 'S' ? "status" : "", object, rest);
        break;
    }
}

static void use_all(struct jr_str text, const struct jr_review_policies *policies)
{
    const bool cron = text.n > 0 && text.p[0] == 'c';
    struct sides about = cron ? cron_jobs : jobs;

    about.policies = policies;
    if (cron)
        text = jr_str_from(text, 1);
    if (text.n >= 2)
        use(&about, text.p[0], jr_str_from(text, 1));
}

/** With a policy in force, right or wrong. */
static void use_by_policy(struct jr_str policy, struct jr_str rest)
{
    struct jr_policy_store *store = jr_policy_store_new();
    struct jr_review_policies policies = { .namespace_labels = NULL };
    struct jr_policy_snapshot *snapshot;
    struct jr_job_policy *p = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;
    struct jr_warnings warnings = { .arena = &arena };

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    if (jr_doc_parse(policy, &JR_READER_LENIENT, &doc, NULL) == JR_OK &&
        jr_job_policy_compile(jr_doc_root(doc), (struct jr_time){ 1 }, &errs, &warnings, &p) ==
            JR_OK)
        jr_policy_store_put(store, JR_POLICY_OF_API, p);
    jr_policy_store_publish(store);
    snapshot = jr_policy_store_get(store);
    policies.set = &snapshot->set;
    policies.findings_cost = snapshot->findings_cost;
    use_all(rest, &policies);
    jr_policy_snapshot_unref(snapshot);
    jr_policy_store_free(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = { (const char *)data, size }, policy;

    if (size > 200000)
        return 0;
    if (size == 0 || data[0] != 'p') {
        use_all(text, NULL);
    } else {
        text = jr_str_from(text, 1);
        if (jr_str_cut(&text, '\n', &policy))
            use_by_policy(policy, text);
    }
    return 0;
}
