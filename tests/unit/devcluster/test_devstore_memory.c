/* Every allocation of every kind of request fails once: the answer is JR_NOMEM or a refusal for
 * lack of it, the state stays whole, and the same request works afterwards. */
#include "tests/support/failalloc.h"
#include "tests/unit/devcluster/api.h"

static const struct {
    const char *method;
    const char *path;
    const char *body;
    const char *type;
    const char *accept;
} rows[] = {
    { "POST", MAPS, "{\"metadata\":{\"generateName\":\"g-\"},\"data\":{\"a\":\"b\"}}", NULL, NULL },
    { "POST", JOBS,
      "{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"foo\":1," JOB_TEMPLATE "}}", NULL,
      NULL },
    { "POST", JOBS,
      "{\"metadata\":{\"name\":\"bad\"},\"spec\":{\"parallelism\":-1," JOB_TEMPLATE "}}", NULL,
      NULL },
    { "POST", PODS, "{\"metadata\":{\"generateName\":\"g-\"}," POD_SPEC "}", NULL, NULL },
    { "PATCH", JOBS "/j", "{\"spec\":{\"suspend\":true},\"metadata\":{\"finalizers\":[\"a.b/c\"]}}",
      STRATEGIC, NULL },
    { "PATCH", JOBS "/j/status", "{\"status\":{\"active\":1}}", MERGE, NULL },
    { "PATCH", JOBS "/j",
      "[{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"a\":\"b\"}}]", JSON_PATCH,
      NULL },
    { "PUT", MAPS "/m", "{\"metadata\":{\"name\":\"m\"},\"data\":{\"x\":\"y\"}}", NULL, NULL },
    { "GET", MAPS "?limit=1", NULL, NULL, NULL },
    { "GET", JOBS "?labelSelector=a%20in%20(b,c),d&fieldSelector=metadata.name!%3Dx", NULL, NULL,
      TABLE },
    { "GET", "/apis/batch/v1", NULL, NULL, NULL },
    { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}", NULL, NULL },
    { "DELETE", MAPS "?labelSelector=a", NULL, NULL, NULL },
    { "DELETE", MAPS "/m", NULL, NULL, NULL },
};

static enum jr_status send(struct api *a, size_t i, struct jr_dev_op **op, enum jr_dev_next *next)
{
    const struct jr_dev_request req = {
        .method = rows[i].method,
        .path = rows[i].path,
        .accept = rows[i].accept,
        .content_type = rows[i].type,
        .body = jr_str(rows[i].body),
        .user = "admin",
    };

    return jr_dev_begin(a->store, &req, a->now, op, next);
}

static void fill(struct api *a)
{
    static const struct step steps[] = {
        { "POST", MAPS, "{\"metadata\":{\"name\":\"m\"}}", NULL, 201, NULL },
        { "POST", MAPS, "{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}}}", NULL, 201,
          NULL },
        { "POST", JOBS, "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}", NULL, 201,
          NULL },
    };

    API_STEPS(a, "fill", steps);
}

static void test_requests(void **state)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        for (long n = 1;; n++) {
            struct api *a = *state;
            struct jr_dev_op *op = NULL;
            enum jr_dev_next next;
            uint64_t before;

            api_end(a);
            api_begin(a, 0);
            fill(a);
            before = jr_dev_revision(a->store);
            jr_failalloc_arm(n);
            enum jr_status st = send(a, i, &op, &next);
            jr_failalloc_disarm();
            bool hit = jr_failalloc_hit();
            if (st != JR_OK) {
                assert_true(hit);
                assert_int_equal(st, JR_NOMEM);
            } else {
                jr_dev_op_free(op);
            }
            if (!hit)
                break;
            /* The counter and what is stored agree, whatever came of the request. */
            assert_true(jr_dev_revision(a->store) >= before);
            assert_int_equal(api_call(a, "GET", MAPS, NULL, NULL), 200);
            assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"after\"}}", NULL),
                             201);
            if (n > 20000)
                fail_msg("row %zu doesn't end", i);
        }
    }
}

static void test_the_collector(void **state)
{
    for (long n = 1;; n++) {
        struct api *a = *state;
        int64_t next;

        api_end(a);
        api_begin(a, 0);
        fill(a);
        assert_int_equal(
            api_call(
                a, "POST", PODS,
                "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"apiVersion\":\"batch/"
                "v1\",\"kind\":"
                "\"Job\",\"name\":\"j\",\"uid\":\"{uid}\",\"blockOwnerDeletion\":true}]}," POD_SPEC
                "}",
                NULL),
            201);
        assert_int_equal(
            api_call(a, "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}", NULL), 200);
        jr_failalloc_arm(n);
        enum jr_status st = jr_dev_tick(a->store, a->now, &next);
        jr_failalloc_disarm();
        if (!jr_failalloc_hit())
            break;
        assert_true(st == JR_OK || st == JR_NOMEM);
        /* What didn't work then works later. */
        assert_int_equal(jr_dev_tick(a->store, a->now, &next), JR_OK);
        assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 404);
        assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 404);
    }
}

static void test_streams(void **state)
{
    for (long n = 1;; n++) {
        struct api *a = *state;
        struct stream s;
        bool end;

        api_end(a);
        api_begin(a, 0);
        fill(a);
        a->accept = TABLE;
        stream_open(&s, a, MAPS "?watch=1&allowWatchBookmarks=1");
        a->accept = NULL;
        api_advance(a, 100);
        jr_failalloc_arm(n);
        enum jr_status st = jr_dev_watch_read(a->store, s.op, 0, 100000, a->now, &s.frames, &end);
        jr_failalloc_disarm();
        stream_close(&s);
        if (!jr_failalloc_hit())
            break;
        assert_true(st == JR_OK || st == JR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_requests),
        API_TEST(test_the_collector),
        API_TEST(test_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
