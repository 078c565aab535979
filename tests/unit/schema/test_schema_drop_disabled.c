/* SPDX-License-Identifier: Apache-2.0 */
/* Fields behind a gate: dropped where it is off, unless the old object has them. */
#include <string.h>

#include "common/schema/drop_disabled.h"
#include "tests/unit/json/json_test.h"

#define FILE_KEY "'env':[{'name':'A','valueFrom':{'fileKeyRef':{'key':'k'}}}]"
#define NO_FILE_KEY "'env':[{'name':'A','valueFrom':{}}]"

#define JOB &jr_schema_job_spec
#define POD &jr_schema_pod_spec

static const struct row {
    const char *name;
    const struct jr_schema_type *type;
    const char *off; /* a gate that is off; "": the default ones */
    const char *object;
    const char *old; /* NULL: a creation */
    const char *want;
} rows[] = {
    { "on", JOB, "", "{'managedBy':'a'}", NULL, "{'managedBy':'a'}" },
    { "off", JOB, "JobManagedBy", "{'managedBy':'a','suspend':true}", NULL, "{'suspend':true}" },
    { "off on creation only", JOB, "JobManagedBy", "{'managedBy':'a'}", "{}", "{'managedBy':'a'}" },
    { "in use", JOB, "JobSuccessPolicy", "{'successPolicy':{}}", "{'successPolicy':{}}",
      "{'successPolicy':{}}" },
    { "null is no use", JOB, "JobSuccessPolicy", "{'successPolicy':{}}", "{'successPolicy':null}",
      "{}" },
    { "each by itself", JOB, "JobBackoffLimitPerIndex",
      "{'backoffLimitPerIndex':1,'maxFailedIndexes':2}", "{'maxFailedIndexes':2}",
      "{'maxFailedIndexes':2}" },
    { "in each container", POD, "EnvFiles",
      "{'initContainers':[{" FILE_KEY "}],'containers':[{" FILE_KEY "},{}]}", NULL,
      "{'initContainers':[{" NO_FILE_KEY "}],'containers':[{" NO_FILE_KEY "},{}]}" },
    { "in use by another container", POD, "EnvFiles", "{'containers':[{" FILE_KEY "}]}",
      "{'initContainers':[{" FILE_KEY "}]}", "{'containers':[{" FILE_KEY "}]}" },
    { "an empty list is no use", POD, "MatchLabelKeysInPodTopologySpread",
      "{'topologySpreadConstraints':[{'matchLabelKeys':['a']}]}",
      "{'topologySpreadConstraints':[{'matchLabelKeys':[]}]}",
      "{'topologySpreadConstraints':[{}]}" },
    { "a list in use", POD, "MatchLabelKeysInPodTopologySpread",
      "{'topologySpreadConstraints':[{'matchLabelKeys':['a']}]}",
      "{'topologySpreadConstraints':[{},{'matchLabelKeys':['b']}]}",
      "{'topologySpreadConstraints':[{'matchLabelKeys':['a']}]}" },
    { "off by default", POD, "",
      "{'volumes':[{'projected':{'sources':[{'podCertificate':{},'secret':{}}]}}]}", NULL,
      "{'volumes':[{'projected':{'sources':[{'secret':{}}]}}]}" },
    { "the same name elsewhere", POD, "HostnameOverride",
      "{'hostnameOverride':'a','nodeSelector':{'hostnameOverride':'a'}}", NULL,
      "{'nodeSelector':{'hostnameOverride':'a'}}" },
    { "wrong types are left alone", POD, "EnvFiles", "{'containers':[5,{'env':{'a':1}}]}", NULL,
      "{'containers':[5,{'env':{'a':1}}]}" },
};

static struct jr_doc *parse(const char *text)
{
    char copy[1024];

    assert_true(strlen(text) < sizeof(copy));
    for (size_t i = 0; i <= strlen(text); i++)
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    return must_parse(text, jr_str(copy));
}

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(r->object);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *old = r->old == NULL ? NULL : parse(r->old);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *want = parse(r->want);
        struct jr_profile profile = jr_profile_default();
        JR_BUF have = { 0 };

        jr_buf_init(&have, 4096);
        if (r->off[0] != '\0')
            assert_int_equal(jr_profile_set(&profile, jr_str(r->off), false, true, NULL), JR_OK);
        jr_schema_drop_gated(r->type, jr_doc_root(doc), old == NULL ? NULL : jr_doc_root(old),
                             &profile);
        assert_int_equal(jr_node_print(jr_doc_root(doc), &have), JR_OK);
        if (!jr_node_equal(jr_doc_root(doc), jr_doc_root(want)))
            fail_msg("%s: %s", r->name, have.p);
    }
}

static void members_only(void **state)
{
    struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *doc = parse("{'managedBy':'a','template':{'spec':{'schedulingGroup':{}}}}");

    (void)state;
    assert_int_equal(jr_profile_set(&profile, JR_S("JobManagedBy"), false, true, NULL), JR_OK);
    jr_schema_drop_gated_members(JOB, jr_doc_root(doc), NULL, &profile);
    want_json("its own", jr_doc_root(doc), "{\"template\":{\"spec\":{\"schedulingGroup\":{}}}}");
    jr_schema_drop_gated(JOB, jr_doc_root(doc), NULL, &profile);
    want_json("all", jr_doc_root(doc), "{\"template\":{\"spec\":{}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(members_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
