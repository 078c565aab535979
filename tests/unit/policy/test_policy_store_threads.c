/* SPDX-License-Identifier: Apache-2.0 */
/* Readers beside the one thread that writes: what they hold is whole, and nothing is counted less
 * or more often than it was said. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/object.h"
#include "tests/unit/policy/policy_test.h"

#define READERS 3
#define READS 300 /* of each reader, at least */

#define JOB                                                                                  \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{" \
    "\"parallelism\":9,\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[" \
    "{\"name\":\"c\",\"image\":\"x\"}]}}}}"

struct shared {
    struct jr_policy_store *s;
    const struct jr_object *job;
    atomic_bool over;
    atomic_uint wrong, counted;
    atomic_uint reads[READERS];
    atomic_uint at; /* which of them begins next */
};

/** The policy "always" is in each snapshot; there are as many findings as policies. */
static bool read_once(struct shared *s)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    SNAPSHOT *now = jr_policy_store_get(s->s);
    const struct jr_policy_context context = { .set = &now->set, .namespace = JR_S("ns") };
    const struct jr_policy_request r = {
        .context = &context,
        .job = { s->job->root, &s->job->job->spec, &s->job->job->meta.labels, NULL },
        .spec = &spec,
    };
    struct jr_policy_findings f = { 0 };
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    if (jr_policy_evaluate(&r, &arena, &f) != JR_OK || f.n != now->set.n ||
        !jr_str_is(now->set.v[0]->name, "always"))
        return false;
    jr_policy_snapshot_count(now, &f);
    (void)atomic_fetch_add(&s->counted, 1);
    return true;
}

static void *read_all_the_time(void *ctx)
{
    struct shared *s = ctx;
    const unsigned me = atomic_fetch_add(&s->at, 1);

    while (!atomic_load(&s->over)) {
        if (!read_once(s))
            (void)atomic_fetch_add(&s->wrong, 1);
        (void)atomic_fetch_add(&s->reads[me], 1);
    }
    return NULL;
}

static bool all_have_read(struct shared *s)
{
    for (int i = 0; i < READERS; i++) {
        if (atomic_load(&s->reads[i]) < READS)
            return false;
    }
    return true;
}

static void write_round(struct jr_policy_store *s, int i)
{
    static const char spec[] = "{\"limits\":{\"parallelism\":{\"max\":5}}}";

    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("always", i, spec));
    if (i % 3 == 0)
        jr_policy_store_put(s, JR_POLICY_OF_FILE, policy_of("at-times", i, spec));
    else if (i % 3 == 1)
        jr_policy_store_remove(s, JR_POLICY_OF_FILE, JR_S("at-times"));
    jr_policy_store_publish(s);
}

static void test_threads(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    const char *const values[] = { "Deny", "always", "fail", NULL };
    struct shared s = { .s = jr_policy_store_new() };
    pthread_t readers[READERS];
    struct jr_metrics *m = NULL;
    struct jr_error err = { 0 };
    OBJECT job = { 0 };

    (void)state;
    assert_int_equal(jr_metrics_new(&m), JR_OK);
    assert_int_equal(open_job_text(jr_str(JOB), &profile, &job, &err), JR_OK);
    s.job = &job;
    write_round(s.s, 0);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_all_the_time, &s), 0);
    for (int i = 1; i < 1000 || !all_have_read(&s); i++) {
        write_round(s.s, i);
        jr_policy_store_metrics(s.s, (struct jr_time){ 0 }, m);
    }
    atomic_store(&s.over, true);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(atomic_load(&s.wrong), 0);
    jr_policy_store_metrics(s.s, (struct jr_time){ 0 }, m);
    assert_int_equal((int)jr_metrics_get(m, "jobreeve_policy_evaluations_total", values),
                     atomic_load(&s.counted));
    jr_metrics_free(m);
    jr_policy_store_free(s.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
