/* SPDX-License-Identifier: Apache-2.0 */
/* The informer's states, and its ways from one to the other. */
#include "common/base/num.h"
#include "tests/support/without_memory.h"
#include "tests/unit/kube/informer_world.h"

/* ---- the usual ways ---- */

static void test_watch_list(void **state)
{
    struct world w;
    struct jr_call *c;
    int64_t timeout;

    (void)state;
    world_init(&w, NULL);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_null(strstr(c->path, "resourceVersion=")); /* consistent */
    assert_true(c->own_connection);
    assert_int_equal(c->timeout_ms, 0);
    assert_int_equal(c->idle_timeout_ms, 30000);
    assert_int_equal(
        jr_parse_i64(jr_str(strstr(c->path, "timeoutSeconds=") + 15), 300, 600, &timeout), JR_OK);
    assert_true(event(c, "ADDED", "a", 3));
    assert_true(event(c, "ADDED", "b", 5));
    assert_true(event(c, "MODIFIED", "a", 6)); /* before the end: still of the list */
    assert_true(event(c, "DELETED", "b", 6));
    assert_true(bookmark(c, 6, false));
    assert_false(jr_informer_synced(w.inf));
    assert_int_equal(w.progress.n, 0);
    assert_true(bookmark(c, 7, true));
    assert_true(jr_informer_synced(w.inf));
    assert_notes(&w, "begin item(a@3) item(b@5) item(a@6) DELETED(b@6) end(7) ");
    assert_true(event(c, "MODIFIED", "a", 8));
    assert_str(jr_buf_str(&w.progress), "8");
    assert_true(event(c, "DELETED", "a", 9));
    assert_true(bookmark(c, 12, false));
    assert_str(jr_buf_str(&w.progress), "12");
    assert_notes(&w, "MODIFIED(a@8) DELETED(a@9) ");
    fake_wait(&w.f, 400 * JR_SEC);
    fake_close(c); /* its time is over: on at once, from the last version */
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_version(c, "12");
    assert_true(event(c, "ADDED", "c", 13));
    assert_notes(&w, "ADDED(c@13) ");
    world_done(&w);
}

static void test_pages(void **state)
{
    const struct jr_informer_options o = { .path = "/apis/batch/v1/jobs",
                                           .name = "jobs",
                                           .page_size = 2,
                                           .label_selector = "a in (b,c)",
                                           .field_selector = "metadata.name=x" };
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, &o);
    c = fake_next(&w.f);
    assert_string_equal(
        c->path, "/apis/batch/v1/"
                 "jobs?limit=2&fieldSelector=metadata.name%3Dx&labelSelector=a%20in%20%28b%2Cc%29");
    assert_false(c->own_connection);
    assert_true(c->timeout_ms > 0);
    page(c, "a", 7, "t/1");
    c = fake_next(&w.f);
    assert_has(c->path, "?limit=2&continue=t%2F1&fieldSelector=");
    page(c, "b", 7, "t2");
    assert_notes(&w, "begin item(a@1) item(b@1) ");
    page(fake_next(&w.f), "c", 7, "");
    assert_notes(&w, "item(c@1) end(7) ");
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_has(c->path, "&resourceVersion=7&fieldSelector=metadata.name%3Dx&labelSelector=");
    assert_int_equal(c->idle_timeout_ms, 30000);
    assert_true(event(c, "ADDED", "d", 8));
    assert_notes(&w, "ADDED(d@8) ");
    world_done(&w);
}

/** What is asked for is the metadata, by each kind of request; and all of it where nobody says so.
 */
static void test_metadata_only(void **state)
{
    const struct jr_informer_options o = {
        .path = "/apis/batch/v1/jobs", .name = "jobs", .watch_list = true, .metadata_only = true
    };
#define METADATA(kind) "application/json;as=" kind ";g=meta.k8s.io;v=v1,application/json"
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, &o);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_string_equal(c->accept, METADATA("PartialObjectMetadata"));
    refuse(c, 400, "BadRequest");
    c = fake_expect(&w.f, "GET", LIST_PATH);
    assert_string_equal(c->accept, METADATA("PartialObjectMetadataList"));
    page(c, "a", 7, "t");
    c = fake_expect(&w.f, "GET", LIST_PATH);
    assert_string_equal(c->accept, METADATA("PartialObjectMetadataList"));
    page(c, "b", 7, "");
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_string_equal(c->accept, METADATA("PartialObjectMetadata"));
    assert_notes(&w, "begin item(a@1) item(b@1) end(7) ");
    world_done(&w);
    world_init(&w, NULL);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_null(c->accept);
    refuse(c, 400, "BadRequest");
    assert_null(fake_expect(&w.f, "GET", LIST_PATH)->accept);
    world_done(&w);
#undef METADATA
}

static void test_an_empty_list(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, NULL);
    assert_true(bookmark(fake_next(&w.f), 1, true));
    assert_notes(&w, "begin end(1) ");
    world_done(&w);
}

/* ---- a WatchList that doesn't work ---- */

static void test_a_refused_watch_list(void **state)
{
    static const struct {
        int status;
        bool pages; /* at once */
    } rows[] = {
        { 400, true },  { 403, true },  { 405, true },  { 422, true },
        { 401, false }, { 429, false }, { 500, false }, { 504, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        int64_t began;

        world_init(&w, NULL);
        began = w.f.clock.mono.ns;
        refuse(fake_expect(&w.f, "GET", STREAM_PATH), rows[i].status, "Whatever");
        if (rows[i].pages) {
            page(fake_expect(&w.f, "GET", LIST_PATH), "a", 7, "");
            assert_int_equal(w.f.clock.mono.ns, began);
            assert_version(fake_expect(&w.f, "GET", WATCH_PATH), "7");
            (void)jr_informer_relist(
                w.inf); /* it is asked for again only where that was no lack of it */
            (void)fake_expect(&w.f, "GET", rows[i].status == 403 ? STREAM_PATH : LIST_PATH);
        } else {
            (void)fake_expect(&w.f, "GET", STREAM_PATH);
            assert_in_range(w.f.clock.mono.ns - began, 800 * JR_MSEC, 1600 * JR_MSEC);
        }
        world_done(&w);
    }
}

static void test_a_watch_list_that_never_ends(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, NULL);
    for (int i = 0; i < 3; i++) {
        struct jr_call *c = fake_expect(&w.f, "GET", STREAM_PATH);

        assert_true(event(c, "ADDED", "a", 3));
        assert_notes(&w, "begin item(a@3) ");
        if (i == 1)
            fake_close(c);
        else
            fake_fail(c, JR_HTTP_AMBIGUOUS);
    }
    page(fake_expect(&w.f, "GET", LIST_PATH), "a", 7, ""); /* then by pages, this time */
    assert_notes(&w, "begin item(a@1) end(7) ");
    refuse(fake_expect(&w.f, "GET", WATCH_PATH), 410, "Expired");
    (void)fake_expect(&w.f, "GET", STREAM_PATH);
    world_done(&w);
}

/* ---- 410 ---- */

static void test_expired(void **state)
{
    static const struct {
        const char *name;
        int event_code, status;
        const char *reason;
        bool relists;
    } rows[] = {
        { "ERROR 410", 410, 0, "Expired", true },
        { "ERROR Gone", 0, 0, "Gone", true },
        { "ERROR 500", 500, 0, "InternalError", false },
        { "ERROR 429", 429, 0, "TooManyRequests", false },
        { "ERROR 404", 404, 0, "NotFound", true },
        { "status 410", 0, 410, "Expired", true },
        { "status 404", 0, 404, "NotFound", true },
        { "status 401", 0, 401, "Unauthorized", false },
        { "status 403", 0, 403, "Forbidden", false },
        { "status 429", 0, 429, "TooManyRequests", false },
        { "status 500", 0, 500, "InternalError", false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        struct jr_call *c;
        int64_t began;

        world_init(&w, NULL);
        c = synced(&w);
        if (rows[i].status != 0) {
            fake_wait(&w.f, 10 * JR_SEC);
            fake_close(c);
            c = fake_expect(&w.f, "GET", WATCH_PATH);
            began = w.f.clock.mono.ns;
            refuse(c, rows[i].status, rows[i].reason);
        } else {
            began = w.f.clock.mono.ns;
            assert_false(error_event(c, rows[i].event_code, rows[i].reason));
        }
        c = fake_next(&w.f);
        if (jr_str_starts(jr_str(c->path), JR_S(STREAM_PATH)) != rows[i].relists)
            fail_msg("%s: %s", rows[i].name, c->path);
        if (!rows[i].relists)
            assert_version(c, "7");
        assert_in_range(w.f.clock.mono.ns - began, 800 * JR_MSEC, 1600 * JR_MSEC);
        world_done(&w);
    }
}

static void test_an_error_event_on_the_wire(void **state)
{
    static const char line[] =
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
        "\"status\":\"Failure\",\"message\":\"too old resource version: 1 "
        "(340)\",\"reason\":\"Expired\",\"code\":410}}\n";
    struct world w;

    (void)state;
    world_init(&w, NULL);
    assert_false(fake_chunk(synced(&w), jr_str(line)));
    (void)fake_expect(&w.f, "GET", STREAM_PATH);
    world_done(&w);
}

static void test_a_list_that_fails(void **state)
{
    const struct jr_informer_options o = { .path = "/apis/batch/v1/jobs", .name = "jobs" };
    struct world w;
    JR_BUF bad = { 0 };

    (void)state;
    world_init(&w, &o);
    read_vector("list-bad-continue.json", &bad);
    refuse(fake_expect(&w.f, "GET", LIST_PATH "500"), 403, "Forbidden");
    fake_fail(fake_expect(&w.f, "GET", LIST_PATH "500"), JR_HTTP_NOT_SENT);
    fake_answer(fake_expect(&w.f, "GET", LIST_PATH "500"), 200, "<html>");
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t1");
    fake_answer(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1"), 400, bad.p);
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "b", 8,
         ""); /* from the start, without the token */
    assert_notes(&w, "begin begin item(a@1) begin item(b@1) end(8) ");
    world_done(&w);
}

static void test_a_version_that_is_too_new(void **state)
{
    static const char body[] =
        "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"Too large resource "
        "version\",\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
        "\"ResourceVersionTooLarge\",\"message\":\"m\"}]},\"code\":504}";
    struct world w;

    (void)state;
    world_init(&w, NULL);
    fake_fail(synced(&w), JR_HTTP_AMBIGUOUS);
    fake_answer(fake_expect(&w.f, "GET", WATCH_PATH), 504, body);
    (void)fake_expect(&w.f, "GET", STREAM_PATH);
    world_done(&w);
}

/* ---- pace ---- */

static void test_backoff_grows_and_is_forgotten(void **state)
{
    static const int64_t base_ms[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000 };
    struct world w;
    struct jr_call *c;
    int64_t began;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(base_ms); i++) {
        began = w.f.clock.mono.ns;
        fake_fail(c, JR_HTTP_NOT_SENT); /* no server: the version is kept, however long it takes */
        c = fake_expect(&w.f, "GET", WATCH_PATH);
        assert_version(c, "7");
        assert_in_range((w.f.clock.mono.ns - began) / JR_MSEC, base_ms[i], 2 * base_ms[i]);
    }
    fake_wait(&w.f, 150 * JR_SEC); /* health */
    began = w.f.clock.mono.ns;
    fake_fail(c, JR_HTTP_AMBIGUOUS);
    (void)fake_expect(&w.f, "GET", WATCH_PATH);
    assert_in_range((w.f.clock.mono.ns - began) / JR_MSEC, 800, 1600);
    world_done(&w);
}

static void test_retry_after_is_obeyed(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, NULL);
    began = w.f.clock.mono.ns;
    fake_answer_after(fake_next(&w.f), 429, 17, "");
    (void)fake_expect(&w.f, "GET", STREAM_PATH);
    assert_int_equal((w.f.clock.mono.ns - began) / JR_SEC, 17);
    world_done(&w);
}

static void test_a_server_that_closes_at_once(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    for (int i = 0; i < 5; i++) {
        int64_t began = w.f.clock.mono.ns;

        fake_close(c);
        c = fake_expect(&w.f, "GET", WATCH_PATH);
        assert_version(c, "7");
        assert_true(w.f.clock.mono.ns - began >= 800 * JR_MSEC);
    }
    fake_close(c);
    fake_close(fake_expect(&w.f, "GET", WATCH_PATH));
    (void)fake_expect(&w.f, "GET", STREAM_PATH); /* perhaps it is the version */
    world_done(&w);
}

/** A server without bookmarks: a watch that says nothing goes on at once, each time. (Finding:
 * pauses of 25 to 50 s.) */
static void test_a_silent_watch(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    for (int i = 0; i < 12; i++) {
        int64_t began;

        fake_wait(&w.f, 30 * JR_SEC);
        began = w.f.clock.mono.ns;
        fake_silence(c);
        c = fake_expect(&w.f, "GET", WATCH_PATH "28&");
        assert_version(c, "7");
        assert_int_equal(w.f.clock.mono.ns, began);
    }
    fake_wait(&w.f, 10 * JR_SEC); /* a server that says no sooner is another matter */
    for (int i = 0; i < 3; i++) {
        int64_t began = w.f.clock.mono.ns;

        fake_silence(c);
        c = fake_expect(&w.f, "GET", WATCH_PATH);
        assert_true(w.f.clock.mono.ns - began >= 800 * JR_MSEC);
    }
    world_done(&w);
}

/** A watch without changes ends before it counts as silent, so that it has a bookmark before its
 * end; one with changes lives for minutes. */
static void test_a_quiet_watch(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    assert_true(event(c, "ADDED", "b", 8));
    fake_wait(&w.f, 30 * JR_SEC);
    fake_silence(c);
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_null(strstr(c->path, WATCH_PATH "28&"));
    for (int rv = 9; rv < 12; rv++) {
        fake_wait(&w.f, 28 * JR_SEC);
        assert_true(bookmark(c, rv, false));
        fake_close(c);
        c = fake_expect(&w.f, "GET", WATCH_PATH "28&");
        assert_has(c->path, rv == 9 ? "resourceVersion=9" : "resourceVersion=1");
    }
    assert_true(event(c, "ADDED", "c", 12));
    fake_wait(&w.f, 28 * JR_SEC);
    fake_close(c);
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_version(c, "12");
    assert_null(strstr(c->path, WATCH_PATH "28&"));
    world_done(&w);
}

/* ---- what can't be read ---- */

static void test_a_stream_that_can_not_be_read(void **state)
{
    struct world w;
    struct jr_call *c;
    int64_t began;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    assert_true(event(c, "ADDED", "b", 8));
    began = w.f.clock.mono.ns;
    assert_false(fake_chunk(c, JR_S("no JSON\n")));
    assert_notes(&w, "ADDED(b@8) ");
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(w.f.clock.mono.ns - began >= 800 * JR_MSEC);
    began = w.f.clock.mono.ns;
    assert_false(fake_chunk(c, JR_S("no JSON\n"))); /* in the list, too */
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(w.f.clock.mono.ns - began >= 1600 * JR_MSEC); /* and slower each time */
    assert_true(event(c, "ADDED", "c", 9));
    assert_true(bookmark(c, 10, true));
    assert_notes(&w, "begin begin item(c@9) end(10) ");
    world_done(&w);
}

static void test_streams_of_nonsense(void **state)
{
    static const char *const lines[] = {
        "HTTP is not JSON\n",
        "{\"type\":\"ADDED\",\"object\":{}}}\n",
        "{\"type\":\"ERROR\",\"object\":{\"code\":\"x\"}}\n",
        "{\"type\":\"ERROR\",\"object\":{}}\n",
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(lines); i++) {
        struct world w;
        struct jr_call *c;

        world_init(&w, NULL);
        c = synced(&w);
        assert_false(fake_chunk(c, jr_str(lines[i])));
        assert_true(c->over);
        c = fake_next(&w.f);
        if (strncmp(lines[i], "{\"type\":\"ERROR\"", 15) != 0)
            assert_has(c->path, "sendInitialEvents");
        else
            assert_version(c, "7");
        world_done(&w);
    }
}

/** What is no event, in a stream that is none the worse: the next one is read, the version is the
 * last that was told. */
/** A watch goes on behind the last version: what a server that is behind tells once more is known,
 * and what has gone does not come back. */
static void test_a_watch_that_goes_back(void **state)
{
    struct jr_call *c;
    struct world w;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    assert_true(event(c, "MODIFIED", "a", 8));
    assert_true(event(c, "DELETED", "a", 9));
    assert_notes(&w, "MODIFIED(a@8) DELETED(a@9) ");
    assert_true(event(c, "ADDED", "a", 6));
    assert_true(event(c, "MODIFIED", "a", 8));
    assert_true(event(c, "DELETED", "a", 9));
    assert_notes(&w, "");
    assert_true(event(c, "ADDED", "b", 10));
    assert_notes(&w, "ADDED(b@10) ");
    world_done(&w);
}

static void test_events_that_are_passed_over(void **state)
{
    static const struct {
        const char *line, *notes;
    } rows[] = {
        { "{\"type\":\"ADDED\"}\n", "unread(?) ADDED(b@9) " },
        { "{\"type\":\"RENAMED\",\"object\":{\"metadata\":{\"name\":\"x\",\"resourceVersion\":"
          "\"8\"}}}\n",
          "unread(x) ADDED(b@9) " },
        { "{\"type\":\"BOOKMARK\",\"object\":{}}\n", "unread(?) ADDED(b@9) " },
        { "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"x\"}}}\n",
          "ADDED(x@?) ADDED(b@9) " },
        { "{\"type\":\"ADDED\",\"object\":null}\n", "ADDED(?@?) ADDED(b@9) " },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        struct jr_call *c;

        world_init(&w, NULL);
        c = synced(&w);
        assert_true(fake_chunk(c, jr_str(rows[i].line)));
        assert_int_equal(w.progress.n, 0);
        assert_true(event(c, "ADDED", "b", 9));
        assert_str(jr_buf_str(&w.progress), "9");
        assert_notes(&w, rows[i].notes);
        world_done(&w);
    }
}

static void test_metrics(void **state)
{
    static const char *const jobs[] = { "jobs" };
    static const char *const added[] = { "jobs", "ADDED" };
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_synced", jobs) == 0);
    c = synced(&w);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_synced", jobs) == 1);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_events_total", added) == 1);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_lists_total", jobs) == 1);
    fake_fail(c, JR_HTTP_AMBIGUOUS);
    (void)fake_expect(&w.f, "GET", WATCH_PATH);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_failures_total", jobs) == 1);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_informer_watches_total", jobs) == 1);
    world_done(&w);
}

/** A list, a watch that breaks, a relist. */
static void live(void *ctx)
{
    struct world *w = ctx;

    fake_fail(synced(w), JR_HTTP_AMBIGUOUS);
    assert_version(fake_expect(&w->f, "GET", WATCH_PATH), "7");
    (void)jr_informer_relist(w->inf);
    (void)fake_expect(&w->f, "GET", STREAM_PATH);
}

static void test_without_memory(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, NULL);
    assert_true(jr_each_without_memory(live, &w) > 10);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch_list),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_metadata_only),
        cmocka_unit_test(test_an_empty_list),
        cmocka_unit_test(test_a_refused_watch_list),
        cmocka_unit_test(test_a_watch_list_that_never_ends),
        cmocka_unit_test(test_expired),
        cmocka_unit_test(test_an_error_event_on_the_wire),
        cmocka_unit_test(test_a_list_that_fails),
        cmocka_unit_test(test_a_version_that_is_too_new),
        cmocka_unit_test(test_backoff_grows_and_is_forgotten),
        cmocka_unit_test(test_retry_after_is_obeyed),
        cmocka_unit_test(test_a_server_that_closes_at_once),
        cmocka_unit_test(test_a_silent_watch),
        cmocka_unit_test(test_a_quiet_watch),
        cmocka_unit_test(test_a_stream_that_can_not_be_read),
        cmocka_unit_test(test_streams_of_nonsense),
        cmocka_unit_test(test_a_watch_that_goes_back),
        cmocka_unit_test(test_events_that_are_passed_over),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
