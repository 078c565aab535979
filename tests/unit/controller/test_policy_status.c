/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a JobPolicy: what is patched into which object, and when nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/json/patch.h"
#include "controller/policy/policy_status.h"
#include "tests/support/doc.h"

#define TEXT_MAX ((size_t)1 << 22)
#define NOW "2026-12-01T12:00:00Z"
#define BEFORE "2026-11-01T00:00:00Z"
#define GENERATION 3
#define FAULT "spec.limits: has a \"quote\", a \\ and\na line\x01"
#define FAULT_JSON "spec.limits: has a \\\"quote\\\", a \\\\ and\\na line\\u0001"

#define CONDITION(status, generation, time, reason, message)                              \
    "{\"type\":\"Accepted\",\"status\":\"" status "\",\"observedGeneration\":" generation \
    ",\"lastTransitionTime\":\"" time "\",\"reason\":\"" reason "\",\"message\":\"" message "\"}"
#define ACCEPTED(time) CONDITION("True", "3", time, "Accepted", "")
#define REFUSED(time) CONDITION("False", "3", time, "Invalid", FAULT_JSON)
#define OTHERS                                                                  \
    "{\"type\":\"Ready\",\"status\":\"False\",\"lastTransitionTime\":\"" BEFORE \
    "\",\"reason\":\"R\",\"message\":\"\\u0007 \\\"m\\\"\",\"further\":[1.0,null]}"
#define STATUS(observed, conditions) \
    "{\"observedGeneration\":" observed ",\"conditions\":[" conditions "]}"

/* ---- a patch, and what it makes of the object ---- */

static void patch_text(const struct jr_job_policy *p, const struct jr_policy_tally *t,
                       const struct jr_doc *object, struct jr_buf *out)
{
    struct jr_policy_status s = { .policy = p, .tally = t };

    assert_int_equal(jr_time_parse(JR_S(NOW), &s.now), JR_OK);
    jr_buf_init(out, TEXT_MAX);
    jr_policy_status_patch(&s, jr_doc_root_const(object), out);
    assert_int_equal(out->failed, JR_OK);
}

static struct jr_doc *object_of(const char *generation, const char *status)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, TEXT_MAX);
    (void)jr_buf_addf(&text,
                      "{\"metadata\":{\"name\":\"p\",\"generation\":%s,\"resourceVersion\":\"77\"},"
                      "\"spec\":{}%s%s}",
                      generation, status[0] == '\0' ? "" : ",\"status\":", status);
    return doc_of(jr_buf_str(&text));
}

static struct jr_job_policy policy_of(const char *unusable)
{
    return (struct jr_job_policy){ .name = JR_S("p"),
                                   .generation = GENERATION,
                                   .unusable = jr_str(unusable) };
}

/** The patch is applied; NULL: there is none. */
static bool patched(const struct jr_job_policy *p, const struct jr_policy_tally *t,
                    struct jr_doc *object)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = NULL;
    JR_BUF text = { 0 };

    patch_text(p, t, object, &text);
    if (text.n == 0)
        return false;
    patch = doc_of(jr_buf_str(&text));
    /* Nothing else is touched; and of another version the API server refuses it. */
    assert_int_equal(jr_size(jr_doc_root(patch)), 2);
    assert_int_equal(jr_size(jr_get(jr_doc_root(patch), "metadata")), 1);
    assert_true(
        jr_str_is(jr_get_str(jr_get(jr_doc_root(patch), "metadata"), "resourceVersion"), "77"));
    assert_int_equal(jr_merge_apply(jr_doc_root(object), jr_doc_root(patch)), JR_OK);
    return true;
}

/* ---- the condition ---- */

static const struct row {
    const char *name;
    bool refused;
    const char *status; /* as it is; "": there is none */
    const char *want;   /* NULL: nothing is patched */
} rows[] = {
    { "no status", false, "", STATUS("3", ACCEPTED(NOW)) },
    { "no status, unusable", true, "", STATUS("3", REFUSED(NOW)) },
    { "an empty status", false, "{}", STATUS("3", ACCEPTED(NOW)) },
    { "no conditions", false, "{\"conditions\":null}", STATUS("3", ACCEPTED(NOW)) },
    { "as it is to be", false, STATUS("3", ACCEPTED(BEFORE)), NULL },
    { "as it is to be, unusable", true, STATUS("3", REFUSED(BEFORE)), NULL },
    { "as it is to be, beside others", false, STATUS("3", OTHERS "," ACCEPTED(BEFORE)), NULL },
    { "of an older generation", false, STATUS("2", CONDITION("True", "2", BEFORE, "Accepted", "")),
      STATUS("3", ACCEPTED(BEFORE)) },
    { "unusable of an older generation", true,
      STATUS("2", CONDITION("False", "2", BEFORE, "Invalid", "spec: other")),
      STATUS("3", REFUSED(BEFORE)) },
    { "accepted again", false, STATUS("2", REFUSED(BEFORE)), STATUS("3", ACCEPTED(NOW)) },
    { "no more accepted", true, STATUS("2", ACCEPTED(BEFORE)), STATUS("3", REFUSED(NOW)) },
    { "another status, the generation is right", true, STATUS("3", ACCEPTED(BEFORE)),
      STATUS("3", REFUSED(NOW)) },
    { "another fault", true, STATUS("3", CONDITION("False", "3", BEFORE, "Invalid", "x")),
      STATUS("3", REFUSED(BEFORE)) },
    { "another reason", true, STATUS("3", CONDITION("False", "3", BEFORE, "Other", FAULT_JSON)),
      STATUS("3", REFUSED(BEFORE)) },
    { "others' conditions", false, STATUS("3", OTHERS), STATUS("3", OTHERS "," ACCEPTED(NOW)) },
    { "between others' conditions", true, STATUS("2", OTHERS "," ACCEPTED(BEFORE) "," OTHERS),
      STATUS("3", OTHERS "," OTHERS "," REFUSED(NOW)) },
    { "of unknown status", false, STATUS("3", CONDITION("Unknown", "3", BEFORE, "Accepted", "")),
      STATUS("3", ACCEPTED(NOW)) },
    { "without a time", false,
      STATUS("2", "{\"type\":\"Accepted\",\"status\":\"True\",\"reason\":\"Accepted\","
                  "\"message\":\"\"}"),
      STATUS("3", ACCEPTED(NOW)) },
    { "others' members of the status", false, "{\"audit\":{\"checked\":1},\"more\":{\"a\":[1]}}",
      "{\"audit\":{\"checked\":1},\"more\":{\"a\":[1]},\"observedGeneration\":3,\"conditions\":"
      "[" ACCEPTED(NOW) "]}" },
};

static void check(const struct row *r)
{
    const struct jr_job_policy policy = policy_of(r->refused ? FAULT : NULL);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = object_of("3", r->status), *want = NULL;
    JR_BUF have = { 0 };

    if (patched(&policy, NULL, object) != (r->want != NULL))
        fail_msg("%s: there is a patch, or none", r->name);
    if (r->want == NULL)
        return;
    want = doc_of(jr_str(r->want));
    jr_buf_init(&have, TEXT_MAX);
    assert_int_equal(jr_node_print(jr_get(jr_doc_root(object), "status"), &have), JR_OK);
    if (!jr_node_equal(jr_get(jr_doc_root(object), "status"), jr_doc_root(want)))
        fail_msg("%s:\n%s\nwanted:\n%s", r->name, have.p, r->want);
    if (patched(&policy, NULL, object))
        fail_msg("%s: patched once more", r->name);
}

static void conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void other_generations(void **state)
{
    static const char *const generations[] = { "2", "4", "\"3\"", "null" };
    const struct jr_job_policy policy = policy_of(NULL);
    const struct jr_policy_tally tally = { .checked = 1 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(generations); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *object = object_of(generations[i], "");

        assert_false(patched(&policy, NULL, object));
        assert_false(patched(&policy, &tally, object));
    }
}

/* ---- the audit ---- */

#define AUDIT                                                                                   \
    "{\"time\":\"" NOW "\",\"checked\":7,\"violating\":2,\"finished\":{\"checked\":4,"          \
    "\"violating\":3},\"skipped\":1,\"worst\":["                                                \
    "{\"kind\":\"CronJob\",\"namespace\":\"a\",\"name\":\"n\",\"rule\":\"limits.parallelism\"," \
    "\"message\":\"" FAULT_JSON "\"},{\"kind\":\"Job\",\"namespace\":\"b\",\"name\":\"o\","     \
    "\"rule\":\"budget.runtime\",\"message\":\"m\"}]}"

static void audit(void **state)
{
    struct jr_policy_worst first = { JR_S("CronJob"), JR_S("a"),
                                     JR_S("n"),       JR_S("limits.parallelism"),
                                     JR_S(FAULT),     2 };
    struct jr_policy_worst second = { JR_S("Job"), JR_S("b"), JR_S("o"), JR_S("budget.runtime"),
                                      JR_S("m"),   1 };
    const struct jr_policy_tally tally = {
        .checked = 7,
        .violating = 2,
        .finished = 4,
        .finished_violating = 3,
        .skipped = 1,
        .worst = { &first, &second },
        .n_worst = 2,
    };
    const struct jr_job_policy policy = policy_of(NULL);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = object_of("3", STATUS("3", ACCEPTED(BEFORE)));
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = doc_of(JR_S(AUDIT));
    const struct jr_node *status;

    (void)state;
    assert_true(patched(&policy, &tally, object));
    status = jr_get(jr_doc_root(object), "status");
    assert_true(jr_node_equal(jr_get(status, "audit"), jr_doc_root(want)));
    assert_true(jr_str_is(jr_get_str(jr_at(jr_get(status, "conditions"), 0), "lastTransitionTime"),
                          BEFORE));
    /* What isn't known anew stays. */
    assert_false(patched(&policy, NULL, object));
    assert_true(jr_node_equal(jr_path(jr_doc_root(object), "status.audit"), jr_doc_root(want)));
}

static void audit_of_nothing(void **state)
{
    const struct jr_policy_tally tally = { 0 };
    const struct jr_job_policy policy = policy_of(FAULT);
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *object =
        object_of("3", "{\"audit\":{\"time\":\"" BEFORE "\",\"checked\":9,\"worst\":[{}]}}");
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *want =
        doc_of(JR_S("{\"time\":\"" NOW "\",\"checked\":0,\"violating\":0,\"finished\":{\"checked\":"
                    "0,\"violating\":0},\"skipped\":0,\"worst\":[]}"));

    (void)state;
    assert_true(patched(&policy, &tally, object));
    assert_true(jr_node_equal(jr_path(jr_doc_root(object), "status.audit"), jr_doc_root(want)));
}

/* ---- long texts ---- */

/** n bytes of characters of two bytes each, behind so many of one. */
static char *long_text(size_t n, size_t shift)
{
    char *text = malloc(n + 1);

    assert_non_null(text);
    memset(text, 'x', n);
    for (size_t i = shift; i + 2 <= n; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[n] = '\0';
    return text;
}

static void want_cut(struct jr_str have, const char *of, size_t most)
{
    assert_true(have.n > most / 2 && have.n <= most);
    assert_memory_equal(have.p, of, most / 2);
}

/** Wherever the cut falls, the text stays UTF-8: the strict reader would refuse it. */
static void long_messages(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 2; shift++) {
        JR_FREE char *text = long_text(100000, shift);
        struct jr_policy_worst worst = { JR_S("Job"),      JR_S("a"),    JR_S("n"),
                                         JR_S("limits.x"), jr_str(text), 1 };
        const struct jr_policy_tally tally = {
            .checked = 1, .violating = 1, .worst = { &worst }, .n_worst = 1
        };
        const struct jr_job_policy policy = policy_of(text);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *object = object_of("3", "");
        const struct jr_node *status;

        assert_true(patched(&policy, &tally, object));
        status = jr_get(jr_doc_root(object), "status");
        want_cut(jr_get_str(jr_at(jr_get(status, "conditions"), 0), "message"), text, 32768);
        want_cut(jr_get_str(jr_at(jr_path(status, "audit.worst"), 0), "message"), text, 1024);
        assert_false(patched(&policy, NULL, object));
    }
}

/** A buffer that is too small says so. */
static void no_room(void **state)
{
    const struct jr_job_policy policy = policy_of(FAULT);
    const struct jr_policy_status s = { .policy = &policy };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = object_of("3", STATUS("1", OTHERS));

    (void)state;
    for (size_t room = 1; room < 100; room += 9) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, room);
        jr_policy_status_patch(&s, jr_doc_root_const(object), &out);
        assert_int_equal(out.failed, JR_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions),    cmocka_unit_test(other_generations),
        cmocka_unit_test(audit),         cmocka_unit_test(audit_of_nothing),
        cmocka_unit_test(long_messages), cmocka_unit_test(no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
