/* SPDX-License-Identifier: Apache-2.0 */
/* How a decoded scalar is stored, whatever it was decoded from. Inside this folder only. */
#ifndef JR_SCHEMA_KEEP_H
#define JR_SCHEMA_KEEP_H

#include "common/base/num.h"
#include "common/schema/schema.h"

static inline void jr_schema_keep_int(enum jr_schema_into into, int64_t v, void *out)
{
    if (into == JR_INTO_I32)
        *(int32_t *)out = (int32_t)v;
    else if (into == JR_INTO_I64)
        *(int64_t *)out = v;
    else if (into == JR_INTO_OPT_I32)
        *(struct jr_opt_i32 *)out = JR_I32((int32_t)v);
    else if (into == JR_INTO_OPT_I64)
        *(struct jr_opt_i64 *)out = JR_I64(v);
}

static inline void jr_schema_keep_bool(enum jr_schema_into into, bool v, void *out)
{
    if (into == JR_INTO_OPT_BOOL)
        *(struct jr_opt_bool *)out = JR_BOOL(v);
    else if (into == JR_INTO_BOOL)
        *(bool *)out = v;
}

#endif
