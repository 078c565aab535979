/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces that are read one by one: each name once at a time, and so many names. */
#include "common/policy/watch/lookup.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define AT_ONCE 64
#define PATH "/api/v1/namespaces/"

struct world {
    struct fake f;
    struct jr_namespaces *table;
    struct jr_namespace_lookups *lookups;
    unsigned done;
    const char *then; /* asked for by the first one that is done */
    bool then_free;
};

static void world_init(struct world *w)
{
    *w = (struct world){ 0 };
    fake_init(&w->f);
    w->table = jr_namespaces_new();
    w->lookups = jr_namespace_lookups_new(&w->f.env, w->table, NULL);
}

static void world_done(struct world *w)
{
    jr_namespace_lookups_free(w->lookups);
    jr_namespaces_free(w->table);
    fake_done(&w->f);
}

static void on_done(void *ctx);

static bool ask(struct world *w, const char *name)
{
    return jr_namespace_lookup(w->lookups, jr_str(name), on_done, w);
}

static void on_done(void *ctx)
{
    struct world *w = ctx;
    const char *then = w->then;

    w->done++;
    w->then = NULL;
    if (then != NULL)
        assert_true(ask(w, then));
    if (!w->then_free)
        return;
    jr_namespace_lookups_free(w->lookups);
    w->lookups = NULL;
}

/** value: of its one label; NULL: it isn't known. */
static void want(struct world *w, const char *name, const char *value)
{
    JR_CLEANUP(jr_namespace_unrefp)
    struct jr_namespace *n = jr_namespaces_get(w->table, jr_str(name));

    if ((n == NULL) != (value == NULL))
        fail_msg("%s is%s known", name, n == NULL ? "n't" : "");
    if (n == NULL)
        return;
    assert_int_equal(n->labels.n, 1);
    assert_str(n->labels.v[0].key, "team");
    assert_str(n->labels.v[0].value, value);
}

static const char *object(const char *name)
{
    static char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"kind\":\"PartialObjectMetadata\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
                   "\"team\":\"x\"}}}",
                   name);
    return text;
}

static void test_found(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    assert_true(ask(&w, "a"));
    c = fake_expect(&w.f, "GET", PATH "a");
    assert_string_equal(c->path, PATH "a");
    assert_string_equal(
        c->accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    assert_true(c->timeout_ms > 0 && c->timeout_ms < 10000); /* that of the webhook is 10 s */
    assert_int_equal(w.done, 0);
    fake_answer(c, 200, object("a"));
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(w.done, 1);
    assert_int_equal(w.f.n_sent, 1);
    want(&w, "a", "x");
    world_done(&w);
    jr_namespace_lookups_free(NULL);
}

static void test_name_is_escaped(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    assert_true(ask(&w, "a/b?c#%20"));
    c = fake_next(&w.f);
    assert_string_equal(c->path, PATH "a%2Fb%3Fc%23%2520");
    fake_answer(c, 404, "{}");
    world_done(&w);
}

static const struct failure {
    const char *name;
    int status; /* 0: outcome */
    const char *body;
    enum jr_http_outcome outcome;
} failures[] = {
    { "404", 404, "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}", JR_HTTP_DONE },
    { "403", 403, "", JR_HTTP_DONE },
    { "429", 429, "", JR_HTTP_DONE },
    { "500", 500, "no JSON", JR_HTTP_DONE },
    { "no connection", 0, NULL, JR_HTTP_NOT_SENT },
    { "no answer", 0, NULL, JR_HTTP_AMBIGUOUS },
    { "nothing", 200, "", JR_HTTP_DONE },
    { "no JSON", 200, "<html>", JR_HTTP_DONE },
    { "no object", 200, "[]", JR_HTTP_DONE },
    { "no name", 200, "{\"metadata\":{\"labels\":{\"team\":\"x\"}}}", JR_HTTP_DONE },
    { "a name that is none", 200, "{\"metadata\":{\"name\":7}}", JR_HTTP_DONE },
};

static void test_failures(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        const struct failure *f = &failures[i];
        struct jr_call *c;
        struct world w;

        world_init(&w);
        assert_true(ask(&w, "a"));
        c = fake_next(&w.f);
        if (f->status != 0)
            fake_answer(c, f->status, f->body);
        else
            fake_fail(c, f->outcome);
        fake_wait(&w.f, 60 * JR_SEC);
        if (w.done != 1 || w.f.n_sent != 1)
            fail_msg("%s: done %u times, %u requests", f->name, w.done, w.f.n_sent);
        want(&w, "a", NULL);
        want(&w, "", NULL);
        /* The next one asks anew. */
        assert_true(ask(&w, "a"));
        fake_answer(fake_next(&w.f), 200, object("a"));
        assert_int_equal(w.done, 2);
        want(&w, "a", "x");
        world_done(&w);
    }
}

/** Labels as no API server has them: nothing of them selects, and nothing breaks. */
static void test_odd_labels(void **state)
{
    static const char *const odd[] = {
        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"team\":7}}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"team\":null}}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":[\"x\",1]}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":\"x\"}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":null}}",
        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"\":\"\"}}}",
        "{\"metadata\":{\"name\":\"a\"}}",
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(odd); i++) {
        struct jr_namespaces *t = jr_namespaces_new();
        struct jr_error err = { 0 };
        JR_CLEANUP(jr_namespace_unrefp) struct jr_namespace *n = NULL;

        assert_ok(jr_namespaces_read(t, jr_str(odd[i]), &err), &err);
        n = jr_namespaces_get(t, JR_S("a"));
        assert_non_null(n);
        for (size_t k = 0; k < n->labels.n; k++)
            assert_true(n->labels.v[k].key.n == 0 || n->labels.v[k].value.n == 0);
        jr_namespaces_free(t);
    }
}

static void test_many_waiters(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 200; i++)
        assert_true(ask(&w, "a"));
    assert_true(ask(&w, "ab"));
    c = fake_expect(&w.f, "GET", PATH "a");
    fake_answer(c, 200, object("a"));
    assert_int_equal(w.done, 200);
    assert_int_equal(w.f.n_sent, 2);
    fake_answer(fake_expect(&w.f, "GET", PATH "ab"), 404, "{}");
    assert_int_equal(w.done, 201);
    world_done(&w);
}

static void test_at_once(void **state)
{
    struct world w;
    struct jr_call *first;
    char name[16];

    (void)state;
    world_init(&w);
    for (int i = 0; i < AT_ONCE; i++) {
        (void)snprintf(name, sizeof(name), "n-%d", i);
        assert_true(ask(&w, name));
    }
    assert_false(ask(&w, "more"));
    assert_true(ask(&w, "n-63")); /* is no more of them */
    assert_int_equal(w.f.n_sent, AT_ONCE);
    first = fake_next(&w.f);
    fake_answer(first, 500, "");
    assert_int_equal(w.done, 1);
    assert_true(ask(&w, "more"));
    assert_false(ask(&w, "another"));
    for (int i = 0; i < AT_ONCE; i++)
        fake_answer(fake_next(&w.f), 404, "{}");
    assert_int_equal(w.done, AT_ONCE + 2); /* n-63 twice, more, and not another */
    assert_int_equal(fake_untaken(&w.f), 0);
    assert_true(ask(&w, "another"));
    world_done(&w);
}

/** What the watch says is newer. */
static void test_known_meanwhile(void **state)
{
    struct jr_label label = { JR_S("team"), JR_S("by the watch") };
    struct world w;

    (void)state;
    world_init(&w);
    assert_true(ask(&w, "a"));
    jr_namespaces_put(w.table, JR_S("a"), &(struct jr_labels){ &label, 1 });
    fake_answer(fake_next(&w.f), 200, object("a"));
    assert_int_equal(w.done, 1);
    want(&w, "a", "by the watch");
    world_done(&w);
}

static void test_free_with_waiters(void **state)
{
    struct world w;
    struct jr_call *a, *b;

    (void)state;
    world_init(&w);
    assert_true(ask(&w, "a"));
    assert_true(ask(&w, "a"));
    assert_true(ask(&w, "b"));
    a = fake_next(&w.f);
    b = fake_next(&w.f);
    jr_namespace_lookups_free(w.lookups);
    w.lookups = NULL;
    assert_true(a->cancelled);
    assert_true(b->cancelled);
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(w.done, 0);
    world_done(&w);
}

/** Who is done may ask for the same name again, which is another request, or end it all. */
static void test_from_inside(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    w.then = "a";
    assert_true(ask(&w, "a"));
    assert_true(ask(&w, "a"));
    fake_answer(fake_next(&w.f), 404, "{}");
    assert_int_equal(w.done, 2);
    assert_int_equal(w.f.n_sent, 2);
    assert_true(ask(&w, "b"));
    w.then_free = true;
    fake_answer(fake_next(&w.f), 404, "{}");
    assert_int_equal(w.done, 3);
    assert_int_equal(fake_untaken(&w.f), 0); /* b was cancelled */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),           cmocka_unit_test(test_name_is_escaped),
        cmocka_unit_test(test_failures),        cmocka_unit_test(test_odd_labels),
        cmocka_unit_test(test_many_waiters),    cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_known_meanwhile), cmocka_unit_test(test_free_with_waiters),
        cmocka_unit_test(test_from_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
