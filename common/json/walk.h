/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a text: the reader's grammar, the duplicates, and a tree where one is wanted. */
#ifndef JR_JSON_WALK_H
#define JR_JSON_WALK_H

#include "common/json/tape.h"
#include "common/json/tree.h"

/** Checks text and, unless doc is NULL, fills the empty doc. Errors as jr_json_check, JR_NOMEM;
 * doc is half-built then, fit to be freed. */
enum jr_status jr_walk(struct jr_str text, const struct jr_reader_opts *opts, struct jr_doc *doc,
                       struct jr_error *err);
/** The same by a tape: only duplicates and the number of values are left to be checked. */
enum jr_status jr_walk_tape(const struct jr_tape *tape, const struct jr_reader_opts *opts,
                            struct jr_doc *doc, struct jr_error *err);

#endif
