/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays: a pointer, a number of elements, a capacity. */
#ifndef JR_BASE_VEC_H
#define JR_BASE_VEC_H

#include <stddef.h>

/** The array v, of n elements of `size` bytes and room for *cap, with room for one more: v itself,
 * or where it was moved to, *cap being raised. NULL without memory: then v is as it was. v is freed
 * by free(). */
void *jr_vec_room(void *v, size_t n, size_t *cap, size_t size);

#endif
