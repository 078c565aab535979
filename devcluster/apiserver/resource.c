/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resources, and looking them up. */
#include "devcluster/apiserver/resource.h"

#include "devcluster/apiserver/strategy.h"

#define NAMES(group_, version_, plural_, singular_, kind_)                                  \
    .group = (group_), .version = (version_), .plural = (plural_), .singular = (singular_), \
    .kind = (kind_)
/* The members that Workloads and PodGroups have alike. */
#define GANG(version_, plural_, singular_, kind_)                           \
    NAMES("scheduling.k8s.io", version_, plural_, singular_, kind_),        \
        .gated = true, .gate = JR_GATE_GenericWorkload, .namespaced = true, \
        .strategy = &jr_dev_plain_strategy
#define POD_TEMPLATE_BOOKMARK "\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}"

const struct jr_dev_resource jr_dev_resources[JR_DEV_RESOURCE_COUNT] = {
    { .id = JR_DEV_NAMESPACES,
      NAMES("", "v1", "namespaces", "namespace", "Namespace"),
      .short_names = "ns",
      .status = true,
      .unconditional = true,
      .schema = &jr_schema_namespace,
      .strategy = &jr_dev_namespace_strategy,
      .fields = { "status.phase" },
      .bookmark = ",\"spec\":{},\"status\":{}" },
    { .id = JR_DEV_PODS,
      NAMES("", "v1", "pods", "pod", "Pod"),
      .short_names = "po",
      .namespaced = true,
      .all = true,
      .status = true,
      .generation = true,
      .unconditional = true,
      .returns_deleted = true,
      .graceful = true,
      .schema = &jr_schema_pod,
      .strategy = &jr_dev_pod_strategy,
      .fields = { "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                  "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
                  "status.nominatedNodeName" },
      .bookmark = ",\"spec\":{\"containers\":null},\"status\":{}" },
    { .id = JR_DEV_NODES,
      NAMES("", "v1", "nodes", "node", "Node"),
      .short_names = "no",
      .status = true,
      .unconditional = true,
      .schema = &jr_schema_node,
      .strategy = &jr_dev_node_strategy,
      .fields = { "spec.unschedulable" },
      .bookmark = ",\"spec\":{},\"status\":{}" },
    { .id = JR_DEV_EVENTS,
      NAMES("", "v1", "events", "event", "Event"),
      .short_names = "ev",
      .namespaced = true,
      .unconditional = true,
      .create_on_update = true,
      .schema = &jr_schema_event,
      .strategy = &jr_dev_event_strategy,
      .fields = { "involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                  "involvedObject.uid", "involvedObject.apiVersion",
                  "involvedObject.resourceVersion", "reason", "type" },
      .bookmark =
          ",\"involvedObject\":{},\"source\":{},\"firstTimestamp\":null,\"lastTimestamp\":null,"
          "\"eventTime\":null,\"reportingComponent\":\"\",\"reportingInstance\":\"\"" },
    { .id = JR_DEV_CONFIGMAPS,
      NAMES("", "v1", "configmaps", "configmap", "ConfigMap"),
      .short_names = "cm",
      .namespaced = true,
      .unconditional = true,
      .schema = &jr_schema_config_map,
      .strategy = &jr_dev_plain_strategy },
    { .id = JR_DEV_SECRETS,
      NAMES("", "v1", "secrets", "secret", "Secret"),
      .namespaced = true,
      .unconditional = true,
      .schema = &jr_schema_secret,
      .strategy = &jr_dev_secret_strategy,
      .fields = { "type" } },
    { .id = JR_DEV_SERVICEACCOUNTS,
      NAMES("", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount"),
      .short_names = "sa",
      .namespaced = true,
      .returns_deleted = true,
      .schema = &jr_schema_service_account,
      .strategy = &jr_dev_plain_strategy },
    { .id = JR_DEV_QUOTAS,
      NAMES("", "v1", "resourcequotas", "resourcequota", "ResourceQuota"),
      .short_names = "quota",
      .namespaced = true,
      .status = true,
      .unconditional = true,
      .returns_deleted = true,
      .schema = &jr_schema_resource_quota,
      .strategy = &jr_dev_plain_strategy,
      .bookmark = ",\"spec\":{},\"status\":{}" },
    { .id = JR_DEV_JOBS,
      NAMES("batch", "v1", "jobs", "job", "Job"),
      .namespaced = true,
      .all = true,
      .status = true,
      .generation = true,
      .unconditional = true,
      .orphans = true,
      .schema = &jr_schema_job,
      .strategy = &jr_dev_job_strategy,
      .fields = { "status.successful" },
      .bookmark = ",\"spec\":{" POD_TEMPLATE_BOOKMARK "},\"status\":{}" },
    { .id = JR_DEV_CRONJOBS,
      NAMES("batch", "v1", "cronjobs", "cronjob", "CronJob"),
      .short_names = "cj",
      .namespaced = true,
      .all = true,
      .status = true,
      .generation = true,
      .unconditional = true,
      .schema = &jr_schema_cron_job,
      .strategy = &jr_dev_cronjob_strategy,
      .bookmark = ",\"spec\":{\"schedule\":\"\",\"jobTemplate\":{\"metadata\":{},\"spec\":"
                  "{" POD_TEMPLATE_BOOKMARK "}}},\"status\":{}" },
    { .id = JR_DEV_LEASES,
      NAMES("coordination.k8s.io", "v1", "leases", "lease", "Lease"),
      .namespaced = true,
      .create_on_update = true,
      .schema = &jr_schema_lease,
      .strategy = &jr_dev_plain_strategy,
      .bookmark = ",\"spec\":{}" },
    { .id = JR_DEV_MUTATING_CONFIGS,
      NAMES("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
            "mutatingwebhookconfiguration", "MutatingWebhookConfiguration"),
      .generation = true,
      .schema = &jr_schema_mutating_webhook_configuration,
      .strategy = &jr_dev_webhook_strategy },
    { .id = JR_DEV_VALIDATING_CONFIGS,
      NAMES("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
            "validatingwebhookconfiguration", "ValidatingWebhookConfiguration"),
      .generation = true,
      .schema = &jr_schema_validating_webhook_configuration,
      .strategy = &jr_dev_webhook_strategy },
    { .id = JR_DEV_WORKLOADS,
      GANG("v1alpha2", "workloads", "workload", "Workload"),
      .since = 36,
      .until = 36,
      .schema = &jr_schema_workload,
      .bookmark = ",\"spec\":{\"podGroupTemplates\":null}" },
    { .id = JR_DEV_POD_GROUPS,
      GANG("v1alpha2", "podgroups", "podgroup", "PodGroup"),
      .since = 36,
      .until = 36,
      .status = true,
      .schema = &jr_schema_pod_group,
      .bookmark = ",\"spec\":{\"schedulingPolicy\":{}},\"status\":{}" },
    { .id = JR_DEV_WORKLOADS_V1BETA1,
      GANG("v1beta1", "workloads", "workload", "Workload"),
      .since = 37,
      .schema = &jr_schema_workload_v1beta1,
      .bookmark = ",\"spec\":{\"podGroupTemplates\":null}" },
    { .id = JR_DEV_POD_GROUPS_V1BETA1,
      GANG("v1beta1", "podgroups", "podgroup", "PodGroup"),
      .since = 37,
      .status = true,
      .schema = &jr_schema_pod_group_v1beta1,
      .bookmark = ",\"spec\":{\"schedulingPolicy\":{}},\"status\":{}" },
    { .id = JR_DEV_JOB_POLICIES,
      NAMES("policy.jobreeve.dev", "v1alpha1", "jobpolicies", "jobpolicy", "JobPolicy"),
      .custom = true,
      .status = true,
      .generation = true,
      .schema = &jr_schema_job_policy,
      .strategy = &jr_dev_plain_strategy },
};

bool jr_dev_resource_served(const struct jr_dev_resource *res, const struct jr_profile *profile)
{
    const unsigned minor = profile->version.minor;

    return (!res->gated || profile->gates[res->gate]) && minor >= res->since &&
           (res->until == 0 || minor <= res->until);
}

const struct jr_dev_resource *jr_dev_resource_find(const struct jr_profile *profile,
                                                   struct jr_str group, struct jr_str version,
                                                   struct jr_str plural)
{
    for (size_t i = 0; i < JR_DEV_RESOURCE_COUNT; i++) {
        const struct jr_dev_resource *r = &jr_dev_resources[i];

        if (jr_str_is(plural, r->plural) && jr_str_is(group, r->group) &&
            jr_str_is(version, r->version) && jr_dev_resource_served(r, profile))
            return r;
    }
    return NULL;
}

bool jr_dev_resource_is_version(const struct jr_dev_resource *res, struct jr_str text)
{
    ptrdiff_t slash = jr_str_find(text, '/');
    struct jr_str group = jr_str_head(text, slash < 0 ? 0 : (size_t)slash);

    return jr_str_is(group, res->group) &&
           jr_str_is(jr_str_from(text, slash < 0 ? 0 : (size_t)slash + 1), res->version);
}

const struct jr_dev_resource *jr_dev_resource_of_kind(const struct jr_profile *profile,
                                                      struct jr_str api_version, struct jr_str kind)
{
    for (size_t i = 0; i < JR_DEV_RESOURCE_COUNT; i++) {
        const struct jr_dev_resource *r = &jr_dev_resources[i];

        if (jr_str_is(kind, r->kind) && jr_dev_resource_is_version(r, api_version) &&
            jr_dev_resource_served(r, profile))
            return r;
    }
    return NULL;
}
