/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of containers, resources to restarts: what an API server says of each fault. The
 * wants are its own answers. */
#include "tests/unit/pod/container_test.h"

/* Patches that many rows share. */
#define RESOURCES(x) CONTAINER("\"resources\":{" x "}")
#define LIMITS(x) RESOURCES("\"limits\":{" x "}")
#define CLAIMS(x)                                                                          \
    "{\"resourceClaims\":[{\"name\":\"r2\",\"resourceClaimName\":\"c\"},{\"name\":\"r1\"," \
    "\"resourceClaimName\":\"c\"}]," CONTAINERS("\"resources\":{\"claims\":[" x "]}") "}"
#define SECURITY(x) CONTAINER("\"securityContext\":{" x "}")
#define SECCOMP(x) SECURITY("\"seccompProfile\":{" x "}")
#define APP_ARMOR(x) SECURITY("\"appArmorProfile\":{" x "}")
#define RUN_AS(user) SECURITY("\"windowsOptions\":{\"runAsUserName\":\"" user "\"}")
#define PRE_STOP(x) CONTAINER("\"lifecycle\":{\"preStop\":{" x "}}")
#define RULE "{\"action\":\"Restart\",\"exitCodes\":{\"operator\":\"In\"}}"
#define FIVE(x) x x x x x
#define FIFTEEN_E FIVE("\\u00e9") FIVE("\\u00e9") FIVE("\\u00e9")

/* Answers that many rows share. */
#define IN_LIMITS "containers[0].resources.limits["
#define IN_SECCOMP "containers[0].securityContext.seccompProfile."
#define IN_APP_ARMOR "containers[0].securityContext.appArmorProfile."
#define WRONG_USER "containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "
#define NO_DOMAIN "runAsUserName's Domain doesn't match the NetBios nor the DNS format"

static void quantities(void **state)
{
    static const struct row rows[] = {
        { LIMITS("\"hugepages-2Mi\":\"3Mi\""),
          IN_LIMITS "hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple "
                    "of hugepages-2Mi\n"
                    "containers[0].resources: Forbidden: HugePages require cpu or memory\n" },
        { LIMITS("\"cpu\":\"-1\""),
          IN_LIMITS "cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n" },
        { LIMITS("\"example.com/gpu\":\"1500m\""),
          IN_LIMITS "example.com/gpu]: Invalid value: \"1500m\": must be an integer\n" },
        { LIMITS("\"example.com/gpu\":\"10P\""), "" },
        { LIMITS("\"example.com/gpu\":\"10Pi\""),
          IN_LIMITS "example.com/gpu]: Invalid value: \"10Pi\": must be an integer\n" },
        { LIMITS("\"example.com/gpu\":\"9Ei\""), "" },
        { LIMITS("\"example.com/gpu\":\"10000000000000000000\""),
          IN_LIMITS "example.com/gpu]: Invalid value: \"10E\": must be an integer\n" },
        { LIMITS("\"pods\":\"1\""), IN_LIMITS
          "pods]: Invalid value: \"pods\": must be a standard resource for containers\n" },
        { LIMITS("\"requests.example.com/x\":\"1\""),
          IN_LIMITS "requests.example.com/x]: Invalid value: \"requests.example.com/x\": doesn't "
                    "follow extended resource name standard\n" },
        { LIMITS("\"foo\":\"1\""),
          IN_LIMITS "foo]: Invalid value: \"foo\": must be a standard resource type or fully "
                    "qualified\n" IN_LIMITS
                    "foo]: Invalid value: \"foo\": must be a standard resource for containers\n" },
        { LIMITS("\"a b\":\"1\""),
          IN_LIMITS "a b]: Invalid value: \"a b\": " QUALIFIED_NAME "\n" IN_LIMITS
                    "a b]: Invalid value: \"a b\": must be a standard resource for containers\n" },
        { LIMITS("\"hugepages-0\":\"1\""), IN_LIMITS
          "hugepages-0]: Invalid value: \"1\": 1 is not positive integer multiple of hugepages-0\n"
          "containers[0].resources: Forbidden: HugePages require cpu or memory\n" },
        { RESOURCES("\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\",\"hugepages-2Mi\":\"4Mi\"},"
                    "\"requests\":{\"cpu\":\"1500m\"}"),
          "containers[0].resources.requests: Invalid value: \"1500m\": must be less than or equal "
          "to cpu limit of 1\n" },
        { RESOURCES("\"limits\":{\"hugepages-2Mi\":\"2Mi\",\"cpu\":1},\"requests\":{\"hugepages-"
                    "2Mi\":\"3Mi\"}"),
          "containers[0].resources.requests: Invalid value: \"3Mi\": must be equal to "
          "hugepages-2Mi limit of 2Mi\n"
          "containers[0].resources.requests[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not "
          "positive integer multiple of hugepages-2Mi\n" },
        { RESOURCES("\"requests\":{\"hugepages-2Mi\":\"2Mi\",\"memory\":1}"),
          "containers[0].resources.limits: Required value: Limit must be set for non "
          "overcommitable resources\n" },
        { RESOURCES("\"limits\":{\"hugepages-2Mi\":\"16Ei\",\"cpu\":1},\"requests\":{\"hugepages-"
                    "2Mi\":\"10E\"}"),
          IN_LIMITS "hugepages-2Mi]: Invalid value: \"9223372036854775807\": 9223372036854775807 "
                    "is not positive integer multiple of hugepages-2Mi\n"
                    "containers[0].resources.requests: Invalid value: \"10E\": must be equal to "
                    "hugepages-2Mi limit of 9223372036854775807\n"
                    "containers[0].resources.requests[hugepages-2Mi]: Invalid value: \"10E\": 10E "
                    "is not positive integer multiple of hugepages-2Mi\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void claims_and_resizing(void **state)
{
    static const struct row rows[] = {
        { CLAIMS("{\"name\":\"\"},{\"name\":\"r3\"}"),
          "containers[0].resources.claims[0]: Required value\n"
          "containers[0].resources.claims[1]: Not found: \"r3\": must be one of the names in "
          "pod.spec.resourceClaims: r1, r2\n" },
        { CLAIMS("{\"name\":\"r1\"},{\"name\":\"r1\"},{\"name\":\"r1\",\"request\":\"q\"}"),
          "containers[0].resources.claims[1]: Duplicate value: \"r1\"\n"
          "containers[0].resources.claims[2]: Duplicate value: \"r1\"\n" },
        { CLAIMS(
              "{\"name\":\"r1\",\"request\":\"q\"},{\"name\":\"r1\",\"request\":\"Q\"},{\"name\":"
              "\"r1\"},{\"name\":\"r2\",\"request\":\"q\"},{\"name\":\"r2\",\"request\":\"q\"}"),
          "containers[0].resources.claims[1].request: Invalid value: \"Q\": " DNS_LABEL "\n"
          "containers[0].resources.claims[2]: Duplicate value: \"r1\"\n"
          "containers[0].resources.claims[2]: Duplicate value: \"r1\"\n"
          "containers[0].resources.claims[4]: Duplicate value: \"r2/q\"\n" },
        { RESOURCES("\"claims\":[{\"name\":\"r1\"}]"),
          "containers[0].resources.claims[0]: Not found: \"r1\": must be one of the names in "
          "pod.spec.resourceClaims which is empty\n" },
        { CONTAINER("\"resizePolicy\":[{\"resourceName\":\"cpu\",\"restartPolicy\":\"NotRequired\"}"
                    ",{\"resourceName\":\"cpu\",\"restartPolicy\":\"RestartContainer\"},{"
                    "\"resourceName\":\"<\",\"restartPolicy\":\"x\"},{}]"),
          "containers[0].resizePolicy[1]: Duplicate value: \"cpu\"\n"
          "containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' "
          "when pod `restartPolicy` is 'Never'\n"
          "containers[0].resizePolicy: Unsupported value: \"\\u003c\": supported values: \"cpu\", "
          "\"memory\"\n"
          "containers[0].resizePolicy: Unsupported value: \"x\": supported values: "
          "\"NotRequired\", \"RestartContainer\"\n"
          "containers[0].resizePolicy: Invalid value: \"x\": must be 'NotRequired' when pod "
          "`restartPolicy` is 'Never'\n"
          "containers[0].resizePolicy: Required value\n"
          "containers[0].resizePolicy: Required value\n"
          "containers[0].resizePolicy: Invalid value: \"\": must be 'NotRequired' when pod "
          "`restartPolicy` is 'Never'\n" },
        { "{\"restartPolicy\":\"OnFailure\",\"initContainers\":[{\"name\":\"i\",\"image\":\"x\","
          "\"resizePolicy\":[{\"resourceName\":\"cpu\",\"restartPolicy\":\"RestartContainer\"}]},{"
          "\"name\":\"j\",\"image\":\"x\",\"restartPolicy\":\"Always\",\"resizePolicy\":[{"
          "\"resourceName\":\"cpu\",\"restartPolicy\":\"RestartContainer\"}]}]}",
          "initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": "
          "must not be set to 'RestartContainer' for non-sidecar initContainers\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void security_contexts(void **state)
{
    static const struct row rows[] = {
        { SECURITY("\"runAsUser\":-1,\"runAsGroup\":2147483648,\"procMount\":\"x\""),
          "containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and "
          "2147483647, inclusive\n"
          "containers[0].securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 "
          "and 2147483647, inclusive\n"
          "containers[0].securityContext.procMount: Unsupported value: \"x\": supported values: "
          "\"Default\", \"Unmasked\"\n" },
        { SECURITY("\"procMount\":\"Unmasked\""),
          "containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must "
          "be false to use `Unmasked`\n" },
        { "{\"hostUsers\":false," CONTAINERS(
              "\"securityContext\":{\"procMount\":\"Unmasked\"}") "}",
          "" },
        { SECURITY("\"procMount\":\"\",\"allowPrivilegeEscalation\":false,\"capabilities\":{"
                   "\"add\":[\"CAP_SYS_ADMIN\",\"SYS_ADMIN\"]}"),
          "containers[0].securityContext.procMount: Unsupported value: \"\": supported values: "
          "\"Default\", \"Unmasked\"\n"
          "containers[0].securityContext: Invalid value: {...}: cannot set "
          "`allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN\n" },
        { SECCOMP(""),
          IN_SECCOMP "type: Required value: type is required when seccompProfile is set\n" },
        { SECCOMP("\"type\":\"Localhost\""), IN_SECCOMP
          "localhostProfile: Required value: must be set when seccomp type is Localhost\n" },
        { SECCOMP("\"type\":\"Localhost\",\"localhostProfile\":\"/a/..\""), IN_SECCOMP
          "localhostProfile: Invalid value: \"/a/..\": must be a relative path\n" IN_SECCOMP
          "localhostProfile: Invalid value: \"/a/..\": must not contain '..'\n" },
        { SECCOMP("\"type\":\"x\",\"localhostProfile\":\"\""), IN_SECCOMP
          "type: Unsupported value: \"x\": supported values: \"Localhost\", \"RuntimeDefault\", "
          "\"Unconfined\"\n" IN_SECCOMP "localhostProfile: Invalid value: {...}: can only be set "
          "when seccomp type is Localhost\n" },
        { APP_ARMOR("\"localhostProfile\":\"a\""),
          IN_APP_ARMOR "type: Required value: type is required when appArmorProfile is set\n" },
        { APP_ARMOR("\"type\":\"x\""),
          IN_APP_ARMOR "type: Unsupported value: \"x\": supported values: \"Localhost\", "
                       "\"RuntimeDefault\", \"Unconfined\"\n" },
        { APP_ARMOR("\"type\":\"Localhost\""), IN_APP_ARMOR
          "localhostProfile: Required value: must be set when AppArmor type is Localhost\n" },
        { APP_ARMOR("\"type\":\"Localhost\",\"localhostProfile\":\"\""), IN_APP_ARMOR
          "localhostProfile: Required value: must be set when AppArmor type is Localhost\n" },
        { APP_ARMOR("\"type\":\"Localhost\",\"localhostProfile\":\"a\\u2003\""), IN_APP_ARMOR
          "localhostProfile: Invalid value: \"a\\u2003\": must not be padded with whitespace\n" },
        { APP_ARMOR("\"type\":\"Unconfined\",\"localhostProfile\":\"<\""),
          IN_APP_ARMOR "localhostProfile: Invalid value: \"\\u003c\": can only be set when "
                       "AppArmor type is Localhost\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void windows_options(void **state)
{
    static const struct row rows[] = {
        { SECURITY("\"windowsOptions\":{\"gmsaCredentialSpecName\":\"A&\",\"gmsaCredentialSpec\":"
                   "\"\",\"runAsUserName\":\"\"}"),
          "containers[0].securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "
          "\"A\\u0026\": " DNS_SUBDOMAIN "\n"
          "containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: \"\": "
          "gmsaCredentialSpec cannot be an empty string\n" WRONG_USER
          "\"\": runAsUserName cannot be an empty string\n" },
        { RUN_AS("a\\tb"),
          WRONG_USER "\"a\\tb\": runAsUserName cannot contain control characters\n" },
        { RUN_AS("a\\\\b\\\\c"),
          WRONG_USER "\"a\\\\b\\\\c\": runAsUserName cannot contain more than one backslash\n" },
        { RUN_AS("DOM\\\\user"), "" },
        { RUN_AS("\\\\u"), WRONG_USER "\"\\\\u\": " NO_DOMAIN "\n" },
        { RUN_AS(".D\\\\u"), WRONG_USER "\".D\\\\u\": " NO_DOMAIN "\n" },
        { RUN_AS("a.b-c.d\\\\u"), "" },
        { RUN_AS("-waytoolongnetbios\\\\u"),
          WRONG_USER "\"-waytoolongnetbios\\\\u\": " NO_DOMAIN "\n" },
        { RUN_AS(FIFTEEN_E "\\\\u"), "" },
        { RUN_AS(FIFTEEN_E "\\u00e9\\\\u"),
          WRONG_USER "\"éééééééééééééééé\\\\u\": " NO_DOMAIN "\n" },
        { RUN_AS("D\\\\"), WRONG_USER "\"D\\\\\": runAsUserName's User cannot be empty\n" },
        { RUN_AS("..."),
          WRONG_USER "\"...\": runAsUserName's User cannot contain only periods or spaces\n" },
        { RUN_AS("D\\\\. "),
          WRONG_USER "\"D\\\\. \": runAsUserName's User cannot contain only periods or spaces\n" },
        { RUN_AS("a@b"), WRONG_USER "\"a@b\": runAsUserName's User cannot contain the following "
                                    "characters: \"/\\:;|=,+*?<>@[]\n" },
        { RUN_AS("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.a\\\\u"),
          WRONG_USER "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.a\\\\u\": "
                     "runAsUserName's Domain length must be under 256 characters\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void probes(void **state)
{
    static const struct row rows[] = {
        { CONTAINER("\"livenessProbe\":{}"),
          "containers[0].livenessProbe: Required value: must specify a handler type\n" },
        { CONTAINER(
              "\"livenessProbe\":{\"exec\":{},\"httpGet\":{\"port\":0},\"grpc\":{\"port\":0}}"),
          "containers[0].livenessProbe.exec.command: Required value\n"
          "containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler "
          "type\n"
          "containers[0].livenessProbe.grpc: Forbidden: may not specify more than 1 handler "
          "type\n" },
        { CONTAINER("\"readinessProbe\":{\"httpGet\":{\"port\":\"\",\"scheme\":\"ftp\","
                    "\"httpHeaders\":[{\"name\":\"a b\"},{\"name\":\"ok\"},{\"name\":\"\"}]}}"),
          "containers[0].readinessProbe.httpGet.port: Invalid value: \"\": must contain only "
          "alpha-numeric characters (a-z, 0-9), and hyphens (-)\n"
          "containers[0].readinessProbe.httpGet.port: Invalid value: \"\": must contain at least "
          "one letter (a-z)\n"
          "containers[0].readinessProbe.httpGet.scheme: Unsupported value: \"ftp\": supported "
          "values: \"HTTP\", \"HTTPS\"\n"
          "containers[0].readinessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP "
          "header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used "
          "for validation is '[-A-Za-z0-9]+')\n"
          "containers[0].readinessProbe.httpGet.httpHeaders: Invalid value: \"\": a valid HTTP "
          "header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used "
          "for validation is '[-A-Za-z0-9]+')\n" },
        { CONTAINER("\"startupProbe\":{\"tcpSocket\":{}}"),
          "containers[0].startupProbe.tcpSocket.port: Invalid value: 0: must be between 1 and "
          "65535, inclusive\n" },
        { CONTAINER("\"startupProbe\":{\"grpc\":{\"port\":70000},\"sleep\":{\"seconds\":1}}"),
          "containers[0].startupProbe.grpc.port: Invalid value: 70000: must be between 1 and "
          "65535, inclusive\n" },
        { CONTAINER("\"livenessProbe\":{\"exec\":{\"command\":[\"x\"]},\"initialDelaySeconds\":-1,"
                    "\"timeoutSeconds\":-2,\"periodSeconds\":-3,\"successThreshold\":-4,"
                    "\"failureThreshold\":-5,\"terminationGracePeriodSeconds\":0}"),
          "containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater "
          "than or equal to 0\n"
          "containers[0].livenessProbe.timeoutSeconds: Invalid value: -2: must be greater than or "
          "equal to 0\n"
          "containers[0].livenessProbe.periodSeconds: Invalid value: -3: must be greater than or "
          "equal to 0\n"
          "containers[0].livenessProbe.successThreshold: Invalid value: -4: must be greater than "
          "or equal to 0\n"
          "containers[0].livenessProbe.failureThreshold: Invalid value: -5: must be greater than "
          "or equal to 0\n"
          "containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be "
          "greater than 0\n"
          "containers[0].livenessProbe.successThreshold: Invalid value: -4: must be 1\n" },
        { CONTAINER("\"readinessProbe\":{\"exec\":{\"command\":[\"x\"]},\"successThreshold\":2,"
                    "\"terminationGracePeriodSeconds\":-1}"),
          "containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: -1: must be "
          "greater than 0\n"
          "containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: -1: must not "
          "be set for readinessProbes\n" },
        { "{\"initContainers\":[{\"name\":\"i\",\"image\":\"x\",\"livenessProbe\":{},"
          "\"readinessProbe\":{},\"startupProbe\":{},\"lifecycle\":{}},{\"name\":\"j\",\"image\":"
          "\"x\",\"restartPolicy\":\"Always\",\"readinessProbe\":{},\"lifecycle\":{\"preStop\":{}}}"
          "]}",
          "initContainers[0].lifecycle: Forbidden: may not be set for init containers without "
          "restartPolicy=Always\n"
          "initContainers[0].livenessProbe: Forbidden: may not be set for init containers without "
          "restartPolicy=Always\n"
          "initContainers[0].readinessProbe: Forbidden: may not be set for init containers without "
          "restartPolicy=Always\n"
          "initContainers[0].startupProbe: Forbidden: may not be set for init containers without "
          "restartPolicy=Always\n"
          "initContainers[1].lifecycle.preStop: Required value: must specify a handler type\n"
          "initContainers[1].readinessProbe: Required value: must specify a handler type\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void hooks(void **state)
{
    static const struct row rows[] = {
        { PRE_STOP("\"sleep\":{\"seconds\":30}"), "" },
        { CONTAINER("\"lifecycle\":{\"postStart\":{},\"preStop\":{\"sleep\":{\"seconds\":31}}}"),
          "containers[0].lifecycle.postStart: Required value: must specify a handler type\n"
          "containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less "
          "than terminationGracePeriodSeconds (30)\n" },
        { PRE_STOP("\"sleep\":{\"seconds\":-1},\"tcpSocket\":{\"port\":\"80\"}"),
          "containers[0].lifecycle.preStop.tcpSocket.port: Invalid value: \"80\": must contain at "
          "least one letter (a-z)\n"
          "containers[0].lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler "
          "type\n" },
        { PRE_STOP("\"sleep\":{}"), "" },
        { PRE_STOP("\"grpc\":{\"port\":1}"),
          "containers[0].lifecycle.preStop: Required value: must specify a handler type\n" },
        { "{\"terminationGracePeriodSeconds\":-5," CONTAINERS(
              "\"lifecycle\":{\"preStop\":{\"sleep\":{\"seconds\":1}}}") "}",
          "containers[0].lifecycle.preStop.sleep: Invalid value: 1: must be non-negative and less "
          "than terminationGracePeriodSeconds (-5)\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

static void restart_policies(void **state)
{
    static const struct row rows[] = {
        { CONTAINER("\"restartPolicy\":\"\",\"restartPolicyRules\":[{}]"),
          "containers[0].restartPolicy: Unsupported value: \"\": supported values: \"Always\", "
          "\"Never\", \"OnFailure\"\n"
          "containers[0].restartPolicyRules[0].action: Unsupported value: \"\": supported values: "
          "\"Restart\", \"RestartAllContainers\"\n"
          "containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified\n" },
        { CONTAINER("\"restartPolicyRules\":[{\"action\":\"Restart\",\"exitCodes\":{\"operator\":"
                    "\"In\"}}]"),
          "containers[0].restartPolicy: Required value: must specify restartPolicy when restart "
          "rules are used\n" },
        { CONTAINER("\"restartPolicy\":\"Never\",\"restartPolicyRules\":[{\"action\":"
                    "\"RestartAllContainers\",\"exitCodes\":{\"operator\":\"<\",\"values\":[" FIVE(
                        FIVE(FIVE("1,"))) FIVE(FIVE(FIVE("1,"))) FIVE("1,") "1]}}]"),
          "containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: \"\\u003c\": "
          "supported values: \"In\", \"NotIn\"\n"
          "containers[0].restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most "
          "255 items\n" },
        { CONTAINER("\"restartPolicy\":\"Always\",\"restartPolicyRules\":[" FIVE(RULE ",")
                        FIVE(RULE ",") FIVE(RULE ",") FIVE(RULE ",") RULE "]"),
          "containers[0].restartPolicyRules: Too many: 21: must have at most 20 items\n" },
        { "{\"initContainers\":[{\"name\":\"i\",\"image\":\"x\",\"restartPolicyRules\":[{}]},{"
          "\"name\":\"j\",\"image\":\"x\",\"restartPolicy\":\"Sometimes\"},{\"name\":\"k\","
          "\"image\":\"x\",\"restartPolicy\":\"Always\",\"restartPolicyRules\":[{\"action\":"
          "\"Stop\"}]}]}",
          "initContainers[0].restartPolicy: Required value: must specify restartPolicy when "
          "restart rules are used\n"
          "initContainers[1].restartPolicy: Unsupported value: \"Sometimes\": supported values: "
          "\"Always\", \"Never\", \"OnFailure\"\n"
          "initContainers[2].restartPolicyRules[0].action: Unsupported value: \"Stop\": supported "
          "values: \"Restart\", \"RestartAllContainers\"\n"
          "initContainers[2].restartPolicyRules[0].exitCodes: Required value: must be "
          "specified\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

/** Where upstream divides by zero, we say what is wrong. */
static void page_of_no_size(void **state)
{
    static const struct row rows[] = {
        { LIMITS("\"cpu\":1,\"hugepages-10E\":\"1\""),
          IN_LIMITS "hugepages-10E]: Invalid value: \"1\": 1 is not positive integer multiple of "
                    "hugepages-10E\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &defaults);
}

/** What gates change, and an old object that breaks today's rules. */
static void options(void **state)
{
    static const struct {
        struct jr_pod_opts opts;
        struct row row;
    } cases[] = {
        { { .restart_all_containers = true }, { CONTAINER("\"restartPolicy\":\"x\""), "" } },
        { { .container_restart_rules = true },
          { INIT("\"restartPolicy\":\"Always\",\"restartPolicyRules\":[{}]"),
            "initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed "
            "for init containers with restart policy Always\n" } },
        { { .container_restart_rules = true },
          { CONTAINER("\"restartPolicy\":\"Never\",\"restartPolicyRules\":[{\"action\":"
                      "\"RestartAllContainers\",\"exitCodes\":{\"operator\":\"In\"}}]"),
            "containers[0].restartPolicyRules[0].action: Unsupported value: "
            "\"RestartAllContainers\": supported values: \"Restart\"\n" } },
        { { .env_files = false },
          { CONTAINER("\"env\":[{\"name\":\"A\",\"valueFrom\":{\"fileKeyRef\":{}}}]"),
            "containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, "
            "`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`\n" } },
        { { .stop_signals = false }, { INIT("\"lifecycle\":{\"stopSignal\":\"X\"}"), "" } },
        { { .stop_signals = true },
          { INIT("\"lifecycle\":{\"stopSignal\":\"X\"}"),
            "initContainers[0].lifecycle: Forbidden: may not be set for init containers without "
            "restartPolicy=Always\n" } },
        { { .stop_signals = true },
          { CONTAINER("\"lifecycle\":{\"stopSignal\":\"SIGTERM\"}"),
            "containers[0].lifecycle.stopSignal: Forbidden: may not be set for containers with "
            "empty `spec.os.name`\n" } },
        { { .stop_signals = true },
          { "{\"os\":{\"name\":\"windows\"}," CONTAINERS(
                "\"lifecycle\":{\"stopSignal\":\"SIGHUP\"}") "}",
            "containers[0].lifecycle.stopSignal: Unsupported value: \"SIGHUP\": supported values: "
            "\"SIGKILL\", \"SIGTERM\"\n" } },
        { { .stop_signals = true },
          { "{\"os\":{\"name\":\"linux\"}," CONTAINERS(
                "\"lifecycle\":{\"stopSignal\":\"SIGRTMIN+15\"}") "}",
            "" } },
        { { .indivisible_huge_pages = true },
          { LIMITS("\"cpu\":1,\"hugepages-2Mi\":\"1Mi\""), "" } },
        { { .init_restart_resize_policy = true },
          { "{\"restartPolicy\":\"OnFailure\",\"initContainers\":[{\"name\":\"i\",\"image\":\"x\","
            "\"resizePolicy\":[{\"resourceName\":\"cpu\",\"restartPolicy\":\"RestartContainer\"}]}]"
            "}",
            "" } },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(cases); i++)
        run_rows(&cases[i].row, 1, &cases[i].opts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities),
        cmocka_unit_test(claims_and_resizing),
        cmocka_unit_test(security_contexts),
        cmocka_unit_test(windows_options),
        cmocka_unit_test(probes),
        cmocka_unit_test(hooks),
        cmocka_unit_test(restart_policies),
        cmocka_unit_test(page_of_no_size),
        cmocka_unit_test(options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
