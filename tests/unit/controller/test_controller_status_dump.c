/* SPDX-License-Identifier: Apache-2.0 */
/* Why Jobs wait, told in the log: all that are ours, some in each turn, until it is broken off. */
#include <sys/mman.h>

#include "common/base/log.h"
#include "controller/status_dump.h"
#include "tests/unit/controller/controller_test.h"

#define N_JOBS 50

struct world {
    struct jr_clock_virtual clock;
    struct jr_loop *loop;
    struct jr_log *log;
    struct jr_state s;
    struct jr_status_dump *t;
    int fd;
    char text[65536];
};

static void world_init(struct world *w)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    struct jr_clock clock;

    *w = (struct world){ .fd = memfd_create("log", MFD_CLOEXEC) };
    w->clock.wall = jr_time_s(1772366400);
    w->clock.mono = AT_S(1000);
    clock = jr_clock_of_virtual(&w->clock);
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_log_new(w->fd, JR_LOG_ERROR, JR_LOG_TEXT, NULL, &clock, &w->log), JR_OK);
    jr_state_init(&w->s, &options, false, NULL);
    w->t = jr_status_dump_new(w->loop, &w->s, w->log);
    for (int i = 0; i < N_JOBS; i++) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        char name[16], uid[16];

        (void)snprintf(name, sizeof(name), "j%d", i);
        (void)snprintf(uid, sizeof(uid), "u%d", i);
        job = make_job(name, uid, NULL, 0);
        jr_cache_apply(jr_store_cache(w->s.store, JR_STORE_JOBS), job, NULL, NULL);
    }
}

static void world_done(struct world *w)
{
    jr_status_dump_free(w->t);
    jr_state_done(&w->s);
    jr_log_free(w->log);
    jr_loop_free(w->loop);
    jr_closep(&w->fd);
}

static const char *written(struct world *w)
{
    ssize_t n = pread(w->fd, w->text, sizeof(w->text) - 1, 0);

    assert_true(n >= 0);
    w->text[n] = '\0';
    return w->text;
}

static size_t lines(struct world *w)
{
    size_t n = 0;

    for (const char *p = written(w); (p = strchr(p, '\n')) != NULL; p++)
        n++;
    return n;
}

static void run(struct world *w)
{
    for (bool idle = false; !idle;)
        assert_int_equal(jr_loop_turn(w->loop, -1, &idle, NULL), JR_OK);
}

static void test_all(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    /* nothing to tell of: another's, and one that is over */
    add_job_text(&w.s, "another", "another", "", "\"managedBy\":\"example.com/x\"", "");
    add_job_text(&w.s, "over", "over", "", "",
                 "\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]");
    jr_status_dump_start(w.t, NULL);
    assert_int_equal(lines(&w), 0); /* not from inside a signal's call */
    run(&w);
    assert_int_equal(lines(&w), N_JOBS + 1);
    assert_non_null(strstr(written(&w), "why a job waits namespace=\"ns\" name=\"j49\" "));
    assert_non_null(strstr(w.text, " why=\"The Job has parallelism 0: it makes no Pods"));
    assert_non_null(strstr(w.text, "that was why jobs wait jobs=50"));
    world_done(&w);
}

static void test_stopped(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    jr_status_dump_start(w.t, NULL);
    jr_status_dump_stop(w.t);
    run(&w);
    assert_int_equal(lines(&w), 0);
    /* Asked twice, it is told once. */
    jr_status_dump_start(w.t, NULL);
    jr_status_dump_start(w.t, NULL);
    run(&w);
    assert_int_equal(lines(&w), N_JOBS + 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
