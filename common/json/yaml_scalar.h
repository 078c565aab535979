/* SPDX-License-Identifier: Apache-2.0 */
/* What a YAML scalar is, as Go's yaml.v2 (2.4) resolves it, and how JSON writes it then. */
#ifndef JR_JSON_YAML_SCALAR_H
#define JR_JSON_YAML_SCALAR_H

#include "common/json/tree.h"

enum jr_scalar_kind {
    JR_SCALAR_NULL,
    JR_SCALAR_FALSE,
    JR_SCALAR_TRUE,
    JR_SCALAR_INT,
    JR_SCALAR_FLOAT,
    JR_SCALAR_STRING,
};

struct jr_scalar {
    enum jr_scalar_kind kind;
    double number; /* FLOAT; may be infinite or no number */
    bool wide;     /* INT: beyond int64 */
    char text[48]; /* INT and finite FLOAT: as encoding/json writes it */
};

/** A plain scalar without a tag. */
void jr_scalar_resolve(struct jr_str value, struct jr_scalar *ret);
/** Sets a number as encoding/json writes a float64 of that value. */
void jr_scalar_of_float(double v, struct jr_scalar *ret);
/** A scalar with a tag ("tag:yaml.org,2002:int"), whatever its style. JR_INVALID if the value is
 * nothing of that sort. Foreign tags make strings. */
enum jr_status jr_scalar_resolve_tag(struct jr_str value, struct jr_str tag,
                                     struct jr_scalar *ret) JR_MUST_USE;
/** A scalar as a key of a JSON object, into buf where it is not value itself. JR_INVALID for what
 * can't be one. */
enum jr_status jr_scalar_key(const struct jr_scalar *s, struct jr_str value, char buf[64],
                             struct jr_str *ret) JR_MUST_USE;

#endif
