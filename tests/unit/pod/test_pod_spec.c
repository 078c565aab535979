/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod's own fields: what an API server says of each fault. The wants are its own answers. */
#include "tests/unit/pod/pod_test.h"

struct row {
    const char *patch; /* merge patch on a small template */
    const char *want;  /* "field: message\n" of each error, below spec.template */
};

static void run_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        want_errors(rows[i].patch, NULL, "", rows[i].want);
}

/* What the patches have in common. */
#define SPEC(x) "{'spec':{" x "}}"
#define ANNOTATIONS(x) "{'metadata':{'annotations':{" x "}}}"
#define CONTEXT(x) "{'spec':{'securityContext':{" x "}}}"
#define DNS(x) "{'spec':{'dnsConfig':{" x "}}}"

static void annotations(void **state)
{
    static const struct row rows[] = {
        { ANNOTATIONS("'kubernetes.io/config.mirror':'x'"),
          "annotations[kubernetes.io/config.mirror]: Invalid value: \"x\": must set spec.nodeName "
          "if mirror pod annotation is set\n" },
        { "{'metadata':{'annotations':{'kubernetes.io/"
          "config.mirror':'x'}},'spec':{'nodeName':'n'}}",
          "" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[{'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": unexpected "
          "end of JSON input\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'{}'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": json: cannot "
          "unmarshal object into Go value of type []core.Toleration\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[1 2]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character '2' after array element\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[01]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character '1' after array element\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'tru'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character ' ' in literal true (expecting 'e')\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[-]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character ']' in numeric literal\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[1.]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character ']' after decimal point in numeric literal\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[1e]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character ']' in exponent of numeric literal\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[5]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": json: cannot "
          "unmarshal number into Go value of type core.Toleration\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[null,{}]'"),
          "annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Invalid value: \"\": "
          "operator must be Exists when `key` is empty, which means \"match all values and all "
          "keys\"\n"
          "annotations.scheduler.alpha.kubernetes.io/tolerations[1].operator: Invalid value: \"\": "
          "operator must be Exists when `key` is empty, which means \"match all values and all "
          "keys\"\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[{a}]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character 'a' looking for beginning of object key string\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[{}]x'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid "
          "character 'x' after top-level value\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'[[]'"),
          "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": unexpected "
          "end of JSON input\n" },
        { ANNOTATIONS("'scheduler.alpha.kubernetes.io/tolerations':'null'"), "" },
        { ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'-007'"), "" },
        { ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'007'"),
          "annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"007\": must "
          "be a 32bit integer\n" },
        { ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'2147483648'"),
          "annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"2147483648\": "
          "must be a 32bit integer\n" },
        { ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':''"),
          "annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"\": must be a "
          "32bit integer\n" },
        { ANNOTATIONS("'seccomp.security.alpha.kubernetes.io/pod':'docker/default'"), "" },
        { ANNOTATIONS(
              "'seccomp.security.alpha.kubernetes.io/"
              "pod':'strict','container.seccomp.security.alpha.kubernetes.io/c':'localhost//a/..'"),
          "annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"strict\": must "
          "be a valid seccomp profile\n"
          "annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: \"/a/..\": "
          "must be a relative path\n"
          "annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: \"/a/..\": "
          "must not contain '..'\n" },
        { ANNOTATIONS("'container.apparmor.security.beta.kubernetes.io/c':'localhost/"
                      "','container.apparmor.security.beta.kubernetes.io/':'x'"),
          "annotations: Invalid value: \"container.apparmor.security.beta.kubernetes.io/\": name "
          "part must be non-empty\n"
          "annotations: Invalid value: "
          "\"container.apparmor.security.beta.kubernetes.io/\": " QUALIFIED_NAME "\n"
          "annotations[container.apparmor.security.beta.kubernetes.io/]: Invalid value: \"\": "
          "container not found\n"
          "annotations[container.apparmor.security.beta.kubernetes.io/]: Invalid value: \"x\": "
          "invalid AppArmor profile name: \"x\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void annotations_and_fields(void **state)
{
    static const struct row rows[] = {
        { ANNOTATIONS(
              "'seccomp.security.alpha.kubernetes.io/pod':'docker/"
              "default'}},'spec':{'securityContext':{'seccompProfile':{'type':'RuntimeDefault'}"),
          "" },
        { ANNOTATIONS("'seccomp.security.alpha.kubernetes.io/"
                      "pod':'unconfined'}},'spec':{'securityContext':{'seccompProfile':{'type':'"
                      "RuntimeDefault'}"),
          "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and "
          "field must match\n" },
        { ANNOTATIONS("'container.seccomp.security.alpha.kubernetes.io/c':'localhost/"
                      "a'}},'spec':{'securityContext':{'seccompProfile':{'type':'Localhost','"
                      "localhostProfile':'b'}"),
          "" },
        { "{'metadata':{'annotations':{'container.seccomp.security.alpha.kubernetes.io/"
          "c':'localhost/"
          "a'}},'spec':{'containers':[{'name':'c','image':'x','securityContext':{'seccompProfile':{"
          "'type':'Localhost','localhostProfile':'b'}}}]}}",
          "spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp "
          "profile in annotation and field must match\n" },
        { ANNOTATIONS("'container.apparmor.security.beta.kubernetes.io/c':'localhost/"
                      "a'}},'spec':{'securityContext':{'appArmorProfile':{'type':'Localhost','"
                      "localhostProfile':'b'}"),
          "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: "
          "apparmor profile in annotation and field must match\n" },
        { ANNOTATIONS("'container.apparmor.security.beta.kubernetes.io/"
                      "c':'unconfined'}},'spec':{'securityContext':{'appArmorProfile':{'type':'"
                      "RuntimeDefault'}"),
          "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in "
          "annotation and field must match\n" },
        { ANNOTATIONS("'container.apparmor.security.beta.kubernetes.io/"
                      "c':'unconfined'}},'spec':{'securityContext':{'appArmorProfile':{'type':'"
                      "RuntimeDefault'}},'os':{'name':'windows'"),
          "spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void security_context(void **state)
{
    static const struct row rows[] = {
        { CONTEXT(
              "'fsGroup':-1,'runAsUser':2147483648,'runAsGroup':-1,'supplementalGroups':[0,-1]"),
          "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, "
          "inclusive\n"
          "spec.securityContext.runAsUser: Invalid value: 2147483648: must be between 0 and "
          "2147483647, inclusive\n"
          "spec.securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, "
          "inclusive\n"
          "spec.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and "
          "2147483647, inclusive\n" },
        { SPEC("'hostPID':true,'shareProcessNamespace':true"),
          "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace "
          "and HostPID cannot both be enabled\n" },
        { CONTEXT("'sysctls':[{'name':''},{'name':'a..b'},{'name':'a/b.c'},{'name':'a/b.c'}]"),
          "spec.securityContext.sysctls[0].name: Required value\n"
          "spec.securityContext.sysctls[1].name: Invalid value: \"a..b\": must have at most 253 "
          "characters and match regex "
          "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$\n"
          "spec.securityContext.sysctls[3].name: Duplicate value: \"a/b.c\"\n" },
        { SPEC("'hostNetwork':true,'hostIPC':true,'securityContext':{'sysctls':[{'name':'net.x'},{'"
               "name':'net/x'},{'name':'kernel.sem'},{'name':'fs/mqueue/"
               "x'},{'name':'kernel.other'}]}"),
          "spec.securityContext.sysctls[0].name: Invalid value: \"net.x\": may not be specified "
          "when 'hostNetwork' is true\n"
          "spec.securityContext.sysctls[1].name: Invalid value: \"net/x\": may not be specified "
          "when 'hostNetwork' is true\n"
          "spec.securityContext.sysctls[2].name: Invalid value: \"kernel.sem\": may not be "
          "specified when 'hostIPC' is true\n"
          "spec.securityContext.sysctls[3].name: Invalid value: \"fs/mqueue/x\": may not be "
          "specified when 'hostIPC' is true\n" },
        { CONTEXT("'fsGroupChangePolicy':'<','supplementalGroupsPolicy':'','seLinuxChangePolicy':'"
                  "MountOption'"),
          "spec.securityContext.fsGroupChangePolicy: Unsupported value: \"\\u003c\": supported "
          "values: \"Always\", \"OnRootMismatch\"\n"
          "spec.securityContext.supplementalGroupsPolicy: Unsupported value: \"\": supported "
          "values: \"Merge\", \"Strict\"\n"
          "spec.securityContext.seLinuxChangePolicy: Unsupported value: \"MountOption\": supported "
          "values: \"Recursive\"\n" },
        { CONTEXT("'seccompProfile':{},'windowsOptions':{'runAsUserName':''},'appArmorProfile':{'"
                  "type':'x'}"),
          "spec.securityContext.seccompProfile.type: Required value: type is required when "
          "seccompProfile is set\n"
          "spec.securityContext.windowsOptions.runAsUserName: Invalid value: \"\": runAsUserName "
          "cannot be an empty string\n"
          "spec.securityContext.appArmorProfile.type: Unsupported value: \"x\": supported values: "
          "\"Localhost\", \"RuntimeDefault\", \"Unconfined\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

/** Where and when it is said that both are on: since 1.37 of the Pod, when all of its
 * securityContext has been looked at. */
static void shared_processes(void **state)
{
    static const char patch[] = SPEC("'hostPID':true,'shareProcessNamespace':true,"
                                     "'securityContext':{'fsGroup':-1,'sysctls':[{'name':''}]}");
#define BOTH                                                                                     \
    "shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both " \
    "be "                                                                                        \
    "enabled\n"
#define GROUP                                                                             \
    "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, " \
    "inclusive\n"
#define SYSCTL "spec.securityContext.sysctls[0].name: Required value\n"
    static const struct {
        struct jr_kube_version version;
        const char *want;
    } rows[] = {
        { { 36, 3 }, GROUP "spec.securityContext." BOTH SYSCTL },
        { { 37, 2 }, GROUP SYSCTL "spec." BOTH },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_profile profile = jr_profile_of(rows[i].version);

        want_errors_by(patch, NULL, &profile, rows[i].want);
    }
}

/** The order of what a Windows Pod may not have: since 1.37 its own fields come last. */
static void windows_fields(void **state)
{
    static const char patch[] =
        SPEC("'os':{'name':'windows'},'hostUsers':true,'hostPID':true,'hostIPC':true,"
             "'shareProcessNamespace':false,'securityContext':{'seLinuxOptions':{},'fsGroup':1,"
             "'runAsUser':1},'containers':[{'name':'c','image':'x','securityContext':"
             "{'privileged':false}}]");
#define WINDOWS(field) "spec." field ": Forbidden: cannot be set for a windows pod\n"
    static const struct {
        struct jr_kube_version version;
        const char *want;
    } rows[] = {
        { { 36, 3 },
          WINDOWS("securityContext.seLinuxOptions") WINDOWS("hostUsers") WINDOWS("hostPID")
              WINDOWS("hostIPC") WINDOWS("securityContext.fsGroup") WINDOWS("shareProcessNamespace")
                  WINDOWS("securityContext.runAsUser")
                      WINDOWS("containers[0].securityContext.privileged") },
        { { 37, 2 },
          WINDOWS("securityContext.seLinuxOptions") WINDOWS("securityContext.fsGroup")
              WINDOWS("securityContext.runAsUser") WINDOWS("hostUsers") WINDOWS("hostPID")
                  WINDOWS("hostIPC") WINDOWS("shareProcessNamespace")
                      WINDOWS("containers[0].securityContext.privileged") },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_profile profile = jr_profile_of(rows[i].version);

        want_errors_by(patch, NULL, &profile, rows[i].want);
    }
}

static void host_namespaces(void **state)
{
    static const struct row rows[] = {
        { SPEC("'hostNetwork':true,'containers':[{'name':'c','image':'x','ports':[{'containerPort':"
               "1},{'containerPort':2,'hostPort':2},{'containerPort':3,'hostPort':4}]}]"),
          "spec.containers[0].ports[2].hostPort: Invalid value: 4: must match `containerPort` when "
          "`hostNetwork` is true\n" },
        { SPEC("'hostUsers':false,'hostNetwork':true,'hostPID':true,'hostIPC':true"),
          "spec.hostNetwork: Forbidden: when `hostUsers` is false\n"
          "spec.HostPID: Forbidden: when `hostUsers` is false\n"
          "spec.HostIPC: Forbidden: when `hostUsers` is false\n" },
        { SPEC("'hostUsers':true,'hostNetwork':true,'hostPID':true,'hostIPC':true"), "" },
        { SPEC("'hostNetwork':true,'securityContext':{'windowsOptions':{'hostProcess':true}},'"
               "containers':[{'name':'c','image':'x','securityContext':{'windowsOptions':{'"
               "hostProcess':false}}}]"),
          "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: "
          "pod hostProcess value must be identical if both are specified, was true\n" },
        { SPEC("'initContainers':[{'name':'i','image':'x'}],'containers':[{'name':'c','image':'x','"
               "securityContext':{'windowsOptions':{'hostProcess':true}}}]"),
          "spec: Invalid value: \"\": If pod contains any hostProcess containers then all "
          "containers must be HostProcess containers\n"
          "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any "
          "hostProcess containers\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void operating_systems(void **state)
{
    static const struct row rows[] = {
        { SPEC("'os':{}"), "spec.os.name: Required value\n" },
        { SPEC("'os':{'name':'plan9'}"),
          "spec.os: Unsupported value: \"plan9\": supported values: \"linux\", \"windows\"\n" },
        { SPEC("'os':{'name':'linux'},'securityContext':{'windowsOptions':{}},'containers':[{'name'"
               ":'c','image':'x','securityContext':{'windowsOptions':{}}}]"),
          "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a "
          "linux pod\n"
          "spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be "
          "set for a linux pod\n" },
        { SPEC("'os':{'name':'windows'},'hostUsers':true,'hostPID':false,'hostIPC':true,'"
               "shareProcessNamespace':false,'securityContext':{'fsGroup':1,'sysctls':[],'"
               "supplementalGroups':[],'runAsUser':1,'seLinuxOptions':{}},'containers':[{'name':'c'"
               ",'image':'x','securityContext':{'privileged':false,'procMount':'Default','"
               "runAsNonRoot':true}}]"),
          "spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod\n"
          "spec.hostUsers: Forbidden: cannot be set for a windows pod\n"
          "spec.hostIPC: Forbidden: cannot be set for a windows pod\n"
          "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod\n"
          "spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod\n"
          "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod\n"
          "spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod\n"
          "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows "
          "pod\n"
          "spec.containers[0].securityContext.procMount: Forbidden: cannot be set for a windows "
          "pod\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void dns(void **state)
{
    static const struct row rows[] = {
        { SPEC("'dnsPolicy':'None'"),
          "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None\n" },
        { SPEC("'dnsPolicy':'None','dnsConfig':{'searches':['-']}"),
          "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver "
          "when `dnsPolicy` is None\n" },
        { SPEC("'dnsPolicy':'<'"),
          "spec.dnsPolicy: Unsupported value: \"\\u003c\": supported values: "
          "\"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\"\n" },
        { DNS("'nameservers':['1.2.3.4','::1','FE80::1','1::']"),
          "spec.dnsConfig.nameservers: Invalid value: [\"1.2.3.4\",\"::1\",\"FE80::1\",\"1::\"]: "
          "must not have more than 3 nameservers\n" },
        { DNS("'nameservers':['1.2.3','1.2.3.256','1.2.3.04']"),
          "spec.dnsConfig.nameservers[0]: Invalid value: \"1.2.3\": must be a valid IP address, "
          "(e.g. 10.9.8.7 or 2001:db8::ffff)\n"
          "spec.dnsConfig.nameservers[1]: Invalid value: \"1.2.3.256\": must be a valid IP "
          "address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"
          "spec.dnsConfig.nameservers[2]: Invalid value: \"1.2.3.04\": must not have leading "
          "0s\n" },
        { DNS("'nameservers':['::ffff:1.2.3.4','1:2:3:4:5:6:7:8::','::1%eth0']"),
          "spec.dnsConfig.nameservers[0]: Invalid value: \"::ffff:1.2.3.4\": must not be an "
          "IPv4-mapped IPv6 address\n"
          "spec.dnsConfig.nameservers[1]: Invalid value: \"1:2:3:4:5:6:7:8::\": must be a valid IP "
          "address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"
          "spec.dnsConfig.nameservers[2]: Invalid value: \"::1%eth0\": must be a valid IP address, "
          "(e.g. 10.9.8.7 or 2001:db8::ffff)\n" },
        { DNS("'nameservers':['00001::','','1:2:3:4:5:6:7:1.2.3.4']"),
          "spec.dnsConfig.nameservers[0]: Invalid value: \"00001::\": must not have leading 0s\n"
          "spec.dnsConfig.nameservers[1]: Invalid value: \"\": must be a valid IP address, (e.g. "
          "10.9.8.7 or 2001:db8::ffff)\n"
          "spec.dnsConfig.nameservers[2]: Invalid value: \"1:2:3:4:5:6:7:1.2.3.4\": must be a "
          "valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n" },
        { DNS("'searches':['.','a.','_a.b','a_']"),
          "spec.dnsConfig.searches[3]: Invalid value: \"a_\": a lowercase RFC 1123 subdomain must "
          "consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end "
          "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
          "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')\n" },
        { DNS("'searches':['a','a','a','a','a','a','a','a','a','a','a','a','a','a','a','a','a','a',"
              "'a','a','a','a','a','a','a','a','a','a','a','a','a','a','a']"),
          "spec.dnsConfig.searches: Invalid value: "
          "[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
          "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
          "\"a\",\"a\",\"a\",\"a\",\"a\"]: must not have more than 32 search paths\n" },
        { DNS("'searches':['"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa','"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaa']"),
          "spec.dnsConfig.searches: Invalid value: "
          "[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\","
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa\"]: must not have more than 2048 characters (including spaces) in the "
          "search list\n" },
        { DNS("'options':[{'name':'ndots'},{'value':'5'}]"),
          "spec.dnsConfig.options[1]: Required value: must not be empty\n" },
        { SPEC("'hostAliases':[{'ip':'10.0.0.01','hostnames':['a','A']},{}]"),
          "spec.hostAliases[0].ip: Invalid value: \"10.0.0.01\": must not have leading 0s\n"
          "spec.hostAliases[0].hostnames[1]: Invalid value: \"A\": " DNS_SUBDOMAIN "\n"
          "spec.hostAliases[1].ip: Invalid value: \"\": must be a valid IP address, (e.g. 10.9.8.7 "
          "or 2001:db8::ffff)\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void names(void **state)
{
    static const struct row rows[] = {
        { SPEC("'serviceAccountName':'A','nodeName':'a_','hostname':'a.b','subdomain':'a.b','"
               "priorityClassName':'.'"),
          "spec.serviceAccountName: Invalid value: \"A\": " DNS_SUBDOMAIN "\n"
          "spec.nodeName: Invalid value: \"a_\": " DNS_SUBDOMAIN "\n"
          "spec.hostname: Invalid value: \"a.b\": must not contain dots\n"
          "spec.subdomain: Invalid value: \"a.b\": must not contain dots\n"
          "spec.priorityClassName: Invalid value: \".\": " DNS_SUBDOMAIN "\n" },
        { SPEC("'serviceAccount':'A'"),
          "spec.serviceAccountName: Invalid value: \"A\": " DNS_SUBDOMAIN "\n" },
        { SPEC("'runtimeClassName':''"),
          "spec.runtimeClassName: Invalid value: \"\": " DNS_SUBDOMAIN "\n" },
        { SPEC("'preemptionPolicy':''"), "spec.preemptionPolicy: Required value\n" },
        { SPEC("'preemptionPolicy':'&'"),
          "spec.preemptionPolicy: Unsupported value: \"\\u0026\": supported values: "
          "\"PreemptLowerPriority\", \"Never\"\n" },
        { SPEC("'hostnameOverride':'','setHostnameAsFQDN':true,'hostNetwork':true"),
          "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true\n"
          "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true\n"
          "spec.hostnameOverride: Invalid value: \"\": " DNS_SUBDOMAIN "\n" },
        { SPEC("'hostnameOverride':'"
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
          "spec.hostnameOverride: Too long: may not be more than 64 bytes\n" },
        { SPEC("'hostnameOverride':'a.b'"), "" },
        { SPEC("'activeDeadlineSeconds':0"), "spec.activeDeadlineSeconds: Invalid value: 0: must "
                                             "be between 1 and 2147483647, inclusive\n" },
        { SPEC("'nodeSelector':{'a':'b c'}"),
          "spec.nodeSelector: Invalid value: \"b c\": " LABEL_VALUE "\n" },
        { SPEC("'readinessGates':[{},{'conditionType':'a/"
               "b'}],'schedulingGates':[{'name':'g'},{'name':'g'},{}]"),
          "spec.readinessGates[0].conditionType: Invalid value: \"\": name part must be non-empty\n"
          "spec.readinessGates[0].conditionType: Invalid value: \"\": " QUALIFIED_NAME "\n"
          "spec.schedulingGates[1]: Duplicate value: \"g\"\n"
          "spec.schedulingGates[2]: Invalid value: \"\": name part must be non-empty\n"
          "spec.schedulingGates[2]: Invalid value: \"\": " QUALIFIED_NAME "\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotations),
        cmocka_unit_test(annotations_and_fields),
        cmocka_unit_test(security_context),
        cmocka_unit_test(shared_processes),
        cmocka_unit_test(windows_fields),
        cmocka_unit_test(host_namespaces),
        cmocka_unit_test(operating_systems),
        cmocka_unit_test(dns),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
