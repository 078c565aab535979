/* SPDX-License-Identifier: Apache-2.0 */
/* Policies out of files (--policy-file), in a store. */
#ifndef JR_POLICY_WATCH_POLICY_FILES_H
#define JR_POLICY_WATCH_POLICY_FILES_H

#include "common/base/flags.h"
#include "common/base/log.h"
#include "common/policy/watch/store.h"

struct jr_policy_files;
/** paths: copied; store: borrowed; log may be NULL. */
struct jr_policy_files *jr_policy_files_new(const struct jr_flag_list *paths,
                                            struct jr_policy_store *store, struct jr_log *log);
/** As C strings, n of them. */
const char *const *jr_policy_files_paths(const struct jr_policy_files *f);
/** Reads all files again; if all policies in them are right they take the place of those before.
 * *ret_changed: whether a file has changed. What is wrong is logged, each fault with its place;
 * then all stays as it is. Errors: JR_INVALID, JR_IO; err->path is the file. */
enum jr_status jr_policy_files_load(struct jr_policy_files *f, struct jr_time now,
                                    bool *ret_changed, struct jr_error *err) JR_MUST_USE;
/** Whether one of them selects Namespaces by labels. */
bool jr_policy_files_select_namespaces(const struct jr_policy_files *f);
/** NULL-safe; what is in the store stays there. */
void jr_policy_files_free(struct jr_policy_files *f);

#endif
