/* SPDX-License-Identifier: Apache-2.0 */
/* The first few names have series of their own, the others share one. */
#include "controller/work/label_limit.h"

#include <string.h>

const char *jr_label_limit_value(struct jr_label_limit *o, struct jr_str name)
{
    for (size_t i = 0; i < o->n; i++) {
        if (jr_str_is(name, o->names[i]))
            return o->names[i];
    }
    if (o->n == JR_LABEL_LIMIT_VALUES || name.n >= JR_LABEL_LIMIT_BYTES ||
        jr_str_find(name, '\0') >= 0)
        return JR_LABEL_LIMIT_REST;
    memcpy(o->names[o->n], name.p, name.n);
    o->names[o->n][name.n] = '\0';
    return o->names[o->n++];
}
