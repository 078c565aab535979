/* Macros that write the tables of schema.h: one row a field, in the order of the Go struct. */
#ifndef JR_SCHEMA_MACROS_H
#define JR_SCHEMA_MACROS_H

#include "common/schema/schema.h"

/* clang-format off */
/* The first argument is the name; behind the others more may follow: GATE(), GATE_ON_CREATE(), BY(),
 * MERGED. *_PTR is a pointer in Go, so that zero and absent are two things; *_OF has a Go type of
 * its own. */
#define ANY(...) { .kind = JR_SCHEMA_ANY, .name = __VA_ARGS__ }
#define STRING(...) { .kind = JR_SCHEMA_STRING, .name = __VA_ARGS__ }
#define STRING_PTR(...) { .kind = JR_SCHEMA_STRING, .pointer = true, .name = __VA_ARGS__ }
#define STRING_OF(name_, ...) { .kind = JR_SCHEMA_STRING, .name = (name_), .go_type = __VA_ARGS__ }
#define STRING_PTR_OF(name_, ...) \
    { .kind = JR_SCHEMA_STRING, .pointer = true, .name = (name_), .go_type = __VA_ARGS__ }
#define INT32(...) { .kind = JR_SCHEMA_INT32, .name = __VA_ARGS__ }
#define INT32_PTR(...) { .kind = JR_SCHEMA_INT32, .pointer = true, .name = __VA_ARGS__ }
#define INT64(...) { .kind = JR_SCHEMA_INT64, .name = __VA_ARGS__ }
#define INT64_PTR(...) { .kind = JR_SCHEMA_INT64, .pointer = true, .name = __VA_ARGS__ }
#define BOOL(...) { .kind = JR_SCHEMA_BOOL, .name = __VA_ARGS__ }
#define BOOL_PTR(...) { .kind = JR_SCHEMA_BOOL, .pointer = true, .name = __VA_ARGS__ }
#define TIME(...) { .kind = JR_SCHEMA_TIME, .name = __VA_ARGS__ }
#define TIME_PTR(...) { .kind = JR_SCHEMA_TIME, .pointer = true, .name = __VA_ARGS__ }
#define STRINGS(...) { .kind = JR_SCHEMA_STRINGS, .name = __VA_ARGS__ }
#define STRINGS_OF(name_, ...) \
    { .kind = JR_SCHEMA_STRINGS, .name = (name_), .go_type = __VA_ARGS__ }
#define INT32S(...) { .kind = JR_SCHEMA_INT32S, .name = __VA_ARGS__ }
#define INT64S(...) { .kind = JR_SCHEMA_INT64S, .name = __VA_ARGS__ }
#define STRING_MAP(...) { .kind = JR_SCHEMA_STRING_MAP, .name = __VA_ARGS__ }
#define QUANTITY(...) { .kind = JR_SCHEMA_QUANTITY, .name = __VA_ARGS__ }
#define QUANTITY_PTR(...) { .kind = JR_SCHEMA_QUANTITY, .pointer = true, .name = __VA_ARGS__ }
#define QUANTITIES(...) { .kind = JR_SCHEMA_QUANTITIES, .name = __VA_ARGS__ }
#define INT_OR_STRING(...) { .kind = JR_SCHEMA_INT_OR_STRING, .name = __VA_ARGS__ }
#define STRUCT(name_, ...) { .kind = JR_SCHEMA_STRUCT, .name = (name_), .of = &__VA_ARGS__ }
#define STRUCT_PTR(name_, ...) \
    { .kind = JR_SCHEMA_STRUCT, .pointer = true, .name = (name_), .of = &__VA_ARGS__ }
#define LIST(name_, ...) { .kind = JR_SCHEMA_LIST, .name = (name_), .of = &__VA_ARGS__ }
#define END { .name = NULL }

#define GATE(name_) .gated = true, .gate = JR_GATE_##name_
#define GATE_ON_CREATE(name_) .gated = true, .gated_on_create = true, .gate = JR_GATE_##name_
#define BY(key_) .merge = true, .merge_key = (key_)
#define MERGED .merge = true

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
    const struct jr_schema_type jr_schema_##var_ = { \
        name_, "v1." name_, var_##_fields, &(embedded_) }
/* clang-format on */

#endif
