/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies and Namespaces as they are told of. Their CustomResourceDefinition's end, and an API
 * server that fails: test_policy_watch_deleted. */
#include "tests/unit/policy/watch_world.h"

/* ---- JobPolicies ---- */

static void test_list_then_watch(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "b", "1", 3), policy(&w, "ADDED", "a", "2", 1));
    world_start(&w, true);
    assert_false(jr_policy_watch_synced(w.watch));
    world_wait(&w, 1);
    assert_true(jr_policy_watch_synced(w.watch));
    assert_in_force(w.store, "a@1 b@3");
    assert_int_equal(w.listed, 1);
    tell_policy(&w, "ADDED", "c", "3", 1);
    assert_in_force(w.store, "a@1 b@3 c@1"); /* at once */
    tell_policy(&w, "MODIFIED", "a", "2", 2);
    assert_in_force(w.store, "a@2 b@3 c@1");
    tell_policy(&w, "DELETED", "b", "1", 3);
    assert_in_force(w.store, "a@2 c@1");
    world_done(&w);
}

static void test_pages(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.pages = true;
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1), policy(&w, "ADDED", "b", "2", 1));
    world_synced(&w);
    assert_in_force(w.store, "a@1 b@1");
    tell_policy(&w, "MODIFIED", "a", "1", 2);
    assert_in_force(w.store, "a@2 b@1");
    list_policies(&w, policy(&w, "ADDED", "a", "1", 3));
    expire(&w);
    assert_in_force(w.store, "a@3");
    world_done(&w);
}

static void test_no_policies(void **state)
{
    struct watch_world w;
    SNAPSHOT *now = NULL;

    (void)state;
    world_init(&w);
    world_synced(&w);
    now = jr_policy_store_get(w.store);
    assert_int_equal(w.listed, 1);
    assert_int_equal(now->set.n, 0);
    world_done(&w);
}

/** Its status changes with each pass of the audit: that is no new policy. */
static void test_status_only(void **state)
{
    struct watch_world w;
    SNAPSHOT *before = NULL, *after = NULL;

    (void)state;
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 7));
    world_synced(&w);
    before = jr_policy_store_get(w.store);
    tell_policy(&w, "MODIFIED", "a", "1", 7);
    expire(&w);
    after = jr_policy_store_get(w.store);
    assert_ptr_equal(before, after);
    /* Deleted and created again while nobody watched: another one, with the same generation. */
    tell_policy(&w, "MODIFIED", "a", "2", 7);
    jr_policy_snapshot_unref(after);
    after = jr_policy_store_get(w.store);
    assert_ptr_not_equal(before, after);
    assert_in_force(w.store, "a@7");
    world_done(&w);
}

static void test_relist(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1), policy(&w, "ADDED", "b", "2", 1));
    world_synced(&w);
    list_policies(&w, policy(&w, "ADDED", "b", "2", 2), policy(&w, "ADDED", "c", "3", 1));
    expire(&w);
    assert_in_force(w.store, "b@2 c@1");
    assert_int_equal(w.listed, 2);
    assert_true(jr_policy_watch_synced(w.watch));
    tell_policy(&w, "MODIFIED", "b", "2", 3);
    assert_in_force(w.store, "b@3 c@1");
    world_done(&w);
}

/** The last snapshot serves on. */
static void test_api_away(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1));
    world_synced(&w);
    w.away = true;
    expire(&w);
    world_wait(&w, 600);
    assert_in_force(w.store, "a@1");
    assert_true(jr_policy_watch_synced(w.watch));
    w.away = false;
    list_policies(&w, policy(&w, "ADDED", "a", "1", 2));
    world_wait(&w, 120);
    assert_in_force(w.store, "a@2");
    world_done(&w);
}

static void test_unusable_is_in_force(void **state)
{
    struct watch_world w;
    SNAPSHOT *now = NULL;

    (void)state;
    world_init(&w);
    world_synced(&w);
    tell(&w, POLICIES,
         "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\","
         "\"generation\":1,"
         "\"resourceVersion\":\"200\"},\"spec\":{\"limits\":{\"parallelism\":{\"max\":-1}}}}}\n");
    assert_in_force(w.store, "a@1");
    now = jr_policy_store_get(w.store);
    assert_true(now->set.v[0]->unusable.n > 0);
    world_done(&w);
}

static void test_file_goes_first(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    jr_policy_store_put(w.store, JR_POLICY_OF_FILE,
                        policy_of("a", 0, "{\"limits\":{\"parallelism\":{\"max\":1}}}"));
    jr_policy_store_publish(w.store);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 4));
    world_synced(&w);
    assert_in_force(w.store, "a@0");
    want_gauge(&w, "1");
    tell_policy(&w, "DELETED", "a", "1", 4);
    assert_in_force(w.store, "a@0");
    want_gauge(&w, "0"); /* one of a file doesn't count */
    assert_null(jr_policy_store_find(w.store, JR_POLICY_OF_API, JR_S("a")));
    world_done(&w);
}

/* ---- what can't be read ---- */

#define BROKEN_OBJECT                                                                            \
    "{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"generation\":2,\"resourceVersion\":\"150\"}," \
    "\"spec\":{\"x\":\"\\ud800\\q\"}}"
#define EVENT(object) "{\"type\":\"MODIFIED\",\"object\":" object "}\n"

static const struct unread {
    const char *name;
    const char *line;
} unread[] = {
    { "broken JSON", EVENT(BROKEN_OBJECT) },
    { "an unknown type",
      "{\"type\":\"CHANGED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\"}}}\n" },
    { "no object", EVENT("42") },
    { "null", EVENT("null") },
    { "no metadata", EVENT("{\"spec\":{}}") },
    { "an empty name", EVENT("{\"metadata\":{\"name\":\"\",\"uid\":\"1\"},\"spec\":{}}") },
    { "a name that is none", EVENT("{\"metadata\":{\"name\":7,\"uid\":\"1\"},\"spec\":{}}") },
};

/** In a watch, in a WatchList, and in a page. */
static void check_unread(const struct unread *u, bool pages)
{
    struct watch_world w;

    world_init(&w);
    w.pages = pages;
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1));
    world_synced(&w);
    w.version = 200;
    tell(&w, POLICIES, u->line);
    world_wait(&w, 10);
    assert_in_force(w.store, "a@1");
    if (strstr(u->line, "CHANGED") == NULL || !pages) {
        list_policies(&w, u->line, policy(&w, "ADDED", "b", "2", 1));
        expire(&w);
        assert_in_force(w.store, "a@1 b@1");
    }
    list_policies(&w, policy(&w, "ADDED", "a", "1", 3));
    expire(&w);
    assert_in_force(w.store, "a@3");
    list_policies(&w, policy(&w, "ADDED", "b", "2", 1));
    expire(&w);
    assert_in_force(w.store, "b@1");
    world_done(&w);
}

static void test_unread(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(unread); i++) {
        check_unread(&unread[i], false);
        check_unread(&unread[i], true);
    }
}

/** Names that no API server takes: a record by such a one could never be found again. */
static void test_impossible_names(void **state)
{
    static const char *const names[] = { "b\\u0000", "b\\u0000c", "B", "b/c", "b?c", "..", "b c" };
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1));
    world_synced(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        tell_policy(&w, "ADDED", names[i], "2", 1);
        world_wait(&w, 1);
        assert_in_force(w.store, "a@1");
    }
    tell_policy(&w, "ADDED", "b.c-d", "2", 1);
    assert_in_force(w.store, "a@1 b.c-d@1");
    world_done(&w);
}

/** Longer than what is read of a watch: 16 MiB. */
static void test_too_long(void **state)
{
    const size_t n = (size_t)17 << 20;
    char *line = malloc(n);
    struct watch_world w;
    int head;

    (void)state;
    assert_non_null(line);
    world_init(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1));
    world_synced(&w);
    head = snprintf(line, n,
                    "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\","
                    "\"generation\":2},\"x\":\"");
    memset(line + head, 'x', n - (size_t)head);
    memcpy(line + n - 6, "\"}}\n\0", 5);
    line[n - 1] = '\0';
    tell(&w, POLICIES, line);
    world_wait(&w, 10);
    assert_in_force(w.store, "a@1");
    tell_policy(&w, "MODIFIED", "a", "1", 3); /* the watch goes on */
    assert_in_force(w.store, "a@3");
    free(line);
    world_done(&w);
}

/* ---- Namespaces ---- */

#define SPACE(type, name, version, labels)                                      \
    "{\"type\":\"" type                                                         \
    "\",\"object\":{\"kind\":\"PartialObjectMetadata\",\"metadata\":{\"name\":" \
    "\"" name "\",\"resourceVersion\":\"" version "\"" labels "}}}\n"
#define LABEL(value) ",\"labels\":{\"team\":\"" value "\"}"

/** value: of the label; "": there is none; NULL: it isn't known. */
static void want_space(struct watch_world *w, const char *name, const char *value)
{
    JR_CLEANUP(jr_namespace_unrefp)
    struct jr_namespace *n = jr_namespaces_get(w->namespaces, jr_str(name));

    if ((n == NULL) != (value == NULL))
        fail_msg("%s is%s known", name, n == NULL ? "n't" : "");
    if (n == NULL || value == NULL)
        return;
    assert_int_equal(n->labels.n, *value != '\0');
    if (*value != '\0')
        assert_str(n->labels.v[0].value, value);
}

static void test_namespaces(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_spaces(&w, SPACE("ADDED", "a", "1", LABEL("x")), SPACE("ADDED", "b", "2", ""));
    world_synced(&w);
    want_space(&w, "a", "x");
    want_space(&w, "b", "");
    want_space(&w, "c", NULL);
    tell(&w, NAMESPACES, SPACE("MODIFIED", "a", "201", LABEL("y")));
    want_space(&w, "a", "y");
    tell(&w, NAMESPACES, SPACE("MODIFIED", "a", "202", ""));
    want_space(&w, "a", "");
    tell(&w, NAMESPACES, SPACE("ADDED", "c", "203", LABEL("z")));
    want_space(&w, "c", "z");
    tell(&w, NAMESPACES, SPACE("DELETED", "c", "204", LABEL("z")));
    want_space(&w, "c", NULL);
    tell(&w, NAMESPACES, SPACE("MODIFIED", "a", "205", ",\"labels\":{\"team\":7}"));
    tell(&w, NAMESPACES, SPACE("MODIFIED", "b", "206", ",\"labels\":[1,\"x\",null]"));
    tell(&w, NAMESPACES, SPACE("MODIFIED", "b", "207", ",\"labels\":null"));
    want_space(&w, "b", "");
    world_done(&w);
}

static void test_namespaces_relisted(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    list_spaces(&w, SPACE("ADDED", "a", "1", LABEL("x")), SPACE("ADDED", "b", "2", LABEL("x")));
    world_synced(&w);
    list_spaces(&w, SPACE("ADDED", "b", "3", LABEL("y")));
    w.version = 300;
    tell(&w, NAMESPACES,
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"reason\":\"Expired\",\"code\":410}}"
         "\n");
    want_space(&w, "a", "x");
    world_wait(&w, 30);
    want_space(&w, "a", NULL);
    want_space(&w, "b", "y");
    world_done(&w);
}

/** What is asked for of the path, by a list in pages and by watches. */
static void want_accept(struct watch_world *w, const char *path, const char *lists,
                        const char *watches)
{
    const struct jr_scripted_call *c;
    size_t n = 0;

    for (size_t i = 0; (c = jr_scripted_call_at(w->api, i)) != NULL; i++) {
        if (!jr_str_starts(c->path, jr_str(path)))
            continue;
        n++;
        assert_str(c->accept,
                   memmem(c->path.p, c->path.n, "?watch=1", 8) == NULL ? lists : watches);
    }
    assert_true(n >= 3); /* a WatchList, a page, a watch */
}

static void test_metadata_only(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.pages = true;
    world_synced(&w);
    want_accept(&w, NAMESPACES,
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    want_accept(&w, POLICIES, "", "");
    world_done(&w);
}

/* ---- both ---- */

static void test_only_namespaces(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.list_status = 500;
    list_spaces(&w, SPACE("ADDED", "a", "1", LABEL("x")));
    world_start(&w, false);
    world_wait(&w, 1);
    assert_true(jr_policy_watch_synced(w.watch));
    assert_true(jr_policy_watch_known_until(w.watch).ns > 0);
    assert_int_equal(w.asked, 0);
    want_gauge(&w, NULL);
    want_space(&w, "a", "x");
    world_done(&w);
    jr_policy_watch_free(NULL);
}

/** A server without the definition has no policies to list, but Namespaces. */
static void test_synced_when_both_are(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.list_status = 404;
    world_start(&w, true);
    world_wait(&w, 60);
    assert_false(jr_policy_watch_synced(w.watch));
    assert_int_equal(w.listed, 0); /* of half of it nothing is said */
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, 0);
    w.list_status = 200;
    world_wait(&w, 60);
    assert_int_equal(w.listed, 1);
    assert_true(jr_policy_watch_synced(w.watch));
    assert_true(jr_policy_watch_known_until(w.watch).ns > 0);
    world_done(&w);
}

static void test_known_until(void **state)
{
    struct watch_world w;
    struct jr_time at;

    (void)state;
    world_init(&w);
    world_synced(&w);
    at = jr_policy_watch_known_until(w.watch);
    assert_int_equal(at.ns, jr_time_s(1772366400).ns);
    world_wait(&w, 20);
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, at.ns);
    tell_bookmark(&w, POLICIES);
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, at.ns); /* Namespaces aren't */
    tell_bookmark(&w, NAMESPACES);
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, w.clock.wall.ns);
    at = w.clock.wall;
    world_wait(&w, 5);
    tell(&w, NAMESPACES, SPACE("ADDED", "a", "400", ""));
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, at.ns);
    tell_policy(&w, "ADDED", "a", "1", 1);
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, w.clock.wall.ns);
    at = w.clock.wall;
    w.away = true;
    expire(&w);
    world_wait(&w, 600);
    assert_int_equal(jr_policy_watch_known_until(w.watch).ns, at.ns);
    w.away = false;
    world_wait(&w, 120);
    w.version = 500;
    tell_bookmark(&w, NAMESPACES);
    assert_true(jr_policy_watch_known_until(w.watch).ns > at.ns); /* by a list, of policies */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_then_watch),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_no_policies),
        cmocka_unit_test(test_status_only),
        cmocka_unit_test(test_relist),
        cmocka_unit_test(test_api_away),
        cmocka_unit_test(test_unusable_is_in_force),
        cmocka_unit_test(test_file_goes_first),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_impossible_names),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_namespaces_relisted),
        cmocka_unit_test(test_metadata_only),
        cmocka_unit_test(test_only_namespaces),
        cmocka_unit_test(test_synced_when_both_are),
        cmocka_unit_test(test_known_until),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
