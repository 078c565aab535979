/* SPDX-License-Identifier: Apache-2.0 */
/* The table of Jobs and the summary of reasons, as terminals and pipes get them. */
#include "cli/status/table.h"
#include "common/base/memory.h"
#include "tests/unit/kube/kube_test.h"

#define S(s)             \
    {                    \
        s, sizeof(s) - 1 \
    }
#define AT(s)                                      \
    {                                              \
        .ns = (INT64_C(1772366400) + (s)) * JR_SEC \
    } /* 2026-03-01T12:00:00Z */

static const struct jr_status_row rows[] = {
    { S("ml"), S("fit"), 3, 10, 4, 0, AT(-725), JR_VERDICT_MOVES, false, "running",
      S("4 Pods run; 3 of 10 completions are done.") },
    { S("ml"), S("quota"), 0, 1, 0, 0, AT(-45), JR_VERDICT_HAND, false, "quota-must-specify",
      S("The quota q refuses all Pods that do not say their limits") },
    { S("web"), S("mail-\x1b[31m\xe2\x80\xae"), 7, -1, 2, 1, AT(-273600), JR_VERDICT_MOVES, false,
      "running", S("2 Pods run") },
    { S("web"), S("old"), 5, 5, 0, 2, AT(-90061), JR_VERDICT_OVER, false, "complete",
      S("The Job is complete") },
    { S("web"), S("x"), 0, 1, 0, 1, AT(-1), JR_VERDICT_OVER, true, "backoff-limit",
      S("The Job has failed") },
};

static const struct {
    const char *name;
    size_t first, n;
    bool namespaces;
    struct jr_page page;
    const char *table;
    const char *summary;
} cases[] = {
    { "a pipe",
      0,
      4,
      true,
      { .width = 1000 },
      "NAMESPACE  NAME                 PROGRESS  ACTIVE  FAILED  AGE    REASON\n"
      "ml         fit                  3/10      4       0       12m5s  running\n"
      "ml         quota                0/1       0       0       45s    quota-must-specify\n"
      "web        mail-\\x1b[31m\\u202e  7 done    2       1       3d4h   running\n"
      "web        old                  5/5       0       2       1d1h   complete\n",
      "4 Jobs: 1 needs a hand, 2 go on, 1 is over\n"
      "     1  quota-must-specify  ml/quota: The quota q refuses all Pods that do not say their "
      "limits\n"
      "     2  running             ml/fit: 4 Pods run; 3 of 10 completions are done.\n"
      "     1  complete            web/old: The Job is complete\n" },
    { "one Job, drawn",
      0,
      1,
      false,
      { .width = 80, .drawing = true },
      "NAME  PROGRESS         ACTIVE  FAILED  AGE    REASON\n"
      "fit   \u2588\u2588\u2588\u2591\u2591\u2591\u2591\u2591\u2591\u2591 3/10  4       0       "
      "12m5s  running\n",
      "1 Job: 1 goes on\n     1  running  fit: 4 Pods run; 3 of 10 completions are done.\n" },
    { "narrow",
      2,
      1,
      true,
      { .width = 60 },
      "NAMESPACE  NAME          PROGRESS  ACTIVE  FAILED  AGE   REASON\n"
      "web        mail-\\x1b...  7 done    2       1       3d4h  running\n",
      "1 Job: 1 goes on\n     1  running  web/mail-\\x1b[31m\\u202e: 2 Pods run\n" },
    { "colors",
      1,
      1,
      false,
      { .width = 60, .color = true },
      "NAME   PROGRESS  ACTIVE  FAILED  AGE  REASON\n"
      "quota  0/1       0       0       45s  \x1b[31mquota-must-specify\x1b[0m\n",
      "1 Job: 1 needs a hand\n"
      "     1  \x1b[31mquota-must-specify\x1b[0m  quota: The quota q refuses al...\n" },
    { "a failed Job",
      4,
      1,
      false,
      { .width = 60, .color = true },
      "NAME  PROGRESS  ACTIVE  FAILED  AGE  REASON\n"
      "x     0/1       0       1       1s   \x1b[31mbackoff-limit\x1b[0m\n",
      "1 Job: 1 is over\n     1  \x1b[31mbackoff-limit\x1b[0m  x: The Job has failed\n" },
};

static void tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++) {
        const struct jr_status_table t = { .rows = rows + cases[i].first,
                                           .n = cases[i].n,
                                           .now = AT(0),
                                           .namespaces = cases[i].namespaces };
        JR_BUF out = { 0 };

        print_message("%s\n", cases[i].name);
        jr_buf_init(&out, JR_BUF_BY_INPUT);
        jr_status_rows(&t, &cases[i].page, true, &out);
        assert_string_equal(out.p, cases[i].table);
        jr_buf_reset(&out);
        jr_status_summary(&t, &cases[i].page, &out);
        assert_string_equal(out.p, cases[i].summary);
    }
}

static void many_reasons(void **state)
{
    static const char *const reasons[] = { "a", "b", "c", "d", "e", "f", "g",
                                           "h", "i", "j", "k", "l", "m" };
    struct jr_status_row many[JR_ARRAY_SIZE(reasons)];
    const struct jr_status_table t = { .rows = many, .n = JR_ARRAY_SIZE(many), .now = AT(0) };
    const struct jr_page page = { .width = 80 };
    JR_BUF out = { 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(many); i++) {
        many[i] = rows[0];
        many[i].reason = reasons[i];
    }
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_status_summary(&t, &page, &out);
    assert_non_null(strstr(out.p, "        and 1 more reasons\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(many_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
