/* SPDX-License-Identifier: Apache-2.0 */
/* Tells when files may have changed: at once by inotify where the kernel has it for us, and every
 * ten seconds whatever happens (a network file system tells of nothing). */
#ifndef JR_BASE_FILE_WATCH_H
#define JR_BASE_FILE_WATCH_H

#include "common/base/loop.h"

struct jr_files;
/** Watches the folders of these files (NULL: none), since a mounted Secret changes by a link in
 * them. fn(ctx) is called from the loop, once for a burst of changes. */
struct jr_files *jr_files_new(struct jr_loop *loop, const char *const *names, size_t n,
                              void (*fn)(void *ctx), void *ctx);
/** fn is called in the next turn, as if a file had changed. */
void jr_files_hurry(struct jr_files *f);
void jr_files_free(struct jr_files *f);

#endif
