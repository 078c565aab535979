/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, section 4). */
#ifndef JR_BASE_BASE64_H
#define JR_BASE_BASE64_H

#include "common/base/buf.h"

/** Standard base64 with padding. Decoding errors: JR_SYNTAX. */
enum jr_status jr_base64_encode(struct jr_str in, struct jr_buf *out) JR_MUST_USE;
enum jr_status jr_base64_decode(struct jr_str in, struct jr_buf *out) JR_MUST_USE;

#endif
