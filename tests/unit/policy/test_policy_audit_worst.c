/* SPDX-License-Identifier: Apache-2.0 */
/* Of the objects that violate a policy the worst are named; and an audit without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/support/doc.h"
#include "tests/support/failalloc.h"
#include "tests/unit/policy/audit_scene.h"

/* ---- what is said of an object ---- */

static void want_worst(const struct scene *s, size_t i, const char *want)
{
    const struct jr_policy_worst *w = s->audit.v[0].worst[i];
    JR_BUF have = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    (void)jr_buf_addf(&have, "%.*s %.*s/%.*s %zu %.*s | %.*s", JR_P(w->kind), JR_P(w->namespace),
                      JR_P(w->name), w->violations, JR_P(w->rule), JR_P(w->message));
    assert_string_equal(have.p, want);
}

static void words(void **state)
{
    static const char policy[] =
        "\"limits\":{\"parallelism\":{\"max\":10},\"ttlSecondsAfterFinished\":{\"max\":1}}";
    const char *const specs[] = { policy };
    struct scene s;

    (void)state;
    scene_init(&s, specs, 1);
    add(&s, false, object_of(&(struct subject){ false, "team-a", "j", "", OVER }), false);
    add(&s, true,
        object_of(
            &(struct subject){ true, "team-a", "c", "", OVER "\"ttlSecondsAfterFinished\":2," }),
        true);
    assert_int_equal(s.audit.v[0].n_worst, 2);
    want_worst(&s, 0,
               "CronJob team-a/c 2 limits.parallelism | spec.jobTemplate.spec.parallelism: is 11, "
               "at most 10 allowed (the webhook is not asked in this namespace)");
    want_worst(&s, 1,
               "Job team-a/j 1 limits.parallelism | spec.parallelism: is 11, at most 10 allowed");
    scene_done(&s);
}

static void words_of_unusable_policies(void **state)
{
    const char *const specs[] = { UNUSABLE };
    struct scene s;
    const struct jr_policy_worst *w;

    (void)state;
    scene_init(&s, specs, 1);
    add_job(&s, FINE);
    w = s.audit.v[0].worst[0];
    assert_true(jr_str_is(w->rule, "failurePolicy"));
    assert_true(jr_str_starts(w->message, JR_S("spec: the policy can't be used: spec.limits.")));
    scene_done(&s);
}

/** A copy of s with so many 'x' in the place of its '@'. */
static char *grown(const char *s, size_t n)
{
    const size_t at = strcspn(s, "@");
    char *text = malloc(strlen(s) + n);

    assert_non_null(text);
    memcpy(text, s, at);
    memset(text + at, 'x', n);
    memcpy(text + at + n, s + at + 1, strlen(s + at));
    return text;
}

/** What was never validated may be of any length: it is counted, and told in part. */
static void words_are_cut(void **state)
{
    char *managed_by = grown("\"managedBy\":\"@\",", 100000);
    char *key = grown("\"match\":{\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"@\","
                      "\"operator\":\"In\"}]}},\"budget\":{\"requestsAtOnce\":{\"cpu\":1}}",
                      100000);
    char *resource = grown("\"budget\":{\"requestsAtOnce\":{\"@\":1}}", 100000);
    char *label = grown("\"defaults\":{\"labels\":{\"@\":1}}", 100000);
    const char *const specs[] = { "\"limits\":{\"managedBy\":{\"values\":[\"a.b/c\"]}}", key,
                                  resource, label };
    struct scene s;

    (void)state;
    scene_init(&s, specs, JR_ARRAY_SIZE(specs));
    add_job(&s, managed_by);
    for (size_t i = 0; i < JR_ARRAY_SIZE(specs); i++) {
        const struct jr_str message = s.audit.v[i].worst[0]->message;

        assert_int_equal(s.audit.v[i].violating, 1);
        assert_true(message.n <= ((size_t)64 << 10) + 100);
        assert_true(i > 0 || (jr_str_starts(message, JR_S("spec.managedBy: is \"xxx")) &&
                              jr_str_ends(message, JR_S("xxx\"..., allowed: \"a.b/c\""))));
        assert_true(i == 0 || jr_str_starts(message, JR_S("spec: the policy can't be used: ")));
    }
    scene_done(&s);
    free(managed_by);
    free(key);
    free(resource);
    free(label);
}

/* ---- the worst ---- */

#define OBJECTS 36

/* Namespaces and names that are prefixes of each other, upper before lower, and both kinds of each:
 * by the bytes, not by any locale. */
static struct subject nth(size_t i)
{
    static const char *const namespaces[] = { "a", "aa", "b" };
    static const char *const names[] = { "m", "m-1", "z" };
    static const char *const specs[] = { OVER, OVER "\"ttlSecondsAfterFinished\":2," };

    return (struct subject){ i % 2 == 1, namespaces[i / 2 % 3], names[i / 6 % 3], "",
                             specs[i / 18] };
}

/* Most violations first: all 18 with two, so the ten first of these by namespace, name, kind. */
static const char *const ten[] = {
    "CronJob a/m 2", "Job a/m 2",      "CronJob a/m-1 2", "Job a/m-1 2",      "CronJob a/z 2",
    "Job a/z 2",     "CronJob aa/m 2", "Job aa/m 2",      "CronJob aa/m-1 2", "Job aa/m-1 2",
};

static void want_ten(const struct scene *s)
{
    const struct jr_policy_tally *t = &s->audit.v[0];

    assert_int_equal(t->n_worst, JR_ARRAY_SIZE(ten));
    for (size_t i = 0; i < JR_ARRAY_SIZE(ten); i++) {
        const struct jr_policy_worst *w = t->worst[i];
        JR_BUF have = { 0 };

        jr_buf_init(&have, TEXT_MAX);
        (void)jr_buf_addf(&have, "%.*s %.*s/%.*s %zu", JR_P(w->kind), JR_P(w->namespace),
                          JR_P(w->name), w->violations);
        assert_string_equal(have.p, ten[i]);
    }
}

static void worst_in_any_order(void **state)
{
    const char *const specs[] = {
        "\"limits\":{\"parallelism\":{\"max\":10},\"ttlSecondsAfterFinished\":{\"max\":1}}"
    };
    struct jr_rand_seeded seed;
    const struct jr_rand rand = jr_rand_of_seed(&seed, 20261201);
    size_t order[OBJECTS];

    (void)state;
    for (size_t i = 0; i < OBJECTS; i++)
        order[i] = i;
    for (unsigned round = 0; round < 50; round++) {
        struct scene s;

        scene_init(&s, specs, 1);
        for (size_t i = 0; i < OBJECTS; i++) {
            const struct subject o = nth(order[i]);

            add(&s, o.cron_job, object_of(&o), false);
        }
        want_counts(&s, "in any order", 0, (const size_t[]){ OBJECTS, OBJECTS, 0 });
        want_ten(&s);
        scene_done(&s);
        for (size_t i = OBJECTS - 1; i > 0; i--) {
            const size_t k = (size_t)jr_rand_below(&rand, i + 1), was = order[i];

            order[i] = order[k];
            order[k] = was;
        }
    }
}

/* ---- want of memory ---- */

struct objects {
    struct jr_doc *doc[JR_POLICY_WORST_MAX + 2];
};

/** More than there is room for, so that one takes another's place; a CronJob; one unreadable. */
static void objects_init(struct objects *all)
{
    static const char names[] = "lkjihgfedcba";

    for (size_t i = 0; i < JR_ARRAY_SIZE(all->doc) - 1; i++) {
        const char name[] = { names[i], '\0' };

        all->doc[i] = object_of(&(struct subject){ i == 3, "team-a", name, "", OVER });
    }
    all->doc[JR_ARRAY_SIZE(all->doc) - 1] = doc_of(JR_S("{\"spec\":7}"));
}

static enum jr_status audit_once(const struct scene *s, const struct objects *all)
{
    JR_CLEANUP(jr_policy_audit_done) struct jr_policy_audit audit = { .v = NULL };
    enum jr_status st = jr_policy_audit_init(&audit, &s->set, true);

    for (size_t i = 0; st == JR_OK && i < JR_ARRAY_SIZE(all->doc); i++) {
        const struct jr_policy_audited object = {
            .kind = i == 3 ? &jr_admission_cron_job : &jr_admission_job,
            .root = jr_doc_root(all->doc[i]),
            .excluded = i % 2 == 0,
        };

        st = jr_policy_audit_add(&audit, &object, &s->context, &s->profile);
    }
    return st;
}

static void without_memory(void **state)
{
    const char *const specs[] = { MAX_10 ",\"budget\":{\"requestsAtOnce\":{\"cpu\":\"1\"}}",
                                  UNUSABLE, MATCH(POOL) };
    struct objects all;
    struct scene s;

    (void)state;
    scene_init(&s, specs, 3);
    set_labels(&s, UNKNOWN);
    objects_init(&all);
    for (long n = 1;; n++) {
        jr_failalloc_arm(n);
        if (jr_failalloc_over(audit_once(&s, &all)))
            break;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(all.doc); i++)
        jr_doc_free(all.doc[i]);
    scene_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),          cmocka_unit_test(words_of_unusable_policies),
        cmocka_unit_test(words_are_cut),  cmocka_unit_test(worst_in_any_order),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
