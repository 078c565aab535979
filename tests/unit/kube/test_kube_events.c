/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder: what is written for what was recorded. */
#include "common/kube/events.h"
#include "tests/support/without_memory.h"

#include "common/json/doc.h"
#include "common/kube/event_cache.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define POSTS "/api/v1/namespaces/ns/events"

struct world {
    struct fake f;
    struct jr_recorder *r;
    bool may;
};

static bool may_send(void *ctx)
{
    return *(const bool *)ctx;
}

static void world_init(struct world *w)
{
    *w = (struct world){ .may = true };
    fake_init(&w->f);
    w->r = jr_recorder_new(&w->f.env, "job-controller", NULL, may_send, &w->may);
}

static void world_done(struct world *w)
{
    jr_recorder_free(w->r);
    fake_done(&w->f);
}

static void record(struct world *w, const char *job, const char *type, const char *reason,
                   const char *message)
{
    const struct jr_event_object about = {
        .api_version = JR_S("batch/v1"),
        .kind = JR_S("Job"),
        .namespace = JR_S("ns"),
        .name = jr_str(job),
        .uid = JR_S("u-1"),
        .resource_version = JR_S("12"),
    };

    jr_recorder_event(w->r, &about, type, reason, jr_str(message));
}

/** A text at a path of the body. */
static const char *text_at(const struct jr_call *c, const char *path, char *buf, size_t cap)
{
    struct jr_doc *doc = NULL;
    struct jr_error error = { 0 };
    const struct jr_node *n;
    struct jr_str s;

    assert_ok(jr_doc_parse(jr_buf_str(&c->body), &JR_READER_STRICT, &doc, &error), &error);
    n = jr_path(jr_doc_root(doc), path);
    s = jr_node_kind(n) == JR_NUMBER ? jr_node_number(n) : jr_node_str(n);
    (void)snprintf(buf, cap, "%.*s", JR_P(s));
    jr_doc_free(doc);
    return buf;
}

#define assert_at(c, path, want)                                         \
    do {                                                                 \
        char got_[2048];                                                 \
        assert_string_equal(text_at(c, path, got_, sizeof(got_)), want); \
    } while (0)

static void test_one_event(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    record(&w, "pi", "Normal", "SuccessfulCreate", "Created pod: pi-abcde");
    assert_int_equal(jr_recorder_pending(w.r), 1);
    c = fake_expect(&w.f, "POST", POSTS);
    assert_string_equal(c->path, POSTS);
    assert_at(c, "metadata.name", "pi.1898b5d9b3d68000");
    assert_at(c, "metadata.namespace", "ns");
    assert_at(c, "involvedObject.kind", "Job");
    assert_at(c, "involvedObject.uid", "u-1");
    assert_at(c, "reason", "SuccessfulCreate");
    assert_at(c, "message", "Created pod: pi-abcde");
    assert_at(c, "source.component", "job-controller");
    assert_at(c, "reportingComponent", "job-controller");
    assert_at(c, "count", "1");
    assert_at(c, "type", "Normal");
    fake_answer(c, 201, "{}");
    assert_int_equal(jr_recorder_pending(w.r), 0);
    world_done(&w);
}

static void test_repeats_are_counted(void **state)
{
    struct world w;
    struct jr_call *c;
    char name[64], path[128];

    (void)state;
    world_init(&w);
    for (int i = 1; i <= 3; i++) {
        record(&w, "pi", "Warning", "FailedCreate", "Error creating: quota");
        fake_wait(&w.f, JR_SEC);
    }
    assert_int_equal(w.f.n_sent, 1); /* one at a time, in order */
    c = fake_next(&w.f);
    (void)text_at(c, "metadata.name", name, sizeof(name));
    fake_answer(c, 201, "{}");
    for (int i = 2; i <= 3; i++) {
        char count[8];

        c = fake_expect(&w.f, "PATCH", POSTS);
        (void)snprintf(path, sizeof(path), POSTS "/%s", name);
        assert_string_equal(c->path, path);
        assert_string_equal(c->content_type, "application/strategic-merge-patch+json");
        (void)snprintf(count, sizeof(count), "%d", i);
        assert_at(c, "count", count);
        fake_answer(c, 200, "{}");
    }
    record(&w, "pi", "Warning", "FailedCreate", "Error creating: quota");
    fake_answer(fake_expect(&w.f, "PATCH", path), 404, ""); /* an hour later it is gone */
    c = fake_expect(&w.f, "POST", POSTS);
    assert_at(c, "metadata.name", name);
    assert_at(c, "count", "4");
    fake_answer(c, 201, "{}");
    assert_int_equal(jr_recorder_pending(w.r), 0);
    world_done(&w);
}

/** Records a message of its own number, and takes what is sent for it. */
static struct jr_call *record_number(struct world *w, int i)
{
    char message[64];

    (void)snprintf(message, sizeof(message), "Created pod: pi-%d", i);
    record(w, "pi", "Normal", "SuccessfulCreate", message);
    return fake_next(&w->f);
}

static void test_similar_ones_are_combined(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    for (int i = 1; i < 10; i++) {
        c = record_number(&w, i);
        assert_string_equal(c->method, "POST");
        assert_null(strstr(c->body.p, "combined"));
        fake_answer(c, 201, "{}");
    }
    c = record_number(&w, 10);
    assert_string_equal(c->method, "POST");
    assert_at(c, "message", "(combined from similar events): Created pod: pi-10");
    assert_at(c, "count", "1");
    fake_answer(c, 201, "{}");
    c = record_number(&w, 11);
    assert_string_equal(c->method, "PATCH");
    assert_at(c, "message", "(combined from similar events): Created pod: pi-11");
    assert_at(c, "count", "2");
    fake_answer(c, 200, "{}");
    record(&w, "pi", "Normal", "Completed", "Job completed"); /* another reason */
    c = fake_next(&w.f);
    assert_at(c, "message", "Job completed");
    fake_answer(c, 201, "{}");
    fake_wait(&w.f, 601 * JR_SEC);
    c = record_number(&w, 12); /* ten minutes of quiet */
    assert_at(c, "message", "Created pod: pi-12");
    world_done(&w);
}

static void test_floods_are_dropped(void **state)
{
    struct world w;
    unsigned sent;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 100; i++)
        record(&w, "pi", "Normal", "SuccessfulCreate", "the same");
    assert_int_equal(jr_recorder_pending(w.r), 25);
    record(&w, "pi", "Warning", "FailedCreate", "another type");
    record(&w, "e", "Normal", "SuccessfulCreate", "another object");
    assert_int_equal(jr_recorder_pending(w.r), 27);
    while (jr_recorder_pending(w.r) > 0)
        fake_answer(fake_next(&w.f), 200, "{}");
    sent = w.f.n_sent;
    fake_wait(&w.f, 299 * JR_SEC);
    record(&w, "pi", "Normal", "SuccessfulCreate", "the same");
    assert_int_equal(w.f.n_sent, sent);
    fake_wait(&w.f, 2 * JR_SEC);
    record(&w, "pi", "Normal", "SuccessfulCreate", "the same");
    record(&w, "pi", "Normal", "SuccessfulCreate", "the same");
    assert_int_equal(w.f.n_sent, sent + 1);
    assert_at(fake_next(&w.f), "count", "102"); /* the dropped ones were counted */
    world_done(&w);
}

static void test_names_never_repeat(void **state)
{
    struct world w;
    char a[64], b[64];

    (void)state;
    world_init(&w);
    record(&w, "pi", "Normal", "A", "m"); /* both in the same nanosecond */
    record(&w, "pi", "Normal", "B", "m");
    {
        struct jr_call *c = fake_next(&w.f);

        (void)text_at(c, "metadata.name", a, sizeof(a));
        fake_answer(c, 201, "{}");
        (void)text_at(fake_next(&w.f), "metadata.name", b, sizeof(b));
    }
    assert_string_not_equal(a, b);
    world_done(&w);
}

static void test_a_server_that_is_not_there(void **state)
{
    struct world w;
    int64_t began, second = 0;
    unsigned n = 0;

    (void)state;
    world_init(&w);
    record(&w, "pi", "Normal", "A", "first");
    record(&w, "pi", "Normal", "A", "second");
    began = w.f.clock.mono.ns;
    for (;;) {
        struct jr_call *c = fake_next(&w.f);

        if (strstr(c->body.p, "second") != NULL) {
            second = w.f.clock.mono.ns;
            fake_answer(c, 201, "{}");
            break;
        }
        n++;
        fake_fail(c, JR_HTTP_AMBIGUOUS); /* creates are not repeated below */
    }
    assert_int_equal(n, 12);
    assert_in_range((second - began) / JR_SEC, 100, 110);
    assert_int_equal(jr_recorder_pending(w.r), 0);
    world_done(&w);
}

static void test_refusals(void **state)
{
    static const int codes[] = { 400, 403, 404, 409, 422 };
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(codes); i++) {
        char message[32];

        (void)snprintf(message, sizeof(message), "%zu", i);
        record(&w, "pi", "Normal", "A", message);
        fake_answer(fake_expect(&w.f, "POST", POSTS), codes[i], "");
        assert_int_equal(jr_recorder_pending(w.r), 0);
    }
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(w.f.n_sent, JR_ARRAY_SIZE(codes));
    world_done(&w);
}

static void test_an_attempt_that_had_happened(void **state)
{
    struct world w;
    JR_BUF exists = { 0 };

    (void)state;
    world_init(&w);
    read_vector("error-409-exists.json", &exists);
    record(&w, "pi", "Normal", "A", "m");
    fake_fail(fake_next(&w.f), JR_HTTP_AMBIGUOUS);
    fake_answer(fake_expect(&w.f, "POST", POSTS), 409, exists.p);
    assert_int_equal(jr_recorder_pending(w.r), 0);
    world_done(&w);
}

static void test_too_many(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 1500; i++) {
        char job[32];

        (void)snprintf(job, sizeof(job), "job-%d", i);
        record(&w, job, "Normal", "A", "m");
    }
    assert_int_equal(jr_recorder_pending(w.r), 1000);
    fake_answer(fake_next(&w.f), 201, "{}");
    record(&w, "pi", "Normal", "A", "m");
    assert_int_equal(jr_recorder_pending(w.r), 1000);
    world_done(&w);
}

static void test_not_allowed_to_write(void **state)
{
    struct world w;
    const struct jr_call *c;

    (void)state;
    world_init(&w);
    w.may = false;
    record(&w, "pi", "Normal", "A", "m");
    assert_int_equal(w.f.n_sent, 1);
    c = TAILQ_FIRST(&w.f.calls);
    assert_non_null(c->may_send);
    assert_false(c->may_send(c->may_send_ctx));
    world_done(&w);
}

static void test_an_object_without_namespace(void **state)
{
    const struct jr_event_object about = { .kind = JR_S("Node"), .name = JR_S("n") };
    struct world w;
    struct jr_call *c;
    char longer[3000];

    (void)state;
    memset(longer, 'x', sizeof(longer));
    world_init(&w);
    jr_recorder_event(w.r, &about, "Normal", "A", (struct jr_str){ longer, sizeof(longer) });
    c = fake_next(&w.f);
    assert_string_equal(c->path, "/api/v1/namespaces/default/events");
    assert_true(c->body.n < 2000); /* the message is cut */
    world_done(&w);
}

/* ---- the memory behind it ---- */

static uint64_t key_of(int i)
{
    char text[32];
    struct jr_str s;

    (void)snprintf(text, sizeof(text), "%d", i);
    s = jr_str(text);
    return event_key_of(&s, 1);
}

static void test_the_cache_is_bounded(void **state)
{
    struct event_cache *c = calloc(1, sizeof(*c));
    const uint64_t first = key_of(0);
    bool is_new;

    (void)state;
    assert_non_null(c);
    event_cache_init(c, EVENTS_SAME);
    for (int i = 0; i < 3 * EVENT_CACHE_MAX; i++) {
        struct event_record *r = event_cache_get(c, key_of(i), &is_new);

        assert_non_null(r);
        assert_true(is_new);
        r->u.same.name = jr_str_dup(JR_S("owned"));
        assert_non_null(event_cache_get(c, first, &is_new)); /* used all the time: it stays */
        assert_false(is_new);
    }
    assert_int_equal(c->by_key.n, EVENT_CACHE_MAX);
    assert_non_null(event_cache_get(c, key_of(1), &is_new));
    assert_true(is_new);
    assert_non_null(event_cache_get(c, key_of(3 * EVENT_CACHE_MAX - 1), &is_new));
    assert_false(is_new);
    event_cache_done(c);
    free(c);
}

static void test_keys_tell_parts_apart(void **state)
{
    const struct jr_str one[] = { JR_S("ab"), JR_S("c") }, two[] = { JR_S("a"), JR_S("bc") };

    (void)state;
    assert_true(event_key_of(one, 2) != event_key_of(two, 2));
}

/** The same event twice, which is a POST and a PATCH. */
static void record_twice(void *ctx)
{
    struct world *w = ctx;

    record(w, "j", "Normal", "Why", "so");
    record(w, "j", "Normal", "Why", "so");
    fake_answer(fake_expect(&w->f, "POST", "/api/v1/"), 201, "{}");
    fake_answer(fake_expect(&w->f, "PATCH", "/api/v1/"), 200, "{}");
}

static void test_without_memory(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    assert_true(jr_each_without_memory(record_twice, &w) > 25);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_event),
        cmocka_unit_test(test_repeats_are_counted),
        cmocka_unit_test(test_similar_ones_are_combined),
        cmocka_unit_test(test_floods_are_dropped),
        cmocka_unit_test(test_names_never_repeat),
        cmocka_unit_test(test_a_server_that_is_not_there),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_an_attempt_that_had_happened),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_not_allowed_to_write),
        cmocka_unit_test(test_an_object_without_namespace),
        cmocka_unit_test(test_the_cache_is_bounded),
        cmocka_unit_test(test_keys_tell_parts_apart),
        cmocka_unit_test(test_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
