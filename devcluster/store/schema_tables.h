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
    GO_STRINGS, /* []string */
    GO_INT32S,  /* []int32 */
    GO_MAP,     /* map[string]string */
    GO_QUANTITY,
    GO_QUANTITIES, /* by resource */
    GO_STRUCT,
    GO_LIST /* of structs */
};

struct go_struct;
struct go_field {
    const char *name;
    enum go_kind kind;
    const struct go_struct *of; /* of STRUCT and LIST */
    const char *type;           /* a string's own type: v1.RestartPolicy */
};
struct go_struct {
    const char *name; /* JobSpec */
    const char *type; /* v1.JobSpec */
    const struct go_field *fields;
};

/** NULL for kinds of which only the metadata is known. */
extern const struct go_struct *const jr_dev_schema_of[DEV_RESOURCE_COUNT];

#endif
