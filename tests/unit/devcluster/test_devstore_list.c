/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: selectors, pages of one snapshot, versions. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

static void make(struct api *a, const char *name, const char *labels)
{
    char body[256];

    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\",\"labels\":{%s}}}", name,
                   labels);
    assert_int_equal(api_call(a, "POST", MAPS, body, NULL), 201);
}

/* The names of the last list, "a b c". */
static const char *names(struct api *a)
{
    static char text[4096];
    size_t n = 0;

    text[0] = '\0';
    for (const struct jr_node *i = jr_first(jr_get(jr_doc_root(a->doc), "items")); i != NULL;
         i = jr_next(i))
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n > 0 ? " " : "",
                              JR_P(jr_get_str(jr_get(i, "metadata"), "name")));
    return text;
}

static void expect_list(struct api *a, const char *path, const char *want)
{
    if (api_call(a, "GET", path, NULL, NULL) != 200 || strcmp(names(a), want) != 0)
        fail_msg("%s: %d '%s', not '%s' (%.200s)", path, a->status, names(a), want, a->text.p);
}

static void test_selectors(void **state)
{
    static const struct {
        const char *query;
        const char *want;
    } rows[] = {
        { "", "a b c d" },
        { "?labelSelector=app%3Dx", "a b" },
        { "?labelSelector=app%3D%3Dx", "a b" },
        { "?labelSelector=app!%3Dx", "c d" },
        { "?labelSelector=app", "a b c" },
        { "?labelSelector=!app", "d" },
        { "?labelSelector=app%20in%20(x,y)", "a b c" },
        { "?labelSelector=app%20in%20(%20y%20)", "c" },
        { "?labelSelector=app%20notin%20(x)", "c d" },
        { "?labelSelector=app%3Dx,tier%3Dweb", "a" },
        { "?labelSelector=app%3D", "" },
        { "?labelSelector=k8s.io/a%3Db", "d" },
        { "?fieldSelector=metadata.name%3Db", "b" },
        { "?fieldSelector=metadata.name!%3Db", "a c d" },
        { "?fieldSelector=metadata.namespace%3Ddefault,metadata.name%3Dc", "c" },
        { "?fieldSelector=metadata.namespace%3Dother", "" },
        { "?labelSelector=app&fieldSelector=metadata.name%3Da", "a" },
    };
    static const struct step bad[] = {
        { "GET", MAPS "?labelSelector=a%3D%3D%3Db", NULL, NULL, 400, NULL },
        { "GET", MAPS "?labelSelector=a%20in%20x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?labelSelector=,", NULL, NULL, 400, NULL },
        { "GET", MAPS "?fieldSelector=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?fieldSelector=spec.nodeName%3Dx", NULL, NULL, 400, NULL },
        { "GET", PODS "?fieldSelector=spec.foo%3Dx", NULL, NULL, 400, NULL },
        { "GET", MAPS "?limit=x", NULL, NULL, 400, NULL },
    };
    struct api *a = *state;

    make(a, "a", "\"app\":\"x\",\"tier\":\"web\"");
    make(a, "b", "\"app\":\"x\"");
    make(a, "c", "\"app\":\"y\"");
    make(a, "d", "\"k8s.io/a\":\"b\"");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char path[256];

        (void)snprintf(path, sizeof(path), "%s%s", MAPS, rows[i].query);
        expect_list(a, path, rows[i].want);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++)
        assert_int_equal(api_call(a, "GET", bad[i].path, NULL, NULL), bad[i].want);
}

static void test_fields_of_pods_and_events(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":"
          "\"c\",\"image\":\"x\"}]}}",
          NULL, 201, NULL },
        { "POST", PODS, "{\"metadata\":{\"name\":\"q\"}," POD_SPEC "}", NULL, 201, NULL },
        { "GET", PODS "?fieldSelector=spec.nodeName%3Dn", NULL, NULL, 200,
          "/items/0/metadata/name=p /items/1=- /items/0/kind=-" },
        { "GET", PODS "?fieldSelector=spec.nodeName%3D", NULL, NULL, 200,
          "/items/0/metadata/name=q" },
        { "PATCH", PODS "/q/status", "{\"status\":{\"phase\":\"Failed\"}}", MERGE, 200, NULL },
        { "GET", PODS "?fieldSelector=status.phase!%3DPending", NULL, NULL, 200,
          "/items/0/metadata/name=q /items/1=-" },
        { "POST", "/api/v1/namespaces/default/events",
          "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\","
          "\"uid\":\"u\"},\"reason\":"
          "\"Started\",\"type\":\"Normal\"}",
          NULL, 201, NULL },
        { "GET", "/api/v1/events?fieldSelector=involvedObject.uid%3Du,reason%3DStarted", NULL, NULL,
          200, "/items/0/metadata/name=e" },
        { "GET", "/api/v1/events?fieldSelector=involvedObject.uid%3Dx", NULL, NULL, 200,
          "/items=[]" },
    };

    API_STEPS(*state, "fields", steps);
}

static void test_pages_show_one_snapshot(void **state)
{
    struct api *a = *state;

    make(a, "a", "\"x\":\"1\"");
    make(a, "b", "");
    make(a, "c", "\"x\":\"1\"");
    make(a, "d", "");
    make(a, "e", "\"x\":\"1\"");
    expect_list(a, MAPS "?limit=2", "a b");
    assert_string_equal(api_get(a, "/metadata/remainingItemCount"), "3");
    assert_string_equal(api_get(a, "/metadata/resourceVersion"), "11");
    /* What happens now isn't in the pages that follow. */
    make(a, "bb", "");
    assert_int_equal(api_call(a, "DELETE", MAPS "/d", NULL, NULL), 200);
    assert_int_equal(api_call(a, "PATCH", MAPS "/e", "{\"data\":{\"new\":\"1\"}}", MERGE), 200);
    expect_list(a, MAPS "?limit=2&continue={continue}", "c d");
    assert_string_equal(api_get(a, "/metadata/resourceVersion"), "11");
    expect_list(a, MAPS "?limit=2&continue={continue}", "e");
    assert_string_equal(api_get(a, "/items/0/data"), "-");
    assert_string_equal(api_get(a, "/metadata/continue"), "-");
    expect_list(a, MAPS, "a b bb c e");
    /* With a selector the rest isn't counted. */
    expect_list(a, MAPS "?limit=1&labelSelector=x", "a");
    assert_string_equal(api_get(a, "/metadata/remainingItemCount"), "-");
    expect_list(a, MAPS "?limit=1&labelSelector=x&continue={continue}", "c");
    /* A list from the cache has no pages. */
    expect_list(a, MAPS "?limit=1&resourceVersion=0", "a b bb c e");
    /* The state of a version. */
    expect_list(a, MAPS "?resourceVersion=9&resourceVersionMatch=Exact", "a b c");
    expect_list(a, MAPS "?resourceVersion=9&resourceVersionMatch=NotOlderThan", "a b bb c e");
}

static void test_expired_versions(void **state)
{
    static const struct step steps[] = {
        { "GET", MAPS "?limit=1&continue={continue}", NULL, NULL, 410, "/reason=Expired" },
        { "GET", MAPS "?resourceVersion=7&resourceVersionMatch=Exact", NULL, NULL, 410,
          "/reason=Expired" },
        { "GET", MAPS "?resourceVersion=8&resourceVersionMatch=Exact", NULL, NULL, 200, NULL },
        { "GET", MAPS "?resourceVersion=7", NULL, NULL, 200, NULL },
    };
    struct api *a = *state;

    make(a, "a", "");
    assert_int_equal(api_call(a, "GET", MAPS "?limit=1", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/metadata/continue"), "-");
    make(a, "b", "");
    assert_int_equal(api_call(a, "GET", "/api/v1/namespaces?limit=1&resourceVersion=7", NULL, NULL),
                     200);
    assert_string_not_equal(api_get(a, "/metadata/continue"), "-");
    make(a, "c", "");
    jr_dev_compact(a->store, 8);
    /* The token stood at version 7, which is still there; now it isn't. */
    assert_int_equal(
        api_call(a, "GET", "/api/v1/namespaces?limit=1&continue={continue}", NULL, NULL), 200);
    (void)api_call(a, "GET", MAPS "?limit=1", NULL, NULL);
    make(a, "d", "");
    jr_dev_compact(a->store, 10);
    assert_int_equal(jr_dev_revision(a->store), 10);
    api_steps(a, "expired", steps, 2);
    assert_int_equal(
        api_call(a, "GET", MAPS "?resourceVersion=10&resourceVersionMatch=Exact", NULL, NULL), 200);
    api_steps(a, "expired", steps + 3, 1);
}

static void test_versions(void **state)
{
    static const struct step steps[] = {
        { "GET", MAPS "?resourceVersion=999", NULL, NULL, 504,
          "/details/causes/0/reason=ResourceVersionTooLarge /details/retryAfterSeconds=1 "
          "/reason=Timeout" },
        { "GET", MAPS "/a?resourceVersion=999", NULL, NULL, 504, NULL },
        { "GET", MAPS "?resourceVersion=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?resourceVersionMatch=Exact", NULL, NULL, 422, NULL },
        { "GET", MAPS "?resourceVersionMatch=Exact&resourceVersion=0", NULL, NULL, 422, NULL },
        { "GET", MAPS "?resourceVersionMatch=Foo&resourceVersion=6", NULL, NULL, 422, NULL },
        { "GET", MAPS "?continue=AAAA", NULL, NULL, 400, NULL },
        { "GET", MAPS "?continue=a!b", NULL, NULL, 400, NULL },
        { "GET", MAPS "?resourceVersion=6", NULL, NULL, 200, "/metadata/resourceVersion=6" },
    };

    API_STEPS(*state, "versions", steps);
}

static void test_history_is_bounded(void **state)
{
    struct api *a = *state;

    api_end(a);
    api_begin(a, 10);
    make(a, "first", "");
    for (int i = 0; i < 100; i++) {
        char body[64];

        (void)snprintf(body, sizeof(body), "{\"data\":{\"i\":\"%d\"}}", i);
        assert_int_equal(api_call(a, "PATCH", MAPS "/first", body, MERGE), 200);
    }
    assert_int_equal(jr_dev_revision(a->store), 107);
    assert_int_equal(
        api_call(a, "GET", MAPS "?resourceVersion=96&resourceVersionMatch=Exact", NULL, NULL), 410);
    assert_int_equal(
        api_call(a, "GET", MAPS "?resourceVersion=98&resourceVersionMatch=Exact", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items/0/data/i"), "90");
}

/* The order of keys is that of "namespace/name" as bytes. */
static void test_all_namespaces(void **state)
{
    struct api *a = *state;

    static const char *const spaces[] = { "a", "a-b", "a0" };
    for (size_t i = 0; i < JR_ARRAY_SIZE(spaces); i++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"%s\"}}", spaces[i]);
        assert_int_equal(api_call(a, "POST", "/api/v1/namespaces", text, NULL), 201);
        (void)snprintf(text, sizeof(text), "/api/v1/namespaces/%s/configmaps", spaces[i]);
        assert_int_equal(api_call(a, "POST", text, "{\"metadata\":{\"name\":\"x\"}}", NULL), 201);
    }
    assert_int_equal(api_call(a, "GET", "/api/v1/configmaps", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items/0/metadata/namespace"), "a-b");
    assert_string_equal(api_get(a, "/items/1/metadata/namespace"), "a");
    assert_string_equal(api_get(a, "/items/2/metadata/namespace"), "a0");
    assert_int_equal(api_call(a, "GET", "/api/v1/namespaces/a/configmaps", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items/1"), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_selectors),
        API_TEST(test_fields_of_pods_and_events),
        API_TEST(test_pages_show_one_snapshot),
        API_TEST(test_expired_versions),
        API_TEST(test_versions),
        API_TEST(test_history_is_bounded),
        API_TEST(test_all_namespaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
