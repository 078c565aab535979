/* SPDX-License-Identifier: Apache-2.0 */
/* The fields that are not validated: which of them are set. */
#include "common/pod/unvalidated.h"

#include "tests/unit/pod/pod_test.h"

static void gather(void *ctx, const struct jr_field_path *path)
{
    struct jr_buf *out = ctx;

    assert_int_equal(jr_field_path_write(path, out), JR_OK);
    assert_int_equal(jr_buf_addc(out, '\n'), JR_OK);
}

static void set_fields_are_told(void **state)
{
    static const struct {
        const char *template;
        const char *want;
    } rows[] = {
        { "{}", "" },
        { "{\"spec\":{\"containers\":[{},{\"securityContext\":{\"privileged\":false}}]}}",
          "t.spec.containers[1].securityContext.privileged\n" },
        { "{\"spec\":{\"containers\":[{\"securityContext\":{\"privileged\":null}}]}}", "" },
        { "{\"spec\":{\"containers\":{\"securityContext\":{\"privileged\":true}}}}", "" },
        { "{\"spec\":{\"securityContext\":{\"windowsOptions\":{\"hostProcess\":true}},"
          "\"initContainers\":[{\"securityContext\":{\"privileged\":true,\"windowsOptions\":{"
          "\"hostProcess\":true}}}],\"containers\":[{\"securityContext\":{\"windowsOptions\":{"
          "\"hostProcess\":true}}},{\"securityContext\":{\"privileged\":true}}]}}",
          "t.spec.containers[1].securityContext.privileged\n"
          "t.spec.initContainers[0].securityContext.privileged\n"
          "t.spec.securityContext.windowsOptions.hostProcess\n"
          "t.spec.containers[0].securityContext.windowsOptions.hostProcess\n"
          "t.spec.initContainers[0].securityContext.windowsOptions.hostProcess\n" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        JR_BUF have = { 0 };

        jr_buf_init(&have, 4096);
        assert_int_equal(jr_doc_parse(jr_str(rows[i].template), &JR_READER_STRICT, &doc, NULL),
                         JR_OK);
        jr_pod_each_unvalidated(jr_doc_root(doc), &JR_FIELD(NULL, "t"), gather, &have);
        if (!jr_str_is(jr_buf_str(&have), rows[i].want))
            fail_msg("%s: %.*s", rows[i].template, JR_P(jr_buf_str(&have)));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(set_fields_are_told) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
