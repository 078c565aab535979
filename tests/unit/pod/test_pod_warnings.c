/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about Pod templates. The wants are an API server's own answers. */
#include "common/pod/warnings.h"

#include "tests/support/failalloc.h"
#include "tests/unit/pod/pod_test.h"

struct row {
    const char *patch; /* merge patch on a small template */
    const char *want;  /* "warning\n" of each; the template's path is t */
};

static void run_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        DOC *doc = template_of(rows[i].patch);
        JR_ARENA arena = { 0 };
        JR_BUF have = { 0 };
        const struct jr_profile profile = jr_profile_default();
        struct jr_warnings w = { .arena = &arena };

        jr_arena_init(&arena, 0);
        jr_buf_init(&have, (size_t)1 << 20);
        jr_pod_template_warnings(jr_doc_root(doc), &JR_FIELD(NULL, "t"), &profile, &w);
        assert_int_equal(w.failed, JR_OK);
        for (size_t k = 0; k < w.list.n; k++)
            (void)jr_buf_addf(&have, "%.*s\n", JR_P(w.list.v[k]));
        WANT_STR(rows[i].patch, have.p == NULL ? "" : have.p, rows[i].want);
    }
}

/* What the patches have in common. */
#define SPEC(x) "{'spec':{" x "}}"
#define ANNOTATIONS(x) "{'metadata':{'annotations':{" x "}}}"
#define VOLUMES(x) "{'spec':{'volumes':[" x "]}}"
#define CONTAINER(x) "{'spec':{'containers':[{'name':'c','image':'x'," x "}]}}"
#define DNS(x) "{'spec':{'dnsConfig':{" x "}}}"
#define SPREAD(x) "{'spec':{'topologySpreadConstraints':[{" x "}]}}"

static void labels(void **state)
{
    static const struct row rows[] = {
        { SPEC("'nodeSelector':{'beta.kubernetes.io/os':'linux'}"),
          "t.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
          "\"kubernetes.io/os\" instead\n" },
        { SPEC("'nodeSelector':{'kubernetes.io/os':'linux'}"), "" },
        { SPEC("'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'"
               "nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'Exists'},{'key':'"
               "node-role.kubernetes.io/master','operator':'Exists'}]}]}}}"),
          "t.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
          "nodeSelectorTerms[0].matchExpressions[1].key: node-role.kubernetes.io/master is use "
          "\"node-role.kubernetes.io/control-plane\" instead\n" },
        { SPEC("'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'"
               "weight':1,'preference':{'matchExpressions':[{'key':'failure-domain.beta.kubernetes."
               "io/zone','operator':'In','values':['a','-']}]}}]}}"),
          "t.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "preference.matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is "
          "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead\n"
          "t.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "preference.matchExpressions[0].values[1]: - is invalid, " LABEL_VALUE "\n" },
        { SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'"),
          "t.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in "
          "matching no pod\n" },
        { SPREAD("'maxSkew':1,'topologyKey':'beta.kubernetes.io/"
                 "arch','whenUnsatisfiable':'DoNotSchedule','labelSelector':{}"),
          "t.spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is deprecated "
          "since v1.14; use \"kubernetes.io/arch\" instead\n" },
        { SPEC("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'"
               "topologyKey':'z'}]}}"),
          "t.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
          "labelSelector: a null labelSelector results in matching no pod\n" },
        { SPEC("'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
               "'weight':1,'podAffinityTerm':{'topologyKey':'z'}}]}}"),
          "t.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.labelSelector: a null labelSelector results in matching no pod\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void annotations_and_profiles(void **state)
{
    static const struct row rows[] = {
        { ANNOTATIONS("'security.alpha.kubernetes.io/"
                      "unsafe-sysctls':'','scheduler.alpha.kubernetes.io/critical-pod':''"),
          "t.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in "
          "v1.16+; use the \"priorityClassName\" field instead\n"
          "t.metadata.annotations[security.alpha.kubernetes.io/unsafe-sysctls]: non-functional in "
          "v1.11+; use the \"sysctls\" field instead\n" },
        { ANNOTATIONS("'seccomp.security.alpha.kubernetes.io/pod':'unconfined'"),
          "t.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in "
          "v1.27+; use the \"seccompProfile\" field instead\n" },
        { ANNOTATIONS("'seccomp.security.alpha.kubernetes.io/"
                      "pod':'unconfined'}},'spec':{'securityContext':{'seccompProfile':{'type':'"
                      "Unconfined'}"),
          "" },
        { ANNOTATIONS(
              "'container.seccomp.security.alpha.kubernetes.io/"
              "c':'unconfined','container.apparmor.security.beta.kubernetes.io/c':'unconfined'"),
          "t.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: "
          "non-functional in v1.27+; use the \"seccompProfile\" field instead\n"
          "t.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated "
          "since v1.30; use the \"appArmorProfile\" field instead\n" },
        { ANNOTATIONS("'container.apparmor.security.beta.kubernetes.io/c':'localhost/"
                      "a'}},'spec':{'securityContext':{'appArmorProfile':{'type':'Localhost','"
                      "localhostProfile':'a'}"),
          "" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void volumes(void **state)
{
    static const struct row rows[] = {
        { VOLUMES("{'name':'v','gitRepo':{'repository':'r'}},{'name':'w','storageos':{'volumeName':"
                  "'x'}}"),
          "t.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+\n"
          "t.spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+\n" },
        { VOLUMES("{'name':'v','ephemeral':{'volumeClaimTemplate':{'spec':{'accessModes':['"
                  "ReadWriteOnce'],'resources':{'requests':{'storage':'1500m'},'limits':{'storage':"
                  "'2500m'}}}}}}"),
          "t.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: "
          "fractional byte value \"1500m\" is invalid, must be an integer\n"
          "t.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.limits[storage]: "
          "fractional byte value \"2500m\" is invalid, must be an integer\n" },
        { VOLUMES("{'name':'v','configMap':{'name':'m','items':[{'key':'k0','path':'a'},{'key':'k1'"
                  ",'path':'b/'},{'key':'k2','path':'a/"
                  "b'},{'key':'k3','path':'b'},{'key':'k4','path':'ab'}]}}"),
          "volume \"v\" (ConfigMap \"m\"): overlapping paths: \"a/b\" with \"a\"\n"
          "volume \"v\" (ConfigMap \"m\"): overlapping paths: \"b\" with \"b\"\n" },
        { VOLUMES("{'name':'v','configMap':{'name':'m','items':[{'key':'k0','path':'a'},{'key':'k1'"
                  ",'path':'a-b'},{'key':'k2','path':'a/b'}]}}"),
          "volume \"v\" (ConfigMap \"m\"): overlapping paths: \"a/b\" with \"a\"\n" },
        { VOLUMES("{'name':'v','secret':{'secretName':'s','items':[{'key':'k0','path':'d/e/"
                  "f'},{'key':'k1','path':'d'},{'key':'k2','path':'d//e'}]}}"),
          "volume \"v\" (Secret \"s\"): overlapping paths: \"d\" with \"d/e/f\"\n"
          "volume \"v\" (Secret \"s\"): overlapping paths: \"d//e\" with \"d\"\n" },
        { VOLUMES("{'name':'v','downwardAPI':{'items':[{'path':'a','fieldRef':{'fieldPath':'"
                  "metadata.name'}},{'path':'a','fieldRef':{'fieldPath':'metadata.name'}}]}}"),
          "volume \"v\" (DownwardAPI): overlapping paths: \"a\" with \"a\"\n" },
        { VOLUMES("{'name':'v','projected':{'sources':[{'configMap':{'name':'m','items':[{'key':'"
                  "k0','path':'a'}]}},{},{'serviceAccountToken':{'path':'a/"
                  "t'}},{'secret':{'name':'s','items':[{'key':'k0','path':'a/t/u'}]}},{}]}}"),
          "volume \"v\" (Projected) has no sources provided\n"
          "volume \"v\" (Projected): overlapping paths: \"a/t\" (ServiceAccountToken) with \"a\" "
          "(ConfigMap \"m\")\n"
          "volume \"v\" (Projected): overlapping paths: \"a/t/u\" (Secret \"s\") with \"a\" "
          "(ConfigMap \"m\")\n"
          "volume \"v\" (Projected): overlapping paths: \"a/t/u\" (Secret \"s\") with \"a/t\" "
          "(ServiceAccountToken)\n"
          "volume \"v\" (Projected) has no sources provided\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void single_fields(void **state)
{
    static const struct row rows[] = {
        { SPEC("'hostAliases':[{'ip':'1.1.1.1'},{'ip':'1.1.1.2'},{'ip':'1.1.1.1'}]"),
          "t.spec.hostAliases[2].ip: duplicate ip \"1.1.1.1\"\n" },
        { SPEC("'imagePullSecrets':[{'name':'a'},{},{'name':'a'},{}]"),
          "t.spec.imagePullSecrets[2].name: duplicate name \"a\"\n"
          "t.spec.imagePullSecrets[3].name: duplicate name \"\"\n"
          "t.spec.imagePullSecrets[1].name: invalid empty name \"\"\n"
          "t.spec.imagePullSecrets[3].name: invalid empty name \"\"\n" },
        { SPEC("'overhead':{'memory':'1500m','ephemeral-storage':'1e-3','cpu':'1500m'}"),
          "t.spec.overhead[memory]: fractional byte value \"1500m\" is invalid, must be an "
          "integer\n"
          "t.spec.overhead[ephemeral-storage]: fractional byte value \"1e-3\" is invalid, must be "
          "an integer\n" },
        { SPEC("'terminationGracePeriodSeconds':-1"),
          "t.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
          "will be treated as 1\n" },
        { DNS("'nameservers':['1.2.3.4','::1','FE80::1']"),
          "t.spec.dnsConfig.nameservers[2]: IPv6 address \"FE80::1\" should be in RFC 5952 "
          "canonical format (\"fe80::1\")\n" },
        { DNS("'nameservers':['1:0:0:2:0:0:0:3','::1.2.3.4','0:0::1']"),
          "t.spec.dnsConfig.nameservers[0]: IPv6 address \"1:0:0:2:0:0:0:3\" should be in RFC 5952 "
          "canonical format (\"1:0:0:2::3\")\n"
          "t.spec.dnsConfig.nameservers[1]: IPv6 address \"::1.2.3.4\" should be in RFC 5952 "
          "canonical format (\"::102:304\")\n"
          "t.spec.dnsConfig.nameservers[2]: IPv6 address \"0:0::1\" should be in RFC 5952 "
          "canonical format (\"::1\")\n" },
        { DNS("'nameservers':['1:0:0:2:0:0:3:4','1:0:2:3:4:5:6:7']"),
          "t.spec.dnsConfig.nameservers[0]: IPv6 address \"1:0:0:2:0:0:3:4\" should be in RFC 5952 "
          "canonical format (\"1::2:0:0:3:4\")\n" },
        { SPEC("'hostAliases':[{'ip':'2001:DB8::0:1'}]"),
          "t.spec.hostAliases[0].ip: IPv6 address \"2001:DB8::0:1\" should be in RFC 5952 "
          "canonical format (\"2001:db8::1\")\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void containers(void **state)
{
    static const struct row rows[] = {
        { CONTAINER("'resources':{'limits':{'memory':'1.5'},'requests':{'memory':'100m','ephemeral-"
                    "storage':'0.0001'}}"),
          "t.spec.containers[0].resources.limits[memory]: fractional byte value \"1500m\" is "
          "invalid, must be an integer\n"
          "t.spec.containers[0].resources.requests[memory]: fractional byte value \"100m\" is "
          "invalid, must be an integer\n"
          "t.spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "
          "\"1m\" is invalid, must be an integer\n" },
        { CONTAINER("'resources':{'limits':{'memory':'123456789012345678901234567890'}}"),
          "t.spec.containers[0].resources.limits[memory]: fractional byte value "
          "\"123456789012345678901234567890\" is invalid, must be an integer\n" },
        { CONTAINER("'resources':{'limits':{'memory':'9Pi'}}"),
          "t.spec.containers[0].resources.limits[memory]: fractional byte value \"9Pi\" is "
          "invalid, must be an integer\n" },
        { CONTAINER("'env':[{'name':'A','value':'x'},{'name':'A','value':'$(A)y'},{'name':'A','"
                    "value':'$(A)'},{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'metadata."
                    "name'}}},{'name':'A'}]"),
          "t.spec.containers[0].env[2]: hides previous definition of \"A\", which may be dropped "
          "when using apply\n"
          "t.spec.containers[0].env[3]: hides previous definition of \"A\", which may be dropped "
          "when using apply\n"
          "t.spec.containers[0].env[4]: hides previous definition of \"A\", which may be dropped "
          "when using apply\n" },
        { SPEC("'initContainers':[{'name':'i','image':'x','env':[{'name':'A','value':'x'},{'name':'"
               "A','value':'y'}]}]"),
          "t.spec.initContainers[0].env[1]: hides previous definition of \"A\", which may be "
          "dropped when using apply\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void ports(void **state)
{
    static const struct row rows[] = {
        { CONTAINER("'ports':[{'containerPort':1},{'containerPort':1},{'containerPort':1,'protocol'"
                    ":'UDP'},{'containerPort':1,'hostPort':5},{'containerPort':1,'hostPort':5,'"
                    "hostIP':'1.1.1.1'},{'containerPort':1,'hostPort':5,'hostIP':'1.1.1.2'},{'"
                    "containerPort':1,'hostPort':6}]"),
          "t.spec.containers[0].ports[1]: duplicate port definition with "
          "t.spec.containers[0].ports[0]\n"
          "t.spec.containers[0].ports[3]: overlapping port definition with "
          "t.spec.containers[0].ports[0]\n"
          "t.spec.containers[0].ports[3]: overlapping port definition with "
          "t.spec.containers[0].ports[1]\n"
          "t.spec.containers[0].ports[4]: overlapping port definition with "
          "t.spec.containers[0].ports[0]\n"
          "t.spec.containers[0].ports[4]: overlapping port definition with "
          "t.spec.containers[0].ports[1]\n"
          "t.spec.containers[0].ports[4]: dangerously ambiguous port definition with "
          "t.spec.containers[0].ports[3]\n"
          "t.spec.containers[0].ports[5]: overlapping port definition with "
          "t.spec.containers[0].ports[0]\n"
          "t.spec.containers[0].ports[5]: overlapping port definition with "
          "t.spec.containers[0].ports[1]\n"
          "t.spec.containers[0].ports[5]: dangerously ambiguous port definition with "
          "t.spec.containers[0].ports[3]\n"
          "t.spec.containers[0].ports[6]: overlapping port definition with "
          "t.spec.containers[0].ports[0]\n"
          "t.spec.containers[0].ports[6]: overlapping port definition with "
          "t.spec.containers[0].ports[1]\n" },
        { CONTAINER("'ports':[{'containerPort':1,'hostPort':5,'hostIP':'1.1.1.1'},{'containerPort':"
                    "1,'hostPort':5},{'containerPort':2,'hostPort':5,'hostIP':'1.1.1.2'},{'"
                    "containerPort':1,'protocol':'UDP','hostPort':5}]"),
          "t.spec.containers[0].ports[1]: dangerously ambiguous port definition with "
          "t.spec.containers[0].ports[0]\n" },
        { CONTAINER("'ports':[{'name':'p','containerPort':1,'hostIP':'1.1.1.1'}]"),
          "t.spec.containers[0].ports[0]: hostIP set without hostPort: {Name:p HostPort:0 "
          "ContainerPort:1 Protocol:TCP HostIP:1.1.1.1}\n" },
        { SPEC("'initContainers':[{'name':'i','image':'x','ports':[{'name':'p','containerPort':7}]}"
               "],'containers':[{'name':'c','image':'x','ports':[{'name':'p','containerPort':1}]},{"
               "'name':'d','image':'x','ports':[{'name':'p','containerPort':2},{'name':'q','"
               "containerPort':3}]}]"),
          "t.spec.containers[0].ports[0]: duplicate port name \"p\" with "
          "t.spec.initContainers[0].ports[0], services and probes that select ports by name will "
          "use t.spec.initContainers[0].ports[0]\n"
          "t.spec.containers[1].ports[0]: duplicate port name \"p\" with "
          "t.spec.initContainers[0].ports[0], services and probes that select ports by name will "
          "use t.spec.initContainers[0].ports[0]\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

/* ---- many of them, and no memory ---- */

/** A template whose container has n ports, all of the same number, with host ports of their own. */
static struct jr_doc *many_ports(size_t n)
{
    struct jr_doc *doc = template_of("{}");
    struct jr_node *container = jr_first(jr_path(jr_doc_root(doc), "spec.containers"));
    struct jr_node *ports, *port;

    assert_int_equal(jr_set_array(container, "ports", &ports), JR_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(jr_push_object(ports, &port), JR_OK);
        assert_int_equal(jr_set_i64(port, "containerPort", 80), JR_OK);
        assert_int_equal(jr_set_i64(port, "hostPort", (int64_t)i + 1), JR_OK);
    }
    return doc;
}

static void many(void **state)
{
    DOC *doc = many_ports(60000);
    JR_ARENA arena = { 0 };
    const struct jr_profile profile = jr_profile_default();
    struct jr_warnings w = { .arena = &arena };

    (void)state;
    jr_arena_init(&arena, 0);
    jr_pod_template_warnings(jr_doc_root(doc), &JR_FIELD(NULL, "t"), &profile, &w);
    assert_int_equal(w.failed, JR_OK);
    assert_int_equal(w.list.n, 0);
}

static void no_memory(void **state)
{
    DOC *doc = template_of(
        "{'metadata':{'annotations':{'container.apparmor.security.beta.kubernetes.io/c':'x'}},"
        "'spec':{'volumes':[{'name':'v','projected':{'sources':[{},{'configMap':{'items':["
        "{'path':'a'},{'path':'a/b'}]}}]}}],'hostAliases':[{'ip':'::0'},{'ip':'::0'}],"
        "'containers':[{'name':'c','image':'x','ports':[{'name':'p','containerPort':1},"
        "{'name':'p','containerPort':1}],'env':[{'name':'A'},{'name':'A'}],"
        "'resources':{'limits':{'memory':'0.5'}}}]}}");

    (void)state;
    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        const struct jr_profile profile = jr_profile_default();
        struct jr_warnings w = { .arena = &arena };

        jr_arena_init(&arena, 0);
        jr_failalloc_arm(n);
        jr_pod_template_warnings(jr_doc_root(doc), &JR_FIELD(NULL, "t"), &profile, &w);
        jr_failalloc_disarm();
        if (!jr_failalloc_hit()) {
            assert_int_equal(w.failed, JR_OK);
            assert_int_equal(w.list.n, 10);
            break;
        }
        assert_int_equal(w.failed, JR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),     cmocka_unit_test(annotations_and_profiles),
        cmocka_unit_test(volumes),    cmocka_unit_test(single_fields),
        cmocka_unit_test(containers), cmocka_unit_test(ports),
        cmocka_unit_test(many),       cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
