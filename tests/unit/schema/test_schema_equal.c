/* SPDX-License-Identifier: Apache-2.0 */
/* Equality by type: what Go's decoder can't tell apart is equal, and nothing else. */
#include "common/schema/equal.h"
#include "common/schema/schema.h"
#include "tests/unit/json/json_test.h"

#define JOB &jr_schema_job_spec
#define TEMPLATE &jr_schema_pod_template_spec
#define POD &jr_schema_pod_spec

struct row {
    const struct jr_schema_type *type;
    const char *name;
    const char *a; /* NULL: absent */
    const char *b;
    bool want;
};

static const struct row rows[] = {
    /* scalars that are pointers, and those that are none */
    { JOB, "suspend", "false", NULL, false },
    { JOB, "suspend", "false", "true", false },
    { JOB, "suspend", "null", NULL, true },
    { JOB, "completions", "0", NULL, false },
    { JOB, "completions", "1", "2", false },
    { JOB, "completionMode", "\"\"", NULL, false },
    { JOB, "managedBy", "\"\"", NULL, false },
    { JOB, "successPolicy", "{\"rules\":[{\"succeededIndexes\":\"\"}]}", "{\"rules\":[{}]}",
      false },
    { JOB, "podFailurePolicy", "{\"rules\":[{\"onExitCodes\":{\"containerName\":\"\"}}]}",
      "{\"rules\":[{\"onExitCodes\":{}}]}", false },
    { JOB, "podFailurePolicy", "{\"rules\":[{\"onExitCodes\":{\"operator\":\"\"}}]}",
      "{\"rules\":[{\"onExitCodes\":{}}]}", true },
    { POD, "hostname", "\"\"", NULL, true },
    { POD, "hostNetwork", "false", NULL, true },
    { POD, "hostUsers", "false", NULL, false },
    { POD, "volumes", "[{\"csi\":{\"readOnly\":false}}]", "[{\"csi\":{}}]", false },
    { POD, "volumes", "[{\"nfs\":{\"readOnly\":false}}]", "[{\"nfs\":{}}]", true },
    { POD, "volumes", "[{\"fc\":{\"lun\":0}}]", "[{\"fc\":{}}]", false },
    { POD, "volumes", "[{\"iscsi\":{\"lun\":0}}]", "[{\"iscsi\":{}}]", true },
    { POD, "containers", "[{\"env\":[{\"value\":\"\"}]}]", "[{\"env\":[{}]}]", true },
    { POD, "dnsConfig", "{\"options\":[{\"value\":\"\"}]}", "{\"options\":[{}]}", false },
    { POD, "affinity",
      "{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":0}]}}",
      "{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{}]}}", true },
    /* structs */
    { JOB, "template", "{\"metadata\":{},\"spec\":{}}", NULL, true },
    { JOB, "template", "{\"spec\":{\"containers\":[]}}", NULL, true },
    { JOB, "template", "{\"metadata\":{\"creationTimestamp\":null}}", "{}", true },
    { POD, "securityContext", "{}", NULL, false },
    { POD, "resources", "{}", NULL, false }, /* the Pod's own are a pointer */
    { POD, "containers", "[{\"resources\":{\"limits\":{}}}]", "[{}]", true },
    { POD, "containers", "[null]", "[{}]", true },
    { POD, "containers", "[{\"name\":\"a\"},{\"name\":\"b\"}]",
      "[{\"name\":\"b\"},{\"name\":\"a\"}]", false },
    { POD, "containers", "[{\"name\":\"a\"}]", "[{\"name\":\"a\"},{\"name\":\"a\"}]", false },
    { POD, "containers", "[{\"name\":\"a\",\"image\":\"b\"}]", "[{\"image\":\"b\",\"name\":\"a\"}]",
      true },
    { POD, "volumes", "[{\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{\"resources\":{}}}}}]",
      "[{\"ephemeral\":{\"volumeClaimTemplate\":{}}}]", true },
    /* maps: a key counts, whatever its value */
    { TEMPLATE, "metadata", "{\"labels\":{}}", "{}", true },
    { TEMPLATE, "metadata", "{\"labels\":{\"a\":\"\"}}", "{}", false },
    { TEMPLATE, "metadata", "{\"labels\":{\"a\":\"\"}}", "{\"labels\":{\"a\":null}}", true },
    { TEMPLATE, "metadata", "{\"labels\":{\"sizeLimit\":\"1\"}}",
      "{\"labels\":{\"sizeLimit\":\"1000m\"}}", false },
    { POD, "nodeSelector", "{\"serviceAccountName\":\"a\"}", "{\"serviceAccountName\":\"b\"}",
      false },
    /* quantities */
    { POD, "overhead", "{\"cpu\":\"1\"}", "{\"cpu\":1}", true },
    { POD, "overhead", "{\"cpu\":\"0.1\"}", "{\"cpu\":\"100m\"}", true },
    { POD, "overhead", "{\"cpu\":\"0.1\"}", "{\"cpu\":\"101m\"}", false },
    { POD, "overhead", "{\"cpu\":null}", "{\"cpu\":\"0\"}", true },
    { POD, "overhead", "{\"cpu\":null}", NULL, false },
    { POD, "containers", "[{\"env\":[{\"value\":\"0.1\"}]}]", "[{\"env\":[{\"value\":\"100m\"}]}]",
      false },
    { POD, "volumes", "[{\"emptyDir\":{\"sizeLimit\":\"1Gi\"}}]",
      "[{\"emptyDir\":{\"sizeLimit\":\"1024Mi\"}}]", true },
    { POD, "volumes", "[{\"emptyDir\":{\"sizeLimit\":\"0\"}}]", "[{\"emptyDir\":{}}]", false },
    { POD, "containers", "[{\"env\":[{\"valueFrom\":{\"resourceFieldRef\":{\"divisor\":\"0\"}}}]}]",
      "[{\"env\":[{\"valueFrom\":{\"resourceFieldRef\":{}}}]}]", true },
    /* a port by its name, even an empty one, is another thing than by its number */
    { POD, "containers", "[{\"livenessProbe\":{\"httpGet\":{\"port\":\"\"}}}]",
      "[{\"livenessProbe\":{\"httpGet\":{}}}]", false },
    { POD, "containers", "[{\"livenessProbe\":{\"httpGet\":{\"port\":0}}}]",
      "[{\"livenessProbe\":{\"httpGet\":{}}}]", true },
    /* two names of one field */
    { TEMPLATE, "spec", "{\"serviceAccount\":\"a\"}", "{\"serviceAccountName\":\"a\"}", true },
    { TEMPLATE, "spec", "{\"serviceAccount\":\"a\"}", "{\"serviceAccountName\":\"b\"}", false },
    { TEMPLATE, "spec", "{\"serviceAccount\":\"a\"}", NULL, false },
    { TEMPLATE, "spec", "{\"serviceAccount\":\"\"}", "{}", true },
    /* wrong types, and what isn't known */
    { JOB, "parallelism", "\"1\"", "1", false },
    { POD, "containers", "{}", "[]", false },
    { JOB, "unknown", "{\"a\":1,\"b\":null,\"c\":[]}", "{\"a\":1}", true },
    { JOB, "unknown", "{\"a\":1}", "{\"a\":2}", false },
    { JOB, "unknown", "{}", NULL, false },
    { NULL, "spec", "[{\"a\":0}]", "[{}]", true },
    { NULL, "spec", NULL, NULL, true },
};

static struct jr_doc *parsed(const char *text)
{
    return text == NULL ? NULL : must_parse(text, jr_str(text));
}

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        JR_CLEANUP(jr_doc_freep) struct jr_doc *a = parsed(r->a);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *b = parsed(r->b);
        const struct jr_node *na = a == NULL ? NULL : jr_doc_root(a);
        const struct jr_node *nb = b == NULL ? NULL : jr_doc_root(b);
        bool same = !r->want;

        same = jr_schema_equal(r->type, r->name, na, nb);
        WANT_INT(r->a == NULL ? r->name : r->a, same, r->want);
        same = !r->want;
        same = jr_schema_equal(r->type, r->name, nb, na);
        WANT_INT(r->a == NULL ? r->name : r->a, same, r->want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
