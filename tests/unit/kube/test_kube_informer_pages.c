/* SPDX-License-Identifier: Apache-2.0 */
/* An informer's lists in pages, on a server that refuses some of them. (Finding: paged lists begin
 * anew at any 429 or 5xx, and can wedge for good.) */
#include "tests/unit/kube/informer_world.h"

static const struct jr_informer_options paged = { .path = "/apis/batch/v1/jobs", .name = "jobs" };

static int64_t since(const struct world *w, int64_t began)
{
    return w->f.clock.mono.ns - began;
}

/** A page that could not be had is asked for again, and nothing before it. */
static void test_a_page_that_fails(void **state)
{
    static const struct {
        const char *name;
        int status; /* 0: no answer */
        int retry_after_s;
        enum jr_http_outcome outcome;
    } rows[] = {
        { "429", 429, 3, JR_HTTP_DONE },
        { "429 alone", 429, 0, JR_HTTP_DONE },
        { "500", 500, 0, JR_HTTP_DONE },
        { "502", 502, 0, JR_HTTP_DONE },
        { "503", 503, 2, JR_HTTP_DONE },
        { "cut", 0, 0, JR_HTTP_AMBIGUOUS },
        { "no connection", 0, 0, JR_HTTP_NOT_SENT },
    };
    struct world w;
    char token[32] = "";

    (void)state;
    world_init(&w, &paged);
    for (size_t i = 0; i <= JR_ARRAY_SIZE(rows); i++) {
        char path[128], next[32];
        int64_t began;

        (void)snprintf(path, sizeof(path), LIST_PATH "500%s%s", i == 0 ? "" : "&continue=", token);
        (void)snprintf(next, sizeof(next), "t%zu", i);
        if (i < JR_ARRAY_SIZE(rows)) {
            struct jr_call *c = fake_expect(&w.f, "GET", path);

            began = w.f.clock.mono.ns;
            if (rows[i].status == 0)
                fake_fail(c, rows[i].outcome);
            else
                fake_answer_after(c, rows[i].status, rows[i].retry_after_s, "");
            page(fake_expect(&w.f, "GET", path), "a", 7, next);
            assert_true(since(&w, began) >= rows[i].retry_after_s * JR_SEC);
            assert_true(since(&w, began) >= 800 * JR_MSEC);
            assert_true(since(&w, began) <= 1600 * JR_MSEC + rows[i].retry_after_s * JR_SEC);
            (void)snprintf(token, sizeof(token), "%s", next);
        } else {
            page(fake_expect(&w.f, "GET", path), "b", 7, "");
        }
    }
    assert_notes(&w, "begin item(a@1) item(a@1) item(a@1) item(a@1) item(a@1) item(a@1) item(a@1) "
                     "item(b@1) end(7) ");
    assert_int_equal(jr_informer_list(w.inf), 1);
    world_done(&w);
}

/** Of 200 pages a tenth is refused: the list is complete, in the first attempt. */
static void test_a_long_list_of_a_busy_server(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, &paged);
    began = w.f.clock.mono.ns;
    for (int i = 0; i < 200; i++) {
        struct jr_call *c = fake_expect(&w.f, "GET", LIST_PATH "500");
        char next[32];

        if (i % 10 == 5) {
            fake_answer_after(c, 429, 1, "");
            c = fake_expect(&w.f, "GET", LIST_PATH "500");
        }
        (void)snprintf(next, sizeof(next), "t%d", i);
        page(c, "a", 7, i == 199 ? "" : next);
    }
    assert_true(jr_informer_synced(w.inf));
    assert_int_equal(jr_informer_list(w.inf), 1);
    assert_true(since(&w, began) < 60 * JR_SEC);
    world_done(&w);
}

/** A page that never comes does not hold up the list for ever: perhaps it is the token. */
static void test_a_page_that_never_comes(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, &paged);
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t1");
    for (int i = 0; i < 10; i++)
        refuse(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1"), 500, "InternalError");
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 9, "");
    assert_notes(&w, "begin item(a@1) begin item(a@1) end(9) ");
    assert_int_equal(jr_informer_list(w.inf), 2);
    world_done(&w);
}

static void expire(struct jr_call *c, const char *token)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"kind\":\"Status\",\"metadata\":{\"continue\":\"%s\"},\"status\":\"Failure\","
                   "\"message\":\"m\",\"reason\":\"Expired\",\"code\":410}",
                   token);
    fake_answer(c, 410, text);
}

/** It goes on by the token that the refusal carries. What has changed before that place since the
 * list began is told by the watch, which begins where the list did. */
static void test_a_token_that_expires(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, &paged);
    began = w.f.clock.mono.ns;
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t1");
    expire(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1"), "t1-inconsistent");
    assert_int_equal(since(&w, began), 0);
    page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1-inconsistent"), "b", 9, "t2");
    expire(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t2"), "t2-inconsistent");
    page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t2-inconsistent"), "c", 12, "");
    assert_notes(&w, "begin item(a@1) item(b@1) item(c@1) end(7) ");
    assert_version(fake_expect(&w.f, "GET", WATCH_PATH), "7");
    world_done(&w);
}

/** Without such a token it begins anew, and never asks for all of it at once. */
static void test_a_token_that_expires_without_another(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, &paged);
    for (int i = 0; i < 4; i++) {
        page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t1");
        refuse(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1"), 410, "Expired");
        assert_notes(&w, "begin item(a@1) ");
    }
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 8, "");
    assert_notes(&w, "begin item(a@1) end(8) ");
    world_done(&w);
}

/** A server that has nothing but such refusals isn't asked without a pause. */
static void test_tokens_that_all_expire(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, &paged);
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t");
    began = w.f.clock.mono.ns;
    for (int i = 0; i < 10; i++)
        expire(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t"), "t");
    (void)fake_expect(&w.f, "GET", LIST_PATH "500");
    assert_true(since(&w, began) > 60 * JR_SEC);
    world_done(&w);
}

static void empty_page(struct jr_call *c, const char *token)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"%s\"},\"items\":[]}",
                   token);
    fake_answer(c, 200, text);
}

/** Pages without objects may come between others: the list goes on, after pauses. */
static void test_empty_pages_between(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, &paged);
    began = w.f.clock.mono.ns;
    page(fake_expect(&w.f, "GET", LIST_PATH "500"), "a", 7, "t1");
    empty_page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t1"), "t2");
    empty_page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t2"), "t3");
    page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t3"), "b", 7, "t4");
    assert_true(since(&w, began) >= 1600 * JR_MSEC);
    began = w.f.clock.mono.ns;
    page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t4"), "c", 7, "t5");
    assert_int_equal(since(&w, began), 0);
    empty_page(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t5"), ""); /* the last one */
    assert_notes(&w, "begin item(a@1) item(b@1) item(c@1) end(7) ");
    assert_int_equal(jr_informer_list(w.inf), 1);
    world_done(&w);
}

/** A server that answers for ever with a token and nothing else, or with the same token: it is
 * asked less and less, and by a new list in the end. (Finding: 6,500 requests a second.) */
static void test_pages_that_bring_nothing(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct world w;
        int64_t began;
        unsigned lists = 0, asked = 0;

        world_init(&w, &paged);
        began = w.f.clock.mono.ns;
        for (; since(&w, began) < 3600 * JR_SEC; asked++) {
            struct jr_call *c = fake_expect(&w.f, "GET", LIST_PATH "500");
            char next[32];

            lists += strstr(c->path, "continue=") == NULL;
            (void)snprintf(next, sizeof(next), "t%u", asked);
            if (same)
                page(c, "a", 7, "t");
            else
                empty_page(c, next);
            assert_true(asked < 200);
        }
        assert_true(lists >= 2 && asked >= 20);
        world_done(&w);
    }
}

/** What is too much for one answer, in bytes or time, comes in smaller pages; then they grow again.
 */
static void test_pages_that_are_too_large(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, &paged);
    c = fake_expect(&w.f, "GET", LIST_PATH "500");
    assert_true(c->body_max > 0);
    fake_fail_with(c, JR_HTTP_AMBIGUOUS, JR_LIMIT);
    fake_fail_with(fake_expect(&w.f, "GET", LIST_PATH "250"), JR_HTTP_AMBIGUOUS, JR_LIMIT);
    page(fake_expect(&w.f, "GET", LIST_PATH "125"), "a", 7, "t1");
    page(fake_expect(&w.f, "GET", LIST_PATH "250&continue=t1"), "b", 7, "t2");
    fake_fail_with(fake_expect(&w.f, "GET", LIST_PATH "500&continue=t2"), JR_HTTP_AMBIGUOUS,
                   JR_TIMEOUT);
    refuse(fake_expect(&w.f, "GET", LIST_PATH "250&continue=t2"), 504, "Timeout");
    for (int size = 125; size > 1; size /= 2) {
        char path[128];

        (void)snprintf(path, sizeof(path), LIST_PATH "%d&continue=t2", size);
        fake_fail_with(fake_expect(&w.f, "GET", path), JR_HTTP_AMBIGUOUS, JR_LIMIT);
    }
    c = fake_expect(&w.f, "GET", LIST_PATH "1&continue=t2");
    assert_int_equal(c->body_max, 0); /* a page can't be smaller: whatever its size */
    page(c, "c", 7, "");
    assert_notes(&w, "begin item(a@1) item(b@1) item(c@1) end(7) ");
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page_that_fails),
        cmocka_unit_test(test_a_long_list_of_a_busy_server),
        cmocka_unit_test(test_a_page_that_never_comes),
        cmocka_unit_test(test_a_token_that_expires),
        cmocka_unit_test(test_a_token_that_expires_without_another),
        cmocka_unit_test(test_tokens_that_all_expire),
        cmocka_unit_test(test_pages_that_are_too_large),
        cmocka_unit_test(test_empty_pages_between),
        cmocka_unit_test(test_pages_that_bring_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
