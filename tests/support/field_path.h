/* SPDX-License-Identifier: Apache-2.0 */
/* Field paths of tests, from text. */
#ifndef JR_SUPPORT_FIELD_PATH_H
#define JR_SUPPORT_FIELD_PATH_H

#include "common/base/num.h"
#include "common/json/field_path.h"

struct path_text {
    struct jr_field_path v[16];
    size_t n;
};

/** The path "spec.containers[0].name", "labels[a.b/c]": digits without zeros in front are an index.
 * It borrows from text, and lives in *storage. */
static inline const struct jr_field_path *path_of_text(const char *text, struct path_text *storage)
{
    storage->n = 0;
    while (*text != '\0' && storage->n < JR_ARRAY_SIZE(storage->v)) {
        struct jr_field_path *p = &storage->v[storage->n];
        const bool bracket = *text == '[';
        int64_t index;
        size_t n;

        text += bracket || *text == '.';
        n = strcspn(text, bracket ? "]" : ".[");
        *p = (struct jr_field_path){ .parent = storage->n > 0 ? p - 1 : NULL, .key = bracket };
        if (bracket && jr_parse_i64((struct jr_str){ text, n }, 0, INT32_MAX, &index) == JR_OK)
            p->index = (size_t)index;
        else
            p->name = (struct jr_str){ text, n };
        p->key = p->key && p->name.p != NULL;
        text += n + (bracket && text[n] == ']');
        storage->n++;
    }
    return storage->n == 0 ? NULL : &storage->v[storage->n - 1];
}

#endif
