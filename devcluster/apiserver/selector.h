/* SPDX-License-Identifier: Apache-2.0 */
/* labelSelector and fieldSelector of a request. */
#ifndef JR_DEVCLUSTER_APISERVER_SELECTOR_H
#define JR_DEVCLUSTER_APISERVER_SELECTOR_H

#include "devcluster/apiserver/op.h"

struct jr_dev_field_term {
    int field; /* index in res->fields; -1: metadata.name, -2: metadata.namespace */
    bool not_equal;
    struct jr_str value;
};
struct jr_dev_selector {
    struct jr_selector labels; /* set = false: all */
    struct jr_dev_field_term *fields;
    size_t n_fields;
};

/** Reads both parameters. 400. */
bool jr_dev_selector_parse(struct jr_dev_op *op, struct jr_dev_selector *ret) JR_MUST_USE;
bool jr_dev_selector_matches(const struct jr_dev_selector *s, const struct jr_dev_object *o);
static inline bool jr_dev_selector_all(const struct jr_dev_selector *s)
{
    return !s->labels.set && s->n_fields == 0;
}

#endif
