/* SPDX-License-Identifier: Apache-2.0 */
/* What Go's encoding/json says about a text that is no JSON: an annotation that holds JSON is
 * validated in its words. */
#ifndef JR_POD_GO_JSON_H
#define JR_POD_GO_JSON_H

#include "common/base/buf.h"

/** Appends what is wrong; nothing if it is JSON. go_1_27: in the words of Go 1.27, else of the ones
 * before. Errors: JR_NOMEM, JR_LIMIT. */
enum jr_status jr_go_json_fault(struct jr_str text, bool go_1_27, struct jr_buf *out) JR_MUST_USE;

#endif
