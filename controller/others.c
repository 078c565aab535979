/* SPDX-License-Identifier: Apache-2.0 */
/* The first few names have series of their own, the others share one. */
#include "controller/others.h"

#include <string.h>

const char *jr_others_label(struct jr_others *o, struct jr_str name)
{
    for (size_t i = 0; i < o->n; i++) {
        if (jr_str_is(name, o->names[i]))
            return o->names[i];
    }
    if (o->n == JR_OTHERS_MAX || name.n >= JR_OTHERS_NAME_MAX || jr_str_find(name, '\0') >= 0)
        return JR_OTHERS_REST;
    memcpy(o->names[o->n], name.p, name.n);
    o->names[o->n][name.n] = '\0';
    return o->names[o->n++];
}
