/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "devcluster/faults.h"

JR_DEFINE_CLEANUP(struct jr_dev_faults *, jr_dev_faults_free)

static struct jr_dev_faults *faults_of(const char *config)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_dev_faults *f = NULL;
    struct jr_error err;

    f = jr_dev_faults_new();
    assert_int_equal(jr_doc_parse(jr_str(config), &JR_READER_STRICT, &doc, &err), JR_OK);
    assert_int_equal(jr_dev_faults_set(f, jr_doc_root(doc), &err), JR_OK);
    return f;
}

static enum jr_dev_fault_action next(struct jr_dev_faults *f, const char *ua, const char *method,
                                     const char *path)
{
    return jr_dev_faults_next(f, jr_str(ua), jr_str(method), jr_str(path)).action;
}

static void test_rules_match_and_count(void **state)
{
    JR_CLEANUP(jr_dev_faults_freep)
    struct jr_dev_faults *f =
        faults_of("{\"rules\":[{\"userAgent\":\"jobreeve-controller\",\"method\":"
                  "\"PUT\",\"path\":\"/status\","
                  "\"every\":2,\"times\":2,\"action\":\"status\",\"status\":409},"
                  "{\"path\":\"/pods\",\"action\":\"lost\"}]}");

    (void)state;
    assert_int_equal(next(f, "kubectl/1", "PUT", "/jobs/a/status"), JR_DEV_FAULT_NONE);
    assert_int_equal(next(f, "jobreeve-controller/0", "GET", "/jobs/a/status"), JR_DEV_FAULT_NONE);
    for (int i = 0; i < 6; i++) {
        /* Every second, and after two of them no more. */
        enum jr_dev_fault_action want = i == 1 || i == 3 ? JR_DEV_FAULT_STATUS : JR_DEV_FAULT_NONE;
        assert_int_equal(next(f, "jobreeve-controller/0", "PUT", "/jobs/a/status"), want);
    }
    assert_int_equal(next(f, "", "POST", "/api/v1/namespaces/a/pods"), JR_DEV_FAULT_LOST);
}

static void test_bad_rules_are_named(void **state)
{
    static const struct {
        const char *config;
        const char *path;
    } rows[] = {
        { "{\"rules\":[{\"action\":\"drop\"},{\"action\":\"explode\"}]}", "rules[1].action" },
        { "{\"rules\":[{\"action\":\"drop\",\"every\":-1}]}", "rules[0].every" },
        { "{\"rules\":[{\"action\":\"drop\",\"method\":5}]}", "rules[0].method" },
        { "{\"rules\":[{\"action\":\"status\",\"status\":200}]}", "rules[0].status" },
        { "{\"rules\":\"x\"}", "rules" },
        { "{\"rules\":[{\"action\":\"delay\"}]}", "rules[0].delayMilliseconds" },
        { "{\"rules\":[{\"action\":\"drop\",\"useragent\":\"a\"}]}", "rules[0].useragent" },
        { "{\"rulez\":[]}", "rulez" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        JR_CLEANUP(jr_dev_faults_freep)
        struct jr_dev_faults *f = faults_of("{\"rules\":[{\"action\":\"drop\"}]}");
        struct jr_error err = { 0 };

        assert_int_equal(jr_doc_parse(jr_str(rows[i].config), &JR_READER_STRICT, &doc, &err),
                         JR_OK);
        assert_int_not_equal(jr_dev_faults_set(f, jr_doc_root(doc), &err), JR_OK);
        assert_string_equal(err.path, rows[i].path);
        /* What was set before still holds. */
        assert_int_equal(next(f, "", "GET", "/"), JR_DEV_FAULT_DROP);
    }
}

static void test_hold_after_the_kth_write(void **state)
{
    JR_CLEANUP(jr_dev_faults_freep) struct jr_dev_faults *f = faults_of("{}");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_str ua = JR_S("jobreeve-controller/0.1.0");
    struct jr_error err;
    bool answer = false;

    (void)state;
    assert_false(jr_dev_hold_on(f, ua));
    assert_int_equal(jr_doc_parse(JR_S("{\"userAgent\":\"jobreeve-controller\",\"afterWrites\":2}"),
                                  &JR_READER_STRICT, &doc, &err),
                     JR_OK);
    assert_int_equal(jr_dev_hold_set(f, jr_doc_root(doc), &err), JR_OK);
    jr_dev_hold_wrote(f, ua, JR_S("/api/v1/namespaces/a/pods"), &answer);
    assert_true(answer);
    jr_dev_hold_wrote(f, ua, JR_S("/api/v1/namespaces/a/events"), &answer);
    jr_dev_hold_wrote(f, JR_S("kubectl"), JR_S("/api/v1/namespaces/a/pods"), &answer);
    assert_false(jr_dev_hold_on(f, ua));
    jr_dev_hold_wrote(f, ua, JR_S("/api/v1/namespaces/a/pods"), &answer);
    assert_false(answer);
    assert_true(jr_dev_hold_on(f, ua));
    assert_false(jr_dev_hold_on(f, JR_S("kubectl")));
    jr_dev_hold_clear(f);
    assert_false(jr_dev_hold_on(f, ua));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_match_and_count),
        cmocka_unit_test(test_bad_rules_are_named),
        cmocka_unit_test(test_hold_after_the_kth_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
