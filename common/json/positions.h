/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting positions while a document is read. */
#ifndef JR_JSON_POSITIONS_H
#define JR_JSON_POSITIONS_H

#include "common/base/arena.h"
#include "common/json/yaml.h"

/** NULL without memory. Entry 0, the root, is made by the first jr_positions_add. */
struct jr_positions *jr_positions_new(void);

#define JR_POSITIONS_NONE SIZE_MAX

/** Adds a value below parent (NONE: the root) under key ({NULL, 0}: an element, in order). Columns
 * and lines from 1. Gives its number in *ret. */
enum jr_status jr_positions_add(struct jr_positions *p, size_t parent, struct jr_str key,
                                unsigned line, unsigned column, size_t *ret) JR_MUST_USE;
#endif
