/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets beside what Jobs come to while a hostile tenant changes them, with and without a queue
 * that suspends, changes and resumes: under changes: Refused no budget is exceeded; under Allowed,
 * the control, some are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/admission/admission.h"
#include "common/base/clock.h"
#include "tests/support/doc.h"
#include "tests/unit/reconcile/facts_jobs.h"

#define WORLDS 5000 /* JR_BUDGET_WORLDS: another number; three of four with a queue */
#define ALLOWED_PERCENT 10
#define TENANT_PERCENT 40

static int64_t current; /* the seed, for whoever has to replay it */

/** The tenant and the queue, who change the Job. */
struct meddlers {
    struct dice d;
    struct jr_policy_set set;
    bool has_queue;
    int32_t parallelism; /* of the Job as it was made */
    int32_t admitted;    /* by the queue */
    bool restores;       /* the queue has stopped the Job, and not given back its size yet */
    unsigned tried, done;
    unsigned resumed; /* by the queue */
};

/* ---- a policy ---- */

/** The budget is what the Job may come to, to the letter. */
static struct jr_job_policy *policy_for(const struct jr_job_facts *f, bool refused)
{
    struct jr_warnings warnings = { .failed = JR_OK };
    struct jr_job_policy *p = NULL;
    struct jr_errlist errs;
    struct jr_doc *doc;
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };

    jr_arena_init(&arena, 0);
    warnings.arena = &arena;
    jr_errlist_init(&errs, &arena);
    jr_buf_init(&text, SPEC_MAX);
    (void)jr_buf_addf(&text,
                      "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"budget\":{\"changes\":\"%s\","
                      "\"podsAtOnce\":%lld",
                      refused ? "Refused" : "Allowed", (long long)f->pods_at_once.v);
    if (f->pods_ever.reasons == 0)
        (void)jr_buf_addf(&text, ",\"podsEver\":%lld", (long long)f->pods_ever.v);
    if (f->runtime_s.reasons == 0)
        (void)jr_buf_addf(&text, ",\"runtime\":\"%llds\"", (long long)f->runtime_s.v);
    if (f->pods_held.reasons == 0)
        (void)jr_buf_addf(&text, ",\"requestsAtOnce\":{\"cpu\":\"%lld\"}",
                          (long long)f->pods_held.v * 3600);
    if (f->pod_seconds.reasons == 0)
        (void)jr_buf_addf(&text, ",\"resourceHours\":{\"cpu\":\"%lld\"}",
                          (long long)f->pod_seconds.v);
    assert_int_equal(jr_buf_adds(&text, "}}}"), JR_OK);
    doc = doc_of(jr_buf_str(&text));
    assert_int_equal(
        jr_job_policy_compile(jr_doc_root_const(doc), jr_time_s(1772366400), &errs, &warnings, &p),
        JR_OK);
    if (errs.n > 0)
        fail_msg("%.*s: %.*s: %s", JR_P(errs.v[0].field), JR_P(errs.v[0].detail), text.p);
    jr_doc_free(doc);
    return p;
}

/* ---- an update ---- */

/** Sends the Job as `doc` has it. Returns whether the API server and the policy take it. */
static bool send(struct meddlers *m, struct world *w, struct jr_doc *doc, bool by_queue)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_policy_context context = { .set = &m->set,
                                               .namespace = JR_S("ns"),
                                               .namespace_known = true,
                                               .by_queue = by_queue,
                                               .now = w->now,
                                               .controller = JR_S("jobreeve.dev/controller") };
    struct jr_doc *old = doc_of(world_job(w)->raw);
    const struct jr_admission_request r = { .kind = &jr_admission_job,
                                            .operation = JR_ADMISSION_UPDATE,
                                            .source = JR_ADMISSION_SERVED,
                                            .profile = &profile,
                                            .object = jr_doc_root(doc),
                                            .old = jr_doc_root(old),
                                            .policies = &context };
    struct jr_admission_result result;
    struct jr_error err = { .status = JR_OK };
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };
    bool taken;

    jr_arena_init(&arena, 0);
    jr_admission_result_init(&result, &arena);
    if (jr_admit(&r, &result, &err) != JR_OK)
        fail_msg("%s", err.msg);
    taken = !jr_admission_denied(&result) && !result.refused;
    if (taken) {
        jr_buf_init(&text, 1 << 20);
        assert_int_equal(jr_node_print(jr_doc_root_const(doc), &text), JR_OK);
        world_set_job(w, jr_buf_str(&text));
        w->plan.rescaled |= w->plan.completions != jr_i32_or(world_job(w)->spec.completions, 0);
        w->plan.completions = jr_i32_or(world_job(w)->spec.completions, 0);
    }
    jr_doc_free(old);
    return taken;
}

static void set_i64(struct jr_node *spec, const char *name, int64_t v)
{
    assert_int_equal(jr_set_i64(spec, name, v), JR_OK);
}

static void set_requests(struct jr_node *spec, const char *cpu)
{
    struct jr_node *container = jr_first(jr_path(spec, "template.spec.containers"));

    assert_int_equal(jr_set_str(jr_path(container, "resources.requests"), "cpu", jr_str(cpu)),
                     JR_OK);
}

/** Changes what a tenant may think of. */
static void change_something(struct meddlers *m, struct jr_node *spec)
{
    const bool suspended = jr_node_bool_or(jr_get(spec, "suspend"), false);
    const int n = below(&m->d, 10);

    switch (below(&m->d, 10)) {
    case 0:
    case 1:
        assert_int_equal(jr_set_bool(spec, "suspend", !suspended), JR_OK);
        break;
    case 2:
    case 3:
        set_i64(spec, "parallelism", n);
        break;
    case 4: /* an elastic Job */
        set_i64(spec, "parallelism", n);
        set_i64(spec, "completions", n);
        break;
    case 5:
        set_i64(spec, "activeDeadlineSeconds", 1 + below(&m->d, 100000));
        break;
    case 6:
        jr_remove(spec, JR_S("activeDeadlineSeconds"), NULL);
        break;
    case 7:
        set_i64(spec, "backoffLimit", n + n % 3);
        break;
    case 8:
        set_i64(spec, "maxFailedIndexes", n);
        break;
    default:
        set_requests(spec, chance(&m->d, 50) ? "7200" : "1800");
        break;
    }
}

static void tenant(struct meddlers *m, struct world *w)
{
    struct jr_doc *doc = doc_of(world_job(w)->raw);
    struct jr_node *spec = jr_get(jr_doc_root(doc), "spec");

    for (int n = 1 + below(&m->d, 2); n > 0; n--)
        change_something(m, spec);
    m->tried++;
    m->done += send(m, w, doc, false);
    jr_doc_free(doc);
    /* A finalizer holds it. What is suspended and deleted in one go isn't held (docs/security.md).
     */
    if (chance(&m->d, 2) &&
        (!jr_bool_or(world_job(w)->spec.suspend, false) || facts_world_is_idle(w)))
        world_delete_job(w);
}

/** The queue's own update: suspended or not, with so many Pods at once. */
static bool queue_sends(struct meddlers *m, struct world *w, bool suspended, int32_t parallelism)
{
    struct jr_doc *doc = doc_of(world_job(w)->raw);
    struct jr_node *spec = jr_get(jr_doc_root(doc), "spec");
    bool taken;

    assert_int_equal(jr_set_bool(spec, "suspend", suspended), JR_OK);
    set_i64(spec, "parallelism", parallelism);
    taken = send(m, w, doc, true);
    jr_doc_free(doc);
    return taken;
}

/** Stops the Job, and gives back its size at once or later: Kueue takes two updates for it. */
static void stop(struct meddlers *m, struct world *w, int32_t parallelism)
{
    m->restores = chance(&m->d, 50);
    (void)queue_sends(m, w, true, m->restores ? parallelism : m->parallelism);
}

/** Admits, also in part; evicts, and stops a Job whose Pods are another number than was admitted,
 * as Kueue does. It leaves a Job alone that is being deleted: the controller wouldn't delete its
 * Pods, nor count its time. */
static void queue(struct meddlers *m, struct world *w)
{
    const struct jr_job_spec *spec = &world_job(w)->spec;
    const int32_t parallelism = jr_i32_or(spec->parallelism, 1);

    if (jr_time_set(world_job(w)->meta.deletion_timestamp))
        return;
    if (!jr_bool_or(spec->suspend, false)) {
        if (parallelism != m->admitted || (!w->calm && chance(&m->d, 10)))
            stop(m, w, parallelism);
        return;
    }
    if (!facts_world_is_idle(w) || !chance(&m->d, 50))
        return;
    if (m->restores) {
        m->restores = false;
        (void)queue_sends(m, w, true, m->parallelism);
        return;
    }
    m->admitted = m->parallelism == 0 || chance(&m->d, 50)
                      ? m->parallelism
                      : 1 + below(&m->d, (uint64_t)m->parallelism);
    if (!queue_sends(m, w, false, m->admitted))
        return;
    m->resumed++;
    facts_world_new_run(w);
}

static void meddle(struct world *w, void *ctx)
{
    struct meddlers *m = ctx;

    if (m->has_queue)
        queue(m, w);
    if (chance(&m->d, TENANT_PERCENT))
        tenant(m, w);
}

/* ---- worlds ---- */

struct tally {
    unsigned runs, exceeded, tried, done, resumed;
};

static void draw_job(struct dice *d, bool suspended, struct jr_buf *b)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, SPEC_MAX);
    draw_spec(d, &text);
    (void)jr_buf_adds(b, suspended ? "{\"suspend\":true," : "{");
    assert_int_equal(jr_buf_add(b, jr_str_from(jr_buf_str(&text), 1)), JR_OK);
}

static void run(uint64_t seed, struct tally tallies[2][2])
{
    struct meddlers m = { .has_queue = seed % 4 != 0 };
    struct subject s = { .run = { .grace_s = 0 } };
    struct jr_job_policy *policy;
    struct facts_seen seen;
    const char *what;
    struct tally *t;
    bool refused;

    m.d.rand = jr_rand_of_seed(&m.d.seed, seed);
    refused = !chance(&m.d, ALLOWED_PERCENT);
    jr_buf_init(&s.spec, SPEC_MAX);
    draw_job(&m.d, m.has_queue, &s.spec);
    subject_open(&s);
    policy = policy_for(&s.facts, refused);
    m.set = (struct jr_policy_set){ &policy, 1 };
    m.parallelism = jr_i32_or(s.facts.spec->parallelism, 1);
    s.run.meddle = meddle;
    s.run.ctx = &m;
    seen = facts_world_run(seed, &s.run);
    what = exceeded(&s.facts, &seen, NULL);
    if (what != NULL && refused)
        fail_msg("%s: ever %lld, at once %lld, held %lld, runtime %lld, Pod seconds %lld; %s", what,
                 (long long)seen.ever, (long long)seen.at_once, (long long)seen.held,
                 (long long)seen.runtime_s, (long long)seen.pod_seconds, s.spec.p);
    t = &tallies[m.has_queue][refused];
    t->runs++;
    t->exceeded += what != NULL;
    t->tried += m.tried;
    t->done += m.done;
    t->resumed += m.resumed;
    jr_job_policy_free(policy);
    subject_done(&s);
}

static void never_exceeded(void **state)
{
    const int64_t worlds = setting("JR_BUDGET_WORLDS", WORLDS);
    const int64_t first = setting("JR_FACTS_FIRST", 1);
    struct tally tallies[2][2] = { 0 };

    (void)state;
    for (int64_t seed = first; seed < first + worlds; seed++) {
        current = seed;
        run((uint64_t)seed, tallies);
    }
    for (int with = 0; with < 2; with++) {
        for (int refused = 0; refused < 2; refused++) {
            const struct tally *t = &tallies[with][refused];

            print_message("%s, changes: %s: %u runs, %u exceed a bound; the tenant's updates: %u, "
                          "%u of them taken; admitted by the queue %u times\n",
                          with ? "with a queue" : "without one", refused ? "Refused" : "Allowed",
                          t->runs, t->exceeded, t->tried, t->done, t->resumed);
            assert_true(worlds < WORLDS || (t->runs > 0 && t->done > 0));
            assert_true(worlds < WORLDS || (t->resumed > 0) == (with == 1));
            /* The control. */
            assert_true(worlds < WORLDS || (t->exceeded > 0) == (refused == 0));
        }
    }
}

static int tell_seed(void **state)
{
    (void)state;
    print_message("last seed: %lld\n", (long long)current);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(never_exceeded, tell_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
