/* SPDX-License-Identifier: Apache-2.0 */
/* Where a Pod may run: what an API server says of each fault. The wants are its own answers. */
#include "tests/unit/pod/place_patches.h"
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

/* Patches and answers that many rows share. */
#define TERMS(x)                                                                                \
    "{'spec':{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{" x \
    "}}}}}"
#define AT_TERM                                                                                    \
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[" \
    "0]."
#define AT_POD_TERM "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."

static void node_affinity(void **state)
{
    static const struct row rows[] = {
        { TERMS(""),
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
          "nodeSelectorTerms: Required value: must have at least one node selector term\n" },
        { TERM(""), "" },
        { TERM("'matchExpressions':[{'key':'a "
               "b','operator':'In'},{'key':'k','operator':'Exists','values':['v']},{'key':'k','"
               "operator':'Gt','values':['1','2']},{'key':'k','operator':'<','values':['a b']}]"),
          AT_TERM
          "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' "
          "or 'NotIn'\n" AT_TERM "matchExpressions[0].key: Invalid value: \"a b\": " QUALIFIED_NAME
          "\n" AT_TERM "matchExpressions[1].values: Forbidden: may not be specified when "
          "`operator` is 'Exists' or 'DoesNotExist'\n" AT_TERM
          "matchExpressions[2].values: Required value: must be specified single value when "
          "`operator` is 'Lt' or 'Gt'\n" AT_TERM
          "matchExpressions[3].operator: Invalid value: \"\\u003c\": not a valid selector "
          "operator\n" AT_TERM "matchExpressions[3].values[0]: Invalid value: \"a b\": " LABEL_VALUE
          "\n" },
        { TERM("'matchFields':[{'key':'metadata.uid','operator':'In','values':['A']},{'key':'"
               "metadata.name','operator':'NotIn','values':['a','b']},{'key':'metadata.name','"
               "operator':'Exists'}]"),
          AT_TERM
          "matchFields[0].key: Invalid value: \"metadata.uid\": not a valid field selector "
          "key\n" AT_TERM "matchFields[1].values: Required value: must be only one value when "
          "`operator` is 'In' or 'NotIn' for node field selector\n" AT_TERM
          "matchFields[2].operator: Invalid value: \"Exists\": not a valid selector operator\n" },
        { SPEC("'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'"
               "weight':101},{'weight':1,'preference':{'matchExpressions':[{'key':'k','operator':'"
               "In','values':['a b']}]}}]}}"),
          "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
          "Invalid value: 101: must be in the range 1-100\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void pod_affinity(void **state)
{
    static const struct row rows[] = {
        { POD_TERM("'topologyKey':'z','namespaces':['a','a.b'],'labelSelector':{'matchLabels':{'a "
                   "b':'c'}},'namespaceSelector':{'matchExpressions':[{'key':'k','operator':'In'},{"
                   "'key':'k','operator':'NotIn','values':['a "
                   "b']},{'key':'k','operator':'Exists','values':['v']},{'key':'k'}]}"),
          AT_POD_TERM
          "labelSelector.matchLabels: Invalid value: \"a b\": " QUALIFIED_NAME "\n" AT_POD_TERM
          "namespaceSelector.matchExpressions[0].values: Required value: must be specified when "
          "`operator` is 'In' or 'NotIn'\n" AT_POD_TERM
          "namespaceSelector.matchExpressions[1].values[0]: Invalid value: \"a b\": " LABEL_VALUE
          "\n" AT_POD_TERM "namespaceSelector.matchExpressions[2].values: Forbidden: may not be "
          "specified when `operator` is 'Exists' or 'DoesNotExist'\n" AT_POD_TERM
          "namespaceSelector.matchExpressions[3].operator: Invalid value: \"\": not a valid "
          "selector operator\n" AT_POD_TERM
          "namespace: Invalid value: \"a.b\": must not contain dots\n" },
        { POD_TERM("'topologyKey':'z','matchLabelKeys':['a'],'mismatchLabelKeys':['b']"),
          AT_POD_TERM
          "matchLabelKeys: Forbidden: must not be specified when labelSelector is not "
          "set\n" AT_POD_TERM
          "mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set\n" },
        { POD_TERM(
              "'topologyKey':'z','labelSelector':{'matchLabels':{'a':'b'},'matchExpressions':[{'"
              "key':'a','operator':'Exists'},{'key':'c','operator':'Exists'},{'key':'c','operator':"
              "'Exists'}]},'matchLabelKeys':['a','c','c'],'mismatchLabelKeys':['c']"),
          "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][0]: Invalid "
          "value: \"a\": exists in both matchLabelKeys and labelSelector\n"
          "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][2]: Invalid "
          "value: \"c\": exists in both matchLabelKeys and labelSelector\n" AT_POD_TERM
          "matchLabelKeys[1]: Invalid value: \"c\": exists in both matchLabelKeys and "
          "mismatchLabelKeys\n" AT_POD_TERM "matchLabelKeys[2]: Invalid value: \"c\": exists in "
          "both matchLabelKeys and mismatchLabelKeys\n" },
        { SPEC("'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
               "'weight':-1}]}}"),
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight:"
          " Invalid value: -1: must be in the range 1-100\n"
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.topologyKey: Required value: can not be empty\n"
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.topologyKey: Invalid value: \"\": name part must be non-empty\n"
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
          "podAffinityTerm.topologyKey: Invalid value: \"\": " QUALIFIED_NAME "\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void spread(void **state)
{
    static const struct row rows[] = {
        { SPREAD(""),
          "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero\n"
          "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty\n"
          "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"\": supported "
          "values: \"DoNotSchedule\", \"ScheduleAnyway\"\n" },
        { SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'"), "" },
        { SPREAD("'maxSkew':-1,'topologyKey':'z','whenUnsatisfiable':'ScheduleAnyway','minDomains':"
                 "0,'nodeAffinityPolicy':'','nodeTaintsPolicy':'Honor'"),
          "spec.topologySpreadConstraints[0].maxSkew: Invalid value: -1: must be greater than "
          "zero\n"
          "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than "
          "zero\n"
          "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains "
          "if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway\n"
          "spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: \"\": "
          "supported values: \"Honor\", \"Ignore\"\n" },
        { SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'},{'maxSkew':1,'"
                 "topologyKey':'z','whenUnsatisfiable':'ScheduleAnyway'},{'maxSkew':1,'topologyKey'"
                 ":'z','whenUnsatisfiable':'DoNotSchedule'"),
          "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "
          "\"{z, DoNotSchedule}\"\n" },
        { SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','"
                 "matchLabelKeys':['k'],'labelSelector':{'matchLabels':{'k':'v'}}"),
          "" },
        { SPREAD("'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule','"
                 "matchLabelKeys':['k','a "
                 "b'],'labelSelector':{'matchLabels':{'k':'v'},'matchExpressions':[{'key':'k','"
                 "operator':'In','values':['a b']}]}"),
          "spec.topologySpreadConstraints[0].matchLabelKeys[1]: Invalid value: \"a "
          "b\": " QUALIFIED_NAME "\n"
          "spec.topologySpreadConstraints[0][0]: Invalid value: \"k\": exists in both "
          "matchLabelKeys and labelSelector\n"
          "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]: Invalid "
          "value: \"a b\": " LABEL_VALUE "\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

static void tolerations(void **state)
{
    static const struct row rows[] = {
        { TOLERATION(""),
          "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` "
          "is empty, which means \"match all values and all keys\"\n" },
        { TOLERATION("'operator':'Exists'"), "" },
        { TOLERATION("'key':'a/','value':'-','effect':'Run','tolerationSeconds':5"),
          "spec.tolerations[0].key: Invalid value: \"a/\": name part must be non-empty\n"
          "spec.tolerations[0].key: Invalid value: \"a/\": " QUALIFIED_NAME "\n"
          "spec.tolerations[0].effect: Invalid value: \"Run\": effect must be 'NoExecute' when "
          "`tolerationSeconds` is set\n"
          "spec.tolerations[0].operator: Invalid value: \"-\": " LABEL_VALUE "\n"
          "spec.tolerations[0].effect: Unsupported value: \"Run\": supported values: "
          "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"\n" },
        { TOLERATION("'key':'k','operator':'Exists','value':'v','effect':'NoExecute','"
                     "tolerationSeconds':5"),
          "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` "
          "is 'Exists'\n" },
        { TOLERATION("'key':'k','operator':'Lt','value':'5'"),
          "spec.tolerations[0].operator: Unsupported value: \"Lt\": supported values: \"Equal\", "
          "\"Exists\", \"Lt\", \"Gt\"\n" },
        { TOLERATION("'key':'k','operator':'Is','value':'5'"),
          "spec.tolerations[0].operator: Unsupported value: \"Is\": supported values: \"Equal\", "
          "\"Exists\"\n" },
        { TOLERATION("'key':'k','value':'----------------------------------------------------------"
                     "------'"),
          "spec.tolerations[0].operator: Invalid value: "
          "\"----------------------------------------------------------------\": must be no more "
          "than 63 bytes;" LABEL_VALUE "\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_affinity),
        cmocka_unit_test(pod_affinity),
        cmocka_unit_test(spread),
        cmocka_unit_test(tolerations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
