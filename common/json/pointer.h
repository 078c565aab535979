/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Pointers step by step, without memory: tokens are compared as they are written. */
#ifndef JR_JSON_POINTER_H
#define JR_JSON_POINTER_H

#include "common/json/tree.h"

/** Empty or "/..." with no '~' but "~0" and "~1". */
bool jr_pointer_valid(struct jr_str pointer);
/** Takes the first token off a valid pointer; false at its end. */
bool jr_pointer_cut(struct jr_str *rest, struct jr_str *ret_token);
/** The member or element that a token names; NULL if there is none. */
cJSON *jr_pointer_step(const cJSON *t, struct jr_str token);
/** A token as an array index: digits, no leading zeros. */
bool jr_pointer_index(struct jr_str token, size_t *ret);
/** A token with its escapes undone, into room for token.n bytes; gives the length. */
size_t jr_pointer_unescape(struct jr_str token, char *out);

#endif
