/* SPDX-License-Identifier: Apache-2.0 */
/* Image references (docker.io/library/perl:5.34.0@sha256:...), as far as defaulting and policies
 * look at them. */
#ifndef JR_POD_IMAGE_H
#define JR_POD_IMAGE_H

#include "common/base/buf.h"

/** Whether the image is pulled always by default: its tag is "latest", or it has neither a tag nor
 * a digest. False for a reference that can't be parsed. */
bool jr_image_is_latest(struct jr_str reference);
/** Appends the reference as container runtimes complete it: "nginx" is
 * docker.io/library/nginx:latest; a digest stands for itself, and adds no tag. A registry that says
 * the same host otherwise is written in one way: in lower case, without the port 443. One that
 * can't be parsed is taken by its slashes and colons all the same. Source:
 * github.com/distribution/reference, ParseDockerRef; a tag beside a digest stays. Errors: JR_NOMEM,
 * JR_LIMIT. */
enum jr_status jr_image_write_full(struct jr_str reference, struct jr_buf *out) JR_MUST_USE;
/** Whether what is in front of an image's first slash names a registry. */
bool jr_image_is_registry(struct jr_str s);
/** Appends what is wrong with a reference that has to be
 * <registry>/<repository>@<algorithm>:<digest>, in the API server's words; nothing if it is one.
 * Errors: JR_NOMEM, JR_LIMIT. */
enum jr_status jr_image_pinned_fault(struct jr_str reference, struct jr_buf *out) JR_MUST_USE;

#endif
