/* SPDX-License-Identifier: Apache-2.0 */
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

/** struct jr_labels, from an object of strings; arg: NULL. */
jr_decode_fn jr_decode_labels;

#endif
