/* The resources that the API server knows: one table describes them all. */
#ifndef JR_DEVCLUSTER_APISERVER_RESOURCE_H
#define JR_DEVCLUSTER_APISERVER_RESOURCE_H

#include "common/schema/profile.h"
#include "common/schema/schema.h"

enum dev_resource_id {
    DEV_NAMESPACES,
    DEV_PODS,
    DEV_NODES,
    DEV_EVENTS,
    DEV_CONFIGMAPS,
    DEV_SECRETS,
    DEV_SERVICEACCOUNTS,
    DEV_JOBS,
    DEV_CRONJOBS,
    DEV_LEASES,
    DEV_MUTATING_CONFIGS,
    DEV_VALIDATING_CONFIGS,
    DEV_WORKLOADS,
    DEV_POD_GROUPS,
    DEV_RESOURCE_COUNT
};

#define DEV_FIELDS_MAX 10

/** A field that fieldSelector may name. */
struct dev_selectable {
    const char *name; /* involvedObject.uid */
    const char *path; /* where it is in the object; NULL: as the name says */
};

struct dev_strategy; /* strategy.h */
struct dev_table;    /* table.h */

struct dev_resource {
    enum dev_resource_id id;
    const char *group; /* "" is core */
    const char *version;
    const char *plural;
    const char *singular;
    const char *kind;
    const char *short_names; /* with commas between, or NULL */
    bool alpha;              /* served only where this gate is on: */
    enum jr_gate_id gate;
    bool namespaced;
    bool all;              /* in the category "all" */
    bool status;           /* has the subresource status; other writes keep it */
    bool generation;       /* metadata.generation counts changes of the spec */
    bool unconditional;    /* a PUT without resourceVersion overwrites */
    bool create_on_update; /* a PUT of what isn't there creates it */
    bool returns_deleted;  /* DELETE answers with the object, not with a Status */
    bool graceful;         /* deletion has a grace period */
    bool orphans;          /* dependents are orphaned where the request says nothing */
    const struct jr_schema_type *schema;
    const struct dev_strategy *strategy;
    const struct dev_table *table;
    const struct dev_selectable *fields; /* besides metadata.name and namespace; ended by NULL */
    const char *bookmark;                /* what a bookmark's object has behind its metadata */
};

extern const struct dev_resource jr_dev_resources[DEV_RESOURCE_COUNT];

/** Whether the API server has it. */
bool jr_dev_resource_served(const struct dev_resource *res, const struct jr_profile *profile);
/** NULL if there is none. */
const struct dev_resource *jr_dev_resource_find(const struct jr_profile *profile,
                                                struct jr_str group, struct jr_str version,
                                                struct jr_str plural);
/** By an owner reference's apiVersion ("batch/v1") and kind. */
const struct dev_resource *jr_dev_resource_of_kind(const struct jr_profile *profile,
                                                   struct jr_str api_version, struct jr_str kind);
/** Whether text is the resource's apiVersion. */
bool jr_dev_resource_is_version(const struct dev_resource *res, struct jr_str text);

/** "batch/v1" or "v1", for printf("%s%s%s", ...). */
#define DEV_API_VERSION(res) (res)->group, (res)->group[0] == '\0' ? "" : "/", (res)->version
/** "jobs.batch" or "pods", for printf("%s%s%s", ...). */
#define DEV_QUALIFIED(res) (res)->plural, (res)->group[0] == '\0' ? "" : ".", (res)->group

#endif
