/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/schema/suggest.h"
#include "tests/support/field_path.h"

static void test_distance(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned want; /* limit 3 */
    } rows[] = {
        { "a", "a", 0 },
        { "", "abc", 3 },
        { "abc", "", 3 },
        { "Completions", "completions", 0 },
        { "compeltions", "completions", 1 }, /* neighbours swapped */
        { "ca", "abc", 3 },
        { "paralelism", "parallelism", 1 },
        { "suspend", "spend", 2 },
        { "image", "name", 3 },
        { "abcdef", "uvwxyz", 4 },
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a", 4 }, /* 64 */
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        unsigned d = jr_suggest_distance(jr_str(rows[i].a), jr_str(rows[i].b), 3);

        if (d != rows[i].want)
            fail_msg("%s, %s: %u, want %u", rows[i].a, rows[i].b, d, rows[i].want);
    }
}

/** The suggestion for the unknown field at path. */
static const char *suggest(const struct jr_schema_type *root, const char *path,
                           struct jr_arena *arena)
{
    struct path_text parsed;
    const struct jr_field_path *last = path_of_text(path, &parsed);
    const struct jr_schema_type *in = root;
    const char *ret;

    for (size_t i = 0; i + 1 < parsed.n; i++) {
        if (parsed.v[i].name.p == NULL)
            continue;
        const struct jr_schema_field *f = jr_schema_find(in, parsed.v[i].name, NULL);
        assert_non_null(f);
        in = f->of;
    }
    assert_int_equal(jr_suggest(root, in, last, 36, arena, &ret), JR_OK);
    return ret;
}

static void test_suggestions(void **state)
{
    static const struct {
        const char *path;
        const char *want;
    } rows[] = {
        { "spec.compeltions", "did you mean \"completions\"?" },
        { "spec.Parallelism", "did you mean \"parallelism\"?" },
        { "spec.paralel", NULL },
        { "spec.restartPolicy", "did you mean spec.template.spec.restartPolicy?" },
        { "spec.containers", "did you mean spec.template.spec.containers?" },
        { "spec.template.spec.image", "did you mean spec.template.spec.containers[].image?" },
        { "spec.template.spec.privileged",
          "did you mean spec.template.spec.containers[].securityContext.privileged?" },
        { "spec.template.spec.backoffLimit", "did you mean spec.backoffLimit?" },
        { "spec.template.spec.containers[0].imagePulPolicy", "did you mean \"imagePullPolicy\"?" },
        { "spec.template.spec.containers[12].env[3].vaule", "did you mean \"value\"?" },
        { "spec.podFailurePolicy.rules[0].onExitCode", "did you mean \"onExitCodes\"?" },
        { "spec.template.spec.containers[0].limits",
          "did you mean spec.template.spec.containers[0].resources.limits?" },
        { "spec.template.spec.containers[1].privileged",
          "did you mean spec.template.spec.containers[1].securityContext.privileged?" },
        { "spec.template.spec.initContainers[1].httpGet",
          "did you mean spec.template.spec.initContainers[1].livenessProbe.httpGet?" },
        { "spec.template.spec.containers[0].resources.privileged",
          "did you mean spec.template.spec.containers[0].securityContext.privileged?" },
        { "spec.template.spec.containers[0].restartPolici", "did you mean \"restartPolicy\"?" },
        { "spec.template.spec.containers[0].backoffLimit", "did you mean spec.backoffLimit?" },
        { "spec.template.spec.containers[0].labels", "did you mean metadata.labels?" },
        { "name", "did you mean metadata.name?" },
        { "labels", "did you mean metadata.labels?" },
        { "spec.labels", "did you mean metadata.labels?" },
        { "spec[a.b[c]", NULL },
        { "spec.zzzzzzzzzz", NULL },
        { "metadat", "did you mean \"metadata\"?" },
        { "[", NULL },
        { "", NULL },
    };
    JR_ARENA arena = { 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const char *have = suggest(&jr_schema_job, rows[i].path, &arena);

        if (!jr_str_eq(jr_str(have), jr_str(rows[i].want)))
            fail_msg("%s: %s, want %s", rows[i].path, have, rows[i].want);
    }
    assert_string_equal(suggest(&jr_schema_cron_job, "spec.backoffLimit", &arena),
                        "did you mean spec.jobTemplate.spec.backoffLimit?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
