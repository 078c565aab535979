/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of awaited Jobs: courses, exit codes, words. */
#include "cli/wait/jobs.h"
#include "cli/wait/progress.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/memory.h"

#define START "\"startTime\": \"2026-03-01T12:00:00Z\""
#define NOW_S (1772366400 + 90) /* 12:01:30 of that day */
#define COMPLETE                                                               \
    START ", \"completionTime\": \"2026-03-01T12:00:20Z\", \"succeeded\": 1, " \
          "\"conditions\": [{\"type\": \"Complete\", \"status\": \"True\", "   \
          "\"lastTransitionTime\": \"2026-03-01T12:00:20Z\", \"reason\": \"CompletionsReached\"}]"
#define FAILS(type)                                                      \
    START ", \"failed\": 1, \"conditions\": [{\"type\": \"" type         \
          "\", \"status\": \"True\", \"reason\": \"DeadlineExceeded\", " \
          "\"message\": \"too late\", \"lastTransitionTime\": \"2026-03-01T12:01:00Z\"}]"

static struct jr_job *job_of(const char *uid, const char *spec, const char *status)
{
    struct jr_job *job = NULL;
    struct jr_error err = { .status = JR_OK };
    JR_FREE char *text = jr_xasprintf("{\"metadata\": {\"namespace\": \"d\", \"name\": \"j\", "
                                      "\"uid\": \"%s\"}, \"spec\": {%s}, \"status\": {%s}}",
                                      uid, spec, status);

    assert_ok(jr_job_decode(jr_str(text), &job, &err), &err);
    return job;
}

/** A step of a course: a state that is seen, the last one of a deletion, or a list without it. */
struct step {
    enum { END, SEEN, DELETED, LISTED } what;
    const char *uid, *spec, *status;
};

static const struct {
    const char *name;
    bool early;
    const char *uid; /* of the one that is waited for; NULL: any */
    struct step steps[4];
    int code; /* 124: it moves */
    const char *words;
} courses[] = {
    { "complete",
      false,
      NULL,
      { { SEEN, "1", "", START }, { SEEN, "1", "", COMPLETE } },
      0,
      "Complete after 20s" },
    { "failed",
      false,
      NULL,
      { { SEEN, "1", "", FAILS("Failed") } },
      1,
      "Failed after 1m: DeadlineExceeded: too late" },
    { "failing, and it still ends",
      false,
      NULL,
      { { SEEN, "1", "", FAILS("FailureTarget") } },
      124,
      "not over: 0 active, 0 succeeded, 1 failed, begun 1m30s ago" },
    { "failing, early",
      true,
      NULL,
      { { SEEN, "1", "", FAILS("FailureTarget") } },
      1,
      "Failed after 1m: DeadlineExceeded: too late" },
    { "succeeding, early",
      true,
      NULL,
      { { SEEN, "1", "",
          START ", \"conditions\": [{\"type\": \"SuccessCriteriaMet\", \"status\": "
                "\"True\"}]" } },
      124,
      "not over: 0 active, 0 succeeded, 0 failed, begun 1m30s ago" },
    { "not there", false, NULL, { { .what = LISTED } }, 124, "not over: it doesn't exist" },
    { "created late",
      false,
      NULL,
      { { .what = LISTED }, { SEEN, "1", "", COMPLETE } },
      0,
      "Complete after 20s" },
    { "deleted",
      false,
      NULL,
      { { SEEN, "1", "", START }, { DELETED, "1", "", START } },
      4,
      "deleted before it was over" },
    { "over when it was deleted",
      false,
      NULL,
      { { SEEN, "1", "", START }, { DELETED, "1", "", COMPLETE } },
      0,
      "Complete after 20s" },
    { "deleted after its end",
      false,
      NULL,
      { { SEEN, "1", "", COMPLETE }, { DELETED, "1", "", COMPLETE }, { SEEN, "2", "", START } },
      0,
      "Complete after 20s" },
    { "missed by a list",
      false,
      NULL,
      { { SEEN, "1", "", START }, { .what = LISTED } },
      4,
      "deleted before it was over" },
    { "missed by a list, with a TTL",
      false,
      NULL,
      { { SEEN, "1", "\"ttlSecondsAfterFinished\": 0", START }, { .what = LISTED } },
      4,
      "gone, and its end wasn't seen: deleted, or over and removed by its "
      "ttlSecondsAfterFinished" },
    { "made again",
      false,
      NULL,
      { { SEEN, "1", "", START }, { SEEN, "2", "", COMPLETE } },
      4,
      "deleted: there is another Job of its name" },
    { "another one from the beginning",
      false,
      "1",
      { { SEEN, "2", "", COMPLETE } },
      4,
      "deleted: there is another Job of its name" },
    { "named by its uid, and gone",
      false,
      "1",
      { { .what = LISTED } },
      4,
      "deleted before it was over" },
    { "another one was deleted",
      false,
      "1",
      { { DELETED, "2", "", START }, { SEEN, "1", "", COMPLETE } },
      0,
      "Complete after 20s" },
    { "suspended",
      false,
      NULL,
      { { SEEN, "1", "\"suspend\": true", "" } },
      124,
      "not over: suspended, 0 active, 0 succeeded, 0 failed" },
};

static void take_step(struct jr_wait_job *j, const struct step *s, bool early)
{
    struct jr_job *job = s->uid == NULL ? NULL : job_of(s->uid, s->spec, s->status);

    j->listed |= s->what == LISTED;
    if (s->what == SEEN)
        jr_wait_job_take(j, job, early);
    else if (s->what == DELETED || j->uid != NULL)
        jr_wait_job_gone(j, job, early);
    jr_job_unref(job);
}

static void test_courses(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(courses); i++) {
        struct jr_wait_jobs jobs = { .early = courses[i].early };
        struct jr_wait_job *j =
            jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), jr_str(courses[i].uid));
        JR_BUF words = { 0 };

        jr_buf_init(&words, 4096);
        for (const struct step *s = courses[i].steps; s->what != END; s++)
            take_step(j, s, courses[i].early);
        jr_wait_job_words(j, jr_time_s(NOW_S), &words);
        if (jr_wait_jobs_code(&jobs, false) != courses[i].code ||
            !jr_str_is(jr_buf_str(&words), courses[i].words))
            fail_msg("%s: %d, %s", courses[i].name, jr_wait_jobs_code(&jobs, false), words.p);
        assert_int_equal(jr_wait_jobs_over(&jobs, false), courses[i].code != 124);
        jr_wait_jobs_done(&jobs);
    }
}

/* ---- several ---- */

#define M JR_WAIT_MOVES
#define S JR_WAIT_STUCK
#define C JR_WAIT_COMPLETE
#define F JR_WAIT_FAILED
#define G JR_WAIT_GONE
static const struct {
    enum jr_wait_end ends[3];
    bool any;
    bool over;
    int code;
} several[] = {
    { { C, C, C }, false, true, 0 },    { { C, F, G }, false, true, 1 },
    { { C, G, S }, false, true, 4 },    { { C, S, C }, false, true, 3 },
    { { C, M, C }, false, false, 124 }, { { M, S, C }, false, false, 3 },
    { { M, F, M }, false, false, 1 },   { { M, M, M }, true, false, 124 },
    { { M, C, M }, true, true, 0 },     { { M, F, M }, true, true, 1 },
    { { M, S, M }, true, true, 3 },     { { G, M, M }, true, true, 4 },
};

static void test_several(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(several); i++) {
        struct jr_wait_jobs jobs = { .n = 0 };

        for (size_t k = 0; k < 3; k++) {
            const char name = (char)('a' + k);

            jr_wait_jobs_add(&jobs, JR_S("d"), (struct jr_str){ &name, 1 },
                             (struct jr_str){ NULL, 0 })
                ->end = several[i].ends[k];
        }
        if (jr_wait_jobs_code(&jobs, several[i].any) != several[i].code ||
            jr_wait_jobs_over(&jobs, several[i].any) != several[i].over)
            fail_msg("row %zu: %d", i, jr_wait_jobs_code(&jobs, several[i].any));
        jr_wait_jobs_done(&jobs);
    }
}

/** Nothing is over before the list that a selector asks for has come. */
static void test_none(void **state)
{
    const struct jr_wait_jobs jobs = { .n = 0 };

    (void)state;
    for (int any = 0; any < 2; any++) {
        assert_false(jr_wait_jobs_over(&jobs, any != 0));
        assert_int_equal(jr_wait_jobs_code(&jobs, any != 0), 124);
    }
}

static void test_named_once(void **state)
{
    struct jr_wait_jobs jobs = { .n = 0 };
    JR_BUF name = { 0 };

    (void)state;
    jr_buf_init(&name, 256);
    assert_ptr_equal(jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), JR_S("")),
                     jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), JR_S("")));
    assert_int_equal(jobs.n, 1);
    jr_wait_job_name(&jobs, jobs.v[0], &name);
    assert_str(jr_buf_str(&name), "job/j");
    (void)jr_wait_jobs_add(&jobs, JR_S("e"), JR_S("j"), JR_S(""));
    jr_buf_reset(&name);
    jr_wait_job_name(&jobs, jobs.v[1], &name);
    assert_str(jr_buf_str(&name), "job/j in namespace e");
    jr_wait_jobs_done(&jobs);
}

/* ---- stuck for a while ---- */

static void test_stuck_lasts(void **state)
{
    struct jr_wait_jobs jobs = { .n = 0 };
    struct jr_wait_job *j = jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), JR_S(""));
    const int64_t after = 300 * JR_SEC;

    (void)state;
    (void)jr_buf_adds(&j->why, "an image");
    jr_wait_job_check_stuck(j, (struct jr_mono){ JR_SEC }, after);
    assert_int_equal(j->end, JR_WAIT_MOVES);
    jr_wait_job_check_stuck(j, (struct jr_mono){ after }, after);
    assert_int_equal(j->end, JR_WAIT_MOVES);
    jr_wait_job_check_stuck(j, (struct jr_mono){ after + JR_SEC }, after);
    assert_int_equal(j->end, JR_WAIT_STUCK);
    jr_wait_job_check_stuck(j, (struct jr_mono){ after + JR_SEC }, 0);
    assert_int_equal(j->end, JR_WAIT_MOVES);
    jr_buf_reset(&j->why); /* repaired: it counts anew */
    jr_wait_job_check_stuck(j, (struct jr_mono){ 2 * after }, after);
    assert_int_equal(j->end, JR_WAIT_MOVES);
    (void)jr_buf_adds(&j->why, "an image");
    jr_wait_job_check_stuck(j, (struct jr_mono){ 3 * after }, after);
    assert_int_equal(j->end, JR_WAIT_MOVES);
    jr_wait_jobs_done(&jobs);
}

/* ---- progress ---- */

static const struct {
    const char *spec, *status;
    const char *want;
} progresses[] = {
    { "\"completions\": 10", START ", \"active\": 2", "job/j: 0 of 10 Pods done, 2 active" },
    { "\"completions\": 10, \"completionMode\": \"Indexed\"",
      START ", \"active\": 2, \"succeeded\": 4, \"failed\": 1",
      "job/j: 4 of 10 indexes done, 2 active, 1 failed; 2.7/min, 1m30s to 4m30s left" },
    { "\"completions\": 10", START ", \"succeeded\": 2", "job/j: 2 of 10 Pods done, 0 active" },
    { "\"completions\": 10", START ", \"succeeded\": 10",
      "job/j: 10 of 10 Pods done, 0 active; 6.7/min" },
    { "\"completions\": 100000", START ", \"succeeded\": 900",
      "job/j: 900 of 100000 Pods done, 0 active; 10/s, 2h39m50s to 2h50m52s left" },
    { "", START ", \"succeeded\": 3", "job/j: 3 Pods done, 0 active; 2.0/min" },
    { "\"suspend\": true", "", "job/j: 0 Pods done, 0 active; suspended" },
};

static void test_progress(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(progresses); i++) {
        struct jr_wait_jobs jobs = { .n = 0 };
        const struct step step = { SEEN, "1", progresses[i].spec, progresses[i].status };
        JR_BUF line = { 0 };

        jr_buf_init(&line, 4096);
        take_step(jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), JR_S("")), &step, false);
        jr_wait_progress(&jobs, jr_time_s(NOW_S), &line);
        assert_str(jr_buf_str(&line), progresses[i].want);
        jr_wait_jobs_done(&jobs);
    }
}

static void test_progress_of_several(void **state)
{
    struct jr_wait_jobs jobs = { .n = 0 };
    const struct step step = { SEEN, "1", "", START ", \"active\": 2" };
    JR_BUF line = { 0 };

    (void)state;
    jr_buf_init(&line, 4096);
    jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("a"), JR_S(""))->end = JR_WAIT_FAILED;
    jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("b"), JR_S(""))->end = JR_WAIT_STUCK;
    take_step(jr_wait_jobs_add(&jobs, JR_S("d"), JR_S("j"), JR_S("")), &step, false);
    jr_wait_progress(&jobs, jr_time_s(NOW_S), &line);
    assert_str(jr_buf_str(&line), "1 of 3 Jobs over, 2 Pods active, 1 Jobs failed, 1 Jobs stuck");
    jr_wait_jobs_done(&jobs);
}

static void test_rest(void **state)
{
    (void)state;
    assert_false(jr_wait_rest(2, 10, 100).known);
    assert_false(jr_wait_rest(10, 10, 100).known);
    assert_false(jr_wait_rest(4, 10, 0).known);
    assert_true(jr_wait_rest(4, 8, 60).known);
    assert_int_equal(jr_wait_rest(4, 8, 60).least, 40);
    assert_int_equal(jr_wait_rest(4, 8, 60).most, 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_courses),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_named_once),
        cmocka_unit_test(test_stuck_lasts),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_of_several),
        cmocka_unit_test(test_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
