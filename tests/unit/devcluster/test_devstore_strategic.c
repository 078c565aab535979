/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patches, as the controller and kubectl send them. */
#include "common/apply/strategic.h"
#include "tests/unit/devcluster/api.h"

#define POD &jr_schema_pod

static const struct {
    const char *name;
    const struct jr_schema_type *type;
    const char *from;
    const char *patch;
    const char *want;
} rows[] = {
    { "members", POD, "{'a':1,'b':{'c':2,'d':3}}", "{'a':null,'b':{'c':5},'e':[1]}",
      "{'b':{'c':5,'d':3},'e':[1]}" },
    { "finalizers are a set", POD, "{'metadata':{'finalizers':['a','b']}}",
      "{'metadata':{'finalizers':['b','c']}}", "{'metadata':{'finalizers':['a','b','c']}}" },
    { "new ones come first", POD, "{'metadata':{'finalizers':['a']}}",
      "{'metadata':{'finalizers':['c']}}", "{'metadata':{'finalizers':['c','a']}}" },
    { "a finalizer goes", POD, "{'metadata':{'finalizers':['a','b']}}",
      "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a','x']}}",
      "{'metadata':{'finalizers':['b']}}" },
    { "the last one too", POD, "{'metadata':{'finalizers':['a']}}",
      "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}",
      "{'metadata':{'finalizers':[]}}" },
    { "there was none", POD, "{'metadata':{}}",
      "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}", "{'metadata':{}}" },
    { "adopt", POD, "{'metadata':{'uid':'P'}}",
      "{'metadata':{'ownerReferences':[{'apiVersion':'batch/"
      "v1','kind':'Job','name':'n','uid':'U','controller':true}],"
      "'uid':'P','finalizers':['t']}}",
      "{'metadata':{'uid':'P','ownerReferences':[{'apiVersion':'batch/"
      "v1','kind':'Job','name':'n','uid':'U',"
      "'controller':true}],'finalizers':['t']}}" },
    { "release", POD,
      "{'metadata':{'ownerReferences':[{'uid':'U'},{'uid':'V'}],'finalizers':['t']}}",
      "{'metadata':{'uid':'P','ownerReferences':[{'$patch':'delete','uid':'U'}],"
      "'$deleteFromPrimitiveList/finalizers':['t']}}",
      "{'metadata':{'ownerReferences':[{'uid':'V'}],'finalizers':[],'uid':'P'}}" },
    { "release what isn't owned", POD, "{'metadata':{}}",
      "{'metadata':{'ownerReferences':[{'$patch':'delete','uid':'U'}]}}",
      "{'metadata':{'ownerReferences':[]}}" },
    { "owners by uid", POD, "{'metadata':{'ownerReferences':[{'uid':'U','name':'a'}]}}",
      "{'metadata':{'ownerReferences':[{'uid':'U','controller':true},{'uid':'V'}]}}",
      "{'metadata':{'ownerReferences':[{'uid':'U','name':'a','controller':true},{'uid':'V'}]}}" },
    { "conditions by type", POD,
      "{'status':{'conditions':[{'type':'A','status':'True'},{'type':'B','status':'True'}]}}",
      "{'status':{'conditions':[{'type':'B','status':'False'}]}}",
      "{'status':{'conditions':[{'type':'A','status':'True'},{'type':'B','status':'False'}]}}" },
    { "containers and env by name", POD,
      "{'spec':{'containers':[{'name':'a','image':'1','env':[{'name':'X','value':'1'},{'name':'Y','"
      "value':'2'}]},"
      "{'name':'b'}]}}",
      "{'spec':{'containers':[{'name':'a','image':'2','env':[{'name':'Y','$patch':'delete'},{'name'"
      ":'X','value':'3'}]}]}}",
      "{'spec':{'containers':[{'name':'a','image':'2','env':[{'name':'X','value':'3'}]},{'name':'b'"
      "}]}}" },
    { "an element goes", POD, "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
      "{'spec':{'containers':[{'name':'a','$patch':'delete'}]}}",
      "{'spec':{'containers':[{'name':'b'}]}}" },
    { "a list is replaced", POD, "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
      "{'spec':{'containers':[{'name':'c'},{'$patch':'replace'}]}}",
      "{'spec':{'containers':[{'name':'c'}]}}" },
    { "ports", POD,
      "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'x'}]}]}}",
      "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':81},{'containerPort':80,'name':"
      "'y'}]}]}}",
      "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':81},{'containerPort':80,'name':"
      "'y'}]}]}}" },
    { "tolerations are atomic", POD, "{'spec':{'tolerations':[{'key':'a'},{'key':'b'}]}}",
      "{'spec':{'tolerations':[{'key':'c'}]}}", "{'spec':{'tolerations':[{'key':'c'}]}}" },
    { "rules are atomic", &jr_schema_job,
      "{'spec':{'podFailurePolicy':{'rules':[{'action':'Ignore'},{'action':'Count'}]}}}",
      "{'spec':{'podFailurePolicy':{'rules':[{'action':'FailJob'}]}}}",
      "{'spec':{'podFailurePolicy':{'rules':[{'action':'FailJob'}]}}}" },
    { "a Job's containers", &jr_schema_job,
      "{'spec':{'template':{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'}]}}}}",
      "{'spec':{'template':{'spec':{'containers':[{'name':'a','image':'2'}]}}}}",
      "{'spec':{'template':{'spec':{'containers':[{'name':'a','image':'2'},{'name':'b'}]}}}}" },
    { "a Job has no containers of its own", &jr_schema_job,
      "{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'containers':[{'name':'b'}]}}",
      "{'spec':{'containers':[{'name':'b'}]}}" },
    { "taints are atomic", &jr_schema_node, "{'spec':{'taints':[{'key':'a'},{'key':'b'}]}}",
      "{'spec':{'taints':[{'key':'a','value':'x'}]}}",
      "{'spec':{'taints':[{'key':'a','value':'x'}]}}" },
    { "addresses by ip", POD, "{'status':{'hostIPs':[{'ip':'::1'},{'ip':'1.1.1.1'}]}}",
      "{'status':{'hostIPs':[{'ip':'::1','$patch':'delete'}]}}",
      "{'status':{'hostIPs':[{'ip':'1.1.1.1'}]}}" },
    { "webhooks by name", &jr_schema_validating_webhook_configuration,
      "{'webhooks':[{'name':'a','failurePolicy':'Fail'},{'name':'b'}]}",
      "{'webhooks':[{'name':'a','failurePolicy':'Ignore'}]}",
      "{'webhooks':[{'name':'a','failurePolicy':'Ignore'},{'name':'b'}]}" },
    { "commands are atomic", POD, "{'spec':{'containers':[{'name':'a','command':['x','y']}]}}",
      "{'spec':{'containers':[{'name':'a','command':['z']}]}}",
      "{'spec':{'containers':[{'name':'a','command':['z']}]}}" },
    { "an object is replaced", POD, "{'spec':{'nodeSelector':{'a':'1','b':'2'}}}",
      "{'spec':{'nodeSelector':{'$patch':'replace','c':'3'}}}",
      "{'spec':{'nodeSelector':{'c':'3'}}}" },
    { "an object is emptied", POD, "{'spec':{'nodeSelector':{'a':'1'}}}",
      "{'spec':{'nodeSelector':{'$patch':'delete'}}}", "{'spec':{'nodeSelector':{}}}" },
    { "kubectl apply keeps the order it has", POD,
      "{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}}",
      "{'spec':{'$setElementOrder/"
      "containers':[{'name':'c'},{'name':'a'}],'containers':[{'name':'b','$patch':'delete'},"
      "{'name':'a','image':'1'}]}}",
      "{'spec':{'containers':[{'name':'c'},{'name':'a','image':'1'}]}}" },
    { "others stay where they were", POD,
      "{'spec':{'containers':[{'name':'a'},{'name':'side'},{'name':'b'}]}}",
      "{'spec':{'$setElementOrder/"
      "containers':[{'name':'a'},{'name':'b'}],'containers':[{'name':'b','image':'1'}]}}",
      "{'spec':{'containers':[{'name':'a'},{'name':'side'},{'name':'b','image':'1'}]}}" },
    { "an order without changes", POD, "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
      "{'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'b'}],'suspend':true}}",
      "{'spec':{'containers':[{'name':'a'},{'name':'b'}],'suspend':true}}" },
    { "keys that are retained", POD, "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
      "{'spec':{'volumes':[{'$retainKeys':['name','hostPath'],'name':'v','hostPath':{'path':'/"
      "'}}]}}",
      "{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/'}}]}}" },
    { "new objects lose their directives", POD, "{}",
      "{'a':{'$patch':'merge','b':null,'c':[{'d':1,'$patch':'delete'}]}}", "{}" },
    { "new objects lose their nulls", POD, "{}", "{'a':{'b':null,'c':1}}", "{'a':{'c':1}}" },
};

static struct jr_doc *parse(const char *text)
{
    char copy[4096];
    struct jr_doc *doc = NULL;
    size_t n = strlen(text);

    assert_true(n < sizeof(copy));
    for (size_t i = 0; i <= n; i++)
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    assert_int_equal(jr_doc_parse(jr_str(copy), &JR_READER_STRICT, &doc, NULL), JR_OK);
    return doc;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(rows[i].from);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = parse(rows[i].patch);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *want = parse(rows[i].want);
        struct jr_error err = { 0 };
        JR_BUF got = { 0 };

        jr_buf_init(&got, 4096);
        if (jr_strategic_apply(rows[i].type, jr_doc_root(doc), jr_doc_root(patch), &err) != JR_OK)
            fail_msg("%s: %s", rows[i].name, err.msg);
        assert_int_equal(jr_node_print(jr_doc_root(doc), &got), JR_OK);
        if (!jr_node_equal(jr_doc_root(doc), jr_doc_root(want)))
            fail_msg("%s: %s", rows[i].name, got.p);
    }
}

static void test_bad_patches(void **state)
{
    static const struct {
        const char *patch;
        const char *words;
    } bad[] = {
        { "{'metadata':{'ownerReferences':[{'name':'c'}]}}",
          "map: map[name:c] does not contain declared merge key: uid" },
        { "{'metadata':{'$patch':'foo'}}", "unrecognized $patch type: foo" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse("{'metadata':{}}");
        JR_CLEANUP(jr_doc_freep) struct jr_doc *patch = parse(bad[i].patch);
        struct jr_error err = { 0 };

        assert_int_equal(
            jr_strategic_apply(&jr_schema_pod, jr_doc_root(doc), jr_doc_root(patch), &err),
            JR_INVALID);
        assert_string_equal(err.msg, bad[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bad_patches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
