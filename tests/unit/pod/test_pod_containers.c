/* SPDX-License-Identifier: Apache-2.0 */
/* Containers: what an API server says of each fault. The wants are its own answers. */
#include "tests/unit/pod/container_test.h"

#include "tests/support/failalloc.h"

/* Patches that many rows share. */
#define PORTS(x) CONTAINER("\"ports\":[" x "]")
#define MOUNTS(x) CONTAINER("\"volumeMounts\":[" x "]")
#define DEVICES(x) CONTAINER("\"volumeDevices\":[" x "]")
#define VALUE_FROM(x) CONTAINER("\"env\":[{\"name\":\"A\",\"valueFrom\":{" x "}}]")
#define FIELD_REF(path) VALUE_FROM("\"fieldRef\":{\"fieldPath\":\"" path "\"}")
#define RESOURCE_REF(x) VALUE_FROM("\"resourceFieldRef\":{" x "}")
#define FILE_KEY(x) VALUE_FROM("\"fileKeyRef\":{" x "}")
#define SECRET_KEY(x) VALUE_FROM("\"secretKeyRef\":{" x "}")
#define CONFIG_KEY(x) VALUE_FROM("\"configMapKeyRef\":{" x "}")

/* Answers that many rows share. */
#define AT_VALUE "containers[0].env[0].valueFrom"
#define AT_FIELD AT_VALUE ".fieldRef"
#define AT_RESOURCE AT_VALUE ".resourceFieldRef."
#define ENV_NAME                                                                               \
    "a valid environment variable name must consist only of printable ASCII characters other " \
    "than '='"
#define FIELD_PATHS                                                                           \
    ": supported values: \"metadata.name\", \"metadata.namespace\", \"metadata.uid\", "       \
    "\"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", \"status.hostIPs\", " \
    "\"status.podIP\", \"status.podIPs\""
#define ONLY_DIVISORS                                                                              \
    "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported " \
    "with the "
#define NOT_IN_EPHEMERAL ": Forbidden: cannot be set for an Ephemeral Container\n"

static void names_and_images(void **state)
{
    static const struct row rows[] = {
        { "{\"containers\":[{\"name\":\"Big\",\"image\":\"\"}]}",
          "containers[0].name: Invalid value: \"Big\": " DNS_LABEL "\n"
          "containers[0].image: Required value\n" },
        { "{\"containers\":[{\"name\":\"\",\"image\":\" x\"}]}",
          "containers[0].name: Required value\n" },
        { CONTAINER("\"terminationMessagePolicy\":\"<b>\",\"imagePullPolicy\":\"&\""),
          "containers[0].terminationMessagePolicy: Unsupported value: \"\\u003cb\\u003e\": "
          "supported values: \"File\", \"FallbackToLogsOnError\"\n"
          "containers[0].imagePullPolicy: Unsupported value: \"\\u0026\": supported values: "
          "\"Always\", \"IfNotPresent\", \"Never\"\n" },
        { "{\"containers\":[]}", "containers: Required value\n" },
        { "{\"containers\":[{\"name\":\"a\",\"image\":\"x\"},{\"name\":\"a\",\"image\":\"x\"}],"
          "\"initContainers\":[{\"name\":\"a\",\"image\":\"x\"},{\"name\":\"\",\"image\":\"x\"},{"
          "\"name\":\"\",\"image\":\"x\"}]}",
          "containers[1].name: Duplicate value: \"a\"\n"
          "initContainers[0].name: Duplicate value: \"a\"\n"
          "initContainers[1].name: Required value\n"
          "initContainers[2].name: Required value\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void ports(void **state)
{
    static const struct row rows[] = {
        { PORTS("{\"name\":\"--\",\"containerPort\":0},{\"name\":\"toolongportname1\","
                "\"containerPort\":65536,\"hostPort\":-1,\"protocol\":\"tcp\"}"),
          "containers[0].ports[0].name: Invalid value: \"--\": must contain at least one letter "
          "(a-z)\n"
          "containers[0].ports[0].name: Invalid value: \"--\": must not contain consecutive "
          "hyphens\n"
          "containers[0].ports[0].name: Invalid value: \"--\": must not begin or end with a "
          "hyphen\n"
          "containers[0].ports[0].containerPort: Required value\n"
          "containers[0].ports[1].name: Invalid value: \"toolongportname1\": must be no more than "
          "15 characters\n"
          "containers[0].ports[1].containerPort: Invalid value: 65536: must be between 1 and "
          "65535, inclusive\n"
          "containers[0].ports[1].hostPort: Invalid value: -1: must be between 1 and 65535, "
          "inclusive\n"
          "containers[0].ports[1].protocol: Unsupported value: \"tcp\": supported values: "
          "\"SCTP\", \"TCP\", \"UDP\"\n" },
        { PORTS("{\"name\":\"a\",\"containerPort\":1,\"hostPort\":1},{\"name\":\"a\","
                "\"containerPort\":2,\"hostPort\":1,\"hostIP\":\"::1\"},{\"containerPort\":3,"
                "\"hostPort\":1},{\"containerPort\":4,\"hostPort\":1,\"protocol\":\"UDP\"}"),
          "containers[0].ports[1].name: Duplicate value: \"a\"\n"
          "containers[0].ports[2].hostPort: Duplicate value: \"TCP//1\"\n" },
        { "{\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,"
          "\"hostPort\":80}]},{\"name\":\"d\",\"image\":\"\",\"ports\":[{\"containerPort\":1,"
          "\"hostPort\":80}]}]}",
          "containers[1].image: Required value\n"
          "containers[1].ports[0].hostPort: Duplicate value: \"TCP//80\"\n" },
        { "{\"initContainers\":[{\"name\":\"i\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,"
          "\"hostPort\":80}]},{\"name\":\"j\",\"image\":\"x\",\"ports\":[{\"containerPort\":1,"
          "\"hostPort\":80},{\"containerPort\":2,\"hostPort\":80}]}]}",
          "initContainers[0].ports[1].hostPort: Duplicate value: \"TCP//80\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void environment(void **state)
{
    static const struct row rows[] = {
        { CONTAINER("\"env\":[{\"name\":\"\"},{\"name\":\"a=b\"},{\"name\":\"\\u00e9\"},{\"name\":"
                    "\"1 x\"}]"),
          "containers[0].env[0].name: Required value\n"
          "containers[0].env[1].name: Invalid value: \"a=b\": " ENV_NAME "\n"
          "containers[0].env[2].name: Invalid value: \"é\": " ENV_NAME "\n" },
        { VALUE_FROM(""),
          AT_VALUE ": Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, "
                   "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`\n" },
        { CONTAINER("\"env\":[{\"name\":\"A\",\"value\":\"x\",\"valueFrom\":{\"fieldRef\":{"
                    "\"fieldPath\":\"metadata.name\"}}}]"),
          AT_VALUE ": Invalid value: \"\": may not be specified when `value` is not empty\n" },
        { VALUE_FROM("\"secretKeyRef\":{\"name\":\"s\",\"key\":\"k\"},\"configMapKeyRef\":{"
                     "\"name\":\"m\",\"key\":\"k\"}"),
          AT_VALUE
          ": Invalid value: \"\": may not have more than one field specified at a time\n" },
        { CONTAINER(
              "\"env\":[{\"name\":\"A\",\"value\":\"x\",\"valueFrom\":{\"secretKeyRef\":{}}}]"),
          AT_VALUE ".secretKeyRef.name: Invalid value: \"\": " DNS_SUBDOMAIN "\n" AT_VALUE
                   ".secretKeyRef.key: Required value\n" AT_VALUE
                   ": Invalid value: \"\": may not be specified when `value` is not empty\n" },
        { CONFIG_KEY("\"name\":\"A\",\"key\":\"..\""),
          AT_VALUE ".configMapKeyRef.name: Invalid value: \"A\": " DNS_SUBDOMAIN "\n" AT_VALUE
                   ".configMapKeyRef.key: Invalid value: \"..\": must not be '..'\n" },
        { SECRET_KEY("\"name\":\"s\",\"key\":\"..a b\""),
          AT_VALUE ".secretKeyRef.key: Invalid value: \"..a b\": a valid config key must consist "
                   "of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
                   "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')\n" AT_VALUE
                   ".secretKeyRef.key: Invalid value: \"..a b\": must not start with '..'\n" },
        { FILE_KEY(""), AT_VALUE ".fileKeyRef.key: Required value\n" AT_VALUE
                                 ".fileKeyRef.volumeName: Required value\n" AT_VALUE
                                 ".fileKeyRef.path: Required value\n" AT_VALUE
                                 ".fileKeyRef.volumeName: Not found: \"\"\n" },
        { FILE_KEY("\"volumeName\":\"V\",\"key\":\"a=\",\"path\":\"../a\""),
          AT_VALUE ".fileKeyRef.key: Invalid value: \"a=\": " ENV_NAME "\n" AT_VALUE
                   ".fileKeyRef.volumeName: Invalid value: \"V\": " DNS_LABEL "\n" AT_VALUE
                   ".fileKeyRef.path: Invalid value: \"../a\": must not contain '..'\n" AT_VALUE
                   ".fileKeyRef.volumeName: Not found: \"V\"\n" },
        { FILE_KEY("\"volumeName\":\"m\",\"key\":\"a\",\"path\":\"a\""),
          AT_VALUE ".fileKeyRef.volumeName: Invalid value: \"m\": referenced volume must be of "
                   "type emptyDir\n" },
        { FILE_KEY("\"volumeName\":\"v\",\"key\":\"a\",\"path\":\"/a\""), "" },
        { CONTAINER("\"envFrom\":[{\"prefix\":\"=\"},{\"configMapRef\":{\"name\":\"a-\"}},{"
                    "\"configMapRef\":{\"name\":\"\"},\"secretRef\":{\"name\":\"a.-\"}},{"
                    "\"secretRef\":{\"name\":\"-\"}}]"),
          "containers[0].envFrom[0].prefix: Invalid value: \"=\": " ENV_NAME "\n"
          "containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or "
          "`secretRef`\n"
          "containers[0].envFrom[2].configMapRef.name: Required value\n"
          "containers[0].envFrom: Invalid value: \"\": may not have more than one field specified "
          "at a time\n"
          "containers[0].envFrom[3].secretRef.name: Invalid value: \"-\": " DNS_SUBDOMAIN "\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void field_refs(void **state)
{
    static const struct row rows[] = {
        { FIELD_REF(""), AT_FIELD ".fieldPath: Required value\n" },
        { FIELD_REF("metadata.foo"),
          AT_FIELD ".fieldPath: Invalid value: \"metadata.foo\": error converting fieldPath: field "
                   "label not supported: metadata.foo\n" },
        { FIELD_REF("spec.host"), "" },
        { FIELD_REF("status.phase"),
          AT_FIELD ".fieldPath: Unsupported value: \"status.phase\"" FIELD_PATHS "\n" },
        { FIELD_REF("metadata.labels"),
          AT_FIELD ".fieldPath: Unsupported value: \"metadata.labels\"" FIELD_PATHS "\n" },
        { FIELD_REF("metadata.labels['a']"), "" },
        { FIELD_REF("metadata.labels['a/b/c']"),
          AT_FIELD ": Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric "
                   "characters, '-', '_' or '.', and must start and end with an alphanumeric "
                   "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
                   "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
                   "subdomain prefix and '/' (e.g. 'example.com/MyName')\n" },
        { FIELD_REF("metadata.annotations['A.B/C']"), "" },
        { FIELD_REF("metadata.annotations['_']"),
          AT_FIELD ": Invalid value: \"_\": " QUALIFIED_NAME "\n" },
        { FIELD_REF("metadata.annotations['\\u212a_']"),
          AT_FIELD ": Invalid value: \"k_\": " QUALIFIED_NAME "\n" },
        { FIELD_REF("metadata.name['a']"),
          AT_FIELD ".fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: "
                   "field label does not support subscript: metadata.name['a']\n" },
        { FIELD_REF("['a']"), AT_FIELD ".fieldPath: Invalid value: \"['a']\": error converting "
                                       "fieldPath: field label not supported: ['a']\n" },
        { VALUE_FROM("\"fieldRef\":{\"apiVersion\":\"v2\",\"fieldPath\":\"metadata.name\"}"),
          AT_FIELD ".fieldPath: Invalid value: \"metadata.name\": error converting fieldPath: "
                   "unsupported pod version: v2\n" },
        { RESOURCE_REF("\"resource\":\"\",\"divisor\":2"),
          AT_RESOURCE "resource: Required value\n" },
        { RESOURCE_REF("\"resource\":\"limits.cpu\",\"divisor\":\"1m\""), "" },
        { RESOURCE_REF("\"resource\":\"limits.cpu\",\"divisor\":\"1000m\""), "" },
        { RESOURCE_REF("\"resource\":\"limits.cpu\",\"divisor\":\"0\""), "" },
        { RESOURCE_REF("\"resource\":\"requests.memory\",\"divisor\":\"1024\""), AT_RESOURCE
          "divisor: Invalid value: \"requests.memory\": " ONLY_DIVISORS "memory resource\n" },
        { RESOURCE_REF("\"resource\":\"requests.memory\",\"divisor\":\"1Ki\""), "" },
        { RESOURCE_REF("\"resource\":\"requests.ephemeral-storage\",\"divisor\":\"1m\""),
          AT_RESOURCE "divisor: Invalid value: \"requests.ephemeral-storage\": " ONLY_DIVISORS
                      "local ephemeral storage resource\n" },
        { RESOURCE_REF("\"resource\":\"limits.hugepages-1Gi\",\"divisor\":\"1e3\""),
          AT_RESOURCE "divisor: Invalid value: \"limits.hugepages-1Gi\": " ONLY_DIVISORS
                      "hugepages resource\n" },
        { RESOURCE_REF("\"resource\":\"limits.foo\",\"divisor\":\"2\""),
          AT_RESOURCE "resource: Unsupported value: \"limits.foo\": supported values: "
                      "\"limits.cpu\", \"limits.ephemeral-storage\", \"limits.memory\", "
                      "\"requests.cpu\", \"requests.ephemeral-storage\", \"requests.memory\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void mounts_and_devices(void **state)
{
    static const struct row rows[] = {
        { MOUNTS("{\"name\":\"\",\"mountPath\":\"\"},{\"name\":\"x\",\"mountPath\":\"/"
                 "a\"},{\"name\":\"v\",\"mountPath\":\"/a\"}"),
          "containers[0].volumeMounts[0].name: Required value\n"
          "containers[0].volumeMounts[0].name: Not found: \"\"\n"
          "containers[0].volumeMounts[0].mountPath: Required value\n"
          "containers[0].volumeMounts[1].name: Not found: \"x\"\n"
          "containers[0].volumeMounts[2].mountPath: Invalid value: \"/a\": must be unique\n" },
        { MOUNTS("{\"name\":\"v\",\"mountPath\":\"/a\",\"subPath\":\"/a/../"
                 "b\"},{\"name\":\"v\",\"mountPath\":\"/b\",\"subPath\":\"a\",\"subPathExpr\":\"/"
                 "..\"},{\"name\":\"v\",\"mountPath\":\"/c\",\"subPathExpr\":\"..a\"}"),
          "containers[0].volumeMounts.subPath: Invalid value: \"/a/../b\": must be a relative "
          "path\n"
          "containers[0].volumeMounts.subPath: Invalid value: \"/a/../b\": must not contain '..'\n"
          "containers[0].volumeMounts[1].subPathExpr: Invalid value: \"/..\": subPathExpr and "
          "subPath are mutually exclusive\n"
          "containers[0].volumeMounts.subPathExpr: Invalid value: \"/..\": must be a relative "
          "path\n"
          "containers[0].volumeMounts.subPathExpr: Invalid value: \"/..\": must not contain "
          "'..'\n" },
        { MOUNTS("{\"name\":\"v\",\"mountPath\":\"/"
                 "a\",\"mountPropagation\":\"\"},{\"name\":\"v\",\"mountPath\":\"/"
                 "b\",\"mountPropagation\":\"Bidirectional\",\"recursiveReadOnly\":\"Enabled\"}"),
          "containers[0].volumeMounts.mountPropagation: Unsupported value: \"\": supported values: "
          "\"Bidirectional\", \"HostToContainer\", \"None\"\n"
          "containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation "
          "is available only to privileged containers\n"
          "containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when "
          "readOnly is true\n"
          "containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when "
          "mountPropagation is None or not specified\n" },
        { CONTAINER("\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/"
                    "a\",\"mountPropagation\":\"Bidirectional\"}],\"securityContext\":{"
                    "\"privileged\":false}"),
          "containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation "
          "is available only to privileged containers\n" },
        { MOUNTS("{\"name\":\"v\",\"mountPath\":\"/"
                 "a\",\"recursiveReadOnly\":\"Disabled\",\"mountPropagation\":\"HostToContainer\"},"
                 "{\"name\":\"v\",\"mountPath\":\"/b\",\"recursiveReadOnly\":\"Yes\"}"),
          "containers[0].volumeMounts.recursiveReadOnly: Unsupported value: \"Yes\": supported "
          "values: \"Disabled\", \"Enabled\", \"IfPossible\"\n" },
        { DEVICES("{\"name\":\"\",\"devicePath\":\"\"},{\"name\":\"x\",\"devicePath\":\"\"},{"
                  "\"name\":\"v\",\"devicePath\":\"/d\"},{\"name\":\"v\",\"devicePath\":\"/"
                  "d\"},{\"name\":\"b\",\"devicePath\":\"/a/..\"}"),
          "containers[0].volumeDevices[0].name: Required value\n"
          "containers[0].volumeDevices[0].name: Not found: \"\"\n"
          "containers[0].volumeDevices[0].devicePath: Required value\n"
          "containers[0].volumeDevices[1].name: Not found: \"x\"\n"
          "containers[0].volumeDevices[1].devicePath: Required value\n"
          "containers[0].volumeDevices[1].devicePath: Invalid value: \"\": must be unique\n"
          "containers[0].volumeDevices[2].name: Invalid value: \"v\": can only use volume source "
          "type of PersistentVolumeClaim or Ephemeral for block mode\n"
          "containers[0].volumeDevices[3].name: Invalid value: \"v\": must be unique\n"
          "containers[0].volumeDevices[3].name: Invalid value: \"v\": can only use volume source "
          "type of PersistentVolumeClaim or Ephemeral for block mode\n"
          "containers[0].volumeDevices[3].devicePath: Invalid value: \"/d\": must be unique\n"
          "containers[0].volumeDevices[4].devicePath: Invalid value: \"/a/..\": can not contain "
          "backsteps ('..')\n" },
        { CONTAINER("\"volumeMounts\":[{\"name\":\"b\",\"mountPath\":\"/"
                    "a\"},{\"name\":\"v\",\"mountPath\":\"/"
                    "d\"}],\"volumeDevices\":[{\"name\":\"b\",\"devicePath\":\"/d\"}]"),
          "containers[0].volumeMounts[0].name: Invalid value: \"b\": must not already exist in "
          "volumeDevices\n"
          "containers[0].volumeMounts[1].mountPath: Invalid value: \"/d\": must not already exist "
          "as a path in volumeDevices\n"
          "containers[0].volumeDevices[0].name: Invalid value: \"b\": must not already exist in "
          "volumeMounts\n"
          "containers[0].volumeDevices[0].devicePath: Invalid value: \"/d\": must not already "
          "exist as a path in volumeMounts\n" },
        { CONTAINER("\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/"
                    "a\"}],\"volumeDevices\":[{\"name\":\"b\",\"devicePath\":\"/"
                    "a\"},{\"name\":\"b\",\"devicePath\":\"/d\"}]"),
          "containers[0].volumeDevices[0].devicePath: Invalid value: \"/a\": must not already "
          "exist as a path in volumeMounts\n"
          "containers[0].volumeDevices[1].name: Invalid value: \"b\": must be unique\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void ephemeral_containers(void **state)
{
    static const struct row rows[] = {
        { "{\"ephemeralContainers\":[{\"name\":\"c\",\"image\":\" "
          "x\",\"targetContainerName\":\"d\"}]}",
          "ephemeralContainers[0].image: Invalid value: \" x\": must not have leading or trailing "
          "whitespace\n"
          "ephemeralContainers[0].name: Duplicate value: \"c\"\n"
          "ephemeralContainers[0].targetContainerName: Not found: \"d\"\n" },
        { "{\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x\",\"targetContainerName\":\"c\","
          "\"ports\":[],\"resources\":{\"claims\":[]},\"resizePolicy\":[],\"restartPolicy\":\"\","
          "\"restartPolicyRules\":[],\"livenessProbe\":{},\"readinessProbe\":{},\"startupProbe\":{}"
          ",\"lifecycle\":{}}]}",
          "ephemeralContainers[0].ports" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].resources" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].resizePolicy" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].restartPolicy" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].restartPolicyRules" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].livenessProbe" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].readinessProbe" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].startupProbe" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].lifecycle" NOT_IN_EPHEMERAL },
        { "{\"ephemeralContainers\":[{\"name\":\"e\",\"image\":\"x\",\"resources\":{},"
          "\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/"
          "a\",\"subPath\":\"a\",\"subPathExpr\":\"a\"}]},{\"name\":\"e\",\"image\":\"x\"}]}",
          "ephemeralContainers[0].volumeMounts[0].subPathExpr: Invalid value: \"a\": subPathExpr "
          "and subPath are mutually exclusive\n"
          "ephemeralContainers[0].volumeMounts[0].subPath" NOT_IN_EPHEMERAL
          "ephemeralContainers[0].volumeMounts[0].subPathExpr" NOT_IN_EPHEMERAL
          "ephemeralContainers[1].name: Duplicate value: \"e\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

/** Without memory it says so, whichever allocation fails. */
static void without_memory(void **state)
{
    static const char text[] =
        "{\"resourceClaims\":[{\"name\":\"r1\"},{\"name\":\"r2\"}],\"initContainers\":[{\"name\":"
        "\"i\","
        "\"image\":\"\",\"ports\":[{\"name\":\"a\",\"containerPort\":1,\"hostPort\":1},"
        "{\"name\":\"a\",\"containerPort\":1,\"hostPort\":1}]}],\"containers\":[{\"name\":\"c\","
        "\"image\":\"x\",\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"x\"}"
        ","
        "\"resourceFieldRef\":{\"resource\":\"limits.cpu\",\"divisor\":\"2\"},\"fileKeyRef\":{}}}],"
        "\"envFrom\":[{\"secretRef\":{\"name\":\"a-\"}}],\"volumeMounts\":[{\"name\":\"x\","
        "\"mountPath\":\"/a\"}],\"volumeDevices\":[{\"name\":\"x\",\"devicePath\":\"/a\"}],"
        "\"resources\":{\"limits\":{\"hugepages-2Mi\":\"3Mi\"},\"claims\":[{\"name\":\"r3\","
        "\"request\":\"q\"},"
        "{\"name\":\"r3\"}]},\"securityContext\":{\"procMount\":\"<\",\"windowsOptions\":{"
        "\"runAsUserName\":\"\"}},"
        "\"restartPolicy\":\"x\"}],\"ephemeralContainers\":[{\"name\":\"c\",\"image\":\" \"}]}";
    DOC *doc = spec_template_of(text);
    size_t errors = 0;

    (void)state;
    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        struct jr_errlist errs;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_failalloc_arm(n);
        jr_pod_template_validate(jr_doc_root(doc), &defaults, &JR_FIELD(NULL, "template"), &errs);
        errors = errs.n;
        if (jr_failalloc_over(errs.failed))
            break;
    }
    assert_true(errors > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_images),   cmocka_unit_test(ports),
        cmocka_unit_test(environment),        cmocka_unit_test(field_refs),
        cmocka_unit_test(mounts_and_devices), cmocka_unit_test(ephemeral_containers),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
