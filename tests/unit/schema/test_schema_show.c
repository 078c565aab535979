/* SPDX-License-Identifier: Apache-2.0 */
/* Values as upstream's errors show them; the words are those of a kube-apiserver 1.36. */
#include "common/schema/show.h"
#include "tests/unit/json/json_test.h"

static const struct {
    const char *name;
    const struct jr_schema_type *type;
    const char *field;
    const char *value;
    const char *want;
} rows[] = {
    { "Go's names and nulls", &jr_schema_job_spec, "successPolicy",
      "{\"rules\":[{\"succeededIndexes\":\"0,1\"},{\"succeededCount\":2}]}",
      "{\"Rules\":[{\"SucceededIndexes\":\"0,1\",\"SucceededCount\":null},{\"SucceededIndexes\":"
      "null,\"SucceededCount\":2}]}" },
    { "an empty list is one", &jr_schema_job_spec, "podFailurePolicy", "{\"rules\":[]}",
      "{\"Rules\":[]}" },
    { "a list that isn't there", &jr_schema_job_spec, "podFailurePolicy", "{}",
      "{\"Rules\":null}" },
    { "nothing", &jr_schema_job_spec, "podFailurePolicy", NULL, "null" },
    { "a scalar", &jr_schema_job_spec, "completions", "3", "3" },
    { "a map by its keys", &jr_schema_object_meta, "labels",
      "{\"b\":\"1\",\"a/c\":\"2\",\"a\":\"<\"}", "{\"a\":\"<\",\"a/c\":\"2\",\"b\":\"1\"}" },
    { "metav1 by JSON's names, in Go's order", &jr_schema_job_spec, "selector",
      "{\"matchExpressions\":[{\"operator\":\"In\",\"values\":[]},{\"values\":[\"z\",\"a\"],"
      "\"key\":\"k\"}],\"matchLabels\":{\"b\":\"1\",\"a\":\"2\"}}",
      "{\"matchLabels\":{\"a\":\"2\",\"b\":\"1\"},\"matchExpressions\":[{\"key\":\"\",\"operator\":"
      "\"In\"},{\"key\":\"k\",\"operator\":\"\",\"values\":[\"z\",\"a\"]}]}" },
    { "an element of a list", &jr_schema_pod_spec, "resourceClaims",
      "{\"resourceClaimName\":\"a\",\"name\":\"c\"}",
      "{\"Name\":\"c\",\"ResourceClaimName\":\"a\",\"ResourceClaimTemplateName\":null}" },
    { "abbreviations", &jr_schema_security_context, "windowsOptions",
      "{\"gmsaCredentialSpec\":\"x\"}",
      "{\"GMSACredentialSpecName\":null,\"GMSACredentialSpec\":\"x\",\"RunAsUserName\":null,"
      "\"HostProcess\":null}" },
    { "what a later Kubernetes knows", &jr_schema_volume_projection, "clusterTrustBundle",
      "{\"name\":\"n\",\"user\":5}",
      "{\"Name\":\"n\",\"SignerName\":null,\"LabelSelector\":null,\"Optional\":null,\"Path\":"
      "\"\"}" },
};

static void as_upstream(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep)
        struct jr_doc *doc =
            rows[i].value == NULL ? NULL : must_parse(rows[i].name, jr_str(rows[i].value));
        JR_BUF out = { 0 };

        jr_buf_init(&out, 1000);
        jr_schema_show(rows[i].type, rows[i].field, doc == NULL ? NULL : jr_doc_root(doc), 36,
                       &out);
        WANT_INT(rows[i].name, out.failed, JR_OK);
        WANT_VIEW(rows[i].name, jr_buf_str(&out), jr_str(rows[i].want));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(as_upstream) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
