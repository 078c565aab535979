/* SPDX-License-Identifier: Apache-2.0 */
/* What Go's decoder and encoder make of an object. */
#include <string.h>

#include "common/schema/round_trip.h"
#include "tests/support/failalloc.h"
#include "tests/unit/json/json_test.h"

#define JOB(SPEC) "{'spec':{" SPEC "}}"
#define POD(SPEC) JOB("'template':{'spec':{" SPEC "}}")
/* The same as it is written: containers have no omitempty. */
#define JOB_WRITTEN(SPEC) "{'spec':{" SPEC "'template':{'metadata':{},'spec':{'containers':null}}}}"
#define POD_WRITTEN(SPEC) JOB("'template':{'spec':{" SPEC "},'metadata':{}}")

static const struct row {
    const char *name;
    const char *object;
    const char *want;
} rows[] = {
    { "the root gets nothing", "{}", "{}" },
    { "a struct is written", JOB(""), JOB_WRITTEN("") },
    { "a struct that is null", JOB("'template':null"), JOB_WRITTEN("") },
    { "unknown fields on each level",
      "{'a':1,'metadata':{'b':{}},'spec':{'c':0,'template':{'spec':{'containers':[{'name':'c',"
      "'d':[]}]}}}}",
      "{'metadata':{},'spec':{'template':{'metadata':{},'spec':{'containers':[{'name':'c',"
      "'resources':{}}]}}}}" },
    { "zeros of pointers stay",
      JOB("'parallelism':0,'suspend':false,'completionMode':'','selector':{}"),
      JOB_WRITTEN("'parallelism':0,'suspend':false,'completionMode':'','selector':{},") },
    { "but null", JOB("'parallelism':null,'suspend':null,'selector':null"), JOB_WRITTEN("") },
    { "zeros that omitempty leaves out",
      POD("'hostNetwork':false,'nodeName':'','nodeSelector':{},'tolerations':[],'overhead':{},"
          "'imagePullSecrets':null,'containers':[]"),
      POD_WRITTEN("'containers':null") },
    { "what is no zero stays", POD("'hostNetwork':true,'nodeName':'n','containers':[]"),
      POD_WRITTEN("'hostNetwork':true,'nodeName':'n','containers':null") },
    { "zeros without omitempty stay",
      POD("'containers':[{'name':'','ports':[{'containerPort':0,'hostPort':0}],'env':[{'name':'A',"
          "'value':''}]}]"),
      POD_WRITTEN("'containers':[{'name':'','ports':[{'containerPort':0}],'env':[{'name':'A'}],"
                  "'resources':{}}]") },
    { "and are written where they are absent",
      POD("'containers':[{'ports':[{}],'env':[{'valueFrom':{'resourceFieldRef':{}}}],"
          "'livenessProbe':{'httpGet':{}}}]"),
      POD_WRITTEN("'containers':[{'name':'','ports':[{'containerPort':0}],'env':[{'name':'',"
                  "'valueFrom':{'resourceFieldRef':{'resource':'','divisor':'0'}}}],"
                  "'livenessProbe':{'httpGet':{'port':0}},'resources':{}}]") },
    { "pointers without omitempty are null",
      POD("'containers':null,'volumes':[{'name':'v','scaleIO':{'gateway':'g','system':'s'}}]"),
      POD_WRITTEN("'containers':null,'volumes':[{'name':'v','scaleIO':{'gateway':'g','system':'s',"
                  "'secretRef':null}}]") },
    { "null elements are zeros",
      POD("'containers':[{'name':'c','args':[null,'a']}],'imagePullSecrets':[null],"
          "'nodeSelector':{'a':null},'overhead':{'cpu':null},'securityContext':{"
          "'supplementalGroups':[null]}"),
      POD_WRITTEN("'containers':[{'name':'c','args':['','a'],'resources':{}}],'imagePullSecrets':[{"
                  "}],'nodeSelector':{'a':''},'overhead':{'cpu':'0'},'securityContext':{"
                  "'supplementalGroups':[0]}") },
    { "members of maps stay", "{'metadata':{'labels':{'a':'','b':'c'},'annotations':{}}}",
      "{'metadata':{'labels':{'a':'','b':'c'}}}" },
    { "times",
      "{'metadata':{'creationTimestamp':null},'status':{'active':0,'ready':0,'conditions':[{"
      "'type':'A','status':'True'}]}}",
      "{'metadata':{},'status':{'ready':0,'conditions':[{'type':'A','status':'True',"
      "'lastProbeTime':null,'lastTransitionTime':null}]}}" },
    { "wrong types are left alone", "{'spec':[{'a':1}],'metadata':'x'}",
      "{'spec':[{'a':1}],'metadata':'x'}" },
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
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(rows[i].object);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *want = parse(rows[i].want);

        for (int again = 0; again < 2; again++) {
            JR_BUF have = { 0 };

            jr_buf_init(&have, 4096);
            assert_int_equal(jr_schema_round_trip(&jr_schema_job, jr_doc_root(doc), 36), JR_OK);
            assert_int_equal(jr_node_print(jr_doc_root(doc), &have), JR_OK);
            if (!jr_node_equal(jr_doc_root(doc), jr_doc_root(want)))
                fail_msg("%s: %s", rows[i].name, have.p);
        }
    }
}

/* A field of another version is unknown. */
static void versions(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *newer = parse(JOB("'scheduling':{}"));
    JR_CLEANUP(jr_doc_freep) struct jr_doc *older = parse(JOB("'scheduling':{}"));

    (void)state;
    assert_int_equal(jr_schema_round_trip(&jr_schema_job, jr_doc_root(newer), 37), JR_OK);
    assert_non_null(jr_path(jr_doc_root(newer), "spec.scheduling"));
    assert_int_equal(jr_schema_round_trip(&jr_schema_job, jr_doc_root(older), 35), JR_OK);
    assert_null(jr_path(jr_doc_root(older), "spec.scheduling"));
}

static void without_memory(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(POD("'imagePullSecrets':[null]"));

        jr_failalloc_arm(n);
        if (jr_failalloc_over(jr_schema_round_trip(&jr_schema_job, jr_doc_root(doc), 36)))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(versions),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
