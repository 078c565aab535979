#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/suggest.h"

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
        { "spec.template.spec.backoffLimit", "did you mean spec.backoffLimit?" },
        { "spec.template.spec.containers[0].imagePulPolicy", "did you mean \"imagePullPolicy\"?" },
        { "spec.template.spec.containers[12].env[3].vaule", "did you mean \"value\"?" },
        { "spec.podFailurePolicy.rules[0].onExitCode", "did you mean \"onExitCodes\"?" },
        { "name", "did you mean metadata.name?" },
        { "labels", "did you mean metadata.labels?" },
        { "spec.labels", "did you mean metadata.labels?" },
        { "spec.a.b[c]", NULL },
        { "spec.zzzzzzzzzz", NULL },
        { "metadat", "did you mean \"metadata\"?" },
        { "[", NULL },
        { "", NULL },
    };
    JR_ARENA arena = { 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const char *have = jr_suggest(&jr_schema_job, jr_str(rows[i].path), 36, &arena);

        if (!jr_str_eq(jr_str(have), jr_str(rows[i].want)))
            fail_msg("%s: %s, want %s", rows[i].path, have, rows[i].want);
    }
    assert_string_equal(jr_suggest(&jr_schema_cron_job, JR_S("spec.backoffLimit"), 36, &arena),
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
