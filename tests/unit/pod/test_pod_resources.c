/* SPDX-License-Identifier: Apache-2.0 */
/* Resources and claims of a Pod as a whole: what an API server says of each fault. The wants are
 * its own answers. */
#include "tests/support/failalloc.h"
#include "tests/unit/pod/container_test.h"

static const struct jr_pod_opts opts = { .pod_level_resources = true };

static void claims_of_the_pod(void **state)
{
    static const struct row rows[] = {
        { "{\"resourceClaims\":[{},{\"name\":\"c\",\"resourceClaimName\":\"a\"},{\"name\":\"c\","
          "\"resourceClaimTemplateName\":\"b\"},{\"name\":\"A.b\",\"resourceClaimName\":\"\"},{"
          "\"name\":\"d\",\"resourceClaimName\":\"A\",\"resourceClaimTemplateName\":\"B\"},{"
          "\"name\":\"c\"}]}",
          "resourceClaims[0].name: Required value\n"
          "resourceClaims[0]: Invalid value: {...}: must specify one of: `resourceClaimName`, "
          "`resourceClaimTemplateName`\n"
          "resourceClaims[2].name: Duplicate value: \"c\"\n"
          "resourceClaims[3].name: Invalid value: \"A.b\": " DNS_LABEL "\n"
          "resourceClaims[3].resourceClaimName: Invalid value: \"\": " DNS_SUBDOMAIN "\n"
          "resourceClaims[4]: Invalid value: {...}: at most one of `resourceClaimName` or "
          "`resourceClaimTemplateName` may be specified\n"
          "resourceClaims[4].resourceClaimName: Invalid value: \"A\": " DNS_SUBDOMAIN "\n"
          "resourceClaims[4].resourceClaimTemplateName: Invalid value: \"B\": " DNS_SUBDOMAIN "\n"
          "resourceClaims[5].name: Duplicate value: \"c\"\n"
          "resourceClaims[5]: Invalid value: {...}: must specify one of: `resourceClaimName`, "
          "`resourceClaimTemplateName`\n" },
        { "{\"schedulingGroup\":{}}", "schedulingGroup.podGroupName: Invalid value: null: must "
                                      "specify one of: `podGroupName`\n" },
        { "{\"schedulingGroup\":{\"podGroupName\":\"A\"}}",
          "schedulingGroup.podGroupName: Invalid value: \"A\": " DNS_SUBDOMAIN "\n" },
        { "{\"schedulingGroup\":{\"podGroupName\":\"\"}}",
          "schedulingGroup.podGroupName: Invalid value: \"\": " DNS_SUBDOMAIN "\n" },
        { "{\"schedulingGroup\":{\"podGroupName\":\"a\"}}", "" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

static void own_resources(void **state)
{
    static const struct row rows[] = {
        { "{\"resources\":{\"claims\":[]}}",
          "resources.claims: Forbidden: claims may not be set for Resources at pod-level\n" },
        { "{\"resources\":{\"limits\":{\"foo\":\"1\"}}}",
          "resources.limits[foo]: Invalid value: \"foo\": must be a standard resource type or "
          "fully qualified\n" },
        { "{\"resources\":{\"limits\":{\"a b\":\"1\"}}}",
          "resources.limits[a b]: Invalid value: \"a b\": " QUALIFIED_NAME "\n" },
        { "{\"resources\":{\"limits\":{\"example.com/gpu\":\"1500m\"}}}",
          "resources.limits[example.com/gpu]: Unsupported value: \"example.com/gpu\": supported "
          "values: \"cpu\", \"hugepages-\", \"memory\"\n"
          "resources.limits[example.com/gpu]: Invalid value: \"1500m\": must be an integer\n" },
        { "{\"resources\":{\"limits\":{\"pods\":\"1500m\"}}}",
          "resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", "
          "\"hugepages-\", \"memory\"\n"
          "resources.limits[pods]: Invalid value: \"1500m\": must be an integer\n" },
        { "{\"resources\":{\"limits\":{\"cpu\":\"-1\"}}}",
          "resources.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n" },
        { "{\"resources\":{\"limits\":{\"pods\":\"999999999999999999\"}}}",
          "resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", "
          "\"hugepages-\", \"memory\"\n"
          "resources.limits[pods]: Invalid value: \"999999999999999999\": must be an integer\n" },
        { "{\"resources\":{\"limits\":{\"pods\":\"99999999999999999900\"}}}",
          "resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", "
          "\"hugepages-\", \"memory\"\n"
          "resources.limits[pods]: Invalid value: \"99999999999999999900\": must be an integer\n" },
        { "{\"resources\":{\"limits\":{\"pods\":\"99P\"}}}",
          "resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", "
          "\"hugepages-\", \"memory\"\n" },
        { "{\"resources\":{\"limits\":{\"pods\":\"123456789012345e6\"}}}",
          "resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", "
          "\"hugepages-\", \"memory\"\n"
          "resources.limits[pods]: Invalid value: \"123456789012345e6\": must be an integer\n" },
        { "{\"resources\":{\"limits\":{\"hugepages-2Mi\":\"3Mi\"}}}",
          "resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer "
          "multiple of hugepages-2Mi\n"
          "resources: Forbidden: HugePages require cpu or memory\n" },
        { "{\"resources\":{\"requests\":{\"hugepages-2Mi\":\"2Mi\"},\"limits\":{\"cpu\":\"1\"}}}",
          "resources.limits: Required value: Limit must be set for non overcommitable "
          "resources\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"1500u\"},\"limits\":{\"cpu\":\"1m\"}}}",
          "resources.requests: Invalid value: \"2m\": must be less than or equal to cpu limit of "
          "1m\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"os\":{\"name\":\"windows\"}}",
          "resources: Forbidden: may not be set for a windows pod\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

static void sums(void **state)
{
    static const struct row rows[] = {
        { "{\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\",\"resources\":{\"requests\":{\"cpu\":\"600m\"}}},{\"name\":\"d\",\"image\":\"x\","
          "\"resources\":{\"requests\":{\"cpu\":\"401m\"}}}]}",
          "resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to "
          "aggregate container requests of 1001m\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\",\"resources\":{\"requests\":{\"cpu\":\"600m\"}}},{\"name\":\"d\",\"image\":\"x\","
          "\"resources\":{\"requests\":{\"cpu\":\"400m\"}}},{\"name\":\"e\",\"image\":\"x\","
          "\"resources\":{\"requests\":{\"memory\":\"1\"}}}]}",
          "" },
        { "{\"resources\":{\"requests\":{\"memory\":\"1Gi\"}},\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"512Mi\"}}},{\"name\":\"d\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"0.6Gi\"}}}]}",
          "resources.requests[memory]: Invalid value: \"1Gi\": must be greater than or equal to "
          "aggregate container requests of 1181116006400m\n" },
        { "{\"resources\":{\"requests\":{\"memory\":\"1Gi\"}},\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"0\"}}},{\"name\":\"d\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"2e9\"}}}]}",
          "resources.requests[memory]: Invalid value: \"1Gi\": must be greater than or equal to "
          "aggregate container requests of 2e9\n" },
        { "{\"resources\":{\"requests\":{\"memory\":\"1M\"}},\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"1Mi\"}}}],\"initContainers\":["
          "{\"name\":\"i\",\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"500k\"}},"
          "\"restartPolicy\":\"Always\"}]}",
          "resources.requests[memory]: Invalid value: \"1M\": must be greater than or equal to "
          "aggregate container requests of 1548576\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"2\"}},\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"initContainers\":[{\"name\":"
          "\"i\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"500m\"}}},{\"name\":\"j\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"500m\"}},\"restartPolicy\":"
          "\"Always\"},{\"name\":\"k\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":"
          "\"1600m\"}}}]}",
          "resources.requests[cpu]: Invalid value: \"2\": must be greater than or equal to "
          "aggregate container requests of 2100m\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"2\"}},\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"initContainers\":[{\"name\":"
          "\"i\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"1900m\"}}},{\"name\":\"j\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"500m\"}},\"restartPolicy\":"
          "\"Always\"},{\"name\":\"k\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":"
          "\"1500m\"}}}]}",
          "" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"-3\"}},\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"-1\"}}},{\"name\":\"d\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"-1500m\"}}}]}",
          "containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or "
          "equal to 0\n"
          "containers[1].resources.requests[cpu]: Invalid value: \"-1500m\": must be greater than "
          "or equal to 0\n"
          "resources.requests[cpu]: Invalid value: \"-3\": must be greater than or equal to 0\n"
          "resources.requests[cpu]: Invalid value: \"-3\": must be greater than or equal to "
          "aggregate container requests of -2500m\n" },
        { "{\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\",\"resources\":{\"requests\":{\"cpu\":\"1.5\"}}},{\"name\":\"d\",\"image\":\"x\","
          "\"resources\":{\"requests\":{\"cpu\":\"-600m\"}}}]}",
          "containers[1].resources.requests[cpu]: Invalid value: \"-600m\": must be greater than "
          "or equal to 0\n" },
        { "{\"resources\":{\"requests\":{\"memory\":\"1\"}},\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"9223372036854775807\"}}},{"
          "\"name\":\"d\",\"image\":\"x\",\"resources\":{\"requests\":{\"memory\":\"1\"}}}]}",
          "resources.requests[memory]: Invalid value: \"1\": must be greater than or equal to "
          "aggregate container requests of 9223372036854775808\n" },
        { "{\"resources\":{\"limits\":{\"cpu\":\"1\",\"hugepages-2Mi\":\"4Mi\"}},\"containers\":[{"
          "\"name\":\"c\",\"image\":\"x\",\"resources\":{\"limits\":{\"cpu\":\"1\",\"hugepages-"
          "2Mi\":\"4Mi\"}}},{\"name\":\"d\",\"image\":\"x\",\"resources\":{\"limits\":{\"cpu\":"
          "\"1\",\"hugepages-2Mi\":\"4Mi\"}}}]}",
          "resources.limits[hugepages-2Mi]: Invalid value: \"4Mi\": must be greater than or equal "
          "to aggregate container limits of 8Mi\n" },
        { "{\"resources\":{\"limits\":{\"memory\":\"1Gi\",\"cpu\":\"1\"}},\"containers\":[{"
          "\"name\":\"c\",\"image\":\"x\",\"resources\":{\"limits\":{\"memory\":\"1025Mi\"}}},{"
          "\"name\":\"d\",\"image\":\"x\",\"resources\":{\"limits\":{\"memory\":\"1Gi\"}}},{"
          "\"name\":\"e\",\"image\":\"x\",\"resources\":{\"limits\":{\"cpu\":\"1001m\"}}}],"
          "\"initContainers\":[{\"name\":\"i\",\"image\":\"x\",\"resources\":{\"limits\":{"
          "\"memory\":\"9Gi\"}}}]}",
          "resources.containers[0][memory].limits: Invalid value: \"1025Mi\": must be less than or "
          "equal to pod limits of 1Gi\n"
          "resources.containers[2][cpu].limits: Invalid value: \"1001m\": must be less than or "
          "equal to pod limits of 1\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

static void overhead(void **state)
{
    static const struct row rows[] = {
        { "{\"overhead\":{\"cpu\":\"-1\"}}",
          "overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n" },
        { "{\"overhead\":{\"foo\":\"1\"}}", "overhead.limits[foo]: Invalid value: \"foo\": must be "
                                            "a standard resource type or fully qualified\n"
                                            "overhead.limits[foo]: Invalid value: \"foo\": must be "
                                            "a standard resource for containers\n" },
        { "{\"overhead\":{\"hugepages-2Mi\":\"2Mi\"}}",
          "overhead: Forbidden: HugePages require cpu or memory\n" },
        { "{\"overhead\":{\"cpu\":\"1500u\",\"memory\":\"1Gi\"}}", "" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

/** Whatever allocation fails, it is told. */
static void without_memory(void **state)
{
    static const char text[] =
        "{\"volumes\":[{\"name\":\"a\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"x\"}},{"
        "\"name\":\"b\",\"flexVolume\":{\"driver\":\"d\",\"options\":{\"k8s.io/"
        "a\":\"b\"}}},{\"name\":\"c\",\"azureDisk\":{\"kind\":\"<\"}},{\"name\":\"d\",\"csi\":{"
        "\"driver\":\"A_\"}},{\"name\":\"e\",\"projected\":{\"sources\":[{\"secret\":{\"items\":[{"
        "\"key\":\"k\",\"path\":\"p\"},{\"path\":\"p\"}]}},{\"clusterTrustBundle\":{\"name\":\"a/"
        "b:c\",\"path\":\"p\"}},{\"podCertificate\":{\"signerName\":\"A/"
        "b\",\"keyType\":\"ED25519\",\"keyPath\":\"k\",\"userAnnotations\":{\"a\":\"b\"}}}]}},{"
        "\"name\":\"f\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{\"accessModes\":[\"x\"],"
        "\"resources\":{\"requests\":{\"storage\":\"0\"}},\"selector\":{\"matchLabels\":{\"a "
        "b\":\"c\"}}},\"metadata\":{\"labels\":{\"a\":\"b "
        "c\"}}}}},{\"name\":\"g\",\"downwardAPI\":{\"items\":[{\"path\":\"..\"}]}}],"
        "\"resourceClaims\":[{\"name\":\"A\"}],\"resources\":{\"requests\":{\"cpu\":\"1\",\"a\":\"-"
        "1\"},\"limits\":{\"cpu\":\"1m\",\"hugepages-2Mi\":\"1\"}},\"overhead\":{\"cpu\":\"-1\"},"
        "\"schedulingGroup\":{\"podGroupName\":\"A\"},\"containers\":[{\"name\":\"c\",\"image\":"
        "\"x\",\"resources\":{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"2\",\"hugepages-"
        "2Mi\":\"2Mi\"}}},{\"name\":\"d\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":"
        "\"2\"}}}],\"initContainers\":[{\"name\":\"e\",\"image\":\"x\",\"resources\":{\"requests\":"
        "{\"cpu\":\"2\"}},\"restartPolicy\":\"Always\"}]}";
    DOC *doc = spec_template_of(text);
    size_t errors = 0;

    (void)state;
    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        struct jr_errlist errs;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_failalloc_arm(n);
        jr_pod_template_validate(jr_doc_root(doc), &opts, &JR_FIELD(NULL, "template"), &errs);
        errors = errs.n;
        if (jr_failalloc_over(errs.failed))
            break;
    }
    assert_true(errors > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_of_the_pod),
        cmocka_unit_test(own_resources),
        cmocka_unit_test(sums),
        cmocka_unit_test(overhead),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
