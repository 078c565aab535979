/* SPDX-License-Identifier: Apache-2.0 */
/* Garbage collection: propagation policies, owners that are gone, events that expire. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

#define JOB(name) "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" JOB_TEMPLATE "}}"

/* Makes an object owned by the last one that was answered. */
static void make_owned(struct api *a, const char *kind, const char *version, const char *owner,
                       const char *name, const char *more)
{
    char body[1024];

    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[{\"apiVersion\":\"%s\","
                   "\"kind\":\"%s\","
                   "\"name\":\"%s\",\"uid\":\"{uid}\",\"controller\":true,\"blockOwnerDeletion\":"
                   "true}]%s}," POD_SPEC "}",
                   name, version, kind, owner, more);
    assert_int_equal(api_call(a, "POST", PODS, body, NULL), 201);
}

static void make_job_with_pod(struct api *a, const char *finalizer)
{
    assert_int_equal(api_call(a, "POST", JOBS, JOB("j"), NULL), 201);
    make_owned(a, "Job", "batch/v1", "j", "p", finalizer);
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 200);
}

static void test_background(void **state)
{
    static const struct step steps[] = {
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Background\"}", NULL, 200,
          "/status=Success" },
        { "GET", JOBS "/j", NULL, NULL, 404, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, NULL },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", PODS "/p", NULL, NULL, 404, NULL },
    };

    make_job_with_pod(*state, "");
    API_STEPS(*state, "background", steps);
}

static void test_jobs_orphan_by_default(void **state)
{
    static const struct step steps[] = {
        { "DELETE", JOBS "/j", NULL, NULL, 200,
          "/kind=Job /metadata/finalizers=[\"orphan\"] /metadata/deletionGracePeriodSeconds=0 "
          "/metadata/generation=2" },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", JOBS "/j", NULL, NULL, 404, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, "/metadata/ownerReferences=-" },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, NULL },
    };
    struct api *a = *state;

    make_job_with_pod(a, "");
    api_steps(a, "orphan", steps, 1);
    assert_non_null(strstr(a->warnings.p, "child pods are preserved by default"));
    api_steps(a, "orphan", steps + 1, JR_ARRAY_SIZE(steps) - 1);
}

static void test_orphan_by_policy(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS, "{\"metadata\":{\"name\":\"owner\"}}", NULL, 201, NULL },
    };
    static const struct step later[] = {
        { "DELETE", MAPS "/owner", "{\"orphanDependents\":true}", NULL, 200,
          "/metadata/finalizers=[\"orphan\"]" },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", MAPS "/owner", NULL, NULL, 404, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, "/metadata/ownerReferences=-" },
    };

    API_STEPS(*state, "orphan", steps);
    make_owned(*state, "ConfigMap", "v1", "owner", "p", "");
    API_STEPS(*state, "orphan", later);
}

static void test_foreground(void **state)
{
    static const struct step steps[] = {
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}", NULL, 200,
          "/metadata/finalizers=[\"foregroundDeletion\"]" },
        { "tick", NULL, NULL, NULL, 0, NULL },
        /* The Pod holds it up: its finalizer is still there. */
        { "GET", JOBS "/j", NULL, NULL, 200, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, "/metadata/deletionGracePeriodSeconds=0" },
        { "PATCH", PODS "/p", "{\"metadata\":{\"finalizers\":null}}", MERGE, 200, NULL },
        { "GET", PODS "/p", NULL, NULL, 404, NULL },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", JOBS "/j", NULL, NULL, 404, NULL },
    };

    make_job_with_pod(*state, ",\"finalizers\":[\"a.b/c\"]");
    API_STEPS(*state, "foreground", steps);
}

static void test_another_policy_while_it_waits(void **state)
{
    static const struct step steps[] = {
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foreground\"}", NULL, 200, NULL },
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Background\"}", NULL, 200,
          "/status=Success" },
        { "GET", JOBS "/j", NULL, NULL, 404, NULL },
    };

    make_job_with_pod(*state, ",\"finalizers\":[\"a.b/c\"]");
    API_STEPS(*state, "policies", steps);
}

/* A Pod that is made for a Job that has just gone. */
static void test_an_owner_that_never_was(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS,
          "{\"metadata\":{\"name\":\"late\",\"ownerReferences\":[{\"apiVersion\":\"batch/"
          "v1\",\"kind\":\"Job\",\"name\":"
          "\"gone\",\"uid\":\"no-such\"}]}," POD_SPEC "}",
          NULL, 201, NULL },
        { "POST", PODS,
          "{\"metadata\":{\"name\":\"foreign\",\"ownerReferences\":[{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"ReplicaSet\","
          "\"name\":\"x\",\"uid\":\"y\"}]}," POD_SPEC "}",
          NULL, 201, NULL },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", PODS "/late", NULL, NULL, 404, NULL },
        /* Of kinds that aren't known here nothing can be said. */
        { "GET", PODS "/foreign", NULL, NULL, 200, NULL },
    };

    API_STEPS(*state, "no owner", steps);
}

static void test_one_of_two_owners_goes(void **state)
{
    struct api *a = *state;
    char first[64], body[1024];

    assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"a\"}}", NULL), 201);
    (void)snprintf(first, sizeof(first), "%s", a->uid);
    assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"b\"}}", NULL), 201);
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
                   "\"kind\":\"ConfigMap\","
                   "\"name\":\"a\",\"uid\":\"%s\"},{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                   "\"name\":\"b\",\"uid\":"
                   "\"{uid}\"}]}," POD_SPEC "}",
                   first);
    assert_int_equal(api_call(a, "POST", PODS, body, NULL), 201);
    assert_int_equal(api_call(a, "DELETE", MAPS "/a", NULL, NULL), 200);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/metadata/ownerReferences/0/name"), "b");
    assert_string_equal(api_get(a, "/metadata/ownerReferences/1"), "-");
    assert_int_equal(api_call(a, "DELETE", MAPS "/b", NULL, NULL), 200);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 404);
}

/* The collector goes down the whole tree in one tick. */
static void test_a_chain(void **state)
{
    struct api *a = *state;

    assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"top\"}}", NULL), 201);
    make_owned(a, "ConfigMap", "v1", "top", "p0", "");
    for (int i = 1; i < 10; i++) {
        char owner[16], name[16];

        (void)snprintf(owner, sizeof(owner), "p%d", i - 1);
        (void)snprintf(name, sizeof(name), "p%d", i);
        make_owned(a, "Pod", "v1", owner, name, "");
    }
    assert_int_equal(api_call(a, "DELETE", MAPS "/top", NULL, NULL), 200);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS, NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items"), "[]");
}

static void test_a_foreground_chain(void **state)
{
    struct api *a = *state;

    assert_int_equal(api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"top\"}}", NULL), 201);
    make_owned(a, "ConfigMap", "v1", "top", "p0", "");
    make_owned(a, "Pod", "v1", "p0", "p1", "");
    assert_int_equal(
        api_call(a, "DELETE", MAPS "/top", "{\"propagationPolicy\":\"Foreground\"}", NULL), 200);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS, NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items"), "[]");
    assert_int_equal(api_call(a, "GET", MAPS "/top", NULL, NULL), 404);
}

static void test_an_owner_of_the_same_name_is_another_one(void **state)
{
    struct api *a = *state;

    make_job_with_pod(a, "");
    assert_int_equal(
        api_call(a, "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Background\"}", NULL), 200);
    assert_int_equal(api_call(a, "POST", JOBS, JOB("j"), NULL), 201);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 404);
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 200);
}

static void test_events_expire(void **state)
{
    struct api *a = *state;
    int64_t next;

    assert_true(jr_dev_tick(a->store, a->now) == INT64_MAX);
    assert_int_equal(api_call(a, "POST", "/api/v1/namespaces/default/events",
                              "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{}}", NULL),
                     201);
    next = jr_dev_tick(a->store, a->now);
    assert_true(next > 0 && next <= 60 * JR_SEC);
    api_advance(a, 3000);
    assert_int_equal(
        api_call(a, "PATCH", "/api/v1/namespaces/default/events/e", "{\"count\":2}", MERGE), 200);
    api_advance(a, 3000);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", "/api/v1/namespaces/default/events/e", NULL, NULL), 200);
    api_advance(a, 700);
    api_tick(a);
    assert_int_equal(api_call(a, "GET", "/api/v1/namespaces/default/events/e", NULL, NULL), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_background),
        API_TEST(test_jobs_orphan_by_default),
        API_TEST(test_orphan_by_policy),
        API_TEST(test_foreground),
        API_TEST(test_another_policy_while_it_waits),
        API_TEST(test_an_owner_that_never_was),
        API_TEST(test_one_of_two_owners_goes),
        API_TEST(test_a_chain),
        API_TEST(test_a_foreground_chain),
        API_TEST(test_an_owner_of_the_same_name_is_another_one),
        API_TEST(test_events_expire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
