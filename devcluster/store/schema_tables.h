/* The Go types behind the objects, as far as we know them. */
#ifndef JR_DEVCLUSTER_SCHEMA_TABLES_H
#define JR_DEVCLUSTER_SCHEMA_TABLES_H

#include "devcluster/store/resource.h"

enum go_kind {
    GO_ANY, /* known, not looked into */
    GO_STRING,
    GO_INT32,
    GO_INT64,
    GO_BOOL,
    GO_TIME,
    GO_STRINGS,       /* []string */
    GO_INT32S,        /* []int32 */
    GO_INT64S,        /* []int64 */
    GO_MAP,           /* map[string]string */
    GO_QUANTITY,      /* resource.Quantity */
    GO_QUANTITIES,    /* map[ResourceName]resource.Quantity */
    GO_INT_OR_STRING, /* intstr.IntOrString */
    GO_STRUCT,
    GO_LIST /* of structs */
};

struct go_struct;
struct go_field {
    const char *name;
    enum go_kind kind;
    const struct go_struct *of; /* of STRUCT and LIST */
    const char *type;           /* a string's own type, or that of a list's: v1.RestartPolicy */
};
struct go_struct {
    const char *name; /* JobSpec */
    const char *type; /* v1.JobSpec */
    const struct go_field *fields;
    const struct go_struct *embedded; /* whose fields it has too; NULL: none */
};

/* Structs that several tables need. */
extern const struct go_struct jr_dev_go_object_meta;
extern const struct go_struct jr_dev_go_label_selector;
extern const struct go_struct jr_dev_go_label_selector_requirement;
extern const struct go_struct jr_dev_go_local_object_reference;
extern const struct go_struct jr_dev_go_object_field_selector;
extern const struct go_struct jr_dev_go_resource_field_selector;
extern const struct go_struct jr_dev_go_volume;
extern const struct go_struct jr_dev_go_pod_spec;
extern const struct go_struct jr_dev_go_pod_template_spec;

/** NULL for kinds of which only the metadata is known. */
extern const struct go_struct *const jr_dev_schema_of[DEV_RESOURCE_COUNT];

#endif
