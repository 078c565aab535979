/* Writing the tables of schema_tables.h: one row a field, in the order of the Go struct. */
#ifndef JR_DEVCLUSTER_SCHEMA_MACROS_H
#define JR_DEVCLUSTER_SCHEMA_MACROS_H

#include "devcluster/store/schema_tables.h"

/* clang-format off */
#define TEXT(name_) { .name = (name_), .kind = GO_STRING }
#define TEXT_OF(name_, type_) { .name = (name_), .kind = GO_STRING, .type = (type_) }
#define TEXTS_OF(name_, type_) { .name = (name_), .kind = GO_STRINGS, .type = (type_) }
#define ONE(name_, kind_) { .name = (name_), .kind = (kind_) }
#define IN(name_, of_) { .name = (name_), .kind = GO_STRUCT, .of = &(of_) }
#define EACH(name_, of_) { .name = (name_), .kind = GO_LIST, .of = &(of_) }
#define END { .name = NULL }
#define STRUCT(var_, name_) \
    static const struct go_struct var_ = { name_, "v1." name_, var_##_fields, NULL }
#define STRUCT_ALPHA(var_, name_) \
    static const struct go_struct var_ = { name_, "v1alpha2." name_, var_##_fields, NULL }
#define STRUCT_WITH(var_, name_, embedded_) \
    static const struct go_struct var_ = { name_, "v1." name_, var_##_fields, &(embedded_) }
/* For other files: jr_dev_go_VAR. */
#define PUBLIC(var_, name_) \
    const struct go_struct jr_dev_go_##var_ = { name_, "v1." name_, var_##_fields, NULL }
#define PUBLIC_WITH(var_, name_, embedded_) \
    const struct go_struct jr_dev_go_##var_ = { name_, "v1." name_, var_##_fields, &(embedded_) }
/* clang-format on */

#endif
