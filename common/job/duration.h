/* SPDX-License-Identifier: Apache-2.0 */
/* Go durations as text, with Go's words for what is wrong with one. */
#ifndef JR_JOB_DURATION_H
#define JR_JOB_DURATION_H

#include "common/base/buf.h"

/** Whether Go's time.ParseDuration reads s. Errors: JR_INVALID with its words in why, those of the
 * buffer. */
enum jr_status jr_duration_check(struct jr_str s, struct jr_buf *why) JR_MUST_USE;

#endif
