/* Macros that write the tables of schema.h: one row a field, in the order of the Go struct. */
#ifndef JR_SCHEMA_MACROS_H
#define JR_SCHEMA_MACROS_H

#include "common/schema/schema.h"

/* clang-format off */
/* *_PTR: a pointer in Go, so that zero and absent are two things. */
#define FIELD(name_, kind_, pointer_, of_, go_type_) \
    { .name = (name_), .kind = (kind_), .pointer = (pointer_), .of = (of_), .go_type = (go_type_) }
#define ANY(name_) FIELD(name_, JR_SCHEMA_ANY, false, NULL, NULL)
#define STRING(name_) FIELD(name_, JR_SCHEMA_STRING, false, NULL, NULL)
#define STRING_PTR(name_) FIELD(name_, JR_SCHEMA_STRING, true, NULL, NULL)
#define STRING_OF(name_, type_) FIELD(name_, JR_SCHEMA_STRING, false, NULL, type_)
#define STRING_PTR_OF(name_, type_) FIELD(name_, JR_SCHEMA_STRING, true, NULL, type_)
#define INT32(name_) FIELD(name_, JR_SCHEMA_INT32, false, NULL, NULL)
#define INT32_PTR(name_) FIELD(name_, JR_SCHEMA_INT32, true, NULL, NULL)
#define INT64(name_) FIELD(name_, JR_SCHEMA_INT64, false, NULL, NULL)
#define INT64_PTR(name_) FIELD(name_, JR_SCHEMA_INT64, true, NULL, NULL)
#define BOOL(name_) FIELD(name_, JR_SCHEMA_BOOL, false, NULL, NULL)
#define BOOL_PTR(name_) FIELD(name_, JR_SCHEMA_BOOL, true, NULL, NULL)
#define TIME(name_) FIELD(name_, JR_SCHEMA_TIME, false, NULL, NULL)
#define TIME_PTR(name_) FIELD(name_, JR_SCHEMA_TIME, true, NULL, NULL)
#define STRINGS(name_) FIELD(name_, JR_SCHEMA_STRINGS, false, NULL, NULL)
#define STRINGS_OF(name_, type_) FIELD(name_, JR_SCHEMA_STRINGS, false, NULL, type_)
#define INT32S(name_) FIELD(name_, JR_SCHEMA_INT32S, false, NULL, NULL)
#define INT64S(name_) FIELD(name_, JR_SCHEMA_INT64S, false, NULL, NULL)
#define STRINGS_MERGED(name_) { .name = (name_), .kind = JR_SCHEMA_STRINGS, .merge = true }
#define STRING_MAP(name_) FIELD(name_, JR_SCHEMA_STRING_MAP, false, NULL, NULL)
#define QUANTITY(name_) FIELD(name_, JR_SCHEMA_QUANTITY, false, NULL, NULL)
#define QUANTITY_PTR(name_) FIELD(name_, JR_SCHEMA_QUANTITY, true, NULL, NULL)
#define QUANTITIES(name_) FIELD(name_, JR_SCHEMA_QUANTITIES, false, NULL, NULL)
#define INT_OR_STRING(name_) FIELD(name_, JR_SCHEMA_INT_OR_STRING, false, NULL, NULL)
#define STRUCT(name_, of_) FIELD(name_, JR_SCHEMA_STRUCT, false, &(of_), NULL)
#define STRUCT_PTR(name_, of_) FIELD(name_, JR_SCHEMA_STRUCT, true, &(of_), NULL)
#define LIST(name_, of_) FIELD(name_, JR_SCHEMA_LIST, false, &(of_), NULL)
#define LIST_BY(name_, of_, key_) \
    { .name = (name_), .kind = JR_SCHEMA_LIST, .of = &(of_), .merge = true, .merge_key = (key_) }
#define END { .name = NULL }

/* A type of VAR_fields: of this file, as VAR ... */
#define TYPE(var_, name_) \
    static const struct jr_schema_type var_ = { name_, "v1." name_, var_##_fields, NULL }
#define TYPE_ALPHA(var_, name_) \
    static const struct jr_schema_type var_ = { name_, "v1alpha2." name_, var_##_fields, NULL }
#define TYPE_WITH(var_, name_, embedded_) \
    static const struct jr_schema_type var_ = { name_, "v1." name_, var_##_fields, &(embedded_) }
/* ... or one of schema.h, as jr_schema_VAR. */
#define PUBLIC_TYPE(var_, name_) \
    const struct jr_schema_type jr_schema_##var_ = { name_, "v1." name_, var_##_fields, NULL }
#define PUBLIC_TYPE_ALPHA(var_, name_) \
    const struct jr_schema_type jr_schema_##var_ = { name_, "v1alpha2." name_, var_##_fields, NULL }
#define PUBLIC_TYPE_WITH(var_, name_, embedded_) \
    const struct jr_schema_type jr_schema_##var_ = { name_, "v1." name_, var_##_fields, &(embedded_) }
/* clang-format on */

#endif
