/* SPDX-License-Identifier: Apache-2.0 */
/* Logs as they are written: a node that the test makes up, whose connections break at any byte. */
#include "cli/wait/logs.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/memory.h"

#define LINES_MAX 400
#define START_S 1772366400

/** A run of the container: lines, each with its time in nanoseconds after START_S. */
struct run {
    int64_t at[LINES_MAX];
    size_t n;
    bool ended;
    int64_t finished_s;
};

/** What the node has and what was told, as one container's lines in order: "RUN.LINE". */
struct node {
    struct fake fake;
    struct jr_rand rand;
    struct run runs[4];
    int32_t last;   /* run */
    size_t rotated; /* lines of the last run that the node gives no more */
    bool gone;
    int status; /* of all requests; 0: they are answered */
    struct jr_buf told, missing;
    struct jr_logs *logs;
};

static void on_line(void *ctx, struct jr_str pod, const char *container, struct jr_str text)
{
    struct node *n = ctx;

    assert_str(pod, "p");
    assert_null(container);
    (void)jr_buf_addf(&n->told, "%.*s ", JR_P(text));
}

static void on_missing(void *ctx, struct jr_str pod, const char *container, struct jr_str words)
{
    struct node *n = ctx;

    (void)pod;
    (void)container;
    (void)jr_buf_addf(&n->missing, "%.*s\n", JR_P(words));
}

static void node_init(struct node *n, uint64_t seed)
{
    const struct jr_logs_handler handler = { on_line, on_missing, n };

    *n = (struct node){ .last = 0 };
    fake_init(&n->fake);
    n->fake.seed.state = seed;
    n->rand = jr_rand_of_seed(&n->fake.seed, seed);
    jr_buf_init(&n->told, (size_t)1 << 20);
    jr_buf_init(&n->missing, (size_t)1 << 16);
    n->logs = jr_logs_new(&n->fake.env, &handler);
}

static void node_done(struct node *n)
{
    jr_logs_free(n->logs);
    fake_done(&n->fake);
    jr_buf_done(&n->told);
    jr_buf_done(&n->missing);
}

/** Writes a line in the last run, so many nanoseconds after the one before. */
static void write_line(struct node *n, int64_t after_ns)
{
    struct run *r = &n->runs[n->last];
    int64_t before = r->n > 0 ? r->at[r->n - 1] : 0;

    if (r->n == 0 && n->last > 0)
        before = (n->runs[n->last - 1].finished_s + 2) * JR_SEC;
    assert_true(r->n < LINES_MAX);
    r->at[r->n++] = before + after_ns;
}

static void end_run(struct node *n)
{
    struct run *r = &n->runs[n->last];

    r->ended = true;
    r->finished_s = r->n > 0 ? r->at[r->n - 1] / JR_SEC : (int64_t)n->last * 10;
}

static void add_end(const struct run *r, const char *field, struct jr_buf *out)
{
    char at[JR_TIME_MAX];

    (void)jr_buf_addf(out, "\"%s\": {\"terminated\": {\"exitCode\": 1, \"finishedAt\": \"%s\"}}",
                      field, jr_time_format(jr_time_s(START_S + r->finished_s), at));
}

/** Tells the follower what the Pod's status says now. */
static void tell_status(struct node *n)
{
    const struct run *r = &n->runs[n->last];
    struct jr_pod_view *pod = NULL;
    JR_BUF text = { 0 };

    jr_buf_init(&text, 4096);
    (void)jr_buf_addf(&text,
                      "{\"metadata\": {\"namespace\": \"d\", \"name\": \"p\", \"uid\": \"u\"},"
                      " \"status\": {\"phase\": \"Running\", \"containerStatuses\": [{\"name\": "
                      "\"c\", \"restartCount\": %d, ",
                      (int)n->last);
    if (r->ended)
        add_end(r, "state", &text);
    else
        (void)jr_buf_adds(&text, "\"state\": {\"running\": {}}");
    if (n->last > 0) {
        (void)jr_buf_adds(&text, ", ");
        add_end(&n->runs[n->last - 1], "lastState", &text);
    }
    (void)jr_buf_adds(&text, "}]}}");
    assert_int_equal(jr_pod_view_decode(jr_buf_str(&text), &pod, NULL), JR_OK);
    if (n->gone)
        jr_logs_gone(n->logs, pod);
    else
        jr_logs_take(n->logs, pod);
    jr_pod_view_unref(pod);
}

/** Appends what the node gives of a run, as kubelets do: no line before the second of sinceTime. */
static void add_log(const struct node *n, int32_t run, size_t from, struct jr_time since,
                    struct jr_buf *out)
{
    const struct run *r = &n->runs[run];

    for (size_t i = from; i < r->n; i++) {
        char at[JR_TIME_MAX];
        const int64_t ns = r->at[i];

        if (jr_time_cmp((struct jr_time){ START_S * JR_SEC + ns }, since) < 0)
            continue;
        (void)jr_time_format(jr_time_s(START_S + ns / JR_SEC), at);
        (void)jr_buf_addf(out, "%.19s.%09lldZ %d.%zu\n", at, (long long)(ns % JR_SEC), (int)run, i);
    }
}

/** Answers the next request for a log, with a connection that may break; false: there is none. */
static bool answer(struct node *n, unsigned break_of_4)
{
    struct jr_call *c;
    const char *since;
    struct jr_time from = { 0 };
    bool previous, follow, breaks = jr_rand_below(&n->rand, 4) < break_of_4;
    int32_t run;
    JR_BUF log = { 0 };

    if (fake_untaken(&n->fake) == 0)
        return false;
    c = fake_expect(&n->fake, "GET", "/api/v1/namespaces/d/pods/p/log?timestamps=true&container=c");
    if (n->gone || n->status != 0) {
        fake_answer(c, n->gone ? 404 : n->status, "{\"message\": \"no\"}");
        return true;
    }
    since = strstr(c->path, "&sinceTime=");
    if (since != NULL)
        assert_int_equal(jr_time_parse(jr_str_head(jr_str(since + 11), 20), &from), JR_OK);
    previous = strstr(c->path, "previous=true") != NULL;
    follow = strstr(c->path, "follow=true") != NULL;
    run = n->last - (previous ? 1 : 0);
    jr_buf_init(&log, (size_t)1 << 20);
    add_log(n, run, previous ? 0 : n->rotated, from, &log);
    for (size_t at = 0; at < log.n;) {
        const size_t left = log.n - at;
        size_t k = 1 + (size_t)jr_rand_below(&n->rand, left);

        if (breaks && at + k == log.n)
            k--; /* the last byte is lost */
        if (k == 0 || !fake_chunk(c, (struct jr_str){ log.p + at, k }))
            break;
        at += k;
        if (breaks && jr_rand_below(&n->rand, 3) == 0)
            break;
    }
    if (c->over)
        return true;
    if (breaks)
        fake_fail(c, JR_HTTP_AMBIGUOUS);
    else if (follow && !n->runs[run].ended && jr_rand_below(&n->rand, 2) == 0)
        fake_silence(c); /* the connection is lost while nothing is written */
    else
        fake_close(c);
    return true;
}

/** Answers until all is told. */
static void drain(struct node *n, unsigned break_of_4)
{
    for (int i = 0; i < 2000 && !jr_logs_idle(n->logs); i++) {
        if (!answer(n, break_of_4))
            fake_wait(&n->fake, JR_SEC);
    }
    assert_true(jr_logs_idle(n->logs));
}

/** What must have been told: all lines, or those from the first ones on. */
static void check_told(const struct node *n, int32_t from_run)
{
    JR_BUF want = { 0 };

    jr_buf_init(&want, (size_t)1 << 20);
    for (int32_t run = from_run; run <= n->last; run++) {
        for (size_t i = 0; i < n->runs[run].n; i++)
            (void)jr_buf_addf(&want, "%d.%zu ", (int)run, i);
    }
    assert_str(jr_buf_str(&n->told), want.n == 0 ? "" : want.p);
}

/* ---- all of it once, in order, whatever breaks ---- */

static void random_course(uint64_t seed)
{
    struct node n;
    const unsigned breaks = (unsigned)(seed % 4); /* never, at first */

    node_init(&n, seed);
    for (int32_t run = 0; run <= (int32_t)(seed % 3); run++) {
        n.last = run;
        for (uint64_t i = jr_rand_below(&n.rand, 40); i > 0; i--) {
            const bool dense = jr_rand_below(&n.rand, 3) > 0;

            write_line(&n, (int64_t)jr_rand_below(&n.rand, dense ? 3 : 900000000));
            if (jr_rand_below(&n.rand, 4) == 0)
                tell_status(&n);
            if (jr_rand_below(&n.rand, 2) == 0)
                (void)answer(&n, breaks);
        }
        end_run(&n);
        if (jr_rand_below(&n.rand, 2) == 0)
            (void)answer(&n, breaks); /* before the status says so */
        tell_status(&n);
        drain(&n, breaks == 3 ? 2 : breaks);
    }
    if (n.missing.n > 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, n.missing.p);
    check_told(&n, 0);
    node_done(&n);
}

static void test_every_line_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++)
        random_course(seed);
}

/* ---- what is missing is said ---- */

static void test_rotated(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    for (int i = 0; i < 5; i++)
        write_line(&n, JR_SEC);
    tell_status(&n);
    assert_true(answer(&n, 0));
    write_line(&n, JR_SEC);
    n.rotated = 5; /* the last line that was told is in the old file */
    write_line(&n, JR_SEC);
    end_run(&n);
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 0);
    assert_has(n.missing.p, "rotated");
    node_done(&n);
}

static void test_runs_that_are_gone(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    for (n.last = 0; n.last < 3; n.last++) {
        write_line(&n, JR_SEC);
        end_run(&n);
    }
    write_line(&n, JR_SEC);
    end_run(&n);
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 2);
    assert_str(jr_buf_str(&n.missing), "the log of its run 1 had gone before it was read\n"
                                       "the log of its run 2 had gone before it was read\n");
    node_done(&n);
}

/** The container was started anew between its status and the request: what comes is another run's,
 * and is told once, after the one before. */
static void test_started_anew_before_it_was_opened(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    end_run(&n);
    tell_status(&n);
    n.last = 1;
    write_line(&n, JR_SEC);
    assert_true(answer(&n, 0));
    assert_int_equal(n.told.n, 0);
    tell_status(&n);
    end_run(&n);
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 0);
    assert_int_equal(n.missing.n, 0);
    node_done(&n);
}

/** The same of a run that was followed while it ran. */
static void test_followed_another_run(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    tell_status(&n);
    end_run(&n);
    n.last = 1;
    write_line(&n, JR_SEC);
    end_run(&n);
    assert_true(answer(&n, 0));
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 1);
    assert_str(jr_buf_str(&n.missing), "the log of its run 1 had gone before it was read\n");
    node_done(&n);
}

static void test_gone_before_it_was_read(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    end_run(&n);
    n.gone = true;
    tell_status(&n);
    drain(&n, 0);
    assert_int_equal(n.told.n, 0);
    assert_str(jr_buf_str(&n.missing), "its log had gone before it was read: no\n");
    node_done(&n);
}

static void test_gone_in_the_middle(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    tell_status(&n);
    for (int i = 0; i < 50 && n.told.n == 0; i++) {
        if (!answer(&n, 0))
            fake_wait(&n.fake, JR_SEC);
    }
    n.gone = true;
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 0);
    assert_str(jr_buf_str(&n.missing), "the rest of its log could not be read: no\n");
    node_done(&n);
}

static void test_forbidden_is_said_once(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    end_run(&n);
    n.status = 403;
    tell_status(&n);
    drain(&n, 0);
    n.last = 1;
    end_run(&n);
    tell_status(&n);
    drain(&n, 0);
    assert_str(jr_buf_str(&n.missing), "logs can't be read: no\n");
    node_done(&n);
}

/** A container that says nothing for hours is followed all the same, however often connections
 * break. */
static void test_silent_for_long(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    tell_status(&n);
    for (int i = 0; i < 100; i++) {
        struct jr_call *c = fake_next(&n.fake);

        fake_wait(&n.fake, 60 * JR_SEC);
        fake_fail(c, JR_HTTP_AMBIGUOUS);
    }
    write_line(&n, JR_SEC);
    end_run(&n);
    tell_status(&n);
    drain(&n, 0);
    check_told(&n, 0);
    assert_int_equal(n.missing.n, 0);
    node_done(&n);
}

/** A credential that isn't taken for a moment, as of a server that has just begun. */
static void test_unauthorized_once(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    end_run(&n);
    tell_status(&n);
    n.status = 401;
    assert_true(answer(&n, 0));
    n.status = 0;
    drain(&n, 0);
    check_told(&n, 0);
    assert_int_equal(n.missing.n, 0);
    node_done(&n);
}

/** A node that says why in place of the log, without a time. */
static void test_words_of_the_node(void **state)
{
    struct node n;
    struct jr_call *c;

    (void)state;
    node_init(&n, 1);
    end_run(&n);
    tell_status(&n);
    c = fake_next(&n.fake);
    assert_true(fake_chunk(c, JR_S("unable to retrieve container logs for containerd://0a")));
    fake_close(c);
    assert_true(jr_logs_idle(n.logs));
    assert_str(jr_buf_str(&n.missing), "its log had gone before it was read: unable to retrieve "
                                       "container logs for containerd://0a\n");
    node_done(&n);
}

static void test_never_answered(void **state)
{
    struct node n;

    (void)state;
    node_init(&n, 1);
    write_line(&n, JR_SEC);
    end_run(&n);
    n.status = 500;
    tell_status(&n);
    drain(&n, 0);
    assert_has(n.missing.p, "its log had gone before it was read: no");
    node_done(&n);
}

/* ---- several containers ---- */

static void on_any_line(void *ctx, struct jr_str pod, const char *container, struct jr_str text)
{
    struct jr_buf *told = ctx;

    (void)jr_buf_addf(told, "%.*s/%s:%.*s ", JR_P(pod), container, JR_P(text));
}

static void on_any_missing(void *ctx, struct jr_str pod, const char *container, struct jr_str words)
{
    on_any_line(ctx, pod, container, words);
}

/** An init container's log comes first, also where all of them have ended by then. */
static void test_init_containers_first(void **state)
{
    static const char pod_text[] =
        "{\"metadata\": {\"namespace\": \"d\", \"name\": \"p\", \"uid\": \"u\"}, \"status\": {"
        "\"phase\": \"Succeeded\", \"containerStatuses\": [{\"name\": \"c\", \"restartCount\": 0, "
        "\"state\": {\"terminated\": {\"exitCode\": 0}}}], \"initContainerStatuses\": [{\"name\": "
        "\"i\", \"restartCount\": 0, \"state\": {\"terminated\": {\"exitCode\": 0}}}]}}";
    struct jr_pod_view *pod = NULL;
    struct fake fake;
    struct jr_call *c;
    struct jr_logs *logs;
    JR_BUF told = { 0 };
    const struct jr_logs_handler handler = { on_any_line, on_any_missing, &told };

    (void)state;
    fake_init(&fake);
    jr_buf_init(&told, 4096);
    logs = jr_logs_new(&fake.env, &handler);
    assert_int_equal(jr_pod_view_decode(jr_str(pod_text), &pod, NULL), JR_OK);
    jr_logs_take(logs, pod);
    c = fake_next(&fake);
    assert_has(c->path, "container=i");
    assert_int_equal(fake_untaken(&fake), 0);
    assert_true(fake_chunk(c, JR_S("2026-03-01T12:00:00.000000001Z first\n")));
    fake_close(c);
    c = fake_next(&fake);
    assert_has(c->path, "container=c");
    assert_true(fake_chunk(c, JR_S("2026-03-01T12:00:00.000000002Z second\n")));
    fake_close(c);
    assert_true(jr_logs_idle(logs));
    assert_str(jr_buf_str(&told), "p/i:first p/c:second ");
    jr_pod_view_unref(pod);
    jr_logs_free(logs);
    fake_done(&fake);
}

/** Lines longer than the buffer come in parts, and the next one begins where it should. */
static void test_long_line(void **state)
{
    struct node n;
    struct jr_call *c;
    JR_FREE char *text = jr_xcalloc(3000001, 1);

    (void)state;
    memset(text, 'x', 3000000);
    node_init(&n, 1);
    n.told.max = (size_t)8 << 20;
    end_run(&n);
    tell_status(&n);
    c = fake_next(&n.fake);
    assert_true(fake_chunk(c, JR_S("2026-03-01T12:00:00.000000001Z ")));
    assert_true(fake_chunk(c, jr_str(text)));
    assert_true(fake_chunk(c, JR_S("\n2026-03-01T12:00:00.000000002Z end\n")));
    fake_close(c);
    assert_int_equal(n.missing.n, 0);
    assert_true(jr_str_ends(jr_buf_str(&n.told), JR_S("x end ")));
    assert_in_range(n.told.n, 3000000 + 5, 3000000 + 10);
    node_done(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_line_once),
        cmocka_unit_test(test_rotated),
        cmocka_unit_test(test_runs_that_are_gone),
        cmocka_unit_test(test_started_anew_before_it_was_opened),
        cmocka_unit_test(test_followed_another_run),
        cmocka_unit_test(test_gone_before_it_was_read),
        cmocka_unit_test(test_gone_in_the_middle),
        cmocka_unit_test(test_forbidden_is_said_once),
        cmocka_unit_test(test_silent_for_long),
        cmocka_unit_test(test_unauthorized_once),
        cmocka_unit_test(test_words_of_the_node),
        cmocka_unit_test(test_never_answered),
        cmocka_unit_test(test_init_containers_first),
        cmocka_unit_test(test_long_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
