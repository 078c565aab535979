/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that the API server knows: one table describes them all. */
#ifndef JR_DEVCLUSTER_APISERVER_RESOURCE_H
#define JR_DEVCLUSTER_APISERVER_RESOURCE_H

#include "common/schema/profile.h"
#include "common/schema/schema.h"

enum jr_dev_resource_id {
    JR_DEV_NAMESPACES,
    JR_DEV_PODS,
    JR_DEV_NODES,
    JR_DEV_EVENTS,
    JR_DEV_CONFIGMAPS,
    JR_DEV_SECRETS,
    JR_DEV_SERVICEACCOUNTS,
    JR_DEV_QUOTAS,
    JR_DEV_JOBS,
    JR_DEV_CRONJOBS,
    JR_DEV_LEASES,
    JR_DEV_MUTATING_CONFIGS,
    JR_DEV_VALIDATING_CONFIGS,
    JR_DEV_WORKLOADS,
    JR_DEV_POD_GROUPS,
    JR_DEV_WORKLOADS_V1BETA1,
    JR_DEV_POD_GROUPS_V1BETA1,
    JR_DEV_JOB_POLICIES,
    JR_DEV_RESOURCE_COUNT
};

#define JR_DEV_FIELDS_MAX 10

struct jr_dev_strategy; /* strategy.h */

struct jr_dev_resource {
    enum jr_dev_resource_id id;
    const char *group; /* "" is core */
    const char *version;
    const char *plural;
    const char *singular;
    const char *kind;
    const char *short_names; /* with commas between, or NULL */
    bool gated;              /* served only where this gate is on: */
    enum jr_gate_id gate;
    unsigned since, until; /* served from that minor version to that one; 0: always */
    bool namespaced;
    bool custom;           /* a custom resource: the API server has no types of it */
    bool all;              /* in the category "all" */
    bool status;           /* has the subresource status; other writes keep it */
    bool generation;       /* metadata.generation counts changes of the spec */
    bool unconditional;    /* a PUT without resourceVersion overwrites */
    bool create_on_update; /* a PUT of what isn't there creates it */
    bool returns_deleted;  /* DELETE answers with the object, not with a Status */
    bool graceful;         /* deletion has a grace period */
    bool orphans;          /* dependents are orphaned where the request says nothing */
    const struct jr_schema_type *schema;
    const struct jr_dev_strategy *strategy;
    /* The fields that fieldSelector may name besides metadata.name and namespace; NULL behind the
     * last. */
    const char *fields[JR_DEV_FIELDS_MAX];
    const char *bookmark; /* what a bookmark's object has behind its metadata, or NULL */
};

extern const struct jr_dev_resource jr_dev_resources[JR_DEV_RESOURCE_COUNT];

/** Whether the API server has it. */
bool jr_dev_resource_served(const struct jr_dev_resource *res, const struct jr_profile *profile);
/** NULL if there is none. */
const struct jr_dev_resource *jr_dev_resource_find(const struct jr_profile *profile,
                                                   struct jr_str group, struct jr_str version,
                                                   struct jr_str plural);
/** By an owner reference's apiVersion ("batch/v1") and kind. */
const struct jr_dev_resource *jr_dev_resource_of_kind(const struct jr_profile *profile,
                                                      struct jr_str api_version,
                                                      struct jr_str kind);
/** Whether text is the resource's apiVersion. */
bool jr_dev_resource_is_version(const struct jr_dev_resource *res, struct jr_str text);

/** "batch/v1" or "v1", for printf("%s%s%s", ...). */
#define JR_DEV_API_VERSION(res) (res)->group, (res)->group[0] == '\0' ? "" : "/", (res)->version
/** "jobs.batch" or "pods", for printf("%s%s%s", ...). */
#define JR_DEV_QUALIFIED(res) (res)->plural, (res)->group[0] == '\0' ? "" : ".", (res)->group

#endif
