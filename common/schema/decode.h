/* Decoding by the tables of schema.h, from text straight into C structs: what a row keeps is
 * decoded, the rest passed over. For a tree see decode_tree.h. */
#ifndef JR_SCHEMA_DECODE_H
#define JR_SCHEMA_DECODE_H

#include "common/json/decode.h"
#include "common/schema/meta.h"
#include "common/schema/schema.h"

/** An object. arg: its struct jr_schema_type; out: that type's C struct, zeroed. */
jr_decode_fn jr_schema_decode;
/** A list of objects, into { T *v; size_t n; }. arg: the type of an element. */
jr_decode_fn jr_schema_decode_list;

jr_decode_fn jr_decode_labels; /* struct jr_labels, from an object of strings */
jr_decode_fn jr_decode_strs;   /* struct jr_strs */
/** As jr_decode_str, but null is "": an element or map value in Go. */
jr_decode_fn jr_decode_text;
/** Whether the value ahead is null; nothing is read. */
enum jr_status jr_decode_peek_null(const struct jr_decoder *d, bool *ret,
                                   struct jr_error *err) JR_MUST_USE;

#endif
