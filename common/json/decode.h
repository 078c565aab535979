/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding from a reader's tokens straight into structs, no tree. Null means absent. Objects are
 * decoded by the tables of common/schema, or by hand. */
#ifndef JR_JSON_DECODE_H
#define JR_JSON_DECODE_H

#include "common/base/num.h"
#include "common/base/time.h"
#include "common/json/tape.h"

/** What decoding needs: the reader, where strings and arrays go, and where we are, for error paths.
 */
struct jr_decoder {
    struct jr_reader reader;
    struct jr_arena *arena;
    bool copy; /* strings are copied into the arena (else borrowed from the text where not escaped)
                */
    unsigned path_n;
    struct {
        struct jr_str key; /* n = SIZE_MAX: an index */
        size_t index;
    } path[24]; /* deeper levels are left out of the path */
};

/** Reads one value, the next in d, into *out. A null leaves *out as it is. */
typedef enum jr_status jr_decode_fn(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err);

/** An array into { T *v; size_t n; }: `out` points at that pair. A null or absent array leaves it
 * empty, [] makes v != NULL. Elements start zeroed, and move once while the array is read: fn must
 * not keep the address of one. */
struct jr_array_desc {
    size_t size; /* of an element */
    jr_decode_fn *fn;
    const void *arg;
    size_t first; /* so many are kept, the others passed over; 0: all */
    bool keyed;   /* they are the members of an object; an element begins with its key */
};

/** Anything that is an array: { T *v; size_t n; }. */
struct jr_slice {
    void *v;
    size_t n;
};

/** Starts on text, which must be one JSON value; strings go where `copy` says. */
void jr_decoder_init(struct jr_decoder *d, struct jr_str text, struct jr_arena *arena, bool copy);
/** Decodes the whole text with fn and checks that nothing follows. Errors carry the field path:
 * "spec.parallelism". */
enum jr_status jr_decode(struct jr_str text, struct jr_arena *arena, bool copy, jr_decode_fn *fn,
                         const void *arg, void *out, struct jr_error *err) JR_MUST_USE;
/** The same with a lenient reader (reader.h): for a text that has passed a strict reader
 * (jr_json_check, or a decoder before), where it is faster, and for objects that an API server
 * serves, where what isn't asked for can't spoil the rest. */
enum jr_status jr_decode_lenient(struct jr_str text, struct jr_arena *arena, bool copy,
                                 jr_decode_fn *fn, const void *arg, void *out,
                                 struct jr_error *err) JR_MUST_USE;

/** The same on a decoder that was just begun, whose reader can be asked afterwards. */
enum jr_status jr_decode_all(struct jr_decoder *d, jr_decode_fn *fn, const void *arg, void *out,
                             struct jr_error *err) JR_MUST_USE;

/** An array by desc; out: struct jr_slice-shaped. */
enum jr_status jr_decode_array(struct jr_decoder *d, void *out, const struct jr_array_desc *desc,
                               struct jr_error *err) JR_MUST_USE;
/** The next value's token, which must be of this kind (JR_TOK_TRUE: or JR_TOK_FALSE) or a null.
 * want: what Go calls the type. Errors: JR_TYPE. */
enum jr_status jr_decode_token(struct jr_decoder *d, enum jr_tok_kind kind, const char *want,
                               struct jr_tok *ret, bool *ret_null,
                               struct jr_error *err) JR_MUST_USE;
/** Text of a STRING or KEY token, where the decoder wants strings to be. */
enum jr_status jr_decode_text(struct jr_decoder *d, const struct jr_tok *t, struct jr_str *ret,
                              struct jr_error *err) JR_MUST_USE;

/** For hand-written decoders: iterate an object. Call _begin, then _next until *ret_more is false;
 * each time *ret_key is set and the value must be read (jr_reader_skip or a decoder). A null
 * instead of the object gives no members, *ret_present false: then _next must not be called. */
enum jr_status jr_decode_object_begin(struct jr_decoder *d, bool *ret_present,
                                      struct jr_error *err) JR_MUST_USE;
enum jr_status jr_decode_object_next(struct jr_decoder *d, struct jr_str *ret_key, bool *ret_more,
                                     struct jr_error *err) JR_MUST_USE;
/** As _next, for a caller who doesn't keep the key: it is copied only where it is escaped. */
enum jr_status jr_decode_object_key(struct jr_decoder *d, struct jr_str *ret_key, bool *ret_more,
                                    struct jr_error *err) JR_MUST_USE;
enum jr_status jr_decode_array_begin(struct jr_decoder *d, bool *ret_present,
                                     struct jr_error *err) JR_MUST_USE;
/** *ret_more says whether an element follows, which must then be read. */
enum jr_status jr_decode_array_next(struct jr_decoder *d, bool *ret_more,
                                    struct jr_error *err) JR_MUST_USE;
/** Fails with the current path in err->path. */
enum jr_status jr_decode_fail(struct jr_decoder *d, enum jr_status st, struct jr_error *err,
                              const char *fmt, ...) JR_PRINTF(4, 5);

#endif
