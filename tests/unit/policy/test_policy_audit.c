/* SPDX-License-Identifier: Apache-2.0 */
/* What policies say of objects that are there: each is counted once, whatever comes around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/json/write.h"
#include "tests/support/doc.h"
#include "tests/unit/policy/audit_scene.h"

/* ---- one object, one policy ---- */

#define EXCEPT(who, until, most)                                                       \
    MAX_10 ",\"exceptions\":[{" who ",\"limits\":{\"parallelism\":{\"max\":" most "}}" \
           ",\"until\":\"" until "\",\"reason\":\"r\"}]"
#define LASTS "2026-12-01T00:00:01Z"
#define ENDED NOW /* not before it */
#define DELETED ",\"deletionTimestamp\":\"2026-11-30T00:00:00Z\""

enum { JOB, CRON };

static const struct row {
    const char *name;
    const char *policy;
    int kind;
    enum labels labels;
    const char *meta;
    const char *spec;
    size_t want[3]; /* checked, violating, skipped */
} rows[] = {
    { "a Job at the limit", MAX_10, JOB, NO_LABELS, "", FINE, { 1, 0, 0 } },
    { "a Job over it", MAX_10, JOB, NO_LABELS, "", OVER, { 1, 1, 0 } },
    { "a CronJob at the limit", MAX_10, CRON, NO_LABELS, "", FINE, { 1, 0, 0 } },
    { "a CronJob over it", MAX_10, CRON, NO_LABELS, "", OVER, { 1, 1, 0 } },
    { "only audited",
      "\"validationActions\":[\"Audit\"]," MAX_10,
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },
    { "two rules are one object",
      MAX_10 ",\"budget\":{\"podsAtOnce\":1}",
      JOB,
      NO_LABELS,
      "",
      OVER "\"completions\":50,",
      { 1, 1, 0 } },
    { "its own defaults are not yet set",
      "\"defaults\":{\"ttlSecondsAfterFinished\":5},\"limits\":"
      "{\"ttlSecondsAfterFinished\":{\"required\":true}}",
      JOB,
      NO_LABELS,
      "",
      FINE,
      { 1, 1, 0 } },

    { "namespaces", MATCH("\"namespaces\":[\"team-*\"]"), JOB, NO_LABELS, "", OVER, { 1, 1, 0 } },
    { "other namespaces",
      MATCH("\"namespaces\":[\"x-*\"]"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 0, 0, 0 } },
    { "excluded namespaces",
      MATCH("\"excludeNamespaces\":[\"team-a\"]"),
      CRON,
      NO_LABELS,
      "",
      OVER,
      { 0, 0, 0 } },
    { "a Job's labels",
      MATCH("\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}"),
      JOB,
      NO_LABELS,
      ",\"labels\":{\"a\":\"b\"}",
      OVER,
      { 1, 1, 0 } },
    { "other labels",
      MATCH("\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}"),
      JOB,
      NO_LABELS,
      ",\"labels\":{\"a\":\"c\"}",
      OVER,
      { 0, 0, 0 } },
    { "a template's labels",
      MATCH("\"objectSelector\":{\"matchLabels\":{\"in\":\"template\"}}"),
      CRON,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },
    { "a CronJob's own labels",
      MATCH("\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}"),
      CRON,
      NO_LABELS,
      ",\"labels\":{\"a\":\"b\"}",
      OVER,
      { 0, 0, 0 } },
    { "as if made now",
      MATCH("\"operations\":[\"CREATE\"]"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },
    { "not as if changed",
      MATCH("\"operations\":[\"UPDATE\"]"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 0, 0, 0 } },

    { "selected by labels", MATCH(POOL), JOB, GPU, "", OVER, { 1, 1, 0 } },
    { "not selected", MATCH(POOL), JOB, NO_LABELS, "", OVER, { 0, 0, 0 } },
    { "unknown labels", MATCH(POOL), JOB, UNKNOWN, "", FINE, { 0, 0, 1 } },
    { "unknown labels, a CronJob", MATCH(POOL), CRON, UNKNOWN, "", OVER, { 0, 0, 1 } },
    { "unknown labels that don't matter", MAX_10, JOB, UNKNOWN, "", OVER, { 1, 1, 0 } },
    { "unknown labels, an empty selector",
      MATCH("\"namespaceSelector\":{}"),
      JOB,
      UNKNOWN,
      "",
      OVER,
      { 1, 1, 0 } },
    { "unknown labels, decided by name",
      MATCH("\"namespaces\":[\"x-*\"]," POOL),
      JOB,
      UNKNOWN,
      "",
      OVER,
      { 0, 0, 0 } },
    { "unknown labels, decided by the object's",
      MATCH("\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}," POOL),
      CRON,
      UNKNOWN,
      "",
      OVER,
      { 0, 0, 0 } },
    { "unknown labels, going anyway", MATCH(POOL), JOB, UNKNOWN, DELETED, OVER, { 0, 0, 1 } },

    { "suspended", MAX_10, JOB, NO_LABELS, "", OVER "\"suspend\":true,", { 1, 1, 0 } },
    { "suspended when it is made",
      MAX_10,
      CRON,
      NO_LABELS,
      "",
      OVER "\"suspend\":true,",
      { 1, 1, 0 } },
    { "a Job that goes, and may stay", MAX_10, JOB, NO_LABELS, DELETED, OVER, { 1, 1, 0 } },
    { "a CronJob that goes, and may stay", MAX_10, CRON, NO_LABELS, DELETED, OVER, { 1, 1, 0 } },

    { "for the namespace",
      EXCEPT("\"namespaces\":[\"team-a\"]", LASTS, "11"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 0, 0 } },
    { "for the namespace, too little",
      EXCEPT("\"namespaces\":[\"team-a\"]", LASTS, "10"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },
    { "for another namespace",
      EXCEPT("\"namespaces\":[\"team-b\"]", LASTS, "20"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },
    { "for the namespace, ended",
      EXCEPT("\"namespaces\":[\"team-a\"]", ENDED, "20"),
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 1, 0 } },

    { "unusable", UNUSABLE, JOB, NO_LABELS, "", FINE, { 1, 1, 0 } },
    { "unusable, a CronJob", UNUSABLE, CRON, NO_LABELS, "", FINE, { 1, 1, 0 } },
    { "unusable, Ignore",
      "\"failurePolicy\":\"Ignore\"," UNUSABLE,
      JOB,
      NO_LABELS,
      "",
      OVER,
      { 1, 0, 0 } },
    { "unusable elsewhere",
      "\"match\":{\"namespaces\":[\"x\"]}," UNUSABLE,
      JOB,
      NO_LABELS,
      "",
      FINE,
      { 0, 0, 0 } },
    { "unusable match",
      MATCH("\"operations\":[\"DELETE\"]"),
      JOB,
      NO_LABELS,
      "",
      FINE,
      { 1, 1, 0 } },
};

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        struct scene s;

        scene_init(&s, &r->policy, 1);
        set_labels(&s, r->labels);
        add(&s, r->kind == CRON,
            object_of(&(struct subject){ r->kind == CRON, "team-a", "o", r->meta, r->spec }),
            false);
        want_counts(&s, r->name, 0, r->want);
        scene_done(&s);
    }
}

/* ---- what can't be read ---- */

static void unreadable_objects(void **state)
{
    static const char *const texts[] = {
        "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"parallelism\":\"many\",\"schedule\":1}}",
        "{\"metadata\":\"x\",\"spec\":{}}",
        "{\"metadata\":{\"labels\":[]},\"spec\":{}}",
        "{\"spec\":7}",
        "[]",
        "\"x\"",
    };
    const char *const specs[] = { MAX_10, MATCH("\"namespaces\":[\"x-*\"]"), MATCH(POOL) };
    const size_t want[] = { 0, 0, 2 * JR_ARRAY_SIZE(texts) };
    struct scene s;

    (void)state;
    scene_init(&s, specs, 3);
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        add(&s, false, doc_of(jr_str(texts[i])), false);
        add(&s, true, doc_of(jr_str(texts[i])), true);
    }
    for (size_t i = 0; i < 3; i++)
        want_counts(&s, "unreadable", i, want);
    scene_done(&s);
}

/** An API server has none of these: nothing may break on them all the same. */
static void bare_objects(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"spec\":{}}",
        "{\"metadata\":{},\"spec\":{\"template\":{},\"jobTemplate\":{}}}",
        "{\"metadata\":null,\"spec\":{\"parallelism\":11,\"jobTemplate\":{\"spec\":null}}}",
    };
    const char *const specs[] = { MAX_10, UNUSABLE,
                                  "\"budget\":{\"requestsAtOnce\":{\"cpu\":\"1\"}}" };
    struct scene s;

    (void)state;
    scene_init(&s, specs, 3);
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        add(&s, false, doc_of(jr_str(texts[i])), false);
        add(&s, true, doc_of(jr_str(texts[i])), false);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.audit.v[i].checked + s.audit.v[i].skipped, 2 * JR_ARRAY_SIZE(texts));
    scene_done(&s);
}

/* ---- several policies ---- */

static void each_policy_by_itself(void **state)
{
    const char *const specs[] = { MAX_10, MATCH(POOL),
                                  EXCEPT("\"namespaces\":[\"team-a\"]", LASTS, "20") };
    struct scene s;

    (void)state;
    scene_init(&s, specs, 3);
    set_labels(&s, UNKNOWN);
    add_job(&s, OVER);
    want_counts(&s, "unknown labels", 0, (const size_t[]){ 1, 1, 0 });
    want_counts(&s, "unknown labels", 1, (const size_t[]){ 0, 0, 1 });
    want_counts(&s, "unknown labels", 2, (const size_t[]){ 1, 0, 0 });
    set_labels(&s, GPU);
    add_job(&s, OVER);
    add_job(&s, FINE);
    want_counts(&s, "known labels", 0, (const size_t[]){ 3, 2, 0 });
    want_counts(&s, "known labels", 1, (const size_t[]){ 2, 1, 1 });
    want_counts(&s, "known labels", 2, (const size_t[]){ 3, 0, 0 });
    scene_done(&s);
}

/** What one policy needs to know of the namespace is no reason for another one that doesn't. */
static void only_what_needs_the_labels(void **state)
{
    const char *const specs[] = {
        MATCH(POOL),
        MATCH("\"namespaces\":[\"x-*\"]," POOL),
        MATCH("\"objectSelector\":{\"matchLabels\":{\"in\":\"template\"}}," POOL),
    };
    struct scene s;

    (void)state;
    scene_init(&s, specs, 3);
    set_labels(&s, UNKNOWN);
    add_job(&s, OVER);
    want_counts(&s, "a Job", 0, (const size_t[]){ 0, 0, 1 });
    want_counts(&s, "a Job", 1, (const size_t[]){ 0, 0, 0 });
    want_counts(&s, "a Job", 2, (const size_t[]){ 0, 0, 0 });
    add(&s, true, object_of(&(struct subject){ true, "team-a", "c", "", OVER }), false);
    want_counts(&s, "a CronJob", 0, (const size_t[]){ 0, 0, 2 });
    want_counts(&s, "a CronJob", 1, (const size_t[]){ 0, 0, 0 });
    want_counts(&s, "a CronJob", 2, (const size_t[]){ 0, 0, 1 });
    scene_done(&s);
}

/* ---- finished Jobs, and each violation ---- */

/** A Job of the namespace, over the limit, with such a condition. */
static struct jr_doc *with_condition(const char *name, const char *condition)
{
    struct jr_doc *doc = object_of(&(struct subject){ false, "team-a", name, "", OVER });
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    assert_int_equal(jr_node_print(jr_doc_root_const(doc), &text), JR_OK);
    text.n--; /* the last brace */
    (void)jr_buf_addf(&text, ",\"status\":{\"conditions\":[%s]}}", condition);
    jr_doc_free(doc);
    return doc_of(jr_buf_str(&text));
}

static void finished_jobs(void **state)
{
    static const struct {
        const char *condition;
        bool finished;
    } conditions[] = {
        { "{\"type\":\"Complete\",\"status\":\"True\"}", true },
        { "{\"type\":\"Failed\",\"status\":\"True\"}", true },
        { "{\"type\":\"Complete\",\"status\":\"False\"}", false },
        { "{\"type\":\"FailureTarget\",\"status\":\"True\"}", false },
        { "{\"type\":\"Suspended\",\"status\":\"True\"}", false },
    };
    const char *const specs[] = { MAX_10 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(conditions); i++) {
        const size_t open = conditions[i].finished ? 0 : 1;
        struct scene s;

        scene_init(&s, specs, 1);
        add(&s, false, with_condition("j", conditions[i].condition), false);
        want_counts(&s, conditions[i].condition, 0, (const size_t[]){ open, open, 0 });
        assert_int_equal(s.audit.v[0].finished, 1 - open);
        assert_int_equal(s.audit.v[0].finished_violating, 1 - open);
        assert_int_equal(s.audit.first->finished, conditions[i].finished);
        scene_done(&s);
    }
}

static void want_entry(const struct jr_policy_audit_entry *e, size_t policy, const char *name,
                       const char *message)
{
    assert_non_null(e);
    assert_int_equal(e->policy, policy);
    assert_true(jr_str_is(e->name, name));
    assert_true(jr_str_is(e->message, message));
    assert_int_equal(e->skipped, e->rule.n == 0);
}

static void each_violation(void **state)
{
    const char *const specs[] = {
        "\"limits\":{\"parallelism\":{\"max\":10},\"ttlSecondsAfterFinished\":{\"required\":true}}",
        MATCH(POOL)
    };
    const struct jr_policy_audit_entry *e;
    struct scene s;

    (void)state;
    scene_init(&s, specs, 2);
    set_labels(&s, UNKNOWN);
    add_job(&s, OVER);
    add(&s, false,
        doc_of(JR_S("{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"parallelism\":11,"
                    "\"ttlSecondsAfterFinished\":1}}")),
        true);
    add(&s, false, doc_of(JR_S("{\"metadata\":{\"name\":\"odd\"},\"spec\":7}")), false);
    e = s.audit.first;
    want_entry(e, 1, "j", "the labels of its namespace are not known");
    e = e->next;
    want_entry(e, 0, "j", "spec.parallelism: is 11, at most 10 allowed");
    e = e->next;
    want_entry(e, 0, "j", "spec.ttlSecondsAfterFinished: must be set");
    e = e->next;
    want_entry(e, 1, "g-*", "the labels of its namespace are not known");
    assert_true(jr_str_is(e->namespace, "default"));
    e = e->next;
    want_entry(e, 0, "g-*",
               "spec.parallelism: is 11, at most 10 allowed (the webhook is not asked in this "
               "namespace)");
    e = e->next;
    want_entry(e, JR_POLICY_ALL, "odd",
               "json: cannot unmarshal number into Go struct field Job.spec of type v1.JobSpec");
    assert_null(e->next);
    scene_done(&s);
}

static void no_policies(void **state)
{
    struct scene s;

    (void)state;
    scene_init(&s, NULL, 0);
    add_job(&s, OVER);
    scene_done(&s);
    jr_policy_audit_done(&(struct jr_policy_audit){ .v = NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(unreadable_objects),
        cmocka_unit_test(bare_objects),
        cmocka_unit_test(each_policy_by_itself),
        cmocka_unit_test(only_what_needs_the_labels),
        cmocka_unit_test(finished_jobs),
        cmocka_unit_test(each_violation),
        cmocka_unit_test(no_policies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
