/* SPDX-License-Identifier: Apache-2.0 */
/* The table of Namespaces: lists, references that outlive their rows, readers beside the writer. */
#include <pthread.h>
#include <stdatomic.h>

#include "common/policy/watch/namespaces.h"
#include "tests/unit/policy/policy_test.h"

#define NAMESPACE JR_CLEANUP(jr_namespace_unrefp) struct jr_namespace

static void put(struct jr_namespaces *t, const char *name, const char *value)
{
    struct jr_label v[] = { { JR_S("team"), jr_str(value) }, { JR_S("empty"), JR_S("") } };

    jr_namespaces_put(t, jr_str(name), &(struct jr_labels){ v, JR_ARRAY_SIZE(v) });
}

/** value: of the label; NULL: the Namespace isn't known. */
static void want(struct jr_namespaces *t, const char *name, const char *value)
{
    NAMESPACE *n = jr_namespaces_get(t, jr_str(name));

    if ((n == NULL) != (value == NULL))
        fail_msg("%s is%s known", name, n == NULL ? "n't" : "");
    if (n == NULL)
        return;
    assert_str(n->name, name);
    assert_int_equal(n->labels.n, 2);
    assert_str(n->labels.v[0].key, "team");
    assert_str(n->labels.v[0].value, value);
    assert_str(n->labels.v[1].key, "empty");
    assert_str(n->labels.v[1].value, "");
}

static void test_put(void **state)
{
    struct jr_namespaces *t = jr_namespaces_new();
    NAMESPACE *bare = NULL;

    (void)state;
    want(t, "a", NULL);
    put(t, "a", "x");
    put(t, "ab", "y");
    want(t, "a", "x");
    want(t, "ab", "y");
    want(t, "", NULL);
    put(t, "a", "z");
    want(t, "a", "z");
    jr_namespaces_remove(t, JR_S("a"));
    jr_namespaces_remove(t, JR_S("a"));
    want(t, "a", NULL);
    want(t, "ab", "y");
    jr_namespaces_put(t, JR_S("bare"), &(struct jr_labels){ NULL, 0 });
    bare = jr_namespaces_get(t, JR_S("bare"));
    assert_int_equal(bare->labels.n, 0);
    jr_namespaces_free(t);
    jr_namespaces_free(NULL);
    jr_namespace_unref(NULL);
}

static void test_nothing_is_borrowed(void **state)
{
    struct jr_namespaces *t = jr_namespaces_new();
    char name[] = "a", key[] = "team", value[] = "x";
    struct jr_label v[] = { { jr_str(key), jr_str(value) }, { JR_S("empty"), JR_S("") } };

    (void)state;
    jr_namespaces_put(t, jr_str(name), &(struct jr_labels){ v, 2 });
    name[0] = key[0] = value[0] = '?';
    v[1] = v[0];
    want(t, "a", "x");
    jr_namespaces_free(t);
}

static void test_lists(void **state)
{
    struct jr_namespaces *t = jr_namespaces_new();

    (void)state;
    jr_namespaces_sweep(t); /* of nothing */
    put(t, "stays", "1");
    put(t, "goes", "1");
    jr_namespaces_begin(t);
    put(t, "stays", "2");
    put(t, "comes", "1");
    want(t, "goes", "1"); /* until the list is complete */
    jr_namespaces_sweep(t);
    want(t, "stays", "2");
    want(t, "comes", "1");
    want(t, "goes", NULL);
    /* A list that broke off: what it has shown says nothing. */
    jr_namespaces_begin(t);
    put(t, "stays", "3");
    jr_namespaces_begin(t);
    put(t, "comes", "2");
    jr_namespaces_remove(t, JR_S("comes"));
    put(t, "new", "1");
    jr_namespaces_sweep(t);
    want(t, "stays", NULL);
    want(t, "comes", NULL);
    want(t, "new", "1");
    jr_namespaces_begin(t);
    jr_namespaces_sweep(t);
    want(t, "new", NULL);
    jr_namespaces_free(t);
}

static void test_many(void **state)
{
    struct jr_namespaces *t = jr_namespaces_new();
    char name[16];

    (void)state;
    for (int list = 0; list < 2; list++) {
        jr_namespaces_begin(t);
        for (int i = 0; i < 2000; i += 1 + list) {
            (void)snprintf(name, sizeof(name), "n-%d", i);
            put(t, name, name);
        }
        jr_namespaces_sweep(t);
    }
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(name, sizeof(name), "n-%d", i);
        want(t, name, i % 2 == 0 ? name : NULL);
    }
    jr_namespaces_free(t);
}

static void test_references_outlive(void **state)
{
    struct jr_namespaces *t = jr_namespaces_new();
    NAMESPACE *old = NULL, *removed = NULL, *swept = NULL, *last = NULL;

    (void)state;
    put(t, "a", "x");
    old = jr_namespaces_get(t, JR_S("a"));
    put(t, "a", "y");
    removed = jr_namespaces_get(t, JR_S("a"));
    jr_namespaces_remove(t, JR_S("a"));
    put(t, "a", "z");
    swept = jr_namespaces_get(t, JR_S("a"));
    jr_namespaces_begin(t);
    jr_namespaces_sweep(t);
    put(t, "a", "u");
    last = jr_namespaces_get(t, JR_S("a"));
    jr_namespaces_free(t);
    assert_str(old->labels.v[0].value, "x");
    assert_str(removed->labels.v[0].value, "y");
    assert_str(swept->labels.v[0].value, "z");
    assert_str(last->labels.v[0].value, "u");
    assert_str(last->name, "a");
}

/* ---- threads ---- */

#define READERS 3
#define ROUNDS 2000

struct shared {
    struct jr_namespaces *t;
    atomic_bool over;
    atomic_uint wrong, read;
};

/** A Namespace is told of as a whole: both labels are of one put. */
static void *read_all_the_time(void *ctx)
{
    struct shared *s = ctx;

    while (!atomic_load(&s->over)) {
        NAMESPACE *n = jr_namespaces_get(s->t, JR_S("a"));

        if (n == NULL)
            continue;
        (void)atomic_fetch_add(&s->read, 1);
        if (n->labels.n != 2 || !jr_str_eq(n->labels.v[0].value, n->labels.v[1].value))
            (void)atomic_fetch_add(&s->wrong, 1);
    }
    return NULL;
}

static void write_round(struct jr_namespaces *t, unsigned i)
{
    char text[16];
    struct jr_label v[2] = { { .key = JR_S("a") }, { .key = JR_S("b") } };

    (void)snprintf(text, sizeof(text), "%u", i);
    v[0].value = v[1].value = jr_str(text);
    jr_namespaces_begin(t);
    jr_namespaces_put(t, JR_S("a"), &(struct jr_labels){ v, 2 });
    jr_namespaces_put(t, jr_str(text), &(struct jr_labels){ v, 2 });
    if (i % 5 == 0)
        jr_namespaces_remove(t, JR_S("a"));
    jr_namespaces_sweep(t);
}

static void test_threads(void **state)
{
    struct shared s = { .t = jr_namespaces_new() };
    pthread_t readers[READERS];

    (void)state;
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_all_the_time, &s), 0);
    for (unsigned i = 1; i < ROUNDS || atomic_load(&s.read) < 100; i++)
        write_round(s.t, i);
    atomic_store(&s.over, true);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(atomic_load(&s.wrong), 0);
    jr_namespaces_free(s.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_nothing_is_borrowed),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_references_outlive),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
