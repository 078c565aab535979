/* SPDX-License-Identifier: Apache-2.0 */
/* Image references (docker.io/library/perl:5.34.0@sha256:...), as far as defaulting looks at them.
 */
#ifndef JR_POD_IMAGE_H
#define JR_POD_IMAGE_H

#include "common/base/buf.h"

/** Whether the image is pulled always by default: its tag is "latest", or it has neither a tag nor
 * a digest. False for a reference that can't be parsed. */
bool jr_image_is_latest(struct jr_str reference);
/** Appends what is wrong with a reference that has to be
 * <registry>/<repository>@<algorithm>:<digest>, in the API server's words; nothing if it is one.
 * Errors: JR_NOMEM, JR_LIMIT. */
enum jr_status jr_image_pinned_fault(struct jr_str reference, struct jr_buf *out) JR_MUST_USE;

#endif
