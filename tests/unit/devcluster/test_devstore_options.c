/* SPDX-License-Identifier: Apache-2.0 */
/* Options of requests, in bodies and queries: what kube-apiserver 1.36.0 answers to each. What is
 * refused does nothing. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

#define MAP "{\"metadata\":{\"name\":\"x\"}}"

/* Ends in a request that shows that the object is as it was made. */
static void run(struct api *a, const char *what, const struct step *steps, size_t n)
{
    static const struct step begin[] = { { "POST", MAPS, MAP, NULL, 201, NULL } };
    static const struct step end[] = { { "DELETE", MAPS "/x", NULL, NULL, 200, NULL } };
    char version[32];

    API_STEPS(a, what, begin);
    (void)snprintf(version, sizeof(version), "%s", a->version);
    api_steps(a, what, steps, n);
    (void)api_call(a, "GET", MAPS "/x", NULL, NULL);
    assert_string_equal(api_get(a, "/metadata/resourceVersion"), version);
    API_STEPS(a, what, end);
}

static void test_bodies_of_deletes(void **state)
{
    static const struct step steps[] = {
        { "DELETE", MAPS "/x", "{\"preconditions\":{\"uid\":5}}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"preconditions\":5}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"preconditions\":{\"resourceVersion\":7}}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"preconditions\":{\"uid\":\"\"}}", NULL, 409, NULL },
        { "DELETE", MAPS "/x", "{\"preconditions\":{\"resourceVersion\":\"\"}}", NULL, 409, NULL },
        { "DELETE", MAPS "/x", "{\"gracePeriodSeconds\":\"5\"}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"gracePeriodSeconds\":1.5}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"orphanDependents\":\"true\"}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"propagationPolicy\":5}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"propagationPolicy\":\"Sideways\"}", NULL, 422, NULL },
        { "DELETE", MAPS "/x", "{\"propagationPolicy\":\"\"}", NULL, 422, NULL },
        { "DELETE", MAPS "/x", "{\"propagationPolicy\":\"Orphan\",\"orphanDependents\":true}", NULL,
          422, NULL },
        { "DELETE", MAPS "/x", "{\"dryRun\":\"All\"}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"dryRun\":[5]}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"dryRun\":[\"Some\"]}", NULL, 422, NULL },
        { "DELETE", MAPS "/x", "{\"dryRun\":[\"All\",\"Some\"]}", NULL, 422, NULL },
        { "DELETE", MAPS "/x", "{\"dryRun\":[\"All\",\"All\"]}", NULL, 200, NULL },
        { "DELETE", MAPS "/x", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "{\"kind\":5}", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "[]", NULL, 400, NULL },
        { "DELETE", MAPS "/x", "5", NULL, 400, NULL },
        /* of many, too */
        { "DELETE", MAPS, "{\"preconditions\":{\"uid\":5}}", NULL, 400, NULL },
        { "DELETE", MAPS, "{\"dryRun\":[\"Some\"]}", NULL, 422, NULL },
    };

    run(*state, "bodies", steps, JR_ARRAY_SIZE(steps));
}

static void test_queries_of_deletes(void **state)
{
    static const struct step steps[] = {
        { "DELETE", MAPS "/x?gracePeriodSeconds=x", NULL, NULL, 400, NULL },
        { "DELETE", MAPS "/x?gracePeriodSeconds=", NULL, NULL, 400, NULL },
        { "DELETE", MAPS "/x?gracePeriodSeconds=9223372036854775808", NULL, NULL, 400, NULL },
        { "DELETE", MAPS "/x?propagationPolicy=Sideways", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?propagationPolicy=", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?orphanDependents=x&propagationPolicy=Orphan", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?dryRun=Some", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?dryRun=", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?dryRun=All&dryRun=Some", NULL, NULL, 422, NULL },
        { "DELETE", MAPS "/x?dryRun=All", NULL, NULL, 200, NULL },
    };

    run(*state, "queries", steps, JR_ARRAY_SIZE(steps));
}

static void test_reads(void **state)
{
    static const struct step steps[] = {
        { "GET", MAPS "?limit=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?limit=", NULL, NULL, 400, NULL },
        { "GET", MAPS "?limit=-1", NULL, NULL, 200, NULL },
        { "GET", MAPS "?timeoutSeconds=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?timeoutSeconds=", NULL, NULL, 400, NULL },
        { "GET", MAPS "?timeoutSeconds=-1", NULL, NULL, 200, NULL },
        { "GET", MAPS "?resourceVersion=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?resourceVersion=", NULL, NULL, 200, NULL },
        { "GET", MAPS "?sendInitialEvents=true", NULL, NULL, 422, NULL },
        { "GET", MAPS "?watch=FALSE", NULL, NULL, 200, "/kind=ConfigMapList" },
        { "GET", MAPS "?watch=0", NULL, NULL, 200, "/kind=ConfigMapList" },
        { "GET", MAPS "?watch=yes&limit=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?watch=&timeoutSeconds=x", NULL, NULL, 400, NULL },
        { "GET", MAPS "?watch=true&resourceVersion=x", NULL, NULL, 500, NULL },
        { "GET", MAPS "/x?resourceVersion=x", NULL, NULL, 500, NULL },
        { "GET", MAPS "/x?resourceVersion=-1", NULL, NULL, 500, NULL },
        { "GET", MAPS "/x?resourceVersion=", NULL, NULL, 200, NULL },
    };

    run(*state, "reads", steps, JR_ARRAY_SIZE(steps));
}

#define LONG_NAME "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_writes(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS "?dryRun=", MAP, NULL, 422, NULL },
        { "PUT", MAPS "/x?dryRun=All&dryRun=Some", MAP, NULL, 422, NULL },
        { "PATCH", MAPS "/x?dryRun=", "{}", MERGE, 422, NULL },
        { "PUT", MAPS "/x?fieldValidation=Loose", MAP, NULL, 422, NULL },
        { "PUT", MAPS "/x?fieldManager=" LONG_NAME LONG_NAME LONG_NAME, MAP, NULL, 422, NULL },
        { "PATCH", MAPS "/x?force=true", "{}", MERGE, 422, NULL },
        { "PATCH", MAPS "/x?force=x", "{}", MERGE, 422, NULL },
        { "PATCH", MAPS "/x?force=false", "{}", MERGE, 200, NULL },
    };

    run(*state, "writes", steps, JR_ARRAY_SIZE(steps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_bodies_of_deletes),
        API_TEST(test_queries_of_deletes),
        API_TEST(test_reads),
        API_TEST(test_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
