/* SPDX-License-Identifier: Apache-2.0 */
/* Macros that write the tables of schema.h: one row a field, in the order of the Go struct. */
#ifndef JR_SCHEMA_MACROS_H
#define JR_SCHEMA_MACROS_H

#include "common/json/tape.h"
#include "common/schema/schema.h"

/* clang-format off */
/* The first argument is the name; behind the others more may follow: GATE(), GATE_ON_CREATE(),
 * NO(), BYTES, AS_BYTES, MICRO, SINCE(), UNTIL(), BY() and the other kinds of list, AT(), ALONE(), FLAT, AS(), WITH_TEXT,
 * FIRST(). *_PTR is a pointer in Go, so that zero and absent are two things; *_OF has a Go type of
 * its own; TEXT is a STRING that is ALWAYS written. */
#define ANY(...) { .kind = JR_SCHEMA_ANY, .name = __VA_ARGS__ }
#define STRING(...) { .kind = JR_SCHEMA_STRING, .name = __VA_ARGS__ }
#define TEXT(...) { .kind = JR_SCHEMA_STRING, .always = true, .name = __VA_ARGS__ }
#define TEXT_OF(name_, ...) \
    { .kind = JR_SCHEMA_STRING, .always = true, .name = (name_), .go_type = __VA_ARGS__ }
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

/* Go's encoder writes it where it is zero, too: it has no omitempty. */
#define ALWAYS .always = true
#define GATE(name_) .gated = true, .gate = JR_GATE_##name_
#define GATE_ON_CREATE(name_) .gated = true, .gated_on_create = true, .gate = JR_GATE_##name_
/* Lists are atomic without one of these. By these keys ("a,b"), merged by patches by the first: */
#define BY(keys_) .list = JR_SCHEMA_LIST_MAP, .keys = (keys_), .merge = true
/* ... replaced by patches: */
#define MAP(keys_) .list = JR_SCHEMA_LIST_MAP, .keys = (keys_)
/* ... atomic, but merged by patches: */
#define PATCHED_BY(key_) .keys = (key_), .merge = true
/* ... a set, merged by patches: */
#define MERGED .list = JR_SCHEMA_LIST_SET, .merge = true
/* ... a set, replaced by patches: */
#define SET .list = JR_SCHEMA_LIST_SET
/* The field is known since 1.n_, until 1.n_. */
#define SINCE(n_) .since = (n_)
#define UNTIL(n_) .until = (n_)

/* The field's number in protobuf. */
#define NO(n_) .number = (n_)
/* It is a map of bytes. */
#define BYTES .bytes = true
/* It is a MicroTime, not a Time. */
#define MICRO .micro = true
/* It is JSON, as bytes in a message of their own. */
#define AS_BYTES .json = true
/* The field is kept, as this member of the type's C struct. */
#define AT(struct_, member_) \
    .into = INTO(((struct_ *)NULL)->member_), .offset = offsetof(struct_, member_)
/* It is the type's C struct itself. */
#define ALONE(struct_) .into = INTO(*(struct_ *)NULL)
/* Of a struct: its fields are members of the C struct that the field would be one of. */
#define FLAT .into = JR_INTO_SAME
/* Of a struct's or list's type, only these fields are kept. */
#define AS(type_) .keep = (&(type_))
#define WITH_TEXT .with_text = true
/* Of a list, as many elements are kept; the others are passed over. */
#define FIRST(n_) .first = (n_)
#define INTO(value_) \
    _Generic((value_), \
        struct jr_str: JR_INTO_STR, \
        int32_t: JR_INTO_I32, \
        int64_t: JR_INTO_I64, \
        bool: JR_INTO_BOOL, \
        struct jr_opt_i32: JR_INTO_OPT_I32, \
        struct jr_opt_i64: JR_INTO_OPT_I64, \
        struct jr_opt_bool: JR_INTO_OPT_BOOL, \
        struct jr_time: JR_INTO_TIME, \
        struct jr_labels: JR_INTO_LABELS, \
        struct jr_strs: JR_INTO_STRS, \
        struct jr_i32s: JR_INTO_I32S, \
        struct jr_tape: JR_INTO_TAPE, \
        default: JR_INTO_STRUCT)

/* A type and its rows: TYPE(VAR, "Name", ROW, ...). It is VAR, of this file, or jr_schema_VAR, of
 * schema.h. _WITH: one thing more goes before the rows, EMBEDS(), DECODED(), ONCE; or several,
 * WITH(DECODED(), AS_JSON). */
#define TYPE(var_, name_, ...) TYPE_WITH(var_, name_, .size = 0, __VA_ARGS__)
#define TYPE_WITH(var_, name_, with_, ...) \
    static const struct jr_schema_type var_ = TYPE_OF("v1.", name_, FIELDS(__VA_ARGS__), with_)
#define TYPE_ALPHA(var_, name_, ...) TYPE_ALPHA_WITH(var_, name_, .size = 0, __VA_ARGS__)
#define TYPE_ALPHA_WITH(var_, name_, with_, ...) \
    static const struct jr_schema_type var_ = \
        TYPE_OF("v1alpha2.", name_, FIELDS(__VA_ARGS__), with_)
#define TYPE_ALPHA3(var_, name_, with_, ...) \
    static const struct jr_schema_type var_ = \
        TYPE_OF("v1alpha3.", name_, FIELDS(__VA_ARGS__), with_)
#define PUBLIC_TYPE(var_, name_, ...) PUBLIC_TYPE_WITH(var_, name_, .size = 0, __VA_ARGS__)
#define PUBLIC_TYPE_WITH(var_, name_, with_, ...) \
    const struct jr_schema_type jr_schema_##var_ = \
        TYPE_OF("v1.", name_, FIELDS(__VA_ARGS__), with_)
#define TYPE_BETA(var_, name_, ...) \
    static const struct jr_schema_type var_ = \
        TYPE_OF("v1beta1.", name_, FIELDS(__VA_ARGS__), .size = 0)
#define PUBLIC_TYPE_BETA(var_, name_, ...) \
    const struct jr_schema_type jr_schema_##var_ = \
        TYPE_OF("v1beta1.", name_, FIELDS(__VA_ARGS__), .size = 0)
#define PUBLIC_TYPE_ALPHA(var_, name_, ...) \
    const struct jr_schema_type jr_schema_##var_ = \
        TYPE_OF("v1alpha2.", name_, FIELDS(__VA_ARGS__), .size = 0)
#define TYPE_OF(group_, name_, fields_, ...) \
    { .name = (name_), .go_type = group_ name_, .fields = (fields_), __VA_ARGS__ }
#define FIELDS(...) ((const struct jr_schema_field[]){ __VA_ARGS__, END })
#define WITH(...) __VA_ARGS__
/* What every kind begins with (metav1.TypeMeta). */
#define TYPE_META STRING("kind"), STRING("apiVersion")

/* ... and its number in protobuf. */
#define EMBEDS(type_, n_) .embedded = (&(type_)), .embedded_number = (n_)
/* It is decoded into this C struct. */
#define DECODED(struct_) .size = sizeof(struct_)
/* A field of it that comes twice is an error. */
#define ONCE .once = true
#define AS_JSON .as_json = true
/* clang-format on */

#endif
