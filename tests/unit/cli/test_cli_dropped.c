/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about fields that an API server drops, as their gates are off. */
#include "cli/existing.h"
#include "tests/unit/cli/check_test.h"

#define HEAD "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\n"
#define POD "restartPolicy: Never, containers: [{name: c, image: i}]"
#define DROPPED(field, gate) "note: " field ": is dropped: the feature gate " gate " is off\n"

static const struct {
    const char *name;
    const char *version;
    const char *gates;
    const char *spec;
    const char *want;
} rows[] = {
    { "a field whose gate is off by default", "1.37", "",
      "  scheduling: {}\n  template: {spec: {" POD "}}\n",
      "f:5:15: " DROPPED("spec.scheduling", "WorkloadWithJob") },
    { "in the template", "1.36", "",
      "  template: {spec: {schedulingGroup: {podGroupName: g}, " POD "}}\n",
      "f:5:38: " DROPPED("spec.template.spec.schedulingGroup", "GenericWorkload") },
    { "a gate that is on", "1.36", "GenericWorkload=true",
      "  template: {spec: {schedulingGroup: {podGroupName: g}, " POD "}}\n", "" },
    { "a gate that is switched off", "1.33", "JobManagedBy=false",
      "  managedBy: a.b/c\n  template: {spec: {" POD "}}\n",
      "f:5:14: " DROPPED("spec.managedBy", "JobManagedBy") },
    { "rules of a list", "1.32", "JobBackoffLimitPerIndex=false",
      "  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: "
      "[1]}}]}\n"
      "  template: {spec: {" POD "}}\n",
      "f:5:29: note: spec.podFailurePolicy.rules: elements are dropped: a feature gate is off\n" },
    { "zeroes and nothing go without a gate", "1.36", "",
      "  parallelism: null\n  suspend: false\n"
      "  template: {metadata: {}, spec: {volumes: [], hostname: \"\", hostNetwork: false, " POD
      "}}\n",
      "" },
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_check_options options = { .quiet = false };
        struct jr_profile profile;
        struct jr_kube_version version;
        struct jr_flag_list gates = { .n = 0 };
        JR_BUF text = { 0 };
        REPORT r = { .failed = JR_OK };

        assert_int_equal(jr_kube_version_parse(jr_str(rows[i].version), &version, NULL), JR_OK);
        profile = jr_profile_of(version);
        if (rows[i].gates[0] != '\0')
            gates = (struct jr_flag_list){ .v = { jr_str(rows[i].gates) }, .n = 1 };
        assert_int_equal(jr_profile_set_gates(&profile, &gates, "--gates", NULL), JR_OK);
        options.profiles = jr_cli_profiles_of_one(profile);
        jr_buf_init(&text, 4096);
        assert_int_equal(jr_buf_addf(&text, HEAD "spec:\n%s", rows[i].spec), JR_OK);
        check_text(&r, text.p, options);
        {
            JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_TEXT);

            if (!jr_str_is(jr_buf_str(&out), rows[i].want))
                fail_msg("%s: have\n%.*s\nwant\n%s", rows[i].name, JR_P(jr_buf_str(&out)),
                         rows[i].want);
        }
        assert_int_equal(r.errors, 0);
    }
}

/** An update may keep what is in use. */
static void test_an_update_keeps_what_is_used(void **state)
{
    static const char job[] = HEAD "spec:\n  managedBy: a.b/c\n  template: {spec: {" POD "}}\n";
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    struct jr_check_options options = { .existing = &existing };
    struct jr_profile profile = jr_profile_of((struct jr_kube_version){ .minor = 33 });
    REPORT r = { .failed = JR_OK };

    (void)state;
    profile.gates[JR_GATE_JobManagedBy] = false;
    options.profiles = jr_cli_profiles_of_one(profile);
    assert_int_equal(jr_existing_read(&existing, jr_str(job), NULL), JR_OK);
    check_text(&r, job, options);
    {
        JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_TEXT);

        assert_null(strstr(out.p == NULL ? "" : out.p, "dropped"));
    }
}

/** An update of a list with two elements of one key, of which a merge makes one. */
static void test_elements_of_one_key(void **state)
{
#define VARIABLES(env)                                                                            \
    HEAD "spec:\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, " env \
         "}]}}\n"
    static const char old[] = VARIABLES("env: [{name: A, value: a}]");
    static const char job[] = VARIABLES("env: [{name: A, value: b}, {name: A, value: c}]");
    struct jr_check_options options = { .existing = NULL };
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    REPORT r = { .failed = JR_OK };

    (void)state;
    options.existing = &existing;
    options.profiles = jr_cli_profiles_of_one(jr_profile_default());
    assert_int_equal(jr_existing_read(&existing, jr_str(old), NULL), JR_OK);
    check_text(&r, job, options);
    {
        JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_TEXT);

        assert_non_null(strstr(out.p == NULL ? "" : out.p,
                               "containers[0].env: elements of one name become one in an update"));
        assert_null(strstr(out.p, "feature gate"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_an_update_keeps_what_is_used),
        cmocka_unit_test(test_elements_of_one_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
