/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of every kind of request, of the collector and of a stream fails once: the
 * process ends and says so, or goes without. */
#include "tests/support/without_memory.h"
#include "tests/unit/devcluster/api.h"

static const struct row {
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

struct request {
    struct api *api;
    const struct row *row;
};

static void send_row(void *ctx)
{
    const struct request *r = ctx;
    struct jr_dev_op *op = NULL;
    const struct jr_dev_request req = {
        .method = r->row->method,
        .path = r->row->path,
        .accept = r->row->accept,
        .content_type = r->row->type,
        .body = jr_str(r->row->body),
        .user = "admin",
    };

    (void)jr_dev_begin(r->api->store, &req, r->api->now, &op);
    jr_dev_op_free(op);
}

static void test_requests(void **state)
{
    fill(*state);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct request r = { *state, &rows[i] };

        if (jr_each_without_memory(send_row, &r) == 0)
            fail_msg("row %zu needs no memory", i);
    }
}

static void tick(void *ctx)
{
    const struct api *a = ctx;

    (void)jr_dev_tick(a->store, a->now);
}

static void test_the_collector(void **state)
{
    struct api *a = *state;

    fill(a);
    assert_int_equal(
        api_call(a, "POST", PODS,
                 "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"apiVersion\":\"batch/"
                 "v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"{uid}\",\"blockOwnerDeletion\":"
                 "true}]}," POD_SPEC "}",
                 NULL),
        201);
    assert_int_equal(
        api_call(a, "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}", NULL), 200);
    assert_true(jr_each_without_memory(tick, a) > 0);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 404);
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 404);
}

static void read_stream(void *ctx)
{
    struct stream *s = ctx;

    (void)!jr_dev_watch_read(s->op, 0, 100000, s->api->now, &s->frames);
}

static void test_streams(void **state)
{
    struct api *a = *state;
    struct stream s;

    fill(a);
    a->accept = TABLE;
    stream_open(&s, a, MAPS "?watch=1&allowWatchBookmarks=1");
    a->accept = NULL;
    api_advance(a, 100);
    assert_true(jr_each_without_memory(read_stream, &s) > 0);
    stream_close(&s);
}

static void make_store(void *ctx)
{
    const struct api *a = ctx;
    const struct jr_dev_store_options options = { .rand = jr_rand_system,
                                                  .profile = jr_profile_default() };

    jr_dev_store_free(jr_dev_store_new(&options, a->now));
}

static void test_the_store(void **state)
{
    assert_true(jr_each_without_memory(make_store, *state) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_requests),
        API_TEST(test_the_collector),
        API_TEST(test_streams),
        API_TEST(test_the_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
