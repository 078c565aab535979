/* SPDX-License-Identifier: Apache-2.0 */
/* What feature gates and an old object change in the rules of a Pod template. The wants are an API
 * server's own answers. */
#include "tests/support/failalloc.h"
#include "tests/unit/pod/place_patches.h"
#include "tests/unit/pod/pod_test.h"

struct row {
    const char *gates; /* as profile_of() has them */
    const char *old;   /* NULL: a create */
    const char *patch; /* merge patch on a small template */
    const char *want;  /* "field: message\n" of each error, below spec.template */
};

/* What the patches have in common. */
#define ANNOTATIONS(x) "{'metadata':{'annotations':{" x "}}}"
#define CONTEXT(x) "{'spec':{'securityContext':{" x "}}}"
#define DNS(x) "{'spec':{'dnsConfig':{" x "}}}"

static const struct row rows[] = {
    { "TaintTolerationComparisonOperators", NULL,
      TOLERATION("'key':'k','operator':'Lt','value':'05'"),
      "spec.tolerations[0].value: Invalid value: \"05\": must be a valid decimal integer in "
      "canonical form\n" },
    { "TaintTolerationComparisonOperators", NULL,
      TOLERATION("'key':'k','operator':'Gt','value':''"),
      "spec.tolerations[0].value: Invalid value: \"\": must be non-empty\n"
      "spec.tolerations[0].value: Invalid value: \"\": strconv.ParseInt: parsing \"\": invalid "
      "syntax\n" },
    { "TaintTolerationComparisonOperators", NULL,
      TOLERATION("'key':'k','operator':'Gt','value':'9223372036854775808'"),
      "spec.tolerations[0].value: Invalid value: \"9223372036854775808\": strconv.ParseInt: "
      "parsing \"9223372036854775808\": value out of range\n" },
    { "TaintTolerationComparisonOperators", NULL,
      TOLERATION("'key':'k','operator':'Gt','value':'-0'"),
      "spec.tolerations[0].value: Invalid value: \"-0\": must be a valid decimal integer in "
      "canonical form\n" },
    { "TaintTolerationComparisonOperators", NULL,
      TOLERATION("'key':'k','operator':'Gt','value':'-5'"), "" },
    { "", TOLERATION("'key':'k','operator':'Lt','value':'5'"),
      TOLERATION("'key':'k','operator':'Gt','value':'6'"), "" },
    { "SELinuxMount", NULL, CONTEXT("'seLinuxChangePolicy':'MountOption'"), "" },
    { "SELinuxMount", NULL, CONTEXT("'seLinuxChangePolicy':'x'"),
      "spec.securityContext.seLinuxChangePolicy: Unsupported value: \"x\": supported values: "
      "\"MountOption\", \"Recursive\"\n" },
    { "", CONTEXT("'seLinuxChangePolicy':'x'"), CONTEXT("'seLinuxChangePolicy':'MountOption'"),
      "" },
    { "UserNamespacesHostNetworkSupport", NULL, SPEC("'hostUsers':false,'hostNetwork':true"), "" },
    { "", SPEC("'hostUsers':false,'hostNetwork':true"),
      SPEC("'hostUsers':false,'hostNetwork':true"), "" },
    { "",
      SPEC("'hostUsers':false,'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'v'}}],'"
           "containers':[{'name':'c','image':'x','volumeDevices':[{'name':'v','devicePath':'/"
           "v'}]}]"),
      SPEC("'hostUsers':false,'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'v'}}],'"
           "containers':[{'name':'c','image':'x','volumeDevices':[{'name':'v','devicePath':'/"
           "w'}]}]"),
      "" },
    { "PodDeletionCost=off", NULL, ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'x'"),
      "" },
    { "", ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'x'"),
      ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'y'"), "" },
    { "", ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'5'"),
      ANNOTATIONS("'controller.kubernetes.io/pod-deletion-cost':'y'"),
      "annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"y\": must be a "
      "32bit integer\n" },
    { "StrictIPCIDRValidation=off", NULL, DNS("'nameservers':['010.0.0.1','::ffff:1.2.3.4','x']"),
      "spec.dnsConfig.nameservers[2]: Invalid value: \"x\": must be a valid IP address, (e.g. "
      "10.9.8.7 or 2001:db8::ffff)\n" },
    { "MatchLabelKeysInPodTopologySpreadSelectorMerge=off", NULL,
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k'],'labelSelector':{'matchLabels':{'k':'v'}}"),
      "spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"k\": exists in both "
      "matchLabelKeys and labelSelector\n" },
    { "MatchLabelKeysInPodTopologySpreadSelectorMerge=off",
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k'],'labelSelector':{'matchLabels':{'k':'v'}}"),
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k'],'labelSelector':{'matchLabels':{'k':'w'}}"),
      "" },
    { "",
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "a b'],'labelSelector':{}"),
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k'],'labelSelector':{'matchLabels':{'k':'v'}}"),
      "spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"k\": exists in both "
      "matchLabelKeys and labelSelector\n" },
    { "",
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','labelSelector':{'"
             "matchLabels':{'a b':'v'}}"),
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','labelSelector':{'"
             "matchLabels':{'a b':'w'}}"),
      "" },
    { "",
      POD_TERM("'topologyKey':'z','labelSelector':{'matchExpressions':[{'key':'k','operator':'In','"
               "values':['a b']}]}"),
      POD_TERM("'topologyKey':'z','labelSelector':{'matchExpressions':[{'key':'k','operator':'In','"
               "values':['b c']}]}"),
      "" },
    { "", TERM("'matchExpressions':[{'key':'k','operator':'In','values':['a b']}]"),
      TERM("'matchExpressions':[{'key':'k','operator':'In','values':['b c']}]"), "" },
    { "", SPEC("'hostNetwork':true,'securityContext':{'sysctls':[{'name':'net.x','value':'1'}]}"),
      SPEC("'hostNetwork':true,'securityContext':{'sysctls':[{'name':'net.y','value':'1'}]}"), "" },
    { "", SPEC("'overhead':{'hugepages-2Mi':'3Mi'}"),
      SPEC("'containers':[{'name':'c','image':'x','resources':{'limits':{'hugepages-2Mi':'1Mi','"
           "memory':1}}}]"),
      "" },
    { "", SPEC("'overhead':{'hugepages-2Mi':'4Mi'}"),
      SPEC("'containers':[{'name':'c','image':'x','resources':{'limits':{'hugepages-2Mi':'1Mi','"
           "memory':1}}}]"),
      "spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"1Mi\": 1Mi is not "
      "positive integer multiple of hugepages-2Mi\n" },
    { "",
      SPEC("'volumes':[{'name':'v','projected':{'sources':[{'serviceAccountToken':{'path':'/"
           "a'}}]}}]"),
      SPEC("'volumes':[{'name':'v','projected':{'sources':[{'serviceAccountToken':{'path':'/"
           "b'}}]}}]"),
      "" },
    { "HostnameOverride=off", NULL, SPEC("'hostnameOverride':'A'"), "" },
    { "HostnameOverride=off", SPEC("'hostnameOverride':'a'"), SPEC("'hostnameOverride':'A'"),
      "spec.hostnameOverride: Invalid value: \"A\": " DNS_SUBDOMAIN "\n" },
    { "MatchLabelKeysInPodTopologySpread=off MatchLabelKeysInPodTopologySpreadSelectorMerge=off",
      NULL,
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k']"),
      "" },
    { "MatchLabelKeysInPodTopologySpread=off MatchLabelKeysInPodTopologySpreadSelectorMerge=off",
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k'],'labelSelector':{}"),
      SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['"
             "k']"),
      "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when "
      "labelSelector is not set\n" },
    { "ContainerRestartRules=off RestartAllContainersOnContainerExits=off", NULL,
      SPEC("'containers':[{'name':'c','image':'x','restartPolicy':'x'}]"), "" },
    { "ContainerRestartRules=off RestartAllContainersOnContainerExits=off",
      SPEC("'containers':[{'name':'c','image':'x','restartPolicy':'Never'}]"),
      SPEC("'containers':[{'name':'c','image':'x','restartPolicy':'x'}]"),
      "spec.containers[0].restartPolicy: Unsupported value: \"x\": supported values: \"Always\", "
      "\"Never\", \"OnFailure\"\n" },
    { "", NULL,
      SPEC("'os':{'name':'linux'},'containers':[{'name':'c','image':'x','lifecycle':{'stopSignal':'"
           "x'}}]"),
      "" },
    { "ContainerStopSignals", NULL,
      SPEC("'os':{'name':'linux'},'containers':[{'name':'c','image':'x','lifecycle':{'stopSignal':'"
           "x'}}]"),
      "spec.containers[0].lifecycle.stopSignal: Unsupported value: \"x\": supported values: "
      "\"SIGABRT\", \"SIGALRM\", \"SIGBUS\", \"SIGCHLD\", \"SIGCLD\", \"SIGCONT\", \"SIGFPE\", "
      "\"SIGHUP\", \"SIGILL\", \"SIGINT\", \"SIGIO\", \"SIGIOT\", \"SIGKILL\", \"SIGPIPE\", "
      "\"SIGPOLL\", \"SIGPROF\", \"SIGPWR\", \"SIGQUIT\", \"SIGRTMAX\", \"SIGRTMAX-1\", "
      "\"SIGRTMAX-10\", \"SIGRTMAX-11\", \"SIGRTMAX-12\", \"SIGRTMAX-13\", \"SIGRTMAX-14\", "
      "\"SIGRTMAX-2\", \"SIGRTMAX-3\", \"SIGRTMAX-4\", \"SIGRTMAX-5\", \"SIGRTMAX-6\", "
      "\"SIGRTMAX-7\", \"SIGRTMAX-8\", \"SIGRTMAX-9\", \"SIGRTMIN\", \"SIGRTMIN+1\", "
      "\"SIGRTMIN+10\", \"SIGRTMIN+11\", \"SIGRTMIN+12\", \"SIGRTMIN+13\", \"SIGRTMIN+14\", "
      "\"SIGRTMIN+15\", \"SIGRTMIN+2\", \"SIGRTMIN+3\", \"SIGRTMIN+4\", \"SIGRTMIN+5\", "
      "\"SIGRTMIN+6\", \"SIGRTMIN+7\", \"SIGRTMIN+8\", \"SIGRTMIN+9\", \"SIGSEGV\", \"SIGSTKFLT\", "
      "\"SIGSTOP\", \"SIGSYS\", \"SIGTERM\", \"SIGTRAP\", \"SIGTSTP\", \"SIGTTIN\", \"SIGTTOU\", "
      "\"SIGURG\", \"SIGUSR1\", \"SIGUSR2\", \"SIGVTALRM\", \"SIGWINCH\", \"SIGXCPU\", "
      "\"SIGXFSZ\"\n" },
    { "EnvFiles=off", NULL,
      SPEC("'containers':[{'name':'c','image':'x','env':[{'name':'A','valueFrom':{'fileKeyRef':{'"
           "path':'p','key':'k','volumeName':'v'}}}]}]"),
      "spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, "
      "`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`\n" },
    { "", NULL, SPEC("'schedulingGroup':{}"), "" },
    { "GenericWorkload", NULL, SPEC("'schedulingGroup':{}"),
      "spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: "
      "`podGroupName`\n" },
    { "", SPEC("'schedulingGroup':{}"), SPEC("'schedulingGroup':{}"),
      "spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: "
      "`podGroupName`\n" },
    { "PodLevelResources=off InPlacePodLevelResourcesVerticalScaling=off", NULL,
      SPEC("'resources':{'limits':{'x':1}}"), "" },
    { "PodLevelResources=off InPlacePodLevelResourcesVerticalScaling=off",
      SPEC("'resources':{'limits':{'cpu':1}}"), SPEC("'resources':{'limits':{'cpu':-1}}"), "" },
    { "", NULL,
      SPEC("'volumes':[{'name':'v','projected':{'sources':[{'podCertificate':{}},{'"
           "clusterTrustBundle':{}}]}}]"),
      "" },
    { "PodCertificateRequest", NULL,
      SPEC("'volumes':[{'name':'v','projected':{'sources':[{'podCertificate':{'keyType':'RSA3072','"
           "keyPath':'k'}}]}}]"),
      "spec.volumes[0].projected.sources[0].podCertificate.signerName: Required value\n" },
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        want_errors(rows[i].patch, rows[i].old, rows[i].gates, rows[i].want);
}

/* ---- what is dropped ---- */

static void dropped(void **state)
{
    static const struct {
        const char *gates;
        const char *patch;
        const char *path; /* of what is looked at afterwards */
        const char *want; /* NULL: nothing is there */
    } drops[] = {
        { "", SPEC("'containers':[{'name':'c','image':'x','lifecycle':{'stopSignal':'SIGHUP'}}]"),
          "lifecycle", NULL },
        { "",
          SPEC("'containers':[{'name':'c','image':'x','lifecycle':{'stopSignal':'SIGHUP',"
               "'preStop':{'exec':{'command':['a']}}}}]"),
          "lifecycle", "{\"preStop\":{\"exec\":{\"command\":[\"a\"]}}}" },
        { "ContainerStopSignals",
          SPEC("'containers':[{'name':'c','image':'x','lifecycle':{'stopSignal':'SIGHUP'}}]"),
          "lifecycle", "{\"stopSignal\":\"SIGHUP\"}" },
        { "EnvFiles=off",
          SPEC("'containers':[{'name':'c','image':'x','env':[{'name':'A','valueFrom':{'fileKeyRef':"
               "{}}}]}]"),
          "env", "[{\"name\":\"A\",\"valueFrom\":{}}]" },
        { "ContainerRestartRules=off",
          SPEC("'containers':[{'name':'c','image':'x','restartPolicyRules':[{}]}]"),
          "restartPolicyRules", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(drops); i++) {
        const struct jr_profile profile = profile_of(drops[i].gates);
        DOC *doc = template_of(drops[i].patch);
        const struct jr_node *container = jr_first(jr_path(jr_doc_root(doc), "spec.containers"));
        JR_BUF have = { 0 };

        jr_buf_init(&have, 4096);
        assert_int_equal(jr_pod_template_prepare(jr_doc_root(doc), NULL, &profile), JR_OK);
        if (jr_get(container, drops[i].path) != NULL)
            assert_int_equal(jr_node_print(jr_get(container, drops[i].path), &have), JR_OK);
        WANT_STR(drops[i].patch, have.p == NULL ? "" : have.p,
                 drops[i].want == NULL ? "" : drops[i].want);
    }
}

static void old_annotations(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    DOC *doc = template_of("{'metadata':{'annotations':{'pod.beta.kubernetes.io/init-containers':"
                           "'[]','a':'b'}}}");

    (void)state;
    assert_int_equal(jr_pod_template_prepare(jr_doc_root(doc), NULL, &profile), JR_OK);
    assert_int_equal(jr_size(jr_path(jr_doc_root(doc), "metadata.annotations")), 1);
    assert_int_equal(jr_pod_template_prepare(NULL, NULL, &profile), JR_OK);
}

/** Something of everything that takes memory. */
static void no_memory(void **state)
{
    static const char patch[] =
        "{'metadata':{'annotations':{'scheduler.alpha.kubernetes.io/tolerations':'[{]',"
        "'container.apparmor.security.beta.kubernetes.io/d':'x'}},'spec':{'schedulingGates':["
        "{'name':'g'},{'name':'g'}],'securityContext':{'sysctls':[{'name':'a'},{'name':'a'}]},"
        "'topologySpreadConstraints':[{'matchLabelKeys':['k'],'labelSelector':{'matchLabels':"
        "{'k':'v'},'matchExpressions':[{'key':'k','operator':'Exists'}]}}]}}";
    const struct jr_profile profile = jr_profile_default();
    DOC *doc = template_of(patch);

    (void)state;
    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        struct jr_errlist errs;
        struct jr_pod_opts opts;

        jr_arena_init(&arena, 0);
        jr_errlist_init(&errs, &arena);
        jr_failalloc_arm(n);
        opts = jr_pod_opts_of(jr_doc_root(doc), jr_doc_root(doc), &profile);
        jr_pod_template_validate(jr_doc_root(doc), &opts, &JR_FIELD(NULL, "template"), &errs);
        jr_failalloc_disarm();
        if (!jr_failalloc_hit()) {
            assert_int_equal(errs.failed, JR_OK);
            assert_true(errs.n > 5);
            break;
        }
        assert_int_equal(errs.failed, JR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors),
        cmocka_unit_test(dropped),
        cmocka_unit_test(old_annotations),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
