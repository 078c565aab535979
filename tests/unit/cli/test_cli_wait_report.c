/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of waiting: what a Pod or a condition says means nothing to terminals, runners, pages. */
#include "check_test.h"

#include "cli/wait_report.h"

#include "common/base/memory.h"

#define EVIL "\x1b[2J ::error::no\r::error::no | <b> `x` *y*"

static void add_failure(struct jr_wait_job *j, const char *lines, const char *no_lines)
{
    struct jr_wait_failure *f = jr_xcalloc(1, sizeof(*f));

    f->pod = jr_xstrdup("p");
    f->container = jr_xstrdup("c");
    f->what = jr_xstrdup("exit code 3 (Error)");
    f->lines = jr_xstrdup(lines);
    f->no_lines = jr_xstrdup(no_lines);
    STAILQ_INSERT_TAIL(&j->failures, f, link);
    j->n_failures++;
}

/** Two Jobs: one is Complete, one has Failed, in words that are bad everywhere. */
static struct jr_wait_jobs make_jobs(void)
{
    struct jr_wait_jobs jobs = { .n = 0 };
    struct jr_job *job = NULL;
    static const char *const texts[] = {
        "{\"metadata\": {\"uid\": \"1\"}, \"status\": {\"conditions\": [{\"type\": \"Complete\", "
        "\"status\": \"True\"}]}}",
        "{\"metadata\": {\"uid\": \"1\"}, \"status\": {\"conditions\": [{\"type\": \"Failed\", "
        "\"status\": \"True\", \"reason\": \"R\", \"message\": \"\\u001b[2J "
        "::error::no\\r::error::no"
        " | <b> `x` *y*\"}]}}",
    };
    static const char *const names[] = { "good", "bad" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        assert_int_equal(jr_job_decode(jr_str(texts[i]), &job, NULL), JR_OK);
        jr_wait_job_take(
            jr_wait_jobs_add(&jobs, JR_S("d"), jr_str(names[i]), (struct jr_str){ NULL, 0 }), job,
            false);
        jr_job_unref(job);
    }
    add_failure(jobs.v[1], "one\ttwo\n" EVIL "\n", NULL);
    add_failure(jobs.v[1], NULL, "its log had gone before it was read");
    add_failure(jobs.v[1], "", NULL);
    return jobs;
}

#define SHOWN "\\x1b[2J ::error::no\\x0d::error::no | <b> `x` *y*"
#define LINES_SHOWN  \
    "    one\ttwo\n" \
    "    " SHOWN "\n"
#define TITLE "Pod p, container c: exit code 3 (Error)\n"

static void test_text(void **state)
{
    struct jr_wait_jobs jobs = make_jobs();
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 65536);
    jr_wait_report_text(&jobs, (struct jr_time){ 0 }, &out);
    assert_string_equal(out.p, TITLE LINES_SHOWN TITLE
                        "    its log had gone before it was read\n" TITLE "    it wrote nothing\n"
                        "job/good: Complete\n"
                        "job/bad: Failed: R: " SHOWN "\n"
                        "1 Complete, 1 Failed\n");
    jr_wait_jobs_done(&jobs);
}

static void test_github(void **state)
{
    struct jr_wait_jobs jobs = make_jobs();
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 65536);
    jr_wait_report_github(&jobs, (struct jr_time){ 0 }, "T", &out);
    assert_string_equal(
        out.p,
        "::T::\n"
        "::group::" TITLE "::stop-commands::T\n" LINES_SHOWN "::T::\n::endgroup::\n"
        "::group::" TITLE "::stop-commands::T\n"
        "    its log had gone before it was read\n::T::\n::endgroup::\n"
        "::group::" TITLE "::stop-commands::T\n    it wrote nothing\n::T::\n::endgroup::\n"
        "job/good: Complete\n"
        "::error title=job/bad::Failed: R: \\x1b[2J ::error::no%0D::error::no | <b> `x` *y*\n");
    jr_wait_jobs_done(&jobs);
}

static void test_markdown(void **state)
{
    struct jr_wait_jobs jobs = make_jobs();
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 65536);
    jr_wait_report_markdown(&jobs, (struct jr_time){ 0 }, &out);
    assert_true(jr_str_starts(jr_buf_str(&out), JR_S("### Jobs: 1 Complete, 1 Failed\n\n"
                                                     "| Job | Result |\n| --- | --- |\n"
                                                     "| job/good | Complete |\n"
                                                     "| job/bad | Failed&#58; R&#58; &#92;x1b")));
    assert_non_null(strstr(out.p, "<details><summary>Pod p, container c&#58; exit code 3 &#40;Error"
                                  "&#41;</summary>\n\n<pre>\none&#9;two\n"));
    assert_null(strstr(out.p, "<b>"));
    assert_null(strstr(out.p, "`"));
    assert_null(strstr(out.p, "*"));
    jr_wait_jobs_done(&jobs);
}

static void test_log_line(void **state)
{
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 65536);
    jr_wait_log_line(JR_S("p"), NULL, JR_S("text\r"), &out);
    jr_wait_log_line(JR_S("p"), "c", JR_S(EVIL), &out);
    jr_wait_log_line(JR_S("p"), "c", JR_S(""), &out);
    assert_string_equal(out.p, "[p] text\n[p/c] " SHOWN "\n[p/c] \n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_github),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_log_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
