/* SPDX-License-Identifier: Apache-2.0 */
/* Watches: where they begin, what they show, how they end. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

static const struct step two_maps[] = {
    { "POST", MAPS, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}}}", NULL, 201,
      NULL },                                                             /* 7 */
    { "POST", MAPS, "{\"metadata\":{\"name\":\"b\"}}", NULL, 201, NULL }, /* 8 */
};

static void test_where_a_watch_begins(void **state)
{
    static const struct {
        const char *query;
        const char *first;
        const char *later; /* after c was created, with version 8 */
    } rows[] = {
        { "?watch=1", "ADDED a 7\nADDED b 8\n", "ADDED c 9\n" },
        { "?watch=true&resourceVersion=0", "ADDED a 7\nADDED b 8\n", "ADDED c 9\n" },
        { "?watch=1&resourceVersion=6", "ADDED a 7\nADDED b 8\n", "ADDED c 9\n" },
        { "?watch=1&resourceVersion=7", "ADDED b 8\n", "ADDED c 9\n" },
        { "?watch=1&resourceVersion=8", "", "ADDED c 9\n" },
        { "?watch=1&resourceVersion=999", "", "" },
        { "?watch=1&fieldSelector=metadata.name%3Db", "ADDED b 8\n", "" },
        { "?watch=1&labelSelector=x", "ADDED a 7\n", "" },
        { "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          "ADDED a 7\nADDED b 8\n", "ADDED c 9\n" },
        { "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
          "ADDED a 7\nADDED b 8\nBOOKMARK - 8\n", "ADDED c 9\n" },
        { "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1"
          "&resourceVersion=7",
          "ADDED a 7\nADDED b 8\nBOOKMARK - 8\n", "ADDED c 9\n" },
        { "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "", "ADDED c 9\n" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;
        struct stream s;
        char path[256];

        api_end(a);
        api_begin(a, 0);
        API_STEPS(a, "two", two_maps);
        (void)snprintf(path, sizeof(path), "%s%s", MAPS, rows[i].query);
        stream_open(&s, a, path);
        if (strcmp(stream_read(&s, 0, 100000), rows[i].first) != 0)
            fail_msg("%s: %s", path, s.frames.p);
        assert_string_equal(stream_read(&s, 0, 100000), "");
        assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}", NULL), 201);
        if (strcmp(stream_read(&s, 0, 100000), rows[i].later) != 0)
            fail_msg("%s, later: %s", path, s.frames.p);
        assert_false(s.ended);
        stream_close(&s);
    }
}

static void test_the_end_of_the_initial_events(void **state)
{
    struct api *a = *state;
    struct stream s;

    stream_open(&s, a,
                JOBS "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                     "&allowWatchBookmarks=true");
    assert_string_equal(stream_read(&s, 0, 100000), "BOOKMARK - 6\n");
    /* As in tests/vectors/wire/watchlist-jobs.stream. */
    assert_string_equal(
        s.frames.p,
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\","
        "\"metadata\":{\"resourceVersion\":\"6\",\"annotations\":{"
        "\"k8s.io/initial-events-end\":\"true\"}},\"spec\":{\"template\":{\"metadata\":{},"
        "\"spec\":{\"containers\":null}}},\"status\":{}}}\n");
    stream_close(&s);
}

static void test_selectors_entering_and_leaving(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS, "{\"metadata\":{\"name\":\"a\"}}", NULL, 201, NULL }, /* 7 */
        { "PATCH", MAPS "/a", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}", MERGE, 200,
          NULL },                                                             /* 8: enters */
        { "PATCH", MAPS "/a", "{\"data\":{\"k\":\"1\"}}", MERGE, 200, NULL }, /* 9 */
        { "PATCH", MAPS "/a", "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}", MERGE, 200,
          NULL },                                                             /* 10: leaves */
        { "PATCH", MAPS "/a", "{\"data\":{\"k\":\"2\"}}", MERGE, 200, NULL }, /* 11 */
        { "PATCH", MAPS "/a", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}", MERGE, 200,
          NULL },                                       /* 12: enters */
        { "DELETE", MAPS "/a", NULL, NULL, 200, NULL }, /* 13 */
    };
    struct api *a = *state;
    struct stream s;

    API_STEPS(a, "selectors", steps);
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=6&labelSelector=x%3D1");
    assert_string_equal(stream_read(&s, 0, 100000),
                        "ADDED a 8\nMODIFIED a 9\nDELETED a 10\nADDED a 12\nDELETED a 13\n");
    /* What leaves is shown as it was, with the version of its leaving. */
    assert_non_null(strstr(s.frames.p, "\"resourceVersion\":\"10\",\"creationTimestamp\":"
                                       "\"2027-01-15T08:00:00Z\",\"labels\":{\"x\":\"1\"}"));
    stream_close(&s);
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=6");
    assert_string_equal(stream_read(&s, 0, 100000),
                        "ADDED a 7\nMODIFIED a 8\nMODIFIED a 9\nMODIFIED a 10\nMODIFIED a 11\n"
                        "MODIFIED a 12\nDELETED a 13\n");
    stream_close(&s);
    stream_open(&s, a, "/api/v1/namespaces/kube-system/configmaps?watch=1&resourceVersion=6");
    assert_string_equal(stream_read(&s, 0, 100000), "");
    stream_close(&s);
    stream_open(&s, a, "/api/v1/configmaps?watch=1&resourceVersion=12");
    assert_string_equal(stream_read(&s, 0, 100000), "DELETED a 13\n");
    stream_close(&s);
}

static void test_lag_and_small_reads(void **state)
{
    struct api *a = *state;
    struct stream s;

    API_STEPS(a, "two", two_maps);
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=6");
    assert_string_equal(stream_read(&s, 6, 100000), "");
    assert_string_equal(stream_read(&s, 7, 100000), "ADDED a 7\n");
    assert_int_equal(api_call(a, "DELETE", MAPS "/a", NULL, NULL), 200);
    assert_string_equal(stream_read(&s, 7, 100000), "");
    assert_string_equal(stream_read(&s, 0, 1), "ADDED b 8\n");
    assert_string_equal(stream_read(&s, 0, 1), "DELETED a 9\n");
    assert_string_equal(stream_read(&s, 0, 1), "");
    stream_close(&s);
    API_STEPS(a, "again", ((const struct step[]){ two_maps[0] }));
    stream_open(
        &s, a,
        MAPS
        "?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1");
    assert_string_equal(stream_read(&s, 0, 1), "ADDED a 10\n");
    /* The initial events are of one moment. */
    assert_int_equal(api_call(a, "DELETE", MAPS "/b", NULL, NULL), 200);
    assert_string_equal(stream_read(&s, 0, 1), "ADDED b 8\nBOOKMARK - 10\n");
    assert_string_equal(stream_read(&s, 0, 1), "DELETED b 11\n");
    stream_close(&s);
}

static void test_bookmarks_and_timeouts(void **state)
{
    struct api *a = *state;
    struct stream s, silent;

    stream_open(&s, a,
                MAPS "?watch=1&resourceVersion=6&allowWatchBookmarks=true&timeoutSeconds=150");
    stream_open(&silent, a, MAPS "?watch=1&resourceVersion=6&timeoutSeconds=150");
    assert_int_equal(
        api_call(a, "POST", PODS, "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL), 201);
    api_advance(a, 59);
    assert_string_equal(stream_read(&s, 0, 1000), "");
    api_advance(a, 1);
    /* Bookmarks carry the version of everything that was looked at. */
    assert_string_equal(stream_read(&s, 0, 1000), "BOOKMARK - 7\n");
    assert_string_equal(stream_read(&s, 0, 1000), "");
    api_advance(a, 60);
    assert_string_equal(stream_read(&s, 0, 1000), "BOOKMARK - 7\n");
    api_advance(a, 28);
    assert_string_equal(stream_read(&s, 0, 1000), "BOOKMARK - 7\n");
    assert_false(s.ended);
    api_advance(a, 2);
    API_STEPS(a, "two", two_maps);
    assert_string_equal(stream_read(&s, 0, 1000), "ADDED a 8\nADDED b 9\n");
    assert_true(s.ended);
    assert_string_equal(stream_read(&s, 0, 1000), "");
    assert_true(s.ended);
    assert_string_equal(stream_read(&silent, 0, 1000), "ADDED a 8\nADDED b 9\n");
    assert_true(silent.ended);
    stream_close(&s);
    stream_close(&silent);
}

static void test_a_lagging_bookmark_tells_no_lie(void **state)
{
    struct api *a = *state;
    struct stream s;

    stream_open(&s, a, MAPS "?watch=1&resourceVersion=6&allowWatchBookmarks=true");
    API_STEPS(a, "two", two_maps);
    api_advance(a, 60);
    assert_string_equal(stream_read(&s, 7, 1000), "ADDED a 7\nBOOKMARK - 7\n");
    stream_close(&s);
}

static void test_expired_watches(void **state)
{
    struct api *a = *state;
    struct stream s, live;

    API_STEPS(a, "two", two_maps);
    stream_open(&live, a, MAPS "?watch=1&resourceVersion=7");
    jr_dev_compact(a->store, 8);
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=7");
    assert_string_equal(stream_read(&s, 0, 1000), "ERROR - \n");
    assert_true(s.ended);
    assert_non_null(strstr(s.frames.p, "\"reason\":\"Expired\",\"code\":410"));
    assert_non_null(strstr(s.frames.p, "too old resource version: 7 (8)"));
    stream_close(&s);
    /* A stream that was too slow is cut off the same way. */
    assert_string_equal(stream_read(&live, 0, 1000), "ERROR - \n");
    stream_close(&live);
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=8");
    assert_string_equal(stream_read(&s, 0, 1000), "");
    assert_false(s.ended);
    stream_close(&s);
}

static void test_refused_watches(void **state)
{
    static const struct step steps[] = {
        { "GET", MAPS "?watch=1&sendInitialEvents=true", NULL, NULL, 422, NULL },
        { "GET", MAPS "?watch=1&resourceVersionMatch=NotOlderThan", NULL, NULL, 422, NULL },
        { "GET", MAPS "?watch=1&resourceVersion=x", NULL, NULL, 500, NULL },
        { "GET", MAPS "?watch=1&timeoutSeconds=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?watch=1&labelSelector=%3D", NULL, NULL, 400, NULL },
        { "GET",
          MAPS
          "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99",
          NULL, NULL, 504, NULL },
    };

    API_STEPS(*state, "refused", steps);
}

static void test_tables_and_metadata(void **state)
{
    struct api *a = *state;
    struct stream s;
    struct jr_str first, rest;

    API_STEPS(a, "two", two_maps);
    a->accept = TABLE ",application/json";
    stream_open(&s, a, MAPS "?watch=1");
    (void)stream_read(&s, 0, 100000);
    rest = jr_buf_str(&s.frames);
    assert_true(jr_str_cut(&rest, '\n', &first));
    /* Only the first Table says what the columns are. */
    assert_true(jr_str_starts(first, JR_S("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\"")));
    assert_non_null(strstr(s.frames.p, "\"columnDefinitions\":[{"));
    assert_non_null(
        strstr(rest.p, "\"columnDefinitions\":null,\"rows\":[{\"cells\":[\"b\",0,\"0s\"]"));
    stream_close(&s);
    a->accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    stream_open(
        &s, a,
        MAPS
        "?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan");
    assert_string_equal(stream_read(&s, 0, 100000), "ADDED a 7\nADDED b 8\nBOOKMARK - 8\n");
    assert_non_null(strstr(
        s.frames.p, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\""));
    stream_close(&s);
    a->accept = NULL;
}

/* A server that is behind tells of an older state, and then of what has happened since. */
static void test_initial_events_of_an_older_state(void **state)
{
    static const char *const initial[] = {
        MAPS "?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan",
        MAPS "?watch=1&resourceVersion=0",
    };
    static const char *const wants[][2] = {
        { "ADDED a 7\nBOOKMARK - 7\n", "ADDED b 8\nDELETED a 9\n" },
        { "ADDED a 7\n", "ADDED b 8\nDELETED a 9\n" },
    };
    struct api *a = *state;
    struct stream s;

    API_STEPS(a, "two", two_maps);
    assert_int_equal(api_call(a, "DELETE", MAPS "/a", NULL, NULL), 200);
    a->as_of = 7;
    for (size_t i = 0; i < JR_ARRAY_SIZE(initial); i++) {
        stream_open(&s, a, initial[i]);
        assert_string_equal(stream_read(&s, 7, 100000), wants[i][0]);
        assert_string_equal(stream_read(&s, 0, 100000), wants[i][1]);
        stream_close(&s);
    }
    jr_dev_compact(a->store, 8); /* forgotten: the newest */
    stream_open(&s, a, MAPS "?watch=1&resourceVersion=0");
    assert_string_equal(stream_read(&s, 0, 100000), "ADDED b 8\n");
    stream_close(&s);
    a->as_of = 0;
}

/* All that a client can come to know by listing and watching is the same. */
static void test_a_watch_from_any_version_gives_the_same_state(void **state)
{
    struct api *a = *state;

    for (int i = 0; i < 60; i++) {
        char path[128], body[128];

        (void)snprintf(path, sizeof(path), "%s/m%d", MAPS, i % 7);
        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"m%d\"}}", i % 7);
        if (i % 3 == 2)
            (void)api_call(a, "DELETE", path, NULL, NULL);
        else if (api_call(a, "POST", MAPS, body, NULL) == 409)
            (void)snprintf(body, sizeof(body), "{\"data\":{\"i\":\"%d\"}}", i),
                (void)api_call(a, "PATCH", path, body, MERGE);
    }
    for (uint64_t v = 6; v <= jr_dev_revision(a->store); v++) {
        char path[160];
        size_t count;
        struct stream s;

        (void)snprintf(path, sizeof(path), "%s?resourceVersion=%d&resourceVersionMatch=Exact", MAPS,
                       (int)v);
        assert_int_equal(api_call(a, "GET", path, NULL, NULL), 200);
        count = jr_size(jr_get(jr_doc_root(a->doc), "items"));
        (void)snprintf(path, sizeof(path), "%s?watch=1&resourceVersion=%d", MAPS, (int)v);
        stream_open(&s, a, path);
        const char *lines = stream_read(&s, 0, (size_t)1 << 20);
        for (const char *p = lines; *p != '\0'; p = strchr(p, '\n') + 1) {
            count += strncmp(p, "ADDED", 5) == 0 ? 1 : 0;
            count -= strncmp(p, "DELETED", 7) == 0 ? 1 : 0;
        }
        stream_close(&s);
        assert_int_equal(api_call(a, "GET", MAPS, NULL, NULL), 200);
        assert_int_equal(count, jr_size(jr_get(jr_doc_root(a->doc), "items")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_where_a_watch_begins),
        API_TEST(test_the_end_of_the_initial_events),
        API_TEST(test_initial_events_of_an_older_state),
        API_TEST(test_selectors_entering_and_leaving),
        API_TEST(test_lag_and_small_reads),
        API_TEST(test_bookmarks_and_timeouts),
        API_TEST(test_a_lagging_bookmark_tells_no_lie),
        API_TEST(test_expired_watches),
        API_TEST(test_refused_watches),
        API_TEST(test_tables_and_metadata),
        API_TEST(test_a_watch_from_any_version_gives_the_same_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
