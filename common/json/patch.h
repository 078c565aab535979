/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Patch (RFC 6902), JSON Pointer (RFC 6901) and JSON Merge Patch (RFC 7386). */
#ifndef JR_JSON_PATCH_H
#define JR_JSON_PATCH_H

#include "common/json/doc.h"

/** More operations than this are not applied; a diff of more replaces the whole value instead. */
#define JR_PATCH_MAX_OPS 10000

/** Appends the JSON Patch that turns `from` into `to`, an array of operations ("[]" when they are
 * equal): add, replace and remove only; minimal per member; arrays are changed element by element
 * where a common prefix and suffix remain, else replaced from the first difference on. Applying it
 * to `from` gives a value equal to `to`. */
enum jr_status jr_patch_diff(const struct jr_node *from, const struct jr_node *to,
                             struct jr_buf *out) JR_MUST_USE;

/** Applies the patch (all six operations) to doc, all of it or nothing: on an error doc is as it
 * was. Errors: JR_INVALID (not a patch, names the operation), JR_NOTFOUND (path), JR_CONFLICT (a
 * test failed), JR_LIMIT (more than 10,000 operations; deeper than JR_READER_DEPTH_MAX; copy and
 * move of more than 16 MiB in all), JR_NOMEM. Works on a copy: nodes of doc are gone after. */
enum jr_status jr_patch_apply(struct jr_doc *doc, const struct jr_node *patch,
                              struct jr_error *err) JR_MUST_USE;

/** Applies a merge patch to node, in place (RFC 7386, section 2). */
enum jr_status jr_merge_apply(struct jr_node *node, const struct jr_node *patch) JR_MUST_USE;

/** Appends s as one reference token of a pointer: '~' and '/' escaped. */
enum jr_status jr_pointer_add(struct jr_buf *out, struct jr_str token) JR_MUST_USE;
/** The value a pointer ("" or "/a/0/b~1c") names; NULL if there is none. */
struct jr_node *jr_pointer_get(struct jr_node *root, struct jr_str pointer);

#endif
