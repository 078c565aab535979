/* The API's types as tables: every field that we know of an object, and its Go type. */
#ifndef JR_SCHEMA_SCHEMA_H
#define JR_SCHEMA_SCHEMA_H

#include "common/rules/profile.h"

/** A field's type, as Go has it. */
enum jr_schema_kind {
    JR_SCHEMA_ANY, /* known, not looked into */
    JR_SCHEMA_STRING,
    JR_SCHEMA_INT32,
    JR_SCHEMA_INT64,
    JR_SCHEMA_BOOL,
    JR_SCHEMA_TIME,
    JR_SCHEMA_STRINGS,       /* []string */
    JR_SCHEMA_INT32S,        /* []int32 */
    JR_SCHEMA_INT64S,        /* []int64 */
    JR_SCHEMA_STRING_MAP,    /* map[string]string */
    JR_SCHEMA_QUANTITY,      /* resource.Quantity */
    JR_SCHEMA_QUANTITIES,    /* map[ResourceName]resource.Quantity */
    JR_SCHEMA_INT_OR_STRING, /* intstr.IntOrString */
    JR_SCHEMA_STRUCT,
    JR_SCHEMA_LIST /* of structs */
};

struct jr_schema_type;
struct jr_schema_field {
    const char *name; /* the JSON name; NULL ends a table */
    enum jr_schema_kind kind;
    bool pointer;                    /* in Go: zero and absent are two things */
    const struct jr_schema_type *of; /* of STRUCT and LIST; else NULL */
    const char *go_type; /* a string's own type, or that of a list's: v1.RestartPolicy; or NULL */
    bool gated;          /* dropped while this gate is off: */
    enum jr_gate_id gate;
    bool gated_on_create;  /* an update may bring it in */
    bool merge;            /* a strategic merge patch merges this list; others it replaces */
    const char *merge_key; /* of a list of structs that is merged: elements with the same are one */
};
/** A Go struct. Fields are in Go's order. */
struct jr_schema_type {
    const char *name;    /* JobSpec */
    const char *go_type; /* v1.JobSpec */
    const struct jr_schema_field *fields;
    const struct jr_schema_type *embedded; /* whose fields it has too; NULL: none */
};

/* Kinds. */
extern const struct jr_schema_type jr_schema_job;
extern const struct jr_schema_type jr_schema_cron_job;
extern const struct jr_schema_type jr_schema_pod;
extern const struct jr_schema_type jr_schema_namespace;
extern const struct jr_schema_type jr_schema_node;
extern const struct jr_schema_type jr_schema_event;
extern const struct jr_schema_type jr_schema_config_map;
extern const struct jr_schema_type jr_schema_secret;
extern const struct jr_schema_type jr_schema_service_account;
extern const struct jr_schema_type jr_schema_lease;
extern const struct jr_schema_type jr_schema_mutating_webhook_configuration;
extern const struct jr_schema_type jr_schema_validating_webhook_configuration;
extern const struct jr_schema_type jr_schema_workload;
extern const struct jr_schema_type jr_schema_pod_group;

/* Types that are asked for by themselves, or that several kinds have. */
extern const struct jr_schema_type jr_schema_object_meta;
extern const struct jr_schema_type jr_schema_label_selector;
extern const struct jr_schema_type jr_schema_label_selector_requirement;
extern const struct jr_schema_type jr_schema_local_object_reference;
extern const struct jr_schema_type jr_schema_object_field_selector;
extern const struct jr_schema_type jr_schema_resource_field_selector;
extern const struct jr_schema_type jr_schema_volume;
extern const struct jr_schema_type jr_schema_job_spec;
extern const struct jr_schema_type jr_schema_job_template_spec;
extern const struct jr_schema_type jr_schema_cron_job_spec;
extern const struct jr_schema_type jr_schema_pod_spec;
extern const struct jr_schema_type jr_schema_pod_status;
extern const struct jr_schema_type jr_schema_pod_template_spec;

/** The field of that JSON name, NULL if the type has none. *ret_via (may be NULL) is the embedded
 * type that has the field, NULL where it is the type's own. */
const struct jr_schema_field *jr_schema_find(const struct jr_schema_type *type, struct jr_str name,
                                             const struct jr_schema_type **ret_via);

#endif
