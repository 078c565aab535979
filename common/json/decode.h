/* Decoding from the gate's tokens straight into structs, no tree. Null means absent. Objects are
 * decoded by the tables of common/schema, or by hand. */
#ifndef JR_JSON_DECODE_H
#define JR_JSON_DECODE_H

#include "common/base/num.h"
#include "common/base/time.h"
#include "common/json/tape.h"

/** What decoding needs: the reader, where strings and arrays go, and where we are, for error paths.
 */
struct jr_decoder {
    struct jr_gate gate;
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
/** The same with a lenient reader (gate.h): for a text that has passed the gate (jr_gate_check, or
 * a decoder before), where it is faster, and for objects that an API server serves, where what
 * isn't asked for can't spoil the rest. */
enum jr_status jr_decode_lenient(struct jr_str text, struct jr_arena *arena, bool copy,
                                 jr_decode_fn *fn, const void *arg, void *out,
                                 struct jr_error *err) JR_MUST_USE;

/** The same on a decoder that was just begun, whose gate can be asked afterwards. */
enum jr_status jr_decode_all(struct jr_decoder *d, jr_decode_fn *fn, const void *arg, void *out,
                             struct jr_error *err) JR_MUST_USE;

/* Decoders for the scalar types; `out` is what the name says. A wrong JSON type is JR_TYPE, an
 * integer out of range JR_RANGE. */
jr_decode_fn jr_decode_str;      /* struct jr_str; absent and null {NULL, 0}, "" has p != NULL */
jr_decode_fn jr_decode_i32;      /* int32_t */
jr_decode_fn jr_decode_i64;      /* int64_t */
jr_decode_fn jr_decode_bool;     /* bool */
jr_decode_fn jr_decode_opt_i32;  /* struct jr_opt_i32 */
jr_decode_fn jr_decode_opt_i64;  /* struct jr_opt_i64 */
jr_decode_fn jr_decode_opt_bool; /* struct jr_opt_bool */
jr_decode_fn
    jr_decode_time; /* struct jr_time, RFC 3339 (jr_time_parse_served); null and "" are unset */
jr_decode_fn jr_decode_raw;   /* struct jr_str: the value's source text; null is absent */
jr_decode_fn jr_decode_array; /* arg: struct jr_array_desc; out: struct jr_slice-shaped */

/** Decodes a value with fn, and gives its source text too, as jr_decode_raw does. */
enum jr_status jr_decode_with_raw(struct jr_decoder *d, jr_decode_fn *fn, const void *arg,
                                  void *out, struct jr_str *ret, struct jr_error *err) JR_MUST_USE;

/** For hand-written decoders: iterate an object. Call _begin, then _next until *ret_more is false;
 * each time *ret_key is set and the value must be read (jr_gate_skip or a decoder). A null instead
 * of the object gives no members, *ret_present false: then _next must not be called. */
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
