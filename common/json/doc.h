/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents as trees, over cJSON behind the reader: for what is validated or changed (reviews,
 * manifests, the devcluster's objects). Numbers keep their source text: int64 is exact, 1.0
 * stays 1.0. Member order is kept. */
#ifndef JR_JSON_DOC_H
#define JR_JSON_DOC_H

#include "common/base/buf.h"
#include "common/json/tape.h"

/** A tree and its owner. */
struct jr_doc;
/** A value inside a tree; borrowed, lives as long as its document or until it is removed or
 * replaced. */
struct jr_node;

enum jr_kind { JR_NULL, JR_FALSE, JR_TRUE, JR_NUMBER, JR_STRING, JR_ARRAY, JR_OBJECT };

/** Parses text that the strict reader takes. Errors as jr_json_check. */
enum jr_status jr_doc_parse(struct jr_str text, const struct jr_reader_opts *opts,
                            struct jr_doc **ret, struct jr_error *err) JR_MUST_USE;
/** The tree of a value whose tokens were noted, which isn't absent. Errors: JR_INVALID (a duplicate
 * key, with its path), JR_LIMIT (values), JR_NOMEM. */
enum jr_status jr_doc_build(const struct jr_tape *tape, const struct jr_reader_opts *opts,
                            struct jr_doc **ret, struct jr_error *err) JR_MUST_USE;
/** A document whose root is an empty object. */
enum jr_status jr_doc_new(struct jr_doc **ret) JR_MUST_USE;
/** A deep copy of node as a document of its own. */
enum jr_status jr_doc_of(const struct jr_node *node, struct jr_doc **ret) JR_MUST_USE;
void jr_doc_free(struct jr_doc *doc);
JR_DEFINE_CLEANUP(struct jr_doc *, jr_doc_free)
struct jr_node *jr_doc_root(struct jr_doc *doc);
const struct jr_node *jr_doc_root_const(const struct jr_doc *doc);

/** Appends compact JSON (no spaces), or indented by two blanks with a final newline. */
enum jr_status jr_node_print(const struct jr_node *node, struct jr_buf *out) JR_MUST_USE;
enum jr_status jr_node_print_pretty(const struct jr_node *node, struct jr_buf *out) JR_MUST_USE;

/** Overwrites the texts of a value and all below it, which are of no use then: before a tree that
 * holds keys is freed. NULL is fine. */
void jr_node_wipe(struct jr_node *node);

/* Reading. All take NULL for "absent" and hand it on, so that paths chain: jr_get(jr_get(o,
 * "spec"), "suspend"). */

/** JR_NULL also for NULL. */
enum jr_kind jr_node_kind(const struct jr_node *n);
/** The same in the words of Go's encoding/json: "bool". */
const char *jr_node_kind_name(const struct jr_node *n);
/** A member, NULL if absent or n is no object. Case-sensitive. */
struct jr_node *jr_get(const struct jr_node *n, const char *key);
struct jr_node *jr_getn(const struct jr_node *n, struct jr_str key);
/** By dotted path of plain names: jr_path(root, "spec.template.metadata"). */
struct jr_node *jr_path(const struct jr_node *n, const char *path);
/** An element, NULL past the end. Linear: iterate instead. */
struct jr_node *jr_at(const struct jr_node *n, size_t i);
/** Members or elements; 0 for anything else. */
size_t jr_size(const struct jr_node *n);
/** Iteration over members or elements: for (c = jr_first(n); c; c = jr_next(c)). */
struct jr_node *jr_first(const struct jr_node *n);
struct jr_node *jr_next(const struct jr_node *n);
/** A member's key; {NULL, 0} for elements and roots. */
struct jr_str jr_key(const struct jr_node *n);
/** True for NULL and for a null: what API machinery calls unset. */
bool jr_unset(const struct jr_node *n);
/** The text of a string; {NULL, 0} for anything else. U+0000 inside comes as a NUL byte. */
struct jr_str jr_node_str(const struct jr_node *n);
/** jr_node_str of a member. */
struct jr_str jr_get_str(const struct jr_node *n, const char *key);
/** The source text of a number. */
struct jr_str jr_node_number(const struct jr_node *n);
/** Exact; JR_TYPE for anything that is no integer, JR_RANGE beyond 64 bits. */
enum jr_status jr_node_i64(const struct jr_node *n, int64_t *ret) JR_MUST_USE;
int64_t jr_node_i64_or(const struct jr_node *n, int64_t fallback);
bool jr_node_bool_or(const struct jr_node *n, bool fallback);
/** Equal as JSON values: members in any order, numbers by their text or as equal integers. */
bool jr_node_equal(const struct jr_node *a, const struct jr_node *b);

/* Changing. A name that exists is replaced in its place, a new one goes to the end. Errors:
 * JR_NOMEM, JR_TYPE (not an object or array). `ret`, where there is
 * one, may be NULL, and is the new node. Strings are copied. A value to copy that is NULL stands
 * for null. */

enum jr_status jr_set_str(struct jr_node *obj, const char *key, struct jr_str v) JR_MUST_USE;
enum jr_status jr_set_strn(struct jr_node *obj, struct jr_str key, struct jr_str v) JR_MUST_USE;
enum jr_status jr_set_i64(struct jr_node *obj, const char *key, int64_t v) JR_MUST_USE;
enum jr_status jr_set_bool(struct jr_node *obj, const char *key, bool v) JR_MUST_USE;
enum jr_status jr_set_null(struct jr_node *obj, const char *key) JR_MUST_USE;
enum jr_status jr_set_object(struct jr_node *obj, const char *key,
                             struct jr_node **ret) JR_MUST_USE;
enum jr_status jr_set_array(struct jr_node *obj, const char *key, struct jr_node **ret) JR_MUST_USE;
/** A deep copy of v. */
enum jr_status jr_set_copy(struct jr_node *obj, struct jr_str key, const struct jr_node *v,
                           struct jr_node **ret) JR_MUST_USE;
/** The member as an object: as it is, or new and empty where it is absent or null. JR_TYPE if it is
 * something else. */
enum jr_status jr_ensure_object(struct jr_node *obj, const char *key,
                                struct jr_node **ret) JR_MUST_USE;
enum jr_status jr_ensure_array(struct jr_node *obj, const char *key,
                               struct jr_node **ret) JR_MUST_USE;
enum jr_status jr_push_str(struct jr_node *arr, struct jr_str v) JR_MUST_USE;
enum jr_status jr_push_object(struct jr_node *arr, struct jr_node **ret) JR_MUST_USE;
/** Inserts a deep copy before element i (i = size: at the end; beyond it JR_RANGE). */
enum jr_status jr_insert_copy(struct jr_node *arr, size_t i, const struct jr_node *v,
                              struct jr_node **ret) JR_MUST_USE;
/** Makes node a deep copy of v, in place; for roots too. v may lie inside node. */
enum jr_status jr_node_assign(struct jr_node *node, const struct jr_node *v) JR_MUST_USE;
/** The same by a string. */
enum jr_status jr_node_assign_str(struct jr_node *node, struct jr_str v) JR_MUST_USE;
/** Removes a member; absent is fine, *ret_was (may be NULL) says which. */
void jr_remove(struct jr_node *obj, struct jr_str key, bool *ret_was);
/** Takes a member or an element out that is at hand: nothing is looked up. */
void jr_remove_child(struct jr_node *parent, struct jr_node *child);

#endif
