/* SPDX-License-Identifier: Apache-2.0 */
/* What errors quote: every row of the tables of faults with each of its texts, and each of its
 * keys, made as long as a body may be. Whatever quotes it, the answer is made within the memory
 * that was asked for, and is one: a denial where the row's rule is still broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/job_cases.h"
#include "tests/unit/webhook/ask.h"

/* Beyond what any request is given before it is looked at. DEL is a byte of JSON that Go's quotes
 * show as four, and JSON those as five. The end makes a schedule of it, whose fault is in a number.
 */
#define LONG_BYTES ((size_t)300 << 10)
#define LONG_BYTE '\x7f'
#define LONG_END " * * * *"
#ifndef STEP
#define STEP 1 /* of so many rows one */
#endif

struct run {
    const struct jr_fault *fault;
    const struct jr_node *row; /* the case */
    struct jr_kube_version version;
    struct jr_doc *long_doc; /* a text of LONG_BYTES */
    size_t asked, denied;
};

static void ask_case(struct run *r, const struct jr_node *object)
{
    const bool cron = jr_fault_is_cron(r->fault);
    const struct jr_node *old = jr_get(r->row, "old");
    JR_FREE char *text = text_of(object), *old_text = old == NULL ? NULL : text_of(old);
    const struct pieces p = { .kind = cron ? "CronJob" : "Job",
                              .resource = cron ? "cronjobs" : "jobs",
                              .operation = old == NULL ? "CREATE" : "UPDATE",
                              .sub_resource = r->fault->kind == JR_FAULT_STATUS ? "status" : NULL,
                              .object = text,
                              .old_object = old_text };
    JR_FREE char *body = review_of(&p);
    struct jr_profile profile = jr_profile_of(r->version);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    for (const struct jr_node *g = jr_first(jr_get(r->row, "gates")); g != NULL; g = jr_next(g))
        (void)!jr_profile_set(&profile, jr_key(g), jr_node_bool_or(g, false), true, NULL);
    ask_with(cron ? JR_ENDPOINT_VALIDATE_CRON_JOB : JR_ENDPOINT_VALIDATE_JOB, jr_str(body),
             &profile, &a);
    if (a.st != JR_OK)
        fail_msg("%s:%zu (%.*s), 1.%u: %s", r->fault->file, r->fault->line, JR_P(r->fault->rule),
                 profile.version.minor, a.err.msg);
    r->asked++;
    r->denied += !a.allowed;
}

/** Each text and each key below node, which is at in the row's object, one at a time. was: what is
 * there without the fault. */
static void lengthen(struct run *r, struct jr_doc *doc, struct jr_node *node,
                     const struct jr_node *was)
{
    const struct jr_node *text = jr_doc_root_const(r->long_doc);

    if (was != NULL && jr_node_equal(node, was))
        return;
    if (jr_node_kind(node) == JR_STRING) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *kept = NULL;

        assert_int_equal(jr_doc_of(node, &kept), JR_OK);
        assert_int_equal(jr_node_assign(node, text), JR_OK);
        ask_case(r, jr_doc_root_const(doc));
        assert_int_equal(jr_node_assign(node, jr_doc_root_const(kept)), JR_OK);
    }
    for (struct jr_node *m = jr_first(node); m != NULL; m = jr_next(m)) {
        const struct jr_node *is = jr_key(m).p == NULL ? NULL : jr_getn(was, jr_key(m));

        lengthen(r, doc, m, is);
        if (jr_key(m).p == NULL || is != NULL)
            continue;
        assert_int_equal(jr_set_copy(node, jr_node_str(text), m, NULL), JR_OK);
        ask_case(r, jr_doc_root_const(doc));
        jr_remove(node, jr_node_str(text), NULL);
    }
}

static void run_fault(struct run *r, const struct jr_node *smallest)
{
    const struct jr_profile profile = jr_profile_of(r->fault->version);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *row = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    assert_int_equal(jr_case_of_fault(r->fault, smallest, &profile, &row), JR_OK);
    r->row = jr_doc_root_const(row);
    assert_int_equal(jr_doc_of(jr_get(r->row, "job"), &doc), JR_OK);
    lengthen(r, doc, jr_doc_root(doc), smallest);
}

static void test_long_values(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *smallest = doc_of(jr_str(jr_case_smallest_job));
    JR_CLEANUP(jr_doc_freep) struct jr_doc *text = doc_of(JR_S("\"\""));
    JR_FREE char *bytes = malloc(LONG_BYTES);
    struct jr_fault_tables tables;
    struct jr_error err = { .status = JR_OK };
    const struct jr_str end = JR_S(LONG_END);
    struct run r = { .long_doc = text };

    (void)state;
    assert_non_null(bytes);
    memset(bytes, LONG_BYTE, LONG_BYTES);
    memcpy(bytes + LONG_BYTES - end.n, end.p, end.n);
    assert_int_equal(jr_node_assign_str(jr_doc_root(text), (struct jr_str){ bytes, LONG_BYTES }),
                     JR_OK);
    assert_int_equal(jr_fault_tables_load(JR_FAULTS_FOLDER, &tables, &err), JR_OK);
    for (size_t i = 0; i < tables.first[JR_FAULT_CHANGE]; i += STEP) {
        r.fault = &tables.v[i];
        r.version = r.fault->version;
        if (r.version.minor == JR_KUBE_DESCRIBED.minor)
            r.version.minor++; /* which compares the texts of all errors, too */
        run_fault(&r, jr_doc_root_const(smallest));
    }
    jr_fault_tables_done(&tables);
    print_message("%zu asked, %zu denied\n", r.asked, r.denied);
    assert_true(r.denied > 1000 / STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_long_values) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
