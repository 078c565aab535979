/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a value, noted down while the reader reads it: its tree can be built later, or
 * not at all, without a second look at the text's grammar. */
#ifndef JR_JSON_TAPE_H
#define JR_JSON_TAPE_H

#include "common/json/reader.h"

struct jr_tape_block;
/** A value's source text and its tokens, eight bytes each. Zeroed: there is none. */
struct jr_tape {
    struct jr_str text; /* borrowed; {NULL, 0}: absent or null */
    size_t values;      /* all that are in it, itself too */
    size_t containers;  /* objects in lists whose keys end with "ontainers" */
    const struct jr_tape_block *blocks;
};

/** Texts that are longer have no tape. */
#define JR_TAPE_TEXT_MAX ((size_t)1 << 28)

/** Reads the next value as jr_reader_skip does, and notes its tokens in the arena. A null leaves
 * *ret as it is. Errors: as jr_reader_next; JR_NOMEM. */
enum jr_status jr_tape_read(struct jr_reader *g, struct jr_arena *arena, struct jr_tape *ret,
                            struct jr_error *err) JR_MUST_USE;

/** Reads the tokens again, in order. */
struct jr_tape_reader {
    const char *text;
    const struct jr_tape_block *block;
    size_t at; /* in the block */
};
struct jr_tape_reader jr_tape_begin(const struct jr_tape *tape);
/** Behind the last one JR_TOK_END. */
void jr_tape_next(struct jr_tape_reader *r, struct jr_tok *ret);

#endif
