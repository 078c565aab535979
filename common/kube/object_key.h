/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of objects in memory: namespace and name as a work queue has them, and the uid, which
 * differs between an object and its successor of the same name. */
#ifndef JR_KUBE_OBJECT_KEY_H
#define JR_KUBE_OBJECT_KEY_H

#include "common/schema/meta.h"

/** Borrowed. */
struct jr_object_key {
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str uid;
};

static inline struct jr_object_key jr_object_key_of(const struct jr_meta *meta)
{
    return (struct jr_object_key){ meta->namespace, meta->name, meta->uid };
}

/** Returns the key of what is kept under one text. */
static inline struct jr_object_key jr_object_key_of_text(struct jr_str text)
{
    return (struct jr_object_key){ .name = text };
}

/** namespace/name; names have 63 and 253 bytes at most, what is longer does not fit. */
#define JR_OBJECT_KEY_MAX 512

/** The parts of namespace/name, borrowed from it; of a text without a slash the name alone. */
static inline struct jr_object_key jr_object_key_parse(struct jr_str key)
{
    const ptrdiff_t slash = jr_str_find(key, '/');

    if (slash < 0)
        return (struct jr_object_key){ .name = key };
    return (struct jr_object_key){ .namespace = jr_str_head(key, (size_t)slash),
                                   .name = jr_str_from(key, (size_t)slash + 1) };
}

/** In a log line. */
#define JR_JOB(key_) \
    JR_OBJECT("Job", jr_object_key_parse(key_).namespace, jr_object_key_parse(key_).name)

#endif
