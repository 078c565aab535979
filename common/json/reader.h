/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader that every JSON text passes first: RFC 8259, UTF-8, depth, size, duplicate
 * keys. Also a pull reader of tokens, for the decoders that build no tree. */
#ifndef JR_JSON_READER_H
#define JR_JSON_READER_H

#include "common/base/arena.h"
#include "common/base/error.h"

/** What to do with an object that has the same key twice (API servers accept that outside of strict
 * mode; the last wins). */
enum jr_dup_policy { JR_DUP_REJECT, JR_DUP_LAST };

struct jr_reader_opts {
    size_t max_bytes;   /* 0: no bound beyond the text's own length */
    unsigned max_depth; /* 0: 100; beyond it JR_LIMIT */
    enum jr_dup_policy dup;
    /* Called for each duplicate under JR_DUP_LAST, once however often it comes, with its path as
     * API servers write it (spec.template.spec.containers[0].name, metadata.labels.a/b), inner
     * objects first; may be NULL. */
    void (*on_dup)(void *ctx, const char *path);
    void *ctx;
    size_t max_values; /* 0: 1,000,000; beyond it JR_LIMIT: a tree takes 64 bytes a value */
    /* A member of a member of the root, by their names, that gets into no tree: it is only checked.
     * NULL: none. */
    const char *leave_out[2];
};

/** As controller-runtime bounds an admission request. */
#define JR_READER_MAX_BYTES ((size_t)7 << 20)
#define JR_READER_STRICT \
    ((struct jr_reader_opts){ .max_bytes = JR_READER_MAX_BYTES, .dup = JR_DUP_REJECT })
#define JR_READER_LENIENT \
    ((struct jr_reader_opts){ .max_bytes = JR_READER_MAX_BYTES, .dup = JR_DUP_LAST })

/** Passes the whole text, which must hold exactly one value. Errors: JR_SYNTAX ("line 3, column 7:
 * ..."), JR_LIMIT (size or depth, before anything is parsed where it is the size), JR_INVALID
 * (duplicate key, with its path). */
enum jr_status jr_json_check(struct jr_str text, const struct jr_reader_opts *opts,
                             struct jr_error *err) JR_MUST_USE;

enum jr_tok_kind {
    JR_TOK_OBJECT,
    JR_TOK_OBJECT_END,
    JR_TOK_ARRAY,
    JR_TOK_ARRAY_END,
    JR_TOK_KEY,
    JR_TOK_STRING,
    JR_TOK_NUMBER,
    JR_TOK_TRUE,
    JR_TOK_FALSE,
    JR_TOK_NULL,
    JR_TOK_END, /* the text is over */
};

struct jr_tok {
    enum jr_tok_kind kind;
    struct jr_str raw; /* source text; of strings and keys without the quotes */
    bool escaped;      /* string or key with a backslash in it */
    size_t at;         /* offset of the token in the text (of the quote, for strings) */
};

#define JR_READER_DEPTH_MAX 512

/** What a text is made of, as far as it was read. */
struct jr_reader_counts {
    size_t values;   /* all but objects */
    size_t members;  /* objects that are a member of another one */
    size_t elements; /* objects in an array, and the whole text where it is one */
};

/** A pull reader: it accepts what jr_json_check accepts, but for duplicate keys, which are the
 * consumer's to see. Plain data, on the stack, no end needed. */
struct jr_reader {
    struct jr_str text;
    size_t at;
    unsigned depth;
    unsigned max_depth;
    /* Skipped values are only scanned for matching brackets and ends of strings: not validated, not
     * counted, at any depth. For a text that was checked before, where it is only faster, and for
     * what an API server serves. Tokens that are read are validated as ever. */
    bool lenient;
    struct jr_reader_counts counts;
    unsigned char state;
    unsigned char stack[JR_READER_DEPTH_MAX / 8]; /* a bit a level: object or array */
};

/** text is borrowed for as long as the reader and its tokens live. max_depth 0: 100. */
void jr_reader_init(struct jr_reader *g, struct jr_str text, unsigned max_depth);
/** The next token. Errors: JR_SYNTAX, JR_LIMIT. After an error the reader stays where it is. */
enum jr_status jr_reader_next(struct jr_reader *g, struct jr_tok *ret,
                              struct jr_error *err) JR_MUST_USE;
/** Reads one whole value (the next one; after a KEY its value) and gives its source text. ret may
 * be NULL. Errors as jr_reader_next (of a lenient reader only JR_SYNTAX: it has no end, or is no
 * value); JR_USAGE where no value is next: a key, or an end. */
enum jr_status jr_reader_skip(struct jr_reader *g, struct jr_str *ret,
                              struct jr_error *err) JR_MUST_USE;

/** The text of a STRING or KEY token: borrowed from the source where nothing is escaped, else
 * unescaped into the arena. Errors: JR_NOMEM. U+0000 comes out as a NUL byte inside the length. */
enum jr_status jr_tok_text(const struct jr_tok *t, struct jr_arena *arena,
                           struct jr_str *ret) JR_MUST_USE;
/** A NUMBER token as an integer: exact; 1.0 and 1e3 are JR_TYPE as in Go; beyond min..max JR_RANGE.
 */
enum jr_status jr_tok_i64(const struct jr_tok *t, int64_t min, int64_t max,
                          int64_t *ret) JR_MUST_USE;

/** Line and column (both from 1, columns in bytes) of an offset. */
void jr_text_position(struct jr_str text, size_t at, unsigned *ret_line, unsigned *ret_column);

#endif
