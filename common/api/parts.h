/* Decoders that the types of this folder share. */
#ifndef JR_API_PARTS_H
#define JR_API_PARTS_H

#include "common/api/meta.h"

/** ownerReferences, into a struct jr_owner_refs. */
extern const struct jr_array_desc jr_owner_refs_desc;
/** A JobSpec, into a struct jr_job_spec: a Job's, or the one in a CronJob's template. */
extern const struct jr_object_desc jr_job_spec_desc;

/** Whether the value ahead is null; nothing is read. */
enum jr_status jr_decode_peek_null(const struct jr_decoder *d, bool *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** An object whose presence counts: the struct's first member is `bool set`, the rest is for arg, a
 * struct jr_object_desc. */
jr_decode_fn jr_decode_present;
/** As jr_decode_str, but null is "": an element or map value in Go. */
jr_decode_fn jr_decode_text;

#endif
