/* SPDX-License-Identifier: Apache-2.0 */
/* What defaulting makes of each part of a PodSpec. The wants are an API server's own answers,
 * without what Go writes though it is empty. */
#include "tests/unit/pod/container_test.h"

/* Specs and wants that many rows share. */
#define LOGGED(policy)                    \
    ",\"terminationMessagePath\":\"/dev/" \
    "termination-log\",\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"" policy "\"}]"
#define IMAGE(image) "{\"containers\":[{\"name\":\"c\",\"image\":\"" image "\"}]}"
#define PULLED(image, policy) \
    "[{\"name\":\"c\",\"image\":\"" image "\",\"resources\":{}" LOGGED(policy)
#define FULL(member)                                                                               \
    "{\"" member                                                                                   \
    "\":[{\"name\":\"c\",\"image\":\"x:1\",\"ports\":[{\"containerPort\":1}],\"env\":[{\"name\":"  \
    "\"A\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"},\"fileKeyRef\":{"         \
    "\"volumeName\":\"v\",\"path\":\"p\",\"key\":\"k\"}}}],\"livenessProbe\":{\"grpc\":{\"port\":" \
    "1}},\"readinessProbe\":{\"httpGet\":{\"port\":1}},\"startupProbe\":{},\"lifecycle\":{"        \
    "\"preStop\":{\"httpGet\":{\"port\":1}}},\"resources\":{\"requests\":{\"cpu\":\"0.0001\"}}}]}"
#define FULL_DEFAULTED                                                                             \
    "[{\"name\":\"c\",\"image\":\"x:1\",\"ports\":[{\"containerPort\":1,\"protocol\":\"TCP\"}],"   \
    "\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":"   \
    "\"metadata.name\"},\"fileKeyRef\":{\"volumeName\":\"v\",\"path\":\"p\",\"key\":\"k\","        \
    "\"optional\":false}}}],\"resources\":{\"requests\":{\"cpu\":\"1m\"}},\"livenessProbe\":{"     \
    "\"grpc\":{\"port\":1,\"service\":\"\"},\"timeoutSeconds\":1,\"periodSeconds\":10,"            \
    "\"successThreshold\":1,\"failureThreshold\":3},\"readinessProbe\":{\"httpGet\":{\"path\":\"/" \
    "\",\"port\":1,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,\"periodSeconds\":10,"                \
    "\"successThreshold\":1,\"failureThreshold\":3},\"startupProbe\":{\"timeoutSeconds\":1,"       \
    "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3},\"lifecycle\":{"          \
    "\"preStop\":{\"httpGet\":{\"path\":\"/\",\"port\":1,\"scheme\":\"HTTP\"}}}" LOGGED(           \
        "IfNotPresent")

static void want_text(const char *name, const struct jr_node *have, const char *want)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    assert_int_equal(jr_node_print(have, &text), JR_OK);
    WANT_STR(name, text.p, want);
}

static void parts(void **state)
{
    static const struct {
        const char *member; /* of the PodSpec */
        const char *spec;
        const char *want; /* NULL: absent */
    } rows[] = {
        { "volumes",
          "{\"volumes\":[{\"name\":\"a\"},{\"name\":\"b\",\"emptyDir\":null},{\"name\":\"c\","
          "\"secret\":{}},{\"name\":\"d\",\"configMap\":{\"defaultMode\":0}},{\"name\":\"e\","
          "\"downwardAPI\":{\"items\":[{\"path\":\"p\",\"fieldRef\":{\"fieldPath\":\"metadata."
          "name\"}},{\"path\":\"q\",\"fieldRef\":{\"apiVersion\":\"v2\"}},{\"path\":\"r\","
          "\"resourceFieldRef\":{\"divisor\":\"1\"}}]}}]}",
          "[{\"name\":\"a\",\"emptyDir\":{}},{\"name\":\"b\",\"emptyDir\":{}},{\"name\":\"c\","
          "\"secret\":{\"defaultMode\":420}},{\"name\":\"d\",\"configMap\":{\"defaultMode\":0}},{"
          "\"name\":\"e\",\"downwardAPI\":{\"items\":[{\"path\":\"p\",\"fieldRef\":{\"apiVersion\":"
          "\"v1\",\"fieldPath\":\"metadata.name\"}},{\"path\":\"q\",\"fieldRef\":{\"apiVersion\":"
          "\"v2\"}},{\"path\":\"r\",\"resourceFieldRef\":{\"divisor\":\"1\"}}],\"defaultMode\":420}"
          "}]" },
        { "volumes",
          "{\"volumes\":[{\"name\":\"a\",\"hostPath\":{\"path\":\"/"
          "\"}},{\"name\":\"b\",\"hostPath\":{\"path\":\"/"
          "\",\"type\":\"File\"}},{\"name\":\"c\",\"iscsi\":{\"lun\":1}},{\"name\":\"d\",\"iscsi\":"
          "{\"iscsiInterface\":\"x\",\"lun\":1}},{\"name\":\"e\",\"rbd\":{\"monitors\":[\"m\"],"
          "\"image\":\"i\",\"pool\":\"\"}},{\"name\":\"f\",\"scaleIO\":{\"fsType\":\"ext4\"}},{"
          "\"name\":\"g\",\"azureDisk\":{}},{\"name\":\"h\",\"azureDisk\":{\"cachingMode\":\"\","
          "\"fsType\":\"\",\"readOnly\":true,\"kind\":\"\"}}]}",
          "[{\"name\":\"a\",\"hostPath\":{\"path\":\"/"
          "\",\"type\":\"\"}},{\"name\":\"b\",\"hostPath\":{\"path\":\"/"
          "\",\"type\":\"File\"}},{\"name\":\"c\",\"iscsi\":{\"lun\":1,\"iscsiInterface\":"
          "\"default\"}},{\"name\":\"d\",\"iscsi\":{\"lun\":1,\"iscsiInterface\":\"x\"}},{\"name\":"
          "\"e\",\"rbd\":{\"monitors\":[\"m\"],\"image\":\"i\",\"pool\":\"rbd\",\"user\":\"admin\","
          "\"keyring\":\"/etc/ceph/"
          "keyring\"}},{\"name\":\"f\",\"scaleIO\":{\"storageMode\":\"ThinProvisioned\",\"fsType\":"
          "\"ext4\"}},{\"name\":\"g\",\"azureDisk\":{\"cachingMode\":\"ReadWrite\",\"fsType\":"
          "\"ext4\",\"readOnly\":false,\"kind\":\"Shared\"}},{\"name\":\"h\",\"azureDisk\":{"
          "\"cachingMode\":\"\",\"fsType\":\"\",\"readOnly\":true,\"kind\":\"\"}}]" },
        { "volumes",
          "{\"volumes\":[{\"name\":\"a\",\"projected\":{}},{\"name\":\"b\",\"projected\":{"
          "\"defaultMode\":0,\"sources\":[null,{\"downwardAPI\":{\"items\":[{\"path\":\"p\","
          "\"fieldRef\":{}}]}},{\"serviceAccountToken\":{\"path\":\"t\"}},{\"serviceAccountToken\":"
          "{\"path\":\"t\",\"expirationSeconds\":0}},{\"secret\":{\"name\":\"s\"}}]}}]}",
          "[{\"name\":\"a\",\"projected\":{\"defaultMode\":420}},{\"name\":\"b\",\"projected\":{"
          "\"sources\":[{},{\"downwardAPI\":{\"items\":[{\"path\":\"p\",\"fieldRef\":{"
          "\"apiVersion\":\"v1\"}}]}},{\"serviceAccountToken\":{\"expirationSeconds\":3600,"
          "\"path\":\"t\"}},{\"serviceAccountToken\":{\"expirationSeconds\":0,\"path\":\"t\"}},{"
          "\"secret\":{\"name\":\"s\"}}],\"defaultMode\":0}}]" },
        { "volumes",
          "{\"volumes\":[{\"name\":\"a\",\"ephemeral\":{}},{\"name\":\"b\",\"ephemeral\":{"
          "\"volumeClaimTemplate\":{}}},{\"name\":\"c\",\"ephemeral\":{\"volumeClaimTemplate\":{"
          "\"spec\":{\"volumeMode\":\"Block\",\"resources\":{\"requests\":{\"storage\":\"1500u\"},"
          "\"limits\":{\"storage\":\"1.0005\"}}}}}},{\"name\":\"d\",\"image\":{\"reference\":\"x\"}"
          "},{\"name\":\"e\",\"image\":{\"reference\":\"x:1\",\"pullPolicy\":\"\"}},{\"name\":"
          "\"f\",\"image\":{\"reference\":\"x:1\",\"pullPolicy\":\"Never\"}},{\"name\":\"g\","
          "\"emptyDir\":{\"sizeLimit\":\"1n\"}}]}",
          "[{\"name\":\"a\",\"ephemeral\":{}},{\"name\":\"b\",\"ephemeral\":{"
          "\"volumeClaimTemplate\":{\"spec\":{\"volumeMode\":\"Filesystem\"}}}},{\"name\":\"c\","
          "\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{\"resources\":{\"limits\":{"
          "\"storage\":\"1001m\"},\"requests\":{\"storage\":\"2m\"}},\"volumeMode\":\"Block\"}}}},{"
          "\"name\":\"d\",\"image\":{\"reference\":\"x\",\"pullPolicy\":\"Always\"}},{\"name\":"
          "\"e\",\"image\":{\"reference\":\"x:1\",\"pullPolicy\":\"IfNotPresent\"}},{\"name\":"
          "\"f\",\"image\":{\"reference\":\"x:1\",\"pullPolicy\":\"Never\"}},{\"name\":\"g\","
          "\"emptyDir\":{\"sizeLimit\":\"1n\"}}]" },
        { "containers",
          "{\"containers\":[{\"name\":\"c\"},{\"name\":\"d\",\"image\":\"x:1\",\"imagePullPolicy\":"
          "\"Never\",\"terminationMessagePath\":\"/"
          "x\",\"terminationMessagePolicy\":\"x\",\"resources\":null},{\"name\":\"e\",\"image\":"
          "\"h:5000/"
          "x\",\"ports\":[{\"containerPort\":1},{\"containerPort\":2,\"protocol\":\"UDP\"},null]}]"
          "}",
          "[{\"name\":\"c\",\"resources\":{},\"terminationMessagePath\":\"/dev/"
          "termination-log\",\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":"
          "\"IfNotPresent\"},{\"name\":\"d\",\"image\":\"x:1\",\"resources\":{},"
          "\"terminationMessagePath\":\"/"
          "x\",\"terminationMessagePolicy\":\"x\",\"imagePullPolicy\":\"Never\"},{\"name\":\"e\","
          "\"image\":\"h:5000/"
          "x\",\"ports\":[{\"containerPort\":1,\"protocol\":\"TCP\"},{\"containerPort\":2,"
          "\"protocol\":\"UDP\"},{\"protocol\":\"TCP\"}],\"resources\":{}" LOGGED("Always") },
        { "containers",
          "{\"containers\":[{\"name\":\"c\",\"image\":\"x:1\",\"env\":[{\"name\":\"A\","
          "\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}},{\"name\":\"B\","
          "\"valueFrom\":{\"fileKeyRef\":{\"volumeName\":\"v\",\"path\":\"p\",\"key\":\"k\"}}},{"
          "\"name\":\"C\",\"valueFrom\":{\"fileKeyRef\":{\"volumeName\":\"v\",\"path\":\"p\","
          "\"key\":\"k\",\"optional\":true}}}],\"resources\":{\"limits\":{\"cpu\":\"100500u\","
          "\"memory\":\"-1.0005\"},\"requests\":{\"cpu\":\"1n\",\"memory\":\"1500m\"}}}]}",
          "[{\"name\":\"c\",\"image\":\"x:1\",\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":"
          "{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.name\"}}},{\"name\":\"B\",\"valueFrom\":"
          "{\"fileKeyRef\":{\"volumeName\":\"v\",\"path\":\"p\",\"key\":\"k\",\"optional\":false}}}"
          ",{\"name\":\"C\",\"valueFrom\":{\"fileKeyRef\":{\"volumeName\":\"v\",\"path\":\"p\","
          "\"key\":\"k\",\"optional\":true}}}],\"resources\":{\"limits\":{\"cpu\":\"101m\","
          "\"memory\":\"-1001m\"},\"requests\":{\"cpu\":\"1m\",\"memory\":\"1500m\"}}" LOGGED(
              "IfNotPresent") },
        { "containers",
          "{\"containers\":[{\"name\":\"c\",\"image\":\"x:1\",\"livenessProbe\":{"
          "\"timeoutSeconds\":0,\"httpGet\":{\"port\":1}},\"readinessProbe\":{\"periodSeconds\":-1,"
          "\"grpc\":{\"port\":1}},\"startupProbe\":{\"failureThreshold\":9,\"grpc\":{\"port\":1,"
          "\"service\":\"s\"},\"httpGet\":{\"port\":\"a\",\"path\":\"x\",\"scheme\":\"HTTPS\"}},"
          "\"lifecycle\":{\"postStart\":{\"httpGet\":{\"port\":1}},\"preStop\":{\"sleep\":{"
          "\"seconds\":1}}}}]}",
          "[{\"name\":\"c\",\"image\":\"x:1\",\"resources\":{},\"livenessProbe\":{\"httpGet\":{"
          "\"path\":\"/"
          "\",\"port\":1,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,\"periodSeconds\":10,"
          "\"successThreshold\":1,\"failureThreshold\":3},\"readinessProbe\":{\"grpc\":{\"port\":1,"
          "\"service\":\"\"},\"timeoutSeconds\":1,\"periodSeconds\":-1,\"successThreshold\":1,"
          "\"failureThreshold\":3},\"startupProbe\":{\"httpGet\":{\"path\":\"x\",\"port\":\"a\","
          "\"scheme\":\"HTTPS\"},\"grpc\":{\"port\":1,\"service\":\"s\"},\"timeoutSeconds\":1,"
          "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":9},\"lifecycle\":{"
          "\"postStart\":{\"httpGet\":{\"path\":\"/"
          "\",\"port\":1,\"scheme\":\"HTTP\"}},\"preStop\":{\"sleep\":{\"seconds\":1}}}" LOGGED(
              "IfNotPresent") },
        { "initContainers", FULL("initContainers"), FULL_DEFAULTED },
        { "ephemeralContainers", FULL("ephemeralContainers"), FULL_DEFAULTED },
        { "containers", IMAGE("x"), PULLED("x", "Always") },
        { "containers", IMAGE("x:latest"), PULLED("x:latest", "Always") },
        { "containers", IMAGE("x:1"), PULLED("x:1", "IfNotPresent") },
        { "containers", IMAGE("X"), PULLED("X", "IfNotPresent") },
        { "containers",
          IMAGE("x@sha256:0000000000000000000000000000000000000000000000000000000000000000"),
          PULLED("x@sha256:0000000000000000000000000000000000000000000000000000000000000000",
                 "IfNotPresent") },
        { "containers",
          IMAGE("x:latest@sha256:0000000000000000000000000000000000000000000000000000000000000000"),
          PULLED("x:latest@sha256:0000000000000000000000000000000000000000000000000000000000000000",
                 "Always") },
        { "containers", IMAGE("h:5000/x"), PULLED("h:5000/x", "Always") },
        { "containers", IMAGE("h:5000/x:latest"), PULLED("h:5000/x:latest", "Always") },
        { "containers", IMAGE("x:LATEST"), PULLED("x:LATEST", "IfNotPresent") },
        { "containers", IMAGE("x:"), PULLED("x:", "IfNotPresent") },
        { "containers", IMAGE("a//b"), PULLED("a//b", "IfNotPresent") },
        { "containers", IMAGE(" x"), PULLED(" x", "IfNotPresent") },
        { "overhead", "{\"overhead\":{\"cpu\":\"1500u\",\"memory\":\"1Gi\",\"x\":\"-1n\"}}",
          "{\"cpu\":\"2m\",\"memory\":\"1Gi\",\"x\":\"-1m\"}" },
        { "resources",
          "{\"resources\":{\"limits\":{\"cpu\":\"1n\"},\"requests\":{\"memory\":\"1500m\"}}}",
          "{\"limits\":{\"cpu\":\"1m\"},\"requests\":{\"memory\":\"1500m\"}}" },
        { "dnsPolicy", "{\"dnsPolicy\":\"\"}", "\"ClusterFirst\"" },
        { "restartPolicy", "{\"restartPolicy\":\"\"}", "\"Always\"" },
        { "schedulerName", "{\"schedulerName\":\"\"}", "\"default-scheduler\"" },
        { "dnsPolicy", "{\"dnsPolicy\":\"Default\"}", "\"Default\"" },
        { "securityContext", "{\"securityContext\":null}", "{}" },
        { "terminationGracePeriodSeconds", "{\"terminationGracePeriodSeconds\":0}", "0" },
        { "terminationGracePeriodSeconds", "{\"terminationGracePeriodSeconds\":null}", "30" },
        { "enableServiceLinks", "{}", NULL },
    };

    const struct jr_profile profile = jr_profile_default();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        DOC *doc = must_parse_json(rows[i].spec);
        DOC *want = must_parse_json(rows[i].want == NULL ? "null" : rows[i].want);

        for (int times = 0; times < 2; times++) { /* the second time changes nothing */
            const struct jr_node *have;

            assert_int_equal(jr_pod_spec_default(jr_doc_root(doc), &profile, NULL, NULL), JR_OK);
            have = jr_get(jr_doc_root(doc), rows[i].member);
            assert_int_equal(have == NULL, rows[i].want == NULL);
            if (have != NULL && !jr_node_equal(have, jr_doc_root(want)))
                want_text(rows[i].spec, have, rows[i].want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
