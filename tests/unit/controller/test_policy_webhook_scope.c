/* SPDX-License-Identifier: Apache-2.0 */
/* In which namespaces the webhook isn't asked, by configurations of all sorts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/audit/webhook_scope.h"
#include "tests/support/doc.h"

#define TEXT_MAX ((size_t)1 << 16)

#define RULES(groups, resources, operations)                                                    \
    "\"rules\":[{\"apiGroups\":[" groups "],\"apiVersions\":[\"v1\"],\"resources\":[" resources \
    "],\"operations\":[" operations "],\"scope\":\"Namespaced\"}]"
#define JOBS RULES("\"batch\"", "\"jobs\"", "\"CREATE\",\"UPDATE\"")
#define CRON_JOBS RULES("\"batch\"", "\"cronjobs\"", "\"CREATE\",\"UPDATE\"")
#define BUT(name)                                                                             \
    ",\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"kubernetes.io/metadata.name\"," \
    "\"operator\":\"NotIn\",\"values\":[\"kube-system\",\"" name "\"]}]}"
#define ONLY_GPU ",\"namespaceSelector\":{\"matchLabels\":{\"pool\":\"gpu\"}}"

/* Of the Namespace "a", with or without the label pool: gpu. */
static const struct row {
    const char *name;
    const char *webhooks; /* NULL: no configuration */
    bool gpu;
    bool jobs, cron_jobs; /* excluded */
} rows[] = {
    { "no configuration", NULL, false, false, false },
    { "no webhooks", "", false, false, false },
    { "no selector", "{" JOBS "},{" CRON_JOBS "}", false, false, false },
    { "an empty selector", "{" JOBS ",\"namespaceSelector\":{}}", false, false, false },
    { "null", "{" JOBS ",\"namespaceSelector\":null}", false, false, false },
    { "the chart's", "{" JOBS BUT("a") "},{" CRON_JOBS BUT("a") "}", false, true, true },
    { "the chart's, elsewhere", "{" JOBS BUT("b") "},{" CRON_JOBS BUT("b") "}", false, false,
      false },
    { "a name that begins so", "{" JOBS BUT("a-1") "}", false, false, false },
    { "each by itself", "{" JOBS BUT("a") "},{" CRON_JOBS BUT("b") "}", false, true, false },
    { "the other way round", "{" CRON_JOBS BUT("a") "},{" JOBS BUT("b") "}", false, false, true },
    { "opted in", "{" JOBS ONLY_GPU "}", true, false, false },
    { "not opted in", "{" JOBS ONLY_GPU "}", false, true, false },
    { "both resources in one",
      "{" RULES("\"batch\"", "\"jobs\",\"cronjobs\"", "\"CREATE\"") BUT("a") "}", false, true,
      true },
    { "all resources", "{" RULES("\"batch\"", "\"*\"", "\"CREATE\"") BUT("a") "}", false, true,
      true },
    { "with subresources", "{" RULES("\"batch\"", "\"*/*\"", "\"CREATE\"") BUT("a") "}", false,
      true, true },
    { "with its subresources", "{" RULES("\"batch\"", "\"jobs/*\"", "\"CREATE\"") BUT("a") "}",
      false, true, false },
    { "a subresource alone",
      "{" RULES("\"batch\"", "\"jobs/status\",\"*/status\"", "\"CREATE\"") BUT("a") "}", false,
      false, false },
    { "all groups", "{" RULES("\"*\"", "\"jobs\"", "\"CREATE\"") BUT("a") "}", false, true, false },
    { "all operations", "{" RULES("\"batch\"", "\"jobs\"", "\"*\"") BUT("a") "}", false, true,
      false },
    { "another group", "{" RULES("\"apps\"", "\"*\"", "\"*\"") BUT("a") "},{" JOBS BUT("b") "}",
      false, false, false },
    { "another resource", "{" RULES("\"batch\"", "\"jobtemplates\"", "\"*\"") BUT("a") "}", false,
      false, false },
    { "on updates alone",
      "{" RULES("\"batch\"", "\"*\"", "\"UPDATE\"") BUT("a") "},{" JOBS BUT("b") "}", false, false,
      false },
    { "one of two asks", "{" JOBS BUT("a") "},{" JOBS BUT("b") "}", false, false, false },
    { "one of two asks everywhere", "{" JOBS BUT("a") "},{" JOBS "}", false, false, false },
    { "neither of two asks", "{" JOBS BUT("a") "},{" JOBS ONLY_GPU "}", false, true, false },
    { "a selector that isn't one", "{" JOBS ",\"namespaceSelector\":[1]}", false, false, false },
    { "a selector of wrong types", "{" JOBS ",\"namespaceSelector\":{\"matchLabels\":7}}", false,
      false, false },
    { "webhooks that aren't",
      "7,null,\"x\",{},{\"rules\":7},{\"rules\":[7,{}]},{" JOBS BUT("a") "}", false, true, false },
};

static struct jr_doc *configuration(const char *webhooks)
{
    JR_BUF text = { 0 };

    if (webhooks == NULL)
        return NULL;
    jr_buf_init(&text, TEXT_MAX);
    (void)jr_buf_addf(&text, "{\"webhooks\":[%s]}", webhooks);
    return doc_of(jr_buf_str(&text));
}

static void check(const struct row *r)
{
    struct jr_label v[] = { { JR_S("kubernetes.io/metadata.name"), JR_S("a") },
                            { JR_S("pool"), JR_S("gpu") } };
    const struct jr_labels labels = { v, r->gpu ? 2 : 1 };
    JR_CLEANUP(jr_webhook_scope_done) struct jr_webhook_scope scope;

    jr_webhook_scope_init(&scope, configuration(r->webhooks));
    if (jr_webhook_scope_excludes(&scope, "jobs", &labels) != r->jobs)
        fail_msg("%s: Jobs are%s excluded", r->name, r->jobs ? "n't" : "");
    if (jr_webhook_scope_excludes(&scope, "cronjobs", &labels) != r->cron_jobs)
        fail_msg("%s: CronJobs are%s excluded", r->name, r->cron_jobs ? "n't" : "");
}

static void scopes(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void odd_documents(void **state)
{
    static const char *const texts[] = { "{}", "[]", "\"x\"", "{\"webhooks\":{}}",
                                         "{\"webhooks\":null}" };
    const struct jr_labels none = { NULL, 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        JR_CLEANUP(jr_webhook_scope_done) struct jr_webhook_scope scope;

        jr_webhook_scope_init(&scope, doc_of(jr_str(texts[i])));
        assert_false(jr_webhook_scope_excludes(&scope, "jobs", &none));
        assert_false(jr_webhook_scope_excludes(&scope, "cronjobs", &none));
    }
    jr_webhook_scope_done(&(struct jr_webhook_scope){ .doc = NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes),
        cmocka_unit_test(odd_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
