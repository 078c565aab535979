/* SPDX-License-Identifier: Apache-2.0 */
/* A value that may not change is shown as Go's types order it, a Pod template as the manifest has
 * it. */
#include "tests/unit/job/job_test.h"

static void immutable_fields(void **state)
{
    static const struct {
        const char *was, *now;
        const char *want; /* a part of the only error */
    } rows[] = {
        { "{\"spec\":{\"manualSelector\":true,\"selector\":{},\"template\":{\"metadata\":{}}}}",
          "{\"spec\":{\"manualSelector\":true,\"selector\":{\"matchExpressions\":[{\"operator\":"
          "\"DoesNotExist\",\"key\":\"a\"}]},\"template\":{\"metadata\":{}}}}",
          "Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]}"
          ": field is immutable" },
        { NULL, "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"k\":\"v\"}}}}}",
          "\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"," },
    };
    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_doc *docs[] = { must_patch("was", SMALL_JOB, rows[i].was, NULL),
                                  must_patch("now", SMALL_JOB, rows[i].now, NULL) };
        OBJECT job = { 0 };
        OBJECT old = { 0 };
        JR_ARENA arena = { 0 };
        JR_BUF text = { 0 };
        struct jr_errlist errs;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_buf_init(&text, 65536);
        for (size_t k = 0; k < JR_ARRAY_SIZE(docs); k++) {
            assert_int_equal(jr_job_default(jr_doc_root(docs[k]), &profile), JR_OK);
            assert_int_equal(jr_job_generate(jr_doc_root(docs[k]), NULL), JR_OK);
        }
        must_decode("was", docs[0], &old);
        must_decode("now", docs[1], &job);
        jr_job_validate_update(&job, &old, &profile, &errs);
        assert_int_equal(errs.n, 1);
        assert_int_equal(jr_field_error_write(&errs.v[0], &text), JR_OK);
        if (strstr(text.p, rows[i].want) == NULL)
            fail_msg("%s: %s", rows[i].now, text.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immutable_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
