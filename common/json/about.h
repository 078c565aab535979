/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries JSON and YAML are read with. */
#ifndef JR_JSON_ABOUT_H
#define JR_JSON_ABOUT_H

#include "common/base/buf.h"

/** Appends the lines of cJSON and libyaml to what --version prints. */
void jr_json_about(struct jr_buf *out);

#endif
