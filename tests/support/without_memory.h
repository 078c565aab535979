/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that end without memory (common/base/memory.h): each allocation of a subject fails
 * once, in a process of its own. */
#ifndef JR_SUPPORT_WITHOUT_MEMORY_H
#define JR_SUPPORT_WITHOUT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/** Runs subject(ctx) once, in a process of its own, which forks at each allocation: in the child
 * that allocation fails, and the others work. The test fails unless each child either ends with
 * "out of memory" and code 1, or returns from the subject, which may do so where the allocation was
 * one that it can go without; and unless the subject returns where none fails. What is done to ctx
 * is not seen here. Children share the offsets of files that were opened before. There must be no
 * other thread; the subject may start some where jr_ends_saying() runs it. Returns how many ended.
 */
size_t jr_each_without_memory(void (*subject)(void *ctx), void *ctx);

/** Whether subject(ctx) ends with code 1 and these words, all allocations working. */
bool jr_ends_saying(void (*subject)(void *ctx), void *ctx, const char *words);
/** The same with the words of want of memory. */
bool jr_ends_without_memory(void (*subject)(void *ctx), void *ctx);

#endif
