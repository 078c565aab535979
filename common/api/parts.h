/* Decoders that the types of this folder share. */
#ifndef JR_API_PARTS_H
#define JR_API_PARTS_H

#include "common/api/meta.h"

/** ownerReferences, into a struct jr_owner_refs. */
extern const struct jr_array_desc jr_owner_refs_desc;
/** A JobSpec, into a struct jr_job_spec: a Job's, or the one in a CronJob's template. */
extern const struct jr_object_desc jr_job_spec_desc;

struct jr_writer;

/** Writes the members of object (source text; n = 0: none) whose key is not in known, which ends
 * with NULL, as they are. Errors: those of the text. */
enum jr_status jr_copy_unknown(struct jr_writer *w, struct jr_str object,
                               const char *const *known) JR_MUST_USE;

/** Whether the value ahead is null; nothing is read. */
enum jr_status jr_decode_peek_null(const struct jr_decoder *d, bool *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** An object whose presence counts: the struct's first member is `bool set`, the rest is for arg, a
 * struct jr_object_desc. */
jr_decode_fn jr_decode_present;
/** As jr_decode_str, but null is "": an element or map value in Go. */
jr_decode_fn jr_decode_text;

#endif
