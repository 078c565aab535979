/* SPDX-License-Identifier: Apache-2.0 */
/* Makes room in growing arrays. */
#include "common/base/vec.h"

#include <stdlib.h>

#define FIRST_CAP 16

void *jr_vec_room(void *v, size_t n, size_t *cap, size_t size)
{
    const size_t more = *cap == 0 ? FIRST_CAP : *cap * 2;

    if (n < *cap)
        return v;
    v = reallocarray(v, more, size);
    if (v != NULL)
        *cap = more;
    return v;
}
